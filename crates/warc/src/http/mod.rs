//! HTTP messages as crawlers keep them: status, headers, and the body with its codings undone.
//!
//! What a header says of the body is often wrong in archives: crawlers undo codings and leave the headers,
//! servers lie, captures are cut. Bytes that are not what their header says stay as they are; of what
//! breaks in the middle, the part before counts. [`Flags`] tell which of it happened.

mod chunked;
mod coding;
mod headers;

pub use headers::Headers;

use coding::Coding;

/// Bounds on the work and memory that one message can cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The longest header.
    pub header_bytes: usize,
    /// The longest body, after any of its codings has been undone; what is beyond is cut off.
    pub body_bytes: usize,
    /// How many codings are undone at most.
    pub codings: usize,
}

/// Default of [`Limits::header_bytes`].
pub const DEFAULT_HEADER_BYTES: usize = 1 << 20;
/// Default of [`Limits::body_bytes`].
pub const DEFAULT_BODY_BYTES: usize = 64 << 20;
/// Default of [`Limits::codings`].
pub const DEFAULT_CODINGS: usize = 4;

impl Default for Limits {
    fn default() -> Self {
        Self {
            header_bytes: DEFAULT_HEADER_BYTES,
            body_bytes: DEFAULT_BODY_BYTES,
            codings: DEFAULT_CODINGS,
        }
    }
}

/// What was found wrong with a body, or rather with what its headers say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// A coding was named that the body does not have; the bytes stayed as they are.
    pub lying: bool,
    /// A coding broke off or was damaged; the body is what came before.
    pub cut: bool,
    /// Bytes followed the end of the coded data; they were dropped.
    pub trailing: bool,
    /// The body was longer than the limit and was cut there.
    pub too_long: bool,
    /// A coding that is not known, or more codings than the limit; the bytes stayed as they are.
    pub unknown_coding: bool,
    /// `Content-Length` promises more than there is.
    pub short: bool,
}

/// Why a block is no HTTP response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It does not begin with a status line.
    #[error("the block does not begin with an HTTP status line")]
    NoStatusLine,
    /// The header is longer than the limit.
    #[error("the HTTP header is longer than {limit} bytes")]
    HeaderTooLong {
        /// The limit.
        limit: usize,
    },
}

/// Buffers that messages are taken apart in; reuse them from message to message.
#[derive(Debug, Default)]
pub struct Scratch {
    lines: Vec<headers::Line>,
    body: Vec<u8>,
    spare: Vec<u8>,
}

/// Buffers larger than this are given back after the message that needed them.
const KEEP_BYTES: usize = 16 << 20;

/// A message taken apart.
#[derive(Debug)]
pub struct Http<'a> {
    /// The status code; 0 if there is none that could be read.
    pub status: u16,
    /// The headers as they came.
    pub headers: Headers<'a>,
    /// The body without its codings.
    pub body: &'a [u8],
    /// What was wrong.
    pub flags: Flags,
}

impl Http<'_> {
    /// Whether what was sent is the page itself, and not why there is none: 200 to 203.
    #[must_use]
    pub fn is_page_status(&self) -> bool {
        (200..204).contains(&self.status)
    }

    /// The media type and its parameters as they were sent.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        let value = self.headers.get("content-type")?;
        Some(String::from_utf8_lossy(value).into_owned())
    }
}

/// Takes the HTTP response in `block` apart. A body that has no coding is borrowed from `block`, any other
/// from `scratch`. Informational responses (1xx) before the real one are passed over.
///
/// # Errors
/// The block is no HTTP response or its header is too long.
pub fn parse<'a>(block: &'a [u8], scratch: &'a mut Scratch, limits: &Limits) -> Result<Http<'a>, Error> {
    let Scratch {
        lines,
        body: decoded,
        spare,
    } = scratch;
    for buffer in [&mut *decoded, &mut *spare] {
        if buffer.capacity() > KEEP_BYTES {
            *buffer = Vec::new();
        }
    }
    let (status, start, end) = read_head(block, lines, limits)?;
    let headers = Headers::new(&block[start..end], lines);
    let stored = &block[end..];
    let mut flags = Flags {
        short: is_short(&headers, stored),
        ..Flags::default()
    };
    let in_scratch = undo_codings(&headers, stored, decoded, spare, limits, &mut flags);
    let mut body = if in_scratch { &decoded[..] } else { stored };
    if body.len() > limits.body_bytes {
        flags.too_long = true;
        body = &body[..limits.body_bytes];
    }
    Ok(Http {
        status,
        headers,
        body,
        flags,
    })
}

/// Status, and where the header begins and ends.
fn read_head(
    block: &[u8],
    lines: &mut Vec<headers::Line>,
    limits: &Limits,
) -> Result<(u16, usize, usize), Error> {
    let mut start = 0;
    loop {
        let status = status_of(&block[start..]).ok_or(Error::NoStatusLine)?;
        let end = start + headers::read(&block[start..], lines, limits.header_bytes)?;
        let is_interim = (100..200).contains(&status) && status != 101;
        if !is_interim || status_of(&block[end..]).is_none() {
            return Ok((status, start, end));
        }
        start = end;
    }
}

/// The code of a status line; 0 if it has none.
fn status_of(block: &[u8]) -> Option<u16> {
    if !block.starts_with(b"HTTP/") && !block.starts_with(b"ICY ") {
        return None;
    }
    let line = &block[..memchr::memchr(b'\n', block).unwrap_or(block.len())];
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let code = words
        .nth(1)
        .and_then(|word| std::str::from_utf8(word).ok())
        .and_then(|word| word.parse().ok());
    Some(code.unwrap_or(0))
}

fn is_short(headers: &Headers<'_>, stored: &[u8]) -> bool {
    let promised = headers
        .get("content-length")
        .and_then(crate::header::parse_length);
    promised.is_some_and(|promised| promised > stored.len() as u64)
}

/// Undoes the transfer codings, then the content codings, last first. Returns whether the body is in
/// `decoded`; otherwise it is `stored` as it is.
fn undo_codings(
    headers: &Headers<'_>,
    stored: &[u8],
    decoded: &mut Vec<u8>,
    spare: &mut Vec<u8>,
    limits: &Limits,
    flags: &mut Flags,
) -> bool {
    let mut in_scratch = false;
    let mut left = limits.codings;
    for name in ["transfer-encoding", "content-encoding"] {
        for coding in Coding::list(headers, name).rev() {
            let Some(coding) = coding.filter(|_| left > 0) else {
                flags.unknown_coding = true;
                return in_scratch;
            };
            left -= 1;
            let input = if in_scratch { &decoded[..] } else { stored };
            spare.clear();
            if coding.undo(input, spare, limits.body_bytes, flags) {
                std::mem::swap(decoded, spare);
                in_scratch = true;
            }
        }
    }
    in_scratch
}
