//! What the markup at the beginning of a text is.

use std::borrow::Cow;

use memchr::memmem;

use crate::header::starts_with_ignore_case;

/// How far the root of a document is looked for.
const PROLOG_BYTES: usize = 64 << 10;

/// How far into a document a tag of a page is looked for if the first tag is none.
const TAG_BYTES: usize = 1024;

/// The longest name of an element that is taken for one.
const NAME_BYTES: usize = 64;

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
pub(crate) fn first_markup(text: &[u8]) -> Option<Markup> {
    let prolog = Prolog::read(text);
    let is_any = |names: &[&str]| names.iter().any(|name| prolog.is_root(name));
    if prolog.doctype.eq_ignore_ascii_case(b"html") || is_any(&ROOTS) {
        return Some(Markup::Page);
    }
    match (prolog.is_xml, is_any(&PIECES)) {
        (true, true) => Some(Markup::Page),
        (true, false) => Some(Markup::Xml),
        (false, true) => Some(Markup::Piece),
        (false, false) => (!prolog.root.is_empty()).then_some(Markup::Elements),
    }
}

/// Whether a text begins with a tag and has an element of a page near its beginning.
pub(crate) fn holds_root(text: &[u8]) -> bool {
    Prolog::read(text).has_tag(&[b"<!doctype html", b"<html", b"<head", b"<body"])
}

/// The beginning of a document: what stands before its root, and the root.
#[derive(Debug, Default)]
pub(crate) struct Prolog<'a> {
    /// Without white space and a byte order mark.
    head: &'a [u8],
    pub(crate) is_xml: bool,
    /// The name after `<!DOCTYPE`.
    pub(crate) doctype: &'a [u8],
    root: &'a [u8],
}

impl<'a> Prolog<'a> {
    pub(crate) fn read(text: &'a [u8]) -> Prolog<'a> {
        let head = skip_mark(&text[..text.len().min(PROLOG_BYTES)]).trim_ascii_start();
        let mut prolog = Prolog {
            head,
            is_xml: starts_with_ignore_case(head, b"<?xml"),
            ..Prolog::default()
        };
        let mut rest = head;
        loop {
            rest = rest.trim_ascii_start();
            let end = if rest.starts_with(b"<!--") {
                memmem::find(rest, b"-->").map(|end| end + 3)
            } else if rest.starts_with(b"<?") {
                memchr::memchr(b'>', rest).map(|end| end + 1)
            } else if starts_with_ignore_case(rest, b"<!doctype") {
                prolog.doctype = name(rest[9..].trim_ascii_start());
                end_of_doctype(rest)
            } else {
                prolog.root = rest.strip_prefix(b"<").map(element).unwrap_or_default();
                return prolog;
            };
            let Some(end) = end else { return prolog };
            rest = &rest[end..];
        }
    }

    pub(crate) fn is_root(&self, name: &str) -> bool {
        self.root.eq_ignore_ascii_case(name.as_bytes())
    }

    /// Whether a document begins with a tag, and one of `tags` is near its beginning.
    pub(crate) fn has_tag(&self, tags: &[&[u8]]) -> bool {
        let head = &self.head[..self.head.len().min(TAG_BYTES)];
        let is_tag = |at: usize| tags.iter().any(|tag| starts_with_ignore_case(&head[at..], tag));
        head.starts_with(b"<") && memchr::memchr_iter(b'<', head).any(is_tag)
    }
}

/// Where a document type ends; it may hold declarations in brackets.
fn end_of_doctype(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b'[', b'>', bytes)?;
    if bytes[end] == b'>' {
        return Some(end + 1);
    }
    let declarations = end + memchr::memchr(b']', &bytes[end..])?;
    Some(declarations + memchr::memchr(b'>', &bytes[declarations..])? + 1)
}

/// The name at the beginning.
fn name(bytes: &[u8]) -> &[u8] {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b":-_.".contains(byte);
    let end = bytes.iter().take_while(|byte| is_of_name(byte)).count();
    &bytes[..end]
}

/// The name of an element at the beginning of a tag; empty where there is none.
fn element(tag: &[u8]) -> &[u8] {
    let name = name(&tag[..tag.len().min(NAME_BYTES)]);
    let ends = tag
        .get(name.len())
        .is_none_or(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte));
    match name.first() {
        Some(first) if first.is_ascii_alphabetic() && ends => name,
        _ => b"",
    }
}

/// A text in UTF-16 with a byte order mark as UTF-8, its beginning at least; any other as it is.
pub(crate) fn narrowed(text: &[u8]) -> Cow<'_, [u8]> {
    match text {
        [0xff, 0xfe, rest @ ..] => decoded(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => decoded(rest, u16::from_be_bytes),
        _ => text.into(),
    }
}

/// The beginning of a text in UTF-16 as UTF-8.
pub(crate) fn decoded(text: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, [u8]> {
    let units = text
        .as_chunks()
        .0
        .iter()
        .take(PROLOG_BYTES / 2)
        .copied()
        .map(unit);
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
    fn markup_follows_from_its_first_element() {
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
            assert_eq!(first_markup(text.as_bytes()), found, "{text}");
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
