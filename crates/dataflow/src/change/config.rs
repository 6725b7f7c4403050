//! What a change is made of.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;

use gleaner_corpus::{Identity, Marker, Rule};

/// What of the pages is computed again though their archives and rules are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Again {
    /// Nothing.
    #[default]
    Nothing,
    /// Their labels and all that follows, from what the corpus keeps.
    Labels,
    /// All: their archives are read.
    All,
}

/// A change of a version.
#[derive(Clone, Debug)]
pub struct ChangeConfig {
    /// The version.
    pub base: Marker,
    /// Archives that are taken out, by crawl: its name is empty where it has none.
    pub removed: BTreeMap<String, HashSet<String>>,
    /// The rules of the version.
    pub rules_before: Vec<Rule>,
    /// The SURTs that rules which are new can leave out; none where these may be any.
    pub ranges: Option<Vec<Range<Vec<u8>>>>,
    /// What of its pages is computed again.
    pub again: Again,
    /// What the new version is made from, beside its inputs.
    pub identity: Identity,
    /// How many versions keep their files, this one included.
    pub keep_versions: u64,
    /// Whether nothing older may remain, as after a takedown.
    pub purge: bool,
    /// How the receipt describes the command.
    pub request: Request,
    /// Where the receipt is written in full, with the addresses of what was taken down: outside of the corpus.
    pub full_receipt: Option<PathBuf>,
}

/// How a command describes its change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The command, such as `add`.
    pub command: String,
    /// What the command was asked for, in words, without what is taken down.
    pub asked_text: String,
    /// When it began, as RFC 3339 has it.
    pub time: String,
    /// Why, if it was said.
    pub reason: Option<String>,
}
