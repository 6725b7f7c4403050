//! What an earlier run has done, and what is not there any more: that is done again.
//!
//! An entry of a journal says that its files are safe. They may be gone all the same, when the next run begins:
//! removed by a user, or cut by a disk error. Therefore each file is looked at, by name and size.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Corpus, KeptKind, Part, STAGING, STATE, digest_of, kept_json};
use gleaner_store::Output;

use crate::epoch::Epoch;
use crate::error::Error;
use crate::plan::Plan;
use crate::sorted_runs::RunPlace;
use crate::staging::staged_file::StagedFile;
use crate::state::done::Done;
use crate::state::written::{WrittenChunk, WrittenUnit};

/// What is there of the files that an earlier run has written.
pub(crate) struct FilesThere {
    staged: BTreeMap<String, u64>,
    /// Files of tables that are missing or cut.
    faulty: BTreeSet<String>,
}

impl FilesThere {
    /// Looks at what is staged, and at the tables.
    pub(crate) fn look(output: &Output, done: &Done) -> Result<FilesThere, Error> {
        let files = done.written.values().flat_map(|chunk| &chunk.files);
        let faults = Corpus::check_parts(output, files)?;
        let staged = output.list(STAGING)?.into_iter().chain(output.list(STATE)?);
        Ok(FilesThere {
            staged: staged.map(|file| (file.name, file.size)).collect(),
            faulty: faults.into_iter().map(|fault| fault.file).collect(),
        })
    }

    fn has(&self, part: &Part) -> bool {
        !self.faulty.contains(&part.name)
    }

    fn has_state(&self, unit: &WrittenUnit) -> bool {
        self.staged.get(&unit.state.name()) == Some(&unit.bytes)
    }

    /// Whether the entry of a chunk is there, if the corpus keeps one.
    fn has_entry(&self, written: &WrittenChunk) -> bool {
        let entry = kept_json(&written.entry());
        let is_kept = written.units.iter().any(|unit| unit.state.is_kept);
        let size = self.staged.get(&KeptKind::Chunks.file(&digest_of(&entry)));
        !is_kept || size == Some(&(entry.len() as u64))
    }

    /// Whether staging files reach to the ends of runs.
    fn has_runs(&self, runs: &[RunPlace]) -> bool {
        runs.iter().all(|run| {
            let size = self.staged.get(&run.file.name());
            size.is_some_and(|&size| size >= run.end())
        })
    }
}

impl Done {
    /// Forgets what is not there any more. Gives the names of the parts and chunks that are done again.
    pub(crate) fn forget_gone(&mut self, there: &FilesThere, plan: &Plan) -> Vec<String> {
        let mut gone = Vec::new();
        let mut again = |what: &str, number: Epoch, is_there: bool| {
            if !is_there {
                gone.push(format!("{what} {number}"));
            }
            is_there
        };
        self.written.retain(|&chunk, written| {
            let has_files = written.files.iter().all(|file| there.has(file));
            let has_units = written.units.iter().all(|unit| there.has_state(unit));
            again("chunk", chunk, has_files && has_units && there.has_entry(written))
        });
        self.sorted
            .retain(|&group, runs| again("group", group, there.has_runs(runs)));
        let is_sorted = |part: Epoch| self.sorted.contains_key(&plan.group_of(part));
        self.read.retain(|&part, read| {
            is_sorted(part) || again("part", part, there.has_runs(read.runs.as_flattened()))
        });
        gone
    }

    /// The staging files in which pages wait.
    pub(crate) fn waiting(&self, plan: &Plan) -> BTreeSet<StagedFile> {
        let is_sorted = |part: Epoch| self.sorted.contains_key(&plan.group_of(part));
        let read = self.read.iter().filter(|(part, _)| !is_sorted(**part));
        let runs = read.flat_map(|(_, part)| part.runs.as_flattened());
        let sorted = self.sorted.values().flatten();
        runs.chain(sorted).map(|run| run.file).collect()
    }
}
