//! What a body is by its first bytes, after the MIME Sniffing Standard.
//!
//! Beyond the standard, a body may begin with a byte order mark, comments, processing instructions and a document type
//! before the tag that decides, and it may be UTF-16.

use std::borrow::Cow;

use memchr::memmem;

use crate::header::starts_with_ignore_case;

/// The standard's "resource header": as much is looked at for bytes that no text has.
const HEADER_BYTES: usize = 1445;

/// How far the root of a document is looked for.
const PROLOG_BYTES: usize = 64 << 10;

/// How far into a document a tag of a page is looked for if the first tag is none.
const TAG_BYTES: usize = 1024;

/// Elements that a page begins with, by the standard and by what browsers wrote at its time.
const HTML_TAGS: [&str; 26] = [
    "a", "b", "base", "body", "br", "center", "div", "font", "form", "frameset", "h1", "h2", "h3", "head",
    "html", "iframe", "img", "link", "meta", "noscript", "p", "script", "style", "table", "title", "ul",
];

/// Roots of documents that are no pages, though some of their elements have the names of a page's.
const OTHER_ROOTS: [&str; 9] = [
    "feed",
    "kml",
    "opml",
    "rdf:rdf",
    "rss",
    "sitemapindex",
    "svg",
    "urlset",
    "xsl:stylesheet",
];

/// The kind of a body by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sniffed {
    Html,
    /// Markup, but of no page.
    Markup,
    Text,
    Binary,
}

/// Looks at the beginning of a body.
pub(crate) fn sniff(body: &[u8]) -> Sniffed {
    let head = in_bytes(body);
    let prolog = Prolog::read(&head);
    if prolog.is_html(&head) {
        Sniffed::Html
    } else if prolog.is_xml || OTHER_ROOTS.iter().any(|root| prolog.is_root(root)) {
        Sniffed::Markup
    } else if has_binary_bytes(&head) {
        Sniffed::Binary
    } else {
        Sniffed::Text
    }
}

/// Whether the root of an XML document is `html`.
pub(crate) fn has_html_root(body: &[u8]) -> bool {
    Prolog::read(&in_bytes(body)).is_root("html")
}

/// Whether there are bytes near the beginning that no text has: the standard's "binary data bytes".
pub(crate) fn has_binary_bytes(body: &[u8]) -> bool {
    body[..body.len().min(HEADER_BYTES)]
        .iter()
        .any(|&byte| byte < 9 || byte == 11 || (14..32).contains(&byte) && byte != 27)
}

/// The beginning of a body, a byte a letter where it is UTF-16; without white space and a byte order mark.
fn in_bytes(body: &[u8]) -> Cow<'_, [u8]> {
    match body {
        [0xff, 0xfe, rest @ ..] => letters(rest, 0),
        [0xfe, 0xff, rest @ ..] => letters(rest, 1),
        [b'<' | b' ' | b'\t' | b'\r' | b'\n', 0, 1..=255, 0, ..] => letters(body, 0),
        [0, b'<' | b' ' | b'\t' | b'\r' | b'\n', 0, 1..=255, ..] => letters(body, 1),
        _ => {
            let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
            Cow::Borrowed(body[..body.len().min(PROLOG_BYTES)].trim_ascii_start())
        }
    }
}

/// The letters of UTF-16 whose lower byte is at `low` in each unit; a question mark for those beyond Latin-1.
fn letters(body: &[u8], low: usize) -> Cow<'_, [u8]> {
    let units = body.chunks_exact(2).take(PROLOG_BYTES / 2);
    let letter = |unit: &[u8]| if unit[1 - low] == 0 { unit[low] } else { b'?' };
    let letters: Vec<u8> = units.map(letter).collect();
    Cow::Owned(letters.trim_ascii_start().to_vec())
}

/// The beginning of a document: what stands before its root, and the root.
#[derive(Debug, Default)]
struct Prolog<'a> {
    is_xml: bool,
    /// The name after `<!DOCTYPE`.
    doctype: &'a [u8],
    /// The name of the first tag.
    root: &'a [u8],
}

impl<'a> Prolog<'a> {
    fn read(head: &'a [u8]) -> Prolog<'a> {
        let mut prolog = Prolog {
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
                prolog.root = rest.strip_prefix(b"<").map(name).unwrap_or_default();
                return prolog;
            };
            let Some(end) = end else { return prolog };
            rest = &rest[end..];
        }
    }

    fn is_root(&self, name: &str) -> bool {
        self.root.eq_ignore_ascii_case(name.as_bytes())
    }

    /// Whether a page begins so.
    fn is_html(&self, head: &[u8]) -> bool {
        if self.doctype.eq_ignore_ascii_case(b"html") || self.is_root("html") {
            return true;
        }
        if self.is_xml || OTHER_ROOTS.iter().any(|root| self.is_root(root)) {
            return false;
        }
        HTML_TAGS.iter().any(|tag| self.is_root(tag)) || (head.starts_with(b"<") && has_page_tag(head))
    }
}

/// Whether a tag near the beginning is one that only pages have.
fn has_page_tag(head: &[u8]) -> bool {
    let head = &head[..head.len().min(TAG_BYTES)];
    memchr::memchr_iter(b'<', head).any(|at| {
        [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<title"]
            .iter()
            .any(|tag| starts_with_ignore_case(&head[at..], tag))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_by_their_beginning() {
        for page in [
            &b"\xef\xbb\xbf \n<!-- x --><!DOCTYPE html>"[..],
            b"<HTML lang=en>",
            b"<P>a",
            b"<br/>a",
            b"<?xml version='1.0'?><?xml-stylesheet x?>\n<html xmlns='x'>",
            b"<?xml version='1.0'?><!DOCTYPE html PUBLIC 'a' [<!ENTITY b '>'>]><html>",
            b"<my-page><body>a",
            b"\xff\xfe<\0h\0t\0m\0l\0>\0",
            b"\xfe\xff\0<\0b\0>",
            b"\r\0\n\0<\0p\0>\0",
            b"\0<\0!\0-\0-\0-\0-\0>\0<\0h\x001\0>",
        ] {
            assert_eq!(sniff(page), Sniffed::Html, "{:?}", String::from_utf8_lossy(page));
        }
    }

    #[test]
    fn other_markup_and_texts_are_no_pages() {
        for (body, found) in [
            (&b"User-agent: * # <html>"[..], Sniffed::Text),
            (b"<?xml version='1.0'?><rss><channel><title>a", Sniffed::Markup),
            (b"<rss><channel><title>a", Sniffed::Markup),
            (b"<!-- Created with x --><svg><title>a", Sniffed::Markup),
            (b"a < b", Sniffed::Text),
            (b"<pre-word>", Sniffed::Text),
            (b"\xff\xfea\0\n\0", Sniffed::Text),
            (b"a\x1b[31m", Sniffed::Text),
            (b"GIF89a\x01\0", Sniffed::Binary),
            (b"", Sniffed::Text),
        ] {
            assert_eq!(sniff(body), found, "{:?}", String::from_utf8_lossy(body));
        }
    }

    #[test]
    fn a_root_stands_behind_its_prolog() {
        assert!(has_html_root(b"<!-- <svg> -->\n<html>"));
        assert!(!has_html_root(b"<?xml version='1.0'?><svg><html/></svg>"));
        assert!(!has_html_root(b"<html-report>"));
        assert!(!has_html_root(b"<!-- <html>"));
    }
}
