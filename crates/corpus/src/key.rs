//! The key of a capture: the order in which pages of a site, and sites of a domain, stand side by side.

use std::borrow::Cow;

use url::Url;

use crate::DocumentRow;

/// Ends the host. It sorts below every character of a label, so that the pages of `example.com` stand before those of
/// `www.example.com` and of `example-shop.com`.
const END: char = ')';
/// Stands between the labels of a host, and sorts below every character of a label, too, but above [`END`].
const SEPARATOR: char = ',';

/// The URL by which a page is known, whatever form of it a crawler kept: as the URL Standard writes it, without its fragment.
/// Names of files, and what is no URL, stay as they are.
///
/// ```
/// use gleaner_corpus::page_url;
///
/// assert_eq!(page_url("HTTPS://Example.com:443?q#top"), "https://example.com/?q");
/// assert_eq!(page_url("file:///notes/C#.html"), "file:///notes/C#.html");
/// ```
pub fn page_url(url: &str) -> Cow<'_, str> {
    let Ok(mut parsed) = Url::parse(url) else {
        return Cow::Borrowed(url);
    };
    // Names of files are not escaped in all tools: `#` and `?` may be parts of them.
    if parsed.scheme() == "file" {
        return Cow::Borrowed(url);
    }
    parsed.set_fragment(None);
    match parsed.as_str() == url {
        true => Cow::Borrowed(url),
        false => Cow::Owned(parsed.into()),
    }
}

/// The host of a URL in lower case, without the name of a user, port and the dot of the root; empty where it has none.
///
/// ```
/// use gleaner_corpus::host;
///
/// assert_eq!(host("https://User@WWW.Example.ORG:8080/a@b?c"), "www.example.org");
/// assert_eq!(host("http://[::1]:80/"), "::1");
/// assert_eq!(host("dns:example.org"), "");
/// ```
pub fn host(url: &str) -> String {
    url.split_once("://")
        .map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default())
        .map(|authority| authority.rsplit_once('@').map_or(authority, |(_, host)| host))
        .map(
            |host| match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((address, _)) => address,
                None => host.split(':').next().unwrap_or_default(),
            },
        )
        .unwrap_or_default()
        .trim_end_matches('.')
        .to_lowercase()
}

/// The URL of a page ([`page_url`]) in the form of a SURT (Sort-friendly URI Reordering Transform): the labels of the host from the last to the first,
/// then port, scheme, path and query as they are.
///
/// ```
/// use gleaner_corpus::surt;
///
/// assert_eq!(surt("https://www.example.com/a?b"), "com,example,www):https/a?b");
/// assert_eq!(surt("http://example.com:8080/"), "com,example)8080:http/");
/// assert_eq!(surt("http://Example.com:80#top"), "com,example):http/");
/// assert_eq!(surt("http://192.0.2.1/"), "192.0.2.1):http/");
/// assert_eq!(surt("dns:example.com"), "))dns:example.com");
/// ```
///
/// URLs of two pages never have the same form. So the authority is kept as it is, behind the scheme, if it is not made of
/// a host in lower case and a port alone: `com,example):http:Example.com/`. A URL without an authority stands behind two
/// marks of the end.
pub fn surt(url: &str) -> String {
    form(&page_url(url))
}

fn form(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://").filter(|(scheme, _)| is_scheme(scheme)) else {
        return format!("{END}{END}{url}");
    };
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (host, port) = host_and_port(authority);
    let mut surt = String::with_capacity(url.len() + 8);
    push_host(&mut surt, host);
    surt.push(END);
    let is_plain = is_plain_host(host) && is_authority(authority, host, port);
    if is_plain {
        surt.push_str(port);
    }
    surt.push(':');
    surt.push_str(scheme);
    if !is_plain {
        surt.push(':');
        surt.push_str(authority);
    }
    surt.push_str(path);
    surt
}

/// A letter, then letters, digits, `+`, `-` and `.` (RFC 3986, section 3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// The host and the port of an authority, without the name of a user.
fn host_and_port(authority: &str) -> (&str, &str) {
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    match place.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (host, port),
        _ => (place, ""),
    }
}

/// Whether an authority is a host and a port of at least one digit, or a host alone.
fn is_authority(authority: &str, host: &str, port: &str) -> bool {
    let separator = usize::from(!port.is_empty());
    authority.len() == host.len() + separator + port.len()
}

/// Whether the host follows from the labels that it is written by.
fn is_plain_host(host: &str) -> bool {
    let is_plain_label = |label: &str| {
        let is_plain = |letter: char| letter > SEPARATOR && letter.to_lowercase().eq([letter]);
        !label.is_empty() && label.chars().all(is_plain)
    };
    host.split('.').all(is_plain_label)
}

/// Writes the labels of a host, the last first. Addresses of machines are one label.
fn push_host(surt: &mut String, host: &str) {
    let host = match host.bytes().any(|byte| byte.is_ascii_uppercase()) || !host.is_ascii() {
        true => Cow::Owned(host.to_lowercase()),
        false => Cow::Borrowed(host),
    };
    let host = host.trim_end_matches('.');
    let begun = surt.len();
    if is_address(host) {
        push_label(surt, host);
        return;
    }
    for label in host.rsplit('.') {
        if surt.len() > begun {
            surt.push(SEPARATOR);
        }
        push_label(surt, label);
    }
}

/// Whether a host is an address of version 4 or 6 of the Internet Protocol.
fn is_address(host: &str) -> bool {
    host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Writes a label, its signs that would sort below others as `-`.
fn push_label(surt: &mut String, label: &str) {
    surt.extend(
        label
            .chars()
            .map(|letter| if letter > SEPARATOR { letter } else { '-' }),
    );
}

/// What names a capture in all tables: the first half of the BLAKE3 digest of its URL, time, record and place, in hexadecimal.
/// `inner` is the place of the record in its compressed member: records that share a member share the place in the file.
pub fn row_id(document: &DocumentRow, inner: u64) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in [&document.url, &document.record_id, &document.warc_file] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let time = document.crawl_date.map(|date| date.0);
    hasher.update(&[u8::from(time.is_some())]);
    hasher.update(&time.unwrap_or_default().to_le_bytes());
    hasher.update(&document.warc_offset.to_le_bytes());
    if inner > 0 {
        hasher.update(&inner.to_le_bytes());
    }
    let mut digest = hasher.finalize().to_hex();
    digest.truncate(32);
    digest.to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Millis;

    /// The URL of a form: the slow way back.
    fn url(surt: &str) -> String {
        let (labels, rest) = surt.split_once(END).unwrap();
        if let Some(url) = rest.strip_prefix(END) {
            return url.to_owned();
        }
        let (port, rest) = rest.split_once(':').unwrap();
        let end = rest.find([':', '/', '?', '#']).unwrap_or(rest.len());
        let (scheme, rest) = rest.split_at(end);
        if let Some(rest) = rest.strip_prefix(':') {
            return format!("{scheme}://{rest}");
        }
        // (An address is one label: what has several may still begin like one.)
        let host = match is_address(labels) && !labels.contains(SEPARATOR) {
            true => labels.to_owned(),
            false => labels.rsplit(SEPARATOR).collect::<Vec<_>>().join("."),
        };
        let colon = if port.is_empty() { "" } else { ":" };
        format!("{scheme}://{host}{colon}{port}{rest}")
    }

    #[test]
    fn pages_of_a_domain_stand_side_by_side() {
        let sorted = [
            "http://192.0.2.1/",
            "http://[2001:db8::1]:80/",
            "http://example.com/",
            "http://example.com/a",
            "https://example.com/",
            "http://example.com:8080/",
            "http://a.example.com/",
            "http://www.example.com/",
            "http://www-2.example.com/",
            "http://example-shop.com/",
            "http://exampleshop.com/",
            "http://example.de/",
            "http://пример.рф/",
        ];
        let mut forms = sorted.map(surt);
        let expected = forms.clone();
        forms.sort_unstable();
        // (A port sorts below none.)
        let place = |url: &str| forms.iter().position(|form| *form == surt(url)).unwrap();
        assert!(place("http://example.com:8080/") < place("http://example.com/"));
        let without_ports = |forms: &[String]| -> Vec<String> {
            let is_without = |form: &&String| !form.contains(")8");
            forms.iter().filter(is_without).cloned().collect()
        };
        assert_eq!(without_ports(&forms), without_ports(&expected));
    }

    #[test]
    fn odd_authorities_are_kept() {
        for (url, form) in [
            ("A://Example.com/", "com,example):a:Example.com/"),
            ("http://example.com./", "com,example):http:example.com./"),
            (
                "http://me:pass@example.com/",
                "com,example):http:me:pass@example.com/",
            ),
            ("http://a..b/", "b,,a):http:a..b/"),
            ("http://a!b/", "a-b):http:a!b/"),
            ("http:///path", "path):http/"),
            ("http://", "):http:"),
            ("file:///a", "):file:/a"),
            ("urn:uuid:1", "))urn:uuid:1"),
            ("", "))"),
        ] {
            assert_eq!(surt(url), form, "{url}");
        }
    }

    #[test]
    fn a_page_has_one_form_however_its_url_is_written() {
        for (page, urls) in [
            (
                "https://a.example/b",
                &[
                    "https://a.example:443/b",
                    "https://a.example:/b",
                    "HTTPS://A.Example/b#c",
                    " https://a.example/./b ",
                    "https:\\\\a.example/c/../b",
                    "https://a.exa\nmple/b",
                ][..],
            ),
            ("http://a.example/", &["http://a.example", "http://a.example:80#"]),
            ("http://a.example/?b%20c=%C3%A9", &["http://a.example?b c=é"]),
            ("http://xn--r8jz45g.example/", &["http://例え.example/"]),
            ("http://127.0.0.1/", &["http://0x7f.1/"]),
            ("ftp://a.example/", &["ftp://a.example:21/"]),
            ("urn:a", &["URN:a#b"]),
        ] {
            assert_eq!(page_url(page), page);
            for url in urls {
                assert_eq!((&*page_url(url), surt(url)), (page, surt(page)), "{url}");
            }
        }
        for (one, other) in [
            ("http://a.example/", "https://a.example/"),
            ("http://a.example/", "http://a.example:443/"),
            ("http://a.example/a", "http://a.example/A"),
            ("http://a.example/a", "http://a.example/a/"),
            ("http://a.example/", "http://a.example/?"),
            ("http://a.example/~", "http://a.example/%7e"),
            ("file:///a#1.html", "file:///a#2.html"),
            ("a.html#1", "a.html#2"),
        ] {
            assert_ne!(surt(one), surt(other));
        }
    }

    #[test]
    fn captures_have_names_of_their_own() {
        let capture = DocumentRow {
            url: "http://a.example/".to_owned(),
            record_id: "<urn:uuid:1>".to_owned(),
            crawl_date: Some(Millis(0)),
            ..DocumentRow::default()
        };
        let others = [
            DocumentRow {
                url: "http://a.example".to_owned(),
                record_id: "/<urn:uuid:1>".to_owned(),
                ..capture.clone()
            },
            DocumentRow {
                crawl_date: None,
                ..capture.clone()
            },
            DocumentRow {
                warc_offset: 1,
                ..capture.clone()
            },
            DocumentRow {
                warc_file: "b.warc".to_owned(),
                ..capture.clone()
            },
        ];
        let name = row_id(&capture, 0);
        assert_eq!((name.len(), &name), (32, &row_id(&capture, 0)));
        assert!(others.iter().all(|other| row_id(other, 0) != name));
        assert_ne!(row_id(&capture, 1), name);
        // What else is in the row does not count.
        assert_eq!(
            row_id(
                &DocumentRow {
                    text: "a".to_owned(),
                    ..capture
                },
                0
            ),
            name
        );
    }

    proptest! {
        #[test]
        fn a_form_is_of_one_url(
            text in "(https?|A|1)?(:|://|//)?[a-cA-C.:,@)!é\\[\\]0-9-]{0,8}[/?#a:)]{0,4}",
        ) {
            prop_assert_eq!(url(&surt(&text)), page_url(&text));
        }

        #[test]
        fn a_form_is_of_one_url_of_any_letters(text in "\\PC{0,20}(://)?\\PC{0,20}") {
            prop_assert_eq!(url(&surt(&text)), page_url(&text));
        }
    }
}
