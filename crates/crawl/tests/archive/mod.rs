//! Records of an archive, read back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gleaner_warc::{Options, PayloadDigest, ReadSource, Reader, RecordType, Step, http};

/// A record, as far as tests look at it.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) kind: RecordType,
    pub(crate) url: String,
    pub(crate) id: String,
    pub(crate) fields: BTreeMap<String, String>,
    pub(crate) content: Vec<u8>,
}

impl Stored {
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map(String::as_str).unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.content).into_owned()
    }

    /// The status and the body, its codings undone.
    pub(crate) fn message(&self) -> (u16, String) {
        let mut scratch = http::Scratch::default();
        let message = http::parse(&self.content, &mut scratch, &http::Limits::default()).unwrap();
        (message.status, String::from_utf8_lossy(message.body).into_owned())
    }
}

/// The records of a file; each is sound, and its digests are right.
pub(crate) fn records(path: &Path) -> Vec<Stored> {
    let file = std::fs::File::open(path).unwrap();
    let mut reader = Reader::new(
        ReadSource::new(file),
        &*path.to_string_lossy(),
        Options::default(),
    );
    let mut records = Vec::new();
    loop {
        let record = match reader.step().unwrap() {
            Step::Record(record) => record,
            Step::Reject(reject) => panic!("{reject:?}"),
            Step::Pending => unreachable!(),
            Step::End => return records,
        };
        assert_eq!((record.damage, record.inner), (None, 0));
        let header = String::from_utf8(record.header.to_vec()).unwrap();
        let fields = header.lines().filter_map(|line| line.split_once(": "));
        let stored = Stored {
            kind: record.kind,
            url: record.target_uri.to_owned(),
            id: record.record_id.to_owned(),
            fields: fields
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            content: record.content.to_vec(),
        };
        let mut digest = PayloadDigest::default();
        digest.update(&stored.content);
        assert_eq!(stored.field("WARC-Block-Digest"), digest.finish());
        records.push(stored);
    }
}

/// The files of an archive of that name, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
        .collect();
    files.sort();
    files
}

/// Responses and revisits by URL without scheme and port; each URL has one.
pub(crate) fn captures(records: &[Stored]) -> BTreeMap<String, Stored> {
    let mut captures = BTreeMap::new();
    for record in records {
        if matches!(record.kind, RecordType::Response | RecordType::Revisit) {
            let twice = captures.insert(short(&record.url), record.clone());
            assert!(twice.is_none(), "{} is there twice", record.url);
        }
    }
    captures
}

/// `a.test/p/1` of `http://a.test:1234/p/1`.
pub(crate) fn short(url: &str) -> String {
    let url = url::Url::parse(url).unwrap();
    format!("{}{}", url.host_str().unwrap(), &url[url::Position::BeforePath..])
}
