//! What of a build outlives its process: what is read, sorted and written, in files of the output.

pub(crate) mod done;
pub(crate) mod journal;
pub(crate) mod missing_files;
pub(crate) mod publish;
pub(crate) mod unit_state;
pub(crate) mod waiting;
pub(crate) mod written;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use gleaner_cluster::Group;
use gleaner_corpus::Corpus;
use parking_lot::Mutex;

use crate::change::Change;
use crate::data::message::Notice;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::staging::Staging;
use crate::work::dealing::Dealing;
use done::{Done, JournalEntry};
use journal::Journal;
use publish::Publisher;
use waiting::PairedRuns;
use written::WrittenChunk;

/// What of a build outlives its process.
pub(crate) struct Durable {
    pub(crate) corpus: Corpus,
    /// What it changes; none where it is a first build.
    pub(crate) change: Option<Change>,
    pub(crate) journal: Journal,
    /// What is done, as far as this process knows: all that was before this run, what it did itself, and what others did in the
    /// phases that are over.
    pub(crate) done: Mutex<Done>,
    pub(crate) publisher: Publisher,
    pub(crate) staging: Arc<Staging>,
    /// Whether what is read is to outlive the process.
    pub(crate) is_durable: bool,
    /// What is read, where it is not to.
    pub(crate) open: Mutex<PairedRuns>,
    pub(crate) peers: Option<Peers>,
}

/// The other processes of a build.
pub(crate) struct Peers {
    pub(crate) group: Group,
    /// Takes what is to be sent to one of them, by its number.
    pub(crate) notices: Sender<(usize, Notice)>,
    /// The number of workers of process 0.
    pub(crate) workers: usize,
}

impl Durable {
    /// Says that something is done, when it is safe. Waits for the disk or the store.
    pub(crate) fn add(&self, entry: JournalEntry) -> Result<(), Error> {
        self.journal.add(&entry)?;
        self.done.lock().take(entry);
        Ok(())
    }

    /// Takes in what other processes have done, from their journals.
    pub(crate) fn gather(&self) -> Result<(), Error> {
        if self.peers.is_some() {
            *self.done.lock() = self.journal.all()?;
        }
        Ok(())
    }

    /// The chunks that are written, and those that stay as they are, by number.
    pub(crate) fn written(&self) -> BTreeMap<Epoch, WrittenChunk> {
        let mut written = self.change.as_ref().map_or_else(BTreeMap::new, Change::kept);
        let done = self.done.lock();
        written.extend(
            done.written
                .iter()
                .map(|(&number, chunk)| (number, chunk.clone())),
        );
        written
    }

    pub(crate) fn group(&self) -> Option<&Group> {
        self.peers.as_ref().map(|peers| &peers.group)
    }

    pub(crate) fn processes(&self) -> usize {
        self.group().map_or(1, Group::processes)
    }

    /// Whether this process deals tasks, commits chunks to the tables' logs, and ends the corpus.
    pub(crate) fn is_first(&self) -> bool {
        self.group().is_none_or(|group| group.process() == 0)
    }

    /// Has the tasks of a phase dealt.
    pub(crate) fn deal(&self, tasks: Vec<Epoch>) -> Dealing {
        Dealing::new(tasks, self.processes(), self.is_first())
    }

    /// Commits all chunks that are written to the tables' logs, in process 0.
    pub(crate) fn publish_all(&self) -> Result<(), Error> {
        let done = self.done.lock();
        let mut chunks = done.written.iter().filter(|_| self.publishes());
        chunks.try_for_each(|(&chunk, written)| self.publisher.written(chunk, written.files.clone()))
    }

    /// Whether this process commits chunks to the tables' logs as they are written. A change has one version, at its end.
    fn publishes(&self) -> bool {
        self.is_first() && self.change.is_none()
    }

    /// Has a chunk that is written committed to the tables' logs.
    pub(crate) fn publish(&self, chunk: Epoch, written: WrittenChunk) -> Result<(), Error> {
        match &self.peers {
            _ if self.change.is_some() => Ok(()),
            Some(peers) if !self.is_first() => {
                // Nothing receives it when the build is about to end.
                let notice = Notice::Written(chunk, written.files);
                peers.notices.send((0, notice)).unwrap_or_default();
                Ok(())
            }
            _ => self.publisher.written(chunk, written.files),
        }
    }
}
