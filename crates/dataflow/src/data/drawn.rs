//! Which captures of a URL give way to the page as a browser drew it.
//!
//! A *drawn page* is a `conversion` of HTML that refers to a capture of its URL. Beside it waits a mark, whose key stands before the
//! captures of the URL. So when the captures come, by key, it is known which of them are drawn. Of the drawn pages of one capture
//! the one with the last key counts: the newest.

use gleaner_corpus::{DocumentRow, RejectRow};
use gleaner_curate::rights::{FoundIn, RightsRow};
use rustc_hash::FxHashMap;

use crate::data::key::{drawn_from, record_of, surt_of};
use crate::data::message::Scored;
use crate::data::reject;

/// Bytes that are kept of the drawn pages of a URL, at most. Captures whose drawn pages find no room stay documents.
const MOST_BYTES: usize = 16 << 20;

/// The drawn pages of the URL whose records come.
#[derive(Debug, Default)]
pub(crate) struct DrawnPages {
    surt: Vec<u8>,
    /// By the record of the capture.
    pages: FxHashMap<Box<str>, DrawnPage>,
    bytes: usize,
}

/// The drawn page that counts for a capture.
#[derive(Debug, Default)]
struct DrawnPage {
    key: Vec<u8>,
    /// What the server answered, if the capture has come.
    status: Option<u16>,
    /// What its headers state about rights.
    rights: Vec<RightsRow>,
}

impl DrawnPages {
    /// Takes the next mark: its page has this key.
    pub(crate) fn take(&mut self, page: &[u8]) {
        let surt = surt_of(page);
        if *self.surt != *surt {
            *self = DrawnPages {
                surt: surt.to_vec(),
                ..DrawnPages::default()
            };
        }
        let of = drawn_from(page);
        match self.pages.get_mut(of) {
            Some(known) if *known.key < *page => known.key = page.to_vec(),
            Some(_) => {}
            None if self.bytes + page.len() > MOST_BYTES => {}
            None => {
                self.bytes += of.len() + page.len() + size_of::<DrawnPage>();
                let key = page.to_vec();
                self.pages.insert(
                    of.into(),
                    DrawnPage {
                        key,
                        ..DrawnPage::default()
                    },
                );
            }
        }
    }

    /// The key of the drawn page that counts in place of a page, by the key of that.
    pub(crate) fn in_place_of(&self, key: &[u8]) -> Option<&[u8]> {
        if self.pages.is_empty() || *self.surt != *surt_of(key) {
            return None;
        }
        let capture = Some(drawn_from(key)).filter(|of| !of.is_empty());
        let drawn = self.pages.get(capture.unwrap_or_else(|| record_of(key)))?;
        (*drawn.key != *key).then_some(&*drawn.key)
    }

    /// Takes a page that gives way. A capture leaves the drawn page what the server answered.
    pub(crate) fn leave_out(&mut self, key: &[u8], page: Scored) {
        let Some(drawn) = self.pages.get_mut(record_of(key)) else {
            return;
        };
        let of_headers = page.parts.rights.into_iter();
        let of_headers: Vec<RightsRow> = of_headers.filter(|row| row.found == FoundIn::Header).collect();
        let bytes = of_headers.iter().map(|row| row.value.len() + row.stated.len());
        self.bytes += bytes.sum::<usize>() + of_headers.len() * size_of::<RightsRow>();
        if self.bytes <= MOST_BYTES {
            drawn.status = drawn.status.or(page.document.http_status);
            drawn.rights.extend(of_headers);
        }
    }

    /// Adds to a drawn page what the server answered, as far as the page does not say that itself.
    pub(crate) fn complete(&self, key: &[u8], page: &mut Scored) {
        let drawn = self.pages.get(drawn_from(key)).filter(|drawn| *drawn.key == *key);
        let Some(DrawnPage { status, rights, .. }) = drawn else {
            return;
        };
        page.document.http_status = page.document.http_status.or(*status);
        for row in rights {
            if !page.parts.rights.contains(row) {
                page.parts.rights.push(row.clone());
            }
        }
    }
}

/// The reject of a page that gives way to the one with this key.
pub(crate) fn gives_way(document: &DocumentRow, drawn: &[u8]) -> Box<RejectRow> {
    let detail = format!("{} is this page as a browser drew it", record_of(drawn));
    let mut row = reject::of_page(document, "drawn", detail);
    row.stage = "label".to_owned();
    row
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::{Millis, surt};

    use super::*;
    use crate::data::key::{of_document, of_drawn};

    fn key(url: &str, record: &str, time: i64, of: Option<&str>) -> Vec<u8> {
        let document = DocumentRow {
            url: url.to_owned(),
            surt: surt(url),
            record_id: record.to_owned(),
            crawl_date: Some(Millis(time)),
            ..DocumentRow::default()
        };
        of.map_or_else(|| of_document(&document, &[]), |of| of_drawn(&document, of, &[]))
    }

    const URL: &str = "http://a.example/";

    #[test]
    fn the_newest_drawn_page_counts() {
        let keys = [
            key(URL, "<1>", 5, None),
            key(URL, "<b>", 5, Some("<1>")),
            key(URL, "<a>", 7, Some("<1>")),
            key(URL, "<2>", 9, None),
        ];
        let mut pages = DrawnPages::default();
        assert_eq!(pages.in_place_of(&keys[0]), None);
        // Marks come by the id of the record.
        pages.take(&keys[2]);
        pages.take(&keys[1]);
        let chosen = keys.each_ref().map(|key| pages.in_place_of(key).map(record_of));
        assert_eq!(chosen, [Some("<a>"), Some("<a>"), None, None]);
        // Of another URL nothing is known.
        assert_eq!(
            pages.in_place_of(&key("http://a.example/b", "<1>", 5, None)),
            None
        );
        pages.take(&key("http://a.example/b", "<c>", 5, Some("<9>")));
        assert_eq!(pages.in_place_of(&keys[0]), None);
    }

    #[test]
    fn chains_and_circles_lose_no_page() {
        // The second is made of the first, and the first of the second.
        let circle = [key(URL, "<1>", 5, Some("<2>")), key(URL, "<2>", 5, Some("<1>"))];
        let mut pages = DrawnPages::default();
        circle.iter().for_each(|key| pages.take(key));
        assert!(circle.iter().all(|key| pages.in_place_of(key).is_none()));
    }

    #[test]
    fn the_pages_of_a_url_have_a_bound() {
        let url = format!("http://a.example/{}", "a".repeat(1 << 16));
        let mut pages = DrawnPages::default();
        for number in 0..1000 {
            pages.take(&key(&url, "<d>", 5, Some(&format!("<{number:04}>"))));
        }
        let chosen = |number: usize| {
            let capture = key(&url, &format!("<{number:04}>"), 5, None);
            pages.in_place_of(&capture).is_some()
        };
        let count = (0..1000).take_while(|&number| chosen(number)).count();
        assert!((100..200).contains(&count), "{count}");
        assert!(!(count..1000).any(chosen));
    }

    #[test]
    fn a_drawn_page_has_what_the_server_answered() {
        use gleaner_curate::rights::page_rights;

        let rights = |headers: &[(&str, &str)]| {
            let headers = headers
                .iter()
                .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            page_rights(&[], headers, URL, &gleaner_curate::Agents::default())
        };
        let scored = |status, rights| {
            let mut page = Scored::default();
            page.document.http_status = status;
            page.parts.rights = rights;
            page
        };
        let (capture, drawn) = (key(URL, "<1>", 5, None), key(URL, "<2>", 5, Some("<1>")));
        let mut pages = DrawnPages::default();
        pages.take(&drawn);
        let of_server = rights(&[("X-Robots-Tag", "noai"), ("tdm-reservation", "1")]);
        assert_eq!(of_server.len(), 2);
        pages.leave_out(&capture, scored(Some(203), of_server.clone()));
        let mut page = scored(None, rights(&[("tdm-reservation", "1")]));
        pages.complete(&drawn, &mut page);
        assert_eq!(page.document.http_status, Some(203));
        assert_eq!(page.parts.rights, [of_server[1].clone(), of_server[0].clone()]);
        let mut other = scored(None, Vec::new());
        pages.complete(&key(URL, "<3>", 5, None), &mut other);
        assert_eq!((other.document.http_status, other.parts.rights.len()), (None, 0));
    }
}
