//! Sums by site and language: what documents add to the sites table.
//!
//! A unit's sums are those of its own documents. They are part of its state, and the last step adds those of all units up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::data::message::Labelled;

/// Pages and words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SiteCounts {
    pub(crate) pages: u64,
    pub(crate) kept_words: u64,
    pub(crate) dropped_words: u64,
    pub(crate) template_words: u64,
}

/// What some documents of a site and a language add to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SiteSum {
    pub(crate) site: String,
    /// The language of the documents.
    pub(crate) language: String,
    /// The key of the first of them.
    pub(crate) first: Vec<u8>,
    pub(crate) counts: SiteCounts,
}

impl SiteCounts {
    pub(crate) fn add(&mut self, other: &SiteCounts) {
        self.pages += other.pages;
        self.kept_words += other.kept_words;
        self.dropped_words += other.dropped_words;
        self.template_words += other.template_words;
    }
}

/// Sums that are added to.
#[derive(Debug, Default)]
pub(crate) struct SiteSums(BTreeMap<(String, String), SiteSum>);

impl SiteSums {
    /// Adds the next document, by key.
    pub(crate) fn add(&mut self, key: &[u8], labelled: &Labelled) {
        let document = &labelled.document;
        let (site, language) = (document.site.clone(), document.language.clone());
        let sum = self
            .0
            .entry((site, language))
            .or_insert_with_key(|(site, language)| SiteSum {
                site: site.clone(),
                language: language.clone(),
                first: key.into(),
                counts: SiteCounts::default(),
            });
        sum.counts.add(&SiteCounts {
            pages: 1,
            kept_words: u64::from(document.word_count),
            dropped_words: u64::from(document.dropped_words),
            template_words: u64::from(labelled.template_words),
        });
    }

    /// By site and language.
    pub(crate) fn sums(self) -> Vec<SiteSum> {
        self.0.into_values().collect()
    }
}
