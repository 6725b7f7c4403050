//! The charset that bytes look like, where nothing is declared, or something else than they are.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_8859_2, ISO_8859_4, WINDOWS_1250, WINDOWS_1252, WINDOWS_1254, WINDOWS_1257, WINDOWS_1258,
};
use memchr::memmem;

/// Maximum bytes given to the detector.
const GUESS: usize = 16 << 10;

/// Bytes of ASCII on each side of other bytes that are given to it.
const NEAR: usize = 16;

/// Bytes searched for the language of a page.
const LANGUAGE: usize = 2048;

/// Languages that are written in more charsets than Western ones, and a country of each: the detector takes a hint by
/// top-level domains. A row each.
const COUNTRIES: &str = include_str!("countries.txt");

/// Guesses from the bytes that are not ASCII and what is near them: long stretches of ASCII say
/// nothing and cost as much.
pub(super) fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let (mut at, mut left) = (0, GUESS);
    while let Some(found) = next_significant(&bytes[at..]) {
        let start = (at + found).saturating_sub(NEAR).max(at);
        let end = end_of_significant(bytes, at + found).min(start + left);
        detector.feed(&bytes[start..end], end == bytes.len());
        left -= end - start;
        at = end;
        if left == 0 {
            break;
        }
    }
    let country = country(bytes);
    let guess = detector.guess(country, Utf8Detection::Deny);
    match country.is_none() && is_of_other_letters(guess) && !has_words(bytes) {
        true => WINDOWS_1252,
        false => guess,
    }
}

/// Whether a charset has a letter a byte, and those that are not ASCII are of another script than Latin.
fn is_of_other_letters(charset: &'static Encoding) -> bool {
    let latin = [
        WINDOWS_1250,
        WINDOWS_1252,
        WINDOWS_1254,
        WINDOWS_1257,
        WINDOWS_1258,
        ISO_8859_2,
        ISO_8859_4,
    ];
    charset.is_single_byte() && !latin.contains(&charset)
}

/// Whether most bytes that are not ASCII stand in threes and more, as letters of words do. Signs and the letters of
/// Western words stand alone.
fn has_words(bytes: &[u8]) -> bool {
    let (mut all, mut in_words) = (0, 0);
    for run in bytes.split(u8::is_ascii) {
        all += run.len();
        in_words += if run.len() >= 3 { run.len() } else { 0 };
    }
    in_words * 2 > all
}

/// Not ASCII, or the escape that begins ISO-2022-JP.
fn is_significant(byte: u8) -> bool {
    !byte.is_ascii() || byte == 0x1b
}

pub(super) fn next_significant(bytes: &[u8]) -> Option<usize> {
    let ascii = Encoding::ascii_valid_up_to(bytes);
    let escape = memchr::memchr(0x1b, &bytes[..ascii]);
    escape.or_else(|| Some(ascii).filter(|&at| at < bytes.len()))
}

/// The end of a stretch in which significant bytes are near each other.
fn end_of_significant(bytes: &[u8], mut at: usize) -> usize {
    while let Some(next) = bytes[at + 1..]
        .iter()
        .take(2 * NEAR)
        .position(|&byte| is_significant(byte))
    {
        at += 1 + next;
    }
    bytes.len().min(at + 1 + NEAR)
}

/// A country where the language is spoken that a page declares.
fn country(body: &[u8]) -> Option<&'static [u8]> {
    let head = body[..body.len().min(LANGUAGE)].to_ascii_lowercase();
    let rest = &head[memmem::find(&head, b"<html")? + 5..];
    let tag = &rest[..memchr::memchr(b'>', rest)?];
    let value = tag[memmem::find(tag, b"lang=")? + 5..].trim_ascii_start();
    let value = value
        .strip_prefix(b"\"")
        .or_else(|| value.strip_prefix(b"'"))
        .unwrap_or(value);
    if value.starts_with(b"zh-tw") || value.starts_with(b"zh-hant") {
        return Some(b"tw");
    }
    let primary = value.split(|byte| !byte.is_ascii_alphabetic()).next()?;
    let mut rows = COUNTRIES.lines().filter_map(|row| row.split_once(' '));
    rows.find(|(language, _)| language.as_bytes() == primary)
        .map(|(_, country)| country.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_page_is_a_hint() {
        for (page, expected) in [
            (&b"<!doctype html><HTML dir=ltr LANG=ru><p>"[..], Some(&b"ru"[..])),
            (b"<html xml:lang='bg-BG'>", Some(b"bg")),
            (b"<html lang=\"zh-Hant\">", Some(b"tw")),
            (b"<html lang=uk>", Some(b"ua")),
            (b"<html lang=en>", None),
            (b"<html><body lang=ru>", None),
            (b"<p>", None),
        ] {
            assert_eq!(country(page), expected, "{}", String::from_utf8_lossy(page));
        }
    }
}
