//! The numbers of a report.

use std::collections::BTreeMap;

use gleaner_export::{Count, Funnel};
use serde::Serialize;

use crate::histogram::Histogram;

/// What is in a version of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// The corpus, as it was named.
    pub corpus: String,
    /// The number of its version.
    pub corpus_version: u64,
    /// The version of gleaner that counted.
    pub gleaner: String,
    /// Sums over all documents.
    pub totals: Totals,
    /// Documents of each crawl that has a name.
    pub crawls: Vec<Group>,
    /// Its sites.
    pub sites: Sites,
    /// Documents by language, the most frequent first.
    pub languages: Vec<Group>,
    /// Documents by predicted kind of page; without a name where there is none.
    pub page_kinds: Vec<Group>,
    /// Documents by the source of their text.
    pub text_sources: Vec<Group>,
    /// Documents by year of publication.
    pub published: Vec<Year>,
    /// Documents by year of capture.
    pub crawled: Vec<Year>,
    /// What became no document.
    pub rejects: Vec<Reject>,
    /// Documents by confidence.
    pub confidence: Histogram,
    /// Clusters of documents with the same or nearly the same text.
    pub duplicates: Duplicates,
    /// What is stated about rights; none without the table.
    pub rights: Option<Rights>,
    /// Documents by measures of their texts. Without the table signals, only measures of the table documents.
    pub measures: Vec<Histogram>,
    /// What rule sets would leave out; none without the table signals.
    pub rule_sets: Option<Vec<RuleSetFails>>,
    /// What recipes leave out.
    pub recipes: Vec<RecipeFunnel>,
    /// What the change did that made this version.
    pub change: Option<Change>,
}

/// Sums over all documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Documents.
    pub documents: u64,
    /// Those without a kept word.
    pub empty_documents: u64,
    /// Those that a limit has cut.
    pub truncated_documents: u64,
    /// Words of kept blocks.
    pub kept_words: u64,
    /// Words of dropped blocks.
    pub dropped_words: u64,
    /// Characters of kept text.
    pub characters: u64,
}

/// Documents with something in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What it is.
    pub name: Option<String>,
    /// Documents, and their kept words.
    #[serde(flatten)]
    pub count: Count,
}

/// Documents of a year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Year {
    /// The year; none where it is not known.
    pub year: Option<i32>,
    /// Documents, and their kept words.
    #[serde(flatten)]
    pub count: Count,
}

/// The sites of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sites {
    /// How many there are.
    pub count: u64,
    /// Those with the most documents.
    pub most_documents: Vec<Site>,
    /// Those with the most kept words.
    pub most_words: Vec<Site>,
}

/// A site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Site {
    /// Its name.
    pub site: String,
    /// Its documents.
    pub documents: u64,
    /// Words of kept blocks.
    pub kept_words: u64,
    /// Words of dropped blocks.
    pub dropped_words: u64,
}

/// Rejects for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reject {
    /// The stage of the build.
    pub stage: String,
    /// The reason.
    pub reason: String,
    /// How many.
    pub rejects: u64,
}

/// Clusters of documents with the same or nearly the same text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    /// Clusters.
    pub clusters: u64,
    /// Documents in clusters.
    pub documents: u64,
    /// Documents in clusters that do not survive.
    pub copies: u64,
    /// Copies with all words and numbers of their survivor.
    pub equal_copies: u64,
    /// Clusters by size.
    pub sizes: Vec<SizeClass>,
    /// The largest clusters.
    pub largest: Vec<Cluster>,
}

/// Clusters of about one size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SizeClass {
    /// The least number of documents.
    pub from: u64,
    /// The largest; none where there is no end.
    pub to: Option<u64>,
    /// Clusters.
    pub clusters: u64,
    /// Their documents.
    pub documents: u64,
}

/// A cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cluster {
    /// The `row_id` of the document that survives.
    pub survivor: String,
    /// The URL of that document.
    pub url: String,
    /// Documents.
    pub documents: u64,
}

/// What is stated about rights.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rights {
    /// Documents with a signal.
    pub documents: u64,
    /// Whether documents may be in a search index.
    pub index: Permissions,
    /// Whether language models may be trained on them.
    pub train: Permissions,
    /// By kind of signal.
    pub signals: Vec<RightsSignal>,
}

/// Documents by what all signals of each together mean: forbidden if one forbids the use, else allowed if one allows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Permissions {
    /// A signal allows the use, and none forbids it.
    pub allowed: u64,
    /// A signal forbids the use.
    pub forbidden: u64,
    /// All others.
    pub unknown: u64,
}

/// A kind of signal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RightsSignal {
    /// Its name.
    pub signal: String,
    /// Documents with it.
    pub documents: u64,
    /// Those of them that it keeps from a search index.
    pub forbid_index: u64,
    /// Those of them that it keeps from training.
    pub forbid_train: u64,
}

/// What a rule set would leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleSetFails {
    /// Its column in the table signals.
    pub rule_set: String,
    /// The most frequent language, whose limits `rules` shows where they depend on the language.
    pub language: Option<String>,
    /// Documents that fail a rule.
    pub documents: u64,
    /// Its rules, in the order in which they are tested.
    pub rules: Vec<RuleFails>,
}

/// Documents that fail a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RuleFails {
    /// The name of the rule.
    pub rule: String,
    /// What it allows, in words.
    pub allowed: String,
    /// Documents for which it is the first that they fail.
    pub first: u64,
    /// Documents that fail it, whatever else they fail. None where the table has not the measure.
    pub all: Option<u64>,
}

/// What a recipe leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RecipeFunnel {
    /// The recipe, as it was named.
    pub recipe: String,
    /// What it selects, in words.
    pub description: Option<String>,
    /// What each filter left out.
    pub funnel: Funnel,
}

/// What a change did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The version before.
    pub from: u64,
    /// The version that it made.
    pub to: u64,
    /// The command, with what it was asked for.
    pub command: String,
    /// When it began, as RFC 3339 has it.
    pub time: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Rows of each table, in the version before and in this one; none where there is no such table.
    pub rows: BTreeMap<String, [Option<u64>; 2]>,
    /// Archives; none where they are not known any more.
    pub archives: Option<NamesChange>,
    /// Rules of what is left out; none where they are not known any more.
    pub rules: Option<NamesChange>,
}

/// Things that came and went, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NamesChange {
    /// Those that came.
    pub added: Vec<String>,
    /// Those that went.
    pub removed: Vec<String>,
    /// Those that are others now.
    pub changed: Vec<String>,
}
