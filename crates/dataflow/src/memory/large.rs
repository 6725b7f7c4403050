//! Large pages: as many at a time as there is memory for.
//!
//! The memory a page needs depends on its blocks, which are unknown before it is parsed. With a bound of memory a worker waits
//! with a large page until the memory that others have reserved leaves room for its maximum.

use std::sync::Arc;
use std::thread::{self, ThreadId};

use parking_lot::{Condvar, Mutex};

use crate::memory::{Memory, least_memory};

/// Minimum bytes of a large page. The minimum memory of a worker is enough for smaller ones.
const LARGE: usize = 256 << 10;

/// Maximum memory per byte of a page, with as many blocks as a page may have, and for a page in all, in bytes.
const BYTES_PER_BYTE: u64 = 256;
const MAXIMUM: u64 = 384 << 20;

/// Memory per byte of a page beside its blocks: the body and copies of its text.
const COPIES: u64 = 8;

/// Memory of a block, in bytes.
const BLOCK: u64 = 2 << 10;

/// The memory that is reserved for large pages.
#[derive(Debug)]
pub(crate) struct LargePages {
    /// Memory for all of them; none where it has no bound.
    most: Option<u64>,
    held: Mutex<Vec<(ThreadId, u64)>>,
    freed: Condvar,
}

/// Memory for a large page, reserved until this is dropped.
#[derive(Debug)]
pub(crate) struct ReservedMemory {
    pages: Arc<LargePages>,
    thread: ThreadId,
    bytes: u64,
}

impl LargePages {
    pub(crate) fn new(memory: Memory) -> LargePages {
        LargePages {
            most: memory.most().map(|most| most.saturating_sub(least_memory(1))),
            held: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Waits until there is room for a page of `bytes` bytes, if it is a large one. There is always room for one page, and
    /// a worker that already holds one does not wait: otherwise it would wait for itself.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Option<ReservedMemory> {
        let most = self.most.filter(|_| bytes >= LARGE)?;
        let reserved = ReservedMemory {
            pages: Arc::clone(self),
            thread: thread::current().id(),
            bytes: (bytes as u64 * BYTES_PER_BYTE).min(MAXIMUM) + bytes as u64 * COPIES,
        };
        let is_full = |held: &mut Vec<(ThreadId, u64)>| {
            let all: u64 = held.iter().map(|(_, bytes)| bytes).sum();
            let has_one = held.iter().any(|(thread, _)| *thread == reserved.thread);
            !held.is_empty() && !has_one && all + reserved.bytes > most
        };
        let mut held = self.held.lock();
        self.freed.wait_while(&mut held, is_full);
        held.push((reserved.thread, reserved.bytes));
        drop(held);
        Some(reserved)
    }

    /// Releases the memory of a page, or a part of it.
    fn replace(&self, thread: ThreadId, bytes: u64, by: Option<u64>) {
        let mut held = self.held.lock();
        if let Some(place) = held.iter().position(|held| *held == (thread, bytes)) {
            held.swap_remove(place);
            held.extend(by.map(|by| (thread, by)));
        }
        drop(held);
        self.freed.notify_all();
    }
}

impl ReservedMemory {
    /// The page is parsed, and has this number of blocks.
    pub(crate) fn has_blocks(&mut self, blocks: usize, body: usize) {
        let bytes = (blocks as u64 * BLOCK + body as u64 * COPIES).min(self.bytes);
        self.pages.replace(self.thread, self.bytes, Some(bytes));
        self.bytes = bytes;
    }
}

impl Drop for ReservedMemory {
    fn drop(&mut self) {
        self.pages.replace(self.thread, self.bytes, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(spare: u64) -> Arc<LargePages> {
        Arc::new(LargePages::new(Memory::new(Some(least_memory(1) + spare))))
    }

    #[test]
    fn small_pages_and_those_of_a_build_without_bound_do_not_count() {
        assert!(pages(0).take(LARGE - 1).is_none());
        assert!(
            Arc::new(LargePages::new(Memory::default()))
                .take(64 << 20)
                .is_none()
        );
    }

    #[test]
    fn a_worker_waits_while_others_have_what_there_is() {
        let pages = pages(MAXIMUM + (64 << 20));
        let mut first = pages.take(4 << 20).unwrap();
        let second = pages.take(4 << 20);
        assert_eq!(pages.held.lock().len(), 2, "one worker does not wait for itself");
        drop(second);
        let other = Arc::clone(&pages);
        let waits = thread::spawn(move || other.take(2 << 20).map(|page| page.bytes));
        // As one of many blocks it leaves no room, as one of few it does.
        first.has_blocks(1 << 20, 4 << 20);
        assert_eq!(pages.held.lock().len(), 1);
        first.has_blocks(10, 2 << 20);
        assert_eq!(waits.join().unwrap(), Some(MAXIMUM + COPIES * (2 << 20)));
        drop(first);
        assert!(pages.held.lock().is_empty());
    }
}
