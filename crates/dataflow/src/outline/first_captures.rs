//! The first captures of a crawl, for a build of a few pages: in which inputs they are, and where they end.
//!
//! The inputs are read in their order, as far as it takes, and only to count: no page is parsed. So the captures that
//! are built do not depend on workers, and inputs behind them are never opened.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use gleaner_corpus::Unread;
use gleaner_store::{Shard, Store, Stream};
use gleaner_warc::{Chunk, Format, Options, Reader, Source, Step, Wanted};

use crate::error::Error;
use crate::plan::PlanSizes;
use crate::read::capture;

/// The inputs of a build, and how they are to be cut.
pub(crate) struct Inputs<'a> {
    pub(crate) store: &'a Store,
    pub(crate) shards: Vec<Shard>,
    pub(crate) formats: Vec<Option<Format>>,
    pub(crate) cutting: Cutting,
}

/// How inputs are cut: as the same fields of [`BuildConfig`](crate::BuildConfig) say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cutting {
    /// Sizes of parts and units.
    pub sizes: PlanSizes,
    /// How many captures are read; none where it is all.
    pub limit: Option<u64>,
    /// The largest record, in bytes.
    pub record_bytes: usize,
    /// Whether inputs that cannot be read may be left out.
    pub allow_missing: bool,
}

/// Where the last of some inputs ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) captures: u64,
    /// Bytes of it that hold them, as stored.
    pub(crate) bytes: u64,
}

/// Drops the inputs behind the first `limit` captures, and says where the last of the others ends; nothing where
/// there are no more captures than that. An input that cannot be read ends the build, or is left out.
pub(crate) fn cut(
    inputs: &mut Inputs<'_>,
    limit: u64,
    left_out: &mut Vec<Unread>,
    stop: &AtomicBool,
) -> Result<Option<Cut>, Error> {
    let (mut at, mut left) = (0, limit);
    while at < inputs.shards.len() && !stop.load(Relaxed) {
        let shard = &inputs.shards[at];
        let found = match count(inputs.store, shard, left, inputs.cutting.record_bytes, stop) {
            Ok(found) => found,
            Err(source) => {
                let missing = capture::missing(&shard.location, &source);
                if !inputs.cutting.allow_missing {
                    return Err(Error::Incomplete {
                        missing: vec![missing],
                    });
                }
                left_out.push(missing);
                inputs.shards.remove(at);
                inputs.formats.remove(at);
                continue;
            }
        };
        at += 1;
        left -= found.captures;
        if left == 0 {
            inputs.shards.truncate(at);
            inputs.formats.truncate(at);
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Counts the captures of an input, `most` of them at most.
fn count(store: &Store, shard: &Shard, most: u64, record_bytes: usize, stop: &AtomicBool) -> io::Result<Cut> {
    let stream = store.open(shard, 0, None).map_err(io::Error::other)?;
    let mut options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    options.limits.record_bytes = record_bytes;
    let mut reader = Reader::new(WaitingSource(stream), shard.location.clone(), options);
    let mut found = Cut {
        captures: 0,
        bytes: 0,
    };
    while found.captures < most && !stop.load(Relaxed) {
        match reader.step() {
            Ok(Step::Record(record)) => {
                found.captures += 1;
                found.bytes = record.offset + record.length;
            }
            Ok(Step::Reject(_)) => {}
            // The source waits by itself.
            Ok(Step::Pending | Step::End) => break,
            Err(gleaner_warc::Error::Source { source, .. }) => return Err(source),
            // It is no archive: that is a reject of the build.
            Err(_) => break,
        }
    }
    Ok(found)
}

/// A stream that is waited for.
struct WaitingSource(Stream);

impl Source for WaitingSource {
    fn next(&mut self) -> io::Result<Chunk> {
        Ok(match self.0.wait()? {
            Some(bytes) => Chunk::Data(bytes),
            None => Chunk::End,
        })
    }
}
