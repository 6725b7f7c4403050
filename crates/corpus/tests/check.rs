//! The check of a corpus whose files are not those that were written.

use gleaner_corpus::{Corpus, DocumentRow, Part, RejectRow, Row, SiteRow};

use crate::sample::{self, Folder};

/// Writes and commits `parts` files of a table, a row each; of every third part there is none.
pub(crate) fn write<R: Row>(corpus: &Corpus, parts: u32, row: impl Fn(u64) -> R) -> Vec<Part> {
    let mut files = Vec::new();
    for part in 0..parts {
        let first = files.len();
        if part % 3 < 2 {
            let mut writer = corpus.table::<R>(corpus.crawl(), part).unwrap();
            writer.push(&row(u64::from(part))).unwrap();
            files.push(writer.finish().unwrap().wait().unwrap());
        }
        let version = u64::from(part);
        corpus.commit(&R::TABLE, version, &files[first..]).unwrap();
        if version > 0 && version % Corpus::CHECKPOINT_EVERY == 0 {
            corpus.checkpoint(&R::TABLE, version, &files).unwrap();
        }
    }
    files
}

/// A complete corpus of some tables, one of them without rows.
pub(crate) fn complete(parts: u32) -> Folder {
    complete_of(parts, None)
}

/// The same of a crawl that has a name, or of one without.
pub(crate) fn complete_of(parts: u32, crawl: Option<&str>) -> Folder {
    let folder = Folder::new();
    let corpus = folder.corpus_of(crawl);
    let rejects = write::<RejectRow>(&corpus, parts, sample::reject).len() as u64;
    write::<SiteRow>(&corpus, 1, sample::site);
    assert!(
        corpus
            .ensure_table(&DocumentRow::TABLE, corpus.crawl())
            .unwrap()
            .is_some()
    );
    assert!(
        corpus
            .ensure_table(&RejectRow::TABLE, corpus.crawl())
            .unwrap()
            .is_none()
    );
    let totals = [
        ("rejects", rejects),
        ("sites", 1),
        ("documents", 0),
        ("captures read", rejects - 1),
        ("damaged places", 1),
    ];
    let totals = totals.map(|(name, count)| (name.to_owned(), count));
    corpus
        .finish(totals.into(), serde_json::Map::new(), Vec::new(), None)
        .unwrap();
    folder
}

/// The names of a table's files, as the folder has them.
pub(crate) fn parts_of(folder: &Folder, table: &str) -> Vec<String> {
    let files = folder.output().list(table).unwrap().into_iter();
    let is_part = |name: &String| name.ends_with(".parquet") && !name.contains("_delta_log");
    files.map(|file| file.name).filter(is_part).collect()
}

/// The faults that the check finds.
fn faults_of(folder: &Folder) -> Vec<String> {
    let faults = Corpus::check(&folder.output()).unwrap();
    faults.iter().map(ToString::to_string).collect()
}

/// The faults after a change of one file of a corpus, which is undone then.
fn faults_after(folder: &Folder, file: &str, harm: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Vec<String> {
    assert_eq!(faults_of(folder), [""; 0]);
    let (output, there) = (folder.output(), folder.output().get(file).unwrap());
    match harm(there.as_deref().unwrap_or_default()) {
        Some(bytes) => output.put(file, &bytes).unwrap(),
        None => output.delete(file).unwrap(),
    }
    let faults = faults_of(folder);
    match there {
        Some(bytes) => output.put(file, &bytes).unwrap(),
        None => output.delete(file).unwrap(),
    }
    faults
}

pub(crate) fn removed(_: &[u8]) -> Option<Vec<u8>> {
    None
}

pub(crate) fn half(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(bytes[..bytes.len() / 2].to_vec())
}

#[test]
fn files_that_are_missing_or_cut_are_named() {
    let many = Corpus::CHECKPOINT_EVERY as u32 + 5;
    for (parts, crawl) in [(4, None), (many, None), (4, Some("a.b-1")), (many, Some("a.b-1"))] {
        let folder = complete_of(parts, crawl);
        for file in [
            &parts_of(&folder, "rejects")[0],
            &parts_of(&folder, "documents")[0],
        ] {
            assert_eq!(
                faults_after(&folder, file, removed),
                [format!("'{file}' is missing")]
            );
            let said = faults_after(&folder, file, half);
            assert!(
                said[0].starts_with(&format!("'{file}' has ")) && said[0].ends_with(" were written"),
                "{said:?}"
            );
        }
    }
}

#[test]
fn files_of_logs_are_looked_at_from_the_last_checkpoint_on() {
    let every = Corpus::CHECKPOINT_EVERY;
    let folder = complete(every as u32 + 5);
    let version = |number: u64| format!("rejects/_delta_log/{number:020}.json");
    // The last version is known by the marker, which has it even if nothing comes after it.
    for number in [every + 1, every + 4] {
        let file = version(number);
        assert_eq!(
            faults_after(&folder, &file, removed),
            [format!("'{file}' is missing")]
        );
        let said = faults_after(&folder, &file, half);
        assert_eq!(said, [format!("'{file}' is damaged: it ends inside a line")]);
    }
    let checkpoint = format!("rejects/_delta_log/{every:020}.checkpoint.parquet");
    let said = faults_after(&folder, &checkpoint, removed);
    assert_eq!(said, [format!("'{checkpoint}' is missing")]);
    let said = faults_after(&folder, &checkpoint, half);
    assert!(
        said.len() == 1 && said[0].starts_with(&format!("'{checkpoint}' has ")),
        "{said:?}"
    );
    let last = "rejects/_delta_log/_last_checkpoint";
    let said = faults_after(&folder, last, half);
    assert!(
        said.len() == 1 && said[0].starts_with(&format!("'{last}' is damaged: ")),
        "{said:?}"
    );
}

#[test]
fn versions_that_a_checkpoint_stands_for_may_be_gone_together() {
    let every = Corpus::CHECKPOINT_EVERY;
    let folder = complete(every as u32 + 5);
    let version = |number: u64| format!("rejects/_delta_log/{number:020}.json");
    // One in the middle is damage.
    let middle = version(7);
    let said = faults_after(&folder, &middle, removed);
    assert_eq!(said, [format!("'{middle}' is missing")]);
    for number in 0..every {
        folder.output().delete(&version(number)).unwrap();
    }
    assert_eq!(faults_of(&folder), [""; 0]);
}

#[test]
fn tables_and_logs_that_are_gone_are_named_once() {
    for gone in ["rejects", "documents", "rejects/_delta_log"] {
        let folder = complete(4);
        std::fs::remove_dir_all(folder.path().join(gone)).unwrap();
        assert_eq!(faults_of(&folder), [format!("'{gone}' is missing")]);
    }
    let folder = complete(4);
    std::fs::remove_file(folder.path().join("gleaner.json")).unwrap();
    assert_eq!(faults_of(&folder), ["'gleaner.json' is missing"]);
}

#[test]
fn files_that_no_log_names_are_named() {
    let folder = complete(4);
    let other = format!("rejects/{}.parquet", "0".repeat(64));
    // Files of older versions were numbered.
    let of_crawl = other.replace('/', "/crawl=a/");
    for file in [other.as_str(), "rejects/part-00077.parquet", &of_crawl] {
        assert_eq!(
            faults_after(&folder, file, |_| Some(b"PAR1".to_vec())),
            [format!("'{file}' is not in the log of its table")]
        );
    }
    // A version whose last line is lost is known by the file that it does not name.
    let version = format!("rejects/_delta_log/{:020}.json", 1);
    let without_last = |bytes: &[u8]| {
        let end = bytes[..bytes.len() - 1].iter().rposition(|&byte| byte == b'\n');
        Some(bytes[..=end.unwrap()].to_vec())
    };
    let text = folder.output().get(&version).unwrap().unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let added = parts_of(&folder, "rejects");
    let added = added
        .iter()
        .find(|file| text.contains(file.rsplit('/').next().unwrap()));
    assert_eq!(
        faults_after(&folder, &version, without_last),
        [format!("'{}' is not in the log of its table", added.unwrap())]
    );
    // Other files beside them do not matter.
    assert_eq!(
        faults_after(&folder, "rejects/notes.txt", |_| Some(b"mine".to_vec())),
        [""; 0]
    );
}

#[test]
fn files_that_another_program_has_replaced_are_no_faults() {
    let folder = complete(4);
    let part = &parts_of(&folder, "rejects")[0];
    let path = part.strip_prefix("rejects/").unwrap();
    let bytes = folder.output().get(part).unwrap().unwrap();
    let size = bytes.len();
    folder
        .output()
        .put("rejects/part-00000-compact.parquet", &bytes)
        .unwrap();
    let version = format!(
        "{{\"remove\":{{\"path\":\"{path}\",\"dataChange\":false}}}}\n\
         {{\"add\":{{\"path\":\"part-00000-compact.parquet\",\"size\":{size},\"partitionValues\":{{}}}}}}\n"
    );
    folder
        .output()
        .put(&format!("rejects/_delta_log/{:020}.json", 4), version.as_bytes())
        .unwrap();
    assert_eq!(faults_of(&folder), [""; 0]);
    folder.output().delete(part).unwrap();
    assert_eq!(faults_of(&folder), [""; 0]);
}

#[test]
fn parts_are_compared_with_what_is_there() {
    let folder = Folder::new();
    let corpus = folder.corpus();
    let mut parts = write::<RejectRow>(&corpus, 2, sample::reject);
    parts.extend(write::<SiteRow>(&corpus, 1, sample::site));
    let check = || Corpus::check_parts(&folder.output(), &parts).unwrap();
    assert_eq!(check(), []);
    folder.output().put(&parts[0].name, b"PAR1").unwrap();
    folder.output().delete(&parts[2].name).unwrap();
    let names: Vec<String> = check().into_iter().map(|fault| fault.file).collect();
    assert_eq!(names, [parts[0].name.clone(), parts[2].name.clone()]);
}

#[test]
fn corpora_of_earlier_versions_are_checked_by_their_counts() {
    let folder = Folder::new();
    let corpus = folder.corpus();
    let parts = write::<RejectRow>(&corpus, 2, sample::reject);
    corpus
        .finish(
            [
                ("rejects".to_owned(), 2),
                ("documents".to_owned(), 0),
                ("captures read".to_owned(), 2),
            ]
            .into(),
            serde_json::Map::new(),
            Vec::new(),
            None,
        )
        .unwrap();
    let mut marker = Corpus::marker(&folder.output()).unwrap().unwrap();
    marker.tables.clear();
    let marker = serde_json::to_vec(&marker).unwrap();
    folder.output().put("gleaner.json", &marker).unwrap();
    assert_eq!(faults_of(&folder), [""; 0]);
    folder.output().delete(&parts[1].name).unwrap();
    assert_eq!(faults_of(&folder), [format!("'{}' is missing", parts[1].name)]);
}
