//! From a WARC record to a capture, or to the reason why it is none.

use gleaner_corpus::{DocumentRow, Millis, RejectRow, Unread, host, page_url, row_id, surt};
use gleaner_html::page_file;
use gleaner_store::Shard;
use gleaner_warc::{Kind, Payload, Record, Reject, http, is_about_crawl, is_derived, is_robots_txt};

use crate::data::key::SiteOf;
use crate::data::message::Capture;

/// Takes a record apart: its HTTP envelope off, and what is known of it into a row.
pub(crate) fn read(
    shard: &Shard,
    record: &Record<'_>,
    scratch: &mut http::Scratch,
    limits: &http::Limits,
    site: SiteOf,
) -> Result<Capture, Box<RejectRow>> {
    let mut document = row(shard, record);
    document.site = site.site(&document.host);
    let mut payload = match Payload::of(record, scratch, limits) {
        Ok(payload) => payload,
        Err(error) => return Err(refuse(&document, "bad-http", error.to_string())),
    };
    document.http_status = payload.status;
    document.content_type = Some(payload.media_type()).filter(|media| !media.is_empty());
    if !payload.is_page_status() {
        let status = payload.status.unwrap_or_default();
        return Err(refuse(
            &document,
            "http-status",
            format!("the server answered {status}"),
        ));
    }
    let flags = payload.flags;
    if flags.cut || flags.short || flags.too_long {
        document.truncated = Some("capture".to_owned());
    }
    let plain_text = is_plain_text(record, &payload, &document)?;
    if is_derived(&document.url) {
        return Err(refuse(
            &document,
            "crawler-record",
            "what the crawler made of a page, beside its capture".to_owned(),
        ));
    }
    if record.is_file() && !plain_text {
        open_envelope(&mut document, &mut payload, site);
    }
    Ok(Capture {
        document,
        content_type: payload.content_type,
        plain_text,
        body: payload.body.to_vec(),
    })
}

/// Takes the envelope off a page that is a file: its address and charset are the document's.
fn open_envelope(document: &mut DocumentRow, payload: &mut Payload<'_>, site: SiteOf) {
    let page = page_file(payload.body);
    payload.body = page.html;
    payload.content_type = page.content_type.or(payload.content_type.take());
    if let Some(url) = page.url {
        document.url = url;
        name(document);
        document.site = site.site(&document.host);
    }
}

/// Fills the columns that follow from the URL and the place of the capture.
fn name(document: &mut DocumentRow) {
    document.host = host(&page_url(&document.url));
    document.surt = surt(&document.url);
    document.row_id = row_id(document);
}

/// Whether a payload is a plain text, where it is a page or a text that a reader of the site would read.
fn is_plain_text(
    record: &Record<'_>,
    payload: &Payload<'_>,
    document: &DocumentRow,
) -> Result<bool, Box<RejectRow>> {
    match payload.kind() {
        Kind::Page => Ok(false),
        Kind::Text if is_robots_txt(&document.url) => Err(refuse(
            document,
            "robots-txt",
            "robots.txt, not a page".to_owned(),
        )),
        Kind::Text if is_about_crawl(record) => Err(refuse(
            document,
            "crawler-record",
            "a record about the crawl, not a page of it".to_owned(),
        )),
        Kind::Text => Ok(true),
        Kind::Other => {
            let said = document.content_type.as_deref();
            let said = said.unwrap_or("no media type, and neither HTML nor text");
            // The part that is missing may be the one that decides.
            let cut = match document.truncated {
                Some(_) => "; the capture is cut short",
                None => "",
            };
            Err(refuse(document, "media-type", format!("{said}{cut}")))
        }
    }
}

/// The columns of a document that the record alone has.
fn row(shard: &Shard, record: &Record<'_>) -> DocumentRow {
    let record_id = match record.record_id {
        "" => format!("{}#{}", shard.name, record.offset),
        id => id.to_owned(),
    };
    let mut document = DocumentRow {
        url: record.target_uri.to_owned(),
        crawl_date: record.date.map(Millis),
        warc_file: shard.name.clone(),
        warc_offset: record.offset,
        warc_length: record.length,
        record_id,
        truncated: Some("capture".to_owned())
            .filter(|_| record.damage.is_some() || !record.truncated.is_empty()),
        ..DocumentRow::default()
    };
    name(&mut document);
    document
}

fn refuse(document: &DocumentRow, reason: &str, detail: String) -> Box<RejectRow> {
    let mut row = crate::data::reject::of_page(document, reason, detail);
    row.stage = "read".to_owned();
    row
}

/// A stretch of a file that gave no record.
pub(crate) fn damage(shard: &Shard, reject: &Reject) -> RejectRow {
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    RejectRow {
        row_id: None,
        url: some(&reject.target_uri),
        surt: some(&reject.target_uri).map(|url| surt(&url)),
        warc_file: shard.name.clone(),
        warc_offset: reject.offset,
        record_id: some(&reject.record_id),
        stage: "warc".to_owned(),
        reason: reject.reason.as_str().to_owned(),
        detail: reject.detail.clone(),
    }
}

/// A file that can't be read, or not to its end.
pub(crate) fn unreadable(shard: &Shard, from: u64, error: &gleaner_warc::Error) -> RejectRow {
    let (reason, offset, detail) = match error {
        gleaner_warc::Error::NotAnArchive { foreign, .. } => ("not-an-archive", from, foreign.to_string()),
        gleaner_warc::Error::Source { offset, .. } => ("unreadable", *offset, with_causes(error)),
        gleaner_warc::Error::FormatNeeded(_, offset) => ("unreadable", *offset, with_causes(error)),
    };
    RejectRow {
        warc_file: shard.name.clone(),
        warc_offset: offset,
        stage: "warc".to_owned(),
        reason: reason.to_owned(),
        detail,
        ..RejectRow::default()
    }
}

/// A file that could not be read to its end, for this reason.
pub(crate) fn missing(shard: &Shard, error: &std::io::Error) -> Unread {
    let of_store = error.get_ref().and_then(|error| error.downcast_ref());
    Unread {
        input: shard.name.clone(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_url_have_the_same_host_and_surt() {
        let named = |url: &str| {
            let mut document = DocumentRow {
                url: url.to_owned(),
                ..DocumentRow::default()
            };
            name(&mut document);
            (document.host, document.surt)
        };
        let page = named("http://xn--bcher-kva.example/a");
        assert_eq!(page.0, "xn--bcher-kva.example");
        for url in [
            "http://Bücher.example:80/a#b",
            "http://b%C3%BCcher.example/c/../a",
        ] {
            assert_eq!(named(url), page, "{url}");
        }
    }

    #[test]
    fn rules_for_crawlers_stand_at_the_root() {
        assert!(is_robots_txt("https://a.example/robots.txt?x#y"));
        assert!(!is_robots_txt("https://a.example/docs/robots.txt"));
        assert!(!is_robots_txt("robots.txt"));
    }

    #[test]
    fn sites_are_hosts_or_domains() {
        let hosts = [
            "www.example.co.uk",
            "blog.example.com",
            "co.uk",
            "10.0.0.1",
            "::1",
            "localhost",
            "",
        ];
        let sites = |of: SiteOf| hosts.map(|host| of.site(host));
        assert_eq!(sites(SiteOf::Host), hosts);
        let domains = [
            "example.co.uk",
            "example.com",
            "co.uk",
            "10.0.0.1",
            "::1",
            "localhost",
            "",
        ];
        assert_eq!(sites(SiteOf::Domain), domains);
    }
}
