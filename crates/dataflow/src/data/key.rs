//! The order of pages: their keys as bytes, and the ranges of keys of sites.

use std::borrow::Cow;
use std::ops::Range;

use gleaner_corpus::{Crawl, DocumentRow, RejectRow, surt};
use gleaner_curate::rights::RightsFile;

/// Which pages are of one site.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::Display, strum::EnumString, strum::VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum SiteOf {
    /// Those of a host.
    #[default]
    Host,
    /// Those of a registrable domain, by the public suffix list: `a.example.co.uk` and `example.co.uk`.
    Domain,
}

impl SiteOf {
    /// The site of a host.
    #[must_use]
    pub fn site(self, host: &str) -> String {
        let domain = match self {
            SiteOf::Domain => gleaner_domain::registrable(host),
            SiteOf::Host => None,
        };
        domain.unwrap_or(host).to_owned()
    }
}

/// How the keys of a crawl begin: with its name, if it has one. Its pages stand side by side. In all
/// functions here a SURT may have the prefix before it.
pub(crate) fn crawl_prefix(crawl: Option<&Crawl>) -> Vec<u8> {
    crawl.map_or_else(Vec::new, |crawl| {
        [crawl.as_str().as_bytes(), &[CRAWL_END]].concat()
    })
}

/// The crawl whose keys begin with a prefix, if it has a name.
pub(crate) fn crawl_of(prefix: &[u8]) -> Option<Crawl> {
    let name = prefix.strip_suffix(&[CRAWL_END])?;
    Crawl::new(str::from_utf8(name).ok()?).ok()
}

/// The crawl of a key, as the key begins with it.
pub(crate) fn prefix_of(key: &[u8], is_labelled: bool) -> &[u8] {
    let end = key.iter().position(|&byte| byte == CRAWL_END);
    end.filter(|_| is_labelled).map_or(&[], |end| &key[..=end])
}

/// A SURT without the name of the crawl before it.
pub(crate) fn without_crawl(surt: &[u8]) -> &[u8] {
    let end = surt.iter().position(|&byte| byte == CRAWL_END);
    end.map_or(surt, |end| &surt[end + 1..])
}

/// Whether the first unit of a crawl begins here: where its keys do.
pub(crate) fn begins_crawl(start: &[u8]) -> bool {
    start.last().is_none_or(|&last| last == CRAWL_END)
}

/// The first key behind those that begin with the name of a crawl; empty where there are no others.
pub(crate) fn after(prefix: &[u8]) -> Vec<u8> {
    let mut end = prefix.to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}

/// Keys from one on, up to another and without that; to the last where it is empty.
pub(crate) type KeyRange = Range<Vec<u8>>;

/// The key of a page: its URL as a SURT, the time of the capture, the record, where that is, and the URL as it was captured.
/// No two captures of a crawl have the same.
pub(crate) fn of_document(document: &DocumentRow, crawl: &[u8]) -> Vec<u8> {
    let place = (document.warc_file.as_str(), document.warc_offset);
    let time = document.crawl_date.map(|date| date.0);
    key(
        [crawl, document.surt.as_bytes()],
        time,
        &document.record_id,
        place,
        &document.url,
    )
}

/// The key of a capture that became no page, or of a damaged place.
pub(crate) fn of_reject(reject: &RejectRow, crawl: &[u8]) -> Vec<u8> {
    let place = (reject.warc_file.as_str(), reject.warc_offset);
    let record = reject.record_id.as_deref().unwrap_or_default();
    let url = reject.url.as_deref().unwrap_or_default();
    match &reject.surt {
        Some(surt) => key([crawl, surt.as_bytes()], None, record, place, url),
        None => key([crawl, surt("").as_bytes()], None, record, place, url),
    }
}

/// The key of a drawn page: `of` is the record of the capture that it was made from, before its own. So it stands behind the
/// capture, if both have one time.
pub(crate) fn of_drawn(document: &DocumentRow, of: &str, crawl: &[u8]) -> Vec<u8> {
    let key = of_document(document, crawl);
    let record = surt_of(&key).len() + 1 + NUMBER;
    let (before, after) = key.split_at(record);
    [before, printable(of).as_bytes(), &[DRAWN], after].concat()
}

/// The key of the mark of a drawn page, by the key of the page: it stands before the captures of the URL. None of other pages.
pub(crate) fn of_mark(key: &[u8]) -> Option<Vec<u8>> {
    let surt = surt_of(key).len();
    let is_drawn = !drawn_from(key).is_empty();
    is_drawn.then(|| [&key[..=surt], &[0; NUMBER], &[MARK], &key[surt + 1 + NUMBER..]].concat())
}

/// The keys of the marks of the drawn pages of a URL, by the key of one of its captures.
pub(crate) fn marks(key: &[u8]) -> KeyRange {
    let with = |mark: u8| [surt_of(key), &[END], &[0; NUMBER], &[mark]].concat();
    with(MARK)..with(MARK + 1)
}

/// Whether a key is that of a mark of a drawn page.
pub(crate) fn is_mark(key: &[u8]) -> bool {
    after_time(key).first() == Some(&MARK)
}

/// The key that a drawn page would have if it were none, by its key.
pub(crate) fn without_drawn(key: &[u8]) -> Vec<u8> {
    let record = key.len() - after_time(key).len();
    let of = match drawn_from(key).len() {
        0 => 0,
        of => of + 1,
    };
    [&key[..record], &key[record + of..]].concat()
}

/// The record of a key.
pub(crate) fn record_of(key: &[u8]) -> &str {
    records(key).1
}

/// The record that a page was drawn from, by its key; empty where it was not drawn.
pub(crate) fn drawn_from(key: &[u8]) -> &str {
    records(key).0
}

/// The record that a page was drawn from, and its own.
fn records(key: &[u8]) -> (&str, &str) {
    text(after_time(key), END).map_or(("", ""), |(record, _)| split_record(record))
}

fn split_record(record: &str) -> (&str, &str) {
    let record = record.trim_start_matches(char::from(MARK));
    record.split_once(char::from(DRAWN)).unwrap_or(("", record))
}

/// What stands behind the time in a key.
fn after_time(key: &[u8]) -> &[u8] {
    key.get(surt_of(key).len() + 1 + NUMBER..).unwrap_or_default()
}

/// A record id without the characters that keys have between their parts. No program writes such an id.
fn printable(record: &str) -> Cow<'_, str> {
    match record.bytes().any(|byte| byte < b' ') {
        true => Cow::Owned(record.replace(|letter: char| letter < ' ', " ")),
        false => Cow::Borrowed(record),
    }
}

fn key(surt: [&[u8]; 2], time: Option<i64>, record: &str, (file, offset): (&str, u64), url: &str) -> Vec<u8> {
    let [crawl, surt] = surt;
    let mut key = Vec::with_capacity(crawl.len() + surt.len() + record.len() + file.len() + url.len() + 20);
    key.extend_from_slice(crawl);
    key.extend_from_slice(surt);
    key.push(END);
    // Numbers below zero come first, and none before all.
    let time = time.map_or(0, |time| (time.cast_unsigned() ^ (1 << 63)).max(1));
    key.extend_from_slice(&time.to_be_bytes());
    for text in [&*printable(record), file] {
        key.extend_from_slice(text.as_bytes());
        key.push(END);
    }
    key.extend_from_slice(&offset.to_be_bytes());
    key.extend_from_slice(url.as_bytes());
    key
}

/// The keys of the pages of a site, by the SURT of one of them: they stand side by side. Hosts whose labels have signs that no
/// name of a host has may share a range, and are one site then.
pub(crate) fn of_site(surt: &[u8], site: &str, of: SiteOf) -> Range<Vec<u8>> {
    const SEPARATOR: u8 = b',';
    let end = surt
        .iter()
        .position(|&byte| byte == HOST_END)
        .unwrap_or(surt.len());
    let host = &surt[..end];
    let (name, last) = match of {
        SiteOf::Host => (host, HOST_END),
        SiteOf::Domain => {
            let mut ends = (0..end).filter(|&at| host[at] == SEPARATOR);
            let labels = site.matches('.').count();
            (&host[..ends.nth(labels).unwrap_or(end)], SEPARATOR)
        }
    };
    let with = |byte: u8| [name, &[byte]].concat();
    with(HOST_END)..with(last + 1)
}

/// The key of the file of a site that a capture is, by the key of the capture. It stands before the pages of its host. None where
/// the URL is not that of a host at its usual port alone.
pub(crate) fn of_site_file(key: &[u8]) -> Option<Vec<u8>> {
    let surt = surt_of(key);
    let end = host_end(surt).filter(|&end| is_at_usual_port(&surt[end..]))?;
    Some([&key[..end], &key[surt.len()..]].concat())
}

/// The keys of the files of the site, by the key of one of them.
pub(crate) fn site_files(key: &[u8]) -> KeyRange {
    let host = surt_of(key);
    host.to_vec()..[host, &[CRAWL_END]].concat()
}

/// The keys of the files of the site in which a unit begins, where they stand before the unit.
pub(crate) fn site_files_before(start: &[u8]) -> Option<KeyRange> {
    let end = host_end(start).filter(|&end| end < start.len())?;
    Some(site_files(&start[..end]))
}

/// Whether files of a site, which have these keys, are about a page: it is of their host, at its usual port.
pub(crate) fn has_site_files(key: &[u8], files: &KeyRange) -> bool {
    key.strip_prefix(&*files.start).is_some_and(is_at_usual_port)
}

/// Whether a key is that of a file of a site: its SURT ends with the host.
pub(crate) fn is_site_file(key: &[u8]) -> bool {
    let surt = surt_of(key);
    host_end(surt) == Some(surt.len())
}

/// The keys of the files of the site whose captures have SURTs of a range, if there can be some and they are not in the range, too.
pub(crate) fn site_files_of(range: &KeyRange) -> Option<KeyRange> {
    let end = host_end(&range.start).filter(|&end| end < range.start.len())?;
    let host = &range.start[..end];
    let is_within = |scheme: &str, path: &str| {
        let surt = [host, b":", scheme.as_bytes(), path.as_bytes()].concat();
        range.start <= surt && (range.end.is_empty() || surt < range.end)
    };
    let mut paths = RightsFile::PATHS.iter();
    let has_some = paths.any(|(path, _)| is_within("http", path) || is_within("https", path));
    has_some.then(|| site_files(host))
}

/// Where the host of a SURT ends.
fn host_end(surt: &[u8]) -> Option<usize> {
    surt.iter()
        .position(|&byte| byte == HOST_END)
        .map(|place| place + 1)
}

/// Whether what stands behind the host is a scheme and a path.
fn is_at_usual_port(rest: &[u8]) -> bool {
    rest.starts_with(b":http/") || rest.starts_with(b":https/")
}

/// Ends the SURT in a key. It sorts below every byte of a SURT.
pub(crate) const END: u8 = 0;

/// Ends the name of the crawl in a key. No name has it.
pub(crate) const CRAWL_END: u8 = 1;

/// Stands before the records in the key of a mark of a drawn page. No record id begins with it.
const MARK: u8 = 1;

/// Ends the record that a page was drawn from. No record id has it.
const DRAWN: u8 = 2;

/// Ends the host in a SURT.
const HOST_END: u8 = b')';

/// The SURT of a key.
pub(crate) fn surt_of(key: &[u8]) -> &[u8] {
    let end = key.iter().position(|&byte| byte == END).unwrap_or(key.len());
    &key[..end]
}

/// What a key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyParts<'a> {
    /// The name of the crawl; none where it has no name.
    pub(crate) crawl: Option<&'a str>,
    pub(crate) surt: &'a str,
    pub(crate) record: &'a str,
    /// The record that the page was drawn from; empty where it was not drawn.
    pub(crate) drawn_from: &'a str,
    pub(crate) archive: &'a str,
    pub(crate) url: &'a str,
}

impl KeyParts<'_> {
    /// Takes a key apart; nothing where it is none.
    pub(crate) fn of(key: &[u8], is_labelled: bool) -> Option<KeyParts<'_>> {
        let (crawl, key) = match is_labelled {
            true => text(key, CRAWL_END).map(|(crawl, key)| (Some(crawl), key))?,
            false => (None, key),
        };
        let (surt, key) = text(key, END)?;
        // Behind it stands the time, and before the URL the offset.
        let (record, key) = text(key.get(NUMBER..)?, END)?;
        let (archive, key) = text(key, END)?;
        let url = str::from_utf8(key.get(NUMBER..)?).ok()?;
        let (drawn_from, record) = split_record(record);
        Some(KeyParts {
            crawl,
            surt,
            record,
            drawn_from,
            archive,
            url,
        })
    }
}

/// A text up to the byte that ends it, and what is behind that.
fn text(key: &[u8], end: u8) -> Option<(&str, &[u8])> {
    let at = key.iter().position(|&byte| byte == end)?;
    Some((str::from_utf8(&key[..at]).ok()?, &key[at + 1..]))
}

/// Bytes of a number in a key.
const NUMBER: usize = 8;

#[cfg(test)]
mod tests {
    use gleaner_corpus::Millis;

    use super::*;

    #[test]
    fn captures_of_a_url_stand_by_time_and_all_differ() {
        let document = |url: &str, time: Option<i64>, offset| DocumentRow {
            url: url.to_owned(),
            surt: surt(url),
            crawl_date: time.map(Millis),
            warc_offset: offset,
            ..DocumentRow::default()
        };
        let sorted = [
            document("http://a.example/", None, 7),
            document("http://a.example/", Some(-5), 3),
            document("http://a.example/", Some(5), 2),
            document("http://a.example/", Some(5), 300),
            document("http://a.example/#b", Some(5), 300),
            document("http://a.example:80/", Some(5), 300),
            document("http://a.example/a", Some(1), 1),
            document("http://www.a.example/", Some(0), 0),
        ];
        let crawls = [
            None,
            Some(Crawl::new("a").unwrap()),
            Some(Crawl::new("a.b").unwrap()),
        ];
        let prefixes = crawls.iter().map(|crawl| crawl_prefix(crawl.as_ref()));
        for prefix in prefixes {
            let keys = sorted.each_ref().map(|document| of_document(document, &prefix));
            assert!(keys.is_sorted_by(|one, other| one < other));
            assert!(keys.iter().all(|key| key.starts_with(&prefix)));
            for (key, document) in keys.iter().zip(&sorted) {
                let parts = KeyParts::of(key, !prefix.is_empty()).unwrap();
                assert_eq!((parts.surt, parts.url), (&*document.surt, &*document.url));
                assert_eq!(
                    (parts.record, parts.archive),
                    (&*document.record_id, &*document.warc_file)
                );
                assert_eq!(
                    crawl_prefix(parts.crawl.map(|name| Crawl::new(name).unwrap()).as_ref()),
                    prefix
                );
            }
        }
    }

    #[test]
    fn a_drawn_page_stands_behind_its_capture_and_its_mark_before_both() {
        let document = |record: &str, time: Option<i64>| DocumentRow {
            url: "http://a.example/".to_owned(),
            surt: surt("http://a.example/"),
            record_id: record.to_owned(),
            crawl_date: time.map(Millis),
            warc_file: "a.warc".to_owned(),
            ..DocumentRow::default()
        };
        for (time, prefix) in [(None, ""), (Some(7), ""), (Some(7), "a\u{1}")] {
            let (capture, page) = (document("<r>", time), document("<a>", time));
            let own = of_document(&capture, prefix.as_bytes());
            let drawn = of_drawn(&page, "<r>", prefix.as_bytes());
            let mark = of_mark(&drawn).unwrap();
            assert!(mark < own && own < drawn);
            assert!(
                marks(&own).contains(&mark) && !marks(&own).contains(&own) && !marks(&own).contains(&drawn)
            );
            assert_eq!(
                [&own, &drawn, &mark].map(|key| is_mark(key)),
                [false, false, true]
            );
            assert_eq!(of_mark(&own), None);
            assert_eq!(without_drawn(&drawn), of_document(&page, prefix.as_bytes()));
            assert_eq!(without_drawn(&own), own);
            assert_eq!((record_of(&own), drawn_from(&own)), ("<r>", ""));
            let parts = [&drawn, &mark].map(|key| KeyParts::of(key, !prefix.is_empty()).unwrap());
            for parts in parts {
                assert_eq!((parts.record, parts.drawn_from), ("<a>", "<r>"));
                assert_eq!((parts.archive, parts.url), ("a.warc", "http://a.example/"));
            }
        }
        // No id of a record makes a page a drawn one, or a mark.
        let odd = of_document(&document("\u{1}<r>\u{2}<a>\0#1", None), b"");
        assert!(!is_mark(&odd) && drawn_from(&odd).is_empty() && KeyParts::of(&odd, false).is_some());
    }

    #[test]
    fn files_of_a_site_stand_before_the_pages_of_its_host() {
        let key = |url: &str, prefix: &[u8]| {
            let document = DocumentRow {
                url: url.to_owned(),
                surt: surt(url),
                ..DocumentRow::default()
            };
            of_document(&document, prefix)
        };
        for crawl in [None, Some(Crawl::new("a").unwrap())] {
            let prefix = crawl_prefix(crawl.as_ref());
            let robots = key("https://www.a.example/robots.txt", &prefix);
            let file = of_site_file(&robots).unwrap();
            assert!(is_site_file(&file) && !is_site_file(&robots) && !is_site_file(&key("dns:a)", &prefix)));
            assert!(!is_site_file(&key("", &prefix)) && !is_site_file(&key("http://a.example/(b)", &prefix)));
            let parts = KeyParts::of(&file, !prefix.is_empty()).unwrap();
            assert_eq!(
                (parts.surt, parts.url),
                ("example,a,www)", "https://www.a.example/robots.txt")
            );
            let keys = site_files(&file);
            assert!(keys.contains(&file));
            for (url, is_about) in [
                ("http://www.a.example/", true),
                ("https://www.a.example/b?c", true),
                ("http://www.a.example:8080/", false),
                ("http://user@www.a.example/", false),
                ("http://a.example/", false),
                ("http://b.www.a.example/", false),
            ] {
                let page = key(url, &prefix);
                assert_eq!(has_site_files(&page, &keys), is_about, "{url}");
                assert!(!is_about || (file < page && !keys.contains(&page)));
                let before = site_files_before(surt_of(&page));
                assert_eq!(
                    before == Some(keys.clone()),
                    url.contains("//www.a") || url.contains("@www"),
                    "{url}"
                );
            }
            assert_eq!(site_files_before(&prefix), None);
            assert_eq!(site_files_before(surt_of(&file)), None);
            let range = |from: &str, to: &str| [from, to].map(|surt| [&*prefix, surt.as_bytes()].concat());
            for (from, to, found) in [
                (
                    "example,a,www):https/robots.txt",
                    "example,a,www):https/robots.txt!",
                    true,
                ),
                ("example,a,www):https/", "example,a,www):https0", true),
                ("example,a,www):https/a", "example,a,www):https/aa", false),
                ("example,a,www)", "example,a,www*", false),
            ] {
                let [from, to] = range(from, to);
                assert_eq!(site_files_of(&(from..to)), found.then(|| keys.clone()));
            }
        }
    }

    #[test]
    fn pages_of_a_site_are_a_range() {
        let range = |url: &str, of: SiteOf| {
            let host = url.split('/').nth(2).unwrap();
            of_site(surt(url).as_bytes(), &of.site(host), of)
        };
        let has = |range: &Range<Vec<u8>>, url: &str| range.contains(&surt(url).into_bytes());
        let host = range("http://example.co.uk/", SiteOf::Host);
        let domain = range("http://www.example.co.uk/x", SiteOf::Domain);
        assert_eq!(domain, range("http://example.co.uk/", SiteOf::Domain));
        for (url, of_host, of_domain) in [
            ("https://example.co.uk:8080/a", true, true),
            ("http://www.example.co.uk/", false, true),
            ("http://a.b.example.co.uk/", false, true),
            ("http://example-2.co.uk/", false, false),
            ("http://examples.co.uk/", false, false),
            ("http://co.uk/", false, false),
        ] {
            assert_eq!(
                (has(&host, url), has(&domain, url)),
                (of_host, of_domain),
                "{url}"
            );
        }
        let address = range("http://10.0.0.1/", SiteOf::Domain);
        assert!(has(&address, "http://10.0.0.1/a") && !has(&address, "http://10.0.0.11/"));
        for host in ["co.uk", "10.0.0.1", "::1", "localhost", ""] {
            assert_eq!(SiteOf::Domain.site(host), host);
        }
    }
}
