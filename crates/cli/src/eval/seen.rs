//! How many of the pages that a model is scored on it was trained on.

use std::fmt;

use gleaner_crf::Model;
use serde::Serialize;

use crate::console::grouped;
use crate::gold_pages::Sample;

/// Pages that a model was trained on, among those that are scored.
#[derive(Serialize)]
pub(super) struct SeenPages {
    /// How many; `None` where the model does not record its training pages.
    training_pages: Option<usize>,
    #[serde(skip)]
    scored: usize,
}

impl SeenPages {
    pub(super) fn of<T>(model: &Model, samples: &[Sample<T>]) -> SeenPages {
        let count = |pages: &gleaner_crf::TrainingPages| {
            let seen = samples.iter().filter(|sample| pages.contains(sample.digest));
            seen.count()
        };
        SeenPages {
            training_pages: model.training_pages().map(count),
            scored: samples.len(),
        }
    }

    /// Of pages that are scored by what has no record, such as a saved tree.
    pub(super) fn not_recorded(scored: usize) -> SeenPages {
        SeenPages {
            training_pages: None,
            scored,
        }
    }
}

impl fmt::Display for SeenPages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scored = grouped(self.scored as u64);
        match self.training_pages {
            None => write!(
                formatter,
                "training pages: not recorded in this model, so that they may be among the {scored} pages"
            ),
            Some(0) => write!(formatter, "training pages: none of the {scored} pages"),
            Some(seen) => write!(
                formatter,
                "training pages: {} of the {scored} pages: the model was trained on them, and their scores say nothing about \
                 other pages",
                grouped(seen as u64)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_many_were_seen() {
        let line = |training_pages| {
            let seen = SeenPages {
                training_pages,
                scored: 1200,
            };
            seen.to_string()
        };
        assert_eq!(line(Some(0)), "training pages: none of the 1,200 pages");
        assert!(line(Some(1100)).starts_with("training pages: 1,100 of the 1,200 pages: "));
        assert!(line(None).starts_with("training pages: not recorded"));
    }
}
