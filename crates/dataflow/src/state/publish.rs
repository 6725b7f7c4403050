//! Chunks become visible to the readers of the tables' logs: a version a group of chunks, in the order of
//! the chunks, whatever the order in which they are written. Now and then there is a checkpoint, by which readers are
//! spared the versions before it.

use std::collections::BTreeMap;

use gleaner_corpus::{Corpus, OptionalTables, Part};
use parking_lot::Mutex;

use crate::epoch::Epoch;
use crate::error::Error;

/// Chunks of a version: a log of a large crawl has few versions, and of each table a version is one request.
pub(crate) const GROUP: Epoch = 64;

/// Versions from one checkpoint to the next.
const EVERY: Epoch = Corpus::CHECKPOINT_EVERY;

/// Commits chunks to the tables' logs.
#[derive(Debug)]
pub(crate) struct Publisher {
    corpus: Corpus,
    optional: OptionalTables,
    state: Mutex<PublisherState>,
}

#[derive(Debug)]
struct PublisherState {
    /// The files of chunks that are written: checkpoints name them all.
    written: BTreeMap<Epoch, Vec<Part>>,
    /// How many first chunks are among them.
    known: Epoch,
    /// The first version that is not committed.
    next: Epoch,
    /// The next version that is to have a checkpoint.
    checkpoint: Epoch,
}

/// What is written to the log of a table for a version.
#[derive(Clone, Copy, Debug)]
enum LogFile {
    /// The files of its chunks, which become visible.
    Version,
    /// The files of all chunks up to it, where readers may begin.
    Checkpoint,
}

impl Publisher {
    /// Continues after what an earlier run has committed to all tables. Whether that has come to its last checkpoint does not
    /// matter: it is written again.
    pub(crate) fn new(corpus: &Corpus, optional: OptionalTables) -> Result<Publisher, Error> {
        let versions = optional.of_chunks().map(|table| corpus.versions(&table));
        let versions = versions.collect::<Result<Vec<u64>, _>>()?;
        let next = versions.into_iter().min().unwrap_or(0);
        let state = PublisherState {
            written: BTreeMap::new(),
            known: 0,
            next,
            checkpoint: next.saturating_sub(1).max(EVERY) / EVERY * EVERY,
        };
        Ok(Publisher {
            corpus: corpus.clone(),
            optional,
            state: Mutex::new(state),
        })
    }

    /// A chunk is written: commits its group if all of that is written, and the groups before it are committed.
    /// Waits for the store.
    pub(crate) fn written(&self, chunk: Epoch, files: Vec<Part>) -> Result<(), Error> {
        let mut state = self.state.lock();
        state.written.insert(chunk, files);
        while state.written.contains_key(&state.known) {
            state.known += 1;
            if state.known.is_multiple_of(GROUP) {
                let version = state.known / GROUP - 1;
                self.advance(&mut state, version)?;
            }
        }
        Ok(())
    }

    /// All chunks are written: commits those of the last group.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        let mut state = self.state.lock();
        match state.known.is_multiple_of(GROUP) {
            true => Ok(()),
            false => {
                let version = state.known / GROUP;
                self.advance(&mut state, version)
            }
        }
    }

    /// Commits what is not committed of the versions up to one.
    fn advance(&self, state: &mut PublisherState, version: Epoch) -> Result<(), Error> {
        if state.next <= version {
            let chunks = state.written.range(version * GROUP..(version + 1) * GROUP);
            let files: Vec<Part> = chunks.flat_map(|(_, files)| files.iter().cloned()).collect();
            self.write(LogFile::Version, version, &files)?;
            tracing::info!(version, "chunks committed");
            state.next = version + 1;
        }
        if state.checkpoint <= version {
            let upto = state.written.range(..(state.checkpoint + 1) * GROUP);
            let files: Vec<Part> = upto.flat_map(|(_, files)| files.iter().cloned()).collect();
            self.write(LogFile::Checkpoint, state.checkpoint, &files)?;
            state.checkpoint += EVERY;
        }
        Ok(())
    }

    /// The documents last: what belongs to them is there before.
    fn write(&self, file: LogFile, version: Epoch, files: &[Part]) -> Result<(), Error> {
        for table in self.optional.of_chunks().rev() {
            match file {
                LogFile::Version => self.corpus.commit(&table, version, files)?,
                LogFile::Checkpoint => self.corpus.checkpoint(&table, version, files)?,
            }
        }
        Ok(())
    }

    /// The tables that this build writes and others may not.
    pub(crate) fn optional(&self) -> OptionalTables {
        self.optional
    }
}

/// The files of the logs in which the first `chunks` chunks are committed, group by group.
pub(crate) fn log_files(chunks: Epoch) -> impl Iterator<Item = String> {
    let versions = chunks / GROUP;
    let any = OptionalTables {
        blocks: true,
        posts: true,
        signals: true,
        rights: true,
        contamination: true,
    };
    any.of_chunks()
        .flat_map(move |table| Corpus::log_files(&table, versions))
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::{DocumentRow, Identity, Row};
    use gleaner_store::{Options, Store};

    use super::*;

    #[test]
    fn chunks_are_committed_in_their_order_a_group_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let publisher = Publisher::new(&corpus, OptionalTables::default()).unwrap();
        let committed = || corpus.versions(&DocumentRow::TABLE).unwrap();
        let publish = |from: &Publisher, chunks: std::ops::Range<Epoch>| {
            chunks.for_each(|chunk| from.written(chunk, Vec::new()).unwrap());
        };
        publish(&publisher, 1..2 * GROUP - 1);
        assert_eq!(committed(), 0);
        publish(&publisher, 0..1);
        assert_eq!(committed(), 1, "the next group is not known to be whole");
        publish(&publisher, 2 * GROUP - 1..2 * GROUP + 1);
        assert_eq!(committed(), 2);
        publisher.finish().unwrap();
        assert_eq!(committed(), 3);
        let again = Publisher::new(&corpus, OptionalTables::default()).unwrap();
        publish(&again, 0..3 * GROUP);
        again.finish().unwrap();
        assert_eq!(committed(), 3);
        let optional = ["blocks/", "posts/", "signals/", "rights/", "contamination/"];
        let is_unwanted = |file: &str| optional.iter().any(|folder| file.starts_with(folder));
        assert!(log_files(3 * GROUP).all(|file| is_unwanted(&file) || output.get(&file).unwrap().is_some()));
    }

    #[test]
    fn a_checkpoint_that_a_killed_run_owes_is_written_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let wanted = OptionalTables {
            blocks: true,
            posts: true,
            signals: true,
            rights: true,
            contamination: true,
        };
        let file = |part| Part {
            name: format!("documents/part-{part:05}.parquet"),
            rows: 1,
            bytes: part,
        };
        let chunks = GROUP * (2 * EVERY + 2);
        let publish = |from: &Publisher| {
            (0..chunks).for_each(|chunk| from.written(chunk, vec![file(chunk)]).unwrap());
        };
        let contents = || -> BTreeMap<String, _> {
            let names = log_files(chunks);
            names
                .map(|name| (name.clone(), output.get(&name).unwrap()))
                .collect()
        };
        publish(&Publisher::new(&corpus, wanted).unwrap());
        let expected = contents();
        assert!(expected.values().all(Option::is_some));
        // Killed between a version and its checkpoint, and between the checkpoint and the word of it.
        let last = format!("documents/_delta_log/{:020}.checkpoint.parquet", 2 * EVERY);
        let word = "documents/_delta_log/_last_checkpoint".to_owned();
        for owed in [vec![&last, &word], vec![&word]] {
            owed.into_iter().for_each(|name| output.delete(name).unwrap());
            output
                .delete(
                    &log_files(chunks)
                        .find(|name| name.contains("documents") && name.ends_with("201.json"))
                        .unwrap(),
                )
                .unwrap();
            publish(&Publisher::new(&corpus, wanted).unwrap());
            assert!(contents() == expected);
        }
    }
}
