//! The lines of a robots.txt, written so that the parser reads them as Google's crawler does.

use robotxt::BYTE_LIMIT;

/// The bytes of a line that count.
const LINE_LIMIT: usize = 2083 * 8 - 1;

/// How lines with the name of an agent begin, and lines with a delay.
pub(super) const AGENT: [&str; 3] = ["user-agent", "user agent", "useragent"];
pub(super) const DELAY: [&str; 3] = ["crawl-delay", "crawl delay", "crawldelay"];

/// The body of a robots.txt as text: its first 500 KiB, where bytes that are not UTF-8 are percent-encoded, as they are before
/// they are compared with a URL. It has the rules of the body.
pub fn robots_text(body: &[u8]) -> String {
    let mut text = String::new();
    for chunk in limited(body).utf8_chunks() {
        text.push_str(chunk.valid());
        chunk
            .invalid()
            .iter()
            .for_each(|byte| text.push_str(&format!("%{byte:02X}")));
    }
    text
}

/// The body without the line that crosses the limit, and without a mark of the byte order, whole or not.
pub(super) fn limited(body: &[u8]) -> &[u8] {
    let mut body = match body.get(..=BYTE_LIMIT) {
        Some(head) => &head[..head.iter().rposition(|&byte| is_end(byte)).unwrap_or(0)],
        None => body,
    };
    for mark in [b"\xef", b"\xbb", b"\xbf"] {
        match body.strip_prefix(mark) {
            Some(rest) => body = rest,
            None => break,
        }
    }
    body
}

pub(super) fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// What the parser is given.
pub(crate) fn prepared(body: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(body.len() + 1);
    for line in limited(body).split(|&byte| is_end(byte)) {
        write_line(&line[..line.len().min(LINE_LIMIT)], &mut lines);
    }
    lines
}

/// Writes a line with the beginning of the name of an agent that is a product token: `FooBot/2.1 (+http://...)` is `FooBot`. A
/// delay between fetches does not end the list of a group's agents (RFC 9309, section 2.2.4).
fn write_line(line: &[u8], lines: &mut Vec<u8>) {
    if let Some(agent) = value(line, &AGENT) {
        lines.extend_from_slice(b"user-agent: ");
        lines.extend_from_slice(product(agent));
    } else if value(line, &DELAY).is_none() {
        lines.extend_from_slice(line);
    }
    lines.push(b'\n');
    // Who allows the page of a folder allows the folder.
    if let Some(folder) = value(line, &["allow"]).and_then(|path| path.strip_suffix(b"/index.html")) {
        lines.extend_from_slice(&[b"allow: ", folder, b"/$\n"].concat());
    }
}

/// The value of a line with one of these keys, without a comment.
pub(super) fn value<'a>(line: &'a [u8], keys: &[&str]) -> Option<&'a [u8]> {
    let line = line.split(|&byte| byte == b'#').next()?.trim_ascii();
    let after = |key: &&str| {
        let (start, rest) = line.split_at_checked(key.len())?;
        start.eq_ignore_ascii_case(key.as_bytes()).then_some(rest)
    };
    let rest = keys.iter().find_map(after)?;
    let value = rest.trim_ascii_start();
    match value.strip_prefix(b":") {
        Some(value) => Some(value.trim_ascii_start()),
        None if value.len() < rest.len() => Some(value),
        None => None,
    }
}

/// The name of an agent, up to the first byte that cannot be in one. Digits and points are not in the names of RFC 9309, but in
/// those of some crawlers.
pub(super) fn product(agent: &[u8]) -> &[u8] {
    let end = agent.iter().position(|&byte| !is_product(byte));
    match end {
        Some(0) if agent[0] == b'*' && agent.get(1).is_none_or(u8::is_ascii_whitespace) => b"*",
        end => &agent[..end.unwrap_or(agent.len())],
    }
}

/// Whether the name of an agent may have this byte.
pub(super) fn is_product(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}
