//! The codings of bodies: chunked, gzip, deflate, Brotli, Zstandard.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};

use super::{Flags, Headers, chunked};
use crate::{
    Container,
    codec::{self, Codec},
    sniff::has_binary_bytes,
};

/// A coding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coding {
    Chunked,
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// How undoing a coding ended.
enum Ended {
    /// The coded data should begin here; this many bytes follow.
    Whole(usize),
    /// Too early, or damaged.
    Cut,
    /// At the limit.
    Full,
}

/// A text of this many bytes is not decoded from a damaged or cut body by chance.
const TEXT_BYTES: usize = 64;

/// Output is made room for in steps of at least this many bytes.
const STEP_BYTES: usize = 64 << 10;

impl Coding {
    /// The codings that headers called `name` list, in the order they were applied; `None` for one that is
    /// not known. `identity` is left out.
    pub(super) fn list<'a>(
        headers: &Headers<'a>,
        name: &'static str,
    ) -> impl DoubleEndedIterator<Item = Option<Self>> + use<'a> {
        headers
            .all(name)
            .flat_map(|value| value.split(|&byte| byte == b','))
            .map(|coding| {
                coding
                    .split(|&byte| byte == b';')
                    .next()
                    .unwrap_or_default()
                    .trim_ascii()
            })
            .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"))
            .map(Self::parse)
    }

    fn parse(name: &[u8]) -> Option<Self> {
        let is = |names: &[&str]| {
            names
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        };
        match () {
            () if is(&["gzip", "x-gzip"]) => Some(Self::Gzip),
            () if is(&["chunked"]) => Some(Self::Chunked),
            () if is(&["deflate", "x-deflate"]) => Some(Self::Deflate),
            () if is(&["br", "x-br"]) => Some(Self::Brotli),
            () if is(&["zstd"]) => Some(Self::Zstd),
            () => None,
        }
    }

    /// The coding that a body has though no header names it. Gzip and Zstandard have magic numbers; Deflate and Brotli
    /// are tried on what is no text, and are it if they end where the body does and give a text of at most `limit`
    /// bytes. `output` is for that.
    pub(super) fn shown_by(body: &[u8], output: &mut Vec<u8>, limit: usize) -> Option<Self> {
        match codec::container_of(body) {
            Some(Container::Gzip) => Some(Self::Gzip),
            Some(Container::Zstd) => Some(Self::Zstd),
            _ if !has_binary_bytes(body) => None,
            _ => [Self::Deflate, Self::Brotli]
                .into_iter()
                .find(|coding| coding.gives_text(body, output, limit)),
        }
    }

    fn gives_text(self, body: &[u8], output: &mut Vec<u8>, limit: usize) -> bool {
        output.clear();
        let ended = match self {
            Self::Deflate => deflate(body, output, limit),
            _ => brotli(body, output, limit),
        };
        let is_sure = match ended {
            Ended::Whole(0) | Ended::Full => !output.is_empty(),
            // That it is cut or damaged needs more evidence.
            Ended::Whole(_) | Ended::Cut => {
                self == Self::Deflate && is_zlib(body) && output.len() >= TEXT_BYTES
            }
        };
        is_sure && (!has_binary_bytes(output) || codec::container_of(output).is_some())
    }

    /// Undoes the coding: `input` to `output` (empty), at most `limit` bytes. Returns false, with the output
    /// in no particular state, if the input does not have the coding.
    pub(super) fn undo(self, input: &[u8], output: &mut Vec<u8>, limit: usize, flags: &mut Flags) -> bool {
        if self == Self::Chunked {
            return chunked::undo(input, output, limit, flags);
        }
        if input.is_empty() {
            return false;
        }
        let ended = match self {
            Self::Gzip => members(Container::Gzip, input, output, limit),
            Self::Zstd => members(Container::Zstd, input, output, limit),
            Self::Brotli => brotli(input, output, limit),
            Self::Deflate | Self::Chunked => deflate(input, output, limit),
        };
        match ended {
            Ended::Whole(after) => flags.trailing |= after > 0,
            Ended::Full => flags.too_long = true,
            Ended::Cut if output.is_empty() => {
                flags.lying = true;
                return false;
            }
            Ended::Cut => flags.cut = true,
        }
        true
    }
}

/// Calls `step` with output room until it reports how it ended; `step` returns bytes written.
fn pour(
    output: &mut Vec<u8>,
    limit: usize,
    mut step: impl FnMut(&mut [u8]) -> (usize, Option<Ended>),
) -> Ended {
    loop {
        let filled = output.len();
        if filled >= limit {
            return Ended::Full;
        }
        let room = (output.capacity() - filled).max(STEP_BYTES).min(limit - filled);
        output.resize(filled + room, 0);
        let (written, ended) = step(&mut output[filled..]);
        output.truncate(filled + written);
        if let Some(ended) = ended {
            return ended;
        }
    }
}

/// Gzip members or Zstandard frames, one or more.
fn members(container: Container, input: &[u8], output: &mut Vec<u8>, limit: usize) -> Ended {
    let mut rest = input;
    let mut first = true;
    while codec::container_of(rest) == Some(container) {
        let Ok(mut codec) = Codec::new(container, None) else {
            return Ended::Cut;
        };
        let ended = pour(output, limit, |room| match codec.decode(rest, room) {
            Ok(progress) => {
                rest = &rest[progress.read..];
                let stuck = progress.read + progress.written == 0;
                let ended = if progress.end {
                    Some(Ended::Whole(0))
                } else {
                    stuck.then_some(Ended::Cut)
                };
                (progress.written, ended)
            }
            Err(_) => (0, Some(Ended::Cut)),
        });
        if !matches!(ended, Ended::Whole(_)) {
            return ended;
        }
        first = false;
    }
    if first {
        Ended::Cut
    } else {
        Ended::Whole(rest.len())
    }
}

/// `deflate` means zlib, but many servers send the bare format.
fn deflate(input: &[u8], output: &mut Vec<u8>, limit: usize) -> Ended {
    if is_zlib(input) {
        let ended = inflate(input, output, limit, true);
        if !output.is_empty() {
            return ended;
        }
        output.clear();
    }
    inflate(input, output, limit, false)
}

/// Whether the bytes begin with a zlib header.
fn is_zlib(input: &[u8]) -> bool {
    matches!(*input, [method, check, ..]
        if method & 0x0f == 8 && (u16::from(method) << 8 | u16::from(check)) % 31 == 0)
}

fn inflate(input: &[u8], output: &mut Vec<u8>, limit: usize, zlib: bool) -> Ended {
    let mut inflate = Decompress::new(zlib);
    pour(output, limit, |room| {
        let (read, written) = (inflate.total_in(), inflate.total_out());
        let result = inflate.decompress(&input[read as usize..], room, FlushDecompress::None);
        let written = (inflate.total_out() - written) as usize;
        let ended = match result {
            Ok(Status::StreamEnd) => Some(Ended::Whole(input.len() - inflate.total_in() as usize)),
            Ok(_) => (written == 0 && inflate.total_in() == read).then_some(Ended::Cut),
            Err(_) => Some(Ended::Cut),
        };
        (written, ended)
    })
}

fn brotli(input: &[u8], output: &mut Vec<u8>, limit: usize) -> Ended {
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new(alloc(), alloc(), alloc());
    let mut available_in = input.len();
    let mut at = 0;
    let mut total = 0;
    pour(output, limit, |room| {
        let mut available_out = room.len();
        let mut written = 0;
        let result = BrotliDecompressStream(
            &mut available_in,
            &mut at,
            input,
            &mut available_out,
            &mut written,
            room,
            &mut total,
            &mut state,
        );
        let ended = match result {
            BrotliResult::ResultSuccess => Some(Ended::Whole(input.len() - at)),
            BrotliResult::NeedsMoreOutput => None,
            BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => Some(Ended::Cut),
        };
        (written, ended)
    })
}
