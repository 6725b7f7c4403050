//! A build from its beginning to its end: its settings, its phases, and the dataflow of each.

pub(crate) mod begin;
pub(crate) mod config;
pub(crate) mod control;
mod corpus_units;
mod finish;
pub(crate) mod phases;
mod workers;

use std::sync::Arc;
use std::sync::mpsc::Receiver;

pub use config::{BuildConfig, Phase};

use crate::change::report::ChangeReport;
use crate::data::archive_read::ArchiveRead;
use crate::data::summary::Summary;
use crate::error::Error;
use control::Sent;
use gleaner_cluster::Group;
use phases::Phases;

/// Builds a corpus: reads all shards, writes and commits all tables. The summary counts nothing where
/// [`BuildConfig::last`] ends it before.
///
/// # Errors
/// As [`Build::begin`] and [`Build::run`].
pub fn build(config: BuildConfig) -> Result<Summary, Error> {
    Ok(Build::begin(config)?.run()?.unwrap_or_default())
}

/// A build that is about to run, from its beginning or from where an earlier run of it ended.
pub struct Build {
    phases: Arc<Phases>,
    workers: usize,
    continued: Option<Continued>,
    notices: Option<Receiver<Sent>>,
    report: Option<ChangeReport>,
}

/// What earlier runs of a build have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continued {
    /// Parts that the input is cut into.
    pub parts: u64,
    /// Parts whose pages are read, and wait or are written.
    pub read: u64,
    /// Chunks that are in the tables.
    pub written: u64,
    /// Documents in the tables.
    pub documents: u64,
}

impl Build {
    /// Plans a build, and finds what earlier runs have done; what they left half done is removed.
    ///
    /// # Errors
    /// The output can't be read or written, the model can't be used, or another version of gleaner
    /// has begun the build.
    pub fn begin(config: BuildConfig) -> Result<Build, Error> {
        let workers = config.workers.max(1);
        let (phases, continued, notices) = begin::begin(config, workers)?;
        phases.report_plan(workers);
        Ok(Build {
            phases: Arc::new(phases),
            workers,
            continued,
            notices,
            report: None,
        })
    }

    /// What is done already; none where that is nothing.
    pub fn continued(&self) -> Option<Continued> {
        self.continued
    }

    /// What a change has come to, when it is complete.
    pub fn report(&self) -> Option<&ChangeReport> {
        self.report.as_ref()
    }

    /// The counts of what is read and written so far.
    pub fn summary(&self) -> Summary {
        self.phases.durable.done.lock().sums(&self.phases.input.shards)
    }

    /// What was read of each archive, with the BLAKE3 digest of its bytes: of the parts that are read to their end, as far as this
    /// process knows them. In the order of the inputs.
    pub fn archives(&self) -> Vec<ArchiveRead> {
        let archives = self
            .phases
            .durable
            .done
            .lock()
            .archives(&self.phases.input.shards);
        archives.into_iter().map(|(_, archive)| archive).collect()
    }

    /// Runs to the end, or to that of [`BuildConfig::last`]: there is no summary then. What counts as done
    /// at an error, or when the process is killed, need not be done again by the next run. Of several processes
    /// the first sums all up, the others what they have done.
    ///
    /// # Errors
    /// The tables can't be written, another process is gone, the build was interrupted, or an input could not be
    /// read. What is wrong with records becomes rows of the rejects table instead.
    pub fn run(&mut self) -> Result<Option<Summary>, Error> {
        let phases = &self.phases;
        let (running, durable) = (&phases.running, &phases.durable);
        let group = durable.group();
        let ran = match (group, self.notices.take()) {
            (Some(group), Some(notices)) => control::run(phases, group, notices, self.workers),
            _ => phases.run_alone(self.workers),
        };
        running.progress.watch.end();
        if let Some(gone) = group.and_then(Group::gone) {
            return Err(gone.into());
        }
        if let Some(failure) = running.take_failure() {
            return Err(failure);
        }
        ran?;
        if running.is_stopped() {
            return Err(Error::Interrupted);
        }
        let ended = || group.map_or(Ok(()), Group::finish);
        if let Some(missing) = running.missing() {
            ended()?;
            return Err(Error::Incomplete { missing });
        }
        let summary = match phases.last < Phase::Label {
            true => None,
            false => {
                let workers = durable.peers.as_ref().map_or(self.workers, |peers| peers.workers);
                let finished = finish::finish(&phases.input, &phases.settings, durable, running, workers);
                running.progress.watch.set_phase(None);
                if let Some(gone) = group.and_then(Group::gone) {
                    return Err(gone.into());
                }
                let (summary, report) = finished?;
                self.report = report;
                Some(summary)
            }
        };
        ended()?;
        Ok(summary)
    }
}
