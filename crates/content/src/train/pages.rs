//! Labelled pages, checked against a model.

use gleaner_columns::Columns;
use gleaner_crf::TrainingPage;

use super::LabelledPage;
use crate::{Error, Label, Model};

/// Checks pages against the model's features. `set` is what errors call them.
pub(super) fn training_pages<'a>(
    model: &Model,
    pages: &'a [LabelledPage],
    set: &'static str,
) -> Result<Vec<TrainingPage<'a>>, Error> {
    let checked = pages.iter().enumerate().map(|(page, (columns, gold))| {
        training_page(model, columns, gold).map_err(|detail| Error::Page { set, page, detail })
    });
    checked.collect()
}

/// The same of one page.
pub(super) fn training_page<'a>(
    model: &Model,
    columns: &'a Columns,
    gold: &[Label],
) -> Result<TrainingPage<'a>, String> {
    let classes = gold.iter().map(|&label| model.labels.class(label) as u8);
    TrainingPage::new(&model.template, model.labels.len(), columns, classes.collect())
}
