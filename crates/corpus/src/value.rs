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

impl Share {
    /// A probability that depends on other pages, in hundredths: a change that decides nothing changes no row.
    pub fn in_hundredths(share: f32) -> Share {
        Share((share * 100.0).round() / 100.0)
    }
}

/// Any number. Ordered (by IEEE 754's total order), so that rows can be sorted and compared.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Real(pub f64);

/// Equality and order by IEEE 754's total order.
macro_rules! total_order {
    ($($type:ty),*) => {$(
        impl PartialEq for $type {
            fn eq(&self, other: &$type) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $type {}

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &$type) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $type {
            fn cmp(&self, other: &$type) -> Ordering {
                self.0.total_cmp(&other.0)
            }
        }
    )*};
}

total_order!(Share, Real);
