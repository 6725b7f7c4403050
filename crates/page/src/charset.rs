//! The charset of a page, found as browsers find it, and its decoding.
//!
//! In the order of the HTML standard ("determining the character encoding"): byte order mark, HTTP
//! header, `<meta>` or XML declaration in the first 1024 bytes, then a guess from the bytes.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

use crate::Tag;
use crate::arena::Arena;
use crate::tree::Attr;

/// Where declarations are looked for.
const PRESCAN: usize = 1024;

/// How much is shown to the detector.
const GUESS: usize = 16 << 10;

/// How much ASCII on both sides of other bytes is shown to it.
const NEAR: usize = 16;

/// A decoded body: borrowed where its bytes are UTF-8 (or ASCII) already.
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) charset: &'static Encoding,
    /// Whether nothing was declared where it is looked for first.
    pub(crate) tentative: bool,
}

/// Finds the charset of a body and decodes it. Malformed sequences become U+FFFD.
pub(crate) fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    match declared(body, content_type) {
        Some((charset, mark)) => decoded(charset, &body[mark..]),
        None => Decoded {
            tentative: true,
            ..guessed(body)
        },
    }
}

/// Decodes a plain text, in which nothing declares a charset but the HTTP header and a byte order mark. What is UTF-8
/// for the most part is UTF-8: one broken character in a long text makes no other of it.
pub(crate) fn decode_text<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let header = || content_type.and_then(|value| from_content(value.as_bytes()));
    let known = Encoding::for_bom(body).or_else(|| header().map(|charset| (charset, 0)));
    match known {
        Some((charset, mark)) => decoded(charset, &body[mark..]),
        None if is_mostly_utf8(body) => decoded(UTF_8, body),
        None => guessed(body),
    }
}

/// Whether there are characters of several bytes, and ten times as many as places where UTF-8 is broken.
fn is_mostly_utf8(body: &[u8]) -> bool {
    let (mut sound, mut broken) = (0, 0);
    for chunk in body.utf8_chunks() {
        sound += chunk.valid().chars().filter(|letter| !letter.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    sound > 0 && sound >= 10 * broken
}

/// The text of a body, in the charset that its bytes and the HTTP header say it is in. Borrowed where
/// it is UTF-8; malformed sequences become U+FFFD.
pub fn decode_body<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    decode(body, content_type).text
}

/// Decodes a body once more if its tree has a `<meta>` that declares another charset than the one
/// guessed ("changing the encoding while parsing").
pub(crate) fn decode_again<'a>(body: &'a [u8], guess: &Decoded<'_>, arena: &Arena) -> Option<Decoded<'a>> {
    let charset = if guess.tentative {
        declared_in_tree(arena, &guess.text)
    } else {
        None
    }?;
    (charset != guess.charset).then(|| decoded(charset, body))
}

fn declared_in_tree(arena: &Arena, text: &str) -> Option<&'static Encoding> {
    let metas = (0..arena.nodes.len() as u32).filter(|&id| arena.node(id).tag == Tag::Meta);
    let value = |id, name| arena.attribute(text, id, name);
    let found = metas.filter_map(|id| match value(id, Attr::Charset) {
        Some(label) => Encoding::for_label(label.as_bytes()),
        None => {
            let pragma = value(id, Attr::HttpEquiv)?.eq_ignore_ascii_case("content-type");
            from_content(value(id, Attr::Content).filter(|_| pragma)?.as_bytes())
        }
    });
    found.map(as_declared).next()
}

/// The charset that is declared, and the length of the byte order mark.
fn declared(body: &[u8], content_type: Option<&str>) -> Option<(&'static Encoding, usize)> {
    if let Some(marked) = Encoding::for_bom(body) {
        return Some(marked);
    }
    let header = content_type.and_then(|value| from_content(value.as_bytes()));
    let charset = header.or_else(|| prescan(&body[..body.len().min(PRESCAN)]))?;
    Some((charset, 0))
}

fn decoded<'a>(charset: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, _) = charset.decode_without_bom_handling(bytes);
    Decoded {
        text,
        charset,
        tentative: false,
    }
}

/// Decodes a body that declares nothing.
fn guessed(body: &[u8]) -> Decoded<'_> {
    let Some(first) = next_telling(body) else {
        return decoded(WINDOWS_1252, body);
    };
    if body[first] != 0x1b
        && let Ok(text) = std::str::from_utf8(body)
    {
        return Decoded {
            text: Cow::Borrowed(text),
            charset: UTF_8,
            tentative: true,
        };
    }
    decoded(detect(body), body)
}

/// Guesses from the bytes that are not ASCII and what is near them: long stretches of ASCII say
/// nothing and cost as much.
fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let (mut at, mut left) = (0, GUESS);
    while let Some(found) = next_telling(&bytes[at..]) {
        let start = (at + found).saturating_sub(NEAR).max(at);
        let end = end_of_telling(bytes, at + found).min(start + left);
        detector.feed(&bytes[start..end], end == bytes.len());
        left -= end - start;
        at = end;
        if left == 0 {
            break;
        }
    }
    detector.guess(None, Utf8Detection::Allow)
}

/// Not ASCII, or the escape that begins ISO-2022-JP.
fn is_telling(byte: u8) -> bool {
    !byte.is_ascii() || byte == 0x1b
}

fn next_telling(bytes: &[u8]) -> Option<usize> {
    let ascii = Encoding::ascii_valid_up_to(bytes);
    let escape = memchr::memchr(0x1b, &bytes[..ascii]);
    escape.or_else(|| Some(ascii).filter(|&at| at < bytes.len()))
}

/// The end of a stretch in which telling bytes are near each other.
fn end_of_telling(bytes: &[u8], mut at: usize) -> usize {
    while let Some(next) = bytes[at + 1..]
        .iter()
        .take(2 * NEAR)
        .position(|&byte| is_telling(byte))
    {
        at += 1 + next;
    }
    bytes.len().min(at + 1 + NEAR)
}

/// "Prescan a byte stream to determine its encoding", HTML standard 13.2.3.2.
fn prescan(bytes: &[u8]) -> Option<&'static Encoding> {
    if bytes.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if bytes.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    declared_by_meta(bytes)
        .or_else(|| declared_by_xml(bytes))
        .map(as_declared)
}

/// A declaration that can be read as bytes cannot be of UTF-16.
fn as_declared(charset: &'static Encoding) -> &'static Encoding {
    if charset == UTF_16BE || charset == UTF_16LE {
        UTF_8
    } else if charset == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        charset
    }
}

fn declared_by_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while at < bytes.len() {
        at += memchr::memchr(b'<', &bytes[at..])?;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            // The dashes that open a comment may be those that close it.
            at += 2 + memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            let mut scan = Scan { bytes, at: at + 5 };
            let found = scan.meta()?;
            if found.is_some() {
                return found;
            }
            at = scan.at;
        } else if is_tag(rest) {
            let mut scan = Scan { bytes, at };
            scan.skip_until(|byte| is_space(byte) || byte == b'>');
            while scan.attribute()?.is_some() {}
            at = scan.at;
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            at += memchr::memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.len() > 5 && rest[1..5].eq_ignore_ascii_case(b"meta") && (is_space(rest[5]) || rest[5] == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'/') => rest.get(2).is_some_and(u8::is_ascii_alphabetic),
        Some(byte) => byte.is_ascii_alphabetic(),
        None => false,
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

/// A place in the bytes. `None` from its functions means that the bytes are at an end.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    /// The attributes of a `<meta>`: the charset that it declares, if it does.
    fn meta(&mut self) -> Option<Option<&'static Encoding>> {
        let mut seen: Vec<Vec<u8>> = Vec::new();
        let (mut pragma, mut need_pragma, mut charset) = (false, None, None);
        while let Some((name, value)) = self.attribute()? {
            if seen.contains(&name) {
                continue;
            }
            match &name[..] {
                b"http-equiv" => pragma |= value == b"content-type",
                b"content" if charset.is_none() => {
                    if let Some(found) = from_content(&value) {
                        (charset, need_pragma) = (Some(found), Some(true));
                    }
                }
                b"charset" => (charset, need_pragma) = (Encoding::for_label(&value), Some(false)),
                _ => {}
            }
            seen.push(name);
        }
        match need_pragma {
            None => Some(None),
            Some(true) if !pragma => Some(None),
            Some(_) => Some(charset),
        }
    }

    /// "Get an attribute": name and value, in lower case; `Some(None)` at the end of a tag.
    fn attribute(&mut self) -> Option<Option<(Vec<u8>, Vec<u8>)>> {
        self.skip_until(|byte| !is_space(byte) && byte != b'/');
        if self.peek()? == b'>' {
            return Some(None);
        }
        let mut name = Vec::new();
        loop {
            match self.peek()? {
                b'=' if !name.is_empty() => break,
                byte if is_space(byte) => {
                    self.skip_until(|byte| !is_space(byte));
                    break;
                }
                b'/' | b'>' => break,
                byte => name.push(byte.to_ascii_lowercase()),
            }
            self.at += 1;
        }
        if self.peek()? != b'=' {
            return Some(Some((name, Vec::new())));
        }
        self.at += 1;
        self.skip_until(|byte| !is_space(byte));
        let value = self.value()?;
        Some(Some((name, value)))
    }

    fn value(&mut self) -> Option<Vec<u8>> {
        let start = self.at;
        match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let length = memchr::memchr(quote, &self.bytes[start + 1..])?;
                self.at = start + length + 2;
                Some(self.bytes[start + 1..start + 1 + length].to_ascii_lowercase())
            }
            _ => {
                self.skip_until(|byte| is_space(byte) || byte == b'>');
                self.peek()?;
                Some(self.bytes[start..self.at].to_ascii_lowercase())
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_until(&mut self, found: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        self.at += rest.iter().position(|&byte| found(byte)).unwrap_or(rest.len());
    }
}

/// "Extracting a character encoding from a meta element", which is what a `Content-Type` header
/// is read with, too.
fn from_content(value: &[u8]) -> Option<&'static Encoding> {
    let mut rest = value;
    loop {
        let at = rest
            .windows(7)
            .position(|word| word.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"=") {
            rest = after.trim_ascii_start();
            break;
        }
    }
    let label = match rest.first()? {
        quote @ (b'"' | b'\'') => &rest[1..1 + memchr::memchr(*quote, &rest[1..])?],
        _ => rest.split(|&byte| is_space(byte) || byte == b';').next()?,
    };
    Encoding::for_label(label)
}

/// "Getting an XML encoding", HTML standard 13.2.3.2.
fn declared_by_xml(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = bytes.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let rest = &declaration[memmem::find(declaration, b"encoding")? + 8..];
    let rest = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *rest.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let label = &rest[1..1 + memchr::memchr(quote, &rest[1..])?];
    if label.iter().any(|&byte| byte <= b' ') {
        return None;
    }
    Encoding::for_label(label)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::data;
    use crate::{PageConfig, Parser};

    fn charset(body: &[u8], content_type: Option<&str>) -> &'static str {
        decode(body, content_type).charset.name()
    }

    #[test]
    fn a_mark_goes_before_the_header_and_the_header_before_meta() {
        let meta = b"<meta charset=euc-jp>";
        assert_eq!(charset(meta, None), "EUC-JP");
        assert_eq!(charset(meta, Some("text/html; charset=\"koi8-r\"")), "KOI8-R");
        assert_eq!(charset(meta, Some("text/html; charset=nonsense")), "EUC-JP");
        assert_eq!(
            charset(b"\xef\xbb\xbf<meta charset=euc-jp>", Some("a/b; charset=koi8-r")),
            "UTF-8"
        );
        assert_eq!(
            charset(b"\xff\xfe<\0p\0", Some("a/b; charset=koi8-r")),
            "UTF-16LE"
        );
    }

    #[test]
    fn a_meta_that_can_be_read_does_not_declare_utf16() {
        assert_eq!(charset(b"<meta charset=utf-16>", None), "UTF-8");
        assert_eq!(charset(b"<meta charset=x-user-defined>", None), "windows-1252");
        assert_eq!(charset(b"<\0?\0x\0m\0l\0", None), "UTF-16LE");
        assert_eq!(
            charset(b"<?xml version='1.0' encoding='Shift_JIS'?>", None),
            "Shift_JIS"
        );
    }

    #[test]
    fn what_is_not_declared_is_guessed() {
        assert_eq!(charset("naïve".as_bytes(), None), "UTF-8");
        assert_eq!(charset(b"plain", None), "windows-1252");
        let (russian, ..) = encoding_rs::WINDOWS_1251.encode("Все счастливые семьи похожи друг на друга");
        let page = [&[b' '; 5000][..], &russian, &[b' '; 5000]].concat();
        assert_eq!(charset(&page, None), "windows-1251");
        let (japanese, ..) = encoding_rs::ISO_2022_JP.encode("吾輩は猫である");
        assert_eq!(charset(&japanese, None), "ISO-2022-JP");
    }

    #[test]
    fn utf8_is_not_copied() {
        assert!(matches!(decode("ä".as_bytes(), None).text, Cow::Borrowed("ä")));
        assert!(matches!(
            decode(b"<meta charset=euc-jp>", None).text,
            Cow::Borrowed(_)
        ));
    }

    /// The cases of a file: the bytes of a page and the name of its charset.
    fn cases(file: &[u8]) -> Vec<(Vec<u8>, String)> {
        let parts = memmem::find_iter(file, b"#data\n").collect::<Vec<_>>();
        let ends = parts.iter().skip(1).copied().chain([file.len()]);
        let cases = parts.iter().zip(ends).filter_map(|(&start, end)| {
            let case = &file[start + 6..end];
            let at = memmem::find(case, b"\n#encoding\n")?;
            let name = String::from_utf8_lossy(&case[at + 11..]);
            Some((case[..at].to_vec(), name.lines().next()?.trim().to_owned()))
        });
        cases.collect()
    }

    #[test]
    fn charsets_of_html5libs_encoding_tests_are_found() {
        let Some(folder) = data("html5lib/encoding") else {
            return;
        };
        let mut parser = Parser::new(PageConfig::default());
        let mut count = 0;
        for name in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
            for (body, expected) in cases(&std::fs::read(folder.join(name)).unwrap()) {
                let expected = Encoding::for_label(expected.as_bytes()).expect("a known charset");
                if expected == WINDOWS_1252 {
                    let found = declared(&body, None).map_or(WINDOWS_1252, |(charset, _)| charset);
                    assert_eq!(found, expected, "{name}: {:?}", String::from_utf8_lossy(&body));
                    continue;
                }
                let found = parser.parse(&body, None).unwrap().charset;
                assert_eq!(
                    found,
                    expected.name(),
                    "{name}: {:?}",
                    String::from_utf8_lossy(&body)
                );
                count += 1;
            }
        }
        assert!(count > 40, "{count} cases");
        let big5 = std::fs::read(folder.join("chardet/test_big5.txt")).unwrap();
        assert_eq!(charset(&big5, None), "Big5");
    }
}
