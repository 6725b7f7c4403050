//! Parts of a file that hold no record: each is a reject, after which the next record is looked for.

use std::sync::Arc;

use super::{Reader, ReaderState, Turn};
use crate::{
    Container, Error, Reason, Reject, Source,
    header::starts_with_ignore_case,
    scan::Scan,
    stream::{End, More, Place},
};

/// A part of the file without records, whose end is not known yet.
pub(super) struct Lost {
    place: Place,
    reason: Reason,
    detail: String,
    record_id: String,
    target_uri: String,
}

impl<S: Source> Reader<S> {
    /// Bytes that begin no record.
    pub(super) fn garbage(&mut self) -> Turn {
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
            self.state = ReaderState::Lost(0);
        }
        Turn::Go
    }

    /// The stream cannot continue.
    pub(super) fn break_off(&mut self, end: End) -> Turn {
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
    pub(super) fn drop_record(&mut self, reason: Reason, detail: &str) -> Turn {
        let place = self.stream.place();
        self.lose_record(place, reason, detail);
        self.stream.consume(1, false);
        if self.stream.is_plain() && reason != Reason::RecordTooLarge {
            self.rescue();
        } else {
            self.state = ReaderState::Lost(0);
        }
        Turn::Go
    }

    /// Whether the record at hand was found uncompressed in a compressed file. It may be a piece of a damaged
    /// member, so that nothing may be wrong with it.
    pub(super) fn is_stray(&self) -> bool {
        self.stream.is_plain()
            && self
                .format
                .is_some_and(|format| format.container != Container::Plain)
    }

    /// Whether a member of the file's own kind begins within the next `end` bytes.
    pub(super) fn hides_member(&self, end: usize) -> bool {
        let own = self.format.map_or(Container::Plain, |format| format.container);
        let scan = Scan::new(&[own], self.archive, self.stream.dictionary().map(Arc::clone));
        matches!(scan.look(self.stream.bytes(), true), Ok((at, _)) if at < end)
    }

    pub(super) fn drop_stray(&mut self) -> Turn {
        self.drop_record(Reason::Garbage, "what looks like an uncompressed record is none")
    }

    pub(super) fn lose(&mut self, place: Place, reason: Reason, detail: &str) {
        self.head.clear();
        self.lose_record(place, reason, detail);
    }

    /// Begins a lost part, unless this belongs to the last one.
    pub(super) fn lose_record(&mut self, place: Place, reason: Reason, detail: &str) {
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
    pub(super) fn close_lost(&mut self) -> Option<Reject> {
        let lost = self.lost.take()?;
        let length = self.stream.place().offset - lost.place.offset;
        if length == 0 && self.stream.is_plain() {
            return None;
        }
        Some(lost.reject((length > 0).then_some(length)))
    }

    /// The file has ended.
    pub(super) fn finish(&mut self) -> Turn {
        self.state = ReaderState::Done;
        let end = self.stream.raw.offset();
        match self.lost.take() {
            Some(lost) => {
                let length = end.saturating_sub(lost.place.offset);
                Turn::Reject(lost.reject(Some(length)))
            }
            None => Turn::Go,
        }
    }

    pub(super) fn search(&mut self, passed: u64) -> Result<Turn, Error> {
        let found = self.archive.find(self.stream.bytes());
        let (Ok(skip) | Err(skip)) = found;
        self.stream.consume(skip, false);
        if found.is_ok() {
            self.state = ReaderState::Between;
            return Ok(Turn::Go);
        }
        let passed = passed + skip as u64;
        self.state = ReaderState::Lost(passed);
        if passed > self.options.limits.skip_bytes && !self.stream.is_plain() {
            return Ok(self.give_up());
        }
        Ok(match self.more(0)? {
            More::Bytes => Turn::Go,
            More::Pending => Turn::Wait,
            More::MemberEnd => {
                if self.archive.find(self.stream.bytes()).is_err() {
                    self.stream.consume(self.stream.bytes().len(), false);
                    self.state = ReaderState::Between;
                }
                Turn::Go
            }
            More::End(end) => self.end_lost(end),
        })
    }

    /// Passes over what is left of a block, to its end or that of its member.
    pub(super) fn skip(&mut self, left: u64, passed: u64) -> Result<Turn, Error> {
        let held = self.stream.bytes().len();
        let here = usize::try_from(left).map_or(held, |left| left.min(held));
        self.stream.consume(here, false);
        let (left, passed) = (left - here as u64, passed + here as u64);
        if left == 0 {
            self.state = ReaderState::Between;
            return Ok(Turn::Go);
        }
        self.state = ReaderState::Skip { left, passed };
        if passed > self.options.limits.skip_bytes && !self.stream.is_plain() {
            return Ok(self.give_up());
        }
        Ok(match self.more(0)? {
            More::Bytes => Turn::Go,
            More::Pending => Turn::Wait,
            More::MemberEnd => {
                self.stream.consume(self.stream.bytes().len(), false);
                self.state = ReaderState::Between;
                Turn::Go
            }
            More::End(end) => self.end_lost(end),
        })
    }

    /// The file ends, or its stream breaks off, where no record is at hand.
    fn end_lost(&mut self, end: End) -> Turn {
        if end == End::File {
            return self.finish();
        }
        self.rescue();
        Turn::Go
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
