//! The announcement of a change, and the version that it makes.

use std::collections::BTreeMap;

use gleaner_store::Output;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fault::Fault;
use crate::kept::Arguments;
use crate::marker::{Identity, Marker, Unread};
use crate::{Error, delta};

/// The file of the change in progress, from the corpus.
pub(crate) const NEXT: &str = "state/next.json";

/// The folder of receipts, from the corpus.
pub(crate) const RECEIPTS: &str = "state/receipts";

/// The change in progress: the contents of `state/next.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Next {
    /// The version that is changed.
    pub base: u64,
    /// The command, such as `add`.
    pub command: String,
    /// A digest of what the command was asked for: the same command has the same one.
    pub asked: String,
    /// When it began, as RFC 3339 has it.
    pub time: String,
    /// What the command needs to continue.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// The marker of the new version, once all of its files are there: the change only goes forward then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub committed: Option<Box<Marker>>,
    /// Whether older versions of logs are deleted, and the files of all older versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub purge: bool,
}

/// The version that a change makes.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// What it is made from.
    pub identity: Identity,
    /// Rows by table, and what else is counted.
    pub totals: BTreeMap<String, u64>,
    /// The summary, as of a build.
    pub summary: Map<String, Value>,
    /// Inputs that could not be read, and that it is complete without.
    pub missing: Vec<Unread>,
    /// What it is made of; the files that these name are all there.
    pub arguments: Arguments,
    /// The highest number of its rules.
    pub last_rule: u64,
    /// How many versions keep their files, this one included.
    pub keep_versions: u64,
    /// Whether nothing older may remain, as after a takedown: the files of all older versions are deleted, and the versions of
    /// logs before this one.
    pub purge: bool,
    /// What is written to its receipt.
    pub receipt: Vec<u8>,
}

/// What a corpus knows of the change that it is open for.
#[derive(Debug)]
pub(crate) struct Change {
    /// The change; none if it was committed before, see [`Corpus::finished`].
    pub(crate) next: Option<Next>,
    /// A committed change that a killed command left.
    pub(crate) finished: Option<Next>,
}

impl Next {
    /// The change in progress; nothing where there is none. Waits for the store.
    pub(crate) fn read(output: &Output) -> Result<Option<Next>, Error> {
        let Some(bytes) = output.get(NEXT)? else {
            return Ok(None);
        };
        let next = serde_json::from_slice(&bytes);
        next.map(Some).map_err(|error| Error::Damaged {
            fault: Fault::unreadable(NEXT, error),
        })
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a change has no maps with odd keys");
        bytes.push(b'\n');
        bytes
    }

    /// Refuses to begin another change while this one is unfinished.
    pub(crate) fn refuse(&self, output: &Output) -> Error {
        Error::Unfinished {
            folder: output.place().to_string(),
            command: self.command.clone(),
        }
    }
}

/// The file of a version's receipt, from the corpus.
pub(crate) fn receipt_file(version: u64) -> String {
    format!("{RECEIPTS}/{version:04}.json")
}

/// The version of which a file is the receipt.
pub(crate) fn receipt_of(name: &str) -> Option<u64> {
    let stem = delta::below(RECEIPTS, name)?.strip_suffix(".json")?;
    let version = stem.parse().ok()?;
    (receipt_file(version) == name).then_some(version)
}
