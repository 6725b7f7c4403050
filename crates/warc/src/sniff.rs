//! What a body is by its first bytes, after the MIME Sniffing Standard.
//!
//! Beyond the standard, a body may begin with a byte order mark, comments, processing instructions and a document type
//! before the tag that decides, and it may be UTF-16.

use std::borrow::Cow;

use crate::markup::{self, Prolog};

/// Maximum bytes examined for values that no text has: the standard's "resource header".
const HEADER_BYTES: usize = 1445;

/// Elements that a page begins with, by the standard and by what browsers wrote at its time.
const HTML_TAGS: [&str; 26] = [
    "a", "b", "base", "body", "br", "center", "div", "font", "form", "frameset", "h1", "h2", "h3", "head",
    "html", "iframe", "img", "link", "meta", "noscript", "p", "script", "style", "table", "title", "ul",
];

/// Tags that only pages have.
const PAGE_TAGS: [&[u8]; 5] = [b"<!doctype html", b"<html", b"<head", b"<body", b"<title"];

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
    let text = narrowed(body);
    let prolog = Prolog::read(&text);
    let is_any = |names: &[&str]| names.iter().any(|name| prolog.is_root(name));
    let is_other = prolog.is_xml || is_any(&OTHER_ROOTS);
    if prolog.doctype.eq_ignore_ascii_case(b"html") || prolog.is_root("html") {
        Sniffed::Html
    } else if is_other {
        Sniffed::Markup
    } else if is_any(&HTML_TAGS) || prolog.has_tag(&PAGE_TAGS) {
        Sniffed::Html
    } else if has_binary_bytes(&text) {
        Sniffed::Binary
    } else {
        Sniffed::Text
    }
}

/// Whether the root of an XML document is `html`.
pub(crate) fn has_html_root(body: &[u8]) -> bool {
    Prolog::read(&narrowed(body)).is_root("html")
}

/// Whether there are bytes near the beginning that no text has: the standard's "binary data bytes".
pub(crate) fn has_binary_bytes(body: &[u8]) -> bool {
    body[..body.len().min(HEADER_BYTES)]
        .iter()
        .any(|&byte| byte < 9 || byte == 11 || (14..32).contains(&byte) && byte != 27)
}

/// A body in UTF-16, with a byte order mark or without, as UTF-8, its beginning at least; any other as it is.
fn narrowed(body: &[u8]) -> Cow<'_, [u8]> {
    match body {
        [b'<' | b' ' | b'\t' | b'\r' | b'\n', 0, 1..=255, 0, ..] => markup::decoded(body, u16::from_le_bytes),
        [0, b'<' | b' ' | b'\t' | b'\r' | b'\n', 0, 1..=255, ..] => markup::decoded(body, u16::from_be_bytes),
        _ => markup::narrowed(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_from_their_beginning() {
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
