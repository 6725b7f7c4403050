//! The file as stored: a window of bytes with a cursor, and as much behind it as a second look may need.

use std::io;

use crate::{Chunk, Source};

/// What came of asking for more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Got {
    Bytes,
    Pending,
    End,
}

#[derive(Debug)]
pub(crate) struct Raw<S> {
    source: S,
    bytes: Vec<u8>,
    /// Offset in the file of `bytes[0]`.
    base: u64,
    /// Bytes before this one are no longer needed.
    mark: usize,
    cursor: usize,
    ended: bool,
    lookback: usize,
}

impl<S: Source> Raw<S> {
    pub(crate) fn into_source(self) -> S {
        self.source
    }

    /// `offset` is where the source begins in the file; at most `lookback` bytes are kept behind the cursor.
    pub(crate) fn new(source: S, offset: u64, lookback: usize) -> Self {
        Self {
            source,
            bytes: Vec::new(),
            base: offset,
            mark: 0,
            cursor: 0,
            ended: false,
            lookback,
        }
    }

    /// The cursor's offset in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.cursor as u64
    }

    /// The offset in the file of the end of what has been read.
    pub(crate) fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// What has been read from the cursor on.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.cursor..]
    }

    pub(crate) fn advance(&mut self, bytes: usize) {
        self.cursor += bytes;
    }

    /// Nothing before the cursor is needed any more.
    pub(crate) fn forget(&mut self) {
        self.mark = self.cursor;
    }

    /// Goes back to `offset`, or as far as bytes are kept.
    pub(crate) fn rewind(&mut self, offset: u64) {
        let wanted = usize::try_from(offset.saturating_sub(self.base)).unwrap_or(usize::MAX);
        self.cursor = wanted.clamp(self.mark, self.bytes.len());
    }

    /// The bytes from `offset` on, if they are still kept.
    pub(crate) fn kept_from(&self, offset: u64) -> Option<&[u8]> {
        let index = usize::try_from(offset.checked_sub(self.base)?).ok()?;
        self.bytes.get(index..).filter(|_| index >= self.mark)
    }

    pub(crate) fn ended(&self) -> bool {
        self.ended
    }

    /// Asks the source for more. `End` once it has ended.
    pub(crate) fn more(&mut self) -> io::Result<Got> {
        while !self.ended {
            match self.source.next()? {
                Chunk::Data(chunk) if chunk.is_empty() => {}
                Chunk::Data(chunk) => {
                    self.make_room(chunk.len());
                    self.bytes.extend_from_slice(&chunk);
                    return Ok(Got::Bytes);
                }
                Chunk::Pending => return Ok(Got::Pending),
                Chunk::End => self.ended = true,
            }
        }
        Ok(Got::End)
    }

    /// Drops what is not needed, but only when that is at least as much as what stays, so that every byte
    /// is moved at most once on average.
    fn make_room(&mut self, coming: usize) {
        self.mark = self.mark.max(self.cursor.saturating_sub(self.lookback));
        if self.bytes.len() + coming > self.bytes.capacity() && self.mark >= self.bytes.len() - self.mark {
            self.bytes.drain(..self.mark);
            self.base += self.mark as u64;
            self.cursor -= self.mark;
            self.mark = 0;
        }
    }
}
