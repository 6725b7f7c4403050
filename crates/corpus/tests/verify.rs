//! A corpus whose files are read again, sound and harmed; and the files that its marker names.

use gleaner_corpus::{Checking, Corpus, Error, FaultKind, Identity, RejectRow, Settings, TableFile};

use crate::check::{complete, complete_of, half, parts_of, removed, write};
use crate::sample::{self, Folder};

const MARKER: &str = "gleaner.json";

/// What is wrong with a corpus.
fn faults(folder: &Folder) -> Vec<String> {
    let verified = Corpus::verify(&folder.output(), &Checking::default()).unwrap();
    verified.faults.iter().map(ToString::to_string).collect()
}

/// What is wrong after a change of one file, which is undone then.
fn faults_after(folder: &Folder, file: &str, harm: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<String> {
    let (output, there) = (folder.output(), folder.output().get(file).unwrap());
    match harm(there.as_deref().unwrap_or_default()) {
        Some(bytes) => output.put(file, &bytes).unwrap(),
        None => output.delete(file).unwrap(),
    }
    let found = faults(folder);
    match there {
        Some(bytes) => output.put(file, &bytes).unwrap(),
        None => output.delete(file).unwrap(),
    }
    assert_eq!(faults(folder), [""; 0]);
    found
}

/// Puts one text in the place of another.
fn replaced<'t>(old: &'t str, new: &'t str) -> impl Fn(&[u8]) -> Option<Vec<u8>> + 't {
    move |bytes| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        assert!(text.contains(old), "no {old} in {text}");
        Some(text.replacen(old, new, 1).into_bytes())
    }
}

fn flipped(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    bytes[6] ^= 1;
    Some(bytes)
}

#[test]
fn nothing_is_wrong_with_what_was_written() {
    let many = Corpus::CHECKPOINT_EVERY as u32 + 5;
    for (parts, crawl) in [(4, None), (many, None), (4, Some("a.b-1")), (many, Some("a.b-1"))] {
        let folder = complete_of(parts, crawl);
        let verified = Corpus::verify(&folder.output(), &Checking::default()).unwrap();
        assert_eq!(verified.faults, []);
        let tables = ["documents", "rejects", "sites"];
        let files: Vec<String> = tables.iter().flat_map(|table| parts_of(&folder, table)).collect();
        let is_in_place = |file: &String| file.contains("/crawl=a.b-1/") == crawl.is_some();
        assert!(files.iter().all(is_in_place), "{files:?}");
        let listed = tables.map(|table| Corpus::files(&folder.output(), table).unwrap());
        let mut listed: Vec<String> = listed.into_iter().flatten().map(|file| file.name).collect();
        listed.sort();
        assert_eq!(listed, files);
        let size = |file: &String| folder.output().size(file).unwrap().unwrap();
        assert_eq!(
            (verified.tables, verified.files, verified.bytes),
            (3, files.len() as u64, files.iter().map(size).sum())
        );
    }
}

#[test]
fn harm_to_a_file_of_a_table_is_named() {
    check_harm(&complete(4), "rejects");
    check_harm(&complete_of(4, Some("a.b-1")), "rejects/crawl=a.b-1");
}

/// `rejects` is the folder of files of that table.
fn check_harm(folder: &Folder, rejects: &str) {
    for table in ["rejects", "documents"] {
        let file = &parts_of(folder, table)[0];
        assert_eq!(
            faults_after(folder, file, flipped),
            [format!("'{file}' has other bytes than were written")]
        );
        assert_eq!(
            faults_after(folder, file, removed),
            [format!("'{file}' is missing")]
        );
        let found = faults_after(folder, file, half);
        assert!(
            found.len() == 1 && found[0].ends_with(" were written"),
            "{found:?}"
        );
    }
    let unknown = format!("{rejects}/{}.parquet", "0".repeat(64));
    assert_eq!(
        faults_after(folder, &unknown, |_| Some(b"PAR1".to_vec())),
        [format!("'{unknown}' is not in the log of its table")]
    );
}

#[test]
fn all_that_is_wrong_is_named() {
    let folder = complete(6);
    let files = parts_of(&folder, "rejects");
    for file in &files {
        let bytes = folder.output().get(file).unwrap().unwrap();
        folder.output().put(file, &flipped(&bytes).unwrap()).unwrap();
    }
    let found = Corpus::verify(&folder.output(), &Checking::default())
        .unwrap()
        .faults;
    let named: Vec<&String> = found.iter().map(|fault| &fault.file).collect();
    assert_eq!(named, files.iter().collect::<Vec<_>>());
    assert!(found.iter().all(|fault| fault.kind == FaultKind::Digest));
}

#[test]
fn harm_to_a_log_is_named() {
    let folder = complete(4);
    let version = format!("rejects/_delta_log/{:020}.json", 1);
    // Rows of a table whose files are not known are not counted.
    assert_eq!(
        faults_after(&folder, &version, removed),
        [format!("'{version}' is missing")]
    );
    let log = folder.output().get(&version).unwrap().unwrap();
    let log = String::from_utf8(log.to_vec()).unwrap();
    let is_added = |file: &String| log.contains(file.strip_prefix("rejects/").unwrap());
    let file = parts_of(&folder, "rejects").into_iter().find(is_added).unwrap();
    assert_eq!(
        faults_after(
            &folder,
            &version,
            replaced("{\\\"numRecords\\\":1}", "{\\\"numRecords\\\":2}")
        ),
        [
            "'gleaner.json' has another number of rows of 'rejects' than its log: 3, not 4".to_owned(),
            format!("'{file}' has another number of rows than was written: 1, not 2"),
        ]
    );
}

#[test]
fn counts_that_do_not_fit_are_named() {
    let folder = complete(4);
    assert_eq!(
        faults_after(&folder, MARKER, replaced("\"sites\": 1", "\"sites\": 7")),
        ["'gleaner.json' has another number of rows of 'sites' than its log: 7, not 1"]
    );
    assert_eq!(
        faults_after(
            &folder,
            MARKER,
            replaced("\"captures read\": 2", "\"captures read\": 5")
        ),
        [
            "'gleaner.json' does not add up: captures (5) + damaged places (1) are not documents (0) + rejects (3) + captures that rules leave out (0)"
        ]
    );
    // A table that the marker counts and does not name.
    assert_eq!(
        faults_after(
            &folder,
            MARKER,
            replaced("\"captures read\": 2", "\"blocks\": 9, \"captures read\": 2")
        ),
        ["'gleaner.json' has another number of rows of 'blocks' than its log: 9, not 0"]
    );
}

/// A corpus whose file of rejects has a name without a digest, as those of older versions.
fn with_older_names() -> (Folder, String) {
    let folder = complete(1);
    let (output, file) = (folder.output(), parts_of(&folder, "rejects").remove(0));
    let older = "rejects/part-00000.parquet";
    output.put(older, &output.get(&file).unwrap().unwrap()).unwrap();
    output.delete(&file).unwrap();
    let version = format!("rejects/_delta_log/{:020}.json", 0);
    let rename = replaced(file.strip_prefix("rejects/").unwrap(), "part-00000.parquet");
    let log = rename(&output.get(&version).unwrap().unwrap()).unwrap();
    output.put(&version, &log).unwrap();
    (folder, older.to_owned())
}

#[test]
fn files_without_a_digest_in_their_name_are_checked_without_it() {
    let (folder, file) = with_older_names();
    assert_eq!(faults(&folder), [""; 0]);
    assert_eq!(faults_after(&folder, &file, flipped), [""; 0]);
    let without_end = |bytes: &[u8]| {
        let length = bytes.len();
        Some([&bytes[..length - 4], b"XXXX"].concat())
    };
    let long_footer = |bytes: &[u8]| {
        let length = bytes.len();
        Some([&bytes[..length - 8], &[0xff; 4], b"PAR1"].concat())
    };
    let other_footer = |bytes: &[u8]| {
        let length = bytes.len();
        Some([&bytes[..length - 100], &[0xff; 92], &bytes[length - 8..]].concat())
    };
    let damaged = format!("'{file}' is damaged: ");
    for found in [
        faults_after(&folder, &file, without_end),
        faults_after(&folder, &file, long_footer),
        faults_after(&folder, &file, other_footer),
    ] {
        assert!(found.len() == 1 && found[0].starts_with(&damaged), "{found:?}");
    }
}

#[test]
fn long_footers_are_read() {
    let folder = Folder::new();
    let settings = Settings {
        metadata: [("notes".to_owned(), "long ".repeat(100_000))].into(),
        ..Settings::default()
    };
    let corpus = Corpus::resume(folder.output(), &Identity::default(), false, settings).unwrap();
    write::<RejectRow>(&corpus, 2, sample::reject);
    corpus
        .finish(
            [("rejects".to_owned(), 2)].into(),
            serde_json::Map::new(),
            Vec::new(),
            None,
        )
        .unwrap();
    assert_eq!(faults(&folder), [""; 0]);
}

#[test]
fn what_is_no_complete_corpus_is_refused() {
    let folder = Folder::new();
    let refused = |folder: &Folder| {
        let (verified, files) = (
            Corpus::verify(&folder.output(), &Checking::default()).unwrap_err(),
            Corpus::files(&folder.output(), "rejects").unwrap_err(),
        );
        assert_eq!(verified.to_string(), files.to_string());
        verified
    };
    assert!(matches!(refused(&folder), Error::Absent(..)));
    drop(folder.corpus());
    assert!(matches!(refused(&folder), Error::Incomplete(..)));
    folder.output().put(MARKER, b"{}").unwrap();
    assert!(matches!(refused(&folder), Error::DamagedMarker(..)));
}

#[test]
fn files_are_in_the_order_of_the_log() {
    for parts in [4, 2 * Corpus::CHECKPOINT_EVERY as u32 + 5] {
        let folder = Folder::new();
        let corpus = folder.corpus();
        let parts = write::<RejectRow>(&corpus, parts, sample::reject);
        corpus
            .finish([].into(), serde_json::Map::new(), Vec::new(), None)
            .unwrap();
        let expected = parts.iter().map(|part| TableFile {
            name: part.name.clone(),
            rows: Some(1),
            bytes: part.bytes,
        });
        let expected: Vec<TableFile> = expected.collect();
        assert_eq!(Corpus::files(&folder.output(), "rejects").unwrap(), expected);
    }
}

#[test]
fn files_are_those_of_the_version_that_the_marker_names() {
    let folder = Folder::new();
    let corpus = folder.corpus();
    let versions = 2 * Corpus::CHECKPOINT_EVERY as u32 + 5;
    let parts = write::<RejectRow>(&corpus, versions, sample::reject);
    corpus
        .finish([].into(), serde_json::Map::new(), Vec::new(), None)
        .unwrap();
    let output = folder.output();
    let last = u64::from(versions) - 1;
    // Of three versions, the last adds no file.
    for (version, files) in [(last, parts.len()), (150, 101), (100, 68), (4, 4), (0, 1)] {
        let mut marker = Corpus::marker(&output).unwrap().unwrap();
        marker.tables = [("rejects".to_owned(), version)].into();
        output.put(MARKER, &serde_json::to_vec(&marker).unwrap()).unwrap();
        let found = Corpus::files(&output, "rejects").unwrap();
        let names: Vec<&String> = found.iter().map(|file| &file.name).collect();
        let expected: Vec<&String> = parts[..files].iter().map(|part| &part.name).collect();
        assert_eq!(names, expected, "version {version}");
    }
}

#[test]
fn files_of_what_is_not_known_are_refused() {
    let folder = complete(4);
    let refused = |table: &str| {
        let error = Corpus::files(&folder.output(), table).unwrap_err();
        error
            .to_string()
            .replace(folder.root.path().to_str().unwrap(), "")
    };
    assert_eq!(
        refused("blocks"),
        "no table 'blocks' in '/corpus': its tables are documents, rejects, sites"
    );
    let version = format!("rejects/_delta_log/{:020}.json", 1);
    folder.output().delete(&version).unwrap();
    assert_eq!(
        refused("rejects"),
        format!(
            "the files of a table in '/corpus' are not known, because '{version}' is missing: restore it from a copy, \
             or build the corpus again with --force"
        )
    );
}

#[test]
fn a_version_that_never_was_is_named_in_time() {
    let folder = complete(4);
    let later = replaced(
        "\"rejects\": 3,\n    \"sites\": 0",
        "\"rejects\": 9000000000000000000,\n    \"sites\": 0",
    );
    let found = faults_after(&folder, MARKER, later);
    let first = format!("'rejects/_delta_log/{:020}.json' is missing", 4);
    assert_eq!(found[0], first);
    assert!(found.len() <= 1000, "{} faults", found.len());
}
