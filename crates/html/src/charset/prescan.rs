//! Declarations of a charset: in a `Content-Type`, a `<meta>`, an XML declaration.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

use crate::attributes::{Attributes, is_space};

/// Bytes searched for declarations.
const PRESCAN: usize = 1024;

/// "Prescan a byte stream to determine its encoding", HTML standard 13.2.3.2.
pub(super) fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let bytes = &body[..body.len().min(PRESCAN)];
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    declared_by_meta(bytes)
        .or_else(|| declared_by_xml(bytes))
        .map(as_declared)
}

/// Whether a body declares a charset anywhere, and not only where browsers look first.
pub(crate) fn declares_charset(body: &[u8]) -> bool {
    declared_by_meta(body).or_else(|| declared_by_xml(body)).is_some()
}

/// A declaration that can be read as bytes cannot be of UTF-16.
pub(super) fn as_declared(charset: &'static Encoding) -> &'static Encoding {
    if charset == UTF_16BE || charset == UTF_16LE {
        UTF_8
    } else if charset == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        charset
    }
}

fn declared_by_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while at < bytes.len() {
        at += memchr::memchr(b'<', &bytes[at..])?;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            // The dashes that open a comment may be those that close it.
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            let mut attributes = Attributes { bytes, at: at + 5 };
            let found = meta(&mut attributes)?;
            if found.is_some() {
                return found;
            }
            at = attributes.at;
        } else if is_tag(rest) {
            let mut attributes = Attributes { bytes, at };
            attributes.skip_until(|byte| is_space(byte) || byte == b'>');
            while attributes.next_one()?.is_some() {}
            at = attributes.at;
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at += memchr::memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[1..5].eq_ignore_ascii_case(b"meta") && (is_space(rest[5]) || rest[5] == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'/') => rest.get(2).is_some_and(u8::is_ascii_alphabetic),
        Some(byte) => byte.is_ascii_alphabetic(),
        None => false,
    }
}

/// The attributes of a `<meta>`: the charset that it declares, if it does. `None` where the bytes end before.
fn meta(attributes: &mut Attributes<'_>) -> Option<Option<&'static Encoding>> {
    let mut seen: Vec<Vec<u8>> = Vec::with_capacity(3);
    let (mut pragma, mut need_pragma, mut charset) = (false, None, None);
    while let Some((name, value)) = attributes.next_one()? {
        let [name, value] = [name, value].map(|range| attributes.bytes[range].to_ascii_lowercase());
        if seen.contains(&name) {
            continue;
        }
        match &name[..] {
            b"http-equiv" => pragma |= value == b"content-type",
            b"content" if charset.is_none() => {
                if let Some(found) = from_content(&value) {
                    (charset, need_pragma) = (Some(found), Some(true));
                }
            }
            b"content" => {}
            b"charset" => (charset, need_pragma) = (Encoding::for_label(&value), Some(false)),
            _ => continue,
        }
        seen.push(name);
    }
    match need_pragma {
        None => Some(None),
        Some(true) if !pragma => Some(None),
        Some(_) => Some(charset),
    }
}

/// "Extracting a character encoding from a meta element", which is what a `Content-Type` header
/// is read with, too.
pub(super) fn from_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let at = rest
            .windows(7)
            .position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = after.trim_ascii_start();
            break;
        }
    }
    let label = match rest.first()? {
        quote @ (b'"' | b'\'') => &rest[1..1 + memchr::memchr(*quote, &rest[1..])?],
        _ => rest.split(|&byte| is_space(byte) || byte == b';').next()?,
    };
    Encoding::for_label(label)
}

/// "Getting an XML encoding", HTML standard 13.2.3.2.
fn declared_by_xml(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let rest = &declaration[memmem::find(declaration, b"encoding")? + 8..];
    let rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &rest[1..1 + memchr::memchr(quote, &rest[1..])?];
    if label.iter().any(|&byte| byte <= b' ') {
        return None;
    }
    Encoding::for_label(label)
}
