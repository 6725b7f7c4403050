//! How many of the pages that a model is scored on it was trained on.

use gleaner_content::TrainingPages;
use serde::Serialize;

/// Pages that a model or a tree was trained on, among those that are scored.
#[derive(Clone, Copy, Serialize)]
pub struct SeenPages {
    /// How many; `None` where the file does not record its training pages.
    pub training_pages: Option<usize>,
    /// How many pages are scored.
    #[serde(skip)]
    pub scored: usize,
    /// What is scored: a model or a tree.
    #[serde(skip)]
    pub what: &'static str,
}

impl SeenPages {
    /// Counts the digests of scored pages among the training pages.
    pub fn new(
        what: &'static str,
        trained_on: Option<&TrainingPages>,
        digests: impl ExactSizeIterator<Item = u64>,
    ) -> SeenPages {
        SeenPages {
            what,
            scored: digests.len(),
            training_pages: trained_on.map(|pages| digests.filter(|&digest| pages.contains(digest)).count()),
        }
    }
}
