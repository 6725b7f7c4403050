//! The options of a reader.

use std::ops::Range;

use crate::{Format, RecordType};

/// Default of [`Limits::header_bytes`].
pub const DEFAULT_HEADER_BYTES: usize = 256 << 10;
/// Default of [`Limits::record_bytes`].
pub const DEFAULT_RECORD_BYTES: usize = 64 << 20;
/// Default of [`Limits::skip_bytes`].
pub const DEFAULT_SKIP_BYTES: u64 = 4 << 30;
/// Default of [`Limits::lookback_bytes`].
pub const DEFAULT_LOOKBACK_BYTES: usize = 16 << 20;

/// Bounds on what a reader keeps in memory and on the work that one bad record can cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest header of a record, in bytes.
    pub header_bytes: usize,
    /// The largest block of a record that is kept, in decompressed bytes. A larger record is skipped
    /// and becomes a reject.
    pub record_bytes: usize,
    /// Decompressed bytes that are skipped in search of the next record before the reader gives
    /// decompression up and looks for the next record in the file itself. Stops decompression bombs.
    pub skip_bytes: u64,
    /// Compressed bytes that are kept of a member, so that records can be found again inside a member
    /// that turned out to be damaged.
    pub lookback_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_bytes: DEFAULT_HEADER_BYTES,
            record_bytes: DEFAULT_RECORD_BYTES,
            skip_bytes: DEFAULT_SKIP_BYTES,
            lookback_bytes: DEFAULT_LOOKBACK_BYTES,
        }
    }
}

/// Which record types come out of [`crate::Reader::step`]; all are counted and checked for damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted(u16);

impl Wanted {
    /// Every record.
    pub const ALL: Self = Self(u16::MAX);
    /// No record: only counts and rejects.
    pub const NONE: Self = Self(0);
    /// What can hold a page: response, resource and conversion.
    pub const CAPTURES: Self = Self::NONE
        .with(RecordType::Response)
        .with(RecordType::Resource)
        .with(RecordType::Conversion);

    /// These types and `kind`.
    #[must_use]
    pub const fn with(self, kind: RecordType) -> Self {
        Self(self.0 | 1 << kind as u16)
    }

    /// Whether records of type `kind` are wanted.
    #[must_use]
    pub const fn has(self, kind: RecordType) -> bool {
        self.0 & (1 << kind as u16) != 0
    }
}

/// How a file is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The part of the file to read, in offsets of the file as stored. See [`crate::Reader`] for what
    /// belongs to a range. The source must begin at `range.start`.
    pub range: Range<u64>,
    /// The result of [`crate::probe`] for the file. Needed when the range does not begin at 0; otherwise
    /// `None` lets the reader look for itself.
    pub format: Option<Format>,
    /// The record types to deliver.
    pub wanted: Wanted,
    /// Bounds.
    pub limits: Limits,
}

impl Default for Options {
    /// The whole file, every record.
    fn default() -> Self {
        Self {
            range: 0..u64::MAX,
            format: None,
            wanted: Wanted::ALL,
            limits: Limits::default(),
        }
    }
}
