//! Rows that are not written yet, in bytes: workers wait with more of them.
//!
//! The rows of a unit wait until those of all units before it in its part are written. A unit is a piece of the input as
//! stored, which says little of the bytes of its rows: where pages repeat themselves, a kilobyte of input is megabytes of text.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::epoch::Epoch;
use crate::memory::Memory;

/// Rows that may wait where memory has no bound, and at the least.
const MOST: u64 = 256 << 20;
const LEAST: u64 = 16 << 20;

/// Rows of the unit that is being written which may be on their way to its file, where more must not wait.
const ON_THE_WAY: u64 = 8 << 20;

/// A unit: its part, and its number in that.
type UnitKey = (Epoch, u32);

/// Rows that are not written yet, of all workers.
#[derive(Clone, Debug)]
pub(crate) struct Backlog {
    most: u64,
    bytes: Arc<Mutex<BTreeMap<UnitKey, u64>>>,
}

/// Bytes that count as waiting for as long as this is kept.
#[derive(Debug)]
pub(crate) struct Held {
    backlog: Backlog,
    unit: UnitKey,
    bytes: u64,
}

impl Backlog {
    /// With room for a part of the memory that is left for rows.
    pub(crate) fn new(memory: Memory, workers: usize) -> Backlog {
        let spare = memory.beyond_least(workers);
        Backlog {
            most: spare.map_or(MOST, |spare| (spare / 4).clamp(LEAST, MOST)),
            bytes: Arc::default(),
        }
    }

    /// Rows of a unit wait from now on, until what is returned is dropped.
    pub(crate) fn hold(&self, unit: UnitKey, bytes: usize) -> Arc<Held> {
        let held = Held {
            backlog: self.clone(),
            unit,
            bytes: bytes as u64,
        };
        *self.bytes.lock().entry(unit).or_default() += held.bytes;
        Arc::new(held)
    }

    /// Whether a worker may continue a unit. With the unit whose rows are written next it may soon, always:
    /// whatever waits, waits for that one.
    pub(crate) fn has_room(&self, unit: UnitKey, is_next: impl FnOnce() -> bool) -> bool {
        let (all, own) = {
            let bytes = self.bytes.lock();
            (bytes.values().sum::<u64>(), bytes.get(&unit).copied())
        };
        all < self.most || (own.unwrap_or_default() < ON_THE_WAY && is_next())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut bytes = self.backlog.bytes.lock();
        if let Some(of_unit) = bytes.get_mut(&self.unit) {
            *of_unit -= self.bytes;
            if *of_unit == 0 {
                bytes.remove(&self.unit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_bounded_but_for_what_is_next() {
        let backlog = Backlog::new(Memory::new(Some(1)), 1);
        let first = backlog.hold((0, 0), 1 << 20);
        assert!(backlog.has_room((0, 1), || false));
        let second = backlog.hold((0, 1), LEAST as usize);
        assert!(!backlog.has_room((0, 1), || false));
        assert!(backlog.has_room((0, 0), || true));
        assert!(!backlog.has_room((0, 1), || true), "it has enough on its way");
        drop(second);
        assert!(backlog.has_room((0, 1), || false));
        drop(first);
        assert!(backlog.bytes.lock().is_empty());
    }

    #[test]
    fn rows_that_are_copied_count_once() {
        let backlog = Backlog::new(Memory::default(), 1);
        let rows = backlog.hold((0, 3), 5);
        let copy = rows.clone();
        drop(rows);
        assert_eq!(backlog.bytes.lock().get(&(0, 3)), Some(&5));
        drop(copy);
        assert!(backlog.bytes.lock().is_empty());
    }
}
