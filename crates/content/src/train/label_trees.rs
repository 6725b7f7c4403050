//! Training the trees that judge labels. See [`crate::label_trees`].

use std::ops::ControlFlow;

use gleaner_crf::{PageWeight, TrainingPage};
use gleaner_gbdt::{LabelBlocks, Trees, TreesConfig, boost_labels};

use super::progress::rounds;
use super::{Progress, TrainingPart};
use crate::label_trees::{asked_about, shifted};
use crate::{Error, Model};

/// Trees for each label of a model, grown on pages. They ask about what the template has.
///
/// # Errors
/// No blocks at all.
pub(super) fn train(
    model: &Model,
    pages: &[TrainingPage<'_>],
    weight: PageWeight,
    config: &TreesConfig,
    threads: usize,
    progress: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Vec<Trees>, Error> {
    let blocks = blocks(model, pages, weight);
    if blocks.gold.is_empty() {
        return Err(gleaner_crf::Error::NoData.into());
    }
    Ok(boost_labels(
        &blocks,
        config,
        threads,
        &mut rounds(TrainingPart::LabelTrees, config.count, progress),
    ))
}

/// The blocks of all pages as the trees see them.
fn blocks(model: &Model, pages: &[TrainingPage<'_>], weight: PageWeight) -> LabelBlocks {
    let pages = || pages.iter().filter(|page| !page.gold().is_empty());
    let known = model.label_inputs();
    let mut inputs = vec![Vec::new(); known.count()];
    for (column, offset) in asked_about(&model.template) {
        let codes = pages().flat_map(|page| shifted(page.columns().column(column), offset));
        inputs[known.number(column, offset)] = codes.collect();
    }
    let weights = pages().flat_map(|page| {
        let blocks = page.gold().len();
        std::iter::repeat_n(weight.weight(blocks) as f32, blocks)
    });
    LabelBlocks {
        inputs,
        gold: pages()
            .flat_map(TrainingPage::gold)
            .map(|label| 1 << label)
            .collect(),
        labels: model.labels.len(),
        weights: weights.collect(),
    }
}
