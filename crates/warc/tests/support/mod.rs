//! A tiny writer of archives in every container, and a reader of everything at once.
#![allow(dead_code, reason = "every test binary uses its own part of this")]

use std::{collections::VecDeque, fmt, io, io::Write as _};

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use gleaner_warc::{
    Chunk, Format, Limits, Options, PROBE_BYTES, Reader, Reject, Source, Step, Wanted, probe,
};

/// How records are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Plain,
    Gzip,
    /// Gzip without compression, so that records can be seen in the file.
    GzipStored,
    GzipTwo,
    GzipOne,
    Zstd,
    ZstdOne,
    ZstdDictionary,
    Lz4,
    Lz4One,
    ArcPlain,
    ArcGzip,
}

pub(crate) const STORES: [Store; 12] = [
    Store::Plain,
    Store::Gzip,
    Store::GzipStored,
    Store::GzipTwo,
    Store::GzipOne,
    Store::Zstd,
    Store::ZstdOne,
    Store::ZstdDictionary,
    Store::Lz4,
    Store::Lz4One,
    Store::ArcPlain,
    Store::ArcGzip,
];

/// An archive, and where each of its members (or, uncompressed, records) begins.
#[derive(Debug, Clone)]
pub(crate) struct Archive {
    pub(crate) bytes: Vec<u8>,
    pub(crate) starts: Vec<usize>,
}

/// One record, complete with its end.
pub(crate) fn warc_record(kind: &str, uri: &str, block: &[u8]) -> Vec<u8> {
    let mut record = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2024-02-29T12:00:00Z\r\n\
         WARC-Record-ID: <urn:x:{uri}>\r\nContent-Type: application/http; msgtype={kind}\r\nContent-Length: {}\r\n\r\n",
        block.len()
    )
    .into_bytes();
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

fn arc_record(uri: &str, block: &[u8]) -> Vec<u8> {
    let mut record = format!("{uri} 192.0.2.1 20240229120000 text/html {}\n", block.len()).into_bytes();
    record.extend_from_slice(block);
    record.push(b'\n');
    record
}

pub(crate) fn gzip(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(data).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zstd_frame(data: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::stream::Encoder::with_dictionary(Vec::new(), 3, dictionary).expect("an encoder");
    encoder.include_checksum(true).expect("a parameter");
    encoder.write_all(data).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

pub(crate) fn lz4(data: &[u8]) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new()
        .block_size(lz4_flex::frame::BlockSize::Max64KB)
        .block_mode(lz4_flex::frame::BlockMode::Linked)
        .content_checksum(true)
        .block_checksums(true);
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(data).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

const DICTIONARY: &[u8] =
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://WARC-Date: 2024-02-29T12:00:00Z";

/// A block, shown short.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Block(pub(crate) Vec<u8>);

impl fmt::Debug for Block {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begin = &self.0[..self.0.len().min(16)];
        write!(out, "{} bytes {}", self.0.len(), begin.escape_ascii())
    }
}

/// Writes response records, each an address and a block.
pub(crate) fn write(store: Store, records: &[(String, Block)]) -> Archive {
    let is_arc = matches!(store, Store::ArcPlain | Store::ArcGzip);
    let texts: Vec<Vec<u8>> = records
        .iter()
        .map(|(uri, block)| {
            if is_arc {
                arc_record(uri, &block.0)
            } else {
                warc_record("response", uri, &block.0)
            }
        })
        .collect();
    let group = match store {
        Store::GzipTwo => 2,
        Store::GzipOne | Store::ZstdOne | Store::Lz4One => texts.len().max(1),
        _ => 1,
    };
    let mut archive = Archive {
        bytes: Vec::new(),
        starts: Vec::new(),
    };
    if store == Store::ZstdDictionary {
        archive.bytes.extend_from_slice(&[0x5d, 0x2a, 0x4d, 0x18]);
        archive
            .bytes
            .extend_from_slice(&(DICTIONARY.len() as u32).to_le_bytes());
        archive.bytes.extend_from_slice(DICTIONARY);
    }
    for texts in texts.chunks(group) {
        archive.starts.push(archive.bytes.len());
        let text = texts.concat();
        let member = match store {
            Store::Plain | Store::ArcPlain => text,
            Store::GzipStored => gzip(&text, 0),
            Store::Gzip | Store::GzipTwo | Store::GzipOne | Store::ArcGzip => gzip(&text, 6),
            Store::Zstd | Store::ZstdOne => zstd_frame(&text, &[]),
            Store::ZstdDictionary => zstd_frame(&text, DICTIONARY),
            Store::Lz4 | Store::Lz4One => lz4(&text),
        };
        archive.bytes.extend_from_slice(&member);
    }
    archive
}

/// A source that gives small chunks and is often not ready.
pub(crate) struct Dribble {
    chunks: VecDeque<Bytes>,
    ready: bool,
}

impl Dribble {
    pub(crate) fn new(bytes: &[u8], chunk: usize) -> Self {
        Self {
            chunks: bytes.chunks(chunk.max(1)).map(Bytes::copy_from_slice).collect(),
            ready: true,
        }
    }
}

impl Source for Dribble {
    fn next(&mut self) -> io::Result<Chunk> {
        self.ready = !self.ready;
        if !self.ready {
            return Ok(Chunk::Pending);
        }
        Ok(self.chunks.pop_front().map_or(Chunk::End, Chunk::Data))
    }
}

/// A record, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(crate) offset: u64,
    pub(crate) inner: u64,
    pub(crate) length: u64,
    pub(crate) uri: String,
    pub(crate) damage: Option<gleaner_warc::Reason>,
    pub(crate) content: Block,
}

/// What comes of reading a file or a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Item {
    Record(Owned),
    Reject(Reject),
}

pub(crate) struct Reading {
    pub(crate) items: Vec<Item>,
    pub(crate) first: Option<u64>,
    pub(crate) next: Option<u64>,
}

impl Reading {
    pub(crate) fn records(&self) -> Vec<&Owned> {
        self.items
            .iter()
            .filter_map(|item| {
                if let Item::Record(record) = item {
                    Some(record)
                } else {
                    None
                }
            })
            .collect()
    }

    pub(crate) fn rejects(&self) -> Vec<&Reject> {
        self.items
            .iter()
            .filter_map(|item| {
                if let Item::Reject(reject) = item {
                    Some(reject)
                } else {
                    None
                }
            })
            .collect()
    }
}

pub(crate) fn format_of(bytes: &[u8], file: &str) -> Format {
    probe(&bytes[..bytes.len().min(PROBE_BYTES)], file).expect("an archive")
}

/// Reads a range of `bytes` by chunks.
pub(crate) fn read_range(
    bytes: &[u8],
    range: std::ops::Range<u64>,
    chunk: usize,
    limits: &Limits,
) -> Reading {
    let start = usize::try_from(range.start).expect("small").min(bytes.len());
    let options = Options {
        range,
        format: Some(format_of(bytes, "test.warc")),
        wanted: Wanted::ALL,
        limits: limits.clone(),
    };
    let mut reader = Reader::new(Dribble::new(&bytes[start..], chunk), "test.warc", options);
    let mut items = Vec::new();
    let mut waits = 0;
    loop {
        match reader.step().expect("memory does not fail") {
            Step::Record(record) => items.push(Item::Record(Owned {
                offset: record.offset,
                inner: record.inner,
                length: record.length,
                uri: record.target_uri.to_owned(),
                damage: record.damage,
                content: Block(record.content.to_vec()),
            })),
            Step::Reject(reject) => items.push(Item::Reject(reject)),
            Step::Pending => waits += 1,
            Step::End => break,
        }
        assert!(
            items.len() + waits <= 8 * bytes.len() + 64,
            "the reader does not come to an end"
        );
    }
    Reading {
        items,
        first: reader.first_offset(),
        next: reader.next_offset(),
    }
}

/// Reads all of `bytes`.
pub(crate) fn read(bytes: &[u8]) -> Reading {
    read_range(bytes, 0..u64::MAX, 64 << 10, &Limits::default())
}
