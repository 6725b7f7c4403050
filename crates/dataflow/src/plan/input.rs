//! The input of a build, and how it is cut.

use gleaner_corpus::{Crawl, Rules, Unread};
use gleaner_store::{Shard, Store};

use crate::data::key::{self, crawl_prefix};
use crate::plan::capture_ranges::CaptureRanges;

use crate::plan::Plan;
use crate::plan::formats::Formats;
use crate::rules::{ReadRules, RulesOfArchive};

/// What is known of an archive beside its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveTerms {
    /// Its crawl, if the corpus is labelled.
    pub crawl: Option<Crawl>,
    /// The version of the corpus in which it came.
    pub since: u64,
    /// Whether it is read again, for what older rules left out: the rest of it is in the corpus.
    pub is_read_again: bool,
}

impl Input {
    /// Sets what is known of its shards, and the rules of this version and of the one before.
    pub(crate) fn set_terms(&mut self, terms: Vec<ArchiveTerms>, [before, now]: [&Rules; 2]) {
        self.prefixes = terms
            .iter()
            .map(|terms| crawl_prefix(terms.crawl.as_ref()))
            .collect();
        let rules = |terms: &ArchiveTerms| ReadRules {
            now: RulesOfArchive::new(now, terms.since),
            before: terms
                .is_read_again
                .then(|| RulesOfArchive::new(before, terms.since)),
        };
        self.rules = terms.iter().map(rules).collect();
        self.terms = terms;
    }

    /// Whether a capture with a SURT is taken from a shard; it may also be a file of a site.
    pub(crate) fn takes(&self, shard: usize, surt: &str, is_site_file: bool) -> bool {
        let Some(only) = &self.only else {
            return true;
        };
        let surt = [&*self.prefixes[shard], surt.as_bytes()].concat();
        let site_file = || key::of_site_file(&surt).filter(|_| is_site_file);
        only.contain(&surt) || site_file().is_some_and(|key| only.contain(&key))
    }
}

/// The input of a build, and how it is cut.
pub(crate) struct Input {
    pub(crate) store: Store,
    pub(crate) shards: Vec<Shard>,
    /// What is known of each of them, and how the keys of its pages begin.
    pub(crate) terms: Vec<ArchiveTerms>,
    pub(crate) prefixes: Vec<Vec<u8>>,
    /// What decides about the captures of each.
    pub(crate) rules: Vec<ReadRules>,
    /// The captures that are taken; all where it is none.
    pub(crate) only: Option<CaptureRanges>,
    pub(crate) formats: Formats,
    pub(crate) plan: Plan,
    /// Inputs that could not even be listed.
    pub(crate) unlisted: Vec<Unread>,
}
