//! WARC, ARC and WET files to capture records.
//!
//! **In**: the bytes of one file, or of a range of it, from a [`Source`]: WARC 0.17 to 1.1 (WET files are
//! WARC), ARC, or a single HTML page; stored as they are, in gzip members, Zstandard frames (with or without
//! the dictionary frame) or LZ4 frames, with a record in each member or many.
//!
//! **Out**: [`Record`]s with their place in the file, and [`Reject`]s: parts of the file that gave no record.
//! [`http::parse`] takes the HTTP message in a record apart and undoes its codings. [`WebPage::of`] decides whether what is
//! left of a record is a page or a plain text, or why it is neither.
//!
//! **The idea**: a [`Reader`] is a state machine over a window of decompressed bytes. Nothing blocks: when
//! the source has nothing yet, [`Step::Pending`] gives the turn back. A record is delivered when its block is
//! there as a whole and what follows is another record, the end of its member with the right checksum, or
//! the end of the file. Otherwise its length is wrong and it ends where the next record begins. Where no
//! record begins, or a member is damaged, the next record is looked for: in the decompressed bytes, then in
//! the file as stored (a member counts if it decompresses to the beginning of a record). The same search
//! finds the first record of a range, which is why the ranges of a file join exactly.
//!
//! **The cost**: one pass, one record in memory (64 MiB at most by default, see [`Limits`]); uncompressed
//! bytes are copied once, gzip members are inflated straight to where the record is read. Memory is reused
//! from record to record.
//!
//! [`RecordWriter`] is the way back: records of a crawler to gzip members.
//!
//! Digests are handed on, not verified. Files of other kinds are refused
//! ([`Foreign`]), ZIP files (WACZ) too.
//!
//! ```
//! use gleaner_warc::{Options, ReadSource, Reader, Step, http};
//!
//! let file = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\
//!     Content-Type: application/http\r\nContent-Length: 40\r\n\r\n\
//!     HTTP/1.1 200 OK\r\nX-Powered-By: 1\r\n\r\n<p>a\r\n\r\n";
//! let mut reader = Reader::new(ReadSource::new(&file[..]), "a.warc", Options::default());
//! let mut scratch = http::Scratch::default();
//! loop {
//!     match reader.step()? {
//!         Step::Record(record) => {
//!             let message = http::parse(record.content, &mut scratch, &http::Limits::default()).expect("HTTP");
//!             assert_eq!((record.offset, message.status, message.body), (0, 200, &b"<p>a"[..]));
//!         }
//!         Step::Reject(reject) => panic!("{reject:?}"),
//!         Step::Pending => unreachable!("a slice is always there"),
//!         Step::End => break,
//!     }
//! }
//! assert_eq!(reader.counts().total(), 1);
//! # Ok::<(), gleaner_warc::Error>(())
//! ```

mod arc;
mod codec;
mod content;
mod date;
mod drawn;
mod error;
mod foreign;
mod format;
mod header;
pub mod http;
mod markup;
mod media;
mod options;
mod page;
mod raw;
mod reader;
mod record;
mod record_id;
mod reject;
mod scan;
mod sniff;
mod source;
mod stream;
mod write;

pub use drawn::{conversion_fields, converted_from};
pub use error::Error;
pub use foreign::{Foreign, ForeignKind};
pub use format::{Container, Format, PROBE_BYTES, probe};
pub use media::media_type;
pub use options::{
    DEFAULT_HEADER_BYTES, DEFAULT_LOOKBACK_BYTES, DEFAULT_RECORD_BYTES, DEFAULT_SKIP_BYTES, Limits, Options,
    Wanted,
};
pub use page::{NoPage, WebPage, answer, page_bytes, web_page};
pub use reader::{Reader, Step};
pub use record::{Counts, Record, RecordType};
pub use record_id::record_id;
pub use reject::{Reason, Reject};
pub use source::{Chunk, ReadSource, Source};
pub use write::{NewRecord, PayloadDigest, RecordWriter, derived_record_id, new_record_id};
