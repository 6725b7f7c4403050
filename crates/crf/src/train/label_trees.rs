//! Training the trees that judge labels. See [`crate::label_trees`].

use std::ops::ControlFlow;

use super::boost::{LabelBlocks, TreesConfig, boost_labels};
use super::pages::Pages;
use super::progress::rounds;
use super::{Progress, TrainingPart};
use crate::label_trees::{asked_about, shifted};
use crate::trees::Trees;
use crate::{Error, Model};

/// Trees for each label of a model, grown on pages. They ask about what the template has.
///
/// # Errors
/// No blocks at all.
pub(super) fn train(
    model: &Model,
    pages: &Pages<'_>,
    config: &TreesConfig,
    threads: usize,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Trees>, Error> {
    let blocks = blocks(model, pages);
    if blocks.gold.is_empty() {
        return Err(Error::NoData);
    }
    Ok(boost_labels(
        &blocks,
        config,
        threads,
        &mut rounds(TrainingPart::LabelTrees, config.count, progress),
    ))
}

/// The blocks of all pages as the trees see them.
fn blocks(model: &Model, pages: &Pages<'_>) -> LabelBlocks {
    let known = model.label_inputs();
    let mut inputs = vec![Vec::new(); known.count()];
    for (column, offset) in asked_about(&model.template) {
        let pages = pages.list.iter();
        let codes = pages.flat_map(|page| shifted(page.columns.column(column), offset));
        inputs[known.number(column, offset)] = codes.collect();
    }
    let weights = pages
        .list
        .iter()
        .flat_map(|page| std::iter::repeat_n(page.weight as f32, page.len()));
    LabelBlocks {
        inputs,
        gold: pages.list.iter().flat_map(|page| &page.gold).copied().collect(),
        labels: model.labels.len(),
        weights: weights.collect(),
    }
}
