//! One capture of an archive, by its place.

use std::io;

use gleaner_corpus::DocumentRow;
use gleaner_store::{Shard, Store, Stream};
use gleaner_warc::{Chunk, Error, Options, Reader, Source, Step, Wanted, http};

use crate::data::key::SiteOf;
use crate::data::message::Capture;
use crate::plan::formats;
use crate::read::capture::{self, NamedFile};

/// Reads the capture of a document again; none if `shard` has another record at its place, or none. `record_bytes` is the largest
/// record. Waits for the store.
///
/// # Errors
/// The file cannot be read, or is no archive.
pub fn find_capture(
    store: &Store,
    shard: &Shard,
    document: &DocumentRow,
    record_bytes: usize,
) -> Result<Option<Capture>, Error> {
    let format = formats::look(store, shard);
    // Where reading cannot begin at a record, all before it is read.
    let format = format.filter(|format| format.splittable && !format.page && shard.is_seekable());
    let start = format.map_or(0, |_| document.warc_offset);
    let opened = store.open(shard, start, None);
    let stream = opened.map_err(|error| Error::Source {
        file: shard.location.clone(),
        offset: start,
        source: error.into(),
    })?;
    let mut options = Options {
        range: start..u64::MAX,
        wanted: Wanted::CAPTURES,
        format: format.filter(|_| start > 0),
        ..Options::default()
    };
    options.limits.record_bytes = record_bytes;
    let mut reader = Reader::new(Waiting(stream), shard.location.clone(), options);
    let limits = http::Limits {
        body_bytes: record_bytes,
        ..http::Limits::default()
    };
    let mut scratch = http::Scratch::default();
    loop {
        let record = match reader.step()? {
            Step::End => return Ok(None),
            Step::Pending | Step::Reject(_) => continue,
            Step::Record(record) => record,
        };
        if record.offset > document.warc_offset {
            return Ok(None);
        }
        // Several records may share a compressed member.
        let is_there = record.offset == document.warc_offset;
        let named = NamedFile::of(shard);
        let read = is_there.then(|| capture::read(named, &record, &mut scratch, &limits, SiteOf::Host));
        let own = read.and_then(Result::ok).filter(|capture| {
            let found = &capture.document;
            (&found.url, found.crawl_date) == (&document.url, document.crawl_date)
        });
        if own.is_some() {
            return Ok(own);
        }
    }
}

/// A stream that waits for its bytes.
struct Waiting(Stream);

impl Source for Waiting {
    fn next(&mut self) -> io::Result<Chunk> {
        Ok(self.0.wait()?.map_or(Chunk::End, Chunk::Data))
    }
}
