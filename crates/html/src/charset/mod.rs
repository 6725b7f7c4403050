//! The charset of a page, and its decoding.
//!
//! Charsets are found as browsers find them, in the order of the HTML standard ("determining the character
//! encoding"): byte order mark, HTTP header, `<meta>` or XML declaration in the first 1024 bytes, then a guess from the
//! bytes. Beyond the standard, a declaration does not count that the bytes contradict: UTF-8 is known by its sequences
//! and UTF-16 by its zeros, whatever is declared, charsets of seven bits by their escapes ([`shifted`]), and bytes that are errors in the declared charset are decoded as what
//! they look like ([`contradict`]).

mod contradict;
mod guess;
mod prescan;
mod shifted;
mod utf16;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use self::contradict::{charset_of, is_mostly_utf8};
use self::guess::{detect, next_significant};
pub(crate) use self::prescan::declares_charset;
use self::prescan::{as_declared, from_content, prescan};
pub(crate) use self::utf16::is_coherent;
use crate::Attr;
use crate::Tag;
use crate::arena::Arena;

/// A decoded body: borrowed where its bytes are UTF-8 (or ASCII) already.
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) charset: &'static Encoding,
    /// Whether nothing was declared where it is looked for first.
    pub(crate) tentative: bool,
}

/// Finds the charset of a body and decodes it. Malformed sequences become U+FFFD.
pub(crate) fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    decode_declared(body, content_type, prescan)
}

/// Decodes a plain text, in which nothing declares a charset but the HTTP header and a byte order mark.
pub(crate) fn decode_text<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    decode_declared(body, content_type, |_| None)
}

/// Decodes a body by its byte order mark, the HTTP header, or what `within` finds declared in it, in this order.
fn decode_declared<'a>(
    body: &'a [u8],
    content_type: Option<&str>,
    within: impl Fn(&[u8]) -> Option<&'static Encoding>,
) -> Decoded<'a> {
    let (marked, body) = mark(body);
    let header = || content_type.and_then(|value| from_content(value.as_bytes()));
    let certain = contradict::shown_by(body).filter(|_| marked.is_none());
    if let Some(charset) = certain {
        return decoded(charset, body);
    }
    let outside = marked.or_else(header);
    let declared = outside.or_else(|| within(body));
    if declared != Some(UTF_8)
        && let Some((bytes, charset)) = shifted::unshifted(body, content_type)
    {
        return Decoded {
            text: Cow::Owned(charset.decode_without_bom_handling(&bytes).0.into_owned()),
            charset,
            tentative: false,
        };
    }
    match declared {
        Some(charset) if outside.is_some() => settled(charset, || within(body), body),
        Some(charset) => settled(charset, || None, body),
        None => guessed(body),
    }
}

/// The charset of a byte order mark, and the bytes after it.
fn mark(body: &[u8]) -> (Option<&'static Encoding>, &[u8]) {
    match Encoding::for_bom(body) {
        Some((charset, length)) => (Some(charset), &body[length..]),
        None => (None, body),
    }
}

/// The text of a body, in the charset that its bytes and the HTTP header say it is in. Borrowed where
/// it is UTF-8; malformed sequences become U+FFFD.
pub fn decode_body<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    decode(body, content_type).text
}

/// Decodes a body once more if its tree has a `<meta>` that declares another charset than the one
/// guessed ("changing the encoding while parsing").
pub(crate) fn decode_again<'a>(body: &'a [u8], guess: &Decoded<'_>, arena: &Arena) -> Option<Decoded<'a>> {
    let declared = if guess.tentative {
        declared_in_tree(arena, &guess.text)
    } else {
        None
    }?;
    if declared == guess.charset {
        return None;
    }
    let (_, body) = mark(body);
    Some(settled(declared, || None, body)).filter(|again| again.charset != guess.charset)
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

/// Decodes a body of which a charset is declared, and perhaps another where it is looked for later.
fn settled<'a>(
    declared: &'static Encoding,
    later: impl FnOnce() -> Option<&'static Encoding>,
    body: &'a [u8],
) -> Decoded<'a> {
    let (text, has_errors) = declared.decode_without_bom_handling(body);
    if declared == UTF_8 && !has_errors {
        return Decoded {
            text,
            charset: declared,
            tentative: false,
        };
    }
    match charset_of(body, declared, &text, has_errors, later) {
        charset if charset == declared => Decoded {
            text,
            charset,
            tentative: false,
        },
        charset => decoded(charset, body),
    }
}

fn decoded<'a>(charset: &'static Encoding, bytes: &'a [u8]) -> Decoded<'a> {
    let (text, _) = charset.decode_without_bom_handling(bytes);
    Decoded {
        text,
        charset,
        tentative: false,
    }
}

/// Decodes a body that declares nothing. What is UTF-8 for the most part is UTF-8: one broken character in a long text
/// makes no other of it.
fn guessed(body: &[u8]) -> Decoded<'_> {
    let charset = match next_significant(body) {
        None => WINDOWS_1252,
        Some(_) if is_mostly_utf8(body) => UTF_8,
        Some(_) => detect(body),
    };
    Decoded {
        tentative: true,
        ..decoded(charset, body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{BIG5, EUC_KR, GBK, ISO_8859_2, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1251};

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

    const CHINESE: &str = "每天早上，渔民们把船停在老码头边，整理渔网，然后一起喝茶。";
    const RUSSIAN: &str = "Каждое утро рыбаки возвращаются к старому причалу и чинят сети.";
    const JAPANESE: &str = "毎朝、漁師たちは古い桟橋に戻り、網を直してからお茶を飲みます。";
    const KOREAN: &str = "매일 아침 어부들은 낡은 부두로 돌아와 그물을 고치고 차를 마신다.";
    const GERMAN: &str = "Jeden Morgen flicken die Fischer am alten Pier ihre Netze – für später.";

    fn page(text: &str, charset: &'static Encoding, label: &str) -> Vec<u8> {
        let html = format!("<html><meta charset={label}><title>{text}</title><p>{text}");
        charset.encode(&html).0.into_owned()
    }

    /// The charset of a body, and whether it gives the text.
    fn gives(body: &[u8], content_type: Option<&str>, text: &str) -> (&'static str, bool) {
        let decoded = decode(body, content_type);
        (decoded.charset.name(), decoded.text.contains(text))
    }

    #[test]
    fn utf_8_is_utf_8_whatever_is_declared() {
        for label in [
            "gb2312",
            "iso-8859-1",
            "windows-1251",
            "shift_jis",
            "euc-kr",
            "big5",
            "iso-2022-kr",
        ] {
            for text in [CHINESE, RUSSIAN, JAPANESE, KOREAN, GERMAN, "© 2020", "naïve"] {
                let body = page(text, UTF_8, label);
                assert_eq!(gives(&body, None, text), ("UTF-8", true), "{label} {text}");
                let header = format!("text/html; charset={label}");
                assert_eq!(
                    gives(text.as_bytes(), Some(&header), text),
                    ("UTF-8", true),
                    "{label} {text}"
                );
            }
        }
        let mut broken = page(&RUSSIAN.repeat(3), UTF_8, "windows-1251");
        broken.push(0xd0);
        assert_eq!(gives(&broken, None, RUSSIAN), ("UTF-8", true));
    }

    #[test]
    fn a_charset_without_errors_stays() {
        for (text, encoding, label) in [
            (CHINESE, GBK, "gb2312"),
            (CHINESE, UTF_8, "utf-8"),
            (RUSSIAN, WINDOWS_1251, "windows-1251"),
            (JAPANESE, SHIFT_JIS, "shift_jis"),
            (KOREAN, EUC_KR, "euc-kr"),
            (GERMAN, WINDOWS_1252, "iso-8859-1"),
            ("Žluťoučký kůň", ISO_8859_2, "iso-8859-2"),
            ("only ASCII", WINDOWS_1251, "windows-1251"),
            ("── ÄÖÜ ──────────", UTF_8, "utf-8"),
        ] {
            let body = page(text, encoding, label);
            let expected = Encoding::for_label(label.as_bytes()).map(Encoding::name);
            let found = gives(&body, None, text);
            assert_eq!((Some(found.0), found.1), (expected, true), "{label}");
        }
        // A line of a text in DOS letters, and one broken character.
        let line = [b"<p>".as_slice(), &[0xc4; 70], b"</p> caf\xe9"].concat();
        assert_eq!(charset(&line, Some("text/html; charset=latin1")), "windows-1252");
        let cut = [CHINESE.repeat(3).as_bytes(), b"\xe6"].concat();
        assert_eq!(charset(&cut, Some("text/html; charset=utf-8")), "UTF-8");
    }

    #[test]
    fn what_the_declared_charset_does_not_have_is_decoded_as_what_it_is() {
        for (text, encoding) in [
            (CHINESE, GBK),
            (RUSSIAN, WINDOWS_1251),
            (JAPANESE, SHIFT_JIS),
            (JAPANESE, encoding_rs::EUC_JP),
            (JAPANESE, encoding_rs::ISO_2022_JP),
            (KOREAN, EUC_KR),
            (GERMAN, WINDOWS_1252),
            (
                "每天早上漁民們把船停在老碼頭邊，整理漁網，然後一起喝茶聊天。",
                BIG5,
            ),
        ] {
            for label in ["utf-8", "iso-8859-1"] {
                let body = page(text, encoding, label);
                assert_eq!(gives(&body, None, text), (encoding.name(), true), "{label}");
            }
        }
        let signs = [
            b"<p>\x97 no other access, \xa7\xa71280".as_slice(),
            b" and so on".repeat(40).as_slice(),
        ]
        .concat();
        assert_eq!(charset(&signs, Some("text/html; charset=utf-8")), "windows-1252");
        let french = page("Café crème", WINDOWS_1252, "utf-8");
        assert!(gives(&french, Some("text/html; charset=utf-8"), "Café crème").1);
        // Of two declarations the one that the bytes agree with.
        let czech = page("Loď připlula", ISO_8859_2, "iso-8859-2");
        assert_eq!(
            gives(&czech, Some("text/html; charset=utf-8"), "Loď připlula"),
            ("ISO-8859-2", true)
        );
    }

    #[test]
    fn damaged_letters_do_not_change_the_charset() {
        let header = Some("text/html; charset=utf-8");
        let text = "The boat left the harbour with nine people and a dog on board. ".repeat(4);
        for damage in [
            // An emoji in CESU-8, and two.
            &b"\xed\xa0\xbd\xed\xb8\x80"[..],
            b"\xed\xa0\xbd\xed\xb8\x80\xed\xa0\xbd\xed\xb8\x81",
            // Letters that were cut, and a zero of Java.
            b"\xe2\x80",
            b"\xf0\x9f\x98",
            b"\xc0\x80",
        ] {
            let body = [text.as_bytes(), damage, b" ", text.as_bytes()].concat();
            assert_eq!(charset(&body, header), "UTF-8", "{damage:x?}");
        }
        let undeclared = [text.as_bytes(), b"\xed\xa0\xbd\xed\xb8\x80 ", text.as_bytes()].concat();
        assert_eq!(charset(&undeclared, None), "UTF-8");
        // Of another charset are letters that stand alone.
        let western = [text.as_bytes(), b"caf\xe9 \x93na\xefve\x94"].concat();
        assert_eq!(charset(&western, header), "windows-1252");
    }

    /// UTF-16, which the library does not write.
    fn wide(text: &str, charset: &'static Encoding) -> Vec<u8> {
        let bytes = |unit: u16| match charset == UTF_16LE {
            true => unit.to_le_bytes(),
            false => unit.to_be_bytes(),
        };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf_16_is_found_by_its_zeros() {
        for text in [CHINESE, RUSSIAN, JAPANESE, KOREAN, GERMAN] {
            for encoding in [UTF_16LE, UTF_16BE] {
                let html = format!("<html><meta charset=utf-16><p>{text}</p><p>{text}");
                let body = wide(&html, encoding);
                for content_type in [
                    None,
                    Some("text/html; charset=utf-16"),
                    Some("text/html; charset=utf-8"),
                ] {
                    assert_eq!(
                        gives(&body, content_type, text),
                        (encoding.name(), true),
                        "{text}"
                    );
                }
                let lines = wide(&format!("{text}\n").repeat(8), encoding);
                let found = decode_text(&lines, None);
                assert_eq!(
                    (found.charset, found.text.contains(text)),
                    (encoding, true),
                    "{text}"
                );
            }
        }
        let declared = Some("text/html; charset=utf-16le");
        assert_eq!(gives(GERMAN.as_bytes(), declared, GERMAN), ("UTF-8", true));
        assert_eq!(
            gives(&wide(CHINESE, UTF_16LE), declared, CHINESE),
            ("UTF-16LE", true)
        );
    }

    #[test]
    fn stray_zeros_are_no_utf_16() {
        let text = "one\0 two\0\0 three\0 and so on ".repeat(20);
        assert_eq!(charset(text.as_bytes(), None), "windows-1252");
        let german = WINDOWS_1252
            .encode(&GERMAN.replace(' ', " \0 ").repeat(9))
            .0
            .into_owned();
        assert_eq!(charset(&german, None), "windows-1252");
    }
}
