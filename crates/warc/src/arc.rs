//! The one-line header of an ARC record.

use crate::{
    RecordType,
    header::{Begins, Head, parse_length},
};

/// The longest line that is taken for a header while looking for one.
const LINE_BYTES: usize = 16 << 10;

/// Whether an ARC record begins at the start of `bytes`.
pub(crate) fn begins_arc(bytes: &[u8]) -> Begins {
    if bytes.is_empty() {
        return Begins::Unsure;
    }
    if !may_be_uri(bytes) {
        return Begins::No;
    }
    let line = &bytes[..bytes.len().min(LINE_BYTES)];
    match memchr::memchr(b'\n', line) {
        Some(end) => match split(&line[..end]) {
            Some(_) => Begins::Yes,
            None => Begins::No,
        },
        None if line.len() < LINE_BYTES => Begins::Unsure,
        None => Begins::No,
    }
}

/// Whether the bytes begin as an address does, as far as they go: letters and a colon.
fn may_be_uri(bytes: &[u8]) -> bool {
    let scheme = bytes
        .iter()
        .take(20)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
        .count();
    scheme > 0 && bytes.get(scheme).is_none_or(|&byte| byte == b':')
}

/// The parts of a header line that are read.
struct Line<'a> {
    uri: &'a [u8],
    date: &'a [u8],
    content_type: &'a [u8],
    length: &'a [u8],
}

/// Version 1 has `URL IP date type length`, version 2 five more fields before the length. Addresses may
/// hold spaces, so that the fields are found by the IP address with a date behind it.
fn split(line: &[u8]) -> Option<Line<'_>> {
    let line = line.trim_ascii_end();
    let length_at = memchr::memrchr(b' ', line)? + 1;
    let length = &line[length_at..];
    if parse_length(length).is_none() && length != b"-1" && length != b"-" {
        return None;
    }
    let mut ip_at = memchr::memchr(b' ', line)? + 1;
    loop {
        let mut fields = line[ip_at..].split(|&byte| byte == b' ');
        let (ip, date, content_type) = (fields.next()?, fields.next()?, fields.next()?);
        fields.next()?;
        if is_ip(ip) && is_date(date) {
            return Some(Line {
                uri: &line[..ip_at - 1],
                date,
                content_type,
                length,
            });
        }
        ip_at += ip.len() + 1;
    }
}

fn is_ip(field: &[u8]) -> bool {
    !field.is_empty()
        && field
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || b".:-".contains(byte))
}

fn is_date(field: &[u8]) -> bool {
    field == b"-" || ((8..=18).contains(&field.len()) && field.iter().all(u8::is_ascii_digit))
}

impl Head {
    /// Reads an ARC header line. Returns whether it is one.
    pub(crate) fn parse_arc(&mut self, line: &[u8]) -> bool {
        self.clear();
        let Some(fields) = split(line) else { return false };
        let lossy = |text: &mut String, bytes: &[u8]| text.push_str(&String::from_utf8_lossy(bytes));
        lossy(&mut self.target_uri, fields.uri);
        lossy(&mut self.content_type, fields.content_type);
        let is_first = fields.uri.starts_with(b"filedesc:");
        self.kind = Some(if is_first {
            RecordType::Warcinfo
        } else {
            RecordType::Response
        });
        self.date = crate::date::parse(&String::from_utf8_lossy(fields.date));
        self.content_length = parse_length(fields.length);
        true
    }
}

/// The first line in `bytes`, after the one they begin with, at which an ARC record begins; or from where to
/// look again when there is more.
pub(crate) fn find_arc(bytes: &[u8]) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(end) = memchr::memchr(b'\n', &bytes[at..]) {
        at += end + 1;
        match begins_arc(&bytes[at..]) {
            Begins::Yes => return Ok(at),
            Begins::Unsure => return Err(at - 1),
            Begins::No => {}
        }
    }
    Err(bytes.len())
}
