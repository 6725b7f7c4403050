//! The type of files, as it was given by `--content-type`: a charset, a media type, or both.

use anyhow::{Result, bail};
use encoding_rs::Encoding;
use gleaner_warc::media_type;

/// A type that can be used: it is that of pages or of plain texts, and its charset is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ContentType {
    /// Empty where only a charset was given.
    media: String,
    header: String,
}

impl ContentType {
    /// Reads what was given.
    ///
    /// # Errors
    /// The charset is unknown, or files of this type cannot be cleaned.
    pub(super) fn read(given: &str) -> Result<ContentType> {
        let media = match given.contains('/') {
            true => media_type(given),
            false => String::new(),
        };
        if !media.is_empty() && !is_read(&media) {
            bail!(
                "--content-type {given} is neither HTML nor plain text: give text/html or text/plain, with or without a \
                 charset, or leave it out"
            );
        }
        let (label, header) = match (charset(given), media.is_empty()) {
            (None, true) => (Some(given.trim()), format!("charset={}", given.trim())),
            (label, _) => (label, given.to_owned()),
        };
        if let Some(label) = label.filter(|label| Encoding::for_label(label.as_bytes()).is_none()) {
            bail!(
                "--content-type {given}: '{label}' is not a charset of the Encoding Standard: give another, such as utf-8 or \
                 windows-1251, or leave it out"
            );
        }
        Ok(ContentType { media, header })
    }

    /// Whether it says more than the charset.
    pub(super) fn has_media(&self) -> bool {
        !self.media.is_empty()
    }

    pub(super) fn is_plain_text(&self) -> bool {
        self.media == "text/plain"
    }

    pub(super) fn header(&self) -> &str {
        &self.header
    }
}

fn is_read(media: &str) -> bool {
    let is_xml = matches!(media, "text/xml" | "application/xml");
    media == "text/plain" || media.contains("html") || is_xml
}

fn charset(given: &str) -> Option<&str> {
    given.split([';', ' ']).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let is_charset = name.trim().eq_ignore_ascii_case("charset");
        is_charset.then(|| value.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_charsets_are_read() {
        for (given, media, header) in [
            ("text/html", "text/html", "text/html"),
            (
                "Text/Plain; charset=\"utf-8\"",
                "text/plain",
                "Text/Plain; charset=\"utf-8\"",
            ),
            (
                "text/html charset=koi8-r",
                "text/html",
                "text/html charset=koi8-r",
            ),
            (
                "application/xhtml+xml",
                "application/xhtml+xml",
                "application/xhtml+xml",
            ),
            (" windows-1251", "", "charset=windows-1251"),
            ("charset=latin1", "", "charset=latin1"),
        ] {
            let read = ContentType::read(given).unwrap();
            assert_eq!((&*read.media, &*read.header), (media, header), "{given}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for (given, part) in [
            ("image/png", "neither HTML nor plain text"),
            ("application/json", "neither HTML nor plain text"),
            ("text/html;charset=klingon", "'klingon' is not a charset"),
            ("klingon", "'klingon' is not a charset"),
            ("", "'' is not a charset"),
        ] {
            let sentence = ContentType::read(given).unwrap_err().to_string();
            assert!(sentence.contains(part), "{given}: {sentence}");
        }
    }
}
