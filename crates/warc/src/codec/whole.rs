//! Gzip members whose end is at hand, by libdeflate: two thirds of the instructions of decoding in steps.

use std::ptr::NonNull;

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_decompressor, libdeflate_free_decompressor,
    libdeflate_gzip_decompress_ex, libdeflate_result_LIBDEFLATE_SUCCESS,
};
use memchr::memmem::Finder;

use super::{MAGIC_BYTES, container_of, magic};
use crate::Container;

/// Maximum decompressed bytes of a member that is decoded in one call.
const WHOLE_BYTES: usize = 4 << 20;
/// Failures in a row after which a file's members are decoded in steps: they don't end where they seem to.
const FAILURES: u32 = 4;
/// A header without optional fields, and the checksum and length behind the data.
const LEAST_BYTES: usize = 18;
/// Bytes of a file that are read to find where a member ends.
const SIGHT_BYTES: usize = 256 << 10;
/// The flag of a checksum of the header, which libdeflate does not test.
const HEADER_CHECKSUM: u8 = 2;

/// Decodes members in one call where the next member or the end of the file shows where they end.
///
/// What fails is decoded in steps, which report damage.
pub(crate) struct Whole {
    decompressor: Option<Decompressor>,
    next: Finder<'static>,
    failures: u32,
    /// Bytes of the member at hand in which the next one does not begin.
    searched: usize,
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
            searched: 0,
        }
    }

    /// Whether more of the file could show where the member ends that `bytes` begin with.
    pub(crate) fn needs_more(&mut self, bytes: &[u8]) -> bool {
        self.can_decode(bytes) && bytes.len() < SIGHT_BYTES && self.next_member(bytes).is_none()
    }

    /// The extent of the member that `bytes` begin with, if its end seems to be in them; `ended` says that the file ends with them.
    pub(crate) fn extent(&mut self, bytes: &[u8], ended: bool) -> Option<Extent> {
        if !self.can_decode(bytes) {
            return None;
        }
        let next = self.next_member(bytes);
        self.searched = 0;
        let stored = next.or_else(|| ended.then_some(bytes.len()))?;
        let content = u32::from_le_bytes(*bytes[..stored].last_chunk()?) as usize;
        (1..=WHOLE_BYTES)
            .contains(&content)
            .then_some(Extent { stored, content })
    }

    fn can_decode(&self, bytes: &[u8]) -> bool {
        let is_gzip = container_of(bytes) == Some(Container::Gzip);
        is_gzip && bytes[3] & HEADER_CHECKSUM == 0 && self.failures < FAILURES
    }

    /// Where the next member seems to begin.
    fn next_member(&mut self, bytes: &[u8]) -> Option<usize> {
        let from = self.searched.max(LEAST_BYTES);
        let mut places = self.next.find_iter(bytes.get(from..)?).map(|at| from + at);
        let begins = |at: &usize| bytes.len() < at + MAGIC_BYTES || container_of(&bytes[*at..]).is_some();
        let next = places.find(begins);
        self.searched = next.unwrap_or(bytes.len().saturating_sub(MAGIC_BYTES));
        next
    }

    /// Decodes the member that `bytes` begin with if it is sound and fills `content`. Returns how many of `bytes` it has: damage may
    /// follow it where the next member should begin.
    pub(crate) fn decode(&mut self, bytes: &[u8], content: &mut [u8]) -> Option<usize> {
        let decompressor = self.decompressor.as_mut()?;
        let stored = decompressor.member(bytes, content);
        self.failures = if stored.is_some() { 0 } else { self.failures + 1 };
        stored
    }
}

/// A decompressor of libdeflate. The safe bindings do not return how much of the input a member has.
struct Decompressor(NonNull<libdeflate_decompressor>);

#[expect(
    unsafe_code,
    reason = "the decompressor is memory that this alone has, and keeps nothing of a thread"
)]
unsafe impl Send for Decompressor {}

impl Decompressor {
    /// None where there is no memory for one.
    fn new() -> Option<Decompressor> {
        #[expect(unsafe_code, reason = "the function has no preconditions")]
        let allocated = unsafe { libdeflate_alloc_decompressor() };
        NonNull::new(allocated).map(Decompressor)
    }

    /// Decodes a member that fills `content`. Returns its length in `bytes`.
    fn member(&mut self, bytes: &[u8], content: &mut [u8]) -> Option<usize> {
        let (mut read, mut written) = (0, 0);
        #[expect(unsafe_code, reason = "the pointers are those of slices, with their lengths")]
        let result = unsafe {
            libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                bytes.as_ptr().cast(),
                bytes.len(),
                content.as_mut_ptr().cast(),
                content.len(),
                &raw mut read,
                &raw mut written,
            )
        };
        (result == libdeflate_result_LIBDEFLATE_SUCCESS && written == content.len()).then_some(read)
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        #[expect(
            unsafe_code,
            reason = "it was allocated by the same library, and is freed once"
        )]
        unsafe {
            libdeflate_free_decompressor(self.0.as_ptr());
        }
    }
}
