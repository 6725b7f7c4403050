//! Records as they are delivered.

use strum::{IntoStaticStr, VariantArray};

use crate::{Reason, header::starts_with_ignore_case, http};

/// `WARC-Type`. An ARC file's first record is a `Warcinfo`, its others are `Response`; an HTML file is a
/// `Resource`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[repr(u16)]
pub enum RecordType {
    /// About the file.
    Warcinfo,
    /// What a server answered.
    Response,
    /// What a crawler kept without a protocol's envelope.
    Resource,
    /// A request of the crawler.
    Request,
    /// About another record.
    Metadata,
    /// The same content as an older capture.
    Revisit,
    /// Another form of a capture, such as the text of a WET file.
    Conversion,
    /// The rest of a block that began in another record.
    Continuation,
    /// No type, or one that no standard knows.
    Unknown,
}

impl RecordType {
    /// Every type.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The type's name in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The type of that name, in any case.
    pub(crate) fn parse(name: &str) -> Self {
        let mut known = Self::ALL.iter();
        let found = known.find(|kind| kind.as_str().eq_ignore_ascii_case(name));
        found.copied().unwrap_or(Self::Unknown)
    }
}

/// Records read so far by type, wanted or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts([u64; RecordType::ALL.len()]);

impl Counts {
    /// Records of one type.
    #[must_use]
    pub const fn of(&self, kind: RecordType) -> u64 {
        self.0[kind as usize]
    }

    /// All records.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The types that occurred, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (RecordType, u64)> + '_ {
        RecordType::ALL
            .iter()
            .map(|&kind| (kind, self.of(kind)))
            .filter(|&(_, count)| count > 0)
    }

    /// Adds the counts of another reader, for example of another range.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }

    pub(crate) fn count(&mut self, kind: RecordType) {
        self.0[kind as usize] += 1;
    }
}

/// A record. It borrows the reader's buffers until the next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
    /// Where it begins in the file as stored; of a compressed file, the offset of the member it begins in.
    pub offset: u64,
    /// How far into the decompressed member it begins: 0 where every record has its own member, and in
    /// uncompressed files. Offset and `inner` together are unique in a file.
    pub inner: u64,
    /// Bytes from `offset` to the end of the record as stored. 0 when the record ends inside a compressed
    /// member that continues (one member for many records): its end is then no place in the file.
    pub length: u64,
    /// What it is.
    pub kind: RecordType,
    /// The address, without the brackets that some tools write; empty when there is none.
    pub target_uri: &'a str,
    /// When it was captured: milliseconds since 1970, UTC. `None` for no date or one that makes no sense.
    pub date: Option<i64>,
    /// `WARC-Record-ID` as written, with its brackets; empty when there is none (as in ARC files).
    pub record_id: &'a str,
    /// `WARC-Payload-Digest`; empty when there is none.
    pub payload_digest: &'a str,
    /// The type of the block (`application/http; msgtype=response`); of an ARC record, the type of the
    /// page; empty when there is none.
    pub content_type: &'a str,
    /// `WARC-Identified-Payload-Type`: the media type that the crawler found by looking at the content; empty when there
    /// is none.
    pub identified_type: &'a str,
    /// `WARC-Truncated`: why the crawler cut the block; `segment` if the block continues in another record; empty if
    /// it is whole.
    pub truncated: &'a str,
    /// What is wrong with the record, if it was delivered anyway: [`Reason::Truncated`] (the file
    /// ends inside the block), [`Reason::WrongLength`] or [`Reason::NoLength`] (the block goes to where
    /// the next record begins).
    pub damage: Option<Reason>,
    /// The header as stored, up to and with its blank line.
    pub header: &'a [u8],
    /// The block: of a response, HTTP header and body as they came ([`crate::http::parse`]).
    pub content: &'a [u8],
}

impl<'a> Record<'a> {
    /// The first field of the record's header with that name, in any case; `None` where there is none, or it is no UTF-8.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'a str> {
        let mut lines = self.header.split(|&byte| byte == b'\n');
        lines.find_map(|line| {
            let (found, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
            found.trim().eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Whether it is no record of an archive, but a file that is a page.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.header.is_empty()
    }

    /// Whether the block is an HTTP message, by its type or, in ARC files and records without a type, its
    /// beginning.
    #[must_use]
    pub fn is_http(&self) -> bool {
        let may_be_http = self.kind == RecordType::Response || self.content_type.is_empty();
        starts_with_ignore_case(self.content_type.as_bytes(), b"application/http")
            || (may_be_http && http::begins(self.content))
    }
}
