//! HTTP messages as crawlers keep them: status, headers, and the body with its codings undone.
//!
//! The headers of a body are often wrong in archives: crawlers undo codings and leave the headers,
//! servers lie, captures are cut. Bytes that do not match their header stay as they are; of a body that
//! breaks in the middle, the part before is used. [`Flags`] record what happened. Codings that no header names
//! are undone where the headers declare a text.

mod chunked;
mod coding;
mod headers;
mod status;

pub use headers::Headers;
pub(crate) use status::begins;

use coding::Coding;
use status::Start;

use crate::media::{DeclaredType, media_type};

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

/// Differences between a body and its headers.
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

impl Flags {
    fn add(&mut self, other: Flags) {
        self.lying |= other.lying;
        self.cut |= other.cut;
        self.trailing |= other.trailing;
        self.too_long |= other.too_long;
        self.unknown_coding |= other.unknown_coding;
        self.short |= other.short;
    }
}

/// Why a block is no HTTP response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It does not begin with a status line.
    #[error("the block does not begin with an HTTP status line")]
    NoStatusLine,
    /// The header is longer than the limit.
    #[error("the HTTP header is longer than {0} bytes")]
    HeaderTooLong(usize),
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

impl Scratch {
    fn give_back(&mut self) {
        for buffer in [&mut self.body, &mut self.spare] {
            if buffer.capacity() > KEEP_BYTES {
                *buffer = Vec::new();
            }
        }
    }
}

/// A message taken apart.
#[derive(Debug)]
pub struct Http<'a> {
    /// The status code; 0 if there is none that could be read.
    pub status: u16,
    /// Whether there is a status line, or a header with the status. Some old archives keep the headers alone.
    pub has_status_line: bool,
    /// The headers as they came.
    pub headers: Headers<'a>,
    /// The body without its codings.
    pub body: &'a [u8],
    /// What was wrong.
    pub flags: Flags,
}

impl Http<'_> {
    /// The media type and its parameters as they were sent; those of several headers with commas between them.
    #[must_use]
    pub fn content_type(&self) -> Option<String> {
        content_type(&self.headers)
    }
}

/// Takes the HTTP response in `block` apart. A body that has no coding is borrowed from `block`, any other
/// from `scratch`. Informational responses (1xx) before the final one are skipped.
///
/// # Errors
/// The block is no HTTP response or its header is too long.
pub fn parse<'a>(block: &'a [u8], scratch: &'a mut Scratch, limits: &Limits) -> Result<Http<'a>, Error> {
    scratch.give_back();
    let Scratch {
        lines,
        body: decoded,
        spare,
    } = scratch;
    let Head { status, start, end } = read_head(block, lines, limits)?;
    let headers = Headers::new(&block[start..end], lines);
    let stored = &block[end..];
    let mut flags = Flags {
        short: is_short(&headers, stored),
        ..Flags::default()
    };
    let mut codings = Codings {
        decoded,
        spare,
        in_scratch: false,
        left: limits.codings,
        limit: limits.body_bytes,
    };
    codings.undo_named(&headers, stored, &mut flags);
    if DeclaredType::from_media_type(&media_type(&content_type(&headers).unwrap_or_default())).may_be_text() {
        codings.undo_unnamed(stored, &mut flags);
    }
    Ok(Http {
        status: status.unwrap_or_default(),
        has_status_line: status.is_some(),
        headers,
        body: codings.body(stored, &mut flags),
        flags,
    })
}

/// Undoes the codings of a body that has no headers, if it may be a text.
pub(crate) fn undo_unnamed<'a>(
    stored: &'a [u8],
    may_be_text: bool,
    scratch: &'a mut Scratch,
    limits: &Limits,
) -> (&'a [u8], Flags) {
    let (_, body, flags) = undo_beside_fields((&[], ""), stored, may_be_text, scratch, limits);
    (body, flags)
}

/// The same of a body whose headers, or some of them, stand in fields of this name beside it, one in each.
pub(crate) fn undo_beside_fields<'a>(
    (fields, name): (&'a [u8], &str),
    stored: &'a [u8],
    may_be_text: bool,
    scratch: &'a mut Scratch,
    limits: &Limits,
) -> (Headers<'a>, &'a [u8], Flags) {
    scratch.give_back();
    headers::read_fields(fields, name.as_bytes(), &mut scratch.lines);
    let mut flags = Flags::default();
    let mut codings = Codings {
        decoded: &mut scratch.body,
        spare: &mut scratch.spare,
        in_scratch: false,
        left: limits.codings,
        limit: limits.body_bytes,
    };
    if may_be_text {
        codings.undo_unnamed(stored, &mut flags);
    }
    let body = codings.body(stored, &mut flags);
    (Headers::new(fields, &scratch.lines), body, flags)
}

fn content_type(headers: &Headers<'_>) -> Option<String> {
    let mut values = headers.all("content-type").map(String::from_utf8_lossy);
    let mut joined = values.next()?.into_owned();
    for value in values {
        joined.push_str(", ");
        joined.push_str(&value);
    }
    Some(joined)
}

/// Status, and where the header begins and ends.
struct Head {
    status: Option<u16>,
    start: usize,
    end: usize,
}

fn read_head(block: &[u8], lines: &mut Vec<headers::Line>, limits: &Limits) -> Result<Head, Error> {
    let mut start = 0;
    loop {
        let begin = Start::from_block(&block[start..]).ok_or(Error::NoStatusLine)?;
        if begin.length > limits.header_bytes {
            return Err(Error::HeaderTooLong(limits.header_bytes));
        }
        let from = start + begin.length;
        let end = from + headers::read(&block[from..], lines, limits.header_bytes)?;
        let status = begin.status(&Headers::new(&block[from..end], lines));
        let is_interim = status.is_some_and(|status| (100..200).contains(&status) && status != 101);
        if !is_interim || Start::from_block(&block[end..]).is_none() {
            return Ok(Head {
                status,
                start: from,
                end,
            });
        }
        start = end;
    }
}

fn is_short(headers: &Headers<'_>, stored: &[u8]) -> bool {
    let promised = headers
        .get("content-length")
        .and_then(crate::header::parse_length);
    promised.is_some_and(|promised| promised > stored.len() as u64)
}

/// A body whose codings are undone one after the other.
struct Codings<'b> {
    /// What the last one gave, if one was undone.
    decoded: &'b mut Vec<u8>,
    spare: &'b mut Vec<u8>,
    in_scratch: bool,
    /// How many more are undone.
    left: usize,
    limit: usize,
}

impl<'b> Codings<'b> {
    /// Undoes the transfer codings, then the content codings, last first.
    fn undo_named(&mut self, headers: &Headers<'_>, stored: &[u8], flags: &mut Flags) {
        for name in ["transfer-encoding", "content-encoding"] {
            for coding in Coding::list(headers, name).rev() {
                let Some(coding) = coding.filter(|_| self.left > 0) else {
                    flags.unknown_coding = true;
                    return;
                };
                self.undo(coding, stored, flags);
            }
        }
    }

    /// Undoes codings that the bytes themselves show.
    fn undo_unnamed(&mut self, stored: &[u8], flags: &mut Flags) {
        while self.left > 0 {
            let body = if self.in_scratch {
                &self.decoded[..]
            } else {
                stored
            };
            let Some(coding) = Coding::shown_by(body, self.spare, self.limit) else {
                return;
            };
            let mut own = Flags::default();
            if !self.undo(coding, stored, &mut own) {
                return;
            }
            flags.add(own);
        }
    }

    fn undo(&mut self, coding: Coding, stored: &[u8], flags: &mut Flags) -> bool {
        self.left -= 1;
        let input = if self.in_scratch {
            &self.decoded[..]
        } else {
            stored
        };
        self.spare.clear();
        let is_undone = coding.undo(input, self.spare, self.limit, flags);
        if is_undone {
            std::mem::swap(self.decoded, self.spare);
            self.in_scratch = true;
        }
        is_undone
    }

    /// The body, within the limit.
    fn body<'a>(self, stored: &'a [u8], flags: &mut Flags) -> &'a [u8]
    where
        'b: 'a,
    {
        let body = if self.in_scratch {
            &self.decoded[..]
        } else {
            stored
        };
        flags.too_long |= body.len() > self.limit;
        &body[..body.len().min(self.limit)]
    }
}
