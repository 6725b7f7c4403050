//! Where a message begins: its status line, in the forms that old servers and crawlers have written.

use super::headers::{Headers, field};

/// Headers of responses by which a message is known that has no status line.
const RESPONSE_HEADERS: [&str; 14] = [
    "accept-ranges",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "etag",
    "expires",
    "last-modified",
    "mime-version",
    "pragma",
    "server",
    "set-cookie",
    "via",
];

/// The longest header that is searched for the headers of a response.
const FIELDS_BYTES: usize = 16 << 10;

/// The name of the field that has the status since HTTP/2, which has no status line.
const STATUS_FIELD: &str = ":status";

/// The beginning of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    /// The code of the status line, 0 if it has none; `None` without a status line.
    line_status: Option<u16>,
    /// Bytes before the first header.
    pub(super) length: usize,
}

impl Start {
    /// The beginning of the message in `block`, if it is one.
    pub(super) fn from_block(block: &[u8]) -> Option<Start> {
        let blank = block.iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let rest = &block[blank..];
        let line = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        if let Some(status) = status_of(&rest[..line]) {
            return Some(Start {
                line_status: Some(status),
                length: blank + line,
            });
        }
        begins_fields(block).then_some(Start {
            line_status: None,
            length: 0,
        })
    }

    /// The status of the message with these headers: of a status line without a code, and of a message without such a
    /// line, that of the header with the status.
    pub(super) fn status(self, headers: &Headers<'_>) -> Option<u16> {
        if self.line_status.is_some_and(|status| status > 0) {
            return self.line_status;
        }
        let given = headers.get(STATUS_FIELD).or_else(|| headers.get("status"));
        given.and_then(code).or(self.line_status)
    }
}

/// Whether a block begins as a message does.
pub(crate) fn begins(block: &[u8]) -> bool {
    Start::from_block(block).is_some()
}

/// The code of a status line: `HTTP/1.1 200 OK`, `http/2 200`, `HTTP 200 Document follows`, `ICY 200 OK`. 0 if it names a
/// version and no code.
fn status_of(line: &[u8]) -> Option<u16> {
    let after = |name: &[u8]| {
        let begin = line.get(..name.len())?;
        begin.eq_ignore_ascii_case(name).then(|| &line[name.len()..])
    };
    let rest = after(b"HTTP").or_else(|| after(b"ICY"))?;
    let version = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let found = code(&rest[version..]);
    match rest.first()? {
        b'/' => Some(found.or_else(|| code(&rest[1..version])).unwrap_or(0)),
        byte if byte.is_ascii_whitespace() => found,
        _ => None,
    }
}

/// The three digits that a text begins with.
fn code(text: &[u8]) -> Option<u16> {
    let digits = text.trim_ascii_start().get(..3)?;
    let digits = digits.iter().all(u8::is_ascii_digit).then_some(digits)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Whether a block begins with nothing but headers of a response, one of them its type or its status, up to a blank line.
fn begins_fields(block: &[u8]) -> bool {
    let mut rest = &block[..block.len().min(FIELDS_BYTES)];
    let mut is_known = false;
    let mut is_first = true;
    while let Some(end) = memchr::memchr(b'\n', rest) {
        let line = rest[..end].trim_ascii_end();
        if line.is_empty() {
            return is_known;
        }
        let is_folded = !is_first && matches!(line[0], b' ' | b'\t');
        let is = |names: &[&str], name: &[u8]| {
            names
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        };
        match field(line) {
            _ if is_folded => {}
            Some((name, value)) if is(&[STATUS_FIELD], name) => is_known |= code(value).is_some(),
            // Other fields of HTTP/2 that are no headers may stand before the status.
            Some((name, _)) if !is_first || name[0] == b':' || is(&RESPONSE_HEADERS, name) => {
                is_known |= is(&["content-type"], name);
            }
            _ => return false,
        }
        is_first = false;
        rest = &rest[end + 1..];
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_of_every_form() {
        for (line, status) in [
            ("HTTP/1.1 200 OK\r\n", Some(200)),
            ("http/1.1 200 OK\n", Some(200)),
            ("HTTP/2 200", Some(200)),
            ("HTTP/1.1  200\r\n", Some(200)),
            ("HTTP/1.0\t301 Moved", Some(301)),
            ("HTTP/1.1 404.3 Not Found", Some(404)),
            ("HTTP/1.1 200OK", Some(200)),
            ("HTTP/200 OK", Some(200)),
            ("HTTP 404 Not found\n", Some(404)),
            ("Http 200", Some(200)),
            ("ICY 200 OK", Some(200)),
            ("HTTP/1.1 oops", Some(0)),
            ("HTTP/1.1", Some(0)),
            ("HTTP", None),
            ("HTTP is a protocol of the web", None),
            ("https://a.example/ 200", None),
            ("ICY roads ahead", None),
            ("<html>", None),
        ] {
            assert_eq!(status_of(line.as_bytes()), status, "{line}");
        }
    }

    #[test]
    fn the_status_field_of_http_2_begins_a_message() {
        for block in [
            &b":status: 200\r\ncontent-type: text/html\r\n\r\n"[..],
            b":status: 204\n\n",
            b":Status:200\r\n\r\n",
            b":version: HTTP/2.0\r\n:status: 301 Moved\r\n\r\n",
            b"server: x\r\n:status: 200\r\n\r\n",
        ] {
            assert!(begins(block), "{:?}", String::from_utf8_lossy(block));
        }
        for block in [
            &b":status: done\r\n\r\n"[..],
            b":status: 200",
            b":author: me\n\n",
            b":method: GET\r\n:path: /\r\n\r\n",
            b"status: 200\n\n",
            b": 200\n\n",
            b"::status: 200\n\n",
        ] {
            assert!(!begins(block), "{:?}", String::from_utf8_lossy(block));
        }
    }

    #[test]
    fn headers_alone_are_a_message_if_they_are_those_of_a_response() {
        assert!(begins(b"Server: x\nContent-type: text/html\n\n<p>a"));
        assert!(begins(b"\r\nHTTP/1.0 200 OK\r\n\r\n"));
        for text in [
            &b"Subject: a\nContent-Type: text/plain\n\nb"[..],
            b"Date: today\n\nb",
            b"Server: x\nis what the waiter said: no\nContent-Type: a\n\n",
            b"Server: x\nContent-type: text/html\n",
            b"",
        ] {
            assert!(!begins(text), "{:?}", String::from_utf8_lossy(text));
        }
    }
}
