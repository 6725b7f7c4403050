//! Changes of a small corpus: kills, undo, kept versions, and readers of all versions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use gleaner_store::{Options, Output, Store};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::check::listing;
use crate::checkpoint;
use crate::commit::{Commit, Write};
use crate::delta::{below, version_file};
use crate::log::{Log, is_log};
use crate::marker::MARKER;
use crate::next::{NEXT, NewVersion, Next, receipt_file};
use crate::{
    Arguments, Checking, ChunkEntry, Corpus, Crawl, DocumentRow, DuplicateRow, Error, Identity, KeptKind,
    Manifest, ManifestChunk, Marker, Part, RejectRow, Row, Settings, State, Table, TableWriter, Undone,
    UnitEntry, Vacuum, VersionFiles, WholeEntry, digest_of, kept_json,
};

/// The tables of these corpora.
const OURS: [Table; 3] = [DocumentRow::TABLE, RejectRow::TABLE, DuplicateRow::TABLE];

/// What a corpus holds: its chunks by crawl and start, each with what its rows follow from.
type Contents = BTreeMap<(Option<&'static str>, u64), u64>;

/// How a version is made from the one before.
#[derive(Clone, Copy, Debug, Default)]
struct How {
    keep_versions: u64,
    purge: bool,
}

/// One older version keeps its files.
const KEEPING: How = How {
    keep_versions: 2,
    purge: false,
};

/// A folder for a corpus, gone at the end.
struct Folder {
    root: tempfile::TempDir,
    store: Store,
}

impl Folder {
    fn new() -> Folder {
        Folder {
            root: tempfile::tempdir().unwrap(),
            store: Store::new(Options::default()).unwrap(),
        }
    }

    /// A copy of the folder as it is.
    fn copy(&self) -> Folder {
        let copy = Folder::new();
        for name in self.names() {
            let to = copy.path().join(&name);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(self.path().join(&name), to).unwrap();
        }
        copy
    }

    fn path(&self) -> PathBuf {
        self.root.path().join("corpus")
    }

    fn output(&self) -> Output {
        self.store.output(self.path().to_str().unwrap()).unwrap()
    }

    fn names(&self) -> BTreeSet<String> {
        let files = self.output().list("").unwrap().into_iter();
        files.map(|file| file.name).collect()
    }

    /// All files, each with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let bytes = |name: String| {
            let bytes = self.output().get(&name).unwrap().unwrap().to_vec();
            (name, bytes)
        };
        self.names().into_iter().map(bytes).collect()
    }

    fn marker(&self) -> Marker {
        Corpus::complete(&self.output()).unwrap()
    }
}

fn identity(is_labelled: bool) -> Identity {
    let option = (Crawl::COLUMN.to_owned(), "a".to_owned());
    Identity {
        options: is_labelled.then_some(option).into_iter().collect(),
        ..Identity::default()
    }
}

fn crawl(name: Option<&str>) -> Option<Crawl> {
    name.map(|name| Crawl::new(name).unwrap())
}

/// Writes rows of a table as one file; none where there are no rows.
fn write<R: Row>(corpus: &Corpus, of: Option<&str>, rows: &[R]) -> Option<Part> {
    let mut writer: TableWriter<R> = corpus.table(crawl(of).as_ref(), 0).unwrap();
    rows.iter().for_each(|row| writer.push(row).unwrap());
    (!rows.is_empty()).then(|| writer.finish().unwrap().wait().unwrap())
}

/// The files of a chunk, and its entry.
fn write_chunk(corpus: &Corpus, (of, start): (Option<&str>, u64), seed: u64) -> ManifestChunk {
    let document = |number| DocumentRow {
        row_id: format!("{start}-{seed}-{number}"),
        ..DocumentRow::default()
    };
    let reject = |number| RejectRow {
        warc_offset: start * 1000 + seed * 10 + number,
        ..RejectRow::default()
    };
    let documents: Vec<DocumentRow> = (0..seed % 4).map(document).collect();
    let rejects: Vec<RejectRow> = (0..seed % 3).map(reject).collect();
    let state = corpus
        .keep_file(KeptKind::Units, format!("{of:?} {start} {seed}").as_bytes())
        .unwrap();
    let files = [write(corpus, of, &documents), write(corpus, of, &rejects)];
    let entry = ChunkEntry {
        units: vec![UnitEntry {
            state,
            ..UnitEntry::default()
        }],
        files: files.into_iter().flatten().collect(),
        counts: Map::new(),
    };
    ManifestChunk {
        crawl: of.map(str::to_owned),
        start: start.to_string(),
        entry: corpus.keep_file(KeptKind::Chunks, &kept_json(&entry)).unwrap(),
    }
}

/// Writes all files of a version; those that are there stay.
fn write_all(corpus: &Corpus, contents: &Contents) -> Arguments {
    let chunks = contents.iter();
    let chunks: Vec<ManifestChunk> = chunks
        .map(|(&key, &seed)| write_chunk(corpus, key, seed))
        .collect();
    let duplicate = |seed: &u64| DuplicateRow {
        row_id: seed.to_string(),
        ..DuplicateRow::default()
    };
    let duplicates: Vec<DuplicateRow> = contents
        .values()
        .filter(|&seed| seed % 5 == 0)
        .map(duplicate)
        .collect();
    let mut whole = WholeEntry::default();
    let duplicates = write(corpus, corpus.is_labelled().then_some("a"), &duplicates);
    whole
        .files
        .insert("duplicates".to_owned(), duplicates.into_iter().collect());
    let has_rows = |divisor: u64| contents.values().any(|seed| seed % divisor > 0);
    for (table, is_there) in [
        (DocumentRow::TABLE, has_rows(4)),
        (RejectRow::TABLE, has_rows(3)),
        (DuplicateRow::TABLE, !whole.files["duplicates"].is_empty()),
    ] {
        if !is_there {
            let file = corpus.file(&table, corpus.crawl(), 0).unwrap();
            let file = file.finish().unwrap().wait().unwrap();
            whole.files.insert(table.name.to_owned(), vec![file]);
        }
    }
    let manifest = Manifest {
        chunks,
        whole: corpus.keep_file(KeptKind::Whole, &kept_json(&whole)).unwrap(),
    };
    let inputs = format!("{contents:?}\n");
    Arguments {
        inputs: corpus.keep_file(KeptKind::Inputs, inputs.as_bytes()).unwrap(),
        rules: corpus.keep_file(KeptKind::Rules, b"").unwrap(),
        manifest: corpus
            .keep_file(KeptKind::Manifest, &kept_json(&manifest))
            .unwrap(),
    }
}

fn files_of(output: &Output, arguments: &Arguments) -> VersionFiles {
    Corpus::version_files(output, arguments).unwrap()
}

fn totals(output: &Output, arguments: &Arguments) -> BTreeMap<String, u64> {
    let tables = files_of(output, arguments).tables.into_iter();
    let rows = |files: Vec<Part>| files.iter().map(|file| file.rows).sum();
    tables.map(|(table, files)| (table, rows(files))).collect()
}

/// The first version, as a build makes it.
fn build(folder: &Folder, contents: &Contents, is_labelled: bool) {
    let corpus = Corpus::create(folder.output(), &identity(is_labelled), false).unwrap();
    let arguments = write_all(&corpus, contents);
    let files = files_of(corpus.output(), &arguments);
    for table in OURS {
        corpus.commit(&table, 0, files.of(table.name)).unwrap();
    }
    let totals = totals(corpus.output(), &arguments);
    corpus
        .finish(totals, Map::new(), Vec::new(), Some(arguments))
        .unwrap();
}

fn asked(contents: &Contents) -> Next {
    Next {
        command: "add".to_owned(),
        asked: digest_of(format!("{contents:?}").as_bytes()),
        time: "2026-01-02T03:04:05Z".to_owned(),
        ..Next::default()
    }
}

/// Writes the files of the next version.
fn begin(folder: &Folder, contents: &Contents, how: How) -> (Corpus, NewVersion) {
    let (corpus, base) = Corpus::begin_change(folder.output(), asked(contents), Settings::default()).unwrap();
    let arguments = write_all(&corpus, contents);
    let new = NewVersion {
        identity: base.identity,
        totals: totals(corpus.output(), &arguments),
        summary: Map::new(),
        missing: Vec::new(),
        arguments,
        last_rule: 0,
        keep_versions: how.keep_versions,
        purge: how.purge,
        receipt: format!("{{\"version\":{}}}\n", base.version + 1).into_bytes(),
    };
    (corpus, new)
}

fn change(folder: &Folder, contents: &Contents, how: How) -> Marker {
    let (corpus, new) = begin(folder, contents, how);
    corpus.finish_change(new).unwrap()
}

/// Kills the end of a change after a number of writes, and says whether it ended before.
fn kill_after(folder: &Folder, corpus: &Corpus, new: NewVersion, writes: usize) -> bool {
    let (base, next) = (corpus.open_marker().clone(), corpus.next().unwrap().clone());
    let output = folder.output();
    let commit = Commit::new(&output, &base, &next, new).unwrap();
    let mut left = writes;
    let mut write_one = |write: Write| {
        left = left.checked_sub(1).ok_or(Error::Interrupted)?;
        write.apply(&output)
    };
    let ended = commit.each_write(&mut |write| match write {
        Write::Delete(names) => names
            .into_iter()
            .try_for_each(|name| write_one(Write::Delete(vec![name]))),
        write => write_one(write),
    });
    match ended {
        Ok(()) => true,
        Err(Error::Interrupted) => false,
        Err(error) => panic!("{error}"),
    }
}

/// The files of a table by the lines of its log alone; nothing where its first versions are gone.
fn replayed(output: &Output, table: &str, version: u64) -> Option<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for version in 0..=version {
        let bytes = output.get(&version_file(table, version)).unwrap()?;
        for line in std::str::from_utf8(&bytes).unwrap().lines() {
            let action: Value = serde_json::from_str(line).unwrap();
            let path = |kind: &str| Some(format!("{table}/{}", action[kind]["path"].as_str()?));
            if let Some(path) = path("remove") {
                assert!(files.remove(&path), "{path} was not there");
            }
            if let Some(path) = path("add") {
                assert!(files.insert(path));
            }
        }
    }
    Some(files)
}

/// All versions that are there, by the readers of logs. Gives what other readers have to find.
fn check_versions(folder: &Folder) -> Vec<Value> {
    let (output, marker) = (folder.output(), folder.marker());
    let mut expected = Vec::new();
    for version in marker.kept.iter().cloned().chain(marker.as_kept()) {
        let files = files_of(&output, &version.arguments);
        assert_eq!(
            files.tables.keys().collect::<Vec<_>>(),
            version.tables.keys().collect::<Vec<_>>()
        );
        for (table, &of_log) in &version.tables {
            let log = Log::at(&output, table, &listing(&output, table).unwrap(), Some(of_log)).unwrap();
            assert_eq!(log.faults, []);
            let found: BTreeSet<String> = log.files().map(|file| file.name.clone()).collect();
            let parts = files.of(table);
            let names: BTreeSet<String> = parts.iter().map(|file| file.name.clone()).collect();
            assert_eq!(found, names);
            if let Some(replayed) = replayed(&output, table, of_log) {
                assert_eq!(replayed, names);
            }
            let below = |name: &String| below(table, name).unwrap().to_owned();
            expected.push(json!({
                "table": folder.path().join(table),
                "version": of_log,
                "files": names.iter().map(below).collect::<Vec<_>>(),
                "rows": parts.iter().map(|file| file.rows).sum::<u64>(),
                "is_all": marker.kept.is_empty(),
            }));
        }
    }
    expected
}

/// A corpus is as its versions say, and there is nothing else.
fn check(folder: &Folder, contents: &Contents) -> Vec<Value> {
    let (output, marker) = (folder.output(), folder.marker());
    let verified = Corpus::verify(&output, &Checking::default()).unwrap();
    assert_eq!(verified.faults, []);
    let mut named = BTreeSet::from([MARKER.to_owned()]);
    let kept = marker.kept.iter().map(|version| &version.arguments);
    for arguments in marker.arguments.iter().chain(kept) {
        named.extend(files_of(&output, arguments).into_names());
    }
    named.extend((2..=marker.version).map(receipt_file));
    let is_of_log = |name: &String| name.split_once('/').is_some_and(|(_, file)| is_log(file));
    let others: BTreeSet<String> = folder
        .names()
        .into_iter()
        .filter(|name| !is_of_log(name))
        .collect();
    assert_eq!(others, named);
    // A build of the same contents has the same files.
    let (other, is_labelled) = (Folder::new(), marker.identity == identity(true));
    build(&other, contents, is_labelled);
    assert_eq!(other.marker().arguments, marker.arguments);
    check_versions(folder)
}

/// Lets other readers read versions, where they are there.
fn check_with_others(expected: &[Value]) {
    let installed = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../target/venv/bin/python"
    ));
    let python = std::env::var_os("GLEANER_PYTHON").map_or(installed.to_owned(), PathBuf::from);
    let works = Command::new(&python)
        .args(["-c", "import deltalake, duckdb, polars"])
        .output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no Python with deltalake, duckdb and polars; tests/servers/install.sh makes one");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("expected.json");
    std::fs::write(&file, serde_json::to_vec(expected).unwrap()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/versions.py");
    let output = Command::new(python)
        .args([Path::new(script), &file])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(said[0], format!("read {}\n", expected.len()), "{}", said[1]);
}

fn of(chunks: &[(Option<&'static str>, u64, u64)]) -> Contents {
    chunks
        .iter()
        .map(|&(crawl, start, seed)| ((crawl, start), seed))
        .collect()
}

/// Two versions of a corpus: one chunk goes, one changes, one comes, one stays, and the empty table of rejects gets rows.
fn two_versions(is_labelled: bool) -> [Contents; 2] {
    let [one, other] = if is_labelled {
        [Some("a"), Some("b")]
    } else {
        [None, None]
    };
    let before = of(&[(one, 1, 3), (one, 2, 15), (one, 3, 6)]);
    let after = of(&[(one, 1, 3), (one, 2, 7), (other, 4, 5), (other, 5, 2)]);
    [before, after]
}

#[test]
fn a_change_is_a_version_of_each_log_whose_files_differ() {
    for is_labelled in [false, true] {
        let [before, after] = two_versions(is_labelled);
        let folder = Folder::new();
        build(&folder, &before, is_labelled);
        let first = folder.marker();
        let second = change(&folder, &after, How::default());
        assert_eq!(second, folder.marker());
        assert_eq!((second.version, &second.application), (2, &first.application));
        assert!(second.tables.values().all(|&version| version == 1));
        check_with_others(&check(&folder, &after));
        let output = folder.output();
        let text = output.get(&version_file("documents", 1)).unwrap().unwrap();
        let text = std::str::from_utf8(&text).unwrap();
        let actions: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(actions[0]["commitInfo"]["operation"], "ADD");
        assert_eq!(actions[1]["txn"]["version"], 2);
        let count = |kind: &str| actions.iter().filter(|action| action.get(kind).is_some()).count();
        assert_eq!((count("remove"), count("add")), (2, 3));
        if is_labelled {
            let crawls = actions
                .iter()
                .filter_map(|action| action["add"]["partitionValues"]["crawl"].as_str());
            assert_eq!(crawls.collect::<Vec<_>>(), ["a", "b", "b"]);
        }
        // Nothing differs: a new version of the corpus, and none of a log.
        let third = change(&folder, &after, How::default());
        assert_eq!((third.version, &third.tables), (3, &second.tables));
        check(&folder, &after);
        let receipts = Corpus::receipts(&output).unwrap();
        assert_eq!(
            receipts.iter().map(|(version, _)| *version).collect::<Vec<_>>(),
            [2, 3]
        );
        assert_eq!(receipts[1].1, "{\"version\":3}\n");
    }
}

/// A change of which all files are written, and what it begins and ends with.
struct Prepared {
    folder: Folder,
    asked: Next,
    new: NewVersion,
    before: (Marker, BTreeMap<String, Vec<u8>>),
    after: (Marker, BTreeMap<String, Vec<u8>>),
}

impl Prepared {
    fn new(is_labelled: bool, how: How) -> Prepared {
        let [before, after] = two_versions(is_labelled);
        let folder = Folder::new();
        let crawl = before.keys().next().unwrap().0;
        build(&folder, &of(&[(crawl, 9, 8)]), is_labelled);
        change(&folder, &before, KEEPING);
        let (base, whole) = ((folder.marker(), folder.files()), folder.copy());
        change(&whole, &after, how);
        let (corpus, new) = begin(&folder, &after, how);
        drop(corpus);
        Prepared {
            folder,
            asked: asked(&after),
            new,
            before: base,
            after: (whole.marker(), whole.files()),
        }
    }

    fn begin(&self, folder: &Folder) -> Corpus {
        Corpus::begin_change(folder.output(), self.asked.clone(), Settings::default())
            .unwrap()
            .0
    }

    /// A corpus in the middle of the end of the change is read, and ends as it should with each command.
    fn check_killed(&self, killed: &Folder) {
        let output = killed.output();
        let marker = killed.marker();
        assert!([&self.before.0, &self.after.0].contains(&&marker));
        let verified = Corpus::verify(&output, &Checking::default()).unwrap();
        assert_eq!(verified.faults, []);
        for (table, files) in files_of(&output, marker.arguments.as_ref().unwrap()).tables {
            let found = Corpus::files(&output, &table).unwrap().into_iter();
            let found: BTreeSet<String> = found.map(|file| file.name).collect();
            assert_eq!(found, files.into_iter().map(|file| file.name).collect());
        }
        let next = Corpus::unfinished(&output).unwrap().unwrap();
        let is_committed = next.committed.is_some();
        // The same command.
        let again = killed.copy();
        let corpus = self.begin(&again);
        assert_eq!(corpus.continues(), !is_committed);
        match is_committed {
            false => drop(corpus.finish_change(self.new.clone()).unwrap()),
            true => assert!(corpus.next().is_none() && corpus.finished().unwrap().asked == self.asked.asked),
        }
        drop(corpus);
        assert!(again.files() == self.after.1);
        self.check_other_command(&killed.copy(), is_committed);
        // Undone, or finished where that is too late.
        let dry = Corpus::undo(&output, true).unwrap();
        let undone = Corpus::undo(&output, false).unwrap();
        assert_eq!(dry, undone);
        match undone {
            Undone::Finished { .. } => assert!(is_committed && killed.files() == self.after.1),
            Undone::Deleted { files, .. } => {
                assert!(!is_committed && files > 0 && killed.files() == self.before.1);
            }
            Undone::Nothing => panic!("the last file that is deleted is {NEXT}"),
        }
        assert_eq!(Corpus::undo(&output, false).unwrap(), Undone::Nothing);
    }
}

impl Prepared {
    /// Another command finishes a change that is committed before its own, and is refused before that.
    fn check_other_command(&self, killed: &Folder, is_committed: bool) {
        let other = Next {
            asked: "other".to_owned(),
            ..self.asked.clone()
        };
        let begun = Corpus::begin_change(killed.output(), other, Settings::default());
        if !is_committed {
            assert!(matches!(begun, Err(Error::Unfinished { .. })));
            return;
        }
        let (corpus, base) = begun.unwrap();
        assert_eq!(base, self.after.0);
        assert_eq!(corpus.finished().unwrap().asked, self.asked.asked);
        assert_eq!(corpus.next().unwrap().base, base.version);
        drop(corpus);
        assert!(matches!(
            Corpus::undo(&killed.output(), false).unwrap(),
            Undone::Deleted { files: 0, .. }
        ));
        assert!(killed.files() == self.after.1);
    }
}

#[test]
fn a_killed_change_is_finished_forward_or_undone() {
    let purge = How {
        purge: true,
        ..KEEPING
    };
    for (is_labelled, how) in [(true, How::default()), (false, KEEPING), (false, purge)] {
        let prepared = Prepared::new(is_labelled, how);
        for writes in 0.. {
            let killed = prepared.folder.copy();
            let corpus = prepared.begin(&killed);
            let ended = kill_after(&killed, &corpus, prepared.new.clone(), writes);
            drop(corpus);
            if ended {
                assert!(killed.files() == prepared.after.1 && writes > 10);
                break;
            }
            prepared.check_killed(&killed);
        }
    }
}

#[test]
fn a_change_that_is_not_committed_continues_with_the_same_command_only() {
    let [before, after] = two_versions(false);
    let folder = Folder::new();
    build(&folder, &before, false);
    let (output, base) = (folder.output(), folder.files());
    let begun = Next {
        details: json!({ "agents": 3 }),
        ..asked(&after)
    };
    let (corpus, marker) = Corpus::begin_change(folder.output(), begun.clone(), Settings::default()).unwrap();
    assert!(!corpus.continues());
    assert_eq!((marker.version, corpus.next().unwrap().base), (1, 1));
    let joined = |asked: &str| Corpus::join_change(folder.output(), asked, Settings::default());
    assert_eq!(joined(&begun.asked).unwrap().0.next(), corpus.next());
    let other = begin_error(&output, asked(&before));
    let undo = folder.path().display().to_string();
    assert_eq!(
        other,
        format!("an unfinished `add` is in '{undo}': run it again, or `gleaner undo {undo}`")
    );
    assert_eq!(joined("other").unwrap_err().to_string(), other);
    write_chunk(&corpus, (None, 7), 7);
    output.put(".staging/journal", b"x").unwrap();
    drop(corpus);
    let late = Next {
        time: "2027-01-01T00:00:00Z".to_owned(),
        ..asked(&after)
    };
    let (corpus, _) = Corpus::begin_change(folder.output(), late, Settings::default()).unwrap();
    assert!(corpus.continues());
    let next = corpus.next().unwrap();
    assert_eq!((&next.time, &next.details), (&begun.time, &begun.details));
    // What no journal names goes; what version 1 names stays.
    corpus.keep(&[".staging/journal".to_owned()].into()).unwrap();
    let mut there = folder.files();
    assert!(there.remove(".staging/journal").is_some() && there.remove(NEXT).is_some());
    there.remove("gleaner.lock");
    assert!(there == base);
    drop(corpus);
    let vacuum = Vacuum {
        keep_versions: 1,
        logs: false,
        dry_run: false,
    };
    assert_eq!(Corpus::vacuum(&output, &vacuum).unwrap_err().to_string(), other);
    assert!(matches!(
        Corpus::undo(&output, false).unwrap(),
        Undone::Deleted { files: 1, .. }
    ));
    assert!(folder.files() == base);
    assert_eq!(
        joined(&begun.asked).unwrap_err().to_string(),
        format!("no change of '{undo}' is in progress: is this the same folder for all processes?")
    );
}

fn begin_error(output: &Output, next: Next) -> String {
    Corpus::begin_change(output.clone(), next, Settings::default())
        .unwrap_err()
        .to_string()
}

#[test]
fn corpora_that_cannot_be_changed_are_refused_untouched() {
    let folder = Folder::new();
    let (output, path) = (folder.output(), folder.path().display().to_string());
    assert!(begin_error(&output, Next::default()).starts_with("no corpus in '"));
    let [before, after] = two_versions(false);
    let corpus = Corpus::create(folder.output(), &identity(false), false).unwrap();
    drop(corpus);
    assert!(
        begin_error(&output, Next::default())
            .ends_with("is not complete: run its build again to complete it")
    );
    build(&folder, &before, false);
    let there = folder.files();
    let marker = folder.marker();
    let with = |marker: &Marker| {
        output.put(MARKER, &marker.to_json()).unwrap();
        let error = begin_error(&output, asked(&after));
        output.put(MARKER, &there[MARKER]).unwrap();
        error
    };
    let older = Marker {
        format: 7,
        ..marker.clone()
    };
    assert_eq!(
        with(&older),
        format!(
            "the tables of the corpus in '{path}' have format 7, and this program writes format {}: build it again with \
             `gleaner build --force`",
            crate::FORMAT
        )
    );
    let without = Marker {
        arguments: None,
        ..marker
    };
    assert_eq!(
        with(&without),
        format!(
            "the corpus in '{path}' keeps no state, so it cannot be changed: `gleaner build --force` without --no-state makes \
             one that can"
        )
    );
    // Another program has written to a log.
    let foreign = version_file("rejects", 1);
    output.put(&foreign, b"{}\n").unwrap();
    assert_eq!(
        begin_error(&output, asked(&after)),
        format!(
            "'{path}/{foreign}' was written by another program: only gleaner may write to the logs of a corpus; remove this \
             file and run the command again"
        )
    );
    output.delete(&foreign).unwrap();
    // A change of another version than the one that is there.
    let next = Next {
        base: 5,
        ..asked(&after)
    };
    output.put(NEXT, &next.to_json()).unwrap();
    assert!(begin_error(&output, asked(&after)).starts_with(&format!(
        "'{NEXT}' is damaged: it changes version 5, and the corpus has 1: "
    )));
    output.delete(NEXT).unwrap();
    assert!(folder.files() == there);
    // A change is one command's.
    let (held, _) = begin(&folder, &after, How::default());
    assert!(begin_error(&output, asked(&after)).contains("is being written by process"));
    drop(held);
}

#[test]
fn a_build_by_force_removes_all_versions() {
    let [before, after] = two_versions(false);
    let folder = Folder::new();
    build(&folder, &before, false);
    let first = folder.files();
    change(
        &folder,
        &after,
        How {
            keep_versions: 3,
            purge: false,
        },
    );
    let (corpus, new) = begin(&folder, &before, How::default());
    kill_after(&folder, &corpus, new, 2);
    drop(corpus);
    assert!(
        Corpus::unfinished(&folder.output())
            .unwrap()
            .unwrap()
            .committed
            .is_some()
    );
    // A build of the same corpus has nothing to do, and leaves what the change needs.
    folder.output().put(".staging/journal", b"x").unwrap();
    let again = Corpus::create(folder.output(), &identity(false), false).unwrap_err();
    assert!(matches!(again, Error::Complete(_)));
    assert!(folder.names().contains(".staging/journal"));
    drop(Corpus::create(folder.output(), &identity(false), true).unwrap());
    assert_eq!(folder.names(), [MARKER.to_owned()].into());
    assert_eq!(
        Corpus::marker(&folder.output()).unwrap().unwrap().state,
        State::Building
    );
    build(&folder, &before, false);
    assert!(folder.files() == first);
}

#[test]
fn a_table_comes_and_goes() {
    let [before, _] = two_versions(false);
    let folder = Folder::new();
    build(&folder, &before, false);
    let first = folder.marker();
    // A version without the table of rejects, as of a build that does not ask for it.
    let without = |folder: &Folder, keep_versions| {
        let how = How {
            keep_versions,
            purge: false,
        };
        let (corpus, mut new) = begin(folder, &before, how);
        let mut manifest: Manifest = serde_json::from_slice(
            &Corpus::kept(corpus.output(), KeptKind::Manifest, &new.arguments.manifest).unwrap(),
        )
        .unwrap();
        let whole = WholeEntry {
            files: files_of(corpus.output(), &new.arguments)
                .tables
                .into_iter()
                .filter(|(table, _)| table == "duplicates")
                .collect(),
        };
        manifest.whole = corpus.keep_file(KeptKind::Whole, &kept_json(&whole)).unwrap();
        new.arguments.manifest = corpus
            .keep_file(KeptKind::Manifest, &kept_json(&manifest))
            .unwrap();
        new.totals.remove("rejects");
        corpus.finish_change(new).unwrap()
    };
    for (keep_versions, expected) in [(1, 0), (2, 2)] {
        let folder = folder.copy();
        let gone = without(&folder, keep_versions);
        assert_eq!(
            gone.tables.keys().collect::<Vec<_>>(),
            ["documents", "duplicates"]
        );
        let is_there = folder.names().iter().any(|name| name.starts_with("rejects/"));
        assert_eq!(is_there, keep_versions > 1, "the older version needs its log");
        check_versions(&folder);
        assert_eq!(
            Corpus::verify(&folder.output(), &Checking::default())
                .unwrap()
                .faults,
            []
        );
        let back = change(
            &folder,
            &before,
            How {
                keep_versions,
                purge: false,
            },
        );
        assert_eq!(back.tables["rejects"], expected);
        assert_eq!(back.arguments, first.arguments);
        check_versions(&folder);
    }
}

#[test]
fn kept_versions_are_read_until_they_are_forgotten() {
    let folder = Folder::new();
    let versions: Vec<Contents> = (1..=5).map(|seed| of(&[(None, 1, 2), (None, 2, seed)])).collect();
    build(&folder, &versions[0], false);
    for contents in &versions[1..] {
        change(
            &folder,
            contents,
            How {
                keep_versions: 4,
                purge: false,
            },
        );
        check(&folder, contents);
    }
    let output = folder.output();
    let kept = || -> Vec<u64> { folder.marker().kept.iter().map(|kept| kept.version).collect() };
    assert_eq!(kept(), [2, 3, 4]);
    check_with_others(&check(&folder, &versions[4]));
    let vacuum = |keep_versions, logs, dry_run| {
        Corpus::vacuum(
            &output,
            &Vacuum {
                keep_versions,
                logs,
                dry_run,
            },
        )
        .unwrap()
    };
    let there = folder.files();
    let planned = vacuum(3, true, true);
    assert!(folder.files() == there);
    let vacuumed = vacuum(3, true, false);
    assert_eq!(
        (vacuumed.versions.as_slice(), kept()),
        ([2].as_slice(), vec![3, 4])
    );
    assert_eq!(planned.versions, vacuumed.versions);
    assert_eq!((planned.files, planned.bytes), (vacuumed.files, vacuumed.bytes));
    assert!(
        vacuumed.files > vacuumed.logs && vacuumed.logs > 0,
        "{vacuumed:?}"
    );
    assert!(output.get(&version_file("documents", 1)).unwrap().is_none());
    check_with_others(&check(&folder, &versions[4]));
    vacuum(1, true, false);
    check_with_others(&check(&folder, &versions[4]));
    assert_eq!(vacuum(1, true, false), crate::Vacuumed::default());
    // Changes continue after the checkpoint.
    change(
        &folder,
        &versions[1],
        How {
            keep_versions: 2,
            purge: false,
        },
    );
    check_with_others(&check(&folder, &versions[1]));
}

#[test]
fn a_purge_leaves_no_older_file_or_log() {
    let [before, after] = two_versions(true);
    let folder = Folder::new();
    build(&folder, &before, true);
    let keeping = How {
        keep_versions: 9,
        purge: false,
    };
    change(&folder, &after, keeping);
    change(&folder, &before, keeping);
    // The table of duplicates is the same in both.
    let last = of(&[(Some("a"), 2, 15)]);
    let marker = change(
        &folder,
        &last,
        How {
            keep_versions: 9,
            purge: true,
        },
    );
    assert!(marker.kept.is_empty());
    check_with_others(&check(&folder, &last));
    for (table, &version) in &marker.tables {
        let log: Vec<String> = folder
            .names()
            .into_iter()
            .filter(|name| below(table, name).is_some_and(is_log))
            .collect();
        let expected = [
            checkpoint::file(table, version),
            version_file(table, version),
            checkpoint::last_file(table),
        ];
        assert_eq!(log, expected);
    }
    change(&folder, &after, How::default());
    check_with_others(&check(&folder, &after));
}

#[test]
fn every_hundredth_version_of_a_log_has_a_checkpoint_of_current_files() {
    let folder = Folder::new();
    let contents = |version: u64| of(&[(None, 1, version % 7), (None, 2, 3)]);
    build(&folder, &contents(1), false);
    let versions = Corpus::CHECKPOINT_EVERY + 2;
    for version in 2..=versions {
        change(&folder, &contents(version), How::default());
    }
    assert_eq!(folder.marker().tables["documents"], versions - 1);
    assert_eq!(
        checkpoint::last(&folder.output(), "documents").unwrap(),
        Some(Corpus::CHECKPOINT_EVERY)
    );
    check_with_others(&check(&folder, &contents(versions)));
}

#[test]
fn what_no_version_needs_is_named_by_verify_and_removed_by_vacuum() {
    let [before, after] = two_versions(false);
    let folder = Folder::new();
    build(&folder, &before, false);
    change(&folder, &after, How::default());
    let output = folder.output();
    let unused = [
        KeptKind::Units.file(&digest_of(b"x")),
        receipt_file(3),
        format!("documents/{}.parquet", digest_of(b"x")),
    ];
    for name in &unused {
        output.put(name, b"x").unwrap();
    }
    let faults = || -> Vec<String> {
        let verified = Corpus::verify(&output, &Checking::default()).unwrap();
        verified.faults.iter().map(ToString::to_string).collect()
    };
    let found = faults();
    assert_eq!(found.len(), 3);
    for name in &unused[..2] {
        assert!(found.contains(&format!("'{name}' is not part of any version of the corpus")));
    }
    // A change in progress may need them.
    output
        .put(
            NEXT,
            &Next {
                base: 2,
                ..asked(&after)
            }
            .to_json(),
        )
        .unwrap();
    assert_eq!(faults(), [""; 0]);
    output.delete(NEXT).unwrap();
    let vacuum = Vacuum {
        keep_versions: 1,
        logs: false,
        dry_run: false,
    };
    assert_eq!(Corpus::vacuum(&output, &vacuum).unwrap().files, 3);
    check(&folder, &after);
}

/// A step of a history: what changes, and how it ends.
#[derive(Clone, Debug)]
enum Step {
    Change(Vec<(u64, u64)>, u64, bool),
    Killed(Vec<(u64, u64)>, usize),
    Vacuum(u64, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // A seed of 20 removes the chunk.
    let edits = || prop::collection::vec((0..6_u64, 0..=20_u64), 0..4);
    let step = prop_oneof![
        4 => (edits(), 1..4_u64, prop::bool::weighted(0.2)).prop_map(|(edits, keep, purge)| Step::Change(edits, keep, purge)),
        2 => (edits(), 0..40_usize).prop_map(|(edits, writes)| Step::Killed(edits, writes)),
        1 => (1..4_u64, any::<bool>()).prop_map(|(keep, logs)| Step::Vacuum(keep, logs)),
    ];
    prop::collection::vec(step, 1..8)
}

fn edited(contents: &Contents, edits: &[(u64, u64)], is_labelled: bool) -> Contents {
    let mut contents = contents.clone();
    for &(start, seed) in edits {
        let of = is_labelled.then_some(["a", "b"][(start % 2) as usize]);
        match seed {
            20 => contents.remove(&(of, start)),
            _ => contents.insert((of, start), seed),
        };
    }
    contents
}

/// After each step, all versions are what they should be. Gives what other readers have to find at the end.
fn run(folder: &Folder, steps: &[Step], is_labelled: bool) -> Vec<Value> {
    let mut contents = edited(&Contents::new(), &[(0, 3), (1, 4)], is_labelled);
    build(folder, &contents, is_labelled);
    let mut expected = check(folder, &contents);
    for step in steps {
        match step {
            Step::Change(edits, keep_versions, purge) => {
                contents = edited(&contents, edits, is_labelled);
                change(
                    folder,
                    &contents,
                    How {
                        keep_versions: *keep_versions,
                        purge: *purge,
                    },
                );
            }
            Step::Killed(edits, writes) => {
                let after = edited(&contents, edits, is_labelled);
                let (corpus, new) = begin(folder, &after, KEEPING);
                let ended = kill_after(folder, &corpus, new, *writes);
                drop(corpus);
                let undone = Corpus::undo(&folder.output(), false).unwrap();
                match undone {
                    Undone::Nothing => assert!(ended),
                    Undone::Finished { .. } => assert!(!ended),
                    Undone::Deleted { .. } => assert!(*writes < 2),
                }
                if !matches!(undone, Undone::Deleted { .. }) {
                    contents = after;
                }
            }
            &Step::Vacuum(keep_versions, logs) => {
                let vacuum = Vacuum {
                    keep_versions,
                    logs,
                    dry_run: false,
                };
                Corpus::vacuum(&folder.output(), &vacuum).unwrap();
            }
        }
        expected = check(folder, &contents);
    }
    expected
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]
    #[test]
    fn after_any_history_each_version_is_what_its_manifest_says(steps in steps(), is_labelled: bool) {
        let folder = Folder::new();
        run(&folder, &steps, is_labelled);
    }
}

#[test]
fn other_readers_read_all_versions_after_random_histories() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let folders = [Folder::new(), Folder::new(), Folder::new()];
    let mut expected = Vec::new();
    for (number, folder) in folders.iter().enumerate() {
        let history = steps().new_tree(&mut runner).unwrap().current();
        expected.extend(run(folder, &history, number % 2 == 0));
    }
    check_with_others(&expected);
}
