//! Pages in files: WARC and ARC archives, and HTML files, which are read as archives of one page.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use gleaner_html::{PageFile, page_file};
use gleaner_warc::{Format, Options, ReadSource, Reader, Record, Step, Wanted, WebPage, http, web_page};

use crate::Error;

/// A page in a file.
pub(crate) struct FoundPage<'a> {
    pub(crate) spot: Spot,
    /// Its URL; of a file the one in its envelope. Empty if it is not known.
    pub(crate) url: &'a str,
    /// The record's id; empty if there is none.
    pub(crate) record_id: &'a str,
    pub(crate) content_type: Option<String>,
    pub(crate) body: &'a [u8],
}

/// Where a page begins: in the file, and in what a member of it decompresses to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) offset: u64,
    inner: u64,
}

/// The format of a file, and how much of it was skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) format: Option<Format>,
    /// Captures that are no HTML page with status 200, and damaged places.
    pub(crate) skipped: usize,
}

/// Calls `visit` with the pages of a file in their order, until it breaks.
pub(crate) fn each(
    path: &Path,
    visit: &mut dyn FnMut(FoundPage<'_>) -> ControlFlow<()>,
) -> Result<Seen, Error> {
    let mut reader = reader(path, None)?;
    let mut seen = Seen::default();
    let mut scratch = http::Scratch::default();
    loop {
        let step = reader.step().map_err(|source| unreadable(path, source))?;
        match step {
            Step::Record(record) => match web_page(&record, &mut scratch) {
                Some(page) => {
                    let file = page_in(&record, &page);
                    if visit(found(&record, page.content_type, &file)).is_break() {
                        break;
                    }
                }
                None => seen.skipped += 1,
            },
            Step::Reject(_) => seen.skipped += 1,
            Step::Pending | Step::End => break,
        }
    }
    seen.format = reader.format();
    Ok(seen)
}

/// The media type and body of the page at a spot that [`each`] has shown.
pub(crate) fn read_at(
    path: &Path,
    format: Option<Format>,
    spot: Spot,
) -> Result<(Option<String>, Vec<u8>), Error> {
    // A file that cannot be read from an offset is read from its beginning.
    let format = format.filter(|format| format.splittable);
    let mut reader = reader(path, format.map(|format| (format, spot.offset)))?;
    let mut scratch = http::Scratch::default();
    loop {
        match reader.step().map_err(|source| unreadable(path, source))? {
            Step::Record(record) if spot == spot_of(&record) => {
                if let Some(page) = web_page(&record, &mut scratch) {
                    let file = page_in(&record, &page);
                    return Ok((file.content_type.or(page.content_type), file.html.to_vec()));
                }
            }
            Step::Record(record) if record.offset <= spot.offset => {}
            Step::Reject(_) => {}
            Step::Record(_) | Step::Pending | Step::End => {
                return Err(Error::Gone(path.to_owned(), spot.offset));
            }
        }
    }
}

fn reader(path: &Path, from: Option<(Format, u64)>) -> Result<Reader<ReadSource<File>>, Error> {
    let failed = |source| Error::Open(path.to_owned(), source);
    let mut file = File::open(path).map_err(failed)?;
    let mut options = Options {
        wanted: Wanted::CAPTURES,
        ..Options::default()
    };
    if let Some((format, offset)) = from {
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        (options.format, options.range.start) = (Some(format), offset);
    }
    Ok(Reader::new(
        ReadSource::new(file),
        path.display().to_string(),
        options,
    ))
}

fn unreadable(path: &Path, source: gleaner_warc::Error) -> Error {
    Error::Archive(path.to_owned(), source)
}

fn spot_of(record: &Record<'_>) -> Spot {
    Spot {
        offset: record.offset,
        inner: record.inner,
    }
}

/// A page of a record: without its envelope, where the file is the page.
fn page_in<'a>(record: &Record<'_>, page: &WebPage<'a>) -> PageFile<'a> {
    match record.is_file() {
        true => page_file(page.body),
        false => PageFile {
            url: None,
            content_type: None,
            html: page.body,
        },
    }
}

fn found<'a>(record: &Record<'a>, content_type: Option<String>, page: &'a PageFile<'a>) -> FoundPage<'a> {
    // Where a file happens to be is no address.
    let own = Some(record.target_uri).filter(|url| !url.starts_with("file:"));
    FoundPage {
        spot: spot_of(record),
        url: page.url.as_deref().or(own).unwrap_or_default(),
        record_id: record.record_id,
        content_type: page.content_type.clone().or(content_type),
        body: page.html,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(url: &str, status: u16, media: &str, body: &str) -> String {
        let block = format!("HTTP/1.1 {status} OK\r\nContent-Type: {media}\r\n\r\n{body}");
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{url}>\r\nWARC-Target-URI: {url}\r\n\
             Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        )
    }

    #[test]
    fn pages_are_found_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let archive = [
            record("http://a.example/", 200, "text/html; charset=utf-8", "<p>a"),
            record("http://b.example/", 404, "text/html", "<p>b"),
            record("http://c.example/", 200, "image/png", "c"),
            record("http://d.example/", 200, "", " <html>d"),
        ];
        std::fs::write(&path, archive.concat()).unwrap();
        let mut pages = Vec::new();
        let seen = each(&path, &mut |page| {
            pages.push((page.spot, page.url.to_owned(), page.record_id.to_owned()));
            ControlFlow::Continue(())
        })
        .unwrap();
        let urls: Vec<&str> = pages.iter().map(|page| page.1.as_str()).collect();
        assert_eq!(
            (urls, seen.skipped),
            (vec!["http://a.example/", "http://d.example/"], 2)
        );
        assert_eq!(pages[0].2, "<urn:http://a.example/>");
        for (spot, body) in [(pages[1].0, " <html>d"), (pages[0].0, "<p>a")] {
            assert_eq!(read_at(&path, seen.format, spot).unwrap().1, body.as_bytes());
        }
        std::fs::write(&path, archive[1].repeat(3)).unwrap();
        assert!(matches!(
            read_at(&path, seen.format, pages[1].0),
            Err(Error::Gone(..))
        ));
    }

    #[test]
    fn an_html_file_is_a_page_without_an_address() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.html");
        std::fs::write(&path, "<p>a").unwrap();
        let mut found = 0;
        let seen = each(&path, &mut |page| {
            assert_eq!((page.url, page.record_id, page.body), ("", "", &b"<p>a"[..]));
            found += 1;
            ControlFlow::Break(())
        })
        .unwrap();
        assert_eq!(found, 1);
        assert_eq!(read_at(&path, seen.format, Spot::default()).unwrap().1, b"<p>a");
    }

    #[test]
    fn an_envelope_has_the_address_and_the_charset() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("1.html");
        std::fs::write(
            &path,
            "<text encoding=latin2 id='http://a.example/?b&amp;c'>\n<p>a</text>\n",
        )
        .unwrap();
        let charset = Some("text/html; charset=ISO-8859-2".to_owned());
        let seen = each(&path, &mut |page| {
            assert_eq!((page.url, page.body), ("http://a.example/?b&c", &b"<p>a"[..]));
            assert_eq!(page.content_type, charset);
            ControlFlow::Continue(())
        })
        .unwrap();
        let read = read_at(&path, seen.format, Spot::default()).unwrap();
        assert_eq!(read, (charset, b"<p>a".to_vec()));
    }
}
