//! The labelled pages that a training goes over.

use std::ops::Range;

use gleaner_features::Columns;

use super::{LabelledPage, PageWeight};
use crate::{Error, Label, Model};

/// Pages are handed to threads in portions of about so many blocks. Sums are made in portions too,
/// so that this number is part of the result.
const PORTION: usize = 4096;

/// A page that has been checked.
pub(super) struct Page<'a> {
    pub(super) columns: &'a Columns,
    /// The places of the labels.
    pub(super) gold: Vec<u8>,
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
pub(crate) struct Pages<'a> {
    pub(super) list: Vec<Page<'a>>,
    /// The pages of each portion.
    pub(super) portions: Vec<Range<usize>>,
    /// How many rows of residuals there are: one a block, and around each page as many more as the
    /// template reaches.
    pub(super) rows: usize,
}

impl<'a> Pages<'a> {
    /// Checks the pages against the model's features. `set` is what errors call them.
    pub(crate) fn new(
        model: &Model,
        pages: &'a [LabelledPage],
        weight: PageWeight,
        set: &'static str,
    ) -> Result<Pages<'a>, Error> {
        let reach = model.template.reach;
        let mut list: Vec<Page<'a>> = Vec::with_capacity(pages.len());
        let mut rows = reach;
        for (page, (columns, gold)) in pages.iter().enumerate() {
            check_page(model, columns, gold).map_err(|detail| Error::Page { set, page, detail })?;
            if gold.is_empty() {
                continue;
            }
            list.push(Page {
                columns,
                gold: gold
                    .iter()
                    .map(|&label| model.labels.class(label) as u8)
                    .collect(),
                weight: weight.of(gold.len()),
                row: rows,
            });
            rows += gold.len() + reach;
        }
        Ok(Pages {
            portions: portions(list.iter().map(Page::len)),
            list,
            rows,
        })
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

/// Cuts pages of so many blocks into portions: each ends with the page that fills it.
pub(super) fn portions(lengths: impl ExactSizeIterator<Item = usize>) -> Vec<Range<usize>> {
    let count = lengths.len();
    let mut portions = Vec::new();
    let (mut first, mut blocks) = (0, 0);
    for (place, length) in lengths.enumerate() {
        blocks += length;
        if blocks >= PORTION || place + 1 == count {
            portions.push(first..place + 1);
            (first, blocks) = (place + 1, 0);
        }
    }
    portions
}

pub(super) fn check_page(model: &Model, columns: &Columns, gold: &[Label]) -> Result<(), String> {
    let expected = model.space.columns.len();
    if columns.rows() != gold.len() {
        return Err(format!("{} blocks, but {} labels", columns.rows(), gold.len()));
    }
    if columns.rows() == 0 {
        return Ok(());
    }
    if columns.columns() != expected {
        return Err(format!(
            "{} columns, but the features have {expected}",
            columns.columns()
        ));
    }
    for (place, spec) in model.space.columns.iter().enumerate() {
        let largest = columns.column(place).iter().copied().max().unwrap_or(0);
        if u16::from(largest) >= spec.cardinality {
            return Err(format!(
                "column {:?} has code {largest}, not below {}",
                spec.name, spec.cardinality
            ));
        }
    }
    Ok(())
}
