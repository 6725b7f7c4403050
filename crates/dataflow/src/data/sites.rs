//! Sums by site and language: what documents add to the sites table.
//!
//! A chunk's sums are those of its own documents, and final when it is written. They are kept beside its entry in the
//! log, and added up with those of the other chunks when all are there ([`crate::finish::sums`]). Nothing has to follow what
//! others write meanwhile, so that this needs no differential collection, which would hold the sums of all sites in
//! memory to be ready for changes.

use std::collections::{BTreeMap, btree_map};

use gleaner_corpus::{LanguagePages, SiteRow};
use serde::{Deserialize, Serialize};

use crate::data::message::Labelled;

/// A site, and one of the languages its pages say they are in.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SiteKey {
    pub(crate) site: String,
    pub(crate) language: Option<String>,
}

/// Pages and words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SiteCounts {
    pub(crate) pages: u64,
    pub(crate) kept_words: u64,
    pub(crate) dropped_words: u64,
    pub(crate) template_words: u64,
}

/// What is known of a site and a language.
pub(crate) type Sum = (SiteKey, SiteCounts);

impl SiteCounts {
    pub(crate) fn add(&mut self, other: &SiteCounts) {
        self.pages += other.pages;
        self.kept_words += other.kept_words;
        self.dropped_words += other.dropped_words;
        self.template_words += other.template_words;
    }
}

/// What a document adds to its site.
pub(crate) fn counts(labelled: &Labelled) -> Sum {
    let document = &labelled.document;
    let key = SiteKey {
        site: document.site.clone(),
        language: document.language.clone(),
    };
    let counts = SiteCounts {
        pages: 1,
        kept_words: u64::from(document.word_count),
        dropped_words: u64::from(document.dropped_words),
        template_words: u64::from(labelled.template_words),
    };
    (key, counts)
}

/// Sums that are added to, by site and language.
#[derive(Debug, Default)]
pub(crate) struct SiteSums(BTreeMap<SiteKey, SiteCounts>);

impl SiteSums {
    pub(crate) fn add(&mut self, (key, counts): Sum) {
        self.0.entry(key).or_default().add(&counts);
    }
}

impl IntoIterator for SiteSums {
    type Item = Sum;
    type IntoIter = btree_map::IntoIter<SiteKey, SiteCounts>;

    /// By site and language.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Makes the rows of the sites table of sums that come by site and language.
#[derive(Debug, Default)]
pub(crate) struct SiteRows {
    /// Of the site that came last.
    row: Option<SiteRow>,
}

impl SiteRows {
    /// Takes the next sum. Gives the row of the site before, if this is another.
    pub(crate) fn push(&mut self, (key, counts): Sum) -> Option<SiteRow> {
        let done = self.row.take_if(|row| row.site != key.site);
        let row = self.row.get_or_insert_with(|| SiteRow {
            site: key.site,
            ..SiteRow::default()
        });
        row.pages += counts.pages;
        row.kept_words += counts.kept_words;
        row.dropped_words += counts.dropped_words;
        row.template_words += counts.template_words;
        let pages = counts.pages;
        let language = key.language.map(|language| LanguagePages { language, pages });
        row.languages.extend(language);
        done
    }

    /// The row of the last site.
    pub(crate) fn last(self) -> Option<SiteRow> {
        self.row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(site: &str, language: Option<&str>, pages: u64) -> Sum {
        let key = SiteKey {
            site: site.into(),
            language: language.map(Into::into),
        };
        let counts = SiteCounts {
            pages,
            kept_words: 10 * pages,
            dropped_words: 1,
            template_words: 0,
        };
        (key, counts)
    }

    #[test]
    fn a_site_is_a_row_with_its_languages_in_order() {
        let mut sums = SiteSums::default();
        for added in [
            sum("b.example", Some("en"), 1),
            sum("a.example", Some("en"), 2),
            sum("a.example", None, 4),
            sum("a.example", Some("cs"), 1),
            sum("a.example", Some("en"), 3),
        ] {
            sums.add(added);
        }
        let mut rows = SiteRows::default();
        let mut all: Vec<SiteRow> = sums.into_iter().filter_map(|sum| rows.push(sum)).collect();
        all.extend(rows.last());
        let [a, b] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!((a.site.as_str(), b.site.as_str()), ("a.example", "b.example"));
        assert_eq!((a.pages, a.kept_words, a.dropped_words), (10, 100, 4));
        assert_eq!((b.pages, b.kept_words, b.dropped_words), (1, 10, 1));
        let languages = |row: &SiteRow| -> Vec<(String, u64)> {
            let languages = row.languages.iter();
            languages
                .map(|language| (language.language.clone(), language.pages))
                .collect()
        };
        assert_eq!(languages(a), [("cs".to_owned(), 1), ("en".to_owned(), 5)]);
        assert_eq!(languages(b), [("en".to_owned(), 1)]);
    }
}
