//! Media types as servers send them.
//!
//! A `Content-Type` is read as browsers read it (Fetch Standard, "extract a MIME type"): of several values the last
//! that has the form `token/token` counts. A value without that form is ignored, except one that begins as a type
//! of pages does and continues with a byte that no token has, such as `text/html charset=utf-8`.

/// Media types that are pages.
const HTML: [&str; 4] = [
    "text/html",
    "application/xhtml+xml",
    "application/vnd.wap.xhtml+xml",
    "application/html",
];

/// Valid media types without information, by the MIME Sniffing Standard.
const UNKNOWN: [&str; 2] = ["unknown/unknown", "application/unknown"];

/// Media types that a server sends for unknown bytes, or for bytes to be saved and not shown.
const DATA: [&str; 2] = ["application/octet-stream", "binary/octet-stream"];

/// The kind of a body by its media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclaredType {
    /// A page.
    Html,
    /// XML: a page if its root element is one of a page.
    Xml,
    Text,
    /// Nothing: the body itself is looked at.
    Nothing,
    /// Data; servers send this for pages, too.
    Data,
    /// That it is something else.
    Other,
}

impl DeclaredType {
    /// The kind of `media_type`, a result of [`media_type`].
    pub(crate) fn from_media_type(media_type: &str) -> DeclaredType {
        if HTML.contains(&media_type) {
            return DeclaredType::Html;
        }
        if essence(media_type).is_none() || UNKNOWN.contains(&media_type) || media_type.ends_with("/*") {
            return DeclaredType::Nothing;
        }
        match media_type {
            "text/plain" => DeclaredType::Text,
            "text/xml" | "application/xml" => DeclaredType::Xml,
            _ if media_type.ends_with("+xml") => DeclaredType::Xml,
            _ if DATA.contains(&media_type) => DeclaredType::Data,
            _ => DeclaredType::Other,
        }
    }

    /// Whether the body may be read as a text, so that its compression is undone though no header names it.
    pub(crate) fn may_be_text(self) -> bool {
        matches!(
            self,
            DeclaredType::Html | DeclaredType::Xml | DeclaredType::Text | DeclaredType::Nothing
        )
    }
}

/// `text/html` of `Text/HTML; charset=utf-8`. Of an invalid value, the part before its parameters.
#[must_use]
pub fn media_type(content_type: &str) -> String {
    let said = Values { rest: content_type }
        .filter_map(essence)
        .filter(|&found| found != "*/*")
        .last();
    let first = || content_type.split([';', ',']).next().unwrap_or_default().trim();
    said.or_else(|| page_type(content_type))
        .unwrap_or_else(first)
        .to_ascii_lowercase()
}

/// The type and subtype of a value, if it has the form.
fn essence(value: &str) -> Option<&str> {
    let found = value.split(';').next()?.trim();
    let (kind, subtype) = found.split_once('/')?;
    (is_token(kind) && is_token(subtype)).then_some(found)
}

/// The type of pages that a value begins with, if no token continues there.
fn page_type(value: &str) -> Option<&'static str> {
    let value = value.trim_start().as_bytes();
    HTML.into_iter().find(|html| {
        let begin = value.get(..html.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(html.as_bytes()))
            && !value.get(html.len()).copied().is_some_and(is_token_byte)
    })
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_token_byte)
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The values of a header, which commas outside of quotes part.
struct Values<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Values<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let mut quoted = false;
        let end = self.rest.find(|letter| {
            quoted ^= letter == '"';
            letter == ',' && !quoted
        });
        let (value, rest) = match end {
            Some(end) => (&self.rest[..end], &self.rest[end + 1..]),
            None => (self.rest, ""),
        };
        self.rest = rest;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_browsers_read_them() {
        for (sent, found) in [
            (" Text/HTML ;charset=x", "text/html"),
            ("text/html;;charset", "text/html"),
            ("text/html,text/html", "text/html"),
            ("text/plain, text/html; charset=a", "text/html"),
            ("text/html, */*", "text/html"),
            ("text/css; a=\"x, text/html\"", "text/css"),
            ("text/html charset=utf-8", "text/html"),
            ("TEXT/HTML@x", "text/html"),
            ("text/html\"", "text/html"),
            ("text/html5", "text/html5"),
            ("*/*", "*/*"),
            ("html", "html"),
            ("none; charset=x", "none"),
            ("", ""),
        ] {
            assert_eq!(media_type(sent), found, "{sent}");
        }
    }

    #[test]
    fn what_is_not_in_form_says_nothing() {
        for nothing in [
            "",
            "*/*",
            "text/*",
            "text",
            "text/",
            "/html",
            "a b/c",
            "text/css x=y",
            "(null)",
            "unknown/unknown",
        ] {
            assert_eq!(
                DeclaredType::from_media_type(&media_type(nothing)),
                DeclaredType::Nothing,
                "{nothing}"
            );
        }
        for (sent, said) in [
            ("text/html x", DeclaredType::Html),
            ("image/svg+xml", DeclaredType::Xml),
            ("text/xml", DeclaredType::Xml),
            ("text/plain;format=flowed", DeclaredType::Text),
            ("application/octet-stream", DeclaredType::Data),
            ("text/css", DeclaredType::Other),
        ] {
            assert_eq!(DeclaredType::from_media_type(&media_type(sent)), said, "{sent}");
        }
    }
}
