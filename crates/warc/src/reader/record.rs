//! A record, from its header to what follows its block.

use super::{Layout, Reader, ReaderState, Turn};
use crate::{
    Error, Reason, Record, RecordType, Reject, Source, codec,
    format::filling,
    header::{Begins, header_end},
    scan::Archive,
    stream::{End, More, Place},
};

/// Line ends after a record that are still counted as its own.
const RECORD_END: usize = 4;
/// Maximum line ends after a record that are passed to find what follows it.
const TAIL_BYTES: usize = 64 << 10;

/// The longest block that a crawler writes. Of a header that says more the length is wrong.
const BELIEVABLE: u64 = 1 << 40;

impl<S: Source> Reader<S> {
    pub(super) fn read_head(&mut self, searched: usize) -> Result<Turn, Error> {
        let bytes = self.stream.bytes();
        let end = match self.archive {
            Archive::Arc => memchr::memchr(b'\n', bytes).map(|end| end + 1).ok_or(0),
            _ => header_end(bytes, searched),
        };
        let limit = self.options.limits.header_bytes;
        match end {
            Ok(end) if end <= limit => Ok(self.take_head(end)),
            Err(searched) if bytes.len() <= limit => {
                self.state = ReaderState::Head(searched);
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
        self.state = ReaderState::Block;
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

    pub(super) fn read_block(&mut self) -> Result<Turn, Error> {
        let header = self.layout.header;
        let limit = self.options.limits.record_bytes;
        let Some(length) = self.head.content_length else {
            return self.read_open_block();
        };
        let Some(length) = usize::try_from(length).ok().filter(|&length| length <= limit) else {
            return Ok(match length <= BELIEVABLE {
                true => self.skip_block(length),
                false => self.too_large(&format!("the block has {length} bytes")),
            });
        };
        let end = header + length;
        if self.stream.bytes().len() >= end {
            self.layout.content = end;
            self.state = ReaderState::Tail;
            return Ok(Turn::Go);
        }
        Ok(match self.more(end + RECORD_END)? {
            More::Bytes | More::MemberEnd => Turn::Go,
            More::Pending => Turn::Wait,
            More::End(end) => self.short_block(end),
        })
    }

    /// A record with a block of this length that is too large. Nothing in its block is searched: a page can have the text of
    /// records in it.
    fn skip_block(&mut self, length: u64) -> Turn {
        let limit = self.options.limits.record_bytes;
        let detail = format!("the block has {length} bytes, the limit is {limit}");
        self.lose_record(self.stream.place(), Reason::RecordTooLarge, &detail);
        self.stream.consume(self.layout.header, false);
        self.state = ReaderState::Skip {
            left: length,
            passed: 0,
        };
        Turn::Go
    }

    fn too_large(&mut self, what: &str) -> Turn {
        let limit = self.options.limits.record_bytes;
        self.drop_record(Reason::RecordTooLarge, &format!("{what}, the limit is {limit}"))
    }

    /// A record without a length extends to the next record or the end of its member.
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

    /// The block is shorter than its length field.
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

    pub(super) fn read_tail(&mut self) -> Result<Turn, Error> {
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
            Begins::No if self.shows_inside() => self.mismatch(own),
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

    /// Whether there are enough bytes after the block to decide if a record begins inside it.
    fn shows_inside(&self) -> bool {
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
    /// before a stray record is reported first, and the record is read again.
    fn deliver(&mut self, content: usize, end: usize, damage: Option<Reason>) -> Turn {
        if self.is_stray() && self.hides_member(end) {
            return self.drop_stray();
        }
        self.state = ReaderState::Between;
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
        if self.options.wanted.has(kind) && !self.head.is_continuation() {
            self.passed = end;
            return Turn::Record;
        }
        self.stream.consume(end, false);
        match damage {
            Some(Reason::Truncated) => {
                let detail = format!("cut off inside a record of type {}", kind.as_str());
                Turn::Reject(self.unwanted(Reason::Truncated, detail))
            }
            _ if self.head.is_continuation() => {
                Turn::Reject(self.unwanted(Reason::Segment, self.segment_detail()))
            }
            _ => Turn::Go,
        }
    }

    fn segment_detail(&self) -> String {
        let segment = &self.head.segment;
        let number = segment.number.map(|number| format!(" {number}"));
        let origin = match segment.origin.as_str() {
            "" => "a record that is not named",
            origin => origin,
        };
        format!(
            "segment{} of {origin}: segments of a record are not joined",
            number.unwrap_or_default()
        )
    }

    /// The caller does not want the current record, but a part of a capture is lost with it: that is reported.
    fn unwanted(&self, reason: Reason, detail: String) -> Reject {
        let Layout { place, length, .. } = self.layout;
        Reject {
            offset: place.offset,
            inner: place.inner,
            length: Some(length).filter(|&length| length > 0),
            reason,
            detail,
            record_id: self.head.record_id.clone(),
            target_uri: self.head.target_uri.clone(),
        }
    }

    pub(super) fn read_page(&mut self) -> Result<Turn, Error> {
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
        self.state = ReaderState::Done;
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

    pub(super) fn record(&self) -> Record<'_> {
        let Layout {
            place,
            header,
            content,
            length,
            damage,
        } = self.layout;
        let bytes = self.stream.bytes();
        let continues = self.head.segment.continues((content - header) as u64);
        let truncated = match self.head.truncated.as_str() {
            "" if continues => "segment",
            reason => reason,
        };
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
            identified_type: &self.head.identified_type,
            truncated,
            damage,
            header: &bytes[..header],
            content: &bytes[header..content],
        }
    }
}
