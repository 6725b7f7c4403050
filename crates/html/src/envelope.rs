//! The envelope that the CleanEval shared task puts around a page: `<text id="URL" title="..." encoding="...">` before it
//! and `</text>` behind it. The tag is read as the tags of HTML are.

use std::ops::Range;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use crate::attributes::{Attributes, is_space};
use crate::charset::declares_charset;
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
        None => (None, file),
    };
    let tag = OpeningTag::read(&bytes[..bytes.len().min(LONGEST)])?;
    let label = tag.encoding.map(|range| decoded(&bytes[range], marked));
    let named = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    let html = without_closing_tag(&bytes[tag.end..]).trim_ascii();
    // A mark of its own that the page begins with is found when the page is decoded.
    let is_declared = marked.is_none() && (Encoding::for_bom(html).is_some() || declares_charset(html));
    let charset = marked.or(named.filter(|_| !is_declared));
    Some(PageFile {
        url: tag
            .id
            .map(|range| address(&decoded(&bytes[range], marked.or(named))))
            .filter(|url| !url.is_empty()),
        content_type: charset.map(|charset| format!("text/html; charset={}", charset.name())),
        html,
    })
}

/// Maximum bytes of the opening tag.
const LONGEST: usize = 1 << 16;

/// The text of an attribute: in UTF-8 if it is, else in the charset that is named.
fn decoded(bytes: &[u8], named: Option<&'static Encoding>) -> String {
    let charset = match std::str::from_utf8(bytes) {
        Ok(_) => UTF_8,
        Err(_) => named.unwrap_or(WINDOWS_1252),
    };
    let (written, _) = charset.decode_without_bom_handling(bytes);
    let mut text = String::new();
    decode_into(&mut text, &written, true);
    text
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

/// Where the parts of an opening `<text ...>` stand that begins a file.
struct OpeningTag {
    id: Option<Range<usize>>,
    encoding: Option<Range<usize>>,
    /// Behind its `>`.
    end: usize,
}

impl OpeningTag {
    /// `None` where the file does not begin with the tag, it does not end, or it has neither of its attributes: then it is
    /// some element of the page.
    fn read(bytes: &[u8]) -> Option<OpeningTag> {
        let start = bytes.len() - bytes.trim_ascii_start().len();
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
            "<!DOCTYPE html><text id=b>",
            "<html></text>",
            "",
        ] {
            assert_eq!(parts(page.as_bytes()), (None, None, page.to_owned()));
        }
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
            let file = format!("{mark}{}{tag}\n><p>a</p>{closing}", around[0]);
            let (url, content_type, html) = parts(file.as_bytes());
            prop_assert_eq!(url, Some(id));
            let named = Encoding::for_label(label.as_bytes()).map(Encoding::name);
            let charset = if bom { Some("UTF-8") } else { named };
            prop_assert_eq!(content_type, charset.map(|name| format!("text/html; charset={name}")));
            prop_assert_eq!(html, "<p>a</p>");
        }

        #[test]
        fn any_bytes_are_a_page(before in "(\u{feff}|)[ <]{0,2}(<text|<TEXT) (id|encoding|)", bytes: Vec<u8>) {
            let file = [before.as_bytes(), &bytes].concat();
            prop_assert!(page_file(&file).html.len() <= file.len());
            prop_assert!(page_file(&bytes).html.len() <= bytes.len());
        }
    }
}
