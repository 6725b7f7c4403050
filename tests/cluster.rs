//! Builds by several processes: the tables of one, byte for byte; and what becomes of the others when one is killed,
//! paused, cut off, or never comes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use gleaner_testing::Random;
use gleaner_testing::process::wait_for;
use gleaner_testing::warc::Archive;
use tempfile::TempDir;

use crate::resume::{DOCUMENTS, assert_same, contents, crawl, entries, wait_for_entries};
use crate::support::{gleaner, is_long, refusal, rows, said};

/// Input of a part: there are a dozen parts or two.
const PART: &str = "16KiB";

/// No test waits longer than that for processes to end.
const PATIENCE: Duration = Duration::from_secs(120);

/// A crawl, the tables that one process makes of it, and room for more.
struct Setting {
    folder: TempDir,
    crawl: PathBuf,
    options: Vec<String>,
}

impl Setting {
    fn new(options: &[&str]) -> Setting {
        let folder = tempfile::tempdir().unwrap();
        let crawl = crawl(folder.path());
        Setting {
            crawl,
            options: options.iter().map(|&option| option.to_owned()).collect(),
            folder,
        }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, out: &Path) -> Command {
        let mut command = gleaner();
        command.arg("build").arg(&self.crawl).arg("--out").arg(out);
        command
            .args(["--blocks", "--posts", "--part-size", PART, "--chunk-size", "32"])
            // Two sites have a page with the same paragraphs.
            .args(["--repeats", "2"])
            .args(&self.options);
        command
    }

    /// What a single process writes.
    fn alone(&self) -> BTreeMap<String, Vec<u8>> {
        let out = self.out("alone");
        let output = self.command(&out).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        contents(&out)
    }

    /// A file of this number of hosts.
    fn hosts(&self, processes: usize) -> PathBuf {
        let lines: Vec<String> = addresses(processes)
            .iter()
            .map(|address| format!("{address}\n"))
            .collect();
        let file = self.folder.path().join(format!("hosts-{}", lines[0].trim()));
        fs::write(&file, lines.concat()).unwrap();
        file
    }

    fn start(&self, out: &Path, hosts: &Path, process: usize, options: &[&str]) -> Child {
        self.start_with(None, out, hosts, process, options)
    }

    /// Starts a process that knows a secret, or none.
    fn start_with(
        &self,
        secret: Option<&str>,
        out: &Path,
        hosts: &Path,
        process: usize,
        options: &[&str],
    ) -> Child {
        let mut command = self.command(out);
        command.arg("--hosts").arg(hosts);
        command.args(["--process", &process.to_string()]).args(options);
        command.env_remove("GLEANER_SECRET");
        command.envs(secret.map(|secret| ("GLEANER_SECRET", secret)));
        command.stderr(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Starts a group of processes.
    fn group(&self, out: &Path, processes: usize, options: &[&str]) -> Vec<Child> {
        let hosts = self.hosts(processes);
        let start = |process| self.start(out, &hosts, process, options);
        (0..processes).map(start).collect()
    }

    /// Runs a group to its end, which is a good one.
    fn together(&self, out: &Path, processes: usize, options: &[&str]) -> Vec<Output> {
        let ended: Vec<Output> = self.group(out, processes, options).into_iter().map(end).collect();
        for output in &ended {
            assert!(output.status.success(), "{}", said(output));
        }
        ended
    }
}

/// Addresses of this host that no other program listens at, with ports in a row: each test process has an
/// address of its own in 127.0.0.0/8, and gives each port once.
pub(crate) fn addresses(count: usize) -> Vec<String> {
    static NEXT: AtomicU16 = AtomicU16::new(2101);
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    let first = NEXT.fetch_add(count as u16, Ordering::Relaxed);
    let address = |port| format!("127.{}.{middle}.{low}:{port}", 64 + high % 64);
    (first..).take(count).map(address).collect()
}

/// Waits for a process to end by itself; one that does not is killed, and the test fails.
pub(crate) fn end(mut child: Child) -> Output {
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begin.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it did not end: {}", said(&child.wait_with_output().unwrap()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// The sentence of a process of a group that fails. Before it, the process may have waited for others.
fn failure(output: &Output) -> String {
    let said = said(output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let mut errors = said.lines().filter_map(|line| line.strip_prefix("error: "));
    let sentence = errors.next().unwrap_or_else(|| panic!("no error: {said}"));
    assert_eq!(errors.next(), None, "more than a sentence: {said}");
    sentence.to_owned()
}

/// Reads what a process prints until this is among it.
fn wait_until_said(child: &mut Child, what: &str) {
    let (stderr, mut said) = (child.stderr.as_mut().unwrap(), Vec::new());
    let mut byte = [0];
    while !said.ends_with(what.as_bytes()) {
        let read = stderr.read_exact(&mut byte);
        assert!(read.is_ok(), "no {what:?}: {}", String::from_utf8_lossy(&said));
        said.push(byte[0]);
    }
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

fn exists_soon(path: &Path) {
    wait_for(&path.display().to_string(), || path.exists());
}

/// What processes send each other is less than a kilobyte a document: no pages and texts.
fn assert_little_is_sent(sums: &[serde_json::Value]) {
    let channels = sums.iter().filter_map(|sum| sum["sent"].as_object());
    let sent: u64 = channels
        .flat_map(|sent| sent.values())
        .map(|bytes| bytes.as_u64().unwrap())
        .sum();
    assert!(sent <= 1000 * DOCUMENTS as u64, "{sent} bytes");
}

#[test]
fn any_number_of_processes_writes_the_same_bytes() {
    for options in [[].as_slice(), &["--no-templates", "--crawl", "a.b-1"]] {
        let setting = Setting::new(options);
        let expected = setting.alone();
        for (processes, workers) in [(1, "2"), (2, "2"), (3, "1")] {
            let out = setting.out(&format!("by {processes}"));
            let ended = setting.together(&out, processes, &["--workers", workers, "--json"]);
            assert_same(&out, &expected);
            let sums: Vec<serde_json::Value> = ended
                .iter()
                .map(|output| serde_json::from_slice(&output.stdout).unwrap())
                .collect();
            assert_eq!(sums[0]["documents"], DOCUMENTS);
            let others: u64 = sums[1..]
                .iter()
                .map(|sum| sum["documents"].as_u64().unwrap())
                .sum();
            assert!(
                processes == 1 || (1..DOCUMENTS as u64).contains(&others),
                "{others}"
            );
            for (process, sum) in sums.iter().enumerate().filter(|_| processes > 1) {
                assert_eq!(sum["process"], process, "{sum}");
                let sent = &sum["sent"];
                assert!(sent["records"].as_u64().unwrap() > 0, "{sent}");
                assert!(
                    (1..40_000).contains(&sent["progress"].as_u64().unwrap()),
                    "{sent}"
                );
            }
            assert_little_is_sent(&sums);
        }
        let again = setting.together(&setting.out("by 3"), 2, &[]);
        assert!(again.iter().all(|output| said(output).contains("nothing to do")));
        // Also then a process that is not on the list is a mistake.
        let other = end(setting.start(&setting.out("by 3"), &setting.hosts(2), 5, &[]));
        assert!(
            refusal(&other).ends_with("which has 2 lines: use --process 0 to 1"),
            "{}",
            said(&other)
        );
    }
}

/// Sites of many short blocks: enough for several units of each to be labelled.
fn many_blocks(folder: &Path) -> PathBuf {
    let crawl = folder.join("many");
    fs::create_dir(&crawl).unwrap();
    for shard in 0..3 {
        let archive = (0..40).fold(Archive::new(), |archive, number| {
            let items: String = (0..1500)
                .map(|item| format!("<li>Item {item} of {}</li>", number % 8))
                .collect();
            let page = format!(
                "<title>Page {number}</title><p>Page {number} of {shard} says so.</p><ul>{items}</ul>"
            );
            archive.page(&format!("http://m{}.example/{shard}/{number}", number % 8), page)
        });
        archive.write(&crawl, &format!("{shard}.warc.gz"));
    }
    crawl
}

#[test]
fn sites_are_mined_by_several_processes() {
    let mut setting = Setting::new(&[]);
    setting.crawl = many_blocks(setting.folder.path());
    let expected = setting.alone();
    assert!(rows(&setting.out("alone").join("templates")).len() >= 8);
    let out = setting.out("by 3");
    setting.together(&out, 3, &["--phase", "read"]);
    assert!(!out.join("templates").exists());
    setting.together(&out, 2, &[]);
    assert_same(&out, &expected);
}

/// What one process of a group says when another has gone.
#[track_caller]
fn assert_gone(output: &Output, who: &str) {
    let sentence = said(output);
    assert_eq!(output.status.code(), Some(2), "{sentence}");
    let word = sentence
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap_or_else(|| panic!("{sentence}"));
    assert!(word.starts_with(&format!("error: {who} (127.")), "{sentence}");
    assert!(
        word.ends_with("run the same command again on every machine to continue"),
        "{sentence}"
    );
    assert!(!sentence.contains("panicked"), "{sentence}");
}

#[test]
fn when_one_is_killed_the_others_end_and_the_next_start_goes_on() {
    for options in [[].as_slice(), &["--no-templates"]] {
        let setting = Setting::new(options);
        let expected = setting.alone();
        let out = setting.out("by 3");
        let wanted = if is_long() { 40 } else { 2 };
        let mut kills = 0;
        let mut random = Random::new(RandomState::new().hash_one(1));
        for _ in 0..10 * wanted {
            let victim = random.below(3);
            let more = random.below(6);
            let before = entries(&out);
            let mut group = setting.group(&out, 3, &["--workers", "1", "--connect-timeout", "4"]);
            wait_for_entries(&mut group[victim], &out, before + more);
            group[victim].kill().unwrap();
            let ended: Vec<Output> = group.into_iter().map(end).collect();
            if ended.iter().any(|output| output.status.success()) {
                // All was done when it was killed. The first leaves its lock then.
                drop(fs::remove_file(out.join("gleaner.lock")));
                assert_same(&out, &expected);
                fs::remove_dir_all(&out).unwrap();
                continue;
            }
            let others = ended.iter().filter(|output| output.status.code() == Some(2));
            let words: Vec<String> = others.map(said).collect();
            assert!(
                words
                    .iter()
                    .all(|said| said.contains("error: ") && !said.contains("panicked")),
                "{words:?}"
            );
            assert!(
                words
                    .iter()
                    .any(|said| said.contains(&format!("process {victim} ("))),
                "{words:?}"
            );
            kills += 1;
            if kills == wanted {
                break;
            }
        }
        assert!(kills > 0, "builds end before they are killed");
        let ended = setting.together(&out, 2, &["--workers", "2"]);
        assert_eq!(ended.len(), 2);
        assert_same(&out, &expected);
    }
}

/// Stands between processes: what is sent to a host of the list goes through it, until it is cut or stalled.
struct Proxy {
    port: u16,
    state: std::sync::Arc<std::sync::atomic::AtomicU8>,
}

const STALLED: u8 = 1;

impl Proxy {
    fn start(to: &str) -> Proxy {
        let to = to.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = std::sync::Arc::default();
        let proxy = Proxy {
            port,
            state: std::sync::Arc::clone(&state),
        };
        std::thread::spawn(move || {
            for from in listener.incoming().flatten() {
                let Ok(onward) = TcpStream::connect(&to) else {
                    continue;
                };
                for (mut one, mut other) in [
                    (from.try_clone().unwrap(), onward.try_clone().unwrap()),
                    (onward, from),
                ] {
                    let state = std::sync::Arc::clone(&state);
                    std::thread::spawn(move || pass(&mut one, &mut other, &state));
                }
            }
        });
        proxy
    }

    /// From now on nothing arrives any more, and nobody is told.
    fn stall(&self) {
        self.state.store(STALLED, std::sync::atomic::Ordering::SeqCst);
    }
}

fn pass(from: &mut TcpStream, to: &mut TcpStream, state: &std::sync::atomic::AtomicU8) {
    let mut bytes = [0; 4096];
    loop {
        let read = from.read(&mut bytes).unwrap_or(0);
        let is_stalled = state.load(std::sync::atomic::Ordering::SeqCst) == STALLED;
        if is_stalled {
            continue;
        }
        if read == 0 || to.write_all(&bytes[..read]).is_err() {
            drop(to.shutdown(std::net::Shutdown::Both));
            return;
        }
    }
}

#[test]
fn one_that_is_cut_off_is_given_up() {
    let setting = Setting::new(&[]);
    let expected = setting.alone();
    let out = setting.out("by 2");
    let own = addresses(2);
    let proxy = Proxy::start(&own[0]);
    // Each sees the other behind the proxy; both have the same list, so the first listens where it leads.
    let hosts = setting.folder.path().join("hosts");
    fs::write(&hosts, format!("127.0.0.1:{}\n{}\n", proxy.port, own[1])).unwrap();
    let first = setting.folder.path().join("hosts of the first");
    fs::write(&first, format!("{}\n{}\n", own[0], own[1])).unwrap();
    let options = ["--workers", "1", "--peer-timeout", "1"];
    let group = vec![
        setting.start(&out, &first, 0, &options),
        setting.start(&out, &hosts, 1, &options),
    ];
    exists_soon(&out.join(".staging/run"));
    proxy.stall();
    let ended: Vec<Output> = group.into_iter().map(end).collect();
    for (output, other) in ended.iter().zip(["process 1", "process 0"]) {
        assert_gone(output, other);
        assert!(
            said(output).contains("was given up after 1 seconds without a message"),
            "{}",
            said(output)
        );
    }
    setting.together(&out, 3, &[]);
    assert_same(&out, &expected);
}

#[test]
fn one_that_is_paused_is_waited_for() {
    let setting = Setting::new(&[]);
    let expected = setting.alone();
    let out = setting.out("by 2");
    let mut group = setting.group(&out, 2, &["--workers", "1", "--peer-timeout", "4"]);
    exists_soon(&out.join(".staging/run"));
    signal(&group[1], "-STOP");
    wait_until_said(&mut group[0], "waiting for process 1 (127.");
    wait_until_said(&mut group[0], ": no message for 2 seconds\n");
    signal(&group[1], "-CONT");
    for output in group.into_iter().map(end) {
        assert!(output.status.success(), "{}", said(&output));
    }
    assert_same(&out, &expected);

    let out = setting.out("given up");
    let mut group = setting.group(&out, 2, &["--workers", "1", "--peer-timeout", "1"]);
    exists_soon(&out.join(".staging/run"));
    let paused = group.pop().unwrap();
    signal(&paused, "-STOP");
    assert_gone(&end(group.remove(0)), "process 1");
    signal(&paused, "-CONT");
    let paused = end(paused);
    assert_eq!(paused.status.code(), Some(2), "{}", said(&paused));
    setting.together(&out, 2, &[]);
    assert_same(&out, &expected);
}

#[test]
fn one_that_does_not_come_is_named() {
    let setting = Setting::new(&[]);
    let hosts = setting.folder.path().join("hosts");
    let [first, last] = &addresses(2)[..] else {
        unreachable!()
    };
    let lines = format!("{first}\nno-such-host.invalid:7 # a typing error\n{last}\n");
    fs::write(&hosts, lines).unwrap();
    let options = ["--connect-timeout", "2"];
    let start = |process| setting.start_with(Some("open"), &setting.out("out"), &hosts, process, &options);
    let group = [0, 2].map(start);
    for output in group.map(end) {
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("waiting for process 1 (no-such-host.invalid:7)"),
            "{said}"
        );
        let is_told =
            said.contains("error: gave up waiting after 2 seconds for process 1 (no-such-host.invalid:7)");
        assert!(
            is_told || said.contains(" has stopped: gave up waiting after 2 seconds"),
            "{said}"
        );
    }
    assert!(!setting.out("out").exists());
}

/// The same command where `names` is the list of hosts that the system knows. None where the system does not allow it.
fn among_names(command: &Command, names: &Path) -> Option<Command> {
    const BIND: &str = "mount --bind \"$0\" /etc/hosts && exec \"$@\"";
    let own = |arguments: &[&OsStr]| {
        let mut own = Command::new("unshare");
        own.args(["--map-root-user", "--mount", "sh", "-c", BIND])
            .arg(names)
            .args(arguments);
        own
    };
    let works = own(&[OsStr::new("true")])
        .output()
        .is_ok_and(|output| output.status.success());
    let arguments: Vec<&OsStr> = std::iter::once(command.get_program())
        .chain(command.get_args())
        .collect();
    works.then(|| own(&arguments))
}

#[test]
fn a_host_whose_name_is_known_late_is_waited_for() {
    let setting = Setting::new(&[]);
    let (out, names) = (setting.out("by 2"), setting.folder.path().join("names"));
    fs::write(&names, "127.0.0.1 localhost\n").unwrap();
    let (first, hosts) = (
        setting.hosts(2),
        setting.folder.path().join("hosts of the second"),
    );
    let known = fs::read_to_string(&first).unwrap();
    let (address, _) = known.split_once(':').unwrap();
    fs::write(&hosts, known.replacen(address, "late.invalid", 1)).unwrap();
    let mut second = setting.command(&out);
    second
        .arg("--hosts")
        .arg(&hosts)
        .args(["--process", "1", "--connect-timeout", "10"]);
    let Some(mut second) = among_names(&second, &names) else {
        return eprintln!("skipped: no mounts of one's own are allowed here");
    };
    let expected = setting.alone();
    let mut second = second
        .env("GLEANER_SECRET", "open")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let first = setting.start_with(Some("open"), &out, &first, 0, &[]);
    wait_until_said(&mut second, "waiting for process 0 (late.invalid:");
    fs::write(&names, format!("127.0.0.1 localhost\n{address} late.invalid\n")).unwrap();
    let [first, second] = [first, second].map(end);
    for output in [&first, &second] {
        assert!(output.status.success(), "{}", said(output));
    }
    assert_same(&out, &expected);
}

#[test]
fn a_group_is_of_one_mind() {
    let setting = Setting::new(&[]);
    let expected = setting.alone();
    let out = setting.out("by 2");
    let hosts = setting.hosts(2);
    let first = setting.start(&out, &hosts, 0, &[]);
    let other = end(setting.start(&out, &hosts, 1, &["--favor", "recall"]));
    let sentence = said(&other);
    assert_eq!(other.status.code(), Some(2), "{sentence}");
    assert!(
        sentence.contains(
            " refused this process: favor: 'balanced' in the other process, 'recall' in this process"
        ),
        "{sentence}"
    );
    let second = setting.start(&out, &hosts, 1, &[]);
    for output in [first, second].map(end) {
        assert!(output.status.success(), "{}", said(&output));
    }
    assert_same(&out, &expected);
}

#[test]
fn one_group_writes_at_a_time() {
    let setting = Setting::new(&[]);
    let out = setting.out("by 2");
    let group = setting.group(&out, 2, &["--workers", "1"]);
    exists_soon(&out.join("gleaner.json"));
    for child in &group {
        signal(child, "-STOP");
    }
    let alone = setting.command(&out).output().unwrap();
    assert!(
        refusal(&alone).contains(" is being written by process "),
        "{}",
        said(&alone)
    );
    let others: Vec<Output> = setting.group(&out, 2, &[]).into_iter().map(end).collect();
    assert!(
        failure(&others[0]).contains(" is being written by process "),
        "{}",
        said(&others[0])
    );
    assert!(
        said(&others[1]).contains("error: process 0 (127."),
        "{}",
        said(&others[1])
    );
    assert!(said(&others[1]).contains("has stopped: "), "{}", said(&others[1]));
    assert!(
        said(&others[1]).contains(" is being written by process "),
        "{}",
        said(&others[1])
    );
    for child in &group {
        signal(child, "-CONT");
    }
    for output in group.into_iter().map(end) {
        assert!(output.status.success(), "{}", said(&output));
    }
}

#[test]
fn a_bad_list_of_hosts_is_refused() {
    let setting = Setting::new(&[]);
    let out = setting.out("out");
    let hosts = setting.folder.path().join("hosts");
    for (text, process, sentence) in [
        (
            "a:1\nb\n",
            0,
            "hosts' line 2: 'b' has no port: write a host and a port, such as crawler1:2101",
        ),
        (
            "a:1\na:1\n",
            0,
            "hosts' line 2: 'a:1' is process 0 already: name each host and port once",
        ),
        ("a:1\nb:1\n", 2, "hosts', which has 2 lines: use --process 0 to 1"),
        (
            "\n# none\n",
            0,
            "hosts' has no host: write one line host:port per process",
        ),
    ] {
        fs::write(&hosts, text).unwrap();
        let said = failure(&end(setting.start(&out, &hosts, process, &[])));
        assert!(said.ends_with(sentence), "{said}");
    }
    assert!(!out.exists());
}

/// Everybody is refused who does not know the secret, and the group waits for the right one.
#[test]
fn a_process_with_another_secret_is_refused() {
    let setting = Setting::new(&[]);
    let expected = setting.alone();
    let (out, hosts) = (setting.out("by 2"), setting.hosts(2));
    let file = setting.folder.path().join("secret");
    fs::write(&file, "open sesame\n").unwrap();
    let by_file = ["--secret-file", file.to_str().unwrap()];
    let first = setting.start_with(Some("is not looked at"), &out, &hosts, 0, &by_file);
    for (secret, what) in [
        (Some("open"), "it has another secret"),
        (None, "it has a secret, and this process has none"),
    ] {
        let sentence = failure(&end(setting.start_with(secret, &out, &hosts, 1, &[])));
        assert!(sentence.starts_with("process 0 (127."), "{sentence}");
        let mend = format!(
            "refused this process: {what}; give all processes the same, in GLEANER_SECRET or by --secret-file"
        );
        assert!(sentence.ends_with(&mend), "{sentence}");
        assert!(!sentence.contains("open"), "{sentence}");
    }
    let second = setting.start_with(Some("open sesame"), &out, &hosts, 1, &[]);
    let [first, second] = [first, second].map(end);
    for output in [&first, &second] {
        assert!(output.status.success(), "{}", said(output));
    }
    let warnings = said(&first);
    assert!(
        warnings.contains("warning: refused a call from 127."),
        "{warnings}"
    );
    assert!(
        warnings.contains("it calls itself process 1, and it has another secret; give all"),
        "{warnings}"
    );
    assert!(!warnings.contains("sesame"), "{warnings}");
    assert_same(&out, &expected);
}

#[test]
fn the_side_that_is_called_without_a_secret_says_so() {
    let setting = Setting::new(&[]);
    let (out, hosts) = (setting.out("by 2"), setting.hosts(2));
    let first = setting.start(&out, &hosts, 0, &["--connect-timeout", "4"]);
    let second = end(setting.start_with(Some("open"), &out, &hosts, 1, &[]));
    let sentence = failure(&second);
    assert!(
        sentence.contains("it has no secret, and this process has one"),
        "{sentence}"
    );
    let first = said(&end(first));
    assert!(
        first.contains("and it has a secret, and this process has none; give all"),
        "{first}"
    );
    assert!(
        first.contains("error: gave up waiting after 4 seconds for process 1"),
        "{first}"
    );
    assert!(!out.exists());
}

/// Threads of a process, where the system tells.
fn threads(process: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.id())).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:")?.trim().parse().ok())
}

/// Those who say nothing, or what no process says, get neither a thread nor memory, and keep nobody out.
#[test]
fn strangers_keep_nobody_out() {
    let setting = Setting::new(&[]);
    let expected = setting.alone();
    let (out, hosts) = (setting.out("by 2"), setting.hosts(2));
    let address = fs::read_to_string(&hosts).unwrap();
    let address = address.lines().next().unwrap();
    let first = setting.start_with(Some("open"), &out, &hosts, 0, &[]);
    wait_for("process 0", || TcpStream::connect(address).is_ok());
    let before = threads(&first);
    let silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(address).unwrap()).collect();
    // What a process of an older version says, which has the length of a message in it.
    let mut older = TcpStream::connect(address).unwrap();
    let mut hello = b"gleaner\x01".to_vec();
    hello.extend_from_slice(&[0xff; 64]);
    older.write_all(&hello).unwrap();
    let mut answer = Vec::new();
    // (It may be closed so fast that what was sent is not read.)
    drop(older.read_to_end(&mut answer));
    assert!(answer.is_empty(), "{answer:?}");
    let during = threads(&first);
    assert!(
        during <= before.map(|before| before + 1),
        "{before:?} threads, and then {during:?}"
    );
    let second = setting.start_with(Some("open"), &out, &hosts, 1, &[]);
    for output in [first, second].map(end) {
        assert!(output.status.success(), "{}", said(&output));
    }
    drop(silent);
    assert_same(&out, &expected);
}

#[test]
fn other_machines_need_a_secret() {
    let setting = Setting::new(&[]);
    let out = setting.out("out");
    let hosts = setting.folder.path().join("hosts");
    fs::write(&hosts, "127.0.0.1:2101\ncrawler2:2101\n").unwrap();
    let sentence = refusal(&end(setting.start(&out, &hosts, 0, &[])));
    assert!(
        sentence.starts_with("'crawler2:2101' in '")
            && sentence.contains("' is another machine, so the processes need a secret: set GLEANER_SECRET"),
        "{sentence}"
    );
    let sentence = refusal(&end(setting.start_with(Some(""), &out, &hosts, 0, &[])));
    assert!(
        sentence.starts_with("the secret in GLEANER_SECRET is empty"),
        "{sentence}"
    );
    let sentence = refusal(&end(setting.start(
        &out,
        &hosts,
        0,
        &["--secret-file", "nowhere"],
    )));
    assert!(
        sentence.starts_with("could not read the secret in 'nowhere': "),
        "{sentence}"
    );
    assert!(!out.exists());
}
