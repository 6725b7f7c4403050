//! What a file is, by its first bytes and its name.

use std::borrow::Cow;

use crate::{
    Error, Limits,
    arc::begins_arc,
    codec::{self, Codec},
    content::{self, Content, Name},
    header::{Begins, begins_warc},
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
    /// Whether ranges of it can be read independently. They cannot in a single page, one compressed member
    /// for many records, ARC that is not compressed by the record, a Zstandard dictionary.
    pub splittable: bool,
}

/// As many bytes from the beginning of a file as [`probe`] can use.
pub const PROBE_BYTES: usize = 64 << 10;

/// The format of a file that begins with `head` (up to [`PROBE_BYTES`], less only if the file is
/// shorter) and is called `file` (a path or address; its ending decides for web pages).
///
/// A name alone makes no archive: what is called one and holds a page, a document or a text is
/// [`Error::NotAnArchive`]. An archive whose beginning is damaged stays one: its first record is looked for when it
/// is read.
///
/// # Errors
/// The file is nothing that this crate reads. An empty file is an archive without records.
pub fn probe(head: &[u8], file: &str) -> Result<Format, Error> {
    let head = &head[..head.len().min(PROBE_BYTES)];
    let container = codec::container_of(head).unwrap_or(Container::Plain);
    let format = |page, splittable| Format {
        container,
        page,
        splittable,
    };
    let member = first_member(head, container);
    let text = strip_filling(&member);
    if begins_record(text) {
        return Ok(format(false, splits(head, container, text)));
    }
    match content::content(head, container, Name::from_file(file)) {
        Content::Records => Ok(format(false, splits(head, container, text))),
        Content::Page => Ok(format(true, false)),
        Content::Foreign(foreign) => Err(Error::NotAnArchive {
            file: file.to_owned(),
            foreign,
        }),
    }
}

fn begins_record(text: &[u8]) -> bool {
    begins_warc(text) == Begins::Yes || begins_arc(text) == Begins::Yes
}

/// What the first member of a file decompresses to, as far as it is needed.
fn first_member(head: &[u8], container: Container) -> Cow<'_, [u8]> {
    if container == Container::Plain {
        return head.into();
    }
    let Ok(mut codec) = Codec::new(container, None) else {
        return Cow::default();
    };
    let mut text = vec![0; PROBE_BYTES];
    let (filled, _) = fill(&mut codec, head, &mut text);
    text.truncate(filled);
    text.into()
}

/// Whether ranges of a file can be read whose first member begins with `text`: of a compressed one, whether the
/// member ends where its first record does, as far as `head` shows it.
fn splits(head: &[u8], container: Container, text: &[u8]) -> bool {
    match container {
        Container::Plain => begins_warc(text) == Begins::Yes,
        _ => !head.starts_with(&DICTIONARY_MAGIC) && !holds_two_records(text),
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
