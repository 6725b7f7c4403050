//! Trains a table of page kinds.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use gleaner_training::{KindsJob, KindsScore};

use super::output;
use crate::args::Train;
use crate::inputs::gold::reader;
use crate::terminal::{
    Outcome,
    console::{self, grouped},
};

/// Trains and writes the table, and prints the cross-validated accuracy of each set.
pub(super) fn train(arguments: &Train, job: &KindsJob) -> Result<Outcome> {
    let out = output(arguments, job.out.as_ref(), "NAME.tsv", job.files())?;
    let reader = reader(arguments.workers);
    let samples = job
        .read(reader)
        .with_context(|| arguments.job.display().to_string())?;
    console::say(&format!("{} pages of known kinds", grouped(samples.len() as u64)));
    console::out(&text(&job.cross_validate(&samples, reader.workers)))?;
    let kinds = job.train(&samples, reader.workers);
    std::fs::write(&out, kinds.to_text()).with_context(|| format!("could not write {}", out.display()))?;
    console::say(&format!(
        "{}: {} kinds of pages",
        out.display(),
        kinds.kinds().len()
    ));
    Ok(Outcome::Done)
}

/// A line for each set: the accuracy of pages alone and with the evidence of their site, and the predicted kinds.
fn text(sets: &BTreeMap<String, KindsScore>) -> String {
    let mut lines = String::from("pages  alone  right  set (predicted)\n");
    for (set, score) in sets {
        let [alone, beside] = [score.alone, score.beside].map(|right| right as f64 / score.pages as f64);
        let kinds = score.kinds.iter();
        let predicted: Vec<String> = kinds.map(|(kind, pages)| format!("{kind} {pages}")).collect();
        lines += &format!(
            "{:5}  {alone:.3}  {beside:.3}  {set} ({})\n",
            score.pages,
            predicted.join(", ")
        );
    }
    lines
}
