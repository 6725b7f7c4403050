//! Records as a crawler writes them: WARC 1.1, a gzip member each, with digests.

use chrono::DateTime;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use sha1::{Digest, Sha1};

use crate::RecordType;

/// A record to be written. Type, id, date, length and the digest of the block are added.
#[derive(Clone, Debug)]
pub struct NewRecord<'a> {
    /// What it is.
    pub kind: RecordType,
    /// Its id, with its brackets: [`new_record_id`].
    pub id: &'a str,
    /// When it was captured: milliseconds since 1970, UTC.
    pub date: i64,
    /// The address it is about; none for a `warcinfo`.
    pub target_uri: Option<&'a str>,
    /// The media type of the block.
    pub content_type: &'a str,
    /// Further fields: name and value. Line breaks in a value become spaces.
    pub fields: &'a [(&'a str, &'a str)],
    /// The block in pieces.
    pub block: &'a [&'a [u8]],
}

/// Writes records, each as a gzip member. It keeps its memory from record to record.
#[derive(Debug)]
pub struct RecordWriter {
    compress: Compress,
    head: Vec<u8>,
}

impl Default for RecordWriter {
    fn default() -> Self {
        Self {
            compress: Compress::new(Compression::default(), false),
            head: Vec::new(),
        }
    }
}

impl RecordWriter {
    /// Appends a record to `out`.
    ///
    /// ```
    /// use gleaner_warc::{NewRecord, Options, ReadSource, Reader, RecordType, RecordWriter, Step};
    ///
    /// let mut file = Vec::new();
    /// let record = NewRecord {
    ///     kind: RecordType::Metadata,
    ///     id: "<urn:uuid:1>",
    ///     date: 1_209_588_505_000,
    ///     target_uri: Some("http://a.example/"),
    ///     content_type: "application/warc-fields",
    ///     fields: &[],
    ///     block: &[b"fetchTimeMs: ", b"12\r\n"],
    /// };
    /// RecordWriter::default().write(&record, &mut file);
    ///
    /// let mut reader = Reader::new(ReadSource::new(&file[..]), "a.warc.gz", Options::default());
    /// let Step::Record(record) = reader.step()? else { panic!() };
    /// assert_eq!((record.date, record.content), (Some(1_209_588_505_000), &b"fetchTimeMs: 12\r\n"[..]));
    /// assert_eq!(record.field("WARC-Block-Digest"), Some("sha1:NIB2BWQS3HN7KF3L6G2TWK32Q3RN52IO"));
    /// # Ok::<(), gleaner_warc::Error>(())
    /// ```
    pub fn write(&mut self, record: &NewRecord<'_>, out: &mut Vec<u8>) {
        let mut head = std::mem::take(&mut self.head);
        head.clear();
        write_head(record, &mut head);
        let pieces: Vec<&[u8]> = [&head[..]]
            .into_iter()
            .chain(record.block.iter().copied())
            .chain([&b"\r\n\r\n"[..]])
            .collect();
        self.member(&pieces, out);
        self.head = head;
    }

    /// Appends a gzip member of these pieces.
    fn member(&mut self, pieces: &[&[u8]], out: &mut Vec<u8>) {
        // No name, no time, and no system: the same record has the same bytes everywhere.
        out.extend_from_slice(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
        self.compress.reset();
        let mut checksum = Crc::new();
        for piece in pieces {
            checksum.update(piece);
            self.deflate(piece, FlushCompress::None, out);
        }
        self.deflate(&[], FlushCompress::Finish, out);
        out.extend_from_slice(&checksum.sum().to_le_bytes());
        out.extend_from_slice(&checksum.amount().to_le_bytes());
    }

    fn deflate(&mut self, mut piece: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        let is_last = matches!(flush, FlushCompress::Finish);
        while is_last || !piece.is_empty() {
            out.reserve(piece.len() / 4 + 1024);
            let before = self.compress.total_in();
            let status = self.compress.compress_vec(piece, out, flush);
            piece = &piece[(self.compress.total_in() - before) as usize..];
            if status.expect("a stream that is not finished takes bytes") == Status::StreamEnd {
                return;
            }
        }
    }
}

/// Appends the lines of a record, up to and with the blank line.
fn write_head(record: &NewRecord<'_>, head: &mut Vec<u8>) {
    head.extend_from_slice(b"WARC/1.1\r\n");
    let mut field = |name: &str, value: &str| {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend(value.bytes().map(|byte| match byte {
            b'\r' | b'\n' => b' ',
            byte => byte,
        }));
        head.extend_from_slice(b"\r\n");
    };
    let mut digest = PayloadDigest::default();
    record.block.iter().for_each(|piece| digest.update(piece));
    let length: usize = record.block.iter().map(|piece| piece.len()).sum();
    field("WARC-Type", record.kind.as_str());
    field("WARC-Record-ID", record.id);
    field("WARC-Date", &date_text(record.date));
    if let Some(uri) = record.target_uri {
        field("WARC-Target-URI", uri);
    }
    for (name, value) in record.fields {
        field(name, value);
    }
    field("WARC-Block-Digest", &digest.finish());
    field("Content-Type", record.content_type);
    field("Content-Length", &length.to_string());
    head.extend_from_slice(b"\r\n");
}

/// A date as records have it: `2008-04-30T20:48:25.000Z`.
fn date_text(millis: i64) -> String {
    let date = DateTime::from_timestamp_millis(millis).unwrap_or_default();
    date.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A new id for a record, at random: `<urn:uuid:...>`.
///
/// # Panics
/// If the system has no random numbers.
#[must_use]
pub fn new_record_id() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    // RFC 9562, section 5.4.
    uuid(bytes, 4)
}

/// An id that follows from what a record is made of: the same pieces give the same id, other pieces another one.
///
/// ```
/// use gleaner_warc::derived_record_id;
///
/// let id = derived_record_id(&[b"<urn:uuid:1>", b"a page"]);
/// assert_eq!(id, derived_record_id(&[b"<urn:uuid:1>", b"a page"]));
/// assert_ne!(id, derived_record_id(&[b"<urn:uuid:1", b">a page"]));
/// ```
#[must_use]
pub fn derived_record_id(pieces: &[&[u8]]) -> String {
    let mut digest = Sha1::new();
    for piece in pieces {
        digest.update((piece.len() as u64).to_le_bytes());
        digest.update(piece);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    // RFC 9562, section 5.8.
    uuid(bytes, 8)
}

/// An id of these bytes, with the version and the variant of RFC 9562 in them.
fn uuid(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = bytes[6] & 0x0f | version << 4;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = |range: std::ops::Range<usize>| -> String {
        bytes[range].iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let parts = [hex(0..4), hex(4..6), hex(6..8), hex(8..10), hex(10..16)];
    format!("<urn:uuid:{}>", parts.join("-"))
}

/// The digest of a payload or a block as `WARC-Payload-Digest` has it: SHA-1 in base 32.
///
/// ```
/// use gleaner_warc::PayloadDigest;
///
/// assert_eq!(PayloadDigest::default().finish(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
/// ```
#[derive(Clone, Debug, Default)]
pub struct PayloadDigest(Sha1);

impl PayloadDigest {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes.
    #[must_use]
    pub fn finish(self) -> String {
        const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
        let mut text = "sha1:".to_owned();
        // 20 bytes are four times 40 bits, of 8 letters each.
        for part in self.0.finalize().chunks_exact(5) {
            let bits = part.iter().fold(0_u64, |bits, &byte| bits << 8 | u64::from(byte));
            text.extend(
                (0..8)
                    .rev()
                    .map(|letter| char::from(LETTERS[(bits >> (5 * letter) & 31) as usize])),
            );
        }
        text
    }
}
