//! Whose folder it is.

use gleaner_corpus::{Corpus, DocumentRow, Identity, Inputs, Part, RejectRow, Row, Settings, State};

use crate::sample::{Folder, identity_of, reject};

fn identity(model: &str) -> Identity {
    Identity {
        inputs: Inputs {
            files: 2,
            bytes: 10,
            digest: "d".to_owned(),
        },
        model: model.to_owned(),
        options: [("unit".to_owned(), "line".to_owned())].into(),
    }
}

/// What a run says that wants to write to the folder.
fn said(folder: &Folder, identity: &Identity) -> String {
    let error = Corpus::create(folder.output(), identity, false)
        .unwrap_err()
        .to_string();
    error.replace(folder.root.path().to_str().unwrap(), "")
}

/// Writes files of a table, a row each.
fn write(corpus: &Corpus, parts: u32) -> Vec<Part> {
    let write_one = |part| {
        let mut writer = corpus.table::<RejectRow>(corpus.crawl(), part).unwrap();
        writer.push(&reject(u64::from(part))).unwrap();
        writer.finish().unwrap().wait().unwrap()
    };
    (0..parts).map(write_one).collect()
}

/// The names of `others` and of the files, as a listing has them.
fn with_parts(others: &[&str], parts: &[Part]) -> Vec<String> {
    let others = others.iter().map(|&name| name.to_owned());
    let mut names: Vec<String> = others.chain(parts.iter().map(|part| part.name.clone())).collect();
    names.sort();
    names
}

fn names(folder: &Folder) -> Vec<String> {
    folder
        .output()
        .list("")
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect()
}

#[test]
fn a_run_from_start_to_end() {
    let folder = Folder::new();
    let corpus = Corpus::create(folder.output(), &identity("m"), false).unwrap();
    let parts = write(&corpus, 2);
    let marker = || Corpus::marker(&folder.output()).unwrap().unwrap();
    assert_eq!((marker().state, marker().totals.len()), (State::Building, 0));
    corpus
        .finish(
            [("rejects".to_owned(), 2)].into(),
            serde_json::Map::new(),
            Vec::new(),
            None,
        )
        .unwrap();
    drop(corpus);
    assert_eq!((marker().state, marker().totals["rejects"]), (State::Complete, 2));
    assert_eq!(names(&folder), with_parts(&["gleaner.json"], &parts));
    assert_eq!(
        said(&folder, &identity("m")),
        "'/corpus' holds this corpus already, complete: there is nothing to do; use --force to build it again"
    );
}

#[test]
fn another_corpus_is_refused_with_the_difference() {
    let folder = Folder::new();
    write(
        &Corpus::create(folder.output(), &identity("m"), false).unwrap(),
        3,
    );
    let other = Identity {
        inputs: Inputs {
            files: 3,
            ..identity("n").inputs
        },
        options: [("unit".to_owned(), "tag".to_owned())].into(),
        ..identity("n")
    };
    assert_eq!(
        said(&folder, &other),
        "'/corpus' holds another corpus (inputs: 2 files of 10 bytes in the corpus, 3 files of 10 bytes in this command; model: 'm' in the corpus, 'n' in this command; unit: 'line' in the corpus, 'tag' in this command): choose another folder, or use --force to replace it"
    );
    assert_eq!(names(&folder).len(), 4, "nothing was touched");
    let parts = write(&Corpus::create(folder.output(), &other, true).unwrap(), 1);
    assert_eq!(names(&folder), with_parts(&["gleaner.json"], &parts));
}

#[test]
fn other_files_are_refused_and_never_touched() {
    let folder = Folder::new();
    folder.output().put("rejects/mine.txt", b"x").unwrap();
    folder.output().put("part-00000.parquet", b"x").unwrap();
    assert_eq!(
        said(&folder, &identity("m")),
        "'/corpus' holds other files, such as 'part-00000.parquet': choose an empty folder, or use --force to write beside them"
    );
    Corpus::create(folder.output(), &identity("m"), true).unwrap();
    assert_eq!(
        names(&folder),
        ["gleaner.json", "part-00000.parquet", "rejects/mine.txt"]
    );

    let folder = Folder::new();
    folder.output().put("gleaner.json", b"{}").unwrap();
    assert!(
        said(&folder, &identity("m"))
            .starts_with("'/corpus/gleaner.json' is not the marker of a corpus (missing field")
    );
}

#[test]
fn an_interrupted_run_is_begun_again() {
    let folder = Folder::new();
    let corpus = Corpus::create(folder.output(), &identity("m"), false).unwrap();
    write(&corpus, 2);
    std::mem::forget(corpus.table::<RejectRow>(corpus.crawl(), 2).unwrap());
    assert!(names(&folder).contains(&"rejects/.part-00002.parquet.partial".to_owned()));
    drop(corpus);
    Corpus::create(folder.output(), &identity("m"), false).unwrap();
    assert_eq!(names(&folder), ["gleaner.json"]);
}

#[test]
fn a_file_without_rows_that_a_killed_run_wrote_is_written_again() {
    let folder = Folder::new();
    let corpus = Corpus::create(folder.output(), &identity("m"), false).unwrap();
    let commit = || (0..3).for_each(|version| corpus.commit(&RejectRow::TABLE, version, &[]).unwrap());
    commit();
    assert!(
        corpus
            .ensure_table(&RejectRow::TABLE, corpus.crawl())
            .unwrap()
            .is_some()
    );
    let contents = || {
        let output = folder.output();
        let bytes = |name: String| (output.get(&name).unwrap(), name);
        names(&folder).into_iter().map(bytes).collect::<Vec<_>>()
    };
    let expected = contents();
    assert_eq!(
        expected
            .iter()
            .filter(|(_, name)| name.ends_with(".json"))
            .count(),
        5
    );
    // The next run continues from what is noted, which is without it.
    let noted = Corpus::log_files(&RejectRow::TABLE, 3).chain(["gleaner.json".to_owned()]);
    corpus.keep(&noted.collect()).unwrap();
    assert_eq!(corpus.versions(&RejectRow::TABLE).unwrap(), 3);
    commit();
    assert!(
        corpus
            .ensure_table(&RejectRow::TABLE, corpus.crawl())
            .unwrap()
            .is_some()
    );
    assert!(
        corpus
            .ensure_table(&RejectRow::TABLE, corpus.crawl())
            .unwrap()
            .is_none()
    );
    assert!(contents() == expected);
}

#[test]
fn a_folder_is_one_runs_own() {
    let folder = Folder::new();
    let corpus = Corpus::create(folder.output(), &identity("m"), false).unwrap();
    let parts = write(&corpus, 1);
    for force in [false, true] {
        let error = Corpus::create(folder.output(), &identity("m"), force)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("is being written by process {} on ", std::process::id())),
            "{error}"
        );
    }
    assert_eq!(
        names(&folder),
        with_parts(&["gleaner.json", "gleaner.lock"], &parts)
    );
    drop(corpus);
    Corpus::create(folder.output(), &identity("m"), false).unwrap();
    assert_eq!(names(&folder), ["gleaner.json"]);
}

#[test]
fn files_are_named_by_the_digests_of_their_bytes() {
    let folder = Folder::new();
    let corpus = Corpus::create(folder.output(), &identity("m"), false).unwrap();
    let parts = write(&corpus, 2);
    for part in &parts {
        let bytes = folder.output().get(&part.name).unwrap().unwrap();
        assert_eq!(part.name, format!("rejects/{}.parquet", blake3::hash(&bytes)));
        assert_eq!(part.bytes, bytes.len() as u64);
    }
    // The same rows make the same file.
    assert_eq!(write(&corpus, 2), parts);
    assert_ne!(parts[0].name, parts[1].name);
}

#[test]
fn a_named_crawl_has_a_folder_in_each_table() {
    let folder = Folder::new();
    let corpus = folder.corpus_of(Some("a.b-1"));
    let parts = write(&corpus, 2);
    let file = |part: &Part| part.name.strip_prefix("rejects/crawl=a.b-1/").unwrap().to_owned();
    // The rows do not have the name: they are the same in another crawl.
    let other = Folder::new();
    let expected = write(&other.corpus(), 2);
    let expected: Vec<&str> = expected
        .iter()
        .map(|part| &part.name["rejects/".len()..])
        .collect();
    assert_eq!(parts.iter().map(file).collect::<Vec<_>>(), expected);
    assert!(
        corpus
            .ensure_table(&RejectRow::TABLE, corpus.crawl())
            .unwrap()
            .is_none()
    );
    assert!(
        corpus
            .ensure_table(&DocumentRow::TABLE, corpus.crawl())
            .unwrap()
            .is_some()
    );
    let names = names(&folder);
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("documents/crawl=a.b-1/"))
            .count(),
        1
    );
    assert!(names.contains(&"documents/_delta_log/00000000000000000000.json".to_owned()));
}

#[test]
fn a_corpus_keeps_the_name_of_its_crawl() {
    let folder = Folder::new();
    write(&folder.corpus_of(Some("a.b-1")), 1);
    for (crawl, difference) in [
        (Some("c"), "'a.b-1' in the corpus, 'c' in this command"),
        (None, "'a.b-1' in the corpus, not set in this command"),
    ] {
        assert_eq!(
            said(&folder, &identity_of(crawl)),
            format!(
                "'/corpus' holds another corpus (crawl: {difference}): choose another folder, or use --force to replace it"
            )
        );
    }
    // What another crawl left goes with --force.
    for crawl in [Some("c"), None, Some("d")] {
        let corpus = Corpus::create(folder.output(), &identity_of(crawl), true).unwrap();
        let parts = write(&corpus, 1);
        drop(corpus);
        assert_eq!(names(&folder), with_parts(&["gleaner.json"], &parts));
    }
    let bad = "'../a' cannot be the name of a crawl: use 1 to 128 of the letters a-z and A-Z, the digits, '.', '_' and '-', and do \
               not begin with '.'";
    assert_eq!(said(&Folder::new(), &identity_of(Some("../a"))), bad);
}

#[test]
fn what_a_killed_run_left_of_a_named_crawl_is_kept_or_removed() {
    let folder = Folder::new();
    let identity = identity_of(Some("a.b-1"));
    let corpus = folder.corpus_of(Some("a.b-1"));
    let parts = write(&corpus, 3);
    std::mem::forget(corpus.table::<RejectRow>(corpus.crawl(), 3).unwrap());
    assert!(names(&folder).contains(&"rejects/crawl=a.b-1/.part-00003.parquet.partial".to_owned()));
    folder.output().put("rejects/crawl=a.b-1/mine.txt", b"x").unwrap();
    drop(corpus);
    let corpus = Corpus::resume(folder.output(), &identity, false, Settings::default()).unwrap();
    assert!(corpus.continues());
    let kept = [parts[1].name.clone()].into();
    corpus.keep(&kept).unwrap();
    drop(corpus);
    let others = ["gleaner.json", "rejects/crawl=a.b-1/mine.txt"];
    assert_eq!(names(&folder), with_parts(&others, &parts[1..2]));
}

#[cfg(unix)]
#[test]
fn the_folder_of_a_crawl_is_no_link() {
    let (folder, elsewhere) = (Folder::new(), tempfile::tempdir().unwrap());
    let table = folder.path().join("sites");
    std::fs::create_dir_all(&table).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), table.join("crawl=a")).unwrap();
    let error = Corpus::create(folder.output(), &identity_of(Some("a")), true).unwrap_err();
    assert!(error.to_string().contains("sites/crawl=a"), "{error}");
}
