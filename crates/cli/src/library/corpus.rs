//! Corpora that are complete: their files, and whether they are what was written.

use std::sync::atomic::Ordering::Relaxed;

use gleaner_corpus::Checking;

use super::failed::Failed;
use crate::corpus::files as table;
use crate::verify;

/// The files of a table: paths or URLs that a reader can open, in the order of the table's log.
///
/// # Errors
/// There is no such corpus or table, or it cannot be read.
pub fn files(corpus: &str, name: &str) -> Result<Vec<String>, Failed> {
    let files = table::list(corpus, name).map_err(|error| Failed::of_corpus(corpus, &error))?;
    Ok(files.into_iter().map(|file| file.path).collect())
}

/// A check of a corpus, which other threads can look at and stop.
#[derive(Debug, Default)]
pub struct CorpusCheck(Checking);

impl CorpusCheck {
    /// Reads a corpus, and gives what is wrong as JSON.
    ///
    /// # Errors
    /// There is no complete corpus, or it cannot be read; or it was stopped.
    pub fn run(&self, corpus: &str) -> Result<String, Failed> {
        let checked = verify::check(corpus, &self.0).and_then(|verified| {
            let answer = verify::Answer::new(corpus, &verified);
            Ok(serde_json::to_string(&answer)?)
        });
        checked.map_err(|error| Failed::of_corpus(corpus, &error))
    }

    /// Ends it soon.
    pub fn stop(&self) {
        self.0.stop.store(true, Relaxed);
    }

    /// How much is done, from 0 to 1; none as long as that is not known.
    pub fn share(&self) -> Option<f64> {
        let (all, done) = (self.0.all.load(Relaxed), self.0.done.load(Relaxed));
        (all > 0).then(|| (done as f64 / all as f64).min(1.0))
    }
}
