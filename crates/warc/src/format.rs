//! What a file is, by its first bytes and its name.

use crate::{
    Error, Limits,
    arc::begins_arc,
    codec::{self, Codec},
    header::{Begins, begins_warc, starts_with_ignore_case},
    stream::DICTIONARY_MAGIC,
};

/// How the records of a file are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// Not compressed.
    Plain,
    /// Gzip members.
    Gzip,
    /// Zstandard frames.
    Zstd,
    /// LZ4 frames.
    Lz4,
}

/// What [`probe`] finds out about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format {
    /// How it is stored.
    pub container: Container,
    /// Whether it is a single web page, not an archive of records.
    pub page: bool,
    /// Whether ranges of it can be read on their own. What says no: a single page, one compressed member
    /// for many records, ARC that is not compressed by the record, a Zstandard dictionary.
    pub splittable: bool,
}

/// As many bytes from the beginning of a file as [`probe`] can use.
pub const PROBE_BYTES: usize = 64 << 10;

/// Tells the format of a file that begins with `head` (up to [`PROBE_BYTES`], less only if the file is
/// shorter) and is called `file` (a path or address; its ending tells web pages).
///
/// # Errors
/// The file is a zip file, or nothing that this crate reads. An empty file is an archive without records.
pub fn probe(head: &[u8], file: &str) -> Result<Format, Error> {
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return Err(Error::Zip {
            file: file.to_owned(),
        });
    }
    let page = has_page_name(file);
    match codec::container_of(head) {
        Some(container) => Ok(Format {
            container,
            page,
            splittable: !page && splits(head, container),
        }),
        None => probe_plain(head, file, page),
    }
}

fn probe_plain(head: &[u8], file: &str, page: bool) -> Result<Format, Error> {
    let plain = |page, splittable| {
        Ok(Format {
            container: Container::Plain,
            page,
            splittable,
        })
    };
    let text = strip_filling(head);
    if begins_warc(text) == Begins::Yes {
        plain(false, true)
    } else if begins_arc(text) == Begins::Yes {
        plain(false, false)
    } else if page || looks_like_page(head) {
        plain(true, false)
    } else if head.is_empty() || has_archive_name(file) {
        plain(false, false)
    } else {
        let begin = String::from_utf8_lossy(&head[..head.len().min(24)]).into_owned();
        Err(Error::NotAnArchive {
            file: file.to_owned(),
            begin,
        })
    }
}

/// The line ends and zeros that may stand before a record.
pub(crate) fn strip_filling(bytes: &[u8]) -> &[u8] {
    &bytes[filling(bytes)..]
}

/// How many bytes of line ends and zeros `bytes` begins with.
pub(crate) fn filling(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| matches!(byte, 0 | b'\r' | b'\n'))
        .count()
}

fn file_name(file: &str) -> String {
    file.rsplit(['/', '\\'])
        .next()
        .unwrap_or(file)
        .to_ascii_lowercase()
}

fn has_archive_name(file: &str) -> bool {
    let name = file_name(file);
    [".warc", ".arc", ".wet", ".wat"]
        .iter()
        .any(|part| name.contains(part))
}

fn has_page_name(file: &str) -> bool {
    let name = file_name(file);
    let name = [".gz", ".zst", ".lz4"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    [".html", ".htm", ".xhtml", ".shtml"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// How far into a file a tag is looked for that tells a page.
const SNIFF_BYTES: usize = 1024;

fn looks_like_page(head: &[u8]) -> bool {
    let head = head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(head)
        .trim_ascii_start();
    let head = &head[..head.len().min(SNIFF_BYTES)];
    head.first() == Some(&b'<')
        && memchr::memchr_iter(b'<', head).any(|at| {
            [&b"<!doctype html"[..], b"<html", b"<head", b"<body"]
                .iter()
                .any(|tag| starts_with_ignore_case(&head[at..], tag))
        })
}

/// Whether the first member ends where its first record does, as far as `head` shows it.
fn splits(head: &[u8], container: Container) -> bool {
    if head.starts_with(&DICTIONARY_MAGIC) {
        return false;
    }
    let Ok(mut codec) = Codec::new(container, None) else {
        return false;
    };
    let mut text = vec![0; PROBE_BYTES];
    let (filled, _) = fill(&mut codec, head, &mut text);
    let text = strip_filling(&text[..filled]);
    !holds_two_records(text)
}

fn holds_two_records(text: &[u8]) -> bool {
    if begins_warc(text) == Begins::Yes {
        return crate::header::find_warc(&text[1..]).is_ok();
    }
    begins_arc(text) == Begins::Yes && crate::arc::find_arc(&text[1..]).is_ok()
}

/// Why [`fill`] stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filled {
    /// The member ended or is damaged, or the output is full.
    Done,
    /// All input is used.
    Hungry,
}

/// Decompresses as much as there is of a member; returns how many bytes that gave.
pub(crate) fn fill(codec: &mut Codec, input: &[u8], output: &mut [u8]) -> (usize, Filled) {
    let (mut read, mut written) = (0, 0);
    while written < output.len() {
        let Ok(progress) = codec.decode(&input[read..], &mut output[written..]) else {
            break;
        };
        read += progress.read;
        written += progress.written;
        if progress.end {
            break;
        }
        if progress.written == 0 && (progress.read == 0 || read == input.len()) {
            return (written, Filled::Hungry);
        }
    }
    (written, Filled::Done)
}

impl Limits {
    /// The largest window of bytes that one record can need.
    pub(crate) fn window_bytes(&self) -> usize {
        self.header_bytes.saturating_add(self.record_bytes)
    }
}
