//! One request and its answer, within limits of bytes and time.

mod address;
mod connect;
mod tape;

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, HOST, HeaderName, HeaderValue, USER_AGENT};
use http::{HeaderMap, Method, Request, Response, Uri};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};
use url::Url;

use connect::Sender;
pub(crate) use connect::{Connection, Connector};

use crate::summary::Reason;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The host has a private address, and no person named it.
    #[error("its address {0} is private")]
    PrivateAddress(String),
    #[error("{0}")]
    NoAddress(String),
    #[error("{0}")]
    NoConnection(String),
    #[error("its certificate is wrong: {0}")]
    Certificate(String),
    #[error("{0}")]
    Tls(String),
    #[error("{0}")]
    BadHttp(String),
    #[error("no answer in time")]
    Timeout,
}

impl Failure {
    /// The name under which it is counted.
    pub(crate) fn reason(&self) -> Reason {
        match self {
            Failure::PrivateAddress(_) => Reason::PrivateAddress,
            Failure::NoAddress(_) => Reason::NoAddress,
            Failure::NoConnection(_) => Reason::NoConnection,
            Failure::Certificate(_) => Reason::Certificate,
            Failure::Tls(_) => Reason::Tls,
            Failure::BadHttp(_) => Reason::BadHttp,
            Failure::Timeout => Reason::Timeout,
        }
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) url: &'a Url,
    pub(crate) user_agent: &'a str,
    /// Conditions, for a page that is known from an earlier crawl.
    pub(crate) conditions: Vec<(HeaderName, HeaderValue)>,
    pub(crate) most_bytes: usize,
    pub(crate) most_time: Duration,
}

/// An answer, as it stands in an archive.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// The request as it was sent.
    pub(crate) request: Vec<u8>,
    /// Status line and headers, up to and with the blank line.
    pub(crate) head: Vec<u8>,
    /// The body without transfer codings, with its content codings.
    pub(crate) body: Vec<u8>,
    /// Why a part of the body is missing.
    pub(crate) truncated: Option<&'static str>,
    /// Whether the body was not wanted, for its media type.
    pub(crate) is_unwanted: bool,
    pub(crate) address: IpAddr,
    /// Versions of HTTP and TLS.
    pub(crate) protocols: Vec<&'static str>,
    /// How long it took.
    pub(crate) time: Duration,
}

impl Answer {
    /// A header as text; nothing if there is none, or it is not ASCII.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Asks for a URL, over this connection or a new one. `wants` decides by status and headers whether the body is read. The
/// connection comes back if it can be used again.
pub(crate) async fn fetch(
    connector: &Connector,
    kept: Option<Connection>,
    ask: &Ask<'_>,
    wants: impl Fn(u16, &HeaderMap) -> bool,
) -> (Result<Answer, Failure>, Option<Connection>) {
    let begin = Instant::now();
    let deadline = begin + ask.most_time;
    let (mut connection, response) = match timeout_at(deadline, respond(connector, kept, ask)).await {
        Ok(Ok(begun)) => begun,
        Ok(Err(failure)) => return (Err(failure), None),
        Err(_) => return (Err(Failure::Timeout), None),
    };
    let (parts, body) = response.into_parts();
    let is_http2 = matches!(connection.sender, Sender::Http2(_));
    let taped = connection.tape.lock().take();
    let (request, head) = taped.unwrap_or_else(|| (request_text(ask), head_text(&parts)));
    let mut answer = Answer {
        status: parts.status.as_u16(),
        is_unwanted: !wants(parts.status.as_u16(), &parts.headers),
        headers: parts.headers,
        request,
        head,
        body: Vec::new(),
        truncated: None,
        address: connection.address,
        protocols: [if is_http2 { "h2" } else { "http/1.1" }]
            .into_iter()
            .chain(connection.tls)
            .collect(),
        time: Duration::ZERO,
    };
    if !answer.is_unwanted {
        (answer.body, answer.truncated) = read(body, ask.most_bytes, deadline).await;
    }
    answer.time = begin.elapsed();
    // (What is left of a body that was not read whole would be in the way.)
    let is_whole = answer.truncated.is_none() && !answer.is_unwanted;
    connection.is_used = true;
    (Ok(answer), is_whole.then_some(connection))
}

/// Sends a request, and waits for the head of its answer. If the server has closed a kept connection meanwhile, a new one is made.
async fn respond(
    connector: &Connector,
    kept: Option<Connection>,
    ask: &Ask<'_>,
) -> Result<(Connection, Response<Incoming>), Failure> {
    let mut kept = kept;
    loop {
        let mut connection = match kept.take() {
            Some(connection) => connection,
            None => connector.connect(ask.url).await?,
        };
        match send(&mut connection, ask).await {
            Ok(response) => return Ok((connection, response)),
            Err(_) if connection.is_used => {}
            Err(error) => return Err(Failure::BadHttp(sentence(&error))),
        }
    }
}

async fn send(connection: &mut Connection, ask: &Ask<'_>) -> Result<Response<Incoming>, BoxError> {
    connection.tape.lock().rewind();
    Ok(match &mut connection.sender {
        Sender::Http1(sender) => {
            sender.ready().await?;
            sender.send_request(request(ask, false)?).await?
        }
        Sender::Http2(sender) => {
            sender.ready().await?;
            sender.send_request(request(ask, true)?).await?
        }
    })
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// An error and its causes.
fn sentence(error: &BoxError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

fn request(ask: &Ask<'_>, is_http2: bool) -> Result<Request<Empty<Bytes>>, http::Error> {
    let uri: Uri = match is_http2 {
        true => ask.url.as_str().parse()?,
        false => ask.url[url::Position::BeforePath..].parse()?,
    };
    let mut request = Request::builder().method(Method::GET).uri(uri);
    for (name, value) in headers(ask) {
        // (HTTP/2 has the host in the URL.)
        if !(is_http2 && name == HOST) {
            request = request.header(name, value);
        }
    }
    request.body(Empty::new())
}

fn headers(ask: &Ask<'_>) -> Vec<(HeaderName, HeaderValue)> {
    let host = &ask.url[url::Position::BeforeHost..url::Position::AfterPort];
    let value = |text: &str| HeaderValue::from_str(text).ok();
    let lines = [
        (HOST, value(host)),
        (USER_AGENT, value(ask.user_agent)),
        (
            ACCEPT,
            value("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"),
        ),
        (ACCEPT_ENCODING, value("gzip, br, zstd")),
    ];
    let lines = lines.into_iter().filter_map(|(name, value)| Some((name, value?)));
    lines.chain(ask.conditions.iter().cloned()).collect()
}

/// A request as HTTP/1.1 has it, for archives.
fn request_text(ask: &Ask<'_>) -> Vec<u8> {
    let target = &ask.url[url::Position::BeforePath..];
    let mut text = format!("GET {target} HTTP/1.1\r\n").into_bytes();
    for (name, value) in headers(ask) {
        write_line(&name, &value, &mut text);
    }
    text.extend_from_slice(b"\r\n");
    text
}

/// The head of an answer over HTTP/2 as HTTP/1.1 has it: archives have no other form.
fn head_text(parts: &http::response::Parts) -> Vec<u8> {
    let reason = parts.status.canonical_reason().unwrap_or_default();
    let mut text = format!("HTTP/1.1 {} {reason}\r\n", parts.status.as_u16()).into_bytes();
    for (name, value) in &parts.headers {
        write_line(name, value, &mut text);
    }
    text.extend_from_slice(b"\r\n");
    text
}

fn write_line(name: &HeaderName, value: &HeaderValue, text: &mut Vec<u8>) {
    text.extend_from_slice(name.as_str().as_bytes());
    text.extend_from_slice(b": ");
    text.extend_from_slice(value.as_bytes());
    text.extend_from_slice(b"\r\n");
}

/// Reads a body up to its end or a limit; returns why it is not whole, in the words of `WARC-Truncated`.
async fn read(mut body: Incoming, most: usize, deadline: Instant) -> (Vec<u8>, Option<&'static str>) {
    let mut bytes = Vec::new();
    loop {
        let frame = match timeout_at(deadline, body.frame()).await {
            Err(_) => return (bytes, Some("time")),
            Ok(None) => return (bytes, None),
            Ok(Some(Err(_))) => return (bytes, Some("disconnect")),
            Ok(Some(Ok(frame))) => frame,
        };
        let Some(data) = frame.data_ref() else {
            continue;
        };
        let room = most - bytes.len();
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return (bytes, Some("length"));
        }
    }
}
