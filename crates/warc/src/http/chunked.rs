//! The chunked transfer coding.

use super::Flags;

/// Undoes chunks: `input` to `output`, at most `limit` bytes. Returns whether the input is chunked at all. Chunk
/// extensions and trailers are dropped; a last chunk that is missing or cut sets a flag.
pub(super) fn undo(input: &[u8], output: &mut Vec<u8>, limit: usize, flags: &mut Flags) -> bool {
    let mut rest = input;
    let mut any = false;
    loop {
        let Some((size, data)) = chunk_size(rest) else {
            if any {
                flags.cut = true;
            } else {
                flags.lying |= !input.is_empty();
            }
            return any;
        };
        if size == 0 {
            return true;
        }
        if !any && !plausible_start(size, data) {
            flags.lying = true;
            return false;
        }
        any = true;
        let here = usize::try_from(size).unwrap_or(usize::MAX).min(data.len());
        let room = limit - output.len();
        output.extend_from_slice(&data[..here.min(room)]);
        if here > room {
            flags.too_long = true;
            return true;
        }
        if (here as u64) < size {
            flags.cut = true;
            return true;
        }
        rest = strip_line_end(&data[here..]);
    }
}

/// A page that begins with hexadecimal digits on a line of their own is not taken for chunks: the first
/// chunk must end with a line end, or not at all (a capture that was cut).
fn plausible_start(size: u64, data: &[u8]) -> bool {
    match usize::try_from(size).ok().and_then(|size| data.get(size..)) {
        Some([] | [b'\r', ..] | [b'\n', ..]) => true,
        Some(_) => false,
        None => size <= data.len() as u64 * 64 + (16 << 20),
    }
}

/// A chunk's size and what follows its line.
fn chunk_size(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = memchr::memchr(b'\n', &bytes[..bytes.len().min(4096)])?;
    let line = bytes[..end].trim_ascii();
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = line[digits..].trim_ascii_start();
    if digits == 0 || digits > 16 || !(rest.is_empty() || rest[0] == b';') {
        return None;
    }
    let size = u64::from_str_radix(std::str::from_utf8(&line[..digits]).ok()?, 16).ok()?;
    Some((size, &bytes[end + 1..]))
}

fn strip_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(b"\r").unwrap_or(bytes);
    bytes.strip_prefix(b"\n").unwrap_or(bytes)
}
