//! How many of the pages that a model is scored on it was trained on.

use std::fmt;

use gleaner_content::TrainingPages;
use serde::Serialize;

use crate::console::grouped;

/// Pages that a model or a tree was trained on, among those that are scored.
#[derive(Clone, Copy, Serialize)]
pub(super) struct SeenPages {
    /// How many; `None` where the file does not record its training pages.
    training_pages: Option<usize>,
    #[serde(skip)]
    scored: usize,
    /// What is scored: a model or a tree.
    #[serde(skip)]
    what: &'static str,
}

impl SeenPages {
    /// Of what was trained on some pages, and is scored on pages of these digests.
    pub(super) fn of(
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

impl fmt::Display for SeenPages {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scored, what) = (grouped(self.scored as u64), self.what);
        match self.training_pages {
            None => write!(
                formatter,
                "training pages: not recorded in this {what}; they may be among the {scored} pages"
            ),
            Some(0) => write!(formatter, "training pages: none of the {scored} pages"),
            Some(seen) => write!(
                formatter,
                "training pages: {} of the {scored} pages: the {what} was trained on them, and their scores say nothing about \
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
                what: "tree",
            };
            seen.to_string()
        };
        assert_eq!(line(Some(0)), "training pages: none of the 1,200 pages");
        assert!(line(Some(1100)).starts_with("training pages: 1,100 of the 1,200 pages: "));
        assert!(line(Some(1100)).contains("the tree was trained on them"));
        assert!(line(None).starts_with("training pages: not recorded in this tree"));
    }
}
