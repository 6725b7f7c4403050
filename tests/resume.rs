//! Builds that are killed, that run out of disk, that are done: the same command goes on, and the tables are
//! those of a build that nothing happened to.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use gleaner_testing::Random;
use gleaner_testing::process::wait_for;
use gleaner_testing::warc::Archive;

use crate::support::{assert_printed, done_in, files, gleaner, is_long, on_disk_of, refusal, said};

const SITES: usize = 5;
const PAGES_OF_A_SHARD: usize = 30;
const SHARDS: usize = 8;

/// Documents of the crawl: one is behind the damage.
pub(crate) const DOCUMENTS: usize = SHARDS * PAGES_OF_A_SHARD + 1;

/// Input of a part: there are a dozen parts or two. And pages of a chunk.
const PART: &str = "16KiB";
const CHUNK: &str = "32";

/// A page of a site: a menu that its other pages have too, and paragraphs of its own.
fn page(site: usize, number: usize) -> String {
    let menu: String = (0..12)
        .map(|item| format!("<li><a href=/{item}>Department {item} of house {site}</a></li>"))
        .collect();
    let mut random = Random::from_page(number);
    let paragraph = |_| format!("<p>{}.</p>\n", random.words(40));
    let paragraphs: String = (0..3 + number % 12).map(paragraph).collect();
    format!(
        "<html lang=en><title>Page {number}</title><ul>{menu}</ul><h1>Page {number} of house {site}</h1>{paragraphs}\
         <p>All rights of house {site} are reserved</p></html>"
    )
}

/// A crawl of some shards, one of them damaged.
pub(crate) fn crawl(folder: &Path) -> PathBuf {
    let crawl = folder.join("crawl");
    fs::create_dir(&crawl).unwrap();
    for shard in 0..SHARDS {
        let numbers = shard * PAGES_OF_A_SHARD..(shard + 1) * PAGES_OF_A_SHARD;
        let mut archive = numbers.fold(Archive::new(), |archive, number| {
            let site = number % SITES;
            archive.page(&format!("http://s{site}.example/{number}"), page(site, number))
        });
        if shard == 3 {
            archive = archive
                .raw(b"this is no record")
                .page("http://last.example/", page(0, 7));
        }
        archive.write(&crawl, &format!("{shard}.warc.gz"));
    }
    crawl
}

fn command(crawl: &Path, out: &Path, options: &[&str]) -> Command {
    let mut command = gleaner();
    command.arg("build").arg(crawl).arg("--out").arg(out);
    command
        .args(["--blocks", "--posts", "--part-size", PART, "--chunk-size", CHUNK])
        // Two sites have a page with the same paragraphs.
        .args(["--repeats", "2"])
        .args(options);
    command
}

/// All files of a folder, by name.
pub(crate) fn contents(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let named = files(out).into_iter().map(|path| {
        let name = path.strip_prefix(out).unwrap().to_str().unwrap().to_owned();
        (name, fs::read(&path).unwrap())
    });
    named.collect()
}

#[track_caller]
pub(crate) fn assert_same(out: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let found = contents(out);
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (name, bytes) in expected {
        assert!(found[name] == *bytes, "{name} differs");
    }
}

/// What a reader sees of an unfinished corpus is as it will be at the end.
fn assert_beginning(out: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    let visible = contents(out).into_iter().filter(|(name, _)| {
        !name.split('/').any(|piece| piece.starts_with('.')) && name.ends_with(".parquet")
    });
    for (name, bytes) in visible {
        assert!(expected[&name] == bytes, "{name} is not as it will be");
    }
}

/// How many chunks a build has.
fn chunks(files: &BTreeMap<String, Vec<u8>>) -> usize {
    let is_one = |name: &&String| name.starts_with("documents/") && name.ends_with(".parquet");
    files.keys().filter(is_one).count()
}

/// What a build writes that nothing happens to.
fn undisturbed(crawl: &Path, out: &Path, options: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let output = command(crawl, out, options).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let contents = contents(out);
    let chunks = chunks(&contents);
    assert!(chunks >= 4, "{chunks} chunks");
    let marker: serde_json::Value = serde_json::from_slice(&contents["gleaner.json"]).unwrap();
    assert!(marker["totals"]["repeats"].as_u64() > Some(1), "{marker}");
    contents
}

/// Kills a build at this number of moments. Gives how far it was at each.
fn kill_at_random(kills: usize, options: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let expected = undisturbed(&crawl, &folder.path().join("undisturbed"), options);
    let mut random = Random::new(RandomState::new().hash_one(0));
    let mut moments: Vec<String> = Vec::new();
    let mut tries = 0;
    while moments.len() < kills {
        tries += 1;
        assert!(tries < 20 * kills, "builds end before they are killed");
        let workers = (1 + random.below(3)).to_string();
        let wanted = entries(&out) + random.below(6);
        let mut command = command(&crawl, &out, options);
        let mut child = command
            .args(["--workers", &workers])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_for_entries(&mut child, &out, wanted);
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            assert_same(&out, &expected);
            fs::remove_dir_all(&out).unwrap();
            continue;
        }
        assert_beginning(&out, &expected);
        moments.push(phase(&out));
    }
    let output = command(&crawl, &out, options).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_same(&out, &expected);
    moments
}

/// How far an unfinished build is: the number of parts and chunks that it has done.
pub(crate) fn entries(out: &Path) -> usize {
    done_in(out).iter().sum()
}

/// Waits until a build is that far, or has ended.
pub(crate) fn wait_for_entries(build: &mut Child, out: &Path, wanted: usize) {
    while entries(out) < wanted && build.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// How far a killed build was: entries by phase.
fn phase(out: &Path) -> String {
    let [parts, chunks] = done_in(out);
    format!("{parts} {chunks}")
}

#[test]
fn killed_at_random_moments_the_tables_are_the_same() {
    let moments = kill_at_random(if is_long() { 100 } else { 6 }, &[]);
    eprintln!("entries of parts and chunks when it was killed: {moments:?}");
}

#[test]
fn killed_at_random_moments_the_tables_are_the_same_without_templates() {
    let moments = kill_at_random(if is_long() { 50 } else { 3 }, &["--no-templates"]);
    eprintln!("entries of parts and chunks when it was killed: {moments:?}");
}

#[test]
fn killed_at_random_moments_the_tables_of_a_named_crawl_are_the_same() {
    let moments = kill_at_random(if is_long() { 50 } else { 3 }, &["--crawl", "a.b-1"]);
    eprintln!("entries of parts and chunks when it was killed: {moments:?}");
}

/// Kills a build when it has done as many parts and chunks.
fn killed_at(crawl: &Path, out: &Path, options: &[&str], least: [usize; 2]) {
    let mut child = command(crawl, out, options)
        .args(["--workers", "1"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("entries", || {
        let done = done_in(out);
        done[0] >= least[0] && done[1] >= least[1]
    });
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was too quick");
}

#[test]
fn a_user_is_told_where_a_build_stands() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let expected = undisturbed(&crawl, &folder.path().join("undisturbed"), &[]);
    killed_at(&crawl, &out, &[], [2, 0]);

    let other = command(&crawl, &out, &["--favor", "recall"]).output().unwrap();
    let sentence = refusal(&other);
    assert_printed("resume-a-user-is-told-where-a-build-stands", &sentence);
    let more = crawl.join("9.warc.gz");
    fs::copy(crawl.join("0.warc.gz"), &more).unwrap();
    let sentence = refusal(&command(&crawl, &out, &[]).output().unwrap());
    assert_printed("resume-a-user-is-told-where-a-build-stands-2", &sentence);
    fs::remove_file(more).unwrap();

    let output = command(&crawl, &out, &[]).output().unwrap();
    let begin = said(&output);
    let first = begin.lines().next().unwrap();
    assert!(output.status.success(), "{begin}");
    assert!(
        first.starts_with("continues an interrupted build: ") && first.ends_with(" parts are read"),
        "{first}"
    );
    assert_same(&out, &expected);

    let output = command(&crawl, &out, &[]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(
        said(&output),
        format!(
            "the corpus in '{}' is complete, with {DOCUMENTS} documents: nothing to do (--force builds it again)\n",
            out.display()
        )
    );
    assert_same(&out, &expected);

    fs::remove_dir_all(&out).unwrap();
    killed_at(&crawl, &out, &[], [0, 1]);
    let output = command(&crawl, &out, &[]).output().unwrap();
    let first = said(&output);
    assert!(
        first.contains(": all parts are read, and ") && output.status.success(),
        "{first}"
    );
    assert_same(&out, &expected);

    fs::remove_dir_all(&out).unwrap();
    killed_at(&crawl, &out, &[], [1, 0]);
    fs::write(out.join(".staging/journal-0001-000-00000"), "what is this?").unwrap();
    let sentence = refusal(&command(&crawl, &out, &[]).output().unwrap());
    assert_printed("resume-a-user-is-told-where-a-build-stands-3", &sentence);
    let output = command(&crawl, &out, &["--fresh"]).output().unwrap();
    assert!(
        !said(&output).contains("goes on") && output.status.success(),
        "{}",
        said(&output)
    );
    assert_same(&out, &expected);
}

#[test]
fn files_of_a_named_crawl_that_are_gone_are_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let named = ["--crawl", "a.b-1"];
    let expected = undisturbed(&crawl, &folder.path().join("undisturbed"), &named);
    killed_at(&crawl, &out, &named, [0, 1]);
    let of_crawl = files(&out.join("documents/crawl=a.b-1"));
    let written = of_crawl
        .iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "parquet"));
    let written: Vec<&PathBuf> = written.collect();
    assert!(!written.is_empty());
    written
        .into_iter()
        .for_each(|path| fs::remove_file(path).unwrap());
    let output = command(&crawl, &out, &named).output().unwrap();
    assert!(
        output.status.success() && said(&output).starts_with("continues an interrupted build: "),
        "{}",
        said(&output)
    );
    assert_same(&out, &expected);
}

#[test]
fn state_that_is_gone_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let expected = undisturbed(&crawl, &folder.path().join("undisturbed"), &[]);
    for kind in ["chunks", "units"] {
        killed_at(&crawl, &out, &[], [0, 1]);
        let kept = files(&out.join("state").join(kind));
        assert!(!kept.is_empty());
        fs::remove_file(&kept[0]).unwrap();
        let output = command(&crawl, &out, &[]).output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        assert_same(&out, &expected);
        let verified = gleaner().arg("verify").arg(&out).output().unwrap();
        assert!(verified.status.success(), "{kind}: {}", said(&verified));
        fs::remove_dir_all(&out).unwrap();
    }
}

#[test]
fn phases_are_run_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, out) = (crawl(folder.path()), folder.path().join("out"));
    let expected = undisturbed(&crawl, &folder.path().join("undisturbed"), &[]);
    for _ in 0..2 {
        let output = command(&crawl, &out, &["--phase", "read"]).output().unwrap();
        let told = said(&output);
        assert!(
            output.status.success() && told.contains("this phase is done"),
            "{told}"
        );
        let stands = phase(&out);
        assert!(stands.len() == 4 && stands.ends_with(" 0"), "{stands}");
        assert!(!out.join("documents").exists());
    }
    let output = command(&crawl, &out, &["--phase", "label"]).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert_same(&out, &expected);
}

#[test]
fn when_the_disk_was_full_the_same_command_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (crawl, disk) = (crawl(folder.path()), folder.path().join("disk"));
    let expected = undisturbed(&crawl, &folder.path().join("undisturbed"), &[]);
    let build = format!(
        "'{}' build '{}' --out {}/corpus --blocks --posts --repeats 2 --part-size {PART} --chunk-size {CHUNK}",
        env!("CARGO_BIN_EXE_gleaner"),
        crawl.display(),
        disk.display(),
    );
    let script = format!(
        "{build}; test $? = 2 || exit 78; mount -o remount,size=100m {0} || exit 77; {build} || exit 79; \
         cp -r {0}/corpus {1}",
        disk.display(),
        folder.path().join("saved").display(),
    );
    let Some(output) = on_disk_of("600k", &disk, &script) else {
        return;
    };
    let said = said(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(
        said.contains("is not complete: run the same command again to continue"),
        "{said}"
    );
    assert!(said.contains("continues an interrupted build: "), "{said}");
    assert_same(&folder.path().join("saved"), &expected);
}
