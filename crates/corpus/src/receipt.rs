//! What a change did: the contents of `state/receipts/NNNN.json`, one for each version but the first.
//!
//! Receipts stay when the files of their version are gone: they are the history of a corpus.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::kept::{Arguments, VersionFiles};

/// What a change did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The version that it made.
    pub version: u64,
    /// The command, such as `add`.
    pub command: String,
    /// What the command was asked for, in words.
    pub asked_text: String,
    /// When it began, as RFC 3339 has it.
    pub time: String,
    /// Why, where the command has a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The program and its version.
    pub program: String,
    /// What the version before was made of.
    pub before: Arguments,
    /// What this version is made of.
    pub after: Arguments,
    /// The archives that came and went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archives: Option<ArchivesChange>,
    /// Each table of one of the two versions.
    pub tables: BTreeMap<String, TableChange>,
    /// What else the command records.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The archives of two versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivesChange {
    /// Those of the version before.
    pub before: u64,
    /// Those of this version.
    pub after: u64,
    /// Those that this version has and the one before had not.
    pub added: u64,
    /// Those that the version before had and this one has not.
    pub removed: u64,
}

/// A table in two versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableChange {
    /// Rows of the version before.
    pub rows_before: u64,
    /// Rows of this version.
    pub rows_after: u64,
    /// Files that only the version before has.
    pub files_removed: u64,
    /// Files that only this version has.
    pub files_written: u64,
}

impl Receipt {
    /// The receipt in these bytes.
    ///
    /// # Errors
    /// They are not one.
    pub fn parse(bytes: &[u8]) -> Result<Receipt, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Its bytes.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a receipt has no maps with odd keys");
        bytes.push(b'\n');
        bytes
    }
}

impl TableChange {
    /// Each table of one of two versions.
    pub fn between(before: &VersionFiles, after: &VersionFiles) -> BTreeMap<String, TableChange> {
        let tables: BTreeSet<&String> = before.tables.keys().chain(after.tables.keys()).collect();
        let change = |table: &str| {
            let files = [before, after].map(|version| version.of(table));
            let names = files.map(|files| files.iter().map(|file| &file.name).collect::<BTreeSet<_>>());
            let [rows_before, rows_after] = files.map(|files| files.iter().map(|file| file.rows).sum());
            TableChange {
                rows_before,
                rows_after,
                files_removed: names[0].difference(&names[1]).count() as u64,
                files_written: names[1].difference(&names[0]).count() as u64,
            }
        };
        tables
            .into_iter()
            .map(|table| (table.clone(), change(table)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Part;

    fn version(files: &[(&str, u64)]) -> VersionFiles {
        let file = |&(name, rows): &(&str, u64)| Part {
            name: format!("documents/{name}"),
            rows,
            bytes: 1,
        };
        VersionFiles {
            tables: [("documents".to_owned(), files.iter().map(file).collect())].into(),
            ..VersionFiles::default()
        }
    }

    #[test]
    fn tables_are_compared_by_the_names_of_their_files() {
        let before = version(&[("a", 3), ("b", 4)]);
        let after = version(&[("b", 4), ("c", 5), ("d", 6)]);
        let expected = TableChange {
            rows_before: 7,
            rows_after: 15,
            files_removed: 1,
            files_written: 2,
        };
        assert_eq!(
            TableChange::between(&before, &after),
            [("documents".to_owned(), expected)].into()
        );
        let came = TableChange::between(&VersionFiles::default(), &before);
        assert_eq!(
            (came["documents"].rows_before, came["documents"].files_written),
            (0, 2)
        );
    }

    #[test]
    fn what_a_command_records_beside_is_kept() {
        let arguments = json!({ "inputs": "a", "rules": "b", "manifest": "c" });
        let receipt = json!({
            "version": 2,
            "command": "takedown",
            "asked_text": "--site a.example",
            "time": "2026-01-02T03:04:05Z",
            "reason": "request 7",
            "program": "gleaner 1.0.0",
            "before": arguments,
            "after": arguments,
            "archives": { "before": 1, "after": 1, "added": 0, "removed": 0 },
            "tables": {
                "documents": { "rows_before": 3, "rows_after": 2, "files_removed": 1, "files_written": 1 },
            },
            "searched_bytes": 12,
        });
        let parsed = Receipt::parse(receipt.to_string().as_bytes()).unwrap();
        assert_eq!(parsed.more["searched_bytes"], 12);
        assert_eq!(
            serde_json::from_slice::<Value>(&parsed.to_json()).unwrap(),
            receipt
        );
    }
}
