//! Pages as a browser drew them: `conversion` records of HTML that refer to the capture of the page.
//!
//! The headers of the response are not in such a record, and they may say what the page may be used for. So it says itself what
//! the server answered, in fields of its own: `WARC-Refers-To-Status` has the status, and each `WARC-Refers-To-Header` one header
//! as the server sent it (`WARC-Refers-To-Header: X-Robots-Tag: noai`).

use std::borrow::Cow;

use crate::{Record, RecordType, record_id};

/// The field with the status of the response.
const STATUS: &str = "WARC-Refers-To-Status";
/// The fields with its headers.
pub(crate) const HEADER: &str = "WARC-Refers-To-Header";

/// The record that a `conversion` was made from, by its id as [`record_id`] writes it. None where the record is no conversion, or
/// refers to nothing or to itself.
#[must_use]
pub fn converted_from<'a>(record: &Record<'a>) -> Option<Cow<'a, str>> {
    let is_conversion = record.kind == RecordType::Conversion;
    let named = is_conversion.then(|| record.field("WARC-Refers-To")).flatten()?;
    let id = record_id(named);
    (!id.is_empty() && id != record.record_id).then_some(id)
}

/// The status of the response that a `conversion` was made from, if the record has it.
pub(crate) fn status(record: &Record<'_>) -> Option<u16> {
    let is_conversion = record.kind == RecordType::Conversion;
    let stated = is_conversion.then(|| record.field(STATUS)).flatten()?;
    stated.parse().ok()
}

/// The fields by which a `conversion` says which record it was made from and what the server answered, for
/// [`NewRecord::fields`](crate::NewRecord::fields). `headers` are those of the response that matter without the response, name
/// and value: those about rights.
///
/// ```
/// use gleaner_warc::{http, *};
///
/// let headers = [(&b"X-Robots-Tag"[..], &b"noai"[..])];
/// let fields = conversion_fields("<urn:uuid:1>", Some(200), headers);
/// let record = NewRecord {
///     kind: RecordType::Conversion,
///     id: "<urn:uuid:2>",
///     date: 1_209_588_505_000,
///     target_uri: Some("http://a.example/"),
///     content_type: "text/html; charset=utf-8",
///     fields: &fields.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>(),
///     block: &[b"<p>Drawn"],
/// };
/// let mut file = Vec::new();
/// RecordWriter::default().write(&record, &mut file);
///
/// let mut reader = Reader::new(ReadSource::new(&file[..]), "a.warc.gz", Options::default());
/// let Step::Record(record) = reader.step()? else { panic!() };
/// assert_eq!(converted_from(&record).as_deref(), Some("<urn:uuid:1>"));
/// let mut scratch = http::Scratch::default();
/// let page = WebPage::of(&record, &mut scratch, &http::Limits::default()).expect("a page");
/// assert_eq!((page.status, page.headers.get("x-robots-tag")), (Some(200), Some(&b"noai"[..])));
/// # Ok::<(), Error>(())
/// ```
pub fn conversion_fields<'h>(
    of: &str,
    status: Option<u16>,
    headers: impl IntoIterator<Item = (&'h [u8], &'h [u8])>,
) -> Vec<(&'static str, String)> {
    let text = String::from_utf8_lossy;
    let status = status.map(|status| (STATUS, status.to_string()));
    let headers = headers
        .into_iter()
        .map(|(name, value)| (HEADER, format!("{}: {}", text(name), text(value))));
    [("WARC-Refers-To", of.to_owned())]
        .into_iter()
        .chain(status)
        .chain(headers)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoPage, Options, ReadSource, Reader, Step, WebPage, http};

    /// Looks at a record with these lines in its header.
    fn look<T>(lines: &str, look: impl FnOnce(&Record<'_>) -> T) -> T {
        let file = format!(
            "WARC/1.1\r\nWARC-Record-ID: <urn:2>\r\nContent-Type: text/html\r\nContent-Length: 4\r\n{lines}\r\n\r\n<p>a\r\n\r\n"
        );
        let mut reader = Reader::new(ReadSource::new(file.as_bytes()), "a.warc", Options::default());
        let Ok(Step::Record(record)) = reader.step() else {
            panic!("no record: {file}");
        };
        look(&record)
    }

    fn page(lines: &str) -> Result<(Option<u16>, Vec<String>), &'static str> {
        look(lines, |record| {
            let mut scratch = http::Scratch::default();
            let page = WebPage::of(record, &mut scratch, &http::Limits::default());
            let page = page.map_err(|refusal| NoPage::reason(&refusal))?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let headers = page.headers.iter();
            let headers = headers.map(|(name, value)| format!("{}={}", text(name), text(value)));
            Ok((page.status, headers.collect()))
        })
    }

    #[test]
    fn a_conversion_refers_to_another_record() {
        let from = |lines: &str| look(lines, |record| converted_from(record).map(Cow::into_owned));
        let of_one = Some("<urn:1>".to_owned());
        assert_eq!(from("WARC-Type: conversion\r\nWARC-Refers-To: <urn:1>"), of_one);
        assert_eq!(from("warc-type: Conversion\r\nwarc-refers-to:urn:1"), of_one);
        for none in [
            "WARC-Type: response\r\nWARC-Refers-To: <urn:1>",
            "WARC-Type: conversion",
            "WARC-Type: conversion\r\nWARC-Refers-To: <>",
            "WARC-Type: conversion\r\nWARC-Refers-To: urn:2",
        ] {
            assert_eq!(from(none), None, "{none}");
        }
    }

    #[test]
    fn a_conversion_says_what_the_server_answered() {
        let of = |lines: &str| page(&format!("WARC-Type: conversion\r\n{lines}"));
        assert_eq!(of("WARC-Refers-To: <urn:1>"), Ok((None, Vec::new())));
        let answer = "WARC-Refers-To-Status: 203\r\nWARC-Refers-To-Header: Link: <http://a.example/>; rel=license\r\n\
            warc-refers-to-header:tdm-reservation:1\r\nWARC-Refers-To-Header: none";
        let headers = ["Link=<http://a.example/>; rel=license", "tdm-reservation=1"];
        assert_eq!(of(answer), Ok((Some(203), headers.map(str::to_owned).into())));
        assert_eq!(of("WARC-Refers-To-Status: two"), Ok((None, Vec::new())));
        assert_eq!(of("WARC-Refers-To-Status: 404"), Err("http-status"));
        // Other records have a message.
        let resource = format!("WARC-Type: resource\r\n{answer}");
        assert_eq!(page(&resource), Ok((None, Vec::new())));
    }
}
