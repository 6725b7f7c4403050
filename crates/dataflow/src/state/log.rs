//! The log of a build: small files in `.staging` of the output, from which an interrupted build resumes.
//!
//! There is an entry for each part whose pages are read, for each part that lacks an input, for each group of parts whose runs are
//! one, and for each chunk whose tables are written. An entry is written atomically, after all that it describes is durable: what
//! has an entry is done, all else is done again. Therefore it does not matter when a run ends, nor how many workers the next has.

use std::collections::BTreeSet;

use gleaner_corpus::{Corpus, STAGING, Unread};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::data::packing::{sealed, unsealed};
use crate::data::sites::Sum;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::plan::Plan;
use crate::sorted_runs::RunPlace;
use crate::staging::staged_file::StagedFile;
use crate::state::done::{Done, DoneNumbers, HalfRead, ReadPart, WrittenChunk, sums_of};
use crate::state::missing_files::FilesThere;
use crate::state::publish::log_files;

/// The version of all that is staged. With every change of it, this number changes.
const FORMAT: u32 = 25;

/// What a run must have in common with the one that it continues, beside the identity of the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct LoggedRun {
    format: u32,
    program: String,
    plan: Plan,
}

/// The entries of a build.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    corpus: Corpus,
}

impl Log {
    /// Begins the log of a build, or reads it where an earlier run began it; what that left half done is
    /// removed then.
    ///
    /// # Errors
    /// The output can't be written to or read, or another version of the program began the build.
    pub(crate) fn open(corpus: &Corpus, plan: &Plan) -> Result<(Log, Done), Error> {
        let log = Log {
            corpus: corpus.clone(),
        };
        let run = LoggedRun::of(plan);
        let there: Option<LoggedRun> = match corpus.continues() {
            true => log.get(RUN)?,
            false => None,
        };
        let mut done = match there {
            Some(there) if there == run => log.read()?,
            Some(there) => return Err(there.refuse(&run)),
            None => Done::default(),
        };
        let gone = done.forget_gone(&FilesThere::look(corpus.output(), &done)?, plan);
        for what in gone {
            tracing::warn!(what, "files are gone, done again");
        }
        corpus.keep(&done.files(plan))?;
        log.put(RUN, &run)?;
        Ok((log, done))
    }

    /// Reads the log of a build that another process has begun, as far as that one found it.
    ///
    /// # Errors
    /// As [`Log::open`], or the other process cuts the input in another way.
    pub(crate) fn join(corpus: &Corpus, plan: &Plan, start: &DoneNumbers) -> Result<(Log, Done), Error> {
        let log = Log {
            corpus: corpus.clone(),
        };
        let (there, run): (LoggedRun, LoggedRun) = (log.found(RUN)?, LoggedRun::of(plan));
        if there != run {
            return Err(there.refuse(&run));
        }
        let mut done = Done::default();
        for &part in &start.read {
            done.read.insert(part, log.found(&format!("pages-{part:05}"))?);
        }
        for &part in &start.half {
            done.half.insert(part, log.found(&half_entry(part))?);
        }
        for &group in &start.sorted {
            done.sorted.insert(group, log.sorted(group)?);
        }
        for &chunk in &start.written {
            done.written.insert(chunk, log.written(chunk)?);
        }
        Ok((log, done))
    }

    /// The entry of a part that is read, or the inputs that it lacks.
    pub(crate) fn read_again(&self, part: Epoch) -> Result<Result<ReadPart, Vec<Unread>>, Error> {
        Ok(match self.get(&format!("pages-{part:05}"))? {
            Some(read) => Ok(read),
            None => Err(self.missing(part)?),
        })
    }

    fn missing(&self, part: Epoch) -> Result<Vec<Unread>, Error> {
        let half: HalfRead = self.found(&half_entry(part))?;
        Ok(half.missing)
    }

    /// The runs of a group of parts.
    pub(crate) fn sorted(&self, group: u32) -> Result<[RunPlace; 2], Error> {
        self.found(&format!("sorted-{group:05}"))
    }

    /// The entry of a chunk that is written.
    pub(crate) fn written(&self, chunk: Epoch) -> Result<WrittenChunk, Error> {
        self.found(&format!("chunk-{chunk:05}"))
    }

    /// What the documents of a chunk that is written add to their sites.
    pub(crate) fn sums(&self, chunk: Epoch) -> Result<Vec<Sum>, Error> {
        let bytes = self.corpus.output().get(&sums_of(chunk))?;
        unsealed(&bytes.ok_or(Error::Damaged)?)
    }

    /// A part is read. Waits for the store, as do the others.
    pub(crate) fn read_part(&self, part: Epoch, entry: &ReadPart) -> Result<(), Error> {
        self.put(&format!("pages-{part:05}"), entry)
    }

    /// Of a part some units are read.
    pub(crate) fn half_read(&self, part: Epoch, entry: &HalfRead) -> Result<(), Error> {
        self.put(&half_entry(part), entry)
    }

    /// The runs of a group of parts are one.
    pub(crate) fn sorted_group(&self, group: u32, runs: &[RunPlace; 2]) -> Result<(), Error> {
        self.put(&format!("sorted-{group:05}"), runs)
    }

    /// Keeps what the documents of a chunk add to their sites, until all chunks are written. It has to be safe before the chunk
    /// counts as written. Gives its bytes.
    pub(crate) fn put_sums(&self, chunk: Epoch, sums: &[Sum]) -> Result<u64, Error> {
        let bytes = sealed(&sums);
        self.corpus.output().put(&sums_of(chunk), &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// A chunk is written.
    pub(crate) fn written_chunk(&self, chunk: Epoch, entry: &WrittenChunk) -> Result<(), Error> {
        self.put(&format!("chunk-{chunk:05}"), entry)
    }

    fn put(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        Ok(self.corpus.output().put(&entry(name), &sealed(value))?)
    }

    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        let bytes = self.corpus.output().get(&entry(name))?;
        bytes.map(|bytes| unsealed(&bytes)).transpose()
    }

    fn read(&self) -> Result<Done, Error> {
        let mut done = Done::default();
        for file in self.corpus.output().list(STAGING)? {
            let name = file
                .name
                .strip_prefix(STAGING)
                .and_then(|name| name.strip_prefix('/'));
            let name = name.and_then(|name| name.strip_suffix(ENTRY)).unwrap_or_default();
            let Some((phase, Ok(number))) = name
                .split_once('-')
                .map(|(phase, number)| (phase, number.parse()))
            else {
                continue;
            };
            match phase {
                "pages" => drop(done.read.insert(number, self.found(name)?)),
                "half" => drop(done.half.insert(number, self.found(name)?)),
                "sorted" => drop(done.sorted.insert(number as u32, self.found(name)?)),
                "chunk" => drop(done.written.insert(number, self.found(name)?)),
                _ => {}
            }
        }
        // What was missing of these is there.
        done.half.retain(|part, _| !done.read.contains_key(part));
        Ok(done)
    }

    fn found<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        self.get(name)?.ok_or(Error::Damaged)
    }
}

impl LoggedRun {
    fn of(plan: &Plan) -> LoggedRun {
        LoggedRun {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            plan: plan.clone(),
        }
    }

    fn refuse(&self, now: &LoggedRun) -> Error {
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
        let tables = self.written.values().flat_map(|chunk| &chunk.files);
        let tables = tables.map(|file| file.name.clone());
        let written = self.written.keys();
        let sums = self.written.keys().map(|&chunk| sums_of(chunk));
        tables
            .chain(log_files(self.whole()))
            .chain(sums)
            .chain([entry(RUN)])
            .chain(self.read.keys().map(|part| entry(&format!("pages-{part:05}"))))
            .chain(self.half.keys().map(|&part| entry(&half_entry(part))))
            .chain(
                self.sorted
                    .keys()
                    .map(|group| entry(&format!("sorted-{group:05}"))),
            )
            .chain(self.waiting(plan).into_iter().map(StagedFile::name))
            .chain(
                self.written
                    .values()
                    .flat_map(WrittenChunk::kept)
                    .map(StagedFile::name),
            )
            .chain(written.map(|chunk| entry(&format!("chunk-{chunk:05}"))))
            .collect()
    }
}

const RUN: &str = "run";
const ENTRY: &str = ".entry";

fn entry(name: &str) -> String {
    format!("{STAGING}/{name}{ENTRY}")
}

fn half_entry(part: Epoch) -> String {
    format!("half-{part:05}")
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::{Identity, Settings};
    use gleaner_store::{Options, Store};

    use super::*;
    use crate::data::sites::{SiteCounts, SiteKey};

    /// The corpus of a folder, as each run finds it.
    fn corpus(folder: &tempfile::TempDir) -> Corpus {
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        Corpus::resume(output, &Identity::default(), false, Settings::default()).unwrap()
    }

    fn open(folder: &tempfile::TempDir) -> Result<(Log, Done), Error> {
        Log::open(&corpus(folder), &Plan::default())
    }

    #[test]
    fn what_another_version_has_begun_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (log, _) = open(&folder).unwrap();
        let before = LoggedRun {
            format: FORMAT - 1,
            ..LoggedRun::of(&Plan::default())
        };
        log.put(RUN, &before).unwrap();
        drop(log);
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
    fn the_next_run_has_the_sums_of_the_chunks_that_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let (log, _) = open(&folder).unwrap();
        let sum = |site: &str| {
            let key = SiteKey {
                site: site.to_owned(),
                language: None,
            };
            (key, SiteCounts::default())
        };
        let sums = [sum("a"), sum("b")];
        let written = WrittenChunk {
            sums_bytes: log.put_sums(0, &sums).unwrap(),
            ..WrittenChunk::default()
        };
        log.written_chunk(0, &written).unwrap();
        // It was killed before this chunk had its entry.
        log.put_sums(1, &sums).unwrap();
        drop(log);
        let (log, done) = open(&folder).unwrap();
        assert_eq!(done.written.keys().collect::<Vec<_>>(), [&0]);
        assert_eq!(log.sums(0).unwrap(), sums);
        assert_eq!(log.corpus.output().get(&sums_of(1)).unwrap(), None);
        assert!(matches!(log.sums(1), Err(Error::Damaged)));
    }
}
