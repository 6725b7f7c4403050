//! A build that a program calls.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use gleaner_dataflow::Progress;
use gleaner_store::scrubbed;
use parking_lot::Mutex;

use super::failed::Failed;
use super::names::in_python;
use super::options::BuildJob;
use crate::args::Build;
use crate::build::{self, Ended, Failure, Session, Watchers};
use crate::terminal::signals::{Interrupt, Signals};

/// A build as other threads see it.
#[derive(Debug, Default)]
pub struct BuildWatch {
    progress: Arc<Progress>,
    interrupt: Interrupt,
    messages: Arc<Mutex<Vec<String>>>,
}

/// How far a build is.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildStatus {
    /// The phase that runs, or ran last; none before the first.
    pub phase: Option<&'static str>,
    /// Its number among the phases of the run, from 1; 0 before the first.
    pub number: usize,
    /// How many phases the run has; 0 before the first.
    pub of: usize,
    /// How much of the phase is done, from 0 to 1; none where that is not known.
    pub share: Option<f64>,
    /// Captures that this run has read.
    pub pages: u64,
    /// Documents that this run has written.
    pub documents: u64,
}

/// What a build gave, as JSON; its keys are those of the command.
#[derive(Clone, Debug)]
pub struct Built(pub String);

impl BuildWatch {
    /// Stops the build soon, so that the same call continues it. Returns whether it is that far already; else it
    /// ends before it begins to write.
    pub fn stop(&self) -> bool {
        self.interrupt.stop()
    }

    /// How far it is.
    pub fn status(&self) -> BuildStatus {
        let phases = self.progress.watch.phases();
        let phase = phases.last();
        BuildStatus {
            phase: phase.map(|phase| phase.name),
            number: phase.map_or(0, |phase| phase.number),
            of: phase.map_or(0, |phase| phase.of),
            share: phase.and_then(|phase| phase.share),
            pages: self.progress.pages.load(Relaxed),
            documents: self.progress.watch.documents.load(Relaxed),
        }
    }

    /// What the build has said since the last call.
    pub fn messages(&self) -> Vec<String> {
        std::mem::take(&mut self.messages.lock())
    }

    /// Builds a corpus, or plans to.
    ///
    /// # Errors
    /// As the command has exit statuses other than 0.
    pub fn run(&self, job: &BuildJob) -> Result<Built, Failed> {
        match self.build(&job.0) {
            Ok(Ended::Planned(plan)) => json(&plan).map(Built),
            Ok(Ended::Built(answer)) => {
                let summary = json(&answer.report)?;
                match answer.is_negative {
                    true => Err(Failed::of_answer(&answer, summary)),
                    false => {
                        answer.notes.iter().for_each(|note| self.say(note));
                        Ok(Built(summary))
                    }
                }
            }
            Err(failure) => Err(Failed::of_build(&failure)),
        }
    }

    fn build(&self, arguments: &Build) -> Result<Ended, Failure> {
        let watchers = Watchers::within(&arguments.watching, Arc::clone(&self.progress))?;
        let messages = Arc::clone(&self.messages);
        let session = Session {
            signals: Signals::Of(&self.interrupt),
            say: Arc::new(move |message| add(&messages, message)),
            watchers: &watchers,
            draws: false,
        };
        build::build(arguments, &session)
    }

    fn say(&self, message: &str) {
        add(&self.messages, message);
    }
}

fn add(messages: &Mutex<Vec<String>>, message: &str) {
    messages.lock().push(in_python(&scrubbed(message)));
}

fn json(value: &impl serde::Serialize) -> Result<String, Failed> {
    serde_json::to_string(value).map_err(|error| Failed::of_build(&error.into()))
}
