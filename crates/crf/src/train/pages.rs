//! The labelled pages that a training goes over.

use std::ops::Range;

use gleaner_columns::{Columns, portions};

use super::{PageWeight, TrainingPage};
use crate::template::Template;

impl<'a> TrainingPage<'a> {
    /// Checks a page: it has the columns of the template, and a label below `labels` a block.
    ///
    /// # Errors
    /// What does not fit.
    pub fn new(
        template: &Template,
        labels: usize,
        columns: &'a Columns,
        gold: Vec<u8>,
    ) -> Result<TrainingPage<'a>, String> {
        if columns.rows() != gold.len() {
            return Err(format!("{} blocks, but {} labels", columns.rows(), gold.len()));
        }
        if let Some(label) = gold.iter().find(|label| usize::from(**label) >= labels) {
            return Err(format!("label {label} of {labels}"));
        }
        template.check_page(columns)?;
        Ok(TrainingPage { columns, gold })
    }

    /// The features of its blocks.
    pub fn columns(&self) -> &'a Columns {
        self.columns
    }

    /// The label of each block.
    pub fn gold(&self) -> &[u8] {
        &self.gold
    }
}

/// A page as a training goes over it.
pub(super) struct Page<'a> {
    pub(super) columns: &'a Columns,
    pub(super) gold: &'a [u8],
    /// How many times its log-likelihood counts.
    pub(super) weight: f64,
    /// Of the first block's residuals.
    pub(super) row: usize,
}

impl Page<'_> {
    pub(super) fn len(&self) -> usize {
        self.gold.len()
    }
}

/// Pages that have blocks, in portions.
pub(super) struct Pages<'a> {
    pub(super) list: Vec<Page<'a>>,
    /// The pages of each portion.
    pub(super) portions: Vec<Range<usize>>,
    /// How many rows of residuals there are: one a block, and around each page as many more as the
    /// template reaches.
    pub(super) rows: usize,
}

impl<'a> Pages<'a> {
    /// Lays out pages around whose blocks the template reaches so far.
    pub(super) fn new(reach: usize, pages: &'a [TrainingPage<'a>], weight: PageWeight) -> Pages<'a> {
        let mut list: Vec<Page<'a>> = Vec::with_capacity(pages.len());
        let mut rows = reach;
        for page in pages.iter().filter(|page| !page.gold.is_empty()) {
            list.push(Page {
                columns: page.columns,
                gold: &page.gold,
                weight: weight.weight(page.gold.len()),
                row: rows,
            });
            rows += page.gold.len() + reach;
        }
        Pages {
            portions: portions(list.iter().map(Page::len)),
            list,
            rows,
        }
    }

    /// The pages of each portion.
    pub(super) fn portions(&self) -> impl Iterator<Item = &[Page<'a>]> {
        self.portions.iter().map(|portion| &self.list[portion.clone()])
    }

    /// How many blocks there are, each as often as its page counts.
    pub(super) fn weight(&self) -> f64 {
        self.list.iter().map(|page| page.weight * page.len() as f64).sum()
    }
}
