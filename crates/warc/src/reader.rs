//! The reader: from bytes to records and rejects.

use std::sync::Arc;

use crate::{
    Container, Counts, Error, Format, Options, PROBE_BYTES, Reason, Record, RecordType, Reject, Source,
    codec,
    format::{filling, probe},
    header::{Begins, Head, header_end, starts_with_ignore_case},
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
    /// The source has nothing yet; ask again later.
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
    state: State,
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

enum State {
    /// Nothing has been looked at.
    Open,
    /// Looking for a record in the file as stored.
    Scan(Scan),
    /// Where a record should begin.
    Between,
    /// Looking for a record in the decompressed bytes; so many of them have been passed.
    Lost(u64),
    /// A record begins; its header has been searched for its end so far.
    Head(usize),
    /// The header is read, the block is not there as a whole.
    Block,
    /// The block is there; what follows it tells whether its length is right.
    Tail,
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

/// A part of the file without records, whose end is not known yet.
struct Lost {
    place: Place,
    reason: Reason,
    detail: String,
    record_id: String,
    target_uri: String,
}

/// What a turn of the state machine leads to.
enum Turn {
    Go,
    Wait,
    Reject(Reject),
    Record,
    End,
}

/// Line ends after a record that are still counted as its own.
const RECORD_END: usize = 4;
/// Line ends after a record that are looked at to find what follows it.
const TAIL_BYTES: usize = 64 << 10;

impl<S: Source> Reader<S> {
    /// A reader of `source`, which begins at `options.range.start` of the file called `file` (a path or
    /// address, for messages and to tell web pages by their ending).
    pub fn new(source: S, file: impl Into<String>, options: Options) -> Self {
        let origin = Place { offset: 0, inner: 0 };
        Self {
            stream: Stream::new(source, options.range.start, &options.limits),
            file: file.into(),
            format: options.format,
            options,
            archive: Archive::Any,
            state: State::Open,
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
                    self.state = State::Done;
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

    fn turn(&mut self) -> Result<Turn, Error> {
        match &self.state {
            State::Open => self.open(),
            State::Scan(_) => self.scan(),
            State::Between => self.between(),
            State::Lost(passed) => self.search(*passed),
            &State::Head(searched) => self.read_head(searched),
            State::Block => self.read_block(),
            State::Tail => self.read_tail(),
            State::Page => self.read_page(),
            State::Done => Ok(Turn::End),
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
            self.state = State::Done;
            return Ok(Turn::Go);
        }
        if start > 0 {
            let Some(format) = self.format else {
                return Err(Error::FormatNeeded {
                    file: self.file.clone(),
                    offset: start,
                });
            };
            self.state = if format.splittable {
                self.scan_state(&[format.container])
            } else {
                State::Done
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
        self.state = if format.page { State::Page } else { State::Between };
        Ok(Turn::Go)
    }

    /// Uncompressed ARC is not splittable, so that what is must be WARC.
    fn note_archive(&mut self, format: Format) {
        if format.container == Container::Plain && format.splittable {
            self.archive = Archive::Warc;
        }
    }

    fn scan_state(&self, kinds: &[Container]) -> State {
        State::Scan(Scan::new(
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
        let State::Scan(scan) = &self.state else {
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
                // Only at what a range would begin with, so that ranges tell the same losses.
                self.covered &= self.format.is_none_or(|format| format.container != kind);
                self.stream.restart(kind == Container::Plain);
                self.state = State::Between;
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
        self.state = State::Head(0);
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
            self.state = State::Done;
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
        let State::Scan(scan) = self.scan_state(&[format.container]) else {
            return false;
        };
        let answer = match self.stream.raw.kept_from(place.offset) {
            Some(bytes) => scan.begins(format.container, bytes, true),
            None => self.archive.begins(self.stream.member_bytes()),
        };
        answer == Begins::Yes
    }

    // ---- damage

    /// Bytes that begin no record.
    fn garbage(&mut self) -> Turn {
        let place = self.stream.place();
        if starts_with_ignore_case(self.stream.bytes(), b"WARC/") {
            self.lose(
                place,
                Reason::BadHeader,
                "a version line without fields, or of no known version",
            );
        } else {
            self.lose(place, Reason::Garbage, "no record begins here");
        }
        if self.stream.is_plain() {
            self.rescue();
        } else {
            self.state = State::Lost(0);
        }
        Turn::Go
    }

    /// The stream cannot go on.
    fn break_off(&mut self, end: End) -> Turn {
        let place = self.stream.place();
        match end {
            End::File => return self.finish(),
            End::Cut => self.lose(
                place,
                Reason::Truncated,
                "the file ends inside a compressed member",
            ),
            End::Damaged(fault) => self.lose(place, fault.reason, &fault.detail),
            End::Foreign => {
                let place = Place {
                    offset: self.stream.raw.offset(),
                    inner: 0,
                };
                self.lose(place, Reason::Garbage, "no compressed member begins here");
            }
        }
        self.rescue();
        Turn::Go
    }

    /// The record at hand cannot be had: what follows its first byte is searched.
    fn drop_record(&mut self, reason: Reason, detail: &str) -> Turn {
        let place = self.stream.place();
        self.lose_record(place, reason, detail);
        self.stream.consume(1, false);
        if self.stream.is_plain() && reason != Reason::RecordTooLarge {
            self.rescue();
        } else {
            self.state = State::Lost(0);
        }
        Turn::Go
    }

    /// Whether the record at hand was found uncompressed in a compressed file. It may be a piece of a damaged
    /// member, so that nothing may be wrong with it.
    fn is_stray(&self) -> bool {
        self.stream.is_plain()
            && self
                .format
                .is_some_and(|format| format.container != Container::Plain)
    }

    /// Whether a member of the file's own kind begins within the next `end` bytes.
    fn hides_member(&self, end: usize) -> bool {
        let own = self.format.map_or(Container::Plain, |format| format.container);
        let scan = Scan::new(&[own], self.archive, self.stream.dictionary().map(Arc::clone));
        matches!(scan.look(self.stream.bytes(), true), Ok((at, _)) if at < end)
    }

    fn drop_stray(&mut self) -> Turn {
        self.drop_record(Reason::Garbage, "what looks like an uncompressed record is none")
    }

    fn lose(&mut self, place: Place, reason: Reason, detail: &str) {
        self.head.clear();
        self.lose_record(place, reason, detail);
    }

    /// Begins a lost part, unless this goes on with one.
    fn lose_record(&mut self, place: Place, reason: Reason, detail: &str) {
        if self.covered {
            return;
        }
        let head = &self.head;
        self.lost.get_or_insert_with(|| Lost {
            place,
            reason,
            detail: detail.to_owned(),
            record_id: head.record_id.clone(),
            target_uri: head.target_uri.clone(),
        });
    }

    /// Ends the lost part at the place at hand.
    fn close_lost(&mut self) -> Option<Reject> {
        let lost = self.lost.take()?;
        let length = self.stream.place().offset - lost.place.offset;
        if length == 0 && self.stream.is_plain() {
            return None;
        }
        Some(lost.reject((length > 0).then_some(length)))
    }

    /// The file has ended.
    fn finish(&mut self) -> Turn {
        self.state = State::Done;
        let end = self.stream.raw.offset();
        match self.lost.take() {
            Some(lost) => {
                let length = end.saturating_sub(lost.place.offset);
                Turn::Reject(lost.reject(Some(length)))
            }
            None => Turn::Go,
        }
    }

    fn search(&mut self, passed: u64) -> Result<Turn, Error> {
        let found = self.archive.find(self.stream.bytes());
        let (Ok(skip) | Err(skip)) = found;
        self.stream.consume(skip, false);
        if found.is_ok() {
            self.state = State::Between;
            return Ok(Turn::Go);
        }
        let passed = passed + skip as u64;
        self.state = State::Lost(passed);
        if passed > self.options.limits.skip_bytes && !self.stream.is_plain() {
            return Ok(self.give_up());
        }
        Ok(match self.more(0)? {
            More::Bytes => Turn::Go,
            More::Pending => Turn::Wait,
            More::MemberEnd => {
                if self.archive.find(self.stream.bytes()).is_err() {
                    self.stream.consume(self.stream.bytes().len(), false);
                    self.state = State::Between;
                }
                Turn::Go
            }
            More::End(End::File) => self.finish(),
            More::End(_) => {
                self.rescue();
                Turn::Go
            }
        })
    }

    /// Too much has been decompressed for nothing: looks on in the file as stored.
    fn give_up(&mut self) -> Turn {
        let here = self.stream.raw.offset();
        self.rescue();
        self.stream
            .raw
            .advance((here - self.stream.raw.offset()) as usize);
        Turn::Go
    }

    // ---- a record

    fn read_head(&mut self, searched: usize) -> Result<Turn, Error> {
        let bytes = self.stream.bytes();
        let end = match self.archive {
            Archive::Arc => memchr::memchr(b'\n', bytes).map(|end| end + 1).ok_or(0),
            _ => header_end(bytes, searched),
        };
        let limit = self.options.limits.header_bytes;
        match end {
            Ok(end) if end <= limit => Ok(self.take_head(end)),
            Err(searched) if bytes.len() <= limit => {
                self.state = State::Head(searched);
                Ok(match self.more(0)? {
                    More::Bytes | More::MemberEnd => Turn::Go,
                    More::Pending => Turn::Wait,
                    More::End(end) => self.cut_head(end),
                })
            }
            _ => {
                self.head.clear();
                Ok(self.drop_record(
                    Reason::HeaderTooLong,
                    &format!("the header is longer than {limit} bytes"),
                ))
            }
        }
    }

    fn take_head(&mut self, end: usize) -> Turn {
        let header = &self.stream.bytes()[..end];
        let sound = match self.archive {
            Archive::Arc => self.head.parse_arc(header),
            _ => {
                self.head.parse_warc(header, &mut self.folded);
                self.head.kind.is_some() || self.head.content_length.is_some()
            }
        };
        if !sound {
            return self.drop_record(Reason::BadHeader, "the header has neither type nor length");
        }
        if self.archive == Archive::Warc && crate::header::find_warc(&header[1..]).is_ok() {
            return self.drop_record(Reason::BadHeader, "another record begins inside the header");
        }
        self.layout = Layout {
            place: self.stream.place(),
            header: end,
            content: end,
            length: 0,
            damage: None,
        };
        self.state = State::Block;
        Turn::Go
    }

    /// The file or member ends inside the header.
    fn cut_head(&mut self, end: End) -> Turn {
        if self.is_stray() {
            return self.drop_stray();
        }
        let header = self.stream.bytes();
        let length = header.len();
        match self.archive {
            Archive::Arc => self.head.clear(),
            _ => self.head.parse_warc(header, &mut self.folded),
        }
        match end {
            End::File | End::Cut if self.head.kind.is_some() => {
                let place = self.stream.place();
                self.layout = Layout {
                    place,
                    header: length,
                    content: length,
                    length: 0,
                    damage: None,
                };
                self.deliver(length, length, Some(Reason::Truncated))
            }
            End::File | End::Cut => self.drop_record(Reason::Truncated, "the file ends inside the header"),
            End::Damaged(fault) => self.drop_record(fault.reason, &fault.detail),
            End::Foreign => self.drop_record(Reason::BadHeader, "the member ends inside the header"),
        }
    }

    fn read_block(&mut self) -> Result<Turn, Error> {
        let header = self.layout.header;
        let limit = self.options.limits.record_bytes;
        let Some(length) = self.head.content_length else {
            return self.read_open_block();
        };
        let Some(length) = usize::try_from(length).ok().filter(|&length| length <= limit) else {
            return Ok(self.too_large(&format!("the block has {length} bytes")));
        };
        let end = header + length;
        if self.stream.bytes().len() >= end {
            self.layout.content = end;
            self.state = State::Tail;
            return Ok(Turn::Go);
        }
        Ok(match self.more(end + RECORD_END)? {
            More::Bytes | More::MemberEnd => Turn::Go,
            More::Pending => Turn::Wait,
            More::End(end) => self.short_block(end),
        })
    }

    fn too_large(&mut self, what: &str) -> Turn {
        let limit = self.options.limits.record_bytes;
        self.drop_record(Reason::RecordTooLarge, &format!("{what}, the limit is {limit}"))
    }

    /// A record that does not say its length goes on to the next record or the end of its member.
    fn read_open_block(&mut self) -> Result<Turn, Error> {
        if self.is_stray() {
            return Ok(self.drop_stray());
        }
        let header = self.layout.header;
        let bytes = self.stream.bytes();
        let searched = self.layout.content.max(header) - 1;
        match self.archive.find(&bytes[searched..]) {
            Ok(found) => return Ok(self.deliver_cut(searched + found, Reason::NoLength)),
            Err(again) => self.layout.content = searched + again,
        }
        if bytes.len() > self.options.limits.window_bytes() {
            return Ok(self.too_large("the block does not say its length and is too large"));
        }
        if let Some((end, _)) = self.stream.member_end(header) {
            return Ok(self.deliver_cut(end, Reason::NoLength));
        }
        let held = bytes.len();
        Ok(match self.more(held * 2)? {
            More::Bytes | More::MemberEnd => Turn::Go,
            More::Pending => Turn::Wait,
            More::End(End::Damaged(fault)) => self.drop_record(fault.reason, &fault.detail),
            More::End(End::Cut) => self.deliver(held, held, Some(Reason::Truncated)),
            More::End(End::File | End::Foreign) => self.deliver_cut(held, Reason::NoLength),
        })
    }

    /// The block is shorter than it says.
    fn short_block(&mut self, end: End) -> Turn {
        if self.is_stray() {
            return self.drop_stray();
        }
        let header = self.layout.header;
        let held = self.stream.bytes().len();
        if let Ok(found) = self.archive.find(&self.stream.bytes()[header - 1..]) {
            return self.deliver_cut(header - 1 + found, Reason::WrongLength);
        }
        match end {
            End::File | End::Cut => self.deliver(held, held, Some(Reason::Truncated)),
            End::Foreign => self.deliver(held, held, Some(Reason::WrongLength)),
            End::Damaged(fault) => self.drop_record(fault.reason, &fault.detail),
        }
    }

    fn read_tail(&mut self) -> Result<Turn, Error> {
        let content = self.layout.content;
        let bytes = self.stream.bytes();
        let blank = filling(&bytes[content..]);
        if let Some((end, offset)) = self.stream.member_end(content)
            && end <= content + blank
        {
            self.layout.length = offset - self.layout.place.offset;
            return Ok(self.deliver(content, end, None));
        }
        let own = content + blank.min(RECORD_END);
        if blank > TAIL_BYTES {
            return Ok(self.deliver(content, own, None));
        }
        let rest = &bytes[content + blank..];
        let follows = if rest.is_empty() {
            Begins::Unsure
        } else {
            self.archive.begins(rest)
        };
        Ok(match follows {
            Begins::Yes => self.deliver(content, own, None),
            Begins::No if self.tells_inside() => self.mismatch(own),
            _ => {
                let empty = rest.is_empty();
                match self.more(0)? {
                    More::Bytes | More::MemberEnd => Turn::Go,
                    More::Pending => Turn::Wait,
                    More::End(End::Damaged(fault)) => self.drop_record(fault.reason, &fault.detail),
                    More::End(End::Cut) if empty => self.deliver(content, own, Some(Reason::Truncated)),
                    More::End(_) if empty => self.deliver(content, own, None),
                    More::End(_) => self.mismatch(own),
                }
            }
        })
    }

    /// Whether there are bytes enough behind the block to tell if a record begins inside it.
    fn tells_inside(&self) -> bool {
        let Layout { header, content, .. } = self.layout;
        !matches!(self.archive.find(&self.stream.bytes()[header - 1..]), Err(again) if header - 1 + again < content)
    }

    /// Something else than a record follows the block: its length may be too large, so that the next
    /// record begins inside it.
    fn mismatch(&mut self, own: usize) -> Turn {
        if self.is_stray() {
            let rest = &self.stream.bytes()[own..];
            let is_followed = codec::container_of(&rest[filling(rest)..]).is_some();
            return if is_followed {
                self.deliver(self.layout.content, own, None)
            } else {
                self.drop_stray()
            };
        }
        let Layout { header, content, .. } = self.layout;
        match self.archive.find(&self.stream.bytes()[header - 1..]) {
            Ok(found) if header - 1 + found < content => {
                self.deliver_cut(header - 1 + found, Reason::WrongLength)
            }
            _ => self.deliver(content, own, None),
        }
    }

    /// Delivers a record whose block ends before `next`, where another begins or the member ends.
    fn deliver_cut(&mut self, next: usize, damage: Reason) -> Turn {
        let header = self.layout.header;
        let block = &self.stream.bytes()[header..next];
        let blank = block
            .iter()
            .rev()
            .take(RECORD_END)
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        self.layout.length = match self.stream.member_end(header) {
            Some((end, offset)) if end <= next => offset - self.layout.place.offset,
            _ => 0,
        };
        self.deliver(next - blank, next, Some(damage))
    }

    /// Hands the record at hand out: its block ends at `content`, what belongs to it at `end`. What was lost
    /// before a stray record is told first, and the record read again.
    fn deliver(&mut self, content: usize, end: usize, damage: Option<Reason>) -> Turn {
        if self.is_stray() && self.hides_member(end) {
            return self.drop_stray();
        }
        self.state = State::Between;
        if let Some(reject) = self.close_lost() {
            return Turn::Reject(reject);
        }
        self.layout.content = content;
        self.layout.damage = damage;
        if self.stream.is_plain() {
            self.layout.length = end as u64;
        } else if damage == Some(Reason::Truncated) {
            self.layout.length = self.stream.raw.end() - self.layout.place.offset;
        }
        if damage == Some(Reason::Truncated) {
            self.covered = true;
            self.rescue();
        }
        let kind = self.head.kind.unwrap_or(RecordType::Unknown);
        self.counts.count(kind);
        if self.options.wanted.has(kind) {
            self.passed = end;
            return Turn::Record;
        }
        self.stream.consume(end, false);
        Turn::Go
    }

    fn read_page(&mut self) -> Result<Turn, Error> {
        let limit = self.options.limits.record_bytes;
        let held = self.stream.bytes().len();
        let whole = match self.more(held)? {
            More::Bytes | More::MemberEnd if held <= limit => return Ok(Turn::Go),
            More::Pending => return Ok(Turn::Wait),
            More::End(End::File | End::Foreign) if held <= limit => None,
            More::End(End::Cut) if held <= limit => Some(Reason::Truncated),
            More::End(End::Damaged(fault)) => {
                let place = self.stream.place();
                self.lose(place, fault.reason, &fault.detail);
                return Ok(self.finish());
            }
            _ => {
                self.lose(
                    Place { offset: 0, inner: 0 },
                    Reason::RecordTooLarge,
                    &format!("the page has more than {limit} bytes"),
                );
                return Ok(self.finish());
            }
        };
        self.head.clear();
        self.head.kind = Some(RecordType::Resource);
        self.head.target_uri = self.page_uri();
        self.head.content_type.push_str("text/html");
        self.layout = Layout {
            place: Place { offset: 0, inner: 0 },
            header: 0,
            content: held,
            length: self.stream.raw.offset(),
            damage: whole,
        };
        let turn = self.deliver(held, held, whole);
        self.state = State::Done;
        Ok(turn)
    }

    /// The address of a file that is a page: its own if it came from somewhere, else a file address.
    fn page_uri(&self) -> String {
        if self.file.contains("://") {
            self.file.clone()
        } else {
            format!("file://{}", self.file)
        }
    }

    fn record(&self) -> Record<'_> {
        let Layout {
            place,
            header,
            content,
            length,
            damage,
        } = self.layout;
        let bytes = self.stream.bytes();
        Record {
            offset: place.offset,
            inner: place.inner,
            length,
            kind: self.head.kind.unwrap_or(RecordType::Unknown),
            target_uri: &self.head.target_uri,
            date: self.head.date,
            record_id: &self.head.record_id,
            payload_digest: &self.head.payload_digest,
            content_type: &self.head.content_type,
            truncated: &self.head.truncated,
            damage,
            header: &bytes[..header],
            content: &bytes[header..content],
        }
    }
}

impl Lost {
    fn reject(self, length: Option<u64>) -> Reject {
        Reject {
            offset: self.place.offset,
            inner: self.place.inner,
            length,
            reason: self.reason,
            detail: self.detail,
            record_id: self.record_id,
            target_uri: self.target_uri,
        }
    }
}
