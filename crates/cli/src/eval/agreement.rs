//! `gleaner eval agreement`: how far two annotators agree who labelled the same pages.

use anyhow::{Result, bail};
use gleaner_content::Label;
use gleaner_gold::Agreement;
use gleaner_training::SetAgreement;

use crate::args::EvalAgreement;
use crate::inputs::gold::reader;
use crate::model;
use crate::terminal::{
    Outcome,
    console::{self, counted, grouped},
};

pub(super) fn run(arguments: &EvalAgreement) -> Result<Outcome> {
    let chosen = model::choose(&arguments.model)?;
    let config = chosen.model.extractor()?.config().page.clone();
    let sets = [&arguments.one, &arguments.other];
    let results = SetAgreement::read(sets, &config, reader(arguments.workers))?;
    if results.pages.is_empty() {
        bail!(
            "{} and {} have no page in common: name annotations of the same pages",
            arguments.one.display(),
            arguments.other.display()
        );
    }
    console::out_as(arguments.json, &results, || text(&results, arguments.worst))?;
    Ok(Outcome::Done)
}

fn text(results: &SetAgreement, worst: usize) -> String {
    let [one, other] = &results.sets;
    let mut text = format!(
        "{} and {} labelled in {one} and in {other}\n",
        counted(results.pages.len() as u64, "page"),
        counted(results.confusion.blocks(), "block")
    );
    for (set, &count) in results.sets.iter().zip(&results.pages_of_one) {
        if count > 0 {
            text += &format!("{} in {set} alone\n", counted(count as u64, "page"));
        }
    }
    if results.undecided > 0 {
        text += &format!(
            "{} left out, which only one of the two has\n",
            counted(results.undecided, "block")
        );
    }
    text += &format!("{:12} {:>8} {:>10} {:>8}\n", "", "agree", "by chance", "kappa");
    for (name, agreement) in [("labels", results.labels), ("content", results.content)] {
        text += &format!("{name:12} {}\n", row(&agreement));
    }
    text + &table(results) + &listing(results, worst)
}

/// The labels of the first by those of the second.
fn table(results: &SetAgreement) -> String {
    let mut text = format!("{:12}", "one \\ other");
    for label in Label::ALL {
        text += &format!(" {:>12}", label.name());
    }
    text.push('\n');
    for (label, counts) in Label::ALL.iter().zip(&results.confusion.counts) {
        text += &format!("{:12}", label.name());
        for &count in counts {
            text += &format!(" {:>12}", grouped(count));
        }
        text.push('\n');
    }
    text
}

/// The pages they agree on least.
fn listing(results: &SetAgreement, worst: usize) -> String {
    let mut text = format!(
        "{:>8} {:>8} {:>8}  lowest agreement\n",
        "labels", "content", "blocks"
    );
    for page in results.pages.iter().take(worst) {
        text += &format!(
            "{:8.4} {:8.4} {:>8}  {}\n",
            page.labels.observed,
            page.content.observed,
            grouped(page.blocks),
            page.url
        );
    }
    text
}

fn row(agreement: &Agreement) -> String {
    let kappa = agreement
        .kappa
        .map_or_else(|| "-".to_owned(), |kappa| format!("{kappa:.4}"));
    format!(
        "{:8.4} {:10.4} {kappa:>8}",
        agreement.observed, agreement.by_chance
    )
}
