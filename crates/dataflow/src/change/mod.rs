//! A change of a corpus: the version that it begins with, what of its records goes, and which of its units stay as they are.
//!
//! A version follows from its archives, rules and settings alone, so a change computes what has other inputs than before, and
//! nothing else: units with other records, and those of sites whose evidence is another one.
//!
//! - [`base`]: the version that a change begins with, as chunks that are written and runs of records.
//! - [`removal`]: the records that go, by archives and rules.
//! - [`search`]: the check of a takedown. [`report`]: what a change has come to. [`unmatched`]: selectors that
//!   match nothing.
//!
//! Which units of the new version are old ones is found where all is cut, in the step `label`.

pub(crate) mod base;
pub(crate) mod config;
pub(crate) mod removal;
pub(crate) mod report;
pub(crate) mod search;
pub(crate) mod unmatched;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_corpus::{
    ArchivesChange, Arguments, Corpus, Crawl, Identity, Inputs, NewVersion, Rule, TableChange, Unread,
    VersionFiles,
};
use gleaner_store::Output;
use parking_lot::Mutex;

use crate::data::archive_read::add_counts;
use crate::data::input_line::InputLine;
use crate::data::summary::Summary;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::rules::NewRules;
use crate::sorted_runs::Runs;
use crate::staging::Staging;
use crate::state::written::{UnitPlace, WrittenChunk};
use base::Base;
use config::{Again, ChangeConfig};
use removal::{Removal, Removed};
use report::{ChangeReport, FoundInChange, RulesChange};
use search::{Gone, RemovedPage, Searched};

/// A change of a version.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) base: Base,
    pub(crate) removal: Arc<Removal>,
    config: ChangeConfig,
    rules: RulesChange,
    /// The highest number of a rule, before or after.
    last_rule: u64,
    /// What of it is found when its chunks are planned.
    found: Mutex<Found>,
}

#[derive(Debug, Default)]
struct Found {
    removed: Removed,
    /// The chunks that stay as they are, by their new numbers.
    kept: BTreeMap<Epoch, WrittenChunk>,
    /// Units of the new version, and those of them that stay as they are.
    units: u64,
    kept_units: u64,
}

impl Change {
    /// Reads the version that is changed. `rules` are those of the new version. Waits for the store.
    pub(crate) fn open(
        output: &Output,
        config: ChangeConfig,
        rules: &[Rule],
        is_labelled: bool,
    ) -> Result<Change, Error> {
        let arguments = config.base.arguments.as_ref().ok_or(Error::Damaged)?;
        let mut base = Base::read(output, arguments)?;
        if config.again == Again::All {
            base.forget_pages();
        }
        let is_new = |rule: &&Rule| !config.rules_before.contains(rule);
        let new = rules.iter().filter(is_new).cloned().collect();
        let new = NewRules::new(new, config.base.version, config.ranges.clone())?;
        let removal = Removal::new(is_labelled, config.removed.clone(), new);
        let numbers = rules.iter().chain(&config.rules_before).map(Rule::number);
        let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
        Ok(Change {
            rules: RulesChange::between(&config.rules_before, rules),
            last_rule: numbers.into_iter().max().unwrap_or_default(),
            config,
            base,
            removal: Arc::new(removal),
            found: Mutex::default(),
        })
    }

    /// Whether units may stay as they are.
    pub(crate) fn keeps_units(&self) -> bool {
        self.config.again == Again::Nothing
    }

    /// Takes what was found when its chunks were planned: what goes, and the units of the new chunks, each with the old one that it is.
    pub(crate) fn found(&self, removed: Removed, chunks: &[Vec<Option<UnitPlace>>]) {
        let units = || chunks.iter().flatten();
        let kept = chunks.iter().zip(0..);
        let kept = kept.filter_map(|(units, number)| Some((number, self.kept_chunk(units)?.clone())));
        *self.found.lock() = Found {
            kept: kept.collect(),
            units: units().count() as u64,
            kept_units: units().flatten().count() as u64,
            removed,
        };
    }

    /// The old chunk of which a chunk has all units, and no others.
    pub(crate) fn kept_chunk(&self, units: &[Option<UnitPlace>]) -> Option<&WrittenChunk> {
        let places: Option<Vec<UnitPlace>> = units.iter().copied().collect();
        let places = places?;
        let number = places.first()?.chunk;
        let old = self.base.chunks.get(number)?;
        let all = (0..old.units.len()).map(|unit| UnitPlace { chunk: number, unit });
        places.into_iter().eq(all).then_some(old)
    }

    /// The chunks that stay as they are, by their new numbers.
    pub(crate) fn kept(&self) -> BTreeMap<Epoch, WrittenChunk> {
        self.found.lock().kept.clone()
    }

    /// The archives of the version before that stay, with what new rules leave out of them.
    pub(crate) fn lines(&self) -> Vec<InputLine> {
        let left_out = &self.found.lock().removed.left_out;
        let mut lines = Vec::new();
        for line in &self.base.inputs {
            let crawl = line.crawl.as_ref().map_or("", Crawl::as_str);
            let removed = self.removal.archives.get(crawl);
            if removed.is_some_and(|names| names.contains(&line.read.name)) {
                continue;
            }
            let mut line = line.clone();
            if let Some(counts) = left_out.get(&(crawl.to_owned(), line.read.name.clone())) {
                add_counts(&mut line.read.counts.left_out, counts);
            }
            lines.push(line);
        }
        lines
    }

    /// Commits the new version, whose archives are those of the version before that stay (`old`) and those that were read (`new`).
    pub(crate) fn commit(&self, corpus: &Corpus, ending: EndOfChange<'_>) -> Result<ChangeReport, Error> {
        let EndOfChange {
            old,
            new,
            arguments,
            totals,
            summary,
            missing,
        } = ending;
        let base = &self.config.base;
        let before = base.arguments.as_ref().ok_or(Error::Damaged)?;
        let mut report = self.report(old, new);
        let files = |arguments| Corpus::version_files(corpus.output(), arguments);
        let [old_files, new_files] = [files(before)?, files(&arguments)?];
        report.tables = TableChange::between(&old_files, &new_files);
        if self.config.purge {
            (report.found.search, report.removed) = self.search(corpus, &new_files)?;
        }
        let receipt = report.receipt(&self.config.request, before, &arguments);
        if let Some(file) = &self.config.full_receipt {
            // Before the commit: who is killed behind it cannot write it again.
            report.write_in_full(&receipt, file)?;
        }
        let lines = || old.iter().chain(new);
        let inputs = Inputs {
            files: lines().count() as u64,
            bytes: lines().filter_map(|line| line.read.size).sum(),
            digest: arguments.inputs.clone(),
        };
        corpus.finish_change(NewVersion {
            identity: Identity {
                inputs,
                ..self.config.identity.clone()
            },
            totals,
            summary: summary.counts(),
            missing,
            receipt: receipt.to_json(),
            arguments,
            last_rule: self.last_rule,
            keep_versions: self.config.keep_versions,
            purge: self.config.purge,
        })?;
        Ok(report)
    }

    /// Searches the files that stay for what goes. Gives what was found, and the captures that go.
    fn search(
        &self,
        corpus: &Corpus,
        new: &VersionFiles,
    ) -> Result<(Option<Searched>, Vec<RemovedPage>), Error> {
        let output = corpus.output();
        let staging = Arc::new(Staging::new(output));
        let [pages, _] = self
            .base
            .runs()
            .map(|run| Runs::new(&staging, vec![Arc::new(run)]));
        let found = self.found.lock();
        let gone = Gone::read(output, &self.base, &self.removal, &found.removed, &pages)?;
        let deleted = Corpus::files_to_delete(output, new)?;
        let searched = gone.search(output, &pages, &*self.removal.takes(), new, |name| {
            deleted.contains(name)
        })?;
        Ok((Some(searched), gone.pages))
    }

    fn report(&self, old: &[InputLine], new: &[InputLine]) -> ChangeReport {
        let found = self.found.lock();
        let mut left_out = BTreeMap::new();
        found
            .removed
            .left_out
            .values()
            .for_each(|counts| add_counts(&mut left_out, counts));
        new.iter()
            .for_each(|line| add_counts(&mut left_out, &line.read.counts.left_out));
        let known: BTreeSet<_> = self.base.inputs.iter().map(InputLine::archive).collect();
        let stays: BTreeSet<_> = old.iter().chain(new).map(InputLine::archive).collect();
        ChangeReport {
            version: self.config.base.version + 1,
            archives: ArchivesChange {
                before: known.len() as u64,
                after: stays.len() as u64,
                added: stays.difference(&known).count() as u64,
                removed: known.difference(&stays).count() as u64,
            },
            tables: BTreeMap::new(),
            found: FoundInChange {
                rules: self.rules.clone(),
                left_out,
                units_labelled: found.units - found.kept_units,
                units_kept: found.kept_units,
                search: None,
            },
            removed: Vec::new(),
        }
    }
}

/// What a change is completed from.
pub(crate) struct EndOfChange<'a> {
    /// The archives of the version before that stay, and those that were read.
    pub(crate) old: &'a [InputLine],
    pub(crate) new: &'a [InputLine],
    pub(crate) arguments: Arguments,
    pub(crate) totals: BTreeMap<String, u64>,
    pub(crate) summary: &'a Summary,
    pub(crate) missing: Vec<Unread>,
}
