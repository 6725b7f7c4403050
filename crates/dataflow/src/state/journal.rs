//! The journals of a build: small files in `.staging` of the output, from which an interrupted build resumes.
//!
//! Each process has a journal of its own. An entry says that a part of the input is read, or some of it, that the runs of a group
//! of parts are one, or that a chunk is written. It is written when all that it describes is durable: what has an entry is done,
//! all else is done again. Therefore it does not matter when a run ends, nor how many processes and workers the next has.
//!
//! A journal is a row of files. The last is written again with each entry, up to [`MOST`] bytes; so a restart reads few files.
//! A run that resumes begins with one file of all that is done, the base of its *generation*. Older generations are removed.

use std::collections::BTreeSet;

use gleaner_corpus::{Corpus, KeptKind, STAGING, digest_of, kept_json};
use gleaner_store::Output;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::data::packing::{add_sum, check_sum, pack, sealed, unpack, unsealed};
use crate::error::Error;
use crate::plan::Plan;
use crate::staging::staged_file::StagedFile;
use crate::state::done::{Done, JournalEntry};
use crate::state::missing_files::FilesThere;
use crate::state::publish::log_files;

/// The version of all that is staged. With every change of it, this number changes.
const FORMAT: u32 = 27;

/// Bytes of a file of a journal, after which the next one begins.
pub(crate) const MOST: u64 = 1 << 20;

/// What a run must have in common with the one that it continues, beside the identity of the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct JournaledRun {
    format: u32,
    program: String,
    plan: Plan,
}

/// The journal of a process.
#[derive(Debug)]
pub(crate) struct Journal {
    corpus: Corpus,
    generation: u32,
    process: usize,
    /// The number of the file that is written, and its bytes without their sum.
    file: Mutex<(u32, Vec<u8>)>,
}

impl Journal {
    fn new(corpus: &Corpus, generation: u32, process: usize) -> Journal {
        Journal {
            corpus: corpus.clone(),
            generation,
            process,
            file: Mutex::default(),
        }
    }

    /// Begins the journals of a build, or reads them where an earlier run began them; what that left half done is
    /// removed then. For the first process.
    ///
    /// # Errors
    /// The output can't be written to or read, or another version of the program began the build.
    pub(crate) fn open(corpus: &Corpus, plan: &Plan) -> Result<(Journal, Done), Error> {
        let (output, run) = (corpus.output(), JournaledRun::of(plan));
        let there: Option<JournaledRun> = match corpus.continues() {
            true => output
                .get(&run_file())?
                .map(|bytes| unsealed(&bytes))
                .transpose()?,
            false => None,
        };
        let (generation, mut done) = match there {
            Some(there) if there == run => read(output, None)?,
            Some(there) => return Err(there.refuse(&run)),
            None => (0, Done::default()),
        };
        let gone = done.forget_gone(&FilesThere::look(output, &done)?, plan);
        for what in gone {
            tracing::warn!(what, "files are gone, done again");
        }
        let journal = Journal::new(corpus, generation + 1, 0);
        output.put(&base_file(journal.generation), &file_of(done.entries()))?;
        output.put(&run_file(), &sealed(&run))?;
        let own = [run_file(), base_file(journal.generation)];
        corpus.keep(&done.files(plan).into_iter().chain(own).collect())?;
        Ok((journal, done))
    }

    /// Reads the journals of a build that another process has begun.
    ///
    /// # Errors
    /// As [`Journal::open`], or the other process cuts the input in another way.
    pub(crate) fn join(corpus: &Corpus, plan: &Plan, process: usize) -> Result<(Journal, Done), Error> {
        let run = JournaledRun::of(plan);
        let there = corpus.output().get(&run_file())?.ok_or(Error::Damaged)?;
        let there: JournaledRun = unsealed(&there)?;
        if there != run {
            return Err(there.refuse(&run));
        }
        let (generation, done) = read(corpus.output(), None)?;
        Ok((Journal::new(corpus, generation, process), done))
    }

    /// Adds an entry. Waits for the disk or the store.
    pub(crate) fn add(&self, entry: &JournalEntry) -> Result<(), Error> {
        let mut file = self.file.lock();
        let (number, bytes) = &mut *file;
        pack(entry, bytes);
        let name = format!("{}{number:05}", journal_of(self.generation, self.process));
        let mut whole = bytes.clone();
        add_sum(&mut whole);
        self.corpus.output().put(&name, &whole)?;
        if bytes.len() as u64 >= MOST {
            *file = (*number + 1, Vec::new());
        }
        Ok(())
    }

    /// What all processes have done so far.
    pub(crate) fn all(&self) -> Result<Done, Error> {
        Ok(read(self.corpus.output(), None)?.1)
    }

    /// What this process has done in this run.
    pub(crate) fn own(&self) -> Result<Done, Error> {
        Ok(read(self.corpus.output(), Some(self.process))?.1)
    }
}

/// The newest generation, and what its journals say, or that of a process. Without journals it is 0.
fn read(output: &Output, process: Option<usize>) -> Result<(u32, Done), Error> {
    let mut done = Done::default();
    let files = output.list(STAGING)?.into_iter().map(|file| file.name);
    let of_journals = files.filter_map(|file| Some((generation_of(&file)?, file)));
    let mut files: Vec<((u32, bool), String)> = of_journals.collect();
    // Of a generation without its base nothing counts.
    let newest = files
        .iter()
        .filter(|((_, is_base), _)| *is_base)
        .map(|((generation, _), _)| *generation)
        .max();
    let generation = newest.unwrap_or_default();
    let of_process = process.map(|process| journal_of(generation, process));
    let is_wanted = |name: &str| {
        of_process
            .as_ref()
            .is_none_or(|of_process| name.starts_with(of_process))
    };
    files.retain(|((of, _), name)| *of == generation && is_wanted(name));
    // The base first.
    files.sort_by(|((_, one), one_name), ((_, other), other_name)| (other, one_name).cmp(&(one, other_name)));
    for (_, name) in files {
        let bytes = output.get(&name)?.ok_or(Error::Damaged)?;
        let mut bytes = check_sum(&bytes)?;
        while !bytes.is_empty() {
            done.take(unpack(&mut bytes)?);
        }
    }
    Ok((generation, done))
}

/// The bytes of a file with these entries.
fn file_of(entries: impl Iterator<Item = JournalEntry>) -> Vec<u8> {
    let mut bytes = Vec::new();
    entries.for_each(|entry| pack(&entry, &mut bytes));
    add_sum(&mut bytes);
    bytes
}

fn run_file() -> String {
    format!("{STAGING}/run")
}

fn base_file(generation: u32) -> String {
    format!("{STAGING}/journal-{generation:04}")
}

/// How the names of the files of a process begin.
fn journal_of(generation: u32, process: usize) -> String {
    format!("{}-{process:03}-", base_file(generation))
}

/// The generation of a file of a journal, and whether it is its base.
fn generation_of(name: &str) -> Option<(u32, bool)> {
    let rest = name.strip_prefix(STAGING)?.strip_prefix("/journal-")?;
    let is_base = !rest.contains('-');
    Some((rest.split('-').next()?.parse().ok()?, is_base))
}

impl JournaledRun {
    fn of(plan: &Plan) -> JournaledRun {
        JournaledRun {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            plan: plan.clone(),
        }
    }

    fn refuse(&self, now: &JournaledRun) -> Error {
        let difference = if self.format != now.format || self.program != now.program {
            let [there, now] =
                [self, now].map(|run| format!("gleaner {}, staging {}", run.program, run.format));
            format!("it was begun by {there}, and this is {now}")
        } else {
            "its input is cut in another way now".to_owned()
        };
        Error::Begun(difference)
    }
}

impl Done {
    /// The files that are part of what is done.
    fn files(&self, plan: &Plan) -> BTreeSet<String> {
        let chunks = || self.written.values();
        let tables = chunks().flat_map(|chunk| &chunk.files);
        let units = chunks().flat_map(|chunk| &chunk.units);
        tables
            .map(|file| file.name.clone())
            .chain(units.map(|unit| unit.state.name()))
            .chain(chunks().map(|chunk| KeptKind::Chunks.file(&digest_of(&kept_json(&chunk.entry())))))
            .chain(log_files(self.whole()))
            .chain(self.waiting(plan).into_iter().map(StagedFile::name))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::{Identity, Settings};
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::state::written::WrittenChunk;

    /// The corpus of a folder, as each run finds it.
    fn corpus(folder: &tempfile::TempDir) -> Corpus {
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        Corpus::resume(output, &Identity::default(), false, Settings::default()).unwrap()
    }

    fn open(folder: &tempfile::TempDir) -> Result<(Journal, Done), Error> {
        Journal::open(&corpus(folder), &Plan::default())
    }

    fn chunk(documents: u64) -> WrittenChunk {
        let mut chunk = WrittenChunk::default();
        chunk.summary.documents = documents;
        chunk
    }

    #[test]
    fn what_another_version_has_begun_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = open(&folder).unwrap();
        let before = JournaledRun {
            format: FORMAT - 1,
            ..JournaledRun::of(&Plan::default())
        };
        let output = journal.corpus.output().clone();
        output.put(&run_file(), &sealed(&before)).unwrap();
        drop(journal);
        let program = env!("CARGO_PKG_VERSION");
        assert_eq!(
            open(&folder).unwrap_err().to_string(),
            format!(
                "the interrupted build cannot be continued (it was begun by gleaner {program}, staging {}, and this is \
                 gleaner {program}, staging {FORMAT}): use --force to start again",
                FORMAT - 1
            )
        );
    }

    #[test]
    fn the_next_run_finds_what_all_processes_have_done() {
        let folder = tempfile::tempdir().unwrap();
        let (first, _) = open(&folder).unwrap();
        let corpus = first.corpus.clone();
        let (second, _) = Journal::join(&corpus, &Plan::default(), 1).unwrap();
        first.add(&JournalEntry::Written(0, Box::new(chunk(1)))).unwrap();
        second.add(&JournalEntry::Written(1, Box::new(chunk(2)))).unwrap();
        // It is sealed after this one.
        let mut large = chunk(3);
        let file = gleaner_corpus::Part {
            name: "documents/none.parquet".to_owned(),
            rows: 0,
            bytes: 0,
        };
        large.files = vec![file; MOST as usize / 20];
        second.add(&JournalEntry::Written(2, Box::new(large))).unwrap();
        second.add(&JournalEntry::Written(3, Box::new(chunk(4)))).unwrap();
        assert_eq!(first.all().unwrap().written.len(), 4);
        assert_eq!(second.own().unwrap().written.len(), 3);
        let journals = |corpus: &Corpus| -> Vec<String> {
            let files = corpus.output().list(STAGING).unwrap().into_iter();
            let names = files.map(|file| file.name);
            names.filter(|name| generation_of(name).is_some()).collect()
        };
        assert_eq!(
            journals(&corpus).len(),
            4,
            "base, one of the first, two of the second"
        );
        drop((first, second, corpus));
        let (again, done) = open(&folder).unwrap();
        // The file of the third is not there.
        let documents = done
            .written
            .iter()
            .map(|(&number, chunk)| (number, chunk.summary.documents));
        assert_eq!(documents.collect::<Vec<_>>(), [(0, 1), (1, 2), (3, 4)]);
        assert_eq!(journals(&again.corpus).len(), 1);
    }

    #[test]
    fn a_base_that_was_not_written_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = open(&folder).unwrap();
        journal
            .add(&JournalEntry::Written(0, Box::new(chunk(1))))
            .unwrap();
        let next = Journal::new(&journal.corpus, journal.generation + 1, 0);
        next.add(&JournalEntry::Written(1, Box::new(chunk(2)))).unwrap();
        assert_eq!(journal.all().unwrap().written.keys().collect::<Vec<_>>(), [&0]);
    }
}
