//! `gleaner annotate`, driven as a person drives it: keys into a terminal, a screen to look at, and
//! the file that is left in the end.

use std::fs;
use std::path::{Path, PathBuf};

use gleaner_testing::process::wait_for;
use gleaner_testing::warc::{Archive, SENTENCE, article};
use tempfile::TempDir;

use crate::support::{files, refusal, run, said};
use crate::terminal::{Terminal, send};

const SIZE: (u16, u16) = (100, 30);

/// A page to label and a folder for the labels.
struct Desk {
    folder: TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn with_page() -> Desk {
        let desk = Desk::new();
        fs::write(desk.input(), article()).unwrap();
        desk
    }

    fn input(&self) -> PathBuf {
        self.folder.path().join("page.html")
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("notes")
    }

    fn start(&self, input: &Path, options: &[&str]) -> Terminal {
        self.start_on(SIZE, input, options, &[])
    }

    fn start_on(
        &self,
        size: (u16, u16),
        input: &Path,
        options: &[&str],
        variables: &[(&str, &str)],
    ) -> Terminal {
        let notes = self.notes();
        let mut arguments = vec![Path::new("annotate"), input, Path::new("--out"), &notes];
        arguments.extend(options.iter().map(Path::new));
        Terminal::start(&arguments, size, variables)
    }

    /// The only annotation file.
    fn file(&self) -> PathBuf {
        let files = files(&self.notes());
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].clone()
    }

    /// Labels and who decided, block by block.
    fn labels(&self) -> Vec<String> {
        let text = fs::read_to_string(self.file()).unwrap();
        let blocks = text.split_once("\n\n").unwrap().1.lines();
        let label = |line: &str| line.splitn(3, '\t').take(2).collect::<Vec<_>>().join(" ");
        blocks.map(label).collect()
    }
}

#[test]
fn keys_become_labels_in_a_file() {
    let desk = Desk::with_page();
    let mut terminal = desk.start(&desk.input(), &[]);
    terminal.wait_for("0 of 12 blocks, 0 of 1 pages done");
    assert!(
        terminal.text().contains("A diary of the tides"),
        "{}",
        terminal.text()
    );
    terminal.press("oooh");
    terminal.wait_for("4 of 12 blocks");
    // Five paragraphs as a range: the first on its own, and the rest of the menu accepted.
    terminal.press("v4jp");
    terminal.wait_for("9 of 12 blocks");
    terminal.press("pu");
    terminal.wait_for("1 block undone");
    terminal.press("ooo");
    terminal.wait_for("1 of 1 pages done");
    terminal.press("q");
    assert!(terminal.end().success());
    assert!(terminal.is_given_back(), "{}", terminal.text());
    let expected = [
        vec!["other hand"; 3],
        vec!["header hand"],
        vec!["paragraph hand"; 5],
        vec!["other hand"; 3],
    ];
    assert_eq!(desk.labels(), expected.concat());
    let text = fs::read_to_string(desk.file()).unwrap();
    for line in [
        "gleaner annotations 1\n",
        "source: ../page.html\n",
        "annotator: jo\n",
        "suggestions: default ",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    let score = run(["eval".as_ref(), desk.notes().as_os_str()]);
    let scores = String::from_utf8(score.stdout.clone()).unwrap();
    assert!(
        score.status.success() && said(&score).is_empty(),
        "{}",
        said(&score)
    );
    assert!(scores.contains("1 pages"), "{scores}");
}

#[test]
fn a_killed_program_has_lost_nothing() {
    let desk = Desk::with_page();
    let mut terminal = desk.start(&desk.input(), &[]);
    terminal.wait_for("0 of 12 blocks");
    terminal.press("ooo");
    terminal.wait_for("3 of 12 blocks");
    terminal.signal("-KILL");
    terminal.end();
    assert_eq!(
        desk.labels()[..4],
        ["other hand", "other hand", "other hand", "undecided -"]
    );
    let mut again = desk.start(&desk.input(), &[]);
    again.wait_for("3 of 12 blocks");
    again.wait_for(">  4".replace("  ", " ").as_str());
    again.press("hq");
    assert!(again.end().success());
    assert_eq!(desk.labels()[3], "header hand");
}

#[test]
fn signals_end_it_with_the_terminal_given_back() {
    for (signal, number) in [("-TERM", 15), ("-INT", 2), ("-HUP", 1)] {
        let desk = Desk::with_page();
        let (input, notes) = (desk.input(), desk.notes());
        let arguments = [Path::new("annotate"), &input, Path::new("--out"), &notes];
        let script = "\"$0\" \"$@\"; echo status $?; stty -a";
        let mut terminal = Terminal::shell(script, &arguments, SIZE);
        terminal.wait_for("0 of 12 blocks");
        terminal.press("o");
        terminal.wait_for("1 of 12 blocks");
        let shell = terminal.process();
        let children = fs::read_to_string(format!("/proc/{shell}/task/{shell}/children")).unwrap();
        send(signal, children.trim().parse().unwrap());
        terminal.wait_for(&format!("status {}", 128 + number));
        terminal.end();
        assert!(terminal.is_given_back(), "{}", terminal.text());
        let modes = terminal.text();
        let is_set = |mode: &str| modes.split([' ', '\n', ';']).any(|word| word == mode);
        assert!(is_set("icanon") && is_set("echo") && is_set("isig"), "{modes}");
        assert_eq!(desk.labels()[0], "other hand");
    }
}

#[test]
fn it_can_be_suspended_and_resumed() {
    let desk = Desk::with_page();
    let mut terminal = desk.start(&desk.input(), &[]);
    terminal.wait_for("0 of 12 blocks");
    terminal.press("\u{1a}");
    terminal.wait("screen of the shell", |screen| !screen.alternate_screen());
    let stat = format!("/proc/{}/stat", terminal.process());
    wait_for("stopped process", || {
        fs::read_to_string(&stat).unwrap().contains(") T ")
    });
    terminal.signal("-CONT");
    terminal.wait("screen of its own", |screen| {
        screen.alternate_screen() && screen.contents().contains("0 of 12 blocks")
    });
    terminal.press("q");
    assert!(terminal.end().success() && terminal.is_given_back());
}

#[test]
fn what_is_no_terminal_is_refused() {
    let desk = Desk::with_page();
    let (input, notes) = (desk.input(), desk.notes());
    let sentence = refusal(&run([Path::new("annotate"), &input, Path::new("--out"), &notes]));
    assert_eq!(
        sentence,
        "gleaner annotate needs a terminal, and standard input and output are not one: run it in a terminal"
    );
    assert!(!notes.exists());
}

#[test]
fn requests_that_cannot_be_carried_out_leave_the_terminal_alone() {
    let desk = Desk::with_page();
    let archive = Archive::new()
        .page("http://a.example/", article())
        .page("http://b.example/", article())
        .write(desk.folder.path(), "crawl.warc.gz");
    let refused = |input: &Path, options: &[&str], expected: &str| {
        let mut terminal = desk.start_on((200, 10), input, options, &[]);
        assert_eq!(terminal.end().exit_code(), 2);
        assert!(
            terminal.text().contains(expected),
            "no {expected} in {}",
            terminal.text()
        );
        assert!(!String::from_utf8_lossy(&terminal.bytes()).contains("\u{1b}[?1049h"));
    };
    refused(
        Path::new("nowhere.html"),
        &[],
        "no such file or folder: 'nowhere.html'",
    );
    refused(
        &archive,
        &["--page", "http://c.example/"],
        "no page 'http://c.example/' among 2",
    );
    let one = desk.folder.path().join("one.anno");
    let notes = one.to_str().unwrap();
    let mut terminal = Terminal::start(
        &[Path::new("annotate"), &archive, Path::new("--out"), &one],
        (200, 10),
        &[],
    );
    assert_eq!(terminal.end().exit_code(), 2);
    assert!(
        terminal
            .text()
            .contains("and there are 2: name a folder, or choose with --page"),
        "{notes}"
    );
    fs::create_dir_all(desk.notes()).unwrap();
    fs::write(
        desk.notes().join("bad.anno"),
        "gleaner annotations 1\n\nnoise\thand\tp\tx\n",
    )
    .unwrap();
    refused(&archive, &[], "bad.anno, line 3: there is no label \"noise\"");
    refused(
        Path::new("s3://bucket/crawl.warc.gz"),
        &[],
        "'s3://bucket/crawl.warc.gz' is not on this machine",
    );
    refused(
        &archive,
        &["--convention", "dragonet"],
        "the model knows no convention 'dragonet' (it knows cleaneval, dragnet, wcxb)",
    );
}

#[test]
fn pages_of_an_archive_are_labelled_one_after_the_other() {
    let desk = Desk::new();
    let second = article().replace("A diary of the tides", "Another diary");
    let archive = Archive::new()
        .page("http://a.example/", article())
        .response("http://a.example/logo", "Content-Type: image/png\r\n", "no page")
        .page("http://b.example/", second)
        .write(desk.folder.path(), "crawl.warc.gz");
    let mut terminal = desk.start(&archive, &[]);
    terminal.wait_for("1/2 http://a.example/");
    terminal.press("A");
    terminal.wait_for("every block is labelled: } opens the next page");
    terminal.press("}");
    terminal.wait_for("2/2 http://b.example/");
    terminal.wait_for("Another diary");
    terminal.press("oA");
    terminal.wait_for("2 of 2 pages done");
    terminal.press("q");
    assert!(terminal.end().success());
    assert_eq!(files(&desk.notes()).len(), 2);
    let output = run(["eval".as_ref(), desk.notes().as_os_str()]);
    assert!(said(&output).is_empty(), "{}", said(&output));
    let mut only = desk.start(&archive, &["--page", "http://b.example/", "--annotator", "al"]);
    only.wait_for("1/1 http://b.example/");
    only.wait_for("1 of 1 pages done");
    only.press("xq");
    assert!(only.end().success());
    let texts: Vec<String> = files(&desk.notes())
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect();
    assert_eq!(
        texts
            .iter()
            .filter(|text| text.contains("annotator: al\n"))
            .count(),
        1,
        "{texts:?}"
    );
    assert!(
        texts
            .iter()
            .all(|text| text.contains("record: <urn:uuid:") && text.contains("source: ../crawl.warc.gz"))
    );
}

#[test]
fn the_least_certain_page_comes_first_where_that_is_asked_for() {
    let desk = Desk::new();
    let doubtful: String = (0..30)
        .map(|line| format!("<div>Tide {line}<br>{SENTENCE} {line}</div>"))
        .collect();
    let archive = Archive::new()
        .page("http://sure.example/", article())
        .page(
            "http://doubtful.example/",
            format!("<table><tr><td>{doubtful}</table>"),
        )
        .write(desk.folder.path(), "crawl.warc.gz");
    let first = |options: &[&str]| {
        let mut terminal = desk.start(&archive, options);
        terminal.wait_for("1/2 http://");
        let page = terminal.text().lines().next().unwrap().to_owned();
        terminal.press("q");
        assert!(terminal.end().success());
        page
    };
    let (given, uncertain) = (first(&[]), first(&["--order", "uncertain"]));
    assert!(given.contains("sure.example"), "{given}");
    assert!(uncertain.contains("doubtful.example"), "{uncertain}");
    // Nothing was labelled, and nothing written.
    assert!(files(&desk.notes()).is_empty());
}

#[test]
fn a_page_that_has_changed_keeps_its_labels() {
    let desk = Desk::with_page();
    let mut terminal = desk.start(&desk.input(), &[]);
    terminal.wait_for("0 of 12 blocks");
    terminal.press("A");
    terminal.wait_for("12 of 12 blocks");
    terminal.press("q");
    terminal.end();
    let changed = article()
        .replace("<h1>A diary of the tides</h1>", "<h1>Tide tables</h1>")
        .replacen("the harbour master", "the harbour<br>master", 1);
    fs::write(desk.input(), changed).unwrap();
    let mut terminal = desk.start(&desk.input(), &[]);
    terminal
        .wait_for("the page has changed: 1 blocks are new, 1 labelled blocks are gone (kept as unmatched)");
    terminal.wait_for("11 of 12 blocks");
    terminal.press("h");
    terminal.wait_for("12 of 12 blocks");
    terminal.press("q");
    assert!(terminal.end().success());
    let text = fs::read_to_string(desk.file()).unwrap();
    assert!(
        text.contains("header\thand\thtml/body/main/h1\tTide tables"),
        "{text}"
    );
    let (_, unmatched) = text.split_once("\nunmatched\n").unwrap();
    assert!(unmatched.contains("\tA diary of the tides"), "{text}");
}

#[test]
fn a_file_that_somebody_else_changed_is_not_overwritten_unasked() {
    let desk = Desk::with_page();
    let mut terminal = desk.start(&desk.input(), &[]);
    terminal.wait_for("0 of 12 blocks");
    terminal.press("o");
    terminal.wait_for("1 of 12 blocks");
    let path = desk.file();
    let text = fs::read_to_string(&path).unwrap() + "# a remark\n";
    fs::write(&path, &text).unwrap();
    terminal.press("o");
    terminal.wait_for("was changed by another program; ! overwrites it");
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    terminal.press("!");
    terminal.wait("a screen that is saved", |screen| {
        !screen.contents().contains("not saved")
    });
    terminal.press("q");
    assert!(terminal.end().success());
    assert_eq!(desk.labels()[1], "other hand");
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let desk = Desk::with_page();
    let mut terminal = desk.start_on((20, 5), &desk.input(), &["--render"], &[]);
    terminal.wait_for("0/12");
    terminal.press("jjj");
    terminal.wait_for("A diary of the");
    terminal.resize((120, 30));
    terminal.wait_for("0 of 12 blocks, 0 of 1 pages done");
    terminal.wait_for("│ The harbour master has kept");
    terminal.resize((7, 3));
    terminal.wait("a small screen", |screen| {
        screen.contents().starts_with(" 1/1") || screen.contents().contains("0/12")
    });
    terminal.press("q");
    assert!(terminal.end().success() && terminal.is_given_back());
}

#[test]
fn colours_are_left_out_where_nobody_wants_them() {
    let desk = Desk::with_page();
    let coloured = |variables: &[(&str, &str)]| {
        let mut terminal = desk.start_on(SIZE, &desk.input(), &[], variables);
        terminal.wait_for("para");
        terminal.press("q");
        terminal.end();
        let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
        bytes.contains("\u{1b}[38;5;")
    };
    assert!(coloured(&[]) && !coloured(&[("NO_COLOR", "1")]));
}

#[test]
fn blind_work_sees_no_suggestions() {
    let desk = Desk::with_page();
    let mut terminal = desk.start(&desk.input(), &["--blind", "--render"]);
    terminal.wait_for("0 of 12 blocks");
    assert!(!terminal.text().contains('%'), "{}", terminal.text());
    terminal.press("a");
    terminal.wait_for("nothing is suggested here");
    terminal.press("oq");
    assert!(terminal.end().success());
    assert!(
        fs::read_to_string(desk.file())
            .unwrap()
            .contains("\nsuggestions: none\n")
    );
}

#[test]
fn suggestions_are_those_of_a_convention() {
    let shown = |name: &str| {
        let desk = Desk::with_page();
        let mut terminal = desk.start(&desk.input(), &["--convention", name]);
        terminal.wait_for("0 of 12 blocks");
        let shown = terminal.text();
        terminal.press("oq");
        assert!(terminal.end().success());
        let written = fs::read_to_string(desk.file()).unwrap();
        let header = written.lines().find(|line| line.starts_with("suggestions: "));
        assert!(
            header.is_some_and(|line| line.ends_with(&format!(", convention {name}"))),
            "{written}"
        );
        shown
    };
    let (dragnet, cleaneval) = (shown("dragnet"), shown("cleaneval"));
    assert_ne!(dragnet, cleaneval);
}

#[test]
fn a_hostile_page_cannot_steer_the_terminal() {
    let desk = Desk::new();
    let page = format!(
        "<title>\u{1b}]0;pwned\u{7}</title><p>\u{1b}[2J\u{1b}]52;c;AAAA\u{7} &#27;[?1049l \u{202e}turned</p><p>a{}</p>",
        "\u{301}".repeat(10_000)
    );
    fs::write(desk.input(), page).unwrap();
    let mut terminal = desk.start(&desk.input(), &["--render"]);
    terminal.wait_for("0 of 2 blocks");
    terminal.press("pz");
    terminal.wait_for("Esc closes");
    terminal.press("qq");
    assert!(terminal.end().success());
    let bytes = String::from_utf8_lossy(&terminal.bytes()).into_owned();
    for harm in ["\u{1b}]", "\u{7}", "\u{202e}", "\u{1b}[2J\u{1b}]"] {
        assert!(!bytes.contains(harm), "{harm:?} was written");
    }
    assert_eq!(bytes.matches("\u{1b}[?1049l").count(), 1);
    assert!(bytes.len() < 100_000, "{} bytes", bytes.len());
}

#[test]
fn ten_thousand_blocks_are_no_burden() {
    let desk = Desk::new();
    let page: String = (0..10_000)
        .map(|line| format!("<p>{SENTENCE}, line {line} of many.</p>\n"))
        .collect();
    fs::write(desk.input(), page).unwrap();
    let mut terminal = desk.start(&desk.input(), &["--render"]);
    terminal.wait_for("0 of 10000 blocks");
    terminal.press(&"jjjjjjjjjj\u{1b}[6~".repeat(20));
    terminal.press("9000G");
    terminal.wait("block 9000", |screen| screen.contents().contains("> 9000"));
    terminal.press("poA");
    terminal.wait_for("10000 of 10000 blocks");
    terminal.press("q");
    assert!(terminal.end().success());
    assert_eq!(desk.labels().len(), 10_000);
}

#[test]
fn labels_from_gold_text_are_there_to_be_corrected() {
    let desk = Desk::new();
    let archive = Archive::new()
        .page("http://a.example/", article())
        .write(desk.folder.path(), "some.warc.gz");
    let mut terminal = desk.start(&archive, &[]);
    terminal.wait_for("0 of 12 blocks");
    terminal.press("xoq");
    terminal.end();
    let id = fs::read_to_string(desk.file()).unwrap();
    let id = id
        .split_once("record: ")
        .unwrap()
        .1
        .lines()
        .next()
        .unwrap()
        .to_owned();
    fs::remove_dir_all(desk.notes()).unwrap();

    let gold = desk.folder.path().join("some.gold.jsonl");
    let text = format!("A diary of the tides. {}", format!("{SENTENCE}. ").repeat(4));
    let line = serde_json::json!({"record_id": id.trim_matches(['<', '>']), "url": "http://a.example/", "text": text});
    fs::write(&gold, line.to_string()).unwrap();
    let align = || {
        let notes = desk.notes();
        run([
            "align".as_ref(),
            gold.as_os_str(),
            "--annotations".as_ref(),
            notes.as_os_str(),
        ])
    };
    let said_of = |output| {
        said(&output)
            .trim_end()
            .rsplit_once("notes; ")
            .unwrap()
            .1
            .to_owned()
    };
    assert_eq!(said_of(align()), "0 existed already");
    assert!(
        desk.labels().iter().all(|label| label.ends_with(" aligned")),
        "{:?}",
        desk.labels()
    );
    let mut terminal = desk.start(&archive, &[]);
    terminal.wait_for("0 of 12 blocks");
    terminal.wait_for("other~");
    terminal.press("aoA");
    terminal.wait_for("12 of 12 blocks");
    terminal.press("q");
    assert!(terminal.end().success());
    let labels = desk.labels();
    assert_eq!(labels[..2], ["other accepted", "other hand"]);
    assert!(labels.contains(&"header accepted".to_owned()), "{labels:?}");
    assert_eq!(said_of(align()), "1 existed already");
    assert_eq!(desk.labels(), labels);
}
