//! A folder that is a corpus, while it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_store::{Hold, Output, Upload};
use serde_json::{Map, Value};

use crate::delta::{LogVersion, below};
use crate::garbage::{STAGING, garbage, is_ours, named_files};
use crate::kept::{Arguments, STATE};
use crate::marker::{Identity, MARKER, Marker, State, Unread, difference};
use crate::next::{Change, NEXT};
use crate::table::Row;
use crate::tables::TABLES;
use crate::{
    Crawl, Error, FORMAT, FileWriter, GroupEncoder, Part, Settings, Table, TableWriter, checkpoint, delta,
};

/// A corpus being written. Cheap to clone and to share between threads.
#[derive(Clone, Debug)]
pub struct Corpus {
    output: Output,
    /// That of the version that is built, or that is changed.
    marker: Arc<Marker>,
    settings: Arc<Settings>,
    continues: bool,
    /// The build, as in the logs of its tables.
    build: delta::Build,
    /// The crawl of the first build, where it has a name.
    crawl: Option<Crawl>,
    /// The change that it is open for; none while its first version is built.
    pub(crate) change: Option<Arc<Change>>,
    /// Only the processes of this build write to it meanwhile.
    _hold: Option<Arc<Hold>>,
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
        check_folders(&output, crawl.as_ref())?;
        let continues = !force && output.get(MARKER)?.is_some();
        let marker = Marker {
            format: FORMAT,
            identity: identity.clone(),
            application: identity.application(),
            ..Marker::default()
        };
        // From here on a change of the corpus that was there counts no more: its file goes with the others.
        output.put(MARKER, &marker.to_json())?;
        let corpus = Corpus {
            output,
            build: marker.build(),
            marker: Arc::new(marker),
            settings: Arc::new(settings),
            continues,
            crawl,
            change: None,
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
        let marker = Marker::parse(&output, &bytes)?;
        Ok(Corpus {
            build: marker.build(),
            marker: Arc::new(marker),
            output,
            settings: Arc::new(settings),
            continues: true,
            crawl: identity.crawl()?,
            change: None,
            _hold: None,
        })
    }

    /// The corpus that is changed: `base` is the marker of the version that is there.
    pub(crate) fn of_change(
        output: Output,
        base: &Marker,
        settings: Settings,
        continues: bool,
        change: Change,
        hold: Option<Hold>,
    ) -> Result<Corpus, Error> {
        Ok(Corpus {
            output,
            build: base.build(),
            crawl: base.identity.crawl()?,
            marker: Arc::new(base.clone()),
            settings: Arc::new(settings),
            continues,
            change: Some(Arc::new(change)),
            _hold: hold.map(Arc::new),
        })
    }

    /// Whether an interrupted run of the same identity, or of the same change, was here before.
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// Removes the files of our tables, whole or not, all that the corpus keeps beside them, and all that is staged, but not
    /// `files`. While a corpus is changed, what its versions name stays, too, with logs and receipts. Waits for the store.
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
        let mut ours = self.output.list(STAGING)?;
        match self.change {
            Some(_) => {
                let named = named_files(&self.output, &self.marker)?;
                ours.extend(garbage(&self.output, &self.marker, &named)?);
            }
            None => {
                for folder in TABLES.map(|table| table.name).into_iter().chain([STATE]) {
                    let there = self.output.list(folder)?.into_iter();
                    ours.extend(there.filter(|file| is_ours(folder, &file.name)));
                }
            }
        }
        let names = ours.into_iter().map(|file| file.name);
        let gone: Vec<String> = names.filter(|name| !files.contains(name)).collect();
        Ok(self.output.delete_all(&gone)?)
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
        let has_crawl = !table.is_by_crawl() || crawl.is_some() == self.is_labelled();
        debug_assert!(has_crawl, "{}", table.name);
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
        debug_assert!(self.change.is_none(), "a change commits at its end");
        let files = of_table(table, files);
        let version = LogVersion::of_build(version, &files);
        delta::commit(table, &self.output, &self.build, &version)
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
        let files = of_table(table, files);
        for (name, bytes) in checkpoint::written(table, &self.output, &self.build, version, version, &files)?
        {
            self.output.put(&name, &bytes)?;
        }
        Ok(())
    }

    /// Gives a table a file without rows, where it has none: readers then find its columns all the same. It is the
    /// next version of the table's log. To be called when all rows are written and committed; gives the file, if one
    /// was needed. It is in the folder of this crawl.
    ///
    /// # Errors
    /// The table's folder cannot be read or written to.
    pub fn ensure_table(&self, table: &Table, crawl: Option<&Crawl>) -> Result<Option<Part>, Error> {
        let folder = table.name;
        let files = self.output.list(folder)?;
        let names = files.iter().filter_map(|file| below(folder, &file.name));
        if names.clone().any(delta::is_part) {
            return Ok(None);
        }
        let versions = names.filter_map(delta::number_of).count() as u64;
        let file = self.file(table, crawl, 0)?.finish()?.wait()?;
        self.commit(table, versions, std::slice::from_ref(&file))?;
        Ok(Some(file))
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
        self.output.put(MARKER, &marker.to_json())?;
        Ok(self.output.remove(STAGING)?)
    }

    /// The marker of a corpus; `None` where there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn marker(output: &Output) -> Result<Option<Marker>, Error> {
        output
            .get(MARKER)?
            .map(|bytes| Marker::parse(output, &bytes))
            .transpose()
    }

    /// The crawl of the first build, where it has a name.
    pub fn crawl(&self) -> Option<&Crawl> {
        self.crawl.as_ref()
    }

    /// Whether its crawls have names; all do, or none.
    pub fn is_labelled(&self) -> bool {
        self.build.is_labelled
    }

    /// The marker of the version that is built or changed.
    pub(crate) fn open_marker(&self) -> &Marker {
        &self.marker
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
    // What an unfinished change has staged is still needed.
    let is_changing = || !matches!(output.get(NEXT), Ok(None));
    if matches!(error, Error::Complete(..))
        && is_left()
        && let Ok(_hold) = output.hold()
        && !is_changing()
    {
        // It only takes room: the next run tries again.
        drop(output.remove(STAGING));
    }
}

/// Refuses folders that are links: before hours of work, not after.
pub(crate) fn check_folders(output: &Output, crawl: Option<&Crawl>) -> Result<(), Error> {
    let logs = TABLES.map(|table| delta::log_folder(table.name)).into_iter();
    let folders = TABLES.into_iter().map(|table| folder(&table, crawl));
    let mut all = logs.chain(folders).chain([STAGING, STATE].map(str::to_owned));
    Ok(all.try_for_each(|folder| output.check_links(&folder))?)
}

fn check_marker(output: &Output, bytes: &[u8], identity: &Identity) -> Result<(), Error> {
    let folder = output.place().to_string();
    let marker = Marker::parse(output, bytes)?;
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
