//! Archives made for tests, harmful ones among them: WARC files with a gzip member per record, written byte by byte, so that
//! they may break every rule.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};

const MIB: usize = 1 << 20;

/// A sentence that every [`article`] holds.
pub const SENTENCE: &str = "The harbour master has kept a diary of the tides since the spring of 1980";

/// An ordinary page, as neighbour of harmful ones: its text shows that a build continued.
pub fn article() -> String {
    let paragraph =
        format!("<p>{SENTENCE}, and every evening, before the lamp is lit, she adds a line to it.</p>");
    let menu = "<ul><li><a href=/>Home</a></li><li><a href=/news>News</a></li><li><a href=/about>About us</a></li></ul>";
    let body = format!("<h1>A diary of the tides</h1>{}", paragraph.repeat(5));
    format!(
        "<!doctype html><html lang=en><title>A diary of the tides</title><body>{menu}<main>{body}</main>{menu}</body></html>"
    )
}

/// What ends a record.
const END: &[u8] = b"\r\n\r\n";

/// A record, not compressed, with these lines beside type, address and length. Each ends with CR and LF.
pub fn record(kind: &str, url: &str, fields: &str, block: impl AsRef<[u8]>) -> Vec<u8> {
    let block = block.as_ref();
    let length = block.len();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{fields}Content-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), block, END].concat()
}

/// A response record with a page of status 200, not compressed, with these lines beside type, address, media type and length.
pub fn response(url: &str, fields: &str, html: impl AsRef<[u8]>) -> Vec<u8> {
    let fields = format!("{fields}Content-Type: application/http; msgtype=response\r\n");
    record(
        "response",
        url,
        &fields,
        message("Content-Type: text/html\r\n", html),
    )
}

/// A message of a web server, status 200.
fn message(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [
        format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(),
        body.as_ref(),
    ]
    .concat()
}

/// A WARC file in memory.
#[derive(Default)]
pub struct Archive(Vec<u8>);

impl Archive {
    /// An empty file.
    pub fn new() -> Archive {
        Archive::default()
    }

    /// A page as a server sent it, status 200.
    pub fn page(self, url: &str, html: impl AsRef<[u8]>) -> Archive {
        self.response(url, "Content-Type: text/html; charset=utf-8\r\n", html)
    }

    /// A response with header lines of one's choice; no Content-Length is added.
    pub fn response(self, url: &str, headers: &str, body: impl AsRef<[u8]>) -> Archive {
        let block = message(headers, body);
        let head = head(url, block.len() as u64);
        self.member(&[head.as_bytes(), &block, END])
    }

    /// A page, not compressed.
    pub fn plain(self, url: &str, html: impl AsRef<[u8]>) -> Archive {
        let block = message("Content-Type: text/html; charset=utf-8\r\n", html);
        let head = head(url, block.len() as u64);
        self.raw([head.as_bytes(), &block, END].concat())
    }

    /// The file.
    pub fn bytes(self) -> Vec<u8> {
        self.0
    }

    /// Adds one gzip member of these pieces.
    pub fn member(self, pieces: &[&[u8]]) -> Archive {
        let mut encoder = GzEncoder::new(self.0, Compression::fast());
        for piece in pieces {
            encoder.write_all(piece).unwrap();
        }
        Archive(encoder.finish().unwrap())
    }

    /// A response record whose block is `mebibytes` MiB of zeros, some kilobytes in the file.
    pub fn bomb(mut self, url: &str, mebibytes: usize) -> Archive {
        let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
        let head = head(url, (block.len() + mebibytes * MIB) as u64) + block;
        self.0.extend(gzip_of_zeros(head.as_bytes(), mebibytes, END));
        self
    }

    /// Adds bytes without gzip around them.
    pub fn raw(mut self, bytes: impl AsRef<[u8]>) -> Archive {
        self.0.extend_from_slice(bytes.as_ref());
        self
    }

    /// Without the last `bytes` of the file.
    pub fn cut(mut self, bytes: usize) -> Archive {
        self.0.truncate(self.0.len() - bytes);
        self
    }

    /// Writes the file `folder/name`.
    pub fn write(self, folder: &Path, name: &str) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, self.0).unwrap();
        path
    }
}

fn head(url: &str, length: u64) -> String {
    // Record ids differ with the URL, and are the same in every run.
    let id = url.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{:012x}>\r\n\
         WARC-Date: 2024-05-14T06:30:00Z\r\nWARC-Target-URI: {url}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n",
        id & 0xffff_ffff_ffff
    )
}

/// A gzip member of `before`, `mebibytes` MiB of zeros and `after`, with the right checksum.
///
/// A full flush makes a piece of deflate data independent of its place, so that one compressed
/// mebibyte can be repeated: gigabytes take no time to make.
pub fn gzip_of_zeros(before: &[u8], mebibytes: usize, after: &[u8]) -> Vec<u8> {
    let zeros = vec![0; MIB];
    let (piece, sum) = (flushed(&zeros, FlushCompress::Full), checksum(&zeros));
    let mut total = checksum(before);
    let mut gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff".to_vec();
    gzip.extend(flushed(before, FlushCompress::Full));
    for _ in 0..mebibytes {
        gzip.extend_from_slice(&piece);
        total.combine(&sum);
    }
    gzip.extend(flushed(after, FlushCompress::Finish));
    total.combine(&checksum(after));
    gzip.extend(total.sum().to_le_bytes());
    gzip.extend(total.amount().to_le_bytes());
    gzip
}

fn flushed(bytes: &[u8], flush: FlushCompress) -> Vec<u8> {
    let mut piece = Vec::with_capacity(bytes.len() / 500 + 4096);
    Compress::new(Compression::best(), false)
        .compress_vec(bytes, &mut piece, flush)
        .unwrap();
    piece
}

fn checksum(bytes: &[u8]) -> Crc {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::MultiGzDecoder;

    use super::*;

    #[test]
    fn bombs_are_sound_gzip() {
        let bomb = gzip_of_zeros(b"before", 3, b"after");
        let mut bytes = Vec::new();
        MultiGzDecoder::new(&bomb[..]).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len(), 3 * MIB + 11);
        assert!(bytes.starts_with(b"before\0") && bytes.ends_with(b"\0after"));
        assert!(bomb.len() < 8192, "{} bytes", bomb.len());
    }

    #[test]
    fn archives_are_a_member_a_record() {
        let archive = Archive::new()
            .page("http://a.example/", article())
            .bomb("http://b.example/", 1);
        let mut text = Vec::new();
        MultiGzDecoder::new(&archive.0[..])
            .read_to_end(&mut text)
            .unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.matches("WARC/1.1\r\n").count(), 2);
        assert!(text.contains(SENTENCE) && text.ends_with("\0\r\n\r\n"));
    }
}
