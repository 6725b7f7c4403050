//! What the markup at the beginning of a text is.

use std::borrow::Cow;

use crate::header::starts_with_ignore_case;

/// What a text begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    /// The beginning of an HTML page: its document type, or one of its outermost elements.
    Page,
    /// An element of HTML that stands inside pages.
    Piece,
    /// An XML declaration before an element that is not HTML.
    Xml,
    /// Another element.
    Elements,
}

/// Elements that only pages have.
const ROOTS: [&str; 3] = ["html", "head", "body"];

/// Elements with which pieces of pages begin, and pages whose outermost tags are left out.
const PIECES: [&str; 36] = [
    "a", "article", "b", "br", "center", "div", "dl", "em", "font", "form", "frameset", "h1", "h2", "h3",
    "h4", "header", "hr", "i", "iframe", "img", "link", "main", "meta", "nav", "noscript", "ol", "p", "pre",
    "script", "section", "span", "strong", "style", "table", "title", "ul",
];

/// What `text` begins with, after white space, comments and declarations; `None` where that is no markup.
pub(crate) fn of(text: &[u8]) -> Option<Markup> {
    let mut rest = skip_mark(text).trim_ascii_start();
    let mut is_declared = false;
    loop {
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            is_declared |= starts_with_ignore_case(rest, b"<?xml");
            b"?>"
        } else if starts_with_ignore_case(rest, b"<!doctype") {
            let name = rest[b"<!doctype".len()..].trim_ascii_start();
            if element(name).is_some_and(|name| name == "html") {
                return Some(Markup::Page);
            }
            b">"
        } else {
            break;
        };
        let Some(at) = memchr::memmem::find(rest, end) else {
            return is_declared.then_some(Markup::Xml);
        };
        rest = rest[at + end.len()..].trim_ascii_start();
    }
    let name = element(rest.strip_prefix(b"<")?)?;
    let name = name.as_str();
    Some(
        if ROOTS.contains(&name) || (is_declared && PIECES.contains(&name)) {
            Markup::Page
        } else if is_declared {
            Markup::Xml
        } else if PIECES.contains(&name) {
            Markup::Piece
        } else {
            Markup::Elements
        },
    )
}

/// The longest name of an element that is taken for one.
const NAME_BYTES: usize = 64;

/// The name that a tag begins with, in lower case.
fn element(tag: &[u8]) -> Option<String> {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_:.".contains(byte);
    let length = tag
        .iter()
        .take(NAME_BYTES)
        .take_while(|byte| is_name(byte))
        .count();
    let (name, rest) = tag.split_at(length);
    let ends = rest
        .first()
        .is_none_or(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
    let is_element = name.first().is_some_and(u8::is_ascii_alphabetic) && ends;
    is_element.then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

/// How far into a file an element of a page is looked for.
const SNIFF_BYTES: usize = 1024;

/// Whether a text begins with a tag and has an element of a page near its beginning.
pub(crate) fn holds_root(text: &[u8]) -> bool {
    let head = skip_mark(text).trim_ascii_start();
    let head = &head[..head.len().min(SNIFF_BYTES)];
    head.first() == Some(&b'<')
        && memchr::memchr_iter(b'<', head).any(|at| {
            [&b"<!doctype html"[..], b"<html", b"<head", b"<body"]
                .iter()
                .any(|tag| starts_with_ignore_case(&head[at..], tag))
        })
}

/// As much of a text in UTF-16 is looked at.
const NARROWED: usize = 16 << 10;

/// A text in UTF-16 with a byte order mark as UTF-8, its beginning at least; any other as it is.
pub(crate) fn narrowed(text: &[u8]) -> Cow<'_, [u8]> {
    let (is_little, rest) = match text {
        [0xff, 0xfe, rest @ ..] => (true, rest),
        [0xfe, 0xff, rest @ ..] => (false, rest),
        _ => return text.into(),
    };
    let pairs = rest.as_chunks().0.iter().take(NARROWED);
    let units = pairs.map(|&pair| match is_little {
        true => u16::from_le_bytes(pair),
        false => u16::from_be_bytes(pair),
    });
    let letters = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
    Cow::Owned(letters.collect::<String>().into_bytes())
}

/// A text without its byte order mark.
pub(crate) fn skip_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_told_by_its_first_element() {
        for (text, found) in [
            (
                "\u{feff} \n<!-- a <p> --><!DOCTYPE html PUBLIC '-'>",
                Some(Markup::Page),
            ),
            ("<HTML lang=en>", Some(Markup::Page)),
            (
                "<?xml version='1.0'?>\n<!DOCTYPE html><html/>",
                Some(Markup::Page),
            ),
            ("<?xml version='1.0'?><div>", Some(Markup::Page)),
            ("<?xml version='1.0'?><Error><Code>NoSuchKey", Some(Markup::Xml)),
            ("<?xml version='1.0'?><!DOCTYPE rss [", Some(Markup::Xml)),
            ("<Error><Code>NoSuchKey", Some(Markup::Elements)),
            ("<p>a", Some(Markup::Piece)),
            ("<htmlx>", Some(Markup::Elements)),
            ("<3 and more", None),
            ("< p>", None),
            ("text <p>", None),
            ("<!-- without end", None),
            ("", None),
        ] {
            assert_eq!(of(text.as_bytes()), found, "{text}");
        }
    }

    #[test]
    fn utf_16_is_read() {
        let page = "<html>é";
        let wide = |order: fn(u16) -> [u8; 2]| {
            let units = std::iter::once(0xfeff).chain(page.encode_utf16());
            units.flat_map(order).collect::<Vec<u8>>()
        };
        assert_eq!(*narrowed(&wide(u16::to_le_bytes)), *page.as_bytes());
        assert_eq!(*narrowed(&wide(u16::to_be_bytes)), *page.as_bytes());
        assert_eq!(*narrowed(page.as_bytes()), *page.as_bytes());
    }
}
