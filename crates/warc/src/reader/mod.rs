//! The reader: from bytes to records and rejects.
//!
//! Records are searched here and read in `record`; damage between them is recorded in `damage`.

mod damage;
mod record;

use std::sync::Arc;

use damage::Lost;

use crate::{
    Container, Counts, Error, Format, Options, PROBE_BYTES, Reason, Record, Reject, Source,
    format::{filling, probe},
    header::{Begins, Head},
    raw::Got,
    scan::{Archive, Scan, Scanned},
    stream::{End, More, Place, Stream},
};

/// What one step of a [`Reader`] gives.
#[derive(Debug)]
pub enum Step<'a> {
    /// A record of a wanted type.
    Record(Record<'a>),
    /// A part of the file that gave no record.
    Reject(Reject),
    /// The source has no bytes yet; call again later.
    Pending,
    /// The range has been read.
    End,
}

/// Reads the records of one file, or of a range of it.
///
/// A range `a..b` owns what begins at the first record found at or after `a` (0 is always a beginning)
/// and ends before the first record found at or after `b`, rejects included. Where one range stops
/// ([`Reader::next_offset`]) the next begins ([`Reader::first_offset`]), so that ranges which cover a file
/// give together what one reading of it gives, each record and reject once. A place counts as a record
/// if it looks like one: when a record's block holds another archive that is stored as it is, and a
/// range begins inside it, the two offsets differ and the file has to be read again as a whole.
/// A file that is not [`Format::splittable`] belongs as a whole to the range that begins at 0.
pub struct Reader<S> {
    stream: Stream<S>,
    file: String,
    options: Options,
    format: Option<Format>,
    archive: Archive,
    state: ReaderState,
    head: Head,
    folded: Vec<u8>,
    layout: Layout,
    /// Bytes of the record that was delivered last.
    passed: usize,
    lost: Option<Lost>,
    /// Whether what is read belongs to a record that was delivered although the file ends inside it: up to
    /// the next record found in the file as stored.
    covered: bool,
    counts: Counts,
    first_offset: Option<u64>,
    next_offset: Option<u64>,
}

enum ReaderState {
    /// Nothing has been looked at.
    Open,
    /// Looking for a record in the file as stored.
    Scan(Scan),
    /// Where a record should begin.
    Between,
    /// Searching for a record in the decompressed bytes; this many have been skipped.
    Lost(u64),
    /// A record begins; its header has been searched for its end so far.
    Head(usize),
    /// The header is read, the block is not there as a whole.
    Block,
    /// The block is complete; the bytes after it show whether its length is right.
    Tail,
    /// The block is too large: bytes of it that are left, and that were skipped.
    Skip {
        left: u64,
        passed: u64,
    },
    /// A file that is one page.
    Page,
    Done,
}

/// Where the parts of the record at hand are, in bytes from its beginning.
#[derive(Debug, Clone, Copy)]
struct Layout {
    place: Place,
    header: usize,
    content: usize,
    length: u64,
    damage: Option<Reason>,
}

/// What a turn of the state machine leads to.
enum Turn {
    Go,
    Wait,
    Reject(Reject),
    Record,
    End,
}

impl<S: Source> Reader<S> {
    /// A reader of `source`, which begins at `options.range.start` of the file called `file` (a path or
    /// address, for messages, and to recognise web pages by their ending).
    pub fn new(source: S, file: impl Into<String>, options: Options) -> Self {
        let origin = Place { offset: 0, inner: 0 };
        Self {
            stream: Stream::new(source, options.range.start, &options.limits),
            file: file.into(),
            format: options.format,
            options,
            archive: Archive::Any,
            state: ReaderState::Open,
            head: Head::default(),
            folded: Vec::new(),
            layout: Layout {
                place: origin,
                header: 0,
                content: 0,
                length: 0,
                damage: None,
            },
            passed: 0,
            lost: None,
            covered: false,
            counts: Counts::default(),
            first_offset: None,
            next_offset: None,
        }
    }

    /// The next record or reject.
    ///
    /// # Errors
    /// The source failed, or the file is no archive at all. The reader is done then.
    pub fn step(&mut self) -> Result<Step<'_>, Error> {
        self.stream.consume(std::mem::take(&mut self.passed), false);
        loop {
            match self.turn() {
                Ok(Turn::Go) => {}
                Ok(Turn::Wait) => return Ok(Step::Pending),
                Ok(Turn::Reject(reject)) => return Ok(Step::Reject(reject)),
                Ok(Turn::Record) => break,
                Ok(Turn::End) => return Ok(Step::End),
                Err(error) => {
                    self.state = ReaderState::Done;
                    return Err(error);
                }
            }
        }
        Ok(Step::Record(self.record()))
    }

    /// Records read so far by type, those of unwanted types too.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The file's format, once it is known.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// The offset of what the reader began with: 0, or the first record found in its range. `None` as long
    /// as nothing has been found.
    pub fn first_offset(&self) -> Option<u64> {
        self.first_offset
    }

    /// The offset of the record at which the reader stopped, at or after the end of its range. `None` before
    /// that, and when the file ended first.
    pub fn next_offset(&self) -> Option<u64> {
        self.next_offset
    }

    /// How far the source has been read, as an offset in the file; for progress bars.
    pub fn offset(&self) -> u64 {
        self.stream.raw.end()
    }

    /// The source, read as far as [`Reader::offset`].
    pub fn into_source(self) -> S {
        self.stream.raw.into_source()
    }

    fn turn(&mut self) -> Result<Turn, Error> {
        match &self.state {
            ReaderState::Open => self.open(),
            ReaderState::Scan(_) => self.scan(),
            ReaderState::Between => self.between(),
            ReaderState::Lost(passed) => self.search(*passed),
            &ReaderState::Head(searched) => self.read_head(searched),
            ReaderState::Block => self.read_block(),
            ReaderState::Tail => self.read_tail(),
            &ReaderState::Skip { left, passed } => self.skip(left, passed),
            ReaderState::Page => self.read_page(),
            ReaderState::Done => Ok(Turn::End),
        }
    }

    fn more(&mut self, wanted: usize) -> Result<More, Error> {
        self.stream.more(wanted).map_err(|error| self.source_error(error))
    }

    fn source_error(&self, source: std::io::Error) -> Error {
        Error::Source {
            file: self.file.clone(),
            offset: self.stream.raw.end(),
            source,
        }
    }

    // ---- beginnings

    fn open(&mut self) -> Result<Turn, Error> {
        let start = self.options.range.start;
        if self.options.range.is_empty() {
            self.state = ReaderState::Done;
            return Ok(Turn::Go);
        }
        if start > 0 {
            let Some(format) = self.format else {
                return Err(Error::FormatNeeded(self.file.clone(), start));
            };
            self.state = if format.splittable {
                self.scan_state(&[format.container])
            } else {
                ReaderState::Done
            };
            return Ok(Turn::Go);
        }
        let format = match self.format {
            Some(format) => format,
            None => {
                while self.stream.raw.rest().len() < PROBE_BYTES {
                    match self.stream.raw.more().map_err(|error| self.source_error(error))? {
                        Got::Bytes => {}
                        Got::Pending => return Ok(Turn::Wait),
                        Got::End => break,
                    }
                }
                probe(self.stream.raw.rest(), &self.file)?
            }
        };
        self.format = Some(format);
        self.note_archive(format);
        self.first_offset = Some(0);
        self.stream.restart(format.container == Container::Plain);
        self.state = if format.page {
            ReaderState::Page
        } else {
            ReaderState::Between
        };
        Ok(Turn::Go)
    }

    /// Uncompressed ARC is not splittable, so that what is must be WARC.
    fn note_archive(&mut self, format: Format) {
        if format.container == Container::Plain && format.splittable {
            self.archive = Archive::Warc;
        }
    }

    fn scan_state(&self, kinds: &[Container]) -> ReaderState {
        ReaderState::Scan(Scan::new(
            kinds,
            self.archive,
            self.stream.dictionary().map(Arc::clone),
        ))
    }

    /// Looks for the next record of any kind in the file as stored, from where the stream broke off.
    fn rescue(&mut self) {
        let offset = self.stream.rescue_offset();
        self.stream.raw.rewind(offset);
        let own = self.format.map_or(Container::Plain, |format| format.container);
        let kinds = match own {
            // What looks uncompressed may be a compressed file whose beginning is damaged.
            Container::Plain => &[Container::Plain, Container::Gzip, Container::Zstd, Container::Lz4][..],
            Container::Gzip => &[Container::Gzip, Container::Plain],
            Container::Zstd => &[Container::Zstd, Container::Plain],
            Container::Lz4 => &[Container::Lz4, Container::Plain],
        };
        self.state = self.scan_state(kinds);
    }

    fn scan(&mut self) -> Result<Turn, Error> {
        let ReaderState::Scan(scan) = &self.state else {
            return Ok(Turn::Go);
        };
        match scan
            .run(&mut self.stream.raw)
            .map_err(|error| self.source_error(error))?
        {
            Scanned::Pending => Ok(Turn::Wait),
            Scanned::End => Ok(self.finish()),
            Scanned::Found(kind) => {
                self.first_offset.get_or_insert(self.stream.raw.offset());
                // Only where a range could begin, so that ranges report the same losses.
                self.covered &= self.format.is_none_or(|format| format.container != kind);
                self.stream.restart(kind == Container::Plain);
                self.state = ReaderState::Between;
                Ok(Turn::Go)
            }
        }
    }

    // ---- between records

    fn between(&mut self) -> Result<Turn, Error> {
        let blank = filling(self.stream.bytes());
        self.stream.consume(blank, true);
        if self.stream.bytes().is_empty() {
            return Ok(match self.more(0)? {
                More::Bytes | More::MemberEnd => Turn::Go,
                More::Pending => Turn::Wait,
                More::End(End::File) => self.finish(),
                More::End(end) => self.at_border().unwrap_or_else(|| self.break_off(end)),
            });
        }
        match self.archive.begins(self.stream.bytes()) {
            Begins::Yes => Ok(self.begin_record()),
            Begins::No => Ok(self.garbage()),
            Begins::Unsure => Ok(match self.more(0)? {
                More::Bytes | More::MemberEnd => Turn::Go,
                More::Pending => Turn::Wait,
                More::End(_) => self.garbage(),
            }),
        }
    }

    fn begin_record(&mut self) -> Turn {
        if !self.is_stray()
            && let Some(reject) = self.close_lost()
        {
            return Turn::Reject(reject);
        }
        if let Some(turn) = self.at_border() {
            return turn;
        }
        let is_warc = crate::header::begins_warc(self.stream.bytes()) == Begins::Yes;
        self.archive = if is_warc { Archive::Warc } else { Archive::Arc };
        self.state = ReaderState::Head(0);
        Turn::Go
    }

    /// At the beginning of a member that a reader of the next range would find: ends the part that is lost,
    /// and the range if this is beyond it.
    fn at_border(&mut self) -> Option<Turn> {
        let place = self.stream.place();
        let beyond = place.offset >= self.options.range.end;
        if !(beyond || self.lost.is_some()) || !self.is_border(place) {
            return None;
        }
        if let Some(reject) = self.close_lost() {
            return Some(Turn::Reject(reject));
        }
        if beyond {
            self.next_offset = Some(place.offset);
            self.state = ReaderState::Done;
            return Some(Turn::Go);
        }
        None
    }

    /// Whether a search of the file as stored would find a record here.
    fn is_border(&self, place: Place) -> bool {
        let Some(format) = self.format.filter(|format| format.splittable) else {
            return false;
        };
        if self.stream.is_plain() != (format.container == Container::Plain) || !self.stream.at_member_start()
        {
            return false;
        }
        let ReaderState::Scan(scan) = self.scan_state(&[format.container]) else {
            return false;
        };
        let answer = match self.stream.raw.kept_from(place.offset) {
            Some(bytes) => scan.begins(format.container, bytes, true),
            None => self.archive.begins(self.stream.member_bytes()),
        };
        answer == Begins::Yes
    }
}
