//! What a file holds that does not begin with a record: a damaged archive, a page, or something else.
//!
//! Nothing may be lost of an archive whose beginning is damaged. Therefore a file that its name calls an archive is
//! one unless its first bytes are certainly of another kind, or it was seen as a whole and holds text and no record.

use std::borrow::Cow;

use crate::{
    Container, Foreign, ForeignKind, PROBE_BYTES,
    arc::find_arc,
    codec::{self, Codec},
    foreign::{ZEROS, by_magic, is_compressed},
    format::strip_filling,
    header::{find_warc, starts_with_ignore_case},
    markup::{self, Markup},
    scan::{Archive, Scan},
    stream::DICTIONARY_MAGIC,
};

/// What a file holds.
pub(crate) enum Content {
    /// Records, or remains of them, or nothing at all.
    Records,
    Page,
    Foreign(Foreign),
}

/// The kind of a file by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Archive,
    Page,
    Nothing,
}

impl Name {
    /// The kind of `file`, a path or a URL, by its name.
    pub(crate) fn from_file(file: &str) -> Name {
        let name = file
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or(file)
            .to_ascii_lowercase();
        let path = name.split('?').next().unwrap_or(&name);
        if is_page_name(&name) || is_page_name(path) {
            Name::Page
        } else if is_archive_name(&name) {
            Name::Archive
        } else {
            Name::Nothing
        }
    }
}

fn is_page_name(name: &str) -> bool {
    let name = [".gz", ".zst", ".lz4"]
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name);
    [".html", ".htm", ".xhtml", ".shtml"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Whether a name has the ending of an archive, also before other endings: `.warc.gz`, `.warc.gz.part`, but not `.archive`.
fn is_archive_name(name: &str) -> bool {
    [".warc", ".arc", ".wet", ".wat"].iter().any(|end| {
        name.match_indices(end).any(|(at, _)| {
            let next = name[at + end.len()..].chars().next();
            next.is_none_or(|next| !next.is_alphanumeric())
        })
    })
}

/// What a file holds that begins with `head` (all of the file where that is less than [`PROBE_BYTES`]), stored in
/// `container`, and not with a record.
pub(crate) fn content(head: &[u8], container: Container, name: Name) -> Content {
    if head.starts_with(&DICTIONARY_MAGIC) {
        return Content::Records;
    }
    let seen = Seen::new(head, container, name);
    if strip_filling(&seen.text).is_empty() {
        return seen.of_nothing();
    }
    let text = markup::narrowed(&seen.text);
    let foreign = |kind| Content::Foreign(seen.foreign(kind, &text));
    let magic = match container {
        Container::Gzip | Container::Zstd | Container::Lz4 if is_compressed(&text) => {
            Some(ForeignKind::CompressedTwice)
        }
        _ => by_magic(&text),
    };
    if let Some(kind) = magic.filter(|kind| kind.is_package()) {
        return foreign(kind);
    }
    let markup = markup::first_markup(&text);
    let is_page = name != Name::Archive && (markup == Some(Markup::Page) || markup::holds_root(&text));
    if name != Name::Page && !is_page && (has_traces(&text, name) || seen.holds_record()) {
        return Content::Records;
    }
    if let Some(kind) = magic {
        return foreign(kind);
    }
    let kind = match by_markup(&text, markup) {
        Some(ForeignKind::Html) if name == Name::Page => None,
        None if name != Name::Page && !is_page => seen.by_text(&text, markup),
        kind => kind.filter(|_| !is_page),
    };
    match kind {
        Some(kind) => foreign(kind),
        None if name == Name::Page || is_page => Content::Page,
        None => Content::Records,
    }
}

/// What is seen of a file.
struct Seen<'a> {
    head: &'a [u8],
    container: Container,
    name: Name,
    /// What `head` decompresses to.
    text: Cow<'a, [u8]>,
    /// Whether that is all of the file.
    is_whole: bool,
    /// Whether a member is damaged.
    is_damaged: bool,
}

/// As much is decompressed of a file that does not begin with a record.
const TEXT_BYTES: usize = 1 << 20;

impl<'a> Seen<'a> {
    fn new(head: &'a [u8], container: Container, name: Name) -> Seen<'a> {
        let is_all = head.len() < PROBE_BYTES;
        if container == Container::Plain {
            return Seen {
                head,
                container,
                name,
                text: head.into(),
                is_whole: is_all,
                is_damaged: false,
            };
        }
        let mut text = Vec::new();
        let end = unpack(head, &mut text);
        Seen {
            head,
            container,
            name,
            text: text.into(),
            is_whole: is_all && end != Unpacked::Full,
            is_damaged: end == Unpacked::Damaged,
        }
    }

    /// What a file is of which nothing but filling is seen.
    fn of_nothing(&self) -> Content {
        match self.name {
            Name::Page => Content::Page,
            Name::Nothing if self.container == Container::Plain && !self.is_whole => {
                Content::Foreign(self.foreign(ZEROS, &self.text))
            }
            _ => Content::Records,
        }
    }

    /// The kind of a text; `None` where it may be what is left of an archive.
    fn by_text(&self, text: &[u8], markup: Option<Markup>) -> Option<ForeignKind> {
        // What a damaged member gives need not be what it held.
        if self.is_damaged || (self.name == Name::Archive && !self.is_whole) {
            return None;
        }
        let kind = by_text(text, markup);
        (self.name != Name::Archive || kind != ForeignKind::Unknown).then_some(kind)
    }

    /// Whether a record begins anywhere in what is seen, decompressed or in the file as stored.
    fn holds_record(&self) -> bool {
        let kinds = [Container::Plain, Container::Gzip, Container::Zstd, Container::Lz4];
        find_warc(&self.text).is_ok()
            || find_arc(&self.text).is_ok()
            || Scan::new(&kinds, Archive::Any, None)
                .look(self.head, true)
                .is_ok()
    }

    fn foreign(&self, kind: ForeignKind, text: &[u8]) -> Foreign {
        let begin = String::from_utf8_lossy(&text[..text.len().min(BEGIN_BYTES)]);
        Foreign {
            kind,
            container: self.container,
            begin: begin.trim_end_matches('\u{fffd}').to_owned(),
            called_archive: self.name == Name::Archive,
        }
    }
}

/// As many of the first bytes of a foreign file are shown.
const BEGIN_BYTES: usize = 32;

/// Why [`unpack`] ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unpacked {
    /// All is decompressed, but perhaps for a last member that is cut off.
    All,
    /// There is more.
    Full,
    /// A member is damaged, or is followed by other bytes.
    Damaged,
}

/// Decompresses member after member.
fn unpack(head: &[u8], text: &mut Vec<u8>) -> Unpacked {
    let mut rest = strip_filling(head);
    while !rest.is_empty() {
        let codec = codec::container_of(rest).map(|container| Codec::new(container, None));
        let Some(Ok(mut codec)) = codec else {
            return Unpacked::Damaged;
        };
        loop {
            let filled = text.len();
            if filled >= TEXT_BYTES {
                return Unpacked::Full;
            }
            text.resize(filled + (64 << 10), 0);
            let progress = codec.decode(rest, &mut text[filled..]);
            text.truncate(filled + progress.as_ref().map_or(0, |progress| progress.written));
            let Ok(progress) = progress else {
                return Unpacked::Damaged;
            };
            rest = &rest[progress.read..];
            if progress.end {
                break;
            }
            if progress.read + progress.written == 0 {
                return Unpacked::All;
            }
        }
        rest = strip_filling(rest);
    }
    Unpacked::All
}

/// Whether what is left of a damaged record header shows, at the beginning or in a line of an archive.
fn has_traces(text: &[u8], name: Name) -> bool {
    let begins = |line: &[u8], with: &[u8]| starts_with_ignore_case(line, with);
    let text = strip_filling(text);
    let is_version = begins(text, b"WARC") && matches!(text[4..], [] | [b'/' | b'\r' | b'\n', ..]);
    is_version
        || begins(text, b"filedesc:")
        || (name == Name::Archive
            && text
                .split(|&byte| byte == b'\n')
                .any(|line| begins(line, b"WARC-") || begins(line, b"WARC/")))
}

/// The kind of a text, if the markup at its beginning decides it.
fn by_markup(text: &[u8], markup: Option<Markup>) -> Option<ForeignKind> {
    match markup {
        Some(Markup::Page) => Some(ForeignKind::Html),
        Some(Markup::Xml) => Some(ForeignKind::Xml),
        _ => is_json(text).then_some(ForeignKind::Json),
    }
}

/// What a text is that begins with neither.
fn by_text(text: &[u8], markup: Option<Markup>) -> ForeignKind {
    match markup {
        _ if !is_text(text) => ForeignKind::Unknown,
        Some(Markup::Piece) => ForeignKind::Html,
        Some(Markup::Elements) => ForeignKind::Xml,
        _ if lists_archives(text) => ForeignKind::List,
        _ => ForeignKind::Text,
    }
}

/// Whether a text begins as JSON does: with an object that has a name, an empty one, or an array of values.
fn is_json(text: &[u8]) -> bool {
    match markup::skip_mark(text).trim_ascii_start() {
        [b'{', rest @ ..] => match rest.trim_ascii_start() {
            [b'"', name @ ..] => ends_name(name),
            [b'}', rest @ ..] => rest.trim_ascii().is_empty(),
            _ => false,
        },
        [b'[', rest @ ..] => match rest.trim_ascii_start() {
            [b'{' | b'[' | b'"', ..] => true,
            [b']', rest @ ..] => rest.trim_ascii().is_empty(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether the rest of a JSON string ends, with a colon behind it.
fn ends_name(rest: &[u8]) -> bool {
    let mut bytes = rest.iter().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' => return rest[at + 1..].trim_ascii_start().starts_with(b":"),
            _ => {}
        }
    }
    false
}

/// Number of bytes that are examined to distinguish a text from other data.
const LOOKED_AT: usize = 16 << 10;

/// Whether bytes are text: no control characters but white space, and UTF-8 or mostly ASCII.
fn is_text(text: &[u8]) -> bool {
    let text = &text[..text.len().min(LOOKED_AT)];
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    if text.iter().any(is_control) {
        return false;
    }
    let is_utf8 = match std::str::from_utf8(text) {
        Ok(_) => true,
        // The last letter may be cut in two.
        Err(error) => error.error_len().is_none(),
    };
    is_utf8 || text.iter().filter(|byte| byte.is_ascii()).count() * 4 >= text.len() * 3
}

/// Whether the first lines of a text name archives, as a list of inputs does.
fn lists_archives(text: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&text[..text.len().min(LOOKED_AT)]).to_ascii_lowercase();
    let mut lines = head
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .take(8)
        .peekable();
    lines.peek().is_some() && lines.all(|line| !line.contains(' ') && Name::from_file(line) == Name::Archive)
}
