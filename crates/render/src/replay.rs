//! What a page's requests are answered with.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gleaner_curate::rights::is_rights_header;
use gleaner_warc::{Record, WebPage, conversion_fields, http};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::Error;
use crate::address::Address;
use crate::captures::{Captures, Place};

/// Bytes of answers that are kept for the pages that follow.
const KEEP_BYTES: usize = 64 << 20;
/// Longer answers are not kept.
const KEEP_EACH: usize = 8 << 20;

/// An answer of a server, as `Fetch.fulfillRequest` takes it.
#[derive(Debug)]
pub(crate) struct Answer {
    status: u16,
    headers: Value,
    /// Base 64.
    body: String,
}

impl Answer {
    pub(crate) fn params(&self, request: &str) -> Value {
        json!({
            "requestId": request, "responseCode": self.status, "responseHeaders": self.headers, "body": self.body,
        })
    }

    /// To the question whether a page may ask another site for something: it may.
    pub(crate) fn permission(origin: &str, headers: &str) -> Answer {
        let allowed = [
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Allow-Credentials", "true"),
            ("Access-Control-Allow-Methods", "GET, HEAD"),
            ("Access-Control-Allow-Headers", headers),
        ];
        let headers = allowed.map(|(name, value)| json!({"name": name, "value": value}));
        Answer {
            status: 204,
            headers: Value::from(headers.to_vec()),
            body: String::new(),
        }
    }
}

/// A page to be drawn.
#[derive(Clone, Debug)]
pub(crate) struct PageToDraw {
    pub(crate) url: String,
    pub(crate) target_uri: String,
    pub(crate) date: i64,
    pub(crate) record_id: String,
    /// The fields of the record of the drawn page: to what it refers, and what the server stated.
    pub(crate) fields: Vec<(&'static str, String)>,
    pub(crate) answer: Arc<Answer>,
}

/// Answers requests from the archives.
#[derive(Debug)]
pub(crate) struct Replay {
    captures: Captures,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    answers: FxHashMap<Place, Arc<Answer>>,
    bytes: usize,
}

impl Replay {
    pub(crate) fn new(captures: Captures) -> Replay {
        Replay {
            captures,
            kept: Mutex::default(),
        }
    }

    /// The page of a record.
    ///
    /// # Errors
    /// The archive cannot be read any more.
    pub(crate) fn page(&self, place: Place) -> Result<Option<PageToDraw>, Error> {
        let page = self.captures.with_record(place, |record| {
            let mut scratch = http::Scratch::default();
            let page = WebPage::of(record, &mut scratch, &http::Limits::default()).ok()?;
            let mut headers = headers(&page.headers);
            headers.retain(|(name, _)| !is_of_page_alone(name));
            headers.push(("Content-Type".to_owned(), html_type(page.content_type.as_deref())));
            let record_id = match record.record_id {
                "" => format!("{}#{}", self.captures.name(place.file), record.offset),
                id => gleaner_warc::record_id(id).into_owned(),
            };
            let rights_headers = page.headers.iter().filter(|(name, _)| is_rights_header(name));
            Some(PageToDraw {
                url: Address::new(record.target_uri)?.url,
                target_uri: record.target_uri.to_owned(),
                date: record.date.unwrap_or_default(),
                fields: conversion_fields(&record_id, page.status, rights_headers),
                record_id,
                answer: Arc::new(answer(200, headers, page.body)),
            })
        })?;
        Ok(page.flatten())
    }

    /// What the archives have of a URL, nearest in time to a page.
    ///
    /// # Errors
    /// An archive cannot be read any more.
    pub(crate) fn of_url(&self, url: &str, date: i64) -> Result<Option<Arc<Answer>>, Error> {
        let Some(address) = Address::new(url) else {
            return Ok(None);
        };
        let Some(capture) = self.captures.nearest(&address, date) else {
            return Ok(None);
        };
        if let Some(kept) = self.kept.lock().answers.get(&capture.place) {
            return Ok(Some(Arc::clone(kept)));
        }
        let answer = self.captures.with_record(capture.place, of_record)?.flatten();
        let Some(answer) = answer.map(Arc::new) else {
            return Ok(None);
        };
        self.keep(capture.place, &answer);
        Ok(Some(answer))
    }

    fn keep(&self, place: Place, answer: &Arc<Answer>) {
        let bytes = answer.body.len();
        if bytes > KEEP_EACH {
            return;
        }
        let mut kept = self.kept.lock();
        // What pages share is soon there again.
        if kept.bytes + bytes > KEEP_BYTES {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        kept.answers.insert(place, Arc::clone(answer));
    }
}

fn of_record(record: &Record<'_>) -> Option<Answer> {
    let mut scratch = http::Scratch::default();
    if record.is_http() {
        let message = http::parse(record.content, &mut scratch, &http::Limits::default()).ok()?;
        let status = match message.has_status_line {
            true => message.status,
            false => 200,
        };
        return Some(answer(status, headers(&message.headers), message.body));
    }
    let content_type = Some(record.content_type).filter(|text| !text.is_empty());
    let headers = content_type.map(|text| ("Content-Type".to_owned(), text.to_owned()));
    Some(answer(200, headers.into_iter().collect(), record.content))
}

fn answer(status: u16, headers: Vec<(String, String)>, body: &[u8]) -> Answer {
    let headers = headers
        .into_iter()
        .map(|(name, value)| json!({"name": name, "value": value}));
    Answer {
        // What is no status of an answer is a failure of the server.
        status: if (200..600).contains(&status) { status } else { 502 },
        headers: headers.collect(),
        body: STANDARD.encode(body),
    }
}

/// Headers as a browser may have them: those that browsers accept, without those that hinder a replay.
fn headers(headers: &http::Headers<'_>) -> Vec<(String, String)> {
    let is_token = |name: &[u8]| {
        !name.is_empty()
            && name
                .iter()
                .all(|&byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
    };
    let is_sound = |value: &[u8]| !value.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0));
    headers
        .iter()
        .filter(|(name, value)| is_token(name) && is_sound(value))
        .map(|(name, value)| {
            let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
            (text(name), text(value))
        })
        .filter(|(name, _)| !hinders(name))
        .collect()
}

/// The codings of the body are undone; what leads to other addresses than those of the archive, or empties the storage, is dropped.
const HINDERS: [&str; 10] = [
    "content-encoding",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "strict-transport-security",
    "public-key-pins",
    "alt-svc",
    "clear-site-data",
    "report-to",
];

fn hinders(name: &str) -> bool {
    HINDERS
        .iter()
        .any(|hindering| name.eq_ignore_ascii_case(hindering))
}

/// Headers that a page to be drawn has in our own form, or that keep it from being drawn.
fn is_of_page_alone(name: &str) -> bool {
    [
        "content-type",
        "content-disposition",
        "refresh",
        "x-content-type-options",
    ]
    .iter()
    .any(|dropped| name.eq_ignore_ascii_case(dropped))
}

/// HTML with the charset of a type: a page of another type would be shown otherwise, or be saved as a file.
fn html_type(content_type: Option<&str>) -> String {
    let parameters = content_type.unwrap_or_default().split(';').skip(1);
    let mut charset = parameters.map(str::trim).filter(|parameter| {
        let name = parameter.split('=').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("charset")
    });
    match charset.next() {
        Some(charset) => format!("text/html; {charset}"),
        None => "text/html".to_owned(),
    }
}
