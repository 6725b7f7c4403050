//! `gleaner eval`: labels and texts against gold.

mod folds;
mod page;
mod tables;

use anyhow::Result;

pub(crate) use self::page::score_page;
pub(crate) use self::tables::SetScores;
use crate::args::Eval;
use crate::prepared::{prepare, threads};
use crate::train_job::TrainJob;
use crate::{Outcome, console, model};

/// Scores a model, or the models of a cross-validation.
pub(crate) fn run(arguments: &Eval) -> Result<Outcome> {
    let workers = threads(arguments.workers);
    let files = &arguments.sets.gold;
    let scored = match &arguments.cross_validate {
        Some(path) => folds::cross_validate(&TrainJob::read(path)?, files, arguments.folds, workers)?,
        None => {
            let chosen = model::choose(&arguments.model)?;
            let samples = prepare(files, &chosen.model.extractor()?, workers)?;
            page::score(samples.iter(), &chosen.model)
        }
    };
    let tables: Vec<SetScores> = files
        .iter()
        .enumerate()
        .map(|(set, path)| SetScores::new(path, set, &scored))
        .collect();
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&tables)? + "\n",
        false => tables.iter().map(SetScores::table).collect::<Vec<_>>().join("\n"),
    };
    console::out(&text)?;
    Ok(Outcome::Done)
}
