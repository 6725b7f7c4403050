//! Parts of the corpus become visible to the readers of its tables' logs: a version a part, in the order of
//! the parts, whatever the order in which they are written. Now and then there is a checkpoint, by which readers are
//! spared the versions before it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gleaner_corpus::{BlockRow, Corpus, DocumentRow, Part, PostRow, RejectRow, Row};

use crate::Epoch;
use crate::error::Error;

/// Versions from one checkpoint to the next.
const EVERY: Epoch = Corpus::CHECKPOINT_EVERY;

/// Commits parts to the tables' logs.
#[derive(Debug)]
pub(crate) struct Publisher {
    corpus: Corpus,
    wanted: Wanted,
    state: Mutex<State>,
}

/// Which tables there are beside documents and rejects.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) blocks: bool,
    pub(crate) posts: bool,
}

#[derive(Debug)]
struct State {
    /// The files of parts that are written: checkpoints name them all.
    written: BTreeMap<Epoch, Vec<Part>>,
    /// How many first parts are among them.
    known: Epoch,
    /// The first part that is not committed.
    next: Epoch,
    /// The next version that is to have a checkpoint.
    checkpoint: Epoch,
}

/// What is written to the log of a table for a part.
#[derive(Clone, Copy, Debug)]
enum LogFile {
    /// The files of the part, which become visible.
    Version,
    /// The files of all parts up to it, where readers may begin.
    Checkpoint,
}

impl Publisher {
    /// Goes on after what an earlier run has committed to all tables. Whether that has come to its last checkpoint does not
    /// matter: it is written again.
    pub(crate) fn new(corpus: &Corpus, wanted: Wanted) -> Result<Publisher, Error> {
        let mut next = corpus
            .versions::<DocumentRow>()?
            .min(corpus.versions::<RejectRow>()?);
        if wanted.blocks {
            next = next.min(corpus.versions::<BlockRow>()?);
        }
        if wanted.posts {
            next = next.min(corpus.versions::<PostRow>()?);
        }
        let state = State {
            written: BTreeMap::new(),
            known: 0,
            next,
            checkpoint: next.saturating_sub(1).max(EVERY) / EVERY * EVERY,
        };
        Ok(Publisher {
            corpus: corpus.clone(),
            wanted,
            state: Mutex::new(state),
        })
    }

    /// A part is written: commits it if those before it are committed, and those that waited for it.
    /// Waits for the store.
    pub(crate) fn written(&self, part: Epoch, files: Vec<Part>) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.written.insert(part, files);
        while state.written.contains_key(&state.known) {
            state.known += 1;
            self.advance(&mut state)?;
        }
        Ok(())
    }

    /// Commits what can be committed.
    fn advance(&self, state: &mut State) -> Result<(), Error> {
        if state.next < state.known {
            self.write(LogFile::Version, state.next, &state.written[&state.next])?;
            tracing::info!(part = state.next, "part committed");
            state.next += 1;
        }
        if state.checkpoint < state.known {
            let upto = state.written.range(..=state.checkpoint);
            let files: Vec<Part> = upto.flat_map(|(_, files)| files.iter().cloned()).collect();
            self.write(LogFile::Checkpoint, state.checkpoint, &files)?;
            state.checkpoint += EVERY;
        }
        Ok(())
    }

    /// The documents last: what belongs to them is there before.
    fn write(&self, file: LogFile, part: Epoch, files: &[Part]) -> Result<(), Error> {
        if self.wanted.blocks {
            self.write_for::<BlockRow>(file, part, files)?;
        }
        if self.wanted.posts {
            self.write_for::<PostRow>(file, part, files)?;
        }
        self.write_for::<RejectRow>(file, part, files)?;
        self.write_for::<DocumentRow>(file, part, files)
    }

    fn write_for<R: Row>(&self, file: LogFile, part: Epoch, files: &[Part]) -> Result<(), Error> {
        let written = match file {
            LogFile::Version => self.corpus.commit::<R>(part, files),
            LogFile::Checkpoint => self.corpus.checkpoint::<R>(part, files),
        };
        Ok(written?)
    }
}

/// The files of the logs in which so many first parts are committed.
pub(crate) fn log_files(parts: Epoch) -> impl Iterator<Item = String> {
    Corpus::log_files::<BlockRow>(parts)
        .chain(Corpus::log_files::<PostRow>(parts))
        .chain(Corpus::log_files::<RejectRow>(parts))
        .chain(Corpus::log_files::<DocumentRow>(parts))
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::Identity;
    use gleaner_store::{Options, Store};

    use super::*;

    #[test]
    fn parts_are_committed_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let publisher = Publisher::new(&corpus, Wanted::default()).unwrap();
        let committed = || {
            let files = output
                .list("documents")
                .unwrap()
                .into_iter()
                .map(|file| file.name);
            files.collect::<Vec<String>>()
        };
        let first = |parts| Corpus::log_files::<DocumentRow>(parts).collect::<Vec<String>>();
        publisher.written(2, Vec::new()).unwrap();
        publisher.written(1, Vec::new()).unwrap();
        assert_eq!(committed(), first(0));
        publisher.written(0, Vec::new()).unwrap();
        assert_eq!(committed(), first(3));
        publisher.written(3, Vec::new()).unwrap();
        assert_eq!(committed(), first(4));
        let again = Publisher::new(&corpus, Wanted::default()).unwrap();
        (0..6).for_each(|part| again.written(part, Vec::new()).unwrap());
        assert_eq!(committed(), first(6));
        let is_unwanted = |file: &str| file.starts_with("blocks/") || file.starts_with("posts/");
        assert!(log_files(4).all(|file| is_unwanted(&file) || output.get(&file).unwrap().is_some()));
    }

    #[test]
    fn a_checkpoint_that_a_killed_run_owes_is_written_by_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let corpus = Corpus::create(output.clone(), &Identity::default(), false).unwrap();
        let wanted = Wanted {
            blocks: true,
            posts: true,
        };
        let file = |part| Part {
            name: format!("documents/part-{part:05}.parquet"),
            rows: 1,
            bytes: part,
        };
        let publish = |from: &Publisher, parts: std::ops::Range<Epoch>| {
            parts.for_each(|part| from.written(part, vec![file(part)]).unwrap());
        };
        let contents = || -> BTreeMap<String, _> {
            let names = log_files(2 * EVERY + 2);
            names
                .map(|name| (name.clone(), output.get(&name).unwrap()))
                .collect()
        };
        publish(&Publisher::new(&corpus, wanted).unwrap(), 0..2 * EVERY + 2);
        let expected = contents();
        assert!(expected.values().all(Option::is_some));
        // Killed between a version and its checkpoint, and between the checkpoint and the word of it.
        let last = format!("documents/_delta_log/{:020}.checkpoint.parquet", 2 * EVERY);
        let word = "documents/_delta_log/_last_checkpoint".to_owned();
        for owed in [vec![&last, &word], vec![&word]] {
            owed.into_iter().for_each(|name| output.delete(name).unwrap());
            output
                .delete(
                    &log_files(2 * EVERY + 2)
                        .find(|name| name.contains("documents") && name.ends_with("201.json"))
                        .unwrap(),
                )
                .unwrap();
            publish(&Publisher::new(&corpus, wanted).unwrap(), 0..2 * EVERY + 2);
            assert!(contents() == expected);
        }
    }
}
