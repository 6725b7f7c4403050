//! How far it is.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How far it is, for those who watch.
#[derive(Debug, Default)]
pub struct Progress {
    /// Pages of the archives that were looked at.
    pub looked_at: AtomicU64,
    /// Pages to draw that were found.
    pub to_draw: AtomicU64,
    /// Pages that were drawn, or could not be.
    pub done: AtomicU64,
}

impl Progress {
    pub(crate) fn set_pages(&self, looked_at: u64, to_draw: usize) {
        self.looked_at.store(looked_at, Relaxed);
        self.to_draw.store(to_draw as u64, Relaxed);
    }
}
