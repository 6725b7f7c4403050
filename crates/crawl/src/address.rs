//! URLs as the crawler asks for them: one form for each page, and no URL that only a trap has.

use url::{ParseError, Url};

/// The longest URL that is asked for, in bytes.
const MOST_BYTES: usize = 2048;
/// The most segments of a path.
const MOST_SEGMENTS: usize = 40;
/// How often a path may have the same segment.
const MOST_REPEATS: usize = 3;
/// The shortest segment of a path that may be the id of a session.
const SESSION_BYTES: usize = 16;

/// Names of parameters that have the id of a session, in lower case.
const SESSION_PARAMETERS: [&str; 8] = [
    "jsessionid",
    "phpsessid",
    "aspsessionid",
    "asp.net_sessionid",
    "cfid",
    "cftoken",
    "sessionid",
    "session_id",
];

/// Brings a URL of a page to the form in which it is asked for: without fragment, user name, password, the dot at the end of a
/// host, and ids of sessions. Nothing for URLs of other schemes than `http` and `https`.
///
/// ```
/// use gleaner_crawl::page_url;
/// use url::Url;
///
/// let url = |text| page_url(Url::parse(text).unwrap()).map(String::from);
/// assert_eq!(
///     url("HTTP://me@A.example.:80/b;jsessionid=1F?x=1&PHPSESSID=2&y#top").as_deref(),
///     Some("http://a.example/b?x=1&y")
/// );
/// assert_eq!(url("mailto:me@a.example"), None);
/// ```
#[must_use]
pub fn page_url(mut url: Url) -> Option<Url> {
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return None;
    }
    url.set_fragment(None);
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    let host = url.host_str()?;
    if host.ends_with('.') {
        let bare = host.trim_end_matches('.').to_owned();
        url.set_host(Some(&bare)).ok()?;
    }
    while let Some(path) = without_session(url.path()) {
        url.set_path(&path);
    }
    if let Some(query) = url.query().map(without_session_parameters) {
        url.set_query((!query.is_empty()).then_some(&query));
    }
    Some(url)
}

/// A URL that a user typed.
///
/// # Errors
/// It is none of `http` or `https`.
pub fn typed_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| match error {
        ParseError::RelativeUrlWithoutBase => {
            format!("'{text}' is no URL and no file: write the scheme too, as in https://{text}")
        }
        error => format!("'{text}' is no URL: {error}"),
    })?;
    page_url(url).ok_or_else(|| format!("'{text}' has another scheme than http and https"))
}

/// A path without `;jsessionid=...` and without the segment `(S(...))` of ASP.NET; nothing if it has neither.
fn without_session(path: &str) -> Option<String> {
    let lower = path.to_ascii_lowercase();
    if let Some(start) = lower.find(";jsessionid=") {
        let end = path[start + 1..]
            .find([';', '/'])
            .map_or(path.len(), |end| start + 1 + end);
        return Some(format!("{}{}", &path[..start], &path[end..]));
    }
    let start = lower.find("/(s(")?;
    let end = start + lower[start..].find("))/")?;
    Some(format!("{}{}", &path[..start], &path[end + 2..]))
}

fn without_session_parameters(query: &str) -> String {
    let is_kept = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default().to_ascii_lowercase();
        !SESSION_PARAMETERS.contains(&name.as_str())
    };
    let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
    kept.join("&")
}

/// Whether a URL looks like one that only a trap has: it is very long, its path is very deep, or has a segment again and again.
pub(crate) fn is_trap(url: &Url) -> bool {
    let segments: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    let repeats = |segment: &&str| segments.iter().filter(|other| *other == segment).count();
    url.as_str().len() > MOST_BYTES
        || segments.len() > MOST_SEGMENTS
        || segments.iter().any(|segment| repeats(segment) > MOST_REPEATS)
}

/// What all variants of a URL have in common: host and path, with a mark for segments within the path that look like the id of
/// a session. Nothing for a URL without a query and without such a segment, which has no variants.
pub(crate) fn variant_group(url: &Url) -> Option<String> {
    let path = url.path();
    let parts = path.split('/').count();
    let marked: Vec<&str> = path
        .split('/')
        .enumerate()
        .map(|(place, part)| {
            if place + 1 < parts && is_session(part) {
                "*"
            } else {
                part
            }
        })
        .collect();
    let marked = marked.join("/");
    (url.query().is_some() || marked != path).then(|| format!("{}{marked}", url.authority()))
}

/// Whether a segment looks like the id of a session: long, letters and digits mixed, nothing else.
fn is_session(segment: &str) -> bool {
    segment.len() >= SESSION_BYTES
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && segment.bytes().filter(u8::is_ascii_digit).count() >= 3
        && segment.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn ids_of_sessions_are_left_out() {
        for (written, asked) in [
            ("http://a.example/x;jsessionid=AB12/y", "http://a.example/x/y"),
            ("http://a.example/x;JSESSIONID=AB12;v=1", "http://a.example/x;v=1"),
            (
                "http://a.example/(S(lit3py55t21z5v55vlm25s55))/page.aspx",
                "http://a.example/page.aspx",
            ),
            ("http://a.example/?PhpSessId=1", "http://a.example/"),
            ("http://a.example/?", "http://a.example/"),
            ("http://a.example/?a=1&b", "http://a.example/?a=1&b"),
        ] {
            assert_eq!(page_url(url(written)).unwrap().as_str(), asked, "{written}");
        }
    }

    #[test]
    fn traps_are_known_by_their_urls() {
        for trap in [
            "http://a.example/b/c/b/c/b/c/b/c".to_owned(),
            format!("http://a.example/{}", "x".repeat(MOST_BYTES)),
            format!(
                "http://a.example{}",
                (0..=MOST_SEGMENTS).map(|at| format!("/{at}")).collect::<String>()
            ),
        ] {
            assert!(is_trap(&url(&trap)), "{trap}");
        }
        assert!(!is_trap(&url("http://a.example/2024/01/01/01?a=/b/b/b/b/b")));
    }

    #[test]
    fn variants_have_one_group() {
        let group = |text| variant_group(&url(text));
        assert_eq!(group("http://a.example/b?c=1"), group("http://a.example/b?c=2&d"));
        assert_eq!(
            group("http://a.example/0123456789abcdef/b"),
            group("http://a.example/fedcba9876543210/b")
        );
        assert_eq!(group("http://a.example/b"), None);
        assert_eq!(group("http://a.example/b/0123456789abcdef"), None);
        assert_ne!(group("http://a.example/b?c"), group("http://a.example/d?c"));
    }

    #[test]
    fn what_is_typed_is_a_url_or_a_sentence() {
        assert_eq!(
            typed_url("https://a.example").unwrap().as_str(),
            "https://a.example/"
        );
        assert_eq!(
            typed_url("a.example").unwrap_err(),
            "'a.example' is no URL and no file: write the scheme too, as in https://a.example"
        );
        assert!(typed_url("ftp://a.example").is_err());
    }

    proptest! {
        #[test]
        fn the_form_of_a_url_is_kept(text in "http://[a-c.]{1,5}(/[a-z;=(S)]{0,8}){0,4}([?][a-z=&]{0,9})?(#x)?") {
            if let Some(once) = Url::parse(&text).ok().and_then(page_url) {
                let again = page_url(Url::parse(once.as_str()).unwrap()).unwrap();
                prop_assert_eq!(once, again);
            }
        }
    }
}
