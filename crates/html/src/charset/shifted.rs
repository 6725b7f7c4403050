//! Charsets of seven bits, which the Encoding Standard does not have, because browsers gave them up: HZ-GB-2312, ISO-2022-KR,
//! ISO-2022-CN and UTF-7. Old pages and mails are in them. Their bytes are turned into those of a charset that it has.

use encoding_rs::{EUC_KR, Encoding, GBK, UTF_8};
use memchr::{memchr, memmem};

/// Bytes searched for a declaration of UTF-7.
const HEAD: usize = 1024;

/// The body in another charset, if it is in one of these. UTF-7 has to be declared; the others are known by their escapes.
pub(super) fn unshifted(body: &[u8], content_type: Option<&str>) -> Option<(Vec<u8>, &'static Encoding)> {
    if declares_utf_7(body, content_type) {
        return Some((from_utf_7(body), UTF_8));
    }
    by_shifts(body).or_else(|| from_hz(body).map(|bytes| (bytes, GBK)))
}

/// ISO-2022-KR (RFC 1557) and ISO-2022-CN (RFC 1922) have an escape that names the set of letters, SO before letters of
/// it, and SI behind them.
fn by_shifts(body: &[u8]) -> Option<(Vec<u8>, &'static Encoding)> {
    const SO: u8 = 0x0e;
    const SI: u8 = 0x0f;
    let escape = memchr(0x1b, body)?;
    let charset = match body[escape..].get(..4)? {
        b"\x1b$)C" => EUC_KR,
        b"\x1b$)A" => GBK,
        _ => return None,
    };
    if !body.is_ascii() {
        return None;
    }
    let mut is_shifted = false;
    let mut bytes = Vec::with_capacity(body.len());
    for &byte in [&body[..escape], &body[escape + 4..]].concat().iter() {
        match byte {
            SO | SI => is_shifted = byte == SO,
            0x21..=0x7e if is_shifted => bytes.push(byte | 0x80),
            _ => bytes.push(byte),
        }
    }
    Some((bytes, charset))
}

/// HZ (RFC 1843) has `~{` before pairs of bytes that are letters of GB 2312, and `~}` behind them; `~~` is a tilde. A text
/// that only seems to have such pairs, as a program may, is not in HZ.
fn from_hz(body: &[u8]) -> Option<Vec<u8>> {
    memmem::find(body, b"~{")?;
    if !body.is_ascii() {
        return None;
    }
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    let (mut pairs, mut frequent) = (0, 0);
    while let Some(at) = memchr(b'~', rest) {
        bytes.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.first() {
            Some(b'{') => {
                let end = memmem::find(rest, b"~}")?;
                for pair in rest[1..end].chunks(2) {
                    let &[row @ 0x21..=0x77, cell @ 0x21..=0x7e] = pair else {
                        return None;
                    };
                    pairs += 1;
                    // The rows of signs and of the letters of daily use.
                    frequent += usize::from(matches!(row, 0x21..=0x23 | 0x30..=0x57));
                    bytes.extend([row | 0x80, cell | 0x80]);
                }
                rest = &rest[end + 2..];
            }
            Some(b'~') => {
                bytes.push(b'~');
                rest = &rest[1..];
            }
            Some(b'\n') => rest = &rest[1..],
            _ => bytes.push(b'~'),
        }
    }
    bytes.extend_from_slice(rest);
    (pairs >= 4 && frequent * 10 >= pairs * 9).then_some(bytes)
}

fn declares_utf_7(body: &[u8], content_type: Option<&str>) -> bool {
    let names = |text: &[u8]| {
        let is_name = |at: usize| {
            text[at..]
                .get(..5)
                .is_some_and(|name| name.eq_ignore_ascii_case(b"utf-7"))
        };
        memmem::find_iter(text, b"-7").any(|at| at >= 3 && is_name(at - 3))
    };
    let header = content_type
        .map(str::as_bytes)
        .filter(|header| memmem::find(header, b"charset").is_some());
    let head = &body[..body.len().min(HEAD)];
    let in_head =
        || memmem::find(head, b"charset=").is_some_and(|at| names(&head[at..head.len().min(at + 16)]));
    (header.is_some_and(names) || in_head()) && body.is_ascii()
}

/// UTF-7 (RFC 2152) has UTF-16 in Base64 from `+` to the first byte that is no digit of it, which is left out if it is
/// `-`; `+-` is a plus.
fn from_utf_7(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    let mut rest = body;
    while let Some(plus) = memchr(b'+', rest) {
        bytes.extend_from_slice(&rest[..plus]);
        rest = &rest[plus + 1..];
        let end = rest
            .iter()
            .position(|&byte| digit(byte).is_none())
            .unwrap_or(rest.len());
        let is_closed = rest.get(end) == Some(&b'-');
        match end {
            0 => bytes.push(b'+'),
            _ => bytes.extend_from_slice(from_base64(&rest[..end]).as_bytes()),
        }
        rest = &rest[end + usize::from(is_closed)..];
    }
    bytes.extend_from_slice(rest);
    bytes
}

/// The text of digits of Base64 that hold UTF-16.
fn from_base64(digits: &[u8]) -> String {
    let mut units = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for digit in digits.iter().filter_map(|&byte| digit(byte)) {
        bits = bits << 6 | digit;
        count += 6;
        if count >= 16 {
            count -= 16;
            units.push((bits >> count) as u16);
            bits &= (1 << count) - 1;
        }
    }
    String::from_utf16_lossy(&units)
}

/// The number of a digit of Base64.
fn digit(byte: u8) -> Option<u32> {
    let digit = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(digit.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &[u8], content_type: Option<&str>) -> Option<(String, &'static str)> {
        let (bytes, charset) = unshifted(body, content_type)?;
        Some((
            charset.decode_without_bom_handling(&bytes).0.into_owned(),
            charset.name(),
        ))
    }

    /// A text in which some letters are shifted: bytes of a charset without their high bits.
    fn shifted(text: &str, charset: &'static Encoding, [before, behind]: [&str; 2]) -> Vec<u8> {
        let (bytes, ..) = charset.encode(text);
        let mut shifted = Vec::new();
        for run in bytes.chunk_by(|one, other| one.is_ascii() == other.is_ascii()) {
            match run[0].is_ascii() {
                true => shifted.extend_from_slice(run),
                false => {
                    shifted.extend_from_slice(before.as_bytes());
                    shifted.extend(run.iter().map(|byte| byte & 0x7f));
                    shifted.extend_from_slice(behind.as_bytes());
                }
            }
        }
        shifted
    }

    const CHINESE: &str = "<p>渔民们把船停在老码头边，(1994)整理渔网。</p>\n<p>然后一起喝茶</p>";
    const KOREAN: &str = "<p>매일 아침 어부들은 (1994) 그물을 고친다.</p>";

    #[test]
    fn shifted_letters_are_read() {
        let hz = shifted(CHINESE, GBK, ["~{", "~}"]);
        assert_eq!(text(&hz, None), Some((CHINESE.to_owned(), "GBK")));
        let tilde = [b"a~~b ~\n".as_slice(), &hz, b" ~x"].concat();
        assert_eq!(text(&tilde, None), Some((format!("a~b {CHINESE} ~x"), "GBK")));
        let korean = [b"\x1b$)C".as_slice(), &shifted(KOREAN, EUC_KR, ["\x0e", "\x0f"])].concat();
        assert_eq!(text(&korean, None), Some((KOREAN.to_owned(), "EUC-KR")));
        let chinese = [
            b"<!-- -->\x1b$)A".as_slice(),
            &shifted(CHINESE, GBK, ["\x0e", "\x0f"]),
        ]
        .concat();
        assert_eq!(text(&chinese, None), Some((format!("<!-- -->{CHINESE}"), "GBK")));
    }

    #[test]
    fn utf_7_is_read_where_it_is_declared() {
        let body = b"<meta charset=UTF-7><p>1 +- 1, +AOQA9gD8-nd +2D3eAA- and +IKw";
        let found = text(body, None).unwrap().0;
        assert_eq!(found, "<meta charset=UTF-7><p>1 + 1, äöünd 😀 and €");
        let undeclared = b"<p>1 +- 1, +AOQA9gD8-nd";
        assert_eq!(text(undeclared, None), None);
        assert!(text(undeclared, Some("text/html; charset=utf-7")).is_some());
        assert_eq!(text(b"<meta charset=utf-8><p>of utf-7", None), None);
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for body in [
            "let x = a ~{ b; c ~} d;",
            "~{abcdefghijklmnop~}",
            "~{ unclosed",
            "~{VPNDVPND~} ü",
            "\x1b[1mbold\x1b[0m",
            "\x1b$)C ü",
            "plain",
            "",
        ] {
            assert_eq!(text(body.as_bytes(), None), None, "{body}");
        }
    }
}
