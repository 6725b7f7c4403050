//! Reading a unit: from the bytes of its shards to captures, and to the entries that need no
//! further work.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::RejectRow;
use gleaner_store::{Poll, Shard, Stream};
use gleaner_warc::{Chunk, Format, Options, Reader, Source, Wanted, http};

use crate::Epoch;
use crate::capture;
use crate::job::{Job, Progress};
use crate::ledger::Assignment;
use crate::message::{Capture, End, Entry, Place, Seam, Start};
use crate::plan::Piece;

/// What comes out of a unit.
pub(crate) enum Read {
    Capture(Box<Capture>),
    Entry(Entry),
}

/// How far a step came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There is more to do.
    More,
    /// Nothing can be done before more bytes arrive.
    Pending,
    /// The unit is read.
    End,
}

/// A step ends after so many bytes of pages, so that a worker's other stages get their turn.
const STEP_BYTES: usize = 1 << 20;
/// And after so many records, wanted or not.
const STEP_RECORDS: usize = 64;

/// Where a unit's entries go.
pub(crate) type Give<'a> = &'a mut dyn FnMut(Place, Read);

/// Reads the pieces of a unit one after the other.
pub(crate) struct UnitReader {
    job: Arc<Job>,
    assignment: Assignment,
    piece: usize,
    open: Option<PieceReader>,
    entry: u32,
    started: bool,
    end: End,
    records: BTreeMap<&'static str, u64>,
    scratch: http::Scratch,
}

/// A reader at work on a piece.
struct PieceReader {
    reader: Reader<Shardwise>,
    range: Range<u64>,
}

impl UnitReader {
    pub(crate) fn new(job: &Arc<Job>, assignment: Assignment) -> UnitReader {
        UnitReader {
            job: Arc::clone(job),
            assignment,
            piece: 0,
            open: None,
            entry: 0,
            started: false,
            end: End::default(),
            records: BTreeMap::new(),
            scratch: http::Scratch::default(),
        }
    }

    pub(crate) fn epoch(&self) -> Epoch {
        self.assignment.epoch
    }

    /// Reads on for a little while.
    pub(crate) fn step(&mut self, give: Give<'_>) -> Step {
        let mut bytes = 0;
        for _ in 0..STEP_RECORDS {
            let Some(piece) = self.pieces().get(self.piece).cloned() else {
                self.finish(give);
                return Step::End;
            };
            match self.advance(&piece, give) {
                Ok(Some(read)) => bytes += read,
                Ok(None) => return Step::Pending,
                Err(failure) => self.fail(&piece, failure, give),
            }
            if bytes >= STEP_BYTES {
                break;
            }
        }
        Step::More
    }

    fn pieces(&self) -> &[Piece] {
        &self.job.plan.parts[self.assignment.epoch as usize].units[self.assignment.unit as usize].pieces
    }

    /// Takes the next record of a piece; gives the bytes of its page, or nothing if it has to wait.
    fn advance(&mut self, piece: &Piece, give: Give<'_>) -> Result<Option<usize>, gleaner_warc::Error> {
        // A record before the piece may reach beyond it: then nothing of it is left to read, and
        // the one after it begins where that record ends (or nowhere, at the end of the shard).
        if let Some(start) = self.assignment.start.filter(|&start| start >= piece.range.end) {
            self.start(piece, None, give);
            self.end_piece(piece, Some(start).filter(|&start| start != u64::MAX));
            return Ok(Some(0));
        }
        let mut open = match self.open.take() {
            Some(open) => open,
            None => open_piece(&self.job, piece, self.assignment.start)?,
        };
        let step = open.reader.step()?;
        if let gleaner_warc::Step::Pending = step {
            self.open = Some(open);
            return Ok(None);
        }
        let shard = &self.job.clone().shards[piece.shard];
        let mut scratch = std::mem::take(&mut self.scratch);
        let (found, bytes, is_end) = match step {
            gleaner_warc::Step::Record(record) => {
                let limits = http::Limits {
                    body_bytes: self.job.record_bytes,
                    ..http::Limits::default()
                };
                let read = capture::read(shard, &record, &mut scratch, &limits);
                let bytes = read.as_ref().map_or(0, |capture| capture.body.len());
                self.end.captures += 1;
                (
                    Some(read.map_or_else(
                        |refusal| rejected(*refusal),
                        |capture| Read::Capture(Box::new(capture)),
                    )),
                    bytes,
                    false,
                )
            }
            gleaner_warc::Step::Reject(reject) => {
                self.end.damage += 1;
                (
                    Some(Read::Entry(Entry::Reject(Box::new(capture::damage(
                        shard, &reject,
                    ))))),
                    0,
                    false,
                )
            }
            gleaner_warc::Step::Pending | gleaner_warc::Step::End => (None, 0, true),
        };
        self.scratch = scratch;
        self.end.page_bytes += bytes as u64;
        if !self.started {
            self.start(piece, open.reader.first_offset(), give);
        }
        found.into_iter().for_each(|found| self.give(found, give));
        if is_end {
            self.count(open.reader.counts());
            let next = open.reader.next_offset();
            debug_assert!(open.range == piece.range || self.assignment.start.is_some());
            self.end_piece(piece, next);
        } else {
            self.open = Some(open);
        }
        Ok(Some(bytes))
    }

    /// A shard that can't be read, or not to its end, is a reject of its own.
    fn fail(&mut self, piece: &Piece, failure: gleaner_warc::Error, give: Give<'_>) {
        let shard = &self.job.clone().shards[piece.shard];
        if !self.started {
            self.start(piece, None, give);
        }
        self.end.damage += 1;
        self.give(
            rejected(capture::unreadable(shard, piece.range.start, &failure)),
            give,
        );
        self.end_piece(piece, None);
    }

    fn start(&mut self, piece: &Piece, record: Option<u64>, give: Give<'_>) {
        self.started = true;
        // A unit that is read again begins where its neighbour's end has shown.
        let record = match self.assignment.start {
            Some(u64::MAX) => None,
            Some(start) => Some(start),
            None => record,
        };
        let seam = piece.continues.then_some(Seam {
            shard: piece.shard,
            at: piece.range.start,
            record,
        });
        self.give(Read::Entry(Entry::Start(Start { seam })), give);
    }

    fn end_piece(&mut self, piece: &Piece, next: Option<u64>) {
        match piece.range.end {
            u64::MAX => self.end.shards += 1,
            at => {
                self.end.seam = Some(Seam {
                    shard: piece.shard,
                    at,
                    record: next,
                })
            }
        }
        self.open = None;
        self.piece += 1;
    }

    fn count(&mut self, counts: &gleaner_warc::Counts) {
        for (kind, count) in counts.iter() {
            *self.records.entry(kind.as_str()).or_default() += count;
        }
    }

    fn finish(&mut self, give: Give<'_>) {
        let mut end = std::mem::take(&mut self.end);
        end.records = std::mem::take(&mut self.records)
            .into_iter()
            .map(|(kind, count)| (kind.to_owned(), count))
            .collect();
        self.give(Read::Entry(Entry::End(end)), give);
    }

    fn give(&mut self, read: Read, give: Give<'_>) {
        let Assignment {
            epoch, unit, attempt, ..
        } = self.assignment;
        give(
            Place {
                epoch,
                unit,
                attempt,
                entry: self.entry,
            },
            read,
        );
        self.entry += 1;
    }
}

fn rejected(row: RejectRow) -> Read {
    Read::Entry(Entry::Reject(Box::new(row)))
}

fn open_piece(job: &Arc<Job>, piece: &Piece, start: Option<u64>) -> Result<PieceReader, gleaner_warc::Error> {
    let shard = &job.shards[piece.shard];
    let range = start.unwrap_or(piece.range.start)..piece.range.end;
    let stream = job
        .store
        .open(shard, range.start, None)
        .map_err(|error| gleaner_warc::Error::Source {
            file: shard.name.clone(),
            offset: range.start,
            source: io::Error::other(error),
        })?;
    let mut options = Options {
        range: range.clone(),
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    options.format = job.formats[piece.shard];
    options.limits.record_bytes = job.record_bytes;
    let source = Shardwise {
        stream,
        progress: Arc::clone(&job.progress),
        left: planned_bytes(&piece.range, shard),
    };
    Ok(PieceReader {
        reader: Reader::new(source, shard.name.clone(), options),
        range,
    })
}

fn planned_bytes(range: &Range<u64>, shard: &Shard) -> u64 {
    let end = shard.size.map_or(range.end, |size| size.min(range.end));
    end.saturating_sub(range.start)
}

/// A shard's stream as the reader's source; tells the progress bar what was read.
struct Shardwise {
    stream: Stream,
    progress: Arc<Progress>,
    /// Bytes of the plan that are not counted yet: a range is read a little beyond its end, which
    /// is the next one's to count.
    left: u64,
}

impl Source for Shardwise {
    fn next(&mut self) -> io::Result<Chunk> {
        Ok(match self.stream.poll()? {
            Poll::Data(bytes) => {
                let counted = self.left.min(bytes.len() as u64);
                self.left -= counted;
                self.progress.stored_bytes.fetch_add(counted, Relaxed);
                Chunk::Data(bytes)
            }
            Poll::Pending => Chunk::Pending,
            Poll::End => Chunk::End,
        })
    }
}

/// The format of a shard that may be split, from its first bytes; `None` where they can't be read
/// or say nothing, which its reader will tell.
pub(crate) fn look(job_store: &gleaner_store::Store, shard: &Shard) -> Option<Format> {
    let mut stream = job_store.open(shard, 0, None).ok()?;
    let mut head: Vec<u8> = Vec::new();
    while head.len() < gleaner_warc::PROBE_BYTES {
        match stream.wait().ok()? {
            Some(bytes) => {
                head.extend_from_slice(&bytes[..bytes.len().min(gleaner_warc::PROBE_BYTES - head.len())])
            }
            None => break,
        }
    }
    gleaner_warc::probe(&head, &shard.name).ok()
}
