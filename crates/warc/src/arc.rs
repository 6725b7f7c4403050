//! The one-line header of an ARC record.

use std::net::IpAddr;

use crate::{
    RecordType,
    header::{Begins, Head, parse_length},
};

/// The longest line that is taken for a header while looking for one.
const LINE_BYTES: usize = 16 << 10;

/// Whether an ARC record begins at the start of `bytes`, where any line may stand.
pub(crate) fn begins_arc(bytes: &[u8]) -> Begins {
    begins_as(bytes, |line| split(line).is_some())
}

/// Whether an ARC record begins at the start of `bytes`, where one has to: its date may be in any form.
pub(crate) fn follows_arc(bytes: &[u8]) -> Begins {
    begins_as(bytes, |line| split_anyhow(line).is_some())
}

fn begins_as(bytes: &[u8], is_header: impl Fn(&[u8]) -> bool) -> Begins {
    if bytes.is_empty() {
        return Begins::Unsure;
    }
    if !may_be_uri(bytes) {
        return Begins::No;
    }
    let line = &bytes[..bytes.len().min(LINE_BYTES)];
    match memchr::memchr(b'\n', line) {
        Some(end) if is_header(&line[..end]) => Begins::Yes,
        Some(_) => Begins::No,
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
    split_by(line, is_digits).or_else(|| split_by(line, |date| date == b"-"))
}

/// As [`split`], of a line whose date may have any form. Only where a header has to be: a line of a text may look like
/// that.
fn split_anyhow(line: &[u8]) -> Option<Line<'_>> {
    let behind = |is_ip: fn(&[u8]) -> bool| {
        fields(line, |rest| {
            let date = memchr::memchr(b' ', rest)? + 1;
            is_ip(&rest[..date - 1])
                .then(|| date_and_type(&rest[date..]))
                .flatten()
        })
    };
    split_by(line, is_digits)
        .or_else(|| behind(is_known_ip))
        .or_else(|| behind(|field| field == b"-"))
        .or_else(|| split(line))
}

fn split_by(line: &[u8], is_date: impl Fn(&[u8]) -> bool) -> Option<Line<'_>> {
    fields(line, |rest| {
        let mut fields = rest.split(|&byte| byte == b' ');
        let (ip, date, content_type) = (fields.next()?, fields.next()?, fields.next()?);
        fields.next()?;
        (is_ip(ip) && is_date(date)).then_some((date, content_type))
    })
}

/// Of what stands behind an IP address: a date of any form, which ends at the first field that is a media type, or where
/// there is none at the last but one.
fn date_and_type(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = &rest[..memchr::memrchr(b' ', rest)?];
    let (mut at, mut found) = (0, 0);
    for field in rest.split(|&byte| byte == b' ') {
        found = at;
        if is_media_type(field) {
            break;
        }
        at += field.len() + 1;
    }
    let content_type = rest[found..].split(|&byte| byte == b' ').next()?;
    (found > 0).then(|| (rest[..found].trim_ascii(), content_type))
}

/// The fields of a line that ends with a length. `read` is tried at each field after the first until it finds an IP
/// address, with date and type behind it.
fn fields<'a>(line: &'a [u8], read: impl Fn(&'a [u8]) -> Option<(&'a [u8], &'a [u8])>) -> Option<Line<'a>> {
    let line = line.trim_ascii_end();
    let length = &line[memchr::memrchr(b' ', line)? + 1..];
    if parse_length(length).is_none() && length != b"-1" && length != b"-" {
        return None;
    }
    memchr::memchr_iter(b' ', line).find_map(|space| {
        let (date, content_type) = read(&line[space + 1..])?;
        Some(Line {
            uri: &line[..space],
            date,
            content_type,
            length,
        })
    })
}

fn is_ip(field: &[u8]) -> bool {
    !field.is_empty()
        && field
            .iter()
            .all(|byte| byte.is_ascii_hexdigit() || b".:-".contains(byte))
}

/// Whether a field is an IP address by more than its letters.
fn is_known_ip(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|text| text.parse::<IpAddr>().is_ok())
}

/// Whether a field has the form of a media type; a day with slashes has not.
fn is_media_type(field: &[u8]) -> bool {
    let mut parts = field.split(|&byte| byte == b'/');
    let mut is_name = || {
        parts
            .next()
            .is_some_and(|part| part.first().is_some_and(u8::is_ascii_alphabetic))
    };
    is_name() && is_name() && parts.next().is_none()
}

fn is_digits(field: &[u8]) -> bool {
    (8..=18).contains(&field.len()) && field.iter().all(u8::is_ascii_digit)
}

impl Head {
    /// Reads an ARC header line. Returns whether it is one.
    pub(crate) fn parse_arc(&mut self, line: &[u8]) -> bool {
        self.clear();
        let Some(fields) = split_anyhow(line) else {
            return false;
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Address, date and type of a header line, and whether it is one anywhere.
    fn read(line: &str) -> Option<(String, String, String, bool)> {
        let bytes = line.as_bytes();
        let fields = split_anyhow(bytes)?;
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        Some((
            text(fields.uri),
            text(fields.date),
            text(fields.content_type),
            begins_arc(format!("{line}\n").as_bytes()) == Begins::Yes,
        ))
    }

    #[test]
    fn dates_of_any_form_stand_behind_the_address() {
        for (line, uri, date, content_type, is_found) in [
            (
                "http://a/ 1.2.3.4 20040908181047 text/html 5",
                "http://a/",
                "20040908181047",
                "text/html",
                true,
            ),
            (
                "http://a/ 1.2.3.4 200409081810 text/html 5",
                "http://a/",
                "200409081810",
                "text/html",
                true,
            ),
            (
                "http://a/ 1.2.3.4 04Sep2004:1 text/html 5",
                "http://a/",
                "04Sep2004:1",
                "text/html",
                false,
            ),
            (
                "http://a/ ::1 Wed, 08 Sep 2004 a/b 5",
                "http://a/",
                "Wed, 08 Sep 2004",
                "a/b",
                false,
            ),
            (
                "http://a/b - c 0.0.0.0 soon no-type 5",
                "http://a/b - c",
                "soon",
                "no-type",
                false,
            ),
            (
                "http://a/ - 8/9/2004 text/html 200 - - 0 a.arc 5",
                "http://a/",
                "8/9/2004",
                "text/html",
                true,
            ),
        ] {
            let expected = Some((uri.into(), date.into(), content_type.into(), is_found));
            assert_eq!(read(line), expected, "{line}");
        }
        for line in [
            "http://a/ 1.2.3.4 text/html 5",
            "http://a/ soon text/html 5",
            "http://a/ 1.2.3.4 soon a/b long",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
