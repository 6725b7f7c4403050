//! From a WARC record to a capture, or to the reason why it is none.

use std::borrow::Cow;

use gleaner_corpus::{DocumentRow, Millis, RejectRow, Unread, host, page_url, row_id, surt};
use gleaner_curate::rights::{RightsFile, is_rights_header};
use gleaner_html::page_file;
use gleaner_store::{Place, Shard};
use gleaner_warc::{NoPage, Record, Reject, WebPage, converted_from, http};

use crate::data::key::SiteOf;
use crate::data::message::{Capture, Header};
use crate::data::site_file::SiteFile;

/// A file that is read, as the tables have it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) place: &'a Place,
}

impl NamedFile<'_> {
    pub(crate) fn of(shard: &Shard) -> NamedFile<'_> {
        NamedFile {
            name: &shard.name,
            place: &shard.place,
        }
    }

    /// The address of a page that is the file itself: that on its server, else its name. Where a local file happens to be is
    /// no address.
    fn page_url(self) -> String {
        match self.place {
            place if !place.is_local() => place.to_string(),
            _ => format!("file:///{}", self.name.trim_start_matches('/')),
        }
    }
}

/// Takes a record apart: its HTTP envelope off, and what is known of it into a row.
pub(crate) fn read(
    file: NamedFile<'_>,
    record: &Record<'_>,
    scratch: &mut http::Scratch,
    limits: &http::Limits,
    site: SiteOf,
) -> Result<Capture, Box<RejectRow>> {
    let mut document = row(file, record);
    document.site = site.site(&document.host);
    let drawn_from = converted_from(record).map(Cow::into_owned);
    let page = WebPage::of(record, scratch, limits).map_err(|refusal| refuse(&document, &refusal))?;
    document.http_status = page.status;
    document.content_type = page.media_type();
    if page.is_cut {
        document.truncated = Some("capture".to_owned());
    }
    let mut capture = Capture {
        document,
        content_type: page.content_type,
        rights_headers: rights_headers(&page.headers),
        drawn_from: drawn_from.filter(|_| !page.is_text),
        plain_text: page.is_text,
        body: Vec::new(),
    };
    capture.body = match record.is_file() && !page.is_text {
        true => open_envelope(&mut capture, page.body, site).to_vec(),
        false => page.body.to_vec(),
    };
    Ok(capture)
}

/// The file of a site about rights that a record has, if it has one.
pub(crate) fn site_file(
    file: NamedFile<'_>,
    record: &Record<'_>,
    scratch: &mut http::Scratch,
    limits: &http::Limits,
) -> Option<Box<SiteFile>> {
    let (host, kind) = RightsFile::of_url(record.target_uri)?;
    let (status, body) = gleaner_warc::answer(record, scratch, limits).ok()?;
    let id = record_id(file.name, record);
    let record = kind.record((record.date, &id), status, body)?;
    Some(Box::new(SiteFile {
        host,
        file: kind,
        record,
    }))
}

/// The headers that can have signals about rights.
fn rights_headers(headers: &http::Headers<'_>) -> Vec<Header> {
    let found = headers.iter().filter(|(name, _)| is_rights_header(name));
    found.map(|(name, value)| (name.into(), value.into())).collect()
}

/// Takes the envelope off a page that is a file: its address and charset are the document's.
fn open_envelope<'b>(capture: &mut Capture, body: &'b [u8], site: SiteOf) -> &'b [u8] {
    let page = page_file(body);
    capture.content_type = page.content_type.or(capture.content_type.take());
    if let Some(url) = page.url {
        let document = &mut capture.document;
        document.url = url;
        name(document, 0);
        document.site = site.site(&document.host);
    }
    page.html
}

/// Fills the columns that follow from the URL and the place of the capture; `inner` is its place in a compressed member.
fn name(document: &mut DocumentRow, inner: u64) {
    document.host = host(&page_url(&document.url));
    document.surt = surt(&document.url);
    document.row_id = row_id(document, inner);
}

/// The columns of a document that the record alone has.
fn row(file: NamedFile<'_>, record: &Record<'_>) -> DocumentRow {
    let url = match record.is_file() {
        true => file.page_url(),
        false => record.target_uri.to_owned(),
    };
    let file = file.name;
    let mut document = DocumentRow {
        url,
        crawl_date: record.date.map(Millis),
        warc_file: file.to_owned(),
        warc_offset: record.offset,
        warc_length: record.length,
        record_id: record_id(file, record),
        ..DocumentRow::default()
    };
    name(&mut document, record.inner);
    document
}

fn record_id(file: &str, record: &Record<'_>) -> String {
    match record.record_id {
        "" => format!("{file}#{}", record.offset),
        id => id.to_owned(),
    }
}

fn refuse(document: &DocumentRow, refusal: &NoPage) -> Box<RejectRow> {
    let mut row = crate::data::reject::of_page(document, refusal.reason(), refusal.to_string());
    row.stage = "read".to_owned();
    row
}

/// A stretch of a file that gave no record.
pub(crate) fn damage(file: &str, reject: &Reject) -> RejectRow {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    RejectRow {
        row_id: None,
        url: some(&reject.target_uri),
        surt: some(&reject.target_uri).map(|url| surt(&url)),
        warc_file: file.to_owned(),
        warc_offset: reject.offset,
        record_id: some(&reject.record_id),
        stage: "warc".to_owned(),
        reason: reject.reason.as_str().to_owned(),
        detail: reject.detail.clone(),
    }
}

/// A file that can't be read, or not to its end.
pub(crate) fn unreadable(file: &str, from: u64, error: &gleaner_warc::Error) -> RejectRow {
    let (reason, offset, detail) = match error {
        gleaner_warc::Error::NotAnArchive { foreign, .. } => ("not-an-archive", from, foreign.to_string()),
        gleaner_warc::Error::Source { offset, .. } | gleaner_warc::Error::FormatNeeded(_, offset) => {
            ("unreadable", *offset, with_causes(error))
        }
    };
    RejectRow {
        warc_file: file.to_owned(),
        warc_offset: offset,
        stage: "warc".to_owned(),
        reason: reason.to_owned(),
        detail,
        ..RejectRow::default()
    }
}

/// A file that could not be read to its end, for this reason; `file` is where it is.
pub(crate) fn missing(file: &str, error: &std::io::Error) -> Unread {
    let of_store = error.get_ref().and_then(|error| error.downcast_ref());
    Unread {
        input: file.to_owned(),
        cause: with_causes(error),
        changed: matches!(of_store, Some(gleaner_store::Error::Changed(..))),
    }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    text
}
