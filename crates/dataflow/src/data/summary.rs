//! What a build counted.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Marker, RejectRow, Unread};
use gleaner_store::Shard;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::archive_read::{ArchiveCounts, ArchiveRead, Outcome, PieceRead, add_counts};
use crate::data::empty_archives::EmptyArchives;
use crate::data::input_line::InputLine;

/// What a build counted. Every capture and every damaged place became a document or a reject, or
/// [`Summary::adds_up`] says that it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Records read, by type.
    pub records: BTreeMap<String, u64>,
    /// Records that can be pages: responses, resources, conversions, HTML files.
    pub captures: u64,
    /// Stretches of the input where no record could be read.
    pub damage: u64,
    /// Captures and damaged places that rules leave out, by the identifier of the rule.
    pub left_out: BTreeMap<String, u64>,
    /// Rows of the documents table.
    pub documents: u64,
    /// Documents of which something is missing: the capture was cut off, or a limit was met.
    pub truncated: u64,
    /// Rows of the rejects table, by reason.
    pub rejects: BTreeMap<String, u64>,
    /// One of the rejects of each reason.
    pub reject_examples: BTreeMap<String, RejectExample>,
    /// Rows of the blocks table.
    pub blocks: u64,
    /// Rows of the posts table.
    pub posts: u64,
    /// Rows of the rights table.
    pub rights: u64,
    /// Rows of the contamination table.
    pub contamination: u64,
    /// Sites for which evidence across pages was used.
    pub mined_sites: u64,
    /// Rows of the templates table: expressions that match what sites repeat.
    pub templates: u64,
    /// Rows of the duplicates table: documents in clusters.
    pub clustered_documents: u64,
    /// Clusters of documents with nearly the same text.
    pub clusters: u64,
    /// Words in kept blocks of documents that are copies: in a cluster, and not its survivor.
    pub copied_words: u64,
    /// Rows of the repeats table: lines that stand on many sites.
    pub repeats: u64,
    /// Words in kept blocks.
    pub kept_words: u64,
    /// Words in dropped blocks.
    pub dropped_words: u64,
    /// Bytes of all captures, decoded from HTTP.
    pub page_bytes: u64,
    /// Files that were read.
    pub shards: u64,
    /// Those of them that hold nothing.
    pub empty_archives: EmptyArchives,
    /// Those of them that the user named and that are neither archives nor pages, which was seen when they were read.
    pub refused_inputs: u64,
    /// Files that were written.
    pub files: u64,
    /// Inputs that could not be read to their end, where a corpus may be complete without them.
    pub missing: BTreeSet<Unread>,
}

/// An example of a reject, for the user. Of several the first by file and offset is kept, so that
/// it is the same in every run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RejectExample {
    /// The file, by its name in the tables.
    pub warc_file: String,
    /// The offset in the file, as stored.
    pub warc_offset: u64,
    /// One phrase.
    pub detail: String,
}

/// Inputs that could not be read, each once: several units may have tried to read one.
pub(crate) fn each_input(unread: &BTreeSet<Unread>) -> Vec<Unread> {
    let mut inputs: Vec<Unread> = unread.iter().cloned().collect();
    inputs.dedup_by(|next, first| next.input == first.input);
    inputs
}

impl Summary {
    /// Counts a row of the rejects table.
    pub(crate) fn reject(&mut self, reject: &RejectRow) {
        *self.rejects.entry(reject.reason.clone()).or_default() += 1;
        let example = RejectExample {
            warc_file: reject.warc_file.clone(),
            warc_offset: reject.warc_offset,
            detail: reject.detail.clone(),
        };
        self.example(&reject.reason, example);
    }

    /// Counts a piece of the input that is read.
    pub(crate) fn read(&mut self, piece: &PieceRead, shards: &[Shard]) {
        self.count(&piece.counts);
        self.shards += u64::from(piece.start == 0);
        match (piece.outcome, shards.get(piece.shard)) {
            (Outcome::Empty, Some(shard)) => self.empty_archives.push(&shard.location),
            (Outcome::Refused, Some(shard)) => self.refused_inputs += u64::from(shard.named),
            _ => {}
        }
    }

    /// Counts an archive of the version before.
    pub(crate) fn read_before(&mut self, line: &InputLine) {
        let ArchiveRead {
            name,
            counts,
            outcome,
            ..
        } = &line.read;
        self.count(counts);
        self.shards += 1;
        match outcome {
            Outcome::Empty => self.empty_archives.push(name),
            Outcome::Refused => self.refused_inputs += 1,
            _ => {}
        }
    }

    fn count(&mut self, counts: &ArchiveCounts) {
        add_counts(&mut self.records, &counts.records);
        add_counts(&mut self.left_out, &counts.left_out);
        self.captures += counts.captures;
        self.damage += counts.damage;
        self.page_bytes += counts.page_bytes;
    }

    fn example(&mut self, reason: &str, example: RejectExample) {
        let first = self.reject_examples.entry(reason.to_owned());
        let first = first.or_insert_with(|| example.clone());
        if example < *first {
            *first = example;
        }
    }

    /// The summary as a corpus keeps it, so that the same command prints the same answer later, see [`Summary::of_marker`]. What is
    /// missing the corpus says itself.
    pub(crate) fn counts(&self) -> serde_json::Map<String, Value> {
        let Ok(Value::Object(mut counts)) = serde_json::to_value(self) else {
            return serde_json::Map::new();
        };
        counts.remove("missing");
        counts
    }

    /// The summary of counts that a corpus keeps.
    pub(crate) fn of_counts(counts: serde_json::Map<String, Value>) -> Option<Summary> {
        serde_json::from_value(Value::Object(counts)).ok()
    }

    /// The summary of a complete corpus. What an older version did not count is 0.
    pub fn of_marker(marker: &Marker) -> Summary {
        let counts = Summary::of_counts(marker.summary.clone());
        Summary {
            missing: marker.missing.iter().cloned().collect(),
            ..counts.unwrap_or_default()
        }
    }

    /// Whether captures and damage are exactly the documents, the rejects, and what rules leave out.
    pub fn adds_up(&self) -> bool {
        let [rejects, left_out] = [&self.rejects, &self.left_out].map(|counts| counts.values().sum::<u64>());
        self.captures + self.damage == self.documents + rejects + left_out
    }

    /// Adds the counts of another part.
    pub(crate) fn add(&mut self, other: &Summary) {
        add_counts(&mut self.records, &other.records);
        add_counts(&mut self.rejects, &other.rejects);
        add_counts(&mut self.left_out, &other.left_out);
        let examples = other.reject_examples.iter();
        examples.for_each(|(reason, example)| self.example(reason, example.clone()));
        self.captures += other.captures;
        self.damage += other.damage;
        self.documents += other.documents;
        self.truncated += other.truncated;
        self.blocks += other.blocks;
        self.posts += other.posts;
        self.rights += other.rights;
        self.contamination += other.contamination;
        self.mined_sites += other.mined_sites;
        self.templates += other.templates;
        self.clustered_documents += other.clustered_documents;
        self.clusters += other.clusters;
        self.copied_words += other.copied_words;
        self.repeats += other.repeats;
        self.kept_words += other.kept_words;
        self.dropped_words += other.dropped_words;
        self.page_bytes += other.page_bytes;
        self.shards += other.shards;
        self.empty_archives.add(&other.empty_archives);
        self.refused_inputs += other.refused_inputs;
        self.files += other.files;
        self.missing.extend(other.missing.iter().cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reject_of_a_reason_is_its_example() {
        let at = |offset| RejectRow {
            reason: "garbage".into(),
            warc_file: "a.warc".into(),
            warc_offset: offset,
            ..RejectRow::default()
        };
        let [mut first, mut second] = [Summary::default(), Summary::default()];
        first.reject(&at(7));
        second.reject(&at(3));
        second.reject(&at(5));
        first.add(&second);
        assert_eq!(first.rejects["garbage"], 3);
        assert_eq!(first.reject_examples["garbage"].warc_offset, 3);
    }

    #[test]
    fn a_lost_capture_shows() {
        let mut summary = Summary {
            captures: 3,
            damage: 1,
            documents: 2,
            ..Summary::default()
        };
        summary.rejects.insert("http-status".into(), 2);
        assert!(summary.adds_up());
        summary.add(&Summary {
            captures: 1,
            ..Summary::default()
        });
        assert!(!summary.adds_up());
    }
}
