//! Parts of the corpus become visible to the readers of its tables' logs: a version a part, in the order of
//! the parts, whatever the order in which they are written.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gleaner_corpus::{BlockRow, Corpus, DocumentRow, Part, PostRow, RejectRow};

use crate::Epoch;
use crate::error::Error;

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
    /// The first part that is not committed.
    next: Epoch,
    /// The files of parts that are written.
    written: BTreeMap<Epoch, Vec<Part>>,
}

impl Publisher {
    /// Goes on after what an earlier run has committed.
    pub(crate) fn new(corpus: &Corpus, wanted: Wanted) -> Result<Publisher, Error> {
        let state = State {
            next: corpus.versions::<DocumentRow>()?,
            written: BTreeMap::new(),
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
        if part >= state.next {
            state.written.insert(part, files);
        }
        while let Some(files) = state.written.get(&state.next) {
            self.commit(state.next, files)?;
            tracing::info!(part = state.next, "part committed");
            state.next += 1;
        }
        let next = state.next;
        state.written = state.written.split_off(&next);
        Ok(())
    }

    /// The documents last: what belongs to them is there before.
    fn commit(&self, part: Epoch, files: &[Part]) -> Result<(), Error> {
        if self.wanted.blocks {
            self.corpus.commit::<BlockRow>(part, files)?;
        }
        if self.wanted.posts {
            self.corpus.commit::<PostRow>(part, files)?;
        }
        self.corpus.commit::<RejectRow>(part, files)?;
        Ok(self.corpus.commit::<DocumentRow>(part, files)?)
    }
}

/// The files of the logs in which so many first parts are committed.
pub(crate) fn versions(parts: Epoch) -> impl Iterator<Item = String> {
    (0..parts).flat_map(|part| {
        [
            Corpus::version_file::<BlockRow>(part),
            Corpus::version_file::<PostRow>(part),
            Corpus::version_file::<RejectRow>(part),
            Corpus::version_file::<DocumentRow>(part),
        ]
    })
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
        let first = |parts| {
            let versions = (0..parts).map(Corpus::version_file::<DocumentRow>);
            versions.collect::<Vec<String>>()
        };
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
        assert!(versions(4).all(|file| is_unwanted(&file) || output.get(&file).unwrap().is_some()));
    }
}
