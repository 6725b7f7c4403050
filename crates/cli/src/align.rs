//! `gleaner align`: the labels that gold text gives to the blocks of its page.

use anyhow::{Result, bail};
use gleaner_features::Columns;
use gleaner_gold::GoldPage;
use gleaner_page::{Page, PageConfig};

use crate::args::Align;
use crate::eval::{Given, Scored, SetScores};
use crate::gold_pages::{Sample, load};
use crate::prepared::{Prepared, threads};
use crate::{Outcome, console};

/// Prints the labels that gold text gives to blocks, or only what they would score.
pub(crate) fn run(arguments: &Align) -> Result<Outcome> {
    let chosen = |gold: &GoldPage| {
        let id = arguments
            .page
            .as_deref()
            .map(|page| page.trim_matches(['<', '>']));
        id.is_none_or(|id| gold.url == id || gold.bare_record_id() == id)
    };
    let samples = load(
        &arguments.sets.gold,
        &PageConfig::default(),
        threads(None),
        || {
            |page: &Page, gold: &GoldPage| {
                let labels = gold.labels(page);
                Prepared::new(page, Columns::default(), labels)
            }
        },
    )?;
    let samples: Vec<_> = samples
        .into_iter()
        .filter(|sample| chosen(&sample.gold))
        .collect();
    if samples.is_empty() {
        bail!(
            "no page of the gold files is {}",
            arguments.page.as_deref().unwrap_or("there")
        );
    }
    if arguments.scores {
        let scored: Vec<_> = samples
            .iter()
            .map(|sample| Scored::new(sample, Given::certain(sample.value.labels.clone()), 0))
            .collect();
        for (set, path) in arguments.sets.gold.iter().enumerate() {
            console::out(&SetScores::new(path, set, &scored).short_text())?;
        }
        return Ok(Outcome::Done);
    }
    for sample in &samples {
        console::out(&listing(sample))?;
    }
    Ok(Outcome::Done)
}

fn listing(sample: &Sample<Prepared>) -> String {
    let mut text = format!("# {}\n", sample.gold.url);
    for (label, block) in sample.value.labels.iter().zip(&sample.value.texts) {
        text.push_str(label.name());
        text.push('\t');
        text.push_str(block);
        text.push('\n');
    }
    text.push('\n');
    text
}
