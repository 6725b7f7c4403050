//! What captures hold: pages, plain texts, or neither.

use std::borrow::Cow;

use crate::{
    Record, RecordType, drawn, http,
    media::{DeclaredType, media_type},
    sniff::{Sniffed, has_html_root, sniff},
};

/// A page or a plain text as a server or a crawler gave it, without the record and the HTTP message around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebPage<'a> {
    /// The HTTP status; `None` where the record has no status line. A conversion may have that of the response that it was made from
    /// ([`conversion_fields`](crate::conversion_fields)).
    pub status: Option<u16>,
    /// The media type and its parameters, as the server sent them; where they are too general, those that the crawler identified.
    pub content_type: Option<String>,
    /// The headers of the response; none where the record has no HTTP message. A conversion may have some of the response that it was
    /// made from.
    pub headers: http::Headers<'a>,
    /// The page, its codings undone.
    pub body: &'a [u8],
    /// Whether it is a plain text and no HTML.
    pub is_text: bool,
    /// Whether a part of it is missing: the crawler cut it, or the record is damaged.
    pub is_cut: bool,
}

/// Why there is no page in a record that could hold one.
#[derive(Debug, thiserror::Error)]
pub enum NoPage {
    /// The record should hold an HTTP message and does not.
    #[error(transparent)]
    Http(#[from] http::Error),
    /// The server sent an error page, or leads to another address.
    #[error("the server answered {0}")]
    Status(u16),
    /// It is neither a page nor a text. The part that is missing may be the one that decides.
    #[error("{media_type}{}", if *is_cut { "; the capture is cut short" } else { "" })]
    MediaType {
        /// The media type, or that there is none.
        media_type: String,
        /// Whether a part is missing.
        is_cut: bool,
    },
    /// It is a site's rules for crawlers.
    #[error("robots.txt, not a page")]
    RobotsTxt,
    /// It is a text of the crawler.
    #[error("a record about the crawl, not a page of it")]
    AboutCrawl,
    /// It is another form of a page.
    #[error("what the crawler made of a page, beside its capture")]
    Derived,
}

impl NoPage {
    /// The name used in tables and reports; it never changes.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Http(_) => "bad-http",
            Self::Status(_) => "http-status",
            Self::MediaType { .. } => "media-type",
            Self::RobotsTxt => "robots-txt",
            Self::AboutCrawl | Self::Derived => "crawler-record",
        }
    }
}

impl<'a> WebPage<'a> {
    /// The page or the plain text in a record that a reader of the site would read. It came with a status of 200 to 203,
    /// or stands in the record without a status line.
    ///
    /// # Errors
    /// There is none in the record.
    pub fn of(
        record: &Record<'a>,
        scratch: &'a mut http::Scratch,
        limits: &http::Limits,
    ) -> Result<WebPage<'a>, NoPage> {
        let payload = Payload::of(record, scratch, limits)?;
        if let Some(status) = payload.status.filter(|status| !(200..204).contains(status)) {
            return Err(NoPage::Status(status));
        }
        let flags = payload.flags;
        let is_cut = record.damage.is_some()
            || !record.truncated.is_empty()
            || (flags.cut || flags.short || flags.too_long);
        let is_text = match payload.kind() {
            Kind::Page => false,
            Kind::Text if is_robots_txt(record.target_uri) => return Err(NoPage::RobotsTxt),
            Kind::Text if is_about_crawl(record.target_uri) => return Err(NoPage::AboutCrawl),
            Kind::Text => true,
            Kind::Other => {
                let media_type = payload.media_type_or_none();
                return Err(NoPage::MediaType { media_type, is_cut });
            }
        };
        if is_derived(record.target_uri) {
            return Err(NoPage::Derived);
        }
        Ok(WebPage {
            status: payload.status,
            content_type: payload.content_type,
            headers: payload.headers,
            body: payload.body,
            is_text,
            is_cut,
        })
    }

    /// The media type, in lower case and without parameters; `None` where there is none.
    #[must_use]
    pub fn media_type(&self) -> Option<String> {
        let media_type = self.content_type.as_deref().map(media_type);
        media_type.filter(|media_type| !media_type.is_empty())
    }
}

/// What a server answered, whether it is a page or something else: the status, 200 where the record has none, and the body with its
/// codings undone.
///
/// # Errors
/// The record should hold an HTTP message and does not.
pub fn answer<'a>(
    record: &Record<'a>,
    scratch: &'a mut http::Scratch,
    limits: &http::Limits,
) -> Result<(u16, &'a [u8]), http::Error> {
    let payload = Payload::of(record, scratch, limits)?;
    Ok((payload.status.unwrap_or(200), payload.body))
}

/// The HTML page in a record, if there is one.
pub fn web_page<'a>(record: &Record<'a>, scratch: &'a mut http::Scratch) -> Option<WebPage<'a>> {
    let page = WebPage::of(record, scratch, &http::Limits::default()).ok()?;
    (!page.is_text).then_some(page)
}

/// What a server or a crawler gave, without the record and the HTTP message around it.
struct Payload<'a> {
    status: Option<u16>,
    content_type: Option<String>,
    headers: http::Headers<'a>,
    body: &'a [u8],
    /// What was wrong with it.
    flags: http::Flags,
}

/// What a [`Payload`] is.
enum Kind {
    Page,
    Text,
    Other,
}

impl<'a> Payload<'a> {
    fn of(
        record: &Record<'a>,
        scratch: &'a mut http::Scratch,
        limits: &http::Limits,
    ) -> Result<Self, http::Error> {
        let mut payload = if record.is_http() {
            let message = http::parse(record.content, scratch, limits)?;
            Payload {
                status: message.has_status_line.then_some(message.status),
                content_type: message.content_type(),
                headers: message.headers,
                body: message.body,
                flags: message.flags,
            }
        } else {
            let content_type = Some(record.content_type).filter(|text| !text.is_empty());
            let may_be_text = DeclaredType::from_media_type(&media_type(record.content_type)).may_be_text();
            // What the server answered may stand in fields of the record.
            let fields = match record.kind {
                RecordType::Conversion => record.header,
                _ => &[],
            };
            let fields = (fields, drawn::HEADER);
            let (headers, body, flags) =
                http::undo_beside_fields(fields, record.content, may_be_text, scratch, limits);
            Payload {
                status: drawn::status(record),
                content_type: content_type.map(str::to_owned),
                headers,
                body,
                flags,
            }
        };
        payload.identify(record);
        Ok(payload)
    }

    /// Uses the media type that the crawler identified where the server's is too general.
    fn identify(&mut self, record: &Record<'_>) {
        let identified = record.identified_type;
        let says_nothing = |said| matches!(said, DeclaredType::Nothing | DeclaredType::Data);
        if says_nothing(DeclaredType::from_media_type(&self.media_type()))
            && !says_nothing(DeclaredType::from_media_type(&media_type(identified)))
        {
            self.content_type = Some(identified.to_owned());
        }
    }

    /// The media type, lower case and without parameters; empty where there is none.
    fn media_type(&self) -> String {
        self.content_type.as_deref().map(media_type).unwrap_or_default()
    }

    fn media_type_or_none(&self) -> String {
        match self.media_type() {
            none if none.is_empty() => "no media type, and neither HTML nor text".to_owned(),
            media_type => media_type,
        }
    }

    /// Its kind: by its media type, or by its first bytes where that is too general.
    fn kind(&self) -> Kind {
        let page_if = |is_page| if is_page { Kind::Page } else { Kind::Other };
        match DeclaredType::from_media_type(&self.media_type()) {
            DeclaredType::Html => Kind::Page,
            DeclaredType::Text => Kind::Text,
            DeclaredType::Xml => page_if(has_html_root(self.body)),
            DeclaredType::Data => page_if(sniff(self.body) == Sniffed::Html),
            DeclaredType::Nothing if self.body.is_empty() => Kind::Other,
            DeclaredType::Nothing => match sniff(self.body) {
                Sniffed::Html => Kind::Page,
                Sniffed::Text => Kind::Text,
                Sniffed::Markup | Sniffed::Binary => Kind::Other,
            },
            DeclaredType::Other => Kind::Other,
        }
    }
}

/// Whether a URL is that of a site's rules for crawlers.
fn is_robots_txt(url: &str) -> bool {
    let path = url.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    path.is_some_and(|(_, path)| path.split(['?', '#']).next() == Some("robots.txt"))
}

/// Whether a text of a record is about the crawl, such as the crawler's log, its arguments or an answer of DNS: crawlers
/// keep these under names that are no addresses of pages (`metadata://...`, `urn:...`, `dns:...`).
fn is_about_crawl(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default();
    ["metadata", "urn", "dns", "whois"]
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name))
}

/// Names of files, without a folder, under which crawlers keep what they made of the pages of an archive.
const DERIVED_FILES: [&str; 3] = [
    "file:///dom-snapshot.html",
    "file:///provenance-summary.html",
    "file:///video-extracted-summary.html",
];

/// Whether a URL names what a crawler made of a page, such as the page as a browser drew it: a word before the address of
/// the page (`onreadydom:https://...`, `urn:text:https://...`), or one of a few names of files.
fn is_derived(url: &str) -> bool {
    let name = url.split_once(':').map_or("", |(_, name)| name);
    let has_authority = name.starts_with("//");
    DERIVED_FILES.contains(&url) || (!has_authority && holds_address(name))
}

/// Whether a name has the address of a page behind nothing but words: `view:https://...`, `snapshot?url=http%3A%2F%2F...`.
fn holds_address(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace("%3a", ":").replace("%2f", "/");
    let Some(end) = name.find("://") else {
        return false;
    };
    let words = name[..end].trim_end_matches(|letter: char| letter.is_ascii_alphanumeric());
    let is_of_words = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._:/?&=".contains(&byte);
    matches!(&name[words.len()..end], "http" | "https" | "ftp") && words.bytes().all(is_of_words)
}

/// The bytes of a file that is a page: where they are compressed, what they decompress to.
#[must_use]
pub fn page_bytes(file: &[u8]) -> Cow<'_, [u8]> {
    let mut scratch = http::Scratch::default();
    let (body, _) = http::undo_unnamed(file, true, &mut scratch, &http::Limits::default());
    match std::ptr::eq(body, file) {
        true => Cow::Borrowed(file),
        false => Cow::Owned(body.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, ReadSource, Reader, Step};

    /// The page in a record of such a type.
    fn found(of_type: &str, content: &str) -> Option<(Option<String>, String)> {
        let file = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nContent-Type: {of_type}\r\nContent-Length: {}\r\n\r\n{content}\r\n\r\n",
            content.len()
        );
        let mut reader = Reader::new(ReadSource::new(file.as_bytes()), "a.warc", Options::default());
        let Ok(Step::Record(record)) = reader.step() else {
            panic!("no record: {file}");
        };
        let mut scratch = http::Scratch::default();
        let page = web_page(&record, &mut scratch)?;
        Some((page.content_type, String::from_utf8_lossy(page.body).into_owned()))
    }

    #[test]
    fn pages_follow_from_status_type_and_body() {
        let sent = |message: &str| found("application/http", message);
        let html = Some("text/html; charset=x".to_owned());
        assert_eq!(
            sent("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n<p>a"),
            Some((html, "<p>a".to_owned()))
        );
        assert_eq!(
            sent("HTTP/1.1 203 OK\r\n\r\n<html>a"),
            Some((None, "<html>a".to_owned()))
        );
        assert_eq!(sent("HTTP/1.1 200 OK\r\n\r\na"), None);
        assert_eq!(
            sent("HTTP/1.1 404 No\r\nContent-Type: text/html\r\n\r\n<p>a"),
            None
        );
        assert_eq!(
            sent("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n<html>"),
            None
        );
        assert_eq!(sent("no message"), None);
    }

    #[test]
    fn rules_for_crawlers_stand_at_the_root() {
        assert!(is_robots_txt("https://a.example/robots.txt?x#y"));
        assert!(!is_robots_txt("https://a.example/docs/robots.txt"));
        assert!(!is_robots_txt("robots.txt"));
    }

    #[test]
    fn what_crawlers_make_of_a_page_has_a_name_around_its_address() {
        for url in [
            "onreadydom:https://a.example/",
            "imagemap:http://a.example/b?c#d",
            "urn:text:20240229120000/https://a.example/",
            "urn:X-wpull:snapshot?url=HTTP%3a%2F%2Fa.example%2F",
            "youtube-dl:00001:https://a.example/",
            "file:///dom-snapshot.html",
        ] {
            assert!(is_derived(url), "{url}");
        }
        for url in [
            "https://a.example/",
            "https://a.example/save/https://b.example/",
            "HTTP://a.example/?u=https%3A%2F%2Fb.example%2F",
            "file:///home/a/dom-snapshot.html",
            "urn:isbn:0451450523",
            "urn:x:xhttp://a.example/",
            "data:text/html,<a href=https://a.example/>b</a>",
            "a.example/b",
            "mailto:a@b.example",
            "",
        ] {
            assert!(!is_derived(url), "{url}");
        }
    }

    #[test]
    fn records_without_a_message_are_pages_by_their_own_type() {
        let html = Some("text/html".to_owned());
        assert_eq!(found("text/html", "<p>a"), Some((html, "<p>a".to_owned())));
        assert_eq!(found("text/css", "<p>a"), None);
    }
}
