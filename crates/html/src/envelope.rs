//! The envelope that the CleanEval shared task puts around a page: `<text id="URL" title="..." encoding="...">` before it
//! and `</text>` behind it. The tag is read as the tags of HTML are. An XML declaration, comments, a document type and byte order
//! marks may stand before it.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memchr_iter};

use crate::attributes::{Attributes, is_space};
use crate::charset::{declared_by_xml, declares_charset};
use crate::references::decode_into;

/// A page that stands in a file, without the envelope that the file may put around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile<'a> {
    /// The address in the envelope, if there is one.
    pub url: Option<String>,
    /// The media type with the charset of the envelope, where the page itself declares none.
    pub content_type: Option<String>,
    /// The page.
    pub html: &'a [u8],
}

/// The page in the bytes of a file. A file without an envelope is the page as it is.
///
/// ```
/// let file = gleaner_html::page_file(b"<TEXT encoding=latin2 id='http://a.example/?b&amp;c'><p>One</p></TEXT>");
/// assert_eq!(file.url.as_deref(), Some("http://a.example/?b&c"));
/// assert_eq!(file.content_type.as_deref(), Some("text/html; charset=ISO-8859-2"));
/// assert_eq!(file.html, b"<p>One</p>");
/// ```
pub fn page_file(file: &[u8]) -> PageFile<'_> {
    opened(file).unwrap_or(PageFile {
        url: None,
        content_type: None,
        html: file,
    })
}

fn opened(file: &[u8]) -> Option<PageFile<'_>> {
    let (marked, bytes) = match Encoding::for_bom(file) {
        Some((charset, length)) => (Some(charset), &file[length..]),
        None => (wide_charset(file), file),
    };
    let text = Units::new(bytes, marked);
    let head = text.narrow(0..text.len().min(LONGEST));
    let start = end_of_prologue(&head);
    let tag = OpeningTag::read(&head, start)?;
    let label = tag.encoding.clone().map(|range| text.decoded(range, None));
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let named = named.or_else(|| declared_by_xml(head[..start].trim_ascii_start()));
    let html = text.within(tag.end);
    // A mark of its own that the page begins with is found when the page is decoded.
    let is_declared = marked.is_none() && (Encoding::for_bom(html).is_some() || declares_charset(html));
    let charset = marked.or(named.filter(|_| !is_declared));
    Some(PageFile {
        url: tag
            .id
            .map(|range| address(&text.decoded(range, named)))
            .filter(|url| !url.is_empty()),
        content_type: charset.map(|charset| format!("text/html; charset={}", charset.name())),
        html,
    })
}

/// The opening tag, with what stands before it, is no longer than so many units.
const LONGEST: usize = 1 << 16;

/// The charset of a file in UTF-16 without a byte order mark.
fn wide_charset(file: &[u8]) -> Option<&'static Encoding> {
    match file.get(..4)? {
        [first, 0, _, 0] if *first != 0 => Some(UTF_16LE),
        [0, first, 0, _] if *first != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// Bytes in units of one byte, or of two in UTF-16.
struct Units<'a> {
    bytes: &'a [u8],
    charset: Option<&'static Encoding>,
    width: usize,
}

impl<'a> Units<'a> {
    fn new(bytes: &'a [u8], charset: Option<&'static Encoding>) -> Units<'a> {
        let is_wide = charset.is_some_and(|charset| charset == UTF_16LE || charset == UTF_16BE);
        Units {
            bytes,
            charset,
            width: if is_wide { 2 } else { 1 },
        }
    }

    fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Some units as one byte each; those that are not ASCII as some byte that is not either.
    fn narrow(&self, range: Range<usize>) -> Cow<'a, [u8]> {
        let bytes = &self.bytes[range.start * self.width..range.end * self.width];
        if self.width == 1 {
            return bytes.into();
        }
        let unit = |pair: &[u8]| match self.charset == Some(UTF_16LE) {
            true => u16::from_le_bytes([pair[0], pair[1]]),
            false => u16::from_be_bytes([pair[0], pair[1]]),
        };
        let narrow = |pair| match unit(pair) {
            // A byte order mark that is not the first unit is a space without width.
            0xfeff => b' ',
            unit => u8::try_from(unit).unwrap_or(u8::MAX),
        };
        bytes.chunks_exact(2).map(narrow).collect::<Vec<u8>>().into()
    }

    /// The text of some units: in the charset of the file, in UTF-8, or in the one that is named.
    fn decoded(&self, range: Range<usize>, named: Option<&'static Encoding>) -> String {
        let bytes = &self.bytes[range.start * self.width..range.end * self.width];
        let guessed = || match std::str::from_utf8(bytes) {
            Ok(_) => UTF_8,
            Err(_) => named.unwrap_or(WINDOWS_1252),
        };
        let charset = self.charset.unwrap_or_else(guessed);
        let (written, _) = charset.decode_without_bom_handling(bytes);
        let mut text = String::new();
        decode_into(&mut text, &written, true);
        text
    }

    /// What stands between the opening tag and the closing one, or the end.
    fn within(&self, from: usize) -> &'a [u8] {
        let tail = self.narrow(self.len().saturating_sub(LONGEST).max(from)..self.len());
        let kept = without_closing_tag(&tail).trim_ascii_end().len();
        let end = self.len() - (tail.len() - kept);
        let head = self.narrow(from..end.min(from + LONGEST));
        let start = from + (head.len() - head.trim_ascii_start().len());
        &self.bytes[start * self.width..end * self.width]
    }
}

/// Takes a closing `</text>` off the end.
fn without_closing_tag(bytes: &[u8]) -> &[u8] {
    let found = || {
        let inner = bytes.trim_ascii_end().strip_suffix(b">")?.trim_ascii_end();
        let at = inner.len().checked_sub(b"</text".len())?;
        inner[at..]
            .eq_ignore_ascii_case(b"</text")
            .then_some(&bytes[..at])
    };
    found().unwrap_or(bytes)
}

/// Where what may stand before an opening tag ends: white space, byte order marks, XML declarations, comments and document
/// types, each as long as the HTML standard says. What does not end is no part of it.
fn end_of_prologue(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = &bytes[at..];
        at += match prologue_part(rest) {
            Some(length) => length,
            None => return at + rest.len() - rest.trim_ascii_start().len(),
        };
    }
}

/// The length of one part, with the white space before it.
fn prologue_part(bytes: &[u8]) -> Option<usize> {
    const COMMENT: &[u8] = b"<!--";
    const DOCUMENT_TYPE: &[u8] = b"<!doctype";
    let part = bytes.trim_ascii_start();
    let begins_with = |name: &[u8]| {
        part.get(..name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name))
    };
    let length = if begins_with(UTF_8_MARK) {
        UTF_8_MARK.len()
    } else if begins_with(COMMENT) {
        comment_length(part)?
    } else if begins_with(b"<?") || begins_with(DOCUMENT_TYPE) {
        memchr(b'>', part)? + 1
    } else {
        return None;
    };
    Some(bytes.len() - part.len() + length)
}

const UTF_8_MARK: &[u8] = "\u{feff}".as_bytes();

/// Up to `-->` or `--!>`. The dashes that begin a comment may end it: `<!-->`.
fn comment_length(comment: &[u8]) -> Option<usize> {
    let ends_comment = |&at: &usize| comment[2..at].ends_with(b"--") || comment[4..at].ends_with(b"--!");
    let end = memchr_iter(b'>', comment).find(ends_comment)?;
    Some(end + 1)
}

/// Where the parts of an opening `<text ...>` stand that begins a file.
struct OpeningTag {
    id: Option<Range<usize>>,
    encoding: Option<Range<usize>>,
    /// Behind its `>`.
    end: usize,
}

impl OpeningTag {
    /// `None` where the tag does not stand at `start`, it does not end, or it has neither of its attributes: then it is
    /// some element of the page.
    fn read(bytes: &[u8], start: usize) -> Option<OpeningTag> {
        let name = bytes.get(start..start + 5)?;
        let behind = *bytes.get(start + 5)?;
        if !name.eq_ignore_ascii_case(b"<text") || !(is_space(behind) || behind == b'/') {
            return None;
        }
        let mut attributes = Attributes { bytes, at: start + 5 };
        let (mut id, mut encoding) = (None, None);
        while let Some((name, value)) = attributes.next_one()? {
            // Of two attributes of a name the first counts.
            match &bytes[name].to_ascii_lowercase()[..] {
                b"id" => id.get_or_insert(value),
                b"encoding" => encoding.get_or_insert(value),
                _ => continue,
            };
        }
        (id.is_some() || encoding.is_some()).then_some(OpeningTag {
            id,
            encoding,
            end: attributes.at + 1,
        })
    }
}

/// An address without the white space that browsers leave out of it.
fn address(id: &str) -> String {
    let is_space = |letter: char| letter.is_ascii() && is_space(letter as u8);
    id.trim_matches(is_space).replace(['\t', '\n', '\r'], "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{HtmlParser, Tag, TreeLimits};

    fn utf_16(text: &str, charset: &'static Encoding, mark: bool) -> Vec<u8> {
        let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
        let bytes = |unit: u16| match charset == UTF_16LE {
            true => unit.to_le_bytes(),
            false => unit.to_be_bytes(),
        };
        units.flat_map(bytes).collect()
    }

    /// Address, content type and page.
    fn parts(file: &[u8]) -> (Option<String>, Option<String>, String) {
        let found = page_file(file);
        let html = String::from_utf8_lossy(found.html).into_owned();
        (found.url, found.content_type, html)
    }

    fn url(file: &str) -> Option<String> {
        page_file(file.as_bytes()).url
    }

    #[test]
    fn the_envelope_comes_off() {
        let file = b"\n<text id=\"http://a.example/?b\" title=\"x\">\n<html><p>A</p></html>\n</text>\n";
        let expected = (
            Some("http://a.example/?b".to_owned()),
            None,
            "<html><p>A</p></html>".to_owned(),
        );
        assert_eq!(parts(file), expected);
        for (opening, closing) in [
            (
                "<text\n\ttitle='a > b'\r\nid = http://a.example/?b  >",
                "</TEXT >",
            ),
            (
                "<TEXT ID='http://a.example/?b' id=\"http://b.example/\"/>",
                "</text\n>\n\n",
            ),
            ("\u{feff}<Text encoding=none id=http://a.example/?b>", ""),
            ("<text/id=\"\nhttp://a.exam\nple/?b \">", "</tExt>"),
        ] {
            let file = format!("{opening}<html><p>A</p></html>{closing}");
            let (url, _, html) = parts(file.as_bytes());
            assert_eq!((url, html), (expected.0.clone(), expected.2.clone()), "{file}");
        }
    }

    #[test]
    fn pages_are_not_envelopes() {
        for page in [
            "<textarea id=a>b</textarea>",
            "<text-x id=a>b</text-x>",
            "<text>b</text>",
            "<text class=a>b</text>",
            "<text id=\"a>b</text>",
            "<text id=a",
            "<text",
            "a<text id=b>",
            "<html></text>",
            "",
        ] {
            assert_eq!(parts(page.as_bytes()), (None, None, page.to_owned()));
        }
    }

    #[test]
    fn a_prologue_may_stand_before_the_tag() {
        let tag = "<text id='http://a.example/'>";
        for prologue in [
            "<?xml version=\"1.0\"?>",
            "\n<!-- <text id='http://b.example/'> -->\n",
            "<!DOCTYPE html>",
            "<!doctype html PUBLIC \"-//W3C//DTD HTML 4.01//EN\">\r\n",
            "\u{feff}\u{feff}",
            "\u{feff}\n\u{feff} ",
            "<!-->",
            "<!--->",
            "<!-- a -- b --!>",
            "\u{feff}<?xml version='1.0'?>\n<!-- a --->\n<!DOCTYPE html><!-- b -->",
        ] {
            let text = format!("{prologue}{tag}<p>A</p></text>");
            let (found, _, html) = parts(text.as_bytes());
            assert_eq!(
                (found.as_deref(), &*html),
                (Some("http://a.example/"), "<p>A</p>"),
                "{prologue}"
            );
            let wide = utf_16(&text, UTF_16LE, true);
            assert_eq!(
                page_file(&wide).url.as_deref(),
                Some("http://a.example/"),
                "{prologue}"
            );
        }
    }

    #[test]
    fn what_does_not_end_before_the_tag_is_no_prologue() {
        let filler = "<!-- a -->".repeat(LONGEST / 10);
        for before in [
            "<!-- a",
            "<!--!> a",
            "<!-- a --",
            "<?xml <text id='a'",
            "<!DOCTYPE html",
            "<!DOCTYPE html><html>",
            "<!ELEMENT a>",
            "</a>",
            "<?xml?>a",
            &filler,
        ] {
            let page = format!("{before}<text id='http://a.example/'");
            let page = page
                + if before.starts_with("<!DOC") {
                    ""
                } else {
                    "><p>A</p></text>"
                };
            assert_eq!(parts(page.as_bytes()), (None, None, page.clone()));
        }
    }

    #[test]
    fn the_charset_of_an_xml_declaration_counts_where_no_other_is_named() {
        let charset = |xml: &str, envelope: &str, head: &str| {
            let file = format!("<?xml version='1.0' encoding='{xml}'?><text id=a {envelope}>{head}<p>A");
            page_file(file.as_bytes()).content_type
        };
        let html = |name: &str| Some(format!("text/html; charset={name}"));
        assert_eq!(charset("iso-8859-2", "", ""), html("ISO-8859-2"));
        assert_eq!(charset("iso-8859-2", "encoding=none", ""), html("ISO-8859-2"));
        assert_eq!(charset("iso-8859-2", "encoding=koi8-r", ""), html("KOI8-R"));
        assert_eq!(charset("iso-8859-2", "", "<meta charset=koi8-r>"), None);
    }

    #[test]
    fn references_stand_for_letters() {
        assert_eq!(
            url("<text id='http://a.example/?a=1&amp;b=&#x32;&copy=3&quot;'>").as_deref(),
            Some("http://a.example/?a=1&b=2&copy=3\"")
        );
        assert_eq!(url("<text id=''>"), None);
        assert_eq!(
            page_file(b"<text encoding=latin1 id=http://a.example/\xe9>")
                .url
                .as_deref(),
            Some("http://a.example/\u{e9}")
        );
        assert_eq!(
            url("<text id=http://a.example/\u{e9}>").as_deref(),
            Some("http://a.example/\u{e9}")
        );
    }

    /// The charset of a page and the text of its paragraph.
    fn text_and_charset(file: &PageFile<'_>) -> (&'static str, String) {
        let mut parser = HtmlParser::new(TreeLimits::default());
        let html = parser.parse(file.html, file.content_type.as_deref()).unwrap();
        let tree = html.tree();
        let paragraph = tree.nodes().find(|&node| tree.tag(node) == Tag::P).unwrap();
        let mut text = String::new();
        tree.push_own_text(paragraph, &mut text);
        (html.charset(), text)
    }

    #[test]
    fn a_charset_counts_where_the_page_declares_none() {
        let charset = |file: &[u8]| {
            let found = page_file(file);
            text_and_charset(&found)
        };
        let of = |label: &str, head: &str| {
            let before = format!("<text id=a encoding='{label}'>{head}<p>");
            charset(&[before.as_bytes(), b"\xbe\xe1 and more letters"].concat())
        };
        let latin_2 = ("ISO-8859-2", "\u{17e}\u{e1} and more letters".to_owned());
        assert_eq!(of("iso-8859-2", ""), latin_2);
        assert_eq!(of(" Latin2 ", "<title>a</title>"), latin_2);
        // The page's own word is worth more, wherever it stands.
        assert_eq!(of("koi8-r", "<meta charset=iso-8859-2>"), latin_2);
        let late = format!("{}<meta charset=iso-8859-2>", "<link rel=a>".repeat(200));
        assert_eq!(of("koi8-r", &late), latin_2);
        assert_eq!(of("no-such-charset", ""), of("", ""));
        let marked = "\u{feff}<text id=a encoding=koi8-r><p>\u{17e}";
        assert_eq!(charset(marked.as_bytes()), ("UTF-8", "\u{17e}".to_owned()));
        let inside = "<text id=a encoding=koi8-r>\n\u{feff}<p>\u{17e}";
        assert_eq!(charset(inside.as_bytes()), ("UTF-8", "\u{17e}".to_owned()));
    }

    #[test]
    fn envelopes_in_utf_16_are_read() {
        for charset in [UTF_16LE, UTF_16BE] {
            for mark in [true, false] {
                let text = "<text encoding='utf-16' id='http://a.example/\u{17e}'>\n<p>\u{17e}lu\u{165}\u{fd}</p></Text>\n";
                let file = utf_16(text, charset, mark);
                let found = page_file(&file);
                assert_eq!(found.url.as_deref(), Some("http://a.example/\u{17e}"));
                assert_eq!(text_and_charset(&found).1, "\u{17e}lu\u{165}\u{fd}");
            }
        }
    }

    /// A value as it may be written: in quotes of either kind or in none, with references for what they cannot hold.
    fn written(value: &str, quote: usize, by_number: bool) -> String {
        let reference = |letter: char| match by_number {
            true => format!("&#{};", letter as u32),
            false => format!("&#x{:X};", letter as u32),
        };
        let must = |letter: char| match quote {
            0 => letter == '"',
            1 => letter == '\'',
            _ => letter == '>' || letter == '"' || letter == '\'' || letter.is_ascii_whitespace(),
        };
        let letters = value.chars().map(|letter| match letter == '&' || must(letter) {
            true => reference(letter),
            false => letter.to_string(),
        });
        let letters: String = letters.collect();
        match quote {
            0 => format!("\"{letters}\""),
            1 => format!("'{letters}'"),
            _ => letters,
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            id in "[a-z]{1,4}://[a-zA-Z0-9<>&'\"=/?;#\u{e9}\u{4e2d} .-]{0,30}[a-z]",
            title in "[a-z][a-zA-Z <>&'\"=/\n\u{e9}]{0,30}",
            label in "(utf-8|UTF-8|iso-8859-2|Windows-1251)",
            order in Just(vec![0usize, 1, 2]).prop_shuffle(),
            quotes in prop::array::uniform3(0usize..3),
            spaces in prop::collection::vec("[ \t\r\n\u{c}]{1,3}", 3),
            around in prop::array::uniform2("[ \n]{0,2}"),
            by_number: bool,
            upper: bool,
            closing in "(</text>|</TEXT\n>|)[ \n]{0,2}",
            prologue in "(<\\?xml version='1[.]0'\\?>|)(<!-- [a-z<>]{0,5} -->|[ \n\u{feff}]|<!doctype html>){0,3}",
            bom: bool,
        ) {
            let values = [("id", &id), ("title", &title), ("encoding", &label)];
            let mut tag = String::from(if upper { "<TEXT" } else { "<text" });
            for &at in &order {
                let (name, value) = values[at];
                let name = if upper { name.to_uppercase() } else { name.to_owned() };
                let value = written(value, quotes[at], by_number);
                tag.push_str(&format!("{}{name}{}={}{value}", spaces[at], around[0], around[1]));
            }
            let mark = if bom { "\u{feff}" } else { "" };
            let file = format!("{mark}{prologue}{}{tag}\n><p>a</p>{closing}", around[0]);
            let bom = bom || prologue.starts_with('\u{feff}');
            let (url, content_type, html) = parts(file.as_bytes());
            prop_assert_eq!(url, Some(id));
            let named = Encoding::for_label(label.as_bytes()).map(Encoding::name);
            let charset = if bom { Some("UTF-8") } else { named };
            prop_assert_eq!(content_type, charset.map(|name| format!("text/html; charset={name}")));
            prop_assert_eq!(html, "<p>a</p>");
        }

        #[test]
        fn any_bytes_are_a_page(before in "(\u{feff}|)(<!--|<!doctype|<\\?|>|-|!){0,6}[ <]{0,2}(<text|<TEXT) (id|encoding|)", bytes: Vec<u8>) {
            let file = [before.as_bytes(), &bytes].concat();
            prop_assert!(page_file(&file).html.len() <= file.len());
            prop_assert!(page_file(&bytes).html.len() <= bytes.len());
            let wide = utf_16(&String::from_utf8_lossy(&file), UTF_16LE, true);
            prop_assert!(page_file(&wide).html.len() <= wide.len());
        }
    }
}
