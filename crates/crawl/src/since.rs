//! An earlier crawl: what it has of a URL, found by an index of places, about 50 bytes a page.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use gleaner_warc::{
    Format, Options, PROBE_BYTES, ReadSource, Reader, Record, RecordType, Step, Wanted, http, probe,
};
use rustc_hash::FxHashMap;
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::Error;

/// The captures of an earlier crawl.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    files: Vec<(PathBuf, Format)>,
    index: FxHashMap<u64, Place>,
}

/// Where a capture is, and the record about it.
#[derive(Clone, Copy, Debug)]
struct Place {
    file: u32,
    date: i64,
    capture: u64,
    metadata: Option<u64>,
}

/// What an earlier crawl has of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Previous {
    pub(crate) status: u16,
    pub(crate) payload_digest: String,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) location: Option<String>,
    /// The capture that has the body: id, address and date, as they are written there.
    pub(crate) record_id: String,
    pub(crate) target_uri: String,
    pub(crate) date: String,
}

impl Earlier {
    /// Reads archives. Captures that share a compressed member with others have no place, and are fetched again.
    pub(crate) fn read(files: &[PathBuf]) -> Result<Earlier, Error> {
        let mut earlier = Earlier::default();
        for path in files {
            let (file, format) = open(path)?;
            let options = Options {
                format: Some(format),
                wanted: Wanted::NONE
                    .with(RecordType::Response)
                    .with(RecordType::Revisit)
                    .with(RecordType::Metadata),
                ..Options::default()
            };
            let number = earlier.files.len() as u32;
            let name = path.to_string_lossy();
            let mut reader = Reader::new(ReadSource::new(file), &*name, options);
            loop {
                match reader.step()? {
                    Step::Record(record) => earlier.add(number, &record),
                    Step::Reject(_) | Step::Pending => {}
                    Step::End => break,
                }
            }
            earlier.files.push((path.clone(), format));
        }
        Ok(earlier)
    }

    fn add(&mut self, file: u32, record: &Record<'_>) {
        let key = xxh3_64(record.target_uri.as_bytes());
        let date = record.date.unwrap_or_default();
        if record.inner > 0 || record.target_uri.is_empty() {
            return;
        }
        if record.kind == RecordType::Metadata {
            let place = self.index.get_mut(&key);
            if let Some(place) = place.filter(|place| place.file == file && is_of_capture(record)) {
                place.metadata = Some(record.offset);
            }
            return;
        }
        let is_newer = |known: &Place| known.date <= date;
        if self.index.get(&key).is_none_or(is_newer) {
            self.index.insert(
                key,
                Place {
                    file,
                    date,
                    capture: record.offset,
                    metadata: None,
                },
            );
        }
    }

    /// What the earlier crawl has of a URL; nothing if that cannot be read any more.
    pub(crate) fn of(&self, url: &Url) -> Option<Previous> {
        let place = self.index.get(&xxh3_64(url.as_str().as_bytes()))?;
        let previous = self.record(place.file, place.capture, previous)??;
        let is_it = previous.1 == url.as_str();
        is_it.then_some(previous.0)
    }

    /// The lines of the record about the capture of a URL, with the links of its page.
    pub(crate) fn metadata(&self, url: &Url) -> Option<String> {
        let place = self.index.get(&xxh3_64(url.as_str().as_bytes()))?;
        self.record(place.file, place.metadata?, |record| {
            String::from_utf8_lossy(record.content).into_owned()
        })
    }

    /// The HTTP message of the capture of a URL, if it has a body.
    pub(crate) fn message(&self, url: &Url) -> Option<Vec<u8>> {
        let place = self.index.get(&xxh3_64(url.as_str().as_bytes()))?;
        self.record(place.file, place.capture, |record| {
            (record.kind == RecordType::Response).then(|| record.content.to_vec())
        })?
    }

    fn record<T>(&self, file: u32, offset: u64, take: impl FnOnce(&Record<'_>) -> T) -> Option<T> {
        let (path, format) = &self.files[file as usize];
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(offset)).ok()?;
        let options = Options {
            range: offset..offset + 1,
            format: Some(*format),
            ..Options::default()
        };
        let mut reader = Reader::new(ReadSource::new(file), &*path.to_string_lossy(), options);
        match reader.step().ok()? {
            Step::Record(record) => Some(take(&record)),
            _ => None,
        }
    }
}

/// Opens an archive, and finds out what it is.
fn open(path: &Path) -> Result<(File, Format), Error> {
    let mut file = File::open(path).map_err(Error::read(path))?;
    let mut head = Vec::new();
    let read = Read::by_ref(&mut file)
        .take(PROBE_BYTES as u64)
        .read_to_end(&mut head);
    read.and_then(|_| file.rewind()).map_err(Error::read(path))?;
    let format = probe(&head, &path.to_string_lossy())?;
    Ok((file, format))
}

/// Whether a record is about a capture, and not about the crawl or a file.
fn is_of_capture(record: &Record<'_>) -> bool {
    record.content_type.starts_with("application/warc-fields")
}

/// What a capture has of its URL, and the URL.
fn previous(record: &Record<'_>) -> Option<(Previous, String)> {
    let mut scratch = http::Scratch::default();
    let message = http::parse(record.content, &mut scratch, &http::Limits::default()).ok()?;
    let header = |name| {
        let value = message.headers.get(name)?;
        std::str::from_utf8(value).ok().map(str::to_owned)
    };
    // A revisit names the capture that has the body.
    let of_field = |name: &str| {
        record
            .field(name)
            .map(|value| value.trim_matches(['<', '>']).to_owned())
    };
    let date = record.field("WARC-Date").unwrap_or_default().to_owned();
    let previous = Previous {
        // (A server that says "not modified" has the page still.)
        status: if message.status == 304 {
            200
        } else {
            message.status
        },
        payload_digest: record.payload_digest.to_owned(),
        etag: header("etag"),
        last_modified: header("last-modified"),
        location: header("location"),
        record_id: record
            .field("WARC-Refers-To")
            .unwrap_or(record.record_id)
            .to_owned(),
        target_uri: of_field("WARC-Refers-To-Target-URI").unwrap_or_else(|| record.target_uri.to_owned()),
        date: of_field("WARC-Refers-To-Date").unwrap_or(date),
    };
    Some((previous, record.target_uri.to_owned()))
}
