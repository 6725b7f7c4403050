//! The file decompressed: bytes from the place at hand on, and where in the file they come from.

use std::{collections::VecDeque, io, sync::Arc};

use crate::{
    Container, Limits, Reason, Source,
    codec::{self, Codec, Fault, MAGIC_BYTES, Whole},
    raw::{Got, Raw},
};

/// Room that is always there for the next step of decompression.
const STEP_BYTES: usize = 64 << 10;
/// The largest dictionary that is taken from a file.
const DICTIONARY_BYTES: usize = 16 << 20;
/// A window that has grown larger than this is given back when it is empty.
const KEEP_BYTES: usize = 16 << 20;

/// Members in the window whose places are known. Of more, which only files made to harm have, places are
/// counted from an earlier member on.
const MARKS: usize = 1 << 16;

/// What came of asking for more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum More {
    /// Perhaps more bytes than before.
    Bytes,
    Pending,
    /// A member is complete, its checksum right; perhaps there are more bytes too.
    MemberEnd,
    /// Nothing more can be had this way; the same answer comes again.
    End(End),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// The file ends, not inside a member.
    File,
    /// The file ends inside a member.
    Cut,
    /// The member cannot be decompressed any further.
    Damaged(Fault),
    /// What follows the member is no member.
    Foreign,
}

/// A place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) inner: u64,
}

/// Where a member begins or ends: in the decompressed bytes and in the file.
#[derive(Debug, Clone, Copy)]
struct Mark {
    at: u64,
    offset: u64,
}

pub(crate) struct Stream<S> {
    pub(crate) raw: Raw<S>,
    /// Whether the bytes at hand are stored as they are.
    plain: bool,
    codec: Option<Codec>,
    /// The decoder of the member before.
    spare: Option<Codec>,
    whole: Whole,
    fault: Option<Fault>,
    dictionary: Option<Arc<[u8]>>,
    window: Window,
    /// Beginnings of members: the one that holds the place at hand, and those after it.
    marks: VecDeque<Mark>,
    /// Ends of members at or after the place at hand.
    ends: VecDeque<Mark>,
    /// Decompressed position of the place at hand.
    at: u64,
    /// Decompressed position up to which bytes other than filling were consumed.
    solid: u64,
}

impl<S: Source> Stream<S> {
    pub(crate) fn new(source: S, offset: u64, limits: &Limits) -> Self {
        Self {
            raw: Raw::new(source, offset, limits.lookback_bytes.max(STEP_BYTES)),
            plain: true,
            codec: None,
            spare: None,
            whole: Whole::new(),
            fault: None,
            dictionary: None,
            window: Window::default(),
            marks: VecDeque::new(),
            ends: VecDeque::new(),
            at: 0,
            solid: 0,
        }
    }

    /// Begins again at the cursor of the raw bytes.
    pub(crate) fn restart(&mut self, plain: bool) {
        self.raw.forget();
        self.plain = plain;
        self.codec = None;
        self.fault = None;
        self.window.clear();
        self.marks.clear();
        self.ends.clear();
        self.at = 0;
        self.solid = 0;
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// The bytes from the place at hand on, as far as they have been read.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.plain {
            self.raw.rest()
        } else {
            self.window.bytes()
        }
    }

    /// Of those, the ones of the first member.
    pub(crate) fn member_bytes(&self) -> &[u8] {
        let bytes = self.bytes();
        match self.marks.iter().find(|mark| mark.at > self.at) {
            Some(mark) if !self.plain => &bytes[..(mark.at - self.at) as usize],
            _ => bytes,
        }
    }

    /// Passes bytes; `filling` are the line ends between records.
    pub(crate) fn consume(&mut self, bytes: usize, filling: bool) {
        self.at += bytes as u64;
        if !filling && bytes > 0 {
            self.solid = self.at;
        }
        if self.plain {
            self.raw.advance(bytes);
            self.raw.forget();
        } else {
            self.window.consume(bytes);
            while self.marks.get(1).is_some_and(|mark| mark.at <= self.at) {
                self.marks.pop_front();
            }
            while self.ends.front().is_some_and(|end| end.at < self.at) {
                self.ends.pop_front();
            }
        }
    }

    /// Where the place at hand is in the file.
    pub(crate) fn place(&self) -> Place {
        match self.marks.front() {
            Some(mark) if !self.plain => Place {
                offset: mark.offset,
                inner: self.at - mark.at,
            },
            _ => Place {
                offset: self.raw.offset(),
                inner: 0,
            },
        }
    }

    /// Whether nothing but filling lies between the beginning of a member and the place at hand.
    pub(crate) fn at_member_start(&self) -> bool {
        self.plain || self.marks.front().is_some_and(|mark| mark.at >= self.solid)
    }

    /// The first end of a member at or after `from` bytes from the place at hand: how far from it, and its
    /// offset in the file.
    pub(crate) fn member_end(&self, from: usize) -> Option<(usize, u64)> {
        let from = self.at + from as u64;
        let end = self.ends.iter().find(|end| end.at >= from)?;
        Some(((end.at - self.at) as usize, end.offset))
    }

    /// Where to look for the next member if the one at hand turns out to be damaged.
    pub(crate) fn rescue_offset(&self) -> u64 {
        match self.marks.back() {
            Some(mark) if !self.plain && (self.codec.is_some() || self.fault.is_some()) => mark.offset + 1,
            _ => self.raw.offset(),
        }
    }

    /// Reads more. `wanted` is the number of bytes from the current place on that the caller waits for, if that is known.
    pub(crate) fn more(&mut self, wanted: usize) -> io::Result<More> {
        if self.plain {
            return Ok(match self.raw.more()? {
                Got::Bytes => More::Bytes,
                Got::Pending => More::Pending,
                Got::End => More::End(End::File),
            });
        }
        if let Some(fault) = &self.fault {
            return Ok(More::End(End::Damaged(fault.clone())));
        }
        if self.codec.is_none() {
            self.next_member()
        } else {
            self.decode(wanted)
        }
    }

    fn decode(&mut self, wanted: usize) -> io::Result<More> {
        let codec = self.codec.as_mut().expect("inside a member");
        loop {
            let progress = match codec.decode(self.raw.rest(), self.window.room(wanted)) {
                Ok(progress) => progress,
                Err(fault) => {
                    self.fault = Some(fault.clone());
                    return Ok(More::End(End::Damaged(fault)));
                }
            };
            self.raw.advance(progress.read);
            self.window.filled(progress.written);
            if progress.end {
                self.spare = self.codec.take();
                self.end_member();
                return Ok(More::MemberEnd);
            }
            if progress.written > 0 {
                return Ok(More::Bytes);
            }
            if progress.read == 0 || self.raw.rest().is_empty() {
                match self.raw.more()? {
                    Got::Bytes => {}
                    Got::Pending => return Ok(More::Pending),
                    Got::End => return Ok(More::End(End::Cut)),
                }
            }
        }
    }

    /// Begins the next member, after zeros and line ends that some tools leave between members.
    fn next_member(&mut self) -> io::Result<More> {
        loop {
            let filling = self
                .raw
                .rest()
                .iter()
                .take_while(|byte| matches!(byte, 0 | b'\r' | b'\n'))
                .count();
            self.raw.advance(filling);
            let rest = self.raw.rest();
            if self.raw.ended() || (rest.len() >= MAGIC_BYTES && !self.whole.needs_more(rest)) {
                break;
            }
            match self.raw.more()? {
                Got::Bytes => {}
                Got::Pending => return Ok(More::Pending),
                Got::End => break,
            }
        }
        let rest = self.raw.rest();
        if rest.is_empty() {
            return Ok(More::End(End::File));
        }
        let Some(container) = codec::container_of(rest) else {
            return Ok(More::End(End::Foreign));
        };
        if self.raw.offset() == 0 && rest.starts_with(&DICTIONARY_MAGIC) {
            return self.read_dictionary();
        }
        self.mark_member();
        if self.decode_whole() {
            self.end_member();
            return Ok(More::MemberEnd);
        }
        self.begin_member(container);
        Ok(More::Bytes)
    }

    /// Decodes the member that begins here in one call, if it ends in what has been read.
    fn decode_whole(&mut self) -> bool {
        let rest = self.raw.rest();
        let Some(extent) = self.whole.extent(rest, self.raw.ended()) else {
            return false;
        };
        let held = self.window.bytes().len();
        let room = &mut self.window.room(held + extent.content)[..extent.content];
        let Some(stored) = self.whole.decode(&rest[..extent.stored], room) else {
            return false;
        };
        self.raw.advance(stored);
        self.window.filled(extent.content);
        true
    }

    /// Decompressed position up to which there are bytes.
    fn filled(&self) -> u64 {
        self.at + self.window.bytes().len() as u64
    }

    /// Notes the end of a member; of empty members in a row the first counts.
    fn end_member(&mut self) {
        let at = self.filled();
        if self.ends.len() < MARKS && self.ends.back().is_none_or(|end| end.at < at) {
            self.ends.push_back(Mark {
                at,
                offset: self.raw.offset(),
            });
        }
    }

    fn mark_member(&mut self) {
        self.raw.forget();
        let at = self.filled();
        if at == self.at {
            self.marks.clear();
        }
        if self.marks.len() >= MARKS {
            self.marks.pop_back();
        }
        self.marks.push_back(Mark {
            at,
            offset: self.raw.offset(),
        });
    }

    fn begin_member(&mut self, container: Container) {
        let spare = self.spare.take().and_then(|codec| codec.reuse(container));
        match spare.map_or_else(|| Codec::new(container, self.dictionary.as_ref()), Ok) {
            Ok(codec) => self.codec = Some(codec),
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Reads the frame at the beginning of a file that holds the dictionary of all others, itself
    /// compressed or not.
    fn read_dictionary(&mut self) -> io::Result<More> {
        loop {
            let rest = self.raw.rest();
            if let Some(&[a, b, c, d]) = rest.get(4..8) {
                let length = u32::from_le_bytes([a, b, c, d]) as usize;
                if length > DICTIONARY_BYTES {
                    return Ok(self.bad_dictionary("larger than 16 MiB"));
                }
                if let Some(bytes) = rest.get(8..8 + length) {
                    let Some(dictionary) = unpack_dictionary(bytes) else {
                        return Ok(self.bad_dictionary("it does not decompress"));
                    };
                    self.dictionary = Some(dictionary.into());
                    self.spare = None;
                    self.raw.advance(8 + length);
                    return Ok(More::Bytes);
                }
            }
            match self.raw.more()? {
                Got::Bytes => {}
                Got::Pending => return Ok(More::Pending),
                Got::End => return Ok(More::End(End::Cut)),
            }
        }
    }

    fn bad_dictionary(&mut self, why: &str) -> More {
        let fault = Fault::new(Reason::MissingDictionary, format!("zstd: bad dictionary: {why}"));
        self.fault = Some(fault.clone());
        More::End(End::Damaged(fault))
    }

    pub(crate) fn dictionary(&self) -> Option<&Arc<[u8]>> {
        self.dictionary.as_ref()
    }
}

/// The magic number of the skippable frame that holds a dictionary.
pub(crate) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

fn unpack_dictionary(bytes: &[u8]) -> Option<Vec<u8>> {
    if codec::container_of(bytes) != Some(Container::Zstd) {
        return Some(bytes.to_vec());
    }
    let mut codec = Codec::new(Container::Zstd, None).ok()?;
    let mut dictionary = Vec::new();
    let mut read = 0;
    loop {
        let filled = dictionary.len();
        if filled >= DICTIONARY_BYTES {
            return None;
        }
        dictionary.resize(filled + STEP_BYTES, 0);
        let progress = codec.decode(&bytes[read..], &mut dictionary[filled..]).ok()?;
        dictionary.truncate(filled + progress.written);
        read += progress.read;
        if progress.end {
            return Some(dictionary);
        }
        if progress.read + progress.written == 0 {
            return None;
        }
    }
}

/// A buffer that is filled at its end and consumed at its beginning; its bytes are zeroed once, when it grows.
#[derive(Default)]
struct Window {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Window {
    fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn clear(&mut self) {
        self.start = 0;
        self.end = 0;
    }

    fn consume(&mut self, bytes: usize) {
        self.start += bytes;
        if self.start == self.end {
            self.clear();
            if self.bytes.len() > KEEP_BYTES {
                self.bytes = Vec::new();
            }
        }
    }

    fn filled(&mut self, bytes: usize) {
        self.end += bytes;
    }

    /// Room to write to: as much as there is, but enough for `wanted` bytes from the start and a little more.
    fn room(&mut self, wanted: usize) -> &mut [u8] {
        let held = self.end - self.start;
        let needed = wanted.max(held) + STEP_BYTES;
        if self.start + needed > self.bytes.len() && self.start >= held {
            self.bytes.copy_within(self.start..self.end, 0);
            self.start = 0;
            self.end = held;
        }
        if self.bytes.len() - self.end < STEP_BYTES || self.start + needed > self.bytes.len() {
            self.bytes.resize(self.start + needed, 0);
        }
        &mut self.bytes[self.end..]
    }
}
