//! What could not be read, and why.

use std::fmt;

/// Why a part of a file gave no record, or what is wrong with a record that was given anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// Bytes where a record should begin, and no record begins there.
    Garbage,
    /// A header that begins like a record and cannot be understood.
    BadHeader,
    /// A header longer than [`crate::Limits::header_bytes`].
    HeaderTooLong,
    /// A block larger than [`crate::Limits::record_bytes`].
    RecordTooLarge,
    /// Compressed data that does not decompress.
    BadCompression,
    /// Compressed data whose checksum is wrong.
    BadChecksum,
    /// Compressed with a dictionary that is not in the file.
    MissingDictionary,
    /// The file ends inside the record.
    Truncated,
    /// The length field of the record is wrong.
    WrongLength,
    /// The record has no length field.
    NoLength,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::Garbage,
        Self::BadHeader,
        Self::HeaderTooLong,
        Self::RecordTooLarge,
        Self::BadCompression,
        Self::BadChecksum,
        Self::MissingDictionary,
        Self::Truncated,
        Self::WrongLength,
        Self::NoLength,
    ];

    /// The name used in tables and reports; it never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Garbage => "garbage",
            Self::BadHeader => "bad-header",
            Self::HeaderTooLong => "header-too-long",
            Self::RecordTooLarge => "record-too-large",
            Self::BadCompression => "bad-compression",
            Self::BadChecksum => "bad-checksum",
            Self::MissingDictionary => "missing-dictionary",
            Self::Truncated => "truncated",
            Self::WrongLength => "wrong-length",
            Self::NoLength => "no-length",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A part of a file that gave no record. Damage that follows damage is one reject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Where it begins in the file as stored; of a compressed file, the member it begins in.
    pub offset: u64,
    /// How far into the decompressed member it begins; 0 in uncompressed files.
    pub inner: u64,
    /// Bytes of the file up to the next record or the end; `None` when the next record lies in the same
    /// compressed member.
    pub length: Option<u64>,
    /// Why.
    pub reason: Reason,
    /// One phrase for a person.
    pub detail: String,
    /// `WARC-Record-ID`, where the header could be read, else empty.
    pub record_id: String,
    /// The address, where the header could be read, else empty.
    pub target_uri: String,
}
