//! Sums by site and language: what documents add to the sites table.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use differential_dataflow::difference::{IsZero, Semigroup};
use gleaner_corpus::{LanguagePages, SiteRow};
use serde::{Deserialize, Serialize};

use crate::message::Labelled;

/// A site, and one of the languages its pages say they are in.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct SiteKey {
    pub(crate) site: String,
    pub(crate) language: Option<String>,
}

/// Pages and words; the difference type of the sites collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct SiteCounts {
    pub(crate) pages: i64,
    pub(crate) kept_words: i64,
    pub(crate) dropped_words: i64,
    pub(crate) template_words: i64,
}

impl IsZero for SiteCounts {
    fn is_zero(&self) -> bool {
        *self == SiteCounts::default()
    }
}

impl Semigroup for SiteCounts {
    fn plus_equals(&mut self, other: &Self) {
        self.pages += other.pages;
        self.kept_words += other.kept_words;
        self.dropped_words += other.dropped_words;
        self.template_words += other.template_words;
    }
}

/// What a document adds to its site.
pub(crate) fn counts(labelled: &Labelled) -> (SiteKey, SiteCounts) {
    let document = &labelled.document;
    let key = SiteKey {
        site: document.site.clone(),
        language: document.language.clone(),
    };
    let kept_words = i64::from(document.word_count);
    let counts = SiteCounts {
        pages: 1,
        kept_words,
        dropped_words: i64::from(document.dropped_words),
        template_words: i64::from(labelled.template_words),
    };
    (key, counts)
}

/// The sums as they stand, kept up by the differences that the dataflow gives.
#[derive(Debug, Default)]
pub(crate) struct SiteTable {
    current: Mutex<BTreeMap<SiteKey, SiteCounts>>,
}

impl SiteTable {
    /// Forgets all sums.
    pub(crate) fn clear(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        current.clear();
    }

    /// Takes in what an earlier run has written.
    pub(crate) fn restore(&self, site: &SiteKey, counts: &SiteCounts) {
        self.update(site, counts, 1);
    }

    /// Takes a sum in (`difference` 1) or out (-1). A site's old sum goes when its new one comes,
    /// in either order.
    pub(crate) fn update(&self, site: &SiteKey, counts: &SiteCounts, difference: isize) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = current.entry(site.clone()).or_default();
        let sign = difference as i64;
        sum.plus_equals(&SiteCounts {
            pages: sign * counts.pages,
            kept_words: sign * counts.kept_words,
            dropped_words: sign * counts.dropped_words,
            template_words: sign * counts.template_words,
        });
        if sum.is_zero() {
            current.remove(site);
        }
    }

    /// The rows of the sites table, by site.
    pub(crate) fn rows(&self) -> Vec<SiteRow> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows: Vec<SiteRow> = Vec::new();
        for (key, counts) in current.iter() {
            if rows.last().is_none_or(|row| row.site != key.site) {
                rows.push(SiteRow {
                    site: key.site.clone(),
                    ..SiteRow::default()
                });
            }
            let row = rows.last_mut().expect("a row was pushed for this site");
            row.pages += counts.pages as u64;
            row.kept_words += counts.kept_words as u64;
            row.dropped_words += counts.dropped_words as u64;
            row.template_words += counts.template_words as u64;
            let pages = counts.pages as u64;
            row.languages.extend(
                key.language
                    .clone()
                    .map(|language| LanguagePages { language, pages }),
            );
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(site: &str, language: Option<&str>) -> SiteKey {
        SiteKey {
            site: site.into(),
            language: language.map(Into::into),
        }
    }

    #[test]
    fn sums_follow_differences_in_any_order() {
        let table = SiteTable::default();
        let small = SiteCounts {
            pages: 1,
            kept_words: 10,
            dropped_words: 1,
            template_words: 0,
        };
        let large = SiteCounts {
            pages: 2,
            kept_words: 30,
            dropped_words: 1,
            template_words: 0,
        };
        table.update(&key("a.example", Some("en")), &small, 1);
        table.update(&key("a.example", Some("en")), &large, 1);
        table.update(&key("a.example", Some("en")), &small, -1);
        table.update(&key("a.example", Some("cs")), &small, 1);
        table.update(&key("b.example", None), &small, 1);
        table.update(&key("b.example", None), &small, -1);
        let rows = table.rows();
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].pages, rows[0].kept_words, rows[0].dropped_words),
            (3, 40, 2)
        );
        let languages: Vec<(&str, u64)> = rows[0]
            .languages
            .iter()
            .map(|language| (language.language.as_str(), language.pages))
            .collect();
        assert_eq!(languages, [("cs", 1), ("en", 2)]);
    }
}
