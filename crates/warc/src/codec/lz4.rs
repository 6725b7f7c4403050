//! LZ4 frames: the frame format by hand, because blocks can then be decompressed as their bytes arrive;
//! the blocks by `lz4_flex`.

use lz4_flex::block;
use xxhash_rust::xxh32::{Xxh32, xxh32};

use super::{Fault, Progress};
use crate::Reason;

/// Bytes that a block may refer back to in the blocks before it.
const WINDOW: usize = 64 << 10;

/// One frame.
#[derive(Default)]
pub(super) struct Lz4 {
    frame: Option<Frame>,
    /// Decompressed bytes: up to a window that has been handed out, then what has not.
    out: Vec<u8>,
    handed: usize,
}

/// The fields of the frame's header, and the running checksum.
struct Frame {
    linked: bool,
    block_checksums: bool,
    content_checksum: Option<Xxh32>,
    block_bytes: usize,
    ended: bool,
}

impl Lz4 {
    pub(super) fn decode(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        done: &mut Progress,
    ) -> Result<(), Fault> {
        loop {
            done.written += self.hand_out(&mut output[done.written..]);
            let waiting = self.handed < self.out.len();
            if waiting || self.frame.as_ref().is_some_and(|frame| frame.ended) {
                done.end = !waiting;
                return Ok(());
            }
            let read = self.step(&input[done.read..])?;
            if read == 0 {
                return Ok(());
            }
            done.read += read;
        }
    }

    fn hand_out(&mut self, output: &mut [u8]) -> usize {
        let ready = &self.out[self.handed..];
        let count = ready.len().min(output.len());
        output[..count].copy_from_slice(&ready[..count]);
        self.handed += count;
        count
    }

    /// Reads the frame's header, a block or the end mark; returns the bytes read, 0 if more are needed.
    fn step(&mut self, input: &[u8]) -> Result<usize, Fault> {
        let Some(frame) = &mut self.frame else {
            let Some((frame, read)) = Frame::parse(input)? else {
                return Ok(0);
            };
            self.frame = Some(frame);
            return Ok(read);
        };
        let Some(size) = word(input, 0) else { return Ok(0) };
        if size == 0 {
            return frame.finish(input);
        }
        let length = (size & 0x7fff_ffff) as usize;
        if length > frame.block_bytes {
            return Err(damaged("a block is larger than the frame allows"));
        }
        let whole = 4 + length + if frame.block_checksums { 4 } else { 0 };
        let Some(block) = input.get(4..whole).map(|rest| &rest[..length]) else {
            return Ok(0);
        };
        if frame.block_checksums && word(input, 4 + length) != Some(xxh32(block, 0)) {
            return Err(Fault::new(Reason::BadChecksum, "lz4: incorrect block checksum"));
        }
        self.block(block, size >> 31 == 1)?;
        Ok(whole)
    }

    fn block(&mut self, block: &[u8], stored: bool) -> Result<(), Fault> {
        let frame = self
            .frame
            .as_mut()
            .expect("a block comes after the frame's header");
        let keep = if frame.linked {
            self.out.len().min(WINDOW)
        } else {
            0
        };
        self.out.drain(..self.out.len() - keep);
        if stored {
            self.out.extend_from_slice(block);
        } else {
            self.out.resize(keep + frame.block_bytes, 0);
            let (window, target) = self.out.split_at_mut(keep);
            let written = block::decompress_into_with_dict(block, target, window)
                .map_err(|error| damaged(&error.to_string()))?;
            self.out.truncate(keep + written);
        }
        self.handed = keep;
        if let Some(checksum) = &mut frame.content_checksum {
            checksum.update(&self.out[keep..]);
        }
        Ok(())
    }
}

impl Frame {
    /// The header after the magic number: flags, block size, optional content size and dictionary id, and
    /// a byte of checksum. `None` when it is not there as a whole.
    fn parse(input: &[u8]) -> Result<Option<(Self, usize)>, Fault> {
        let (Some(&flags), Some(&descriptor)) = (input.get(4), input.get(5)) else {
            return Ok(None);
        };
        let options = if flags & 0x08 != 0 { 8 } else { 0 } + if flags & 0x01 != 0 { 4 } else { 0 };
        let Some(&checksum) = input.get(6 + options) else {
            return Ok(None);
        };
        if checksum != (xxh32(&input[4..6 + options], 0) >> 8) as u8 {
            return Err(Fault::new(Reason::BadChecksum, "lz4: incorrect header checksum"));
        }
        if flags >> 6 != 1 || flags & 0x01 != 0 {
            return Err(damaged("a version or a dictionary that is not known"));
        }
        let block_bytes = match descriptor >> 4 & 7 {
            4 => 64 << 10,
            5 => 256 << 10,
            6 => 1 << 20,
            7 => 4 << 20,
            _ => return Err(damaged("an unknown block size")),
        };
        let frame = Self {
            linked: flags & 0x20 == 0,
            block_checksums: flags & 0x10 != 0,
            content_checksum: (flags & 0x04 != 0).then(|| Xxh32::new(0)),
            block_bytes,
            ended: false,
        };
        Ok(Some((frame, 7 + options)))
    }

    /// The end mark and the checksum of the content.
    fn finish(&mut self, input: &[u8]) -> Result<usize, Fault> {
        let Some(checksum) = &self.content_checksum else {
            self.ended = true;
            return Ok(4);
        };
        let Some(stored) = word(input, 4) else {
            return Ok(0);
        };
        if stored != checksum.digest() {
            return Err(Fault::new(Reason::BadChecksum, "lz4: incorrect content checksum"));
        }
        self.ended = true;
        Ok(8)
    }
}

fn damaged(detail: &str) -> Fault {
    Fault::new(Reason::BadCompression, format!("lz4: {detail}"))
}

/// The little-endian number at `at`.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
}
