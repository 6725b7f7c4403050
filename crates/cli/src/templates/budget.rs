//! Memory that threads take before they begin something, and give back when it is done.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// So many bytes, or any number.
#[derive(Debug)]
pub(super) struct Budget {
    most: Option<u64>,
    taken: Mutex<u64>,
    freed: Condvar,
}

/// Bytes that are taken until this is dropped.
#[derive(Debug)]
pub(super) struct Taken<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(most: Option<u64>) -> Budget {
        Budget {
            most,
            taken: Mutex::default(),
            freed: Condvar::new(),
        }
    }

    /// Takes bytes; waits until there are as many. One thing there is always memory for: it is taken for that alone.
    ///
    /// A thread that has something taken must not take more: it could wait for itself.
    pub(super) fn take(&self, bytes: u64) -> Taken<'_> {
        let is_short = |taken: &mut u64| {
            let most = self.most.unwrap_or(u64::MAX);
            *taken > 0 && taken.saturating_add(bytes) > most
        };
        let taken = self.freed.wait_while(self.lock(), is_short);
        *taken.unwrap_or_else(PoisonError::into_inner) += bytes;
        Taken { budget: self, bytes }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        *self.budget.lock() -= self.bytes;
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
    use std::thread;

    use super::*;

    /// The most that threads had at the same time.
    fn most_taken(budget: &Budget, bytes: u64) -> u64 {
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _taken = budget.take(bytes);
                        most.fetch_max(now.fetch_add(bytes, SeqCst) + bytes, SeqCst);
                        thread::yield_now();
                        now.fetch_sub(bytes, SeqCst);
                    }
                });
            }
        });
        most.into_inner()
    }

    #[test]
    fn what_is_taken_is_bounded() {
        assert!(most_taken(&Budget::new(Some(30)), 10) <= 30);
        assert_eq!(most_taken(&Budget::new(Some(5)), 10), 10, "one at a time");
        let budget = Budget::new(None);
        most_taken(&budget, 10);
        assert_eq!(*budget.lock(), 0);
    }
}
