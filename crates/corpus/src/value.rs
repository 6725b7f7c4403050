//! Values of columns that plain Rust types do not say.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A moment: milliseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Millis(pub i64);

/// A day: days since 1970-01-01.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Day(pub i32);

/// A probability or a share, in 0..=1. Ordered (by IEEE 754's total order), so that rows can be
/// sorted and compared.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Share(pub f32);

impl PartialEq for Share {
    fn eq(&self, other: &Share) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Share {}

impl PartialOrd for Share {
    fn partial_cmp(&self, other: &Share) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Share {
    fn cmp(&self, other: &Share) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
