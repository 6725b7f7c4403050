//! The marker of a corpus, `gleaner.json`: what it is made from, and whether it is complete.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_store::{Output, Shard};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::differences::setting_differences;
use crate::kept::Arguments;
use crate::{Crawl, Error, delta};

/// Its name within the corpus.
pub(crate) const MARKER: &str = "gleaner.json";

/// What a corpus is made from. The same identity gives the same tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The inputs.
    pub inputs: Inputs,
    /// The model's name and checksum.
    pub model: String,
    /// The options that change the tables, by name.
    pub options: BTreeMap<String, String>,
}

/// A list of inputs, in short.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// Files.
    pub files: u64,
    /// Bytes of all files whose size is known.
    pub bytes: u64,
    /// A digest of their names, sizes and fingerprints.
    pub digest: String,
}

/// The contents of `gleaner.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    /// The version of the tables, see [`FORMAT`](crate::FORMAT).
    pub format: u32,
    /// Whether all tables are there.
    pub state: State,
    /// What the corpus is made from.
    pub identity: Identity,
    /// What the logs of its tables call it, in all of its versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub application: String,
    /// Rows by table, and whatever else the run counted; empty until it is complete.
    pub totals: BTreeMap<String, u64>,
    /// The summary of the build, by its own names; empty until it is complete.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub summary: Map<String, Value>,
    /// Inputs that could not be read, and that the corpus is complete without, because the build allowed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Unread>,
    /// The tables, each with the last version of its log; empty until it is complete.
    #[serde(default)]
    pub tables: BTreeMap<String, u64>,
    /// The number of the version, from 1; 0 until it is complete.
    #[serde(default)]
    pub version: u64,
    /// What it is made of, and its manifest, if it keeps state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
    /// The highest number that a rule of one of its versions had: the next rule has a higher one, also if that rule was lifted.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub last_rule: u64,
    /// The older versions whose files are still there, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptVersion>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// An older version of a corpus whose files are still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptVersion {
    /// Its number.
    pub version: u64,
    /// What it is made of.
    pub arguments: Arguments,
    /// Its tables, each with the version of the log that it has.
    pub tables: BTreeMap<String, u64>,
}

/// An input that could not be read to its end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unread {
    /// Where it is, as the user gave it.
    pub input: String,
    /// Why, in full.
    pub cause: String,
    /// Whether it is not the file any more that it was when it was listed.
    pub changed: bool,
}

/// How far a corpus is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// A run is at work, or was interrupted.
    #[default]
    Building,
    /// All tables are there.
    Complete,
}
impl Inputs {
    /// The inputs of a run, in any order, each with what its bytes are known by (`Store::fingerprints`).
    pub fn of(shards: &[Shard], fingerprints: &[Option<String>]) -> Inputs {
        let inputs = shards.iter().zip(fingerprints);
        let mut inputs: Vec<_> = inputs
            .map(|(shard, fingerprint)| (&*shard.name, shard.size, fingerprint.as_deref()))
            .collect();
        inputs.sort_unstable();
        let mut digest = Xxh3::new();
        for (name, size, fingerprint) in inputs {
            let size = size.map(|size| size.to_string()).unwrap_or_default();
            for part in [name, &size, fingerprint.unwrap_or("")] {
                digest.update(part.as_bytes());
                digest.update(&[0]);
            }
        }
        Inputs {
            files: shards.len() as u64,
            bytes: shards.iter().filter_map(|shard| shard.size).sum(),
            digest: format!("{:032x}", digest.digest128()),
        }
    }
}

impl Identity {
    /// What the logs of tables call a corpus whose first version has this identity.
    pub(crate) fn application(&self) -> String {
        let bytes = serde_json::to_vec(self).expect("an identity has no maps with odd keys");
        format!("gleaner-{:032x}", xxh3_128(&bytes))
    }

    /// The crawl of the first build, where it has a name: the option [`Crawl::COLUMN`].
    pub(crate) fn crawl(&self) -> Result<Option<Crawl>, Error> {
        let crawl = |name: &String| Crawl::new(name).map_err(|source| Error::CrawlName(name.clone(), source));
        self.options.get(Crawl::COLUMN).map(crawl).transpose()
    }

    /// What differs, a phrase each: first what `self` has, then what `other` has. `places` is how they are called: `in the
    /// corpus`, `in this command`.
    pub fn differences(&self, other: &Identity, places: [&str; 2]) -> Vec<String> {
        let mut found = Vec::new();
        let mut add = |name: &str, values: [String; 2]| found.push(difference(name, values, places));
        if self.inputs != other.inputs {
            add("inputs", inputs(&self.inputs, &other.inputs));
        }
        if self.model != other.model {
            add(
                "model",
                [&self.model, &other.model].map(|model| format!("'{model}'")),
            );
        }
        let names: BTreeSet<_> = self.options.keys().chain(other.options.keys()).collect();
        for name in names {
            let values = [self, other].map(|identity| identity.options.get(name).map(String::as_str));
            if values[0] != values[1] {
                for (setting, values) in setting_differences(name, values) {
                    add(&setting, values);
                }
            }
        }
        // Settings may stand in two options, as part of one and by themselves.
        let mut seen = BTreeSet::new();
        found.retain(|difference| seen.insert(difference.clone()));
        found
    }
}

impl Marker {
    pub(crate) fn parse(output: &Output, bytes: &[u8]) -> Result<Marker, Error> {
        serde_json::from_slice(bytes)
            .map_err(|error| Error::Marker(output.place_of(MARKER).to_string(), error.to_string()))
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).expect("a marker has no maps with odd keys");
        bytes.push(b'\n');
        bytes
    }

    /// The corpus, as in the logs of its tables.
    pub(crate) fn build(&self) -> delta::Build {
        let application = match self.application.as_str() {
            // It was written before markers had the name.
            "" => self.identity.application(),
            application => application.to_owned(),
        };
        delta::Build {
            application: application.into(),
            is_labelled: self.identity.options.contains_key(Crawl::COLUMN),
        }
    }

    /// What this version is made of.
    ///
    /// # Errors
    /// It keeps no state.
    pub(crate) fn made_of(&self, output: &Output) -> Result<&Arguments, Error> {
        let arguments = self.arguments.as_ref();
        arguments.ok_or_else(|| Error::NoState(output.place().to_string()))
    }

    /// What this version and those that it keeps are made of; nothing where it keeps no state.
    pub(crate) fn all_arguments(&self) -> Vec<&Arguments> {
        let kept = self.kept.iter().map(|version| &version.arguments);
        self.arguments.iter().chain(kept).collect()
    }

    /// This version, as a later one keeps it; nothing where it keeps no state.
    pub(crate) fn as_kept(&self) -> Option<KeptVersion> {
        Some(KeptVersion {
            version: self.version,
            arguments: self.arguments.clone()?,
            tables: self.tables.clone(),
        })
    }
}

/// `limit: not set in the corpus, '7' in this command`.
pub(crate) fn difference(name: &str, [one, other]: [String; 2], places: [&str; 2]) -> String {
    format!("{name}: {one} {}, {other} {}", places[0], places[1])
}

fn inputs(one: &Inputs, other: &Inputs) -> [String; 2] {
    match (one.files, one.bytes) == (other.files, other.bytes) {
        true => [sizes(one), format!("other files, also {},", sizes(other))],
        false => [one, other].map(sizes),
    }
}

fn sizes(inputs: &Inputs) -> String {
    let plural = if inputs.files == 1 { "" } else { "s" };
    format!("{} file{plural} of {} bytes", inputs.files, inputs.bytes)
}
#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;

    #[test]
    fn inputs_are_a_set() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.warc", "b.warc"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let store = Store::new(Options::default()).unwrap();
        let input = folder.path().to_str().unwrap().to_owned();
        let mut shards = store.expand(&[input], None).unwrap().shards;
        let mut fingerprints = vec![Some("1".to_owned()), Some("2".to_owned())];
        let inputs = Inputs::of(&shards, &fingerprints);
        shards.reverse();
        assert_ne!(Inputs::of(&shards, &fingerprints).digest, inputs.digest);
        fingerprints.reverse();
        assert_eq!(Inputs::of(&shards, &fingerprints), inputs);
    }
}
