//! What could not be read, and why.

use strum::{Display, IntoStaticStr, VariantArray};

/// Why a part of a file gave no record, or what is wrong with a record that was given anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Display, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
    /// The record has a later part of a block that began in another record. Parts are not joined.
    Segment,
}

impl Reason {
    /// Every reason.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name used in tables and reports; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
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
    /// One phrase for the user.
    pub detail: String,
    /// `WARC-Record-ID`, where the header could be read, else empty.
    pub record_id: String,
    /// The address, where the header could be read, else empty.
    pub target_uri: String,
}
