//! Gzip members whose end is at hand, by libdeflate: half of what decoding in steps costs.

use libdeflater::Decompressor;
use memchr::memmem::Finder;

use super::{MAGIC_BYTES, container_of, magic};
use crate::Container;

/// Maximum decompressed bytes of a member that is decoded in one call.
const WHOLE_BYTES: usize = 4 << 20;
/// Failures in a row after which a file's members are decoded in steps: they don't end where they seem to.
const FAILURES: u32 = 4;
/// A header without optional fields, and the checksum and length behind the data.
const LEAST_BYTES: usize = 18;
/// The flag of a checksum of the header, which libdeflate does not test.
const HEADER_CHECKSUM: u8 = 2;

/// Decodes members in one call where the next member or the end of the file shows where they end.
///
/// What fails is decoded in steps, which tell of damage.
pub(crate) struct Whole {
    decompressor: Decompressor,
    next: Finder<'static>,
    failures: u32,
}

/// Where a member ends, and the length of its content as its last four bytes give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) stored: usize,
    pub(crate) content: usize,
}

impl Whole {
    pub(crate) fn new() -> Self {
        Self {
            decompressor: Decompressor::new(),
            next: Finder::new(magic(Container::Gzip)),
            failures: 0,
        }
    }

    /// The extent of the member at the start of `bytes`, if its end seems to be in them; `ended` says that the file ends with them.
    pub(crate) fn extent(&self, bytes: &[u8], ended: bool) -> Option<Extent> {
        let begins = container_of(bytes) == Some(Container::Gzip) && bytes[3] & HEADER_CHECKSUM == 0;
        if !begins || self.failures == FAILURES {
            return None;
        }
        let behind = bytes.get(LEAST_BYTES..)?;
        let next = self
            .next
            .find_iter(behind)
            .map(|at| LEAST_BYTES + at)
            .find(|&at| bytes.len() < at + MAGIC_BYTES || container_of(&bytes[at..]).is_some());
        let stored = next.or_else(|| ended.then_some(bytes.len()))?;
        let content = u32::from_le_bytes(*bytes[..stored].last_chunk()?) as usize;
        (1..=WHOLE_BYTES)
            .contains(&content)
            .then_some(Extent { stored, content })
    }

    /// Whether `member` is sound and fills `content`.
    pub(crate) fn decode(&mut self, member: &[u8], content: &mut [u8]) -> bool {
        let is_sound = self.decompressor.gzip_decompress(member, content) == Ok(content.len());
        self.failures = if is_sound { 0 } else { self.failures + 1 };
        is_sound
    }
}
