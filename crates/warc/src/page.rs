//! Which captures are web pages.

use crate::{Record, http};

/// Media types that are pages.
const HTML: [&str; 4] = [
    "text/html",
    "application/xhtml+xml",
    "application/vnd.wap.xhtml+xml",
    "application/html",
];

/// Media types that say nothing: the body itself is looked at.
const SAY_NOTHING: [&str; 5] = [
    "",
    "application/octet-stream",
    "text/plain",
    "unknown/unknown",
    "application/unknown",
];

/// A web page as a server gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage<'a> {
    /// The media type and its parameters, as they were sent.
    pub content_type: Option<String>,
    /// The page, its codings undone.
    pub body: &'a [u8],
}

/// The web page in a record, if there is one: what came with a status of 200 to 203, or stands in the record
/// without an HTTP message.
pub fn web_page<'a>(record: &Record<'a>, scratch: &'a mut http::Scratch) -> Option<WebPage<'a>> {
    let page = if record.is_http() {
        let message = http::parse(record.content, scratch, &http::Limits::default()).ok()?;
        if !message.is_page_status() {
            return None;
        }
        WebPage {
            content_type: message.content_type(),
            body: message.body,
        }
    } else {
        let content_type = Some(record.content_type).filter(|text| !text.is_empty());
        WebPage {
            content_type: content_type.map(str::to_owned),
            body: record.content,
        }
    };
    let media = media_type(page.content_type.as_deref().unwrap_or_default());
    is_web_page(&media, page.body).then_some(page)
}

/// Whether a body is a web page: its media type says so, or says nothing and the body begins as pages do.
#[must_use]
pub fn is_web_page(media_type: &str, body: &[u8]) -> bool {
    HTML.contains(&media_type) || (SAY_NOTHING.contains(&media_type) && looks_like_html(body))
}

/// `text/html` of `Text/HTML; charset=utf-8`.
#[must_use]
pub fn media_type(content_type: &str) -> String {
    content_type
        .split([';', ','])
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// Whether a body begins as HTML pages do, white space and comments aside.
fn looks_like_html(body: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&body[..body.len().min(1024)]).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    head.starts_with('<')
        && ["<!doctype html", "<html", "<head", "<body", "<title"]
            .iter()
            .any(|tag| head.contains(tag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, ReadSource, Reader, Step};

    #[test]
    fn html_is_told_from_text() {
        assert!(looks_like_html(b"\xef\xbb\xbf \n<!-- x --><!DOCTYPE html>"));
        assert!(looks_like_html(b"<HTML lang=en>"));
        assert!(!looks_like_html(b"User-agent: * # <html>"));
        assert!(!looks_like_html(b"<?xml version='1.0'?><rss>"));
        assert_eq!(media_type(" Text/HTML ;charset=x"), "text/html");
    }

    /// The page in a record of such a type.
    fn found(of_type: &str, content: &str) -> Option<(Option<String>, String)> {
        let file = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: {of_type}\r\nContent-Length: {}\r\n\r\n{content}\r\n\r\n",
            content.len()
        );
        let mut reader = Reader::new(ReadSource::new(file.as_bytes()), "a.warc", Options::default());
        let Ok(Step::Record(record)) = reader.step() else {
            panic!("no record: {file}");
        };
        let mut scratch = http::Scratch::default();
        let page = web_page(&record, &mut scratch)?;
        Some((page.content_type, String::from_utf8_lossy(page.body).into_owned()))
    }

    #[test]
    fn pages_are_told_by_status_type_and_body() {
        let sent = |message: &str| found("application/http", message);
        let html = Some("text/html; charset=x".to_owned());
        assert_eq!(
            sent("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<p>a"),
            Some((html, "<p>a".to_owned()))
        );
        assert_eq!(
            sent("HTTP/1.1 203 OK\r\n\r\n<html>a"),
            Some((None, "<html>a".to_owned()))
        );
        assert_eq!(sent("HTTP/1.1 200 OK\r\n\r\na"), None);
        assert_eq!(
            sent("HTTP/1.1 404 No\r\nContent-Type: text/html\r\n\r\n<p>a"),
            None
        );
        assert_eq!(
            sent("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<html>"),
            None
        );
        assert_eq!(sent("no message"), None);
    }

    #[test]
    fn records_without_a_message_are_pages_by_their_own_type() {
        let html = Some("text/html".to_owned());
        assert_eq!(found("text/html", "<p>a"), Some((html, "<p>a".to_owned())));
        assert_eq!(found("text/css", "<p>a"), None);
    }
}
