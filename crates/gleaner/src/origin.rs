//! What is known of a page beside its text.

use crate::Day;

/// Where a page is from: what is known of it beside its bytes. All of it may be left out.
///
/// ```
/// use gleaner::{Day, Origin};
///
/// let origin = Origin::url("https://sea.example/2024/tides").content_type("text/html; charset=koi8-r");
/// let captured = origin.captured(Day::from_iso("2024-03-01").expect("a day"));
/// # let _ = captured;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin<'a> {
    pub(crate) url: &'a str,
    pub(crate) content_type: Option<&'a str>,
    pub(crate) captured: Option<Day>,
    pub(crate) is_text: bool,
}

impl<'a> Origin<'a> {
    /// A page at this address. Features use it; relative links are resolved with it.
    pub fn url(url: &'a str) -> Origin<'a> {
        Origin {
            url,
            ..Origin::default()
        }
    }

    /// With this value of the HTTP header `Content-Type`. Its charset comes before that which the page declares.
    pub fn content_type(self, content_type: &'a str) -> Origin<'a> {
        Origin {
            content_type: Some(content_type),
            ..self
        }
    }

    /// Captured on this day: no page is published later than a day after it.
    pub fn captured(self, day: Day) -> Origin<'a> {
        Origin {
            captured: Some(day),
            ..self
        }
    }

    /// Whether the page is a plain text without tags, such as a `.txt` file or a WET record; each line is then a block.
    pub fn plain_text(self, is_text: bool) -> Origin<'a> {
        Origin { is_text, ..self }
    }
}

/// The body of a page: bytes whose charset is found as browsers find it, or a text that is decoded already.
#[derive(Clone, Copy, Debug)]
pub struct Html<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the charset is UTF-8, whatever the page declares.
    pub(crate) is_decoded: bool,
}

impl<'a> From<&'a [u8]> for Html<'a> {
    fn from(bytes: &'a [u8]) -> Html<'a> {
        Html {
            bytes,
            is_decoded: false,
        }
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Html<'a> {
    fn from(bytes: &'a [u8; N]) -> Html<'a> {
        bytes.as_slice().into()
    }
}

impl<'a> From<&'a Vec<u8>> for Html<'a> {
    fn from(bytes: &'a Vec<u8>) -> Html<'a> {
        bytes.as_slice().into()
    }
}

impl<'a> From<&'a str> for Html<'a> {
    fn from(text: &'a str) -> Html<'a> {
        Html {
            bytes: text.as_bytes(),
            is_decoded: true,
        }
    }
}

impl<'a> From<&'a String> for Html<'a> {
    fn from(text: &'a String) -> Html<'a> {
        text.as_str().into()
    }
}
