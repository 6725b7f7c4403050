//! What an earlier run has done, and what is not there any more: that is done again.
//!
//! An entry of the log says that its files are safe. They may be gone all the same, when the next run begins:
//! somebody has removed one, or a disk has lost its end. Therefore each file is looked at, by name and size.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Part, STAGING};
use gleaner_store::Output;

use crate::Epoch;
use crate::error::Error;
use crate::log::{Done, MinedGroup, sums_of};
use crate::staged::StagedUnit;
use crate::staging::{Extent, Kept};

/// The files that are there, with their sizes in bytes.
pub(crate) struct There(BTreeMap<String, u64>);

impl There {
    /// Looks at what is staged, and at the tables that files of parts are in.
    pub(crate) fn look(output: &Output, done: &Done) -> Result<There, Error> {
        let files = done.written.values().flat_map(|part| &part.files);
        let tables = files.filter_map(|file| Some(file.name.split_once('/')?.0.to_owned()));
        let folders: BTreeSet<String> = tables.chain([STAGING.to_owned()]).collect();
        let mut there = BTreeMap::new();
        for folder in folders {
            let files = output.list(&folder)?.into_iter();
            there.extend(files.map(|file| (file.name, file.size)));
        }
        Ok(There(there))
    }

    fn has(&self, part: &Part) -> bool {
        self.0.get(&part.name) == Some(&part.bytes)
    }

    fn has_sums(&self, part: Epoch, bytes: u64) -> bool {
        self.0.get(&sums_of(part)) == Some(&bytes)
    }

    /// Whether a staging file reaches to the end of a piece.
    fn reaches(&self, extent: Extent) -> bool {
        let size = self.0.get(&extent.file().name());
        extent.is_empty() || size.is_some_and(|&size| size >= extent.end())
    }

    fn has_unit(&self, unit: &StagedUnit) -> bool {
        unit.extents().all(|extent| self.reaches(extent))
    }

    fn has_group(&self, group: &MinedGroup) -> bool {
        let answers = group.answers.iter().map(|(_, _, extent)| *extent);
        answers.chain(group.rows).all(|extent| self.reaches(extent))
    }
}

impl Done {
    /// Forgets what is not there any more, and what can't be had without it. Gives the names of the parts and groups
    /// that are done again.
    pub(crate) fn forget_gone(&mut self, there: &There) -> Vec<String> {
        let mut gone = Vec::new();
        let mut again = |what: &str, number: u64| gone.push(format!("{what} {number}"));
        self.written.retain(|&part, written| {
            let is_there =
                written.files.iter().all(|file| there.has(file)) && there.has_sums(part, written.sums_bytes);
            if !is_there {
                again("part", part);
            }
            is_there
        });
        let groups = self.mined.len();
        self.mined.retain(|&group, mined| {
            let is_there = there.has_group(mined);
            if !is_there {
                again("group", u64::from(group));
            }
            is_there
        });
        // What sites have is counted over the pages of all parts: those of written ones do not wait any more.
        let counts_again = self.mined.len() < groups;
        let written: BTreeSet<Epoch> = self.written.keys().copied().collect();
        self.read.retain(|part, read| {
            let is_needed = counts_again || !written.contains(part);
            !is_needed || read.units.iter().all(|unit| there.has_unit(unit))
        });
        if counts_again {
            self.written.retain(|part, _| self.read.contains_key(part));
        }
        self.half
            .retain(|_, half| half.units.iter().all(|(_, unit)| there.has_unit(unit)));
        gone
    }

    /// The staging files in which pages wait. Those of what is written do not wait any more.
    pub(crate) fn waiting(&self) -> BTreeSet<Kept> {
        let read = self.read.iter();
        let read = read.filter(|(part, _)| !self.written.contains_key(part));
        let whole = read.flat_map(|(_, part)| &part.units);
        let half = self.half.values().flat_map(|part| &part.units);
        let units = whole.chain(half.map(|(_, unit)| unit));
        units
            .flat_map(StagedUnit::extents)
            .map(|extent| extent.file())
            .collect()
    }
}
