//! What a change has come to: for its summary, and for its receipt.

use std::collections::BTreeMap;
use std::path::Path;

use crate::change::config::Request;
use crate::change::search::{RemovedPage, Searched};
use gleaner_corpus::{ArchivesChange, Arguments, Receipt, Rule, TableChange};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Error;

/// What a change has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeReport {
    /// The number of the new version.
    pub version: u64,
    /// The archives that came and went.
    pub archives: ArchivesChange,
    /// What became of each table.
    pub tables: BTreeMap<String, TableChange>,
    /// What else the receipt has.
    #[serde(flatten)]
    pub found: FoundInChange,
    /// The captures that were taken down; none of other changes. The corpus does not keep them.
    #[serde(skip)]
    pub removed: Vec<RemovedPage>,
}

/// What the receipt of a change has beside the files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundInChange {
    /// The rules that came, went and ended.
    pub rules: RulesChange,
    /// Captures that rules left out for the first time, by rule.
    pub left_out: BTreeMap<String, u64>,
    /// Units that were labelled.
    pub units_labelled: u64,
    /// Units that stayed as they were.
    pub units_kept: u64,
    /// The search for what was taken down; none of other changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Searched>,
}

/// The rules that a change makes, lifts and ends, by their identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesChange {
    /// Those that only the new version has.
    pub made: Vec<String>,
    /// Those that only the version before had.
    pub lifted: Vec<String>,
    /// Those that do not apply to later archives any more.
    pub ended: Vec<String>,
}

impl RulesChange {
    /// Of two versions.
    pub(crate) fn between(before: &[Rule], after: &[Rule]) -> RulesChange {
        let of = |rules: &[Rule]| -> BTreeMap<String, Option<u64>> {
            let each = rules.iter();
            each.map(|rule| (rule.id.clone(), rule.until)).collect()
        };
        let (old, new) = (of(before), of(after));
        let without = |rules: &[Rule], others: &BTreeMap<String, Option<u64>>| {
            let ids = rules.iter().map(|rule| rule.id.clone());
            ids.filter(|id| !others.contains_key(id)).collect()
        };
        let is_ended = |rule: &&Rule| rule.until.is_some() && old.get(&rule.id).is_some_and(Option::is_none);
        RulesChange {
            made: without(after, &old),
            lifted: without(before, &new),
            ended: after
                .iter()
                .filter(is_ended)
                .map(|rule| rule.id.clone())
                .collect(),
        }
    }
}

/// What a search does not reach.
const NOT_REACHED: &str = "older versions of objects that a bucket keeps, backups, and copies of readers";

impl ChangeReport {
    /// Writes the receipt with the captures that were taken down.
    pub(crate) fn write_in_full(&self, receipt: &Receipt, file: &Path) -> Result<(), Error> {
        let mut full = receipt.clone();
        let removed = serde_json::to_value(&self.removed).unwrap_or_default();
        full.more.insert("removed".to_owned(), removed);
        full.more.insert("not_reached".to_owned(), NOT_REACHED.into());
        std::fs::write(file, full.to_json()).map_err(|source| Error::Receipt {
            file: file.display().to_string(),
            source,
        })
    }

    /// The receipt that the corpus keeps.
    pub(crate) fn receipt(&self, request: &Request, before: &Arguments, after: &Arguments) -> Receipt {
        let Request {
            command,
            asked_text,
            time,
            reason,
        } = request.clone();
        let more = match serde_json::to_value(&self.found) {
            Ok(Value::Object(more)) => more,
            _ => Map::new(),
        };
        Receipt {
            version: self.version,
            command,
            asked_text,
            time,
            reason,
            program: concat!("gleaner ", env!("CARGO_PKG_VERSION")).to_owned(),
            before: before.clone(),
            after: after.clone(),
            archives: Some(self.archives),
            tables: self.tables.clone(),
            more,
        }
    }
}
