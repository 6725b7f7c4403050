//! What a corpus keeps beside its tables, so that a later version can be computed from it: files below `state`, each named by the
//! BLAKE3 digest of its bytes. They hold no times, no places and no numbers of processes: two corpora are equal if their
//! manifests have one digest.
//!
//! The marker names the [`Arguments`] of the corpus and its [`Manifest`], which leads to all else: entries of chunks, and the states
//! of their units. What a state holds is not known here.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use gleaner_store::Output;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fault::{Fault, FaultKind};
use crate::parallel::each;
use crate::{Corpus, Error, Part};

/// The folder, within the corpus, of what it keeps.
pub const STATE: &str = "state";

/// How many files that name others are read at a time.
const READERS: usize = 32;

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

/// The files of the tables of the corpus as a whole, and that of each table without rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WholeEntry {
    /// By table.
    pub files: BTreeMap<String, Vec<Part>>,
}

/// The files of a version of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionFiles {
    /// Those of each table, in the order of the manifest: by chunk, and then those of the whole.
    pub tables: BTreeMap<String, Vec<Part>>,
    /// The names of those that it keeps beside them.
    pub kept: BTreeSet<String>,
}

impl VersionFiles {
    /// Those of a table.
    pub fn of(&self, table: &str) -> &[Part] {
        self.tables.get(table).map_or(&[], Vec::as_slice)
    }

    /// The names of all.
    pub(crate) fn into_names(self) -> impl Iterator<Item = String> {
        let tables = self.tables.into_values().flatten();
        tables.map(|file| file.name).chain(self.kept)
    }

    fn extend(&mut self, files: &[Part]) {
        for file in files {
            let table = file.name.split('/').next().unwrap_or_default();
            match self.tables.get_mut(table) {
                Some(there) => there.push(file.clone()),
                None => drop(self.tables.insert(table.to_owned(), vec![file.clone()])),
            }
        }
    }
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

    /// The files of a version that is made of these. Waits for the store.
    ///
    /// # Errors
    /// What names them cannot be read, or is not what was written.
    pub fn version_files(output: &Output, arguments: &Arguments) -> Result<VersionFiles, Error> {
        Ok(files_of_versions(output, &[arguments])?.pop().unwrap_or_default())
    }
}

/// The files of versions. Waits for the store.
pub(crate) fn files_of_versions(
    output: &Output,
    versions: &[&Arguments],
) -> Result<Vec<VersionFiles>, Error> {
    let (files, mut faults) = read_versions(output, versions)?;
    match faults.pop() {
        Some(fault) => Err(Error::Damaged { fault }),
        None => Ok(files),
    }
}

/// The files of versions, as far as they are known, and what is wrong with those that name others. What several versions have
/// is read once.
pub(crate) fn read_versions(
    output: &Output,
    versions: &[&Arguments],
) -> Result<(Vec<VersionFiles>, Vec<Fault>), Error> {
    let mut faults = BTreeSet::new();
    let manifests: BTreeSet<&str> = versions.iter().map(|version| version.manifest.as_str()).collect();
    let manifests: BTreeMap<&str, Manifest> = read_all(output, KeptKind::Manifest, manifests, &mut faults)?;
    let of_chunks = || manifests.values().flat_map(|manifest| &manifest.chunks);
    let chunks: BTreeSet<&str> = of_chunks().map(|chunk| chunk.entry.as_str()).collect();
    let chunks: BTreeMap<&str, ChunkEntry> = read_all(output, KeptKind::Chunks, chunks, &mut faults)?;
    let wholes: BTreeSet<&str> = manifests
        .values()
        .map(|manifest| manifest.whole.as_str())
        .collect();
    let wholes: BTreeMap<&str, WholeEntry> = read_all(output, KeptKind::Whole, wholes, &mut faults)?;
    let of_version = |version: &&Arguments| {
        let mut files = VersionFiles::default();
        files.kept.insert(KeptKind::Inputs.file(&version.inputs));
        files.kept.insert(KeptKind::Rules.file(&version.rules));
        files.kept.insert(KeptKind::Manifest.file(&version.manifest));
        let Some(manifest) = manifests.get(version.manifest.as_str()) else {
            return files;
        };
        for chunk in &manifest.chunks {
            files.kept.insert(KeptKind::Chunks.file(&chunk.entry));
            if let Some(entry) = chunks.get(chunk.entry.as_str()) {
                // Units without pages have the same state.
                let units = entry.units.iter().map(|unit| KeptKind::Units.file(&unit.state));
                files.kept.extend(units);
                files.extend(&entry.files);
            }
        }
        files.kept.insert(KeptKind::Whole.file(&manifest.whole));
        let whole = wholes.get(manifest.whole.as_str()).into_iter();
        whole
            .flat_map(|whole| whole.files.values())
            .for_each(|of_table| files.extend(of_table));
        files
    };
    let files = versions.iter().map(of_version).collect();
    Ok((files, faults.into_iter().collect()))
}

/// The kept files of these digests, those that are not damaged.
fn read_all<'d, T: DeserializeOwned + Send>(
    output: &Output,
    kind: KeptKind,
    digests: BTreeSet<&'d str>,
    faults: &mut BTreeSet<Fault>,
) -> Result<BTreeMap<&'d str, T>, Error> {
    let digests: Vec<&str> = digests.into_iter().collect();
    let read = each(READERS, &digests, |digest| read(output, &kind.file(digest)))?;
    let mut found = BTreeMap::new();
    for (digest, value) in digests.into_iter().zip(read) {
        match value {
            Ok(value) => drop(found.insert(digest, value)),
            Err(fault) => drop(faults.insert(fault)),
        }
    }
    Ok(found)
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
