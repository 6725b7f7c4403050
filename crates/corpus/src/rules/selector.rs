//! What a user names to leave it out: a site, a domain, a URL, the beginning of URLs, a record, a text.

use std::ops::Range;

use url::{Host, Url};

use super::form::{Form, MAX_PARTS, is_prefix_end};
use super::name::{SelectorKind, bare_record_id};
use crate::key::{page_url, surt};

/// What a user names, checked and in one form.
///
/// ```
/// use gleaner_corpus::{Selector, SelectorKind};
///
/// let domain = Selector::new(SelectorKind::Domain, "Example.org")?;
/// assert_eq!(domain.name(), "domain:org,example");
/// let url = Selector::new(SelectorKind::Url, "https://example.org/a?b#c")?;
/// assert_eq!(url.name(), "url:org,example):/a?b");
/// # Ok::<(), gleaner_corpus::BadSelector>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selector {
    kind: SelectorKind,
    /// The host of a SURT; a SURT or its beginning; a record id without brackets; a digest.
    text: String,
}

/// What is no selector; it says the mend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSelector {
    /// A site or domain that is no host.
    #[error("'{0}' is not the name of a host: write the host alone, such as example.org")]
    Host(String),
    /// A URL or prefix that is no URL.
    #[error("'{0}' is not a URL: write it in full, such as https://example.org/page")]
    Url(String),
    /// The beginning of something that has no host and no path.
    #[error("'{0}' has no path, so nothing begins with it: name each URL")]
    Opaque(String),
    /// A prefix that ends within a name of a folder or a query.
    #[error("the prefix '{0}' does not end with '/' or '?': use {1}")]
    PrefixEnd(String, String),
    /// A prefix with a fragment.
    #[error("the prefix '{0}' has a part behind '#', which no page in a corpus has: use '{1}'")]
    Fragment(String, String),
    /// A prefix or domain with too many parts.
    #[error("'{0}' has more than {MAX_PARTS} parts: use a shorter one")]
    Deep(String),
    /// An empty record id.
    #[error("'{0}' is not a record id: write it as the column record_id has it, such as <urn:uuid:...>")]
    Record(String),
    /// A digest that is none.
    #[error("'{0}' is not the digest of a text: it has 64 digits of 0-9 and a-f")]
    Text(String),
    /// A line of a list that begins with another word.
    #[error("'{0}' is not a kind of selector: use {words}", words = SelectorKind::words())]
    Word(String),
}

/// A line of a list that is no selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of '{list}': {source}")]
pub struct BadList {
    /// The name of the list.
    pub list: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub source: BadSelector,
}

impl SelectorKind {
    fn words() -> String {
        let words: Vec<&str> = <SelectorKind as strum::VariantNames>::VARIANTS.to_vec();
        words.join(", ")
    }
}

impl Selector {
    /// Reads what a user typed.
    ///
    /// # Errors
    /// It is nothing of this kind.
    pub fn new(kind: SelectorKind, text: &str) -> Result<Selector, BadSelector> {
        let typed = text.trim();
        let text = match kind {
            SelectorKind::Site | SelectorKind::Domain => host(typed)?,
            SelectorKind::Url => url(typed)?,
            SelectorKind::Prefix => prefix(typed)?,
            SelectorKind::Record => record(typed)?,
            SelectorKind::Text => digest(typed)?,
        };
        Ok(Selector { kind, text })
    }

    /// Reads a line of a list: a kind and its value, `domain example.org`; or a value alone, which is a URL if it has `://`,
    /// else a domain. What stands behind `#` at the beginning, or behind white space and `#`, is a comment. Gives `None` for
    /// a line without a selector.
    ///
    /// # Errors
    /// It is none.
    pub fn parse_line(line: &str) -> Result<Option<Selector>, BadSelector> {
        let starts_comment =
            |(at, _): &(usize, &str)| line[..*at].chars().last().is_none_or(char::is_whitespace);
        let end = line.match_indices('#').find(starts_comment);
        let line = line[..end.map_or(line.len(), |(at, _)| at)].trim();
        let selector = match line.split_once(char::is_whitespace) {
            None if line.is_empty() => return Ok(None),
            None if line.contains("://") => Selector::new(SelectorKind::Url, line),
            None => Selector::new(SelectorKind::Domain, line),
            Some((word, text)) => match word.parse() {
                Ok(kind) => Selector::new(kind, text),
                Err(_) => Err(BadSelector::Word(word.to_owned())),
            },
        };
        selector.map(Some)
    }

    /// Reads a list, a selector a line.
    ///
    /// # Errors
    /// A line is none.
    pub fn parse_list(list: &str, text: &str) -> Result<Vec<Selector>, BadList> {
        let lines = text.trim_start_matches('\u{feff}').lines().enumerate();
        let selector = |(line, text): (usize, &str)| {
            let bad = |source| BadList {
                list: list.to_owned(),
                line: line + 1,
                source,
            };
            Selector::parse_line(text).map_err(bad).transpose()
        };
        lines.filter_map(selector).collect()
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// What it is.
    pub fn kind(&self) -> SelectorKind {
        self.kind
    }

    /// Its name in rules: `domain:org,example`. URLs and prefixes of `http` and `https` are not distinguished.
    pub fn name(&self) -> String {
        let word = self.kind.word();
        match self.kind {
            SelectorKind::Url | SelectorKind::Prefix => format!("{word}:{}", Form::of(&self.text).name()),
            _ => format!("{word}:{}", self.text),
        }
    }

    /// The ranges of SURTs that it can match, and of keys, which are a SURT, a byte 0, and more. `None` for a record or a
    /// text, which can be anywhere.
    pub fn ranges(&self) -> Option<Vec<Range<Vec<u8>>>> {
        let surts = || Form::of(&self.text).surts().into_iter();
        match self.kind {
            SelectorKind::Site => Some(vec![site_range(&self.text)]),
            SelectorKind::Domain => Some(vec![with(&self.text, b')')..with(&self.text, b',' + 1)]),
            // No byte of a SURT is as small as that which ends it in a key.
            SelectorKind::Url => Some(
                surts()
                    .map(|surt| surt.clone().into_bytes()..with(&surt, 1))
                    .collect(),
            ),
            SelectorKind::Prefix => Some(
                surts()
                    .map(|start| start.clone().into_bytes()..behind(start))
                    .collect(),
            ),
            SelectorKind::Record | SelectorKind::Text => None,
        }
    }
}

/// The SURTs of the pages of a host, given as SURTs have it.
pub(super) fn site_range(host: &str) -> Range<Vec<u8>> {
    with(host, b')')..with(host, b')' + 1)
}

fn with(text: &str, last: u8) -> Vec<u8> {
    [text.as_bytes(), &[last]].concat()
}

/// The least bytes that are greater than all that begin with a prefix.
fn behind(prefix: String) -> Vec<u8> {
    let mut bytes = prefix.into_bytes();
    if let Some(last) = bytes.last_mut() {
        // It is `/` or `?`.
        *last += 1;
    }
    bytes
}

/// The labels of a host, as a SURT has them.
fn host(typed: &str) -> Result<String, BadSelector> {
    let bad = || BadSelector::Host(typed.to_owned());
    let name = typed.strip_suffix('.').unwrap_or(typed);
    let host = match name.parse() {
        Ok(address) => Host::Ipv6(address),
        Err(_) => Host::parse(name).map_err(|_| bad())?,
    };
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte > b',');
    if !host.to_string().split('.').all(is_label) {
        return Err(bad());
    }
    let surt = surt(&format!("http://{host}/"));
    let form = Form::of(&surt);
    match form.host.split(',').count() > MAX_PARTS {
        true => Err(BadSelector::Deep(typed.to_owned())),
        false => Ok(form.host.to_owned()),
    }
}

fn url(typed: &str) -> Result<String, BadSelector> {
    let bad = || BadSelector::Url(typed.to_owned());
    let parsed = Url::parse(typed).map_err(|_| bad())?;
    // `example.org:80/` is a URL, too, of the scheme `example.org`.
    let is_host = !typed.contains("://")
        && (parsed.scheme().contains('.') || parsed.path().starts_with(|first: char| first.is_ascii_digit()));
    match is_host {
        true => Err(bad()),
        false => Ok(surt(typed)),
    }
}

fn prefix(typed: &str) -> Result<String, BadSelector> {
    let surt = url(typed)?;
    let page = page_url(typed);
    if let Some((before, _)) = typed.split_once('#').filter(|_| !page.contains('#')) {
        return Err(BadSelector::Fragment(typed.to_owned(), before.to_owned()));
    }
    let form = Form::of(&surt);
    if form.is_opaque() {
        return Err(BadSelector::Opaque(typed.to_owned()));
    }
    let path = form.path();
    if !path.bytes().last().is_some_and(is_prefix_end) {
        return Err(BadSelector::PrefixEnd(typed.to_owned(), nearest(&page, path)));
    }
    match form.prefixes().map(str::len).sum::<usize>() < form.tail.len() {
        true => Err(BadSelector::Deep(typed.to_owned())),
        false => Ok(surt),
    }
}

/// The prefixes next to a URL, in words.
fn nearest(url: &str, path: &str) -> String {
    let authority = &url[..url.len() - path.len()];
    let shorter = path
        .rfind(['/', '?'])
        .map(|at| format!("'{authority}{}'", &path[..=at]));
    let longer = ['/', '?'].map(|end| format!("'{url}{end}'"));
    let longer = longer.into_iter().filter(|_| !path.contains('?'));
    let all: Vec<String> = shorter.into_iter().chain(longer).collect();
    match all.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => all.concat(),
    }
}

fn record(typed: &str) -> Result<String, BadSelector> {
    let id = bare_record_id(typed);
    match id.is_empty() {
        true => Err(BadSelector::Record(typed.to_owned())),
        false => Ok(id.to_owned()),
    }
}

fn digest(typed: &str) -> Result<String, BadSelector> {
    let is_digest = typed.len() == 64 && typed.bytes().all(|byte| byte.is_ascii_hexdigit());
    match is_digest {
        true => Ok(typed.to_ascii_lowercase()),
        false => Err(BadSelector::Text(typed.to_owned())),
    }
}

#[cfg(test)]
mod tests;
