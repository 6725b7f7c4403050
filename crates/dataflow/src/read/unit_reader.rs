//! Reading a unit: from the bytes of its shards to captures and rejects.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use gleaner_corpus::RejectRow;
use gleaner_store::{Poll, Shard, Stream};
use gleaner_warc::{Chunk, Options, Reader, Source, Wanted, http};

use crate::data::archive_read::{Outcome, PieceRead};
use crate::data::message::{Capture, NO_RECORD, UnitEnd, UnitEnds};
use crate::data::range_digest::RangeHasher;
use crate::data::site_file::SiteFile;
use crate::plan::formats::Look;
use crate::plan::input::Input;
use crate::plan::{Piece, Unit};
use crate::read::capture::{self, NamedFile};
use crate::settings::Settings;
use crate::watch::{self, Progress};

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

/// What comes out of a unit, and the number of the shard that it is from.
pub(crate) struct Read {
    pub(crate) shard: usize,
    pub(crate) what: WhatIsRead,
    /// The file of a site that it is, too.
    pub(crate) site_file: Option<Box<SiteFile>>,
}

pub(crate) enum WhatIsRead {
    Capture(Box<Capture>),
    Reject(Box<RejectRow>),
}

/// Maximum bytes of pages per step: they are in memory until they are extracted.
const STEP_BYTES: usize = 1 << 20;
/// Maximum records per step, wanted or not.
const STEP_RECORDS: usize = 64;

/// Takes what comes out of a unit.
pub(crate) type Give<'a> = &'a mut dyn FnMut(Read);

/// Reads the pieces of a unit one after the other.
pub(crate) struct UnitReader<'a> {
    input: &'a Input,
    settings: &'a Settings,
    progress: &'a Arc<Progress>,
    unit: &'a Unit,
    /// Where its first record begins, if the unit before it has shown that.
    begin: Option<u64>,
    piece: usize,
    open: Option<Reader<Shardwise>>,
    /// A look at its shard, before that.
    look: Option<Look>,
    end: UnitEnd,
    /// Where its records begin, as soon as that is known, and where they end.
    first: Option<u64>,
    next: u64,
    is_lost: bool,
    /// What is read of the piece.
    read: PieceRead,
    /// Where its records have ended, the rest of its bytes, which only the digest takes, and where the next record begins.
    rest: Option<(Shardwise, Option<u64>)>,
    scratch: http::Scratch,
}

impl<'a> UnitReader<'a> {
    pub(crate) fn new(
        input: &'a Input,
        settings: &'a Settings,
        progress: &'a Arc<Progress>,
        unit: &'a Unit,
        begin: Option<u64>,
    ) -> UnitReader<'a> {
        UnitReader {
            input,
            settings,
            progress,
            unit,
            begin,
            piece: 0,
            open: None,
            look: None,
            end: UnitEnd::default(),
            first: None,
            next: NO_RECORD,
            is_lost: false,
            read: PieceRead::default(),
            rest: None,
            scratch: http::Scratch::default(),
        }
    }

    /// Reads a little.
    pub(crate) fn step(&mut self, give: Give<'_>) -> Step {
        let mut bytes = 0;
        for _ in 0..STEP_RECORDS {
            let Some(piece) = self.unit.pieces.get(self.piece) else {
                return Step::End;
            };
            match self.advance(piece, give) {
                Ok(Some(read)) => bytes += read,
                Ok(None) => return Step::Pending,
                Err(failure) => self.fail(piece, failure, give),
            }
            if bytes >= STEP_BYTES {
                break;
            }
        }
        Step::More
    }

    /// What is known of the unit, after its last step.
    pub(crate) fn finish(self) -> UnitEnd {
        let ends = UnitEnds {
            first: self.begin.or(self.first).unwrap_or(NO_RECORD),
            next: self.next,
        };
        UnitEnd {
            ends: (!self.is_lost).then_some(ends),
            ..self.end
        }
    }

    /// Takes the next record of a piece; gives the bytes of its page, or nothing if it has to wait.
    fn advance(&mut self, piece: &Piece, give: Give<'_>) -> Result<Option<usize>, gleaner_warc::Error> {
        if let Some((source, next)) = self.rest.take() {
            return self.read_rest(piece, source, next);
        }
        // A record before the piece may reach beyond it: then no record is left to read, and
        // the one after it begins where that record ends (or nowhere, at the end of the shard).
        if let Some(begin) = self.begin.filter(|&begin| begin >= piece.range.end) {
            let next = Some(begin).filter(|&begin| begin != NO_RECORD);
            self.rest = Some((self.open_source(piece, piece.range.start)?, next));
            return Ok(Some(0));
        }
        let mut reader = match self.open.take() {
            Some(reader) => reader,
            None if !self.has_format(piece)? => return Ok(None),
            None => self.open_piece(piece)?,
        };
        let captures = self.read.counts.captures;
        if piece.captures.is_some_and(|most| captures >= most) {
            self.count(reader.counts());
            self.read.outcome = Outcome::Limited;
            self.end_piece(piece, None);
            return Ok(Some(0));
        }
        let step = match reader.step() {
            Err(failure @ gleaner_warc::Error::NotAnArchive { .. }) => {
                self.refuse(piece, &failure, give);
                self.rest = Some((reader.into_source(), None));
                return Ok(Some(0));
            }
            step => step?,
        };
        if let gleaner_warc::Step::Pending = step {
            self.open = Some(reader);
            return Ok(None);
        }
        let found = self.take(piece, step);
        self.first = self.first.or(reader.first_offset());
        let Some((read, bytes)) = found else {
            self.count(reader.counts());
            self.note_if_empty(piece, &reader);
            let next = reader.next_offset();
            self.rest = Some((reader.into_source(), next));
            return Ok(Some(0));
        };
        give(read);
        self.open = Some(reader);
        Ok(Some(bytes))
    }

    /// Whether the format is known of a piece for which it has to be: it is looked up if it is not.
    fn has_format(&mut self, piece: &Piece) -> Result<bool, gleaner_warc::Error> {
        if piece.range.start == 0 || self.input.formats.of(piece.shard).is_some() {
            return Ok(true);
        }
        let shard = &self.input.shards[piece.shard];
        let failed = |source| gleaner_warc::Error::Source {
            file: shard.location.clone(),
            offset: piece.range.start,
            source,
        };
        let mut look = match self.look.take() {
            Some(look) => look,
            None => Look::open(&self.input.store, shard).map_err(|error| failed(error.into()))?,
        };
        match look.step(&shard.location).map_err(failed)? {
            Some(format) => {
                self.input.formats.set(piece.shard, format);
                Ok(true)
            }
            None => {
                self.look = Some(look);
                Ok(false)
            }
        }
    }

    fn open_piece(&self, piece: &Piece) -> Result<Reader<Shardwise>, gleaner_warc::Error> {
        let shard = &self.input.shards[piece.shard];
        let start = self.begin.unwrap_or(piece.range.start);
        let source = self.open_source(piece, start)?;
        // At the beginning of a file its reader sees what it is; what is noted of one that is no archive does not say so.
        let format = self.input.formats.of(piece.shard).filter(|_| start > 0);
        let mut options = Options {
            range: start..piece.range.end,
            wanted: Wanted::CAPTURES,
            format,
            ..Options::default()
        };
        options.limits.record_bytes = self.settings.record_bytes;
        Ok(Reader::new(source, shard.location.clone(), options))
    }

    /// The bytes of a piece, of which a reader sees those from `start` on.
    fn open_source(&self, piece: &Piece, start: u64) -> Result<Shardwise, gleaner_warc::Error> {
        let (shard, range) = (&self.input.shards[piece.shard], piece.range.clone());
        watch::opens(&shard.location, range.start);
        let opened = self.input.store.open_range(shard, range.clone(), None);
        let stream = opened.map_err(|error| gleaner_warc::Error::Source {
            file: shard.location.clone(),
            offset: range.start,
            source: io::Error::other(error),
        })?;
        Ok(Shardwise {
            stream,
            progress: Arc::clone(self.progress),
            left: planned_bytes(&range, shard),
            unseen: usize::try_from(start - range.start).expect("a range is shorter than the memory"),
            digest: RangeHasher::new(range.start, range.end),
        })
    }

    /// Reads what the digest of a piece lacks, and ends the piece.
    fn read_rest(
        &mut self,
        piece: &Piece,
        mut source: Shardwise,
        next: Option<u64>,
    ) -> Result<Option<usize>, gleaner_warc::Error> {
        let chunk = match source.digest.is_open() {
            true => source.next(),
            false => Ok(Chunk::End),
        };
        let chunk = chunk.map_err(|failure| gleaner_warc::Error::Source {
            file: self.input.shards[piece.shard].location.clone(),
            offset: piece.range.start,
            source: failure,
        })?;
        match chunk {
            Chunk::Data(bytes) => {
                self.rest = Some((source, next));
                Ok(Some(bytes.len()))
            }
            Chunk::Pending => {
                self.rest = Some((source, next));
                Ok(None)
            }
            Chunk::End => {
                self.read.digest = Some(source.digest.finish());
                self.end_piece(piece, next);
                Ok(Some(0))
            }
        }
    }

    /// What a step of the reader comes to, with the bytes of its page; nothing at the end.
    fn take(&mut self, piece: &Piece, step: gleaner_warc::Step<'_>) -> Option<(Read, usize)> {
        let shard = &self.input.shards[piece.shard];
        match step {
            gleaner_warc::Step::Record(record) => {
                self.read.counts.captures += 1;
                let limits = http::Limits {
                    body_bytes: self.settings.record_bytes,
                    ..http::Limits::default()
                };
                let (file, scratch) = (NamedFile::of(shard), &mut self.scratch);
                let mut site_file = None;
                if self.settings.rights.is_some() {
                    site_file = capture::site_file(file, &record, scratch, &limits);
                }
                let (what, bytes) = match capture::read(file, &record, scratch, &limits, self.settings.site) {
                    Ok(capture) => {
                        let bytes = capture.body.len();
                        self.read.counts.page_bytes += bytes as u64;
                        (WhatIsRead::Capture(Box::new(capture)), bytes)
                    }
                    Err(refusal) => (WhatIsRead::Reject(refusal), 0),
                };
                let read = Read {
                    shard: piece.shard,
                    what,
                    site_file,
                };
                Some((read, bytes))
            }
            gleaner_warc::Step::Reject(reject) => {
                self.read.counts.damage += 1;
                Some((rejected(piece, capture::damage(&shard.name, &reject)), 0))
            }
            gleaner_warc::Step::Pending | gleaner_warc::Step::End => None,
        }
    }

    /// A shard that can't be read to its end is missing: the unit does not count, or the shard is a reject where the
    /// corpus may be complete without it.
    fn fail(&mut self, piece: &Piece, failure: gleaner_warc::Error, give: Give<'_>) {
        let shard = &self.input.shards[piece.shard];
        self.read.outcome = Outcome::Missing;
        if let gleaner_warc::Error::Source { source, .. } = &failure {
            let missing = capture::missing(&shard.location, source);
            tracing::warn!(shard = shard.location, cause = missing.cause, "input not read");
            self.end.missing.push(missing);
            if !self.settings.allow_missing {
                self.is_lost = true;
                return self.end_piece(piece, None);
            }
        }
        self.reject(piece, &failure, give);
        self.end_piece(piece, None);
    }

    /// A shard that is no archive is a reject.
    fn refuse(&mut self, piece: &Piece, failure: &gleaner_warc::Error, give: Give<'_>) {
        self.read.outcome = Outcome::Refused;
        self.reject(piece, failure, give);
    }

    fn reject(&mut self, piece: &Piece, failure: &gleaner_warc::Error, give: Give<'_>) {
        self.read.counts.damage += 1;
        let shard = &self.input.shards[piece.shard];
        let reject = capture::unreadable(&shard.name, piece.range.start, failure);
        tracing::warn!(
            shard = shard.location,
            offset = reject.warc_offset,
            reason = reject.reason,
            detail = reject.detail,
            "shard rejected"
        );
        give(rejected(piece, reject));
    }

    fn end_piece(&mut self, piece: &Piece, next: Option<u64>) {
        self.next = next.unwrap_or(NO_RECORD);
        self.open = None;
        self.piece += 1;
        self.end.pieces.push(PieceRead {
            shard: piece.shard,
            start: piece.range.start,
            ..std::mem::take(&mut self.read)
        });
    }

    /// Notes a shard in which there is nothing: where the piece at its beginning finds neither record nor damage, and
    /// none behind the piece either, there is none at all.
    fn note_if_empty(&mut self, piece: &Piece, reader: &Reader<Shardwise>) {
        let is_bare = reader.counts().total() == 0 && self.read.counts.damage == 0;
        if is_bare && piece.range.start == 0 && reader.next_offset().is_none() {
            self.read.outcome = Outcome::Empty;
        }
    }

    fn count(&mut self, counts: &gleaner_warc::Counts) {
        for (kind, count) in counts.iter() {
            let records = &mut self.read.counts.records;
            *records.entry(kind.as_str().to_owned()).or_default() += count;
        }
    }
}

fn rejected(piece: &Piece, row: RejectRow) -> Read {
    Read {
        shard: piece.shard,
        what: WhatIsRead::Reject(Box::new(row)),
        site_file: None,
    }
}

fn planned_bytes(range: &Range<u64>, shard: &Shard) -> u64 {
    let end = shard.size.map_or(range.end, |size| size.min(range.end));
    end.saturating_sub(range.start)
}

/// A shard's stream as the reader's source. Reports to the progress line what was read.
struct Shardwise {
    stream: Stream,
    progress: Arc<Progress>,
    /// Bytes of the plan that are not counted yet: a range is read a little beyond its end, which
    /// is the next one's to count.
    left: u64,
    /// Bytes that come before those the reader begins with.
    unseen: usize,
    digest: RangeHasher,
}

impl Source for Shardwise {
    fn next(&mut self) -> io::Result<Chunk> {
        loop {
            let bytes = match self.stream.poll()? {
                Poll::Data(bytes) => bytes,
                Poll::Pending => return Ok(Chunk::Pending),
                Poll::End => return Ok(Chunk::End),
            };
            let counted = self.left.min(bytes.len() as u64);
            self.left -= counted;
            watch::reads(bytes.len() as u64);
            self.progress.read(counted);
            self.digest.update(&bytes);
            let unseen = self.unseen.min(bytes.len());
            self.unseen -= unseen;
            if unseen < bytes.len() {
                return Ok(Chunk::Data(bytes.slice(unseen..)));
            }
        }
    }
}
