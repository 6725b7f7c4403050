//! A folder that is a corpus: what it was made from, and whether it is complete.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_store::{Hold, Output, Shard, Upload};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::delta::below;
use crate::differences::setting_differences;
use crate::kept::{Arguments, STATE};
use crate::table::Row;
use crate::tables::TABLES;
use crate::{
    Crawl, Error, FORMAT, FileWriter, GroupEncoder, Part, Settings, Table, TableWriter, checkpoint, delta,
    log,
};

/// The marker's name within the corpus.
pub(crate) const MARKER: &str = "gleaner.json";

/// The folder, within the corpus, of what a run keeps for the next if it is interrupted. It goes when the
/// corpus is complete.
pub const STAGING: &str = ".staging";

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
    /// The version of the tables, see [`FORMAT`].
    pub format: u32,
    /// Whether all tables are there.
    pub state: State,
    /// What the corpus is made from.
    pub identity: Identity,
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

/// A corpus being written. Cheap to clone and to share between threads.
#[derive(Clone, Debug)]
pub struct Corpus {
    output: Output,
    marker: Arc<Marker>,
    settings: Arc<Settings>,
    continues: bool,
    /// The build, as in the logs of its tables.
    build: delta::Build,
    /// The crawl of the first build, where it has a name.
    crawl: Option<Crawl>,
    /// Only the processes of this build write to it meanwhile.
    _hold: Option<Arc<Hold>>,
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
    /// The build, as in the logs of tables.
    fn build(&self) -> delta::Build {
        let bytes = serde_json::to_vec(self).expect("an identity has no maps with odd keys");
        delta::Build {
            application: format!("gleaner-{:032x}", xxh3_128(&bytes)).into(),
            is_labelled: self.options.contains_key(Crawl::COLUMN),
        }
    }

    /// The crawl of the first build, where it has a name: the option [`Crawl::COLUMN`].
    fn crawl(&self) -> Result<Option<Crawl>, Error> {
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

/// `limit: not set in the corpus, '7' in this command`.
fn difference(name: &str, [one, other]: [String; 2], places: [&str; 2]) -> String {
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

impl Corpus {
    /// Versions of a table's log from one checkpoint to the next: those whose number is a multiple of it, but for
    /// the first, have one.
    pub const CHECKPOINT_EVERY: u64 = checkpoint::EVERY;

    /// Whether a build of this identity could begin or continue in `output`. Nothing is written.
    ///
    /// # Errors
    /// As [`Corpus::create`], but for another run that holds the folder.
    pub fn inspect(output: &Output, identity: &Identity, force: bool) -> Result<(), Error> {
        match output.get(MARKER)? {
            _ if force => Ok(()),
            Some(bytes) => check_marker(output, &bytes, identity),
            None => check_empty(output, &output.top()?),
        }
    }

    /// Makes `output` a corpus with the default settings: takes it for this run, claims it by its marker, and removes what an
    /// interrupted run (or, with `force`, an older corpus) left of our tables. Files that are not ours are never touched.
    ///
    /// # Errors
    /// Another run holds the folder, or the identity names a crawl that there cannot be. Unless `force`: it holds other
    /// files, a corpus of another identity, or this one, complete.
    pub fn create(output: Output, identity: &Identity, force: bool) -> Result<Corpus, Error> {
        let corpus = Corpus::resume(output, identity, force, Settings::default())?;
        corpus.keep(&BTreeSet::new())?;
        Ok(corpus)
    }

    /// As [`Corpus::create`], but what an interrupted run of the same identity left is still there:
    /// [`Corpus::continues`] says so, and [`Corpus::keep`] removes what is not to be continued.
    ///
    /// # Errors
    /// As [`Corpus::create`].
    pub fn resume(
        output: Output,
        identity: &Identity,
        force: bool,
        settings: Settings,
    ) -> Result<Corpus, Error> {
        let crawl = identity.crawl()?;
        let check = || Corpus::inspect(&output, identity, force);
        // Looked at before it is taken: what is refused need not be writable.
        check().inspect_err(|error| tidy(&output, error))?;
        let hold = output.hold()?;
        check()?;
        // Before hours of work, not after.
        let logs = TABLES.map(|table| delta::log_folder(table.name)).into_iter();
        let folders = TABLES.into_iter().map(|table| folder(&table, crawl.as_ref()));
        for folder in logs.chain(folders).chain([STAGING, STATE].map(str::to_owned)) {
            output.check_links(&folder)?;
        }
        let continues = !force && output.get(MARKER)?.is_some();
        let marker = Marker {
            format: FORMAT,
            identity: identity.clone(),
            ..Marker::default()
        };
        output.put(MARKER, &to_json(&marker))?;
        let corpus = Corpus {
            output,
            marker: Arc::new(marker),
            settings: Arc::new(settings),
            continues,
            build: identity.build(),
            crawl,
            _hold: Some(Arc::new(hold)),
        };
        if !continues {
            corpus.keep(&BTreeSet::new())?;
        }
        Ok(corpus)
    }

    /// The corpus that another process holds, and that this one is to write to together with it.
    ///
    /// # Errors
    /// There is none that is being written, or one of another identity.
    pub fn join(output: Output, identity: &Identity, settings: Settings) -> Result<Corpus, Error> {
        let missing = || {
            Error::Marker(
                output.place_of(MARKER).to_string(),
                "it is not there: is this the same folder for all processes?".to_owned(),
            )
        };
        let bytes = output.get(MARKER)?.ok_or_else(missing)?;
        check_marker(&output, &bytes, identity)?;
        Ok(Corpus {
            marker: Arc::new(parse(&output, &bytes)?),
            output,
            settings: Arc::new(settings),
            continues: true,
            build: identity.build(),
            crawl: identity.crawl()?,
            _hold: None,
        })
    }

    /// Whether an interrupted run of the same identity was here before.
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// Removes the files of our tables, whole or not, and all that is staged, but not `files`.
    ///
    /// # Errors
    /// They cannot be listed or removed.
    pub fn keep(&self, files: &BTreeSet<String>) -> Result<(), Error> {
        let tops = self.output.top()?;
        for name in tops.iter().filter(|name| Output::is_partial(name)) {
            self.output.delete(name)?;
        }
        if !files.iter().any(|name| below(STAGING, name).is_some()) {
            self.output.remove(STAGING)?;
        }
        for folder in TABLES.map(|table| table.name).into_iter().chain([STAGING, STATE]) {
            let there = self.output.list(folder)?.into_iter();
            let ours = there.filter(|file| is_ours(folder, &file.name) && !files.contains(&file.name));
            self.output
                .delete_all(&ours.map(|file| file.name).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Begins a file of a table, with rows of this crawl: one with a name, in a labelled corpus. `number` distinguishes it from
    /// others that are being written: it gets its name when it is whole.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn table<R: Row>(&self, crawl: Option<&Crawl>, number: u32) -> Result<TableWriter<R>, Error> {
        let (upload, name) = self.begin(&R::TABLE, crawl, number)?;
        TableWriter::new(upload, &name, &self.settings)
    }

    /// The same for a file that is made of row groups. A table has no use for a file without rows.
    ///
    /// # Errors
    /// As [`Corpus::table`].
    pub fn file(&self, table: &Table, crawl: Option<&Crawl>, number: u32) -> Result<FileWriter, Error> {
        let (upload, name) = self.begin(table, crawl, number)?;
        FileWriter::new(upload, &name, table, &self.settings)
    }

    fn begin(&self, table: &Table, crawl: Option<&Crawl>, number: u32) -> Result<(Upload, String), Error> {
        debug_assert_eq!(crawl.is_some(), self.is_labelled(), "{}", table.name);
        let name = format!("{}/part-{number:05}.parquet", folder(table, crawl));
        Ok((self.output.create(&name)?, name))
    }

    /// Encodes rows for files of this corpus.
    ///
    /// # Errors
    /// As [`GroupEncoder::new`].
    pub fn encoder<R: Row>(&self) -> Result<GroupEncoder<R>, Error> {
        GroupEncoder::new(&self.settings)
    }

    /// Makes files part of a table, as one version of its log, see [`Part`]. Versions are counted from 0
    /// and committed in order; to commit one again changes nothing. `files` are those of all tables.
    ///
    /// # Errors
    /// The version cannot be written, or another program has written to the table.
    pub fn commit(&self, table: &Table, version: u64, files: &[Part]) -> Result<(), Error> {
        delta::commit(table, &self.output, &self.build, version, &of_table(table, files))
    }

    /// How many versions of a table are committed: those up to the first that is not there.
    ///
    /// # Errors
    /// The table's folder cannot be read.
    pub fn versions(&self, table: &Table) -> Result<u64, Error> {
        let files = self.output.list(&delta::log_folder(table.name))?;
        let there: BTreeSet<String> = files.into_iter().map(|file| file.name).collect();
        let is_there = |version: &u64| there.contains(&delta::version_file(table.name, *version));
        Ok((0..).take_while(is_there).count() as u64)
    }

    /// The files of a table's log with this number of versions, checkpoints included.
    pub fn log_files(table: &Table, versions: u64) -> impl Iterator<Item = String> + use<> {
        let name = table.name;
        let each = (0..versions).map(|version| delta::version_file(name, version));
        each.chain(checkpoint::files(name, versions))
    }

    /// Writes the checkpoint of a version of a table's log. `files` are those of all tables and of all versions up
    /// to it, in their order. To write one again changes nothing.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn checkpoint(&self, table: &Table, version: u64, files: &[Part]) -> Result<(), Error> {
        checkpoint::write(table, &self.output, &self.build, version, &of_table(table, files))
    }

    /// Gives a table a file without rows, where it has none: readers then find its columns all the same. It is the
    /// next version of the table's log. To be called when all rows are written and committed; says whether a file
    /// was needed. It is in the folder of this crawl.
    ///
    /// # Errors
    /// The table's folder cannot be read or written to.
    pub fn ensure_table(&self, table: &Table, crawl: Option<&Crawl>) -> Result<bool, Error> {
        let folder = table.name;
        let files = self.output.list(folder)?;
        let names = files.iter().filter_map(|file| below(folder, &file.name));
        if names.clone().any(delta::is_part) {
            return Ok(false);
        }
        let versions = names.filter_map(delta::number_of).count() as u64;
        self.commit(table, versions, &[self.file(table, crawl, 0)?.finish()?.wait()?])?;
        Ok(true)
    }

    /// The tables that have a log, each with its last version.
    fn last_versions(&self) -> Result<BTreeMap<String, u64>, Error> {
        let mut found = BTreeMap::new();
        for table in TABLES {
            if let Some(last) = self.versions(&table)?.checked_sub(1) {
                found.insert(table.name.to_owned(), last);
            }
        }
        Ok(found)
    }

    /// Says that all tables are there, without what is in these inputs. `totals` are rows by table; `summary` is kept for who
    /// asks again; `arguments` are there if the corpus keeps state.
    ///
    /// # Errors
    /// The marker cannot be written; the corpus stays incomplete.
    pub fn finish(
        &self,
        totals: BTreeMap<String, u64>,
        summary: Map<String, Value>,
        missing: Vec<Unread>,
        arguments: Option<Arguments>,
    ) -> Result<(), Error> {
        let marker = Marker {
            state: State::Complete,
            totals,
            summary,
            missing,
            tables: self.last_versions()?,
            version: 1,
            arguments,
            ..Marker::clone(&self.marker)
        };
        self.output.put(MARKER, &to_json(&marker))?;
        Ok(self.output.remove(STAGING)?)
    }

    /// The marker of a corpus; `None` where there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn marker(output: &Output) -> Result<Option<Marker>, Error> {
        output.get(MARKER)?.map(|bytes| parse(output, &bytes)).transpose()
    }

    /// The crawl of the first build, where it has a name.
    pub fn crawl(&self) -> Option<&Crawl> {
        self.crawl.as_ref()
    }

    /// Whether its crawls have names; all do, or none.
    pub fn is_labelled(&self) -> bool {
        self.build.is_labelled
    }

    /// Where the corpus is.
    pub fn output(&self) -> &Output {
        &self.output
    }
}

/// A run that was killed just after its end may have left what it had staged, and its lock.
fn tidy(output: &Output, error: &Error) {
    let is_left = || {
        output
            .top()
            .is_ok_and(|names| names.iter().any(|name| name == STAGING || Output::is_lock(name)))
    };
    if matches!(error, Error::Complete(..))
        && is_left()
        && let Ok(_hold) = output.hold()
    {
        // It only takes room: the next run tries again.
        drop(output.remove(STAGING));
    }
}

fn check_marker(output: &Output, bytes: &[u8], identity: &Identity) -> Result<(), Error> {
    let folder = output.place().to_string();
    let marker = parse(output, bytes)?;
    let places = ["in the corpus", "in this command"];
    let mut differences = marker.identity.differences(identity, places);
    if marker.format != FORMAT {
        let formats = [marker.format.to_string(), FORMAT.to_string()];
        differences.insert(0, difference("format", formats, places));
    }
    if !differences.is_empty() {
        return Err(Error::Other(folder, differences.join("; ")));
    }
    match marker.state {
        State::Complete => Err(Error::Complete(folder)),
        State::Building => Ok(()),
    }
}

fn check_empty(output: &Output, names: &[String]) -> Result<(), Error> {
    match names
        .iter()
        .find(|name| !Output::is_partial(name) && !Output::is_lock(name))
    {
        Some(name) => Err(Error::Foreign(output.place().to_string(), name.clone())),
        None => Ok(()),
    }
}

fn parse(output: &Output, bytes: &[u8]) -> Result<Marker, Error> {
    serde_json::from_slice(bytes)
        .map_err(|error| Error::Marker(output.place_of(MARKER).to_string(), error.to_string()))
}

fn to_json(marker: &Marker) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(marker).expect("a marker has no maps with odd keys");
    bytes.push(b'\n');
    bytes
}

/// The folder of a table's files with rows of a crawl.
fn folder(table: &Table, crawl: Option<&Crawl>) -> String {
    match crawl.filter(|_| table.is_by_crawl()) {
        Some(crawl) => format!("{}/{}", table.name, crawl.folder()),
        None => table.name.to_owned(),
    }
}

/// The files of a table.
fn of_table(table: &Table, files: &[Part]) -> Vec<Part> {
    let files = files
        .iter()
        .filter(|file| below(table.name, &file.name).is_some());
    files.cloned().collect()
}

/// Whether a file is one that a run of ours made in the folder of a table, or of what is staged.
fn is_ours(table: &str, name: &str) -> bool {
    let is_known = |file: &str| log::is_log(file) || delta::is_part(file) || Output::is_partial(file);
    below(table, name).is_some_and(|file| [STAGING, STATE].contains(&table) || is_known(file))
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
