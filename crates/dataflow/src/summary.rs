//! What a build counted.

use std::collections::BTreeMap;

use serde::Serialize;

/// What a build counted. Every capture and every damaged place became a document or a reject, or
/// [`Summary::adds_up`] says that it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Records read, by type.
    pub records: BTreeMap<String, u64>,
    /// Records that can be pages: responses, resources, conversions, HTML files.
    pub captures: u64,
    /// Stretches of the input where no record could be read.
    pub damage: u64,
    /// Rows of the documents table.
    pub documents: u64,
    /// Rows of the rejects table, by reason.
    pub rejects: BTreeMap<String, u64>,
    /// Rows of the blocks table.
    pub blocks: u64,
    /// Words in kept blocks.
    pub kept_words: u64,
    /// Words in dropped blocks.
    pub dropped_words: u64,
    /// Bytes of all captures, decoded from HTTP.
    pub page_bytes: u64,
    /// Files that were read.
    pub shards: u64,
    /// Files that were written.
    pub files: u64,
}

impl Summary {
    /// Whether captures and damage are exactly the documents and rejects.
    pub fn adds_up(&self) -> bool {
        self.captures + self.damage == self.documents + self.rejects.values().sum::<u64>()
    }

    /// Adds the counts of another part.
    pub(crate) fn add(&mut self, other: &Summary) {
        other
            .records
            .iter()
            .for_each(|(kind, count)| *self.records.entry(kind.clone()).or_default() += count);
        other
            .rejects
            .iter()
            .for_each(|(reason, count)| *self.rejects.entry(reason.clone()).or_default() += count);
        self.captures += other.captures;
        self.damage += other.damage;
        self.documents += other.documents;
        self.blocks += other.blocks;
        self.kept_words += other.kept_words;
        self.dropped_words += other.dropped_words;
        self.page_bytes += other.page_bytes;
        self.shards += other.shards;
        self.files += other.files;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
