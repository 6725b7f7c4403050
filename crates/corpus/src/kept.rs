//! What a corpus keeps beside its tables, so that a later version can be computed from it: files below `state`, each named by the
//! BLAKE3 digest of its bytes. They hold no times, no places and no numbers of processes: two corpora are equal if their
//! manifests have one digest.
//!
//! The marker names the [`Arguments`] of the corpus and its [`Manifest`], which leads to all else: entries of chunks, and the states
//! of their units. What a state holds is not known here.

use std::collections::BTreeMap;

use bytes::Bytes;
use gleaner_store::Output;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fault::{Fault, FaultKind};
use crate::{Corpus, Error, Part};

/// The folder, within the corpus, of what it keeps.
pub const STATE: &str = "state";

/// A kind of kept files: each has a folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum KeptKind {
    /// The archives, a line of JSON each.
    Inputs,
    /// What is left out, a line of JSON a rule.
    Rules,
    /// A [`Manifest`].
    Manifest,
    /// A [`ChunkEntry`].
    Chunks,
    /// The state of a unit.
    Units,
    /// A [`WholeEntry`].
    Whole,
}

/// The digests of what a version of the corpus is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arguments {
    /// Of its inputs.
    pub inputs: String,
    /// Of its rules.
    pub rules: String,
    /// Of what follows from them and the settings.
    pub manifest: String,
}

/// The chunks of a corpus, by crawl and key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its chunks.
    pub chunks: Vec<ManifestChunk>,
    /// The digest of the [`WholeEntry`].
    pub whole: String,
}

/// A chunk of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestChunk {
    /// The crawl, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crawl: Option<String>,
    /// The SURT at which it begins; empty for the first.
    pub start: String,
    /// The digest of its [`ChunkEntry`].
    pub entry: String,
}

/// A chunk: a range of keys that has a file in each table of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkEntry {
    /// Its units, by key.
    pub units: Vec<UnitEntry>,
    /// Its files.
    pub files: Vec<Part>,
    /// What was counted in it.
    pub counts: Map<String, Value>,
}

/// A unit of a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitEntry {
    /// The SURT at which it begins; empty for the first.
    pub start: String,
    /// Its pages and rejects.
    pub records: u64,
    /// The digest of all that its rows follow from, beside the settings.
    pub inputs: String,
    /// The digest of its state.
    pub state: String,
    /// The bytes of its state.
    pub bytes: u64,
    /// Its row groups in the file of each table, where it has some.
    pub groups: BTreeMap<String, u32>,
}

/// The files of the tables of the corpus as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeEntry {
    /// By table.
    pub files: BTreeMap<String, Vec<Part>>,
}

impl KeptKind {
    /// The folder of such files, from the corpus.
    pub fn folder(self) -> String {
        let kind: &str = self.into();
        format!("{STATE}/{kind}")
    }

    /// The file of a digest.
    pub fn file(self, digest: &str) -> String {
        format!("{}/{digest}", self.folder())
    }
}

/// A value as it is kept: JSON with a line end.
pub fn kept_json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(value).expect("what is kept has no maps with odd keys");
    bytes.push(b'\n');
    bytes
}

/// The digest by which bytes are kept.
pub fn digest_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_string()
}

impl Corpus {
    /// Keeps a file. Gives its digest.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_file(&self, kind: KeptKind, bytes: &[u8]) -> Result<String, Error> {
        let digest = digest_of(bytes);
        // A file of this name has these bytes.
        self.output().put_new(&kind.file(&digest), bytes)?;
        Ok(digest)
    }

    /// The bytes of a kept file. Waits for the store.
    ///
    /// # Errors
    /// It cannot be read, or is not what was written.
    pub fn kept(output: &Output, kind: KeptKind, digest: &str) -> Result<Bytes, Error> {
        kept(output, &kind.file(digest))?.map_err(|fault| Error::Damaged { fault })
    }
}

/// The files that a corpus keeps, by name, and what is wrong with those that name others.
pub(crate) fn kept_files(output: &Output, arguments: &Arguments) -> Result<(Vec<String>, Vec<Fault>), Error> {
    let mut files = vec![
        KeptKind::Inputs.file(&arguments.inputs),
        KeptKind::Rules.file(&arguments.rules),
        KeptKind::Manifest.file(&arguments.manifest),
    ];
    let mut faults = Vec::new();
    let manifest = read::<Manifest>(output, &files[2])?.map_err(|fault| faults.push(fault));
    let Ok(manifest) = manifest else {
        return Ok((files, faults));
    };
    files.push(KeptKind::Whole.file(&manifest.whole));
    for chunk in &manifest.chunks {
        let name = KeptKind::Chunks.file(&chunk.entry);
        match read::<ChunkEntry>(output, &name)? {
            Ok(entry) => {
                let units = entry.units.iter().map(|unit| KeptKind::Units.file(&unit.state));
                files.extend(units);
                files.push(name);
            }
            Err(fault) => faults.push(fault),
        }
    }
    // Units without pages have the same state.
    files.sort();
    files.dedup();
    Ok((files, faults))
}

fn read<T: DeserializeOwned>(output: &Output, name: &str) -> Result<Result<T, Fault>, Error> {
    let parse = |bytes: Bytes| serde_json::from_slice(&bytes).map_err(|error| Fault::unreadable(name, error));
    Ok(kept(output, name)?.and_then(parse))
}

fn kept(output: &Output, name: &str) -> Result<Result<Bytes, Fault>, Error> {
    let Some(bytes) = output.get(name)? else {
        return Ok(Err(Fault::new(name, FaultKind::Missing)));
    };
    let digest = name.rsplit('/').next().unwrap_or_default();
    match digest_of(&bytes) == digest {
        true => Ok(Ok(bytes)),
        false => Ok(Err(Fault::new(name, FaultKind::Digest))),
    }
}
