//! `gleaner align`: the labels that gold text gives to the blocks of its page.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use gleaner_annotate::Notes;
use gleaner_features::Columns;
use gleaner_gold::GoldPage;
use gleaner_gold::annotation::{AnnotatedBlock, By, Decision, Header};
use gleaner_page::{Page, PageConfig};

use crate::args::{Align, ModelChoice};
use crate::eval::{Given, Scored, SetScores};
use crate::gold_pages::{Sample, archive_beside, load};
use crate::prepared::{Prepared, threads};
use crate::{Outcome, console, model};

/// Prints the labels that gold text gives to blocks, or only what they would score; or writes them
/// down to be corrected.
pub(crate) fn run(arguments: &Align) -> Result<Outcome> {
    if let Some(folder) = &arguments.annotations {
        return write_annotations(arguments, folder);
    }
    let samples = load(&arguments.sets.gold, &page_config()?, threads(None), || {
        |page: &Page, gold: &GoldPage| {
            let labels = gold.labels(page);
            Prepared::new(page, Columns::default(), labels)
        }
    })?;
    let samples: Vec<_> = samples
        .into_iter()
        .filter(|sample| is_chosen(arguments, &sample.gold))
        .collect();
    check_some(arguments, &samples)?;
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

/// How the built-in model cuts pages into blocks, and so `train`, `eval` and `annotate`, too.
fn page_config() -> Result<PageConfig> {
    let chosen = model::choose(&ModelChoice { model: None })?;
    Ok(chosen.model.extractor()?.config().page.clone())
}

fn is_chosen(arguments: &Align, gold: &GoldPage) -> bool {
    let wanted = arguments.page.as_deref();
    wanted.is_none_or(|page| gold.url == page || gold.record_id == gleaner_warc::record_id(page))
}

fn check_some<T>(arguments: &Align, samples: &[Sample<T>]) -> Result<()> {
    if samples.is_empty() {
        bail!(
            "no page of the gold files is {}",
            arguments.page.as_deref().unwrap_or("there")
        );
    }
    Ok(())
}

/// Writes an annotation file for each page.
fn write_annotations(arguments: &Align, folder: &Path) -> Result<Outcome> {
    let sources: Vec<PathBuf> = arguments
        .sets
        .gold
        .iter()
        .map(|gold| archive_beside(gold))
        .collect::<Result<_>>()?;
    let mut samples = load(&arguments.sets.gold, &page_config()?, threads(None), || {
        |page: &Page, gold: &GoldPage| aligned_blocks(page, gold)
    })?;
    samples.retain(|sample| is_chosen(arguments, &sample.gold));
    check_some(arguments, &samples)?;
    let mut notes = Notes::open(folder)?;
    let (mut written, pages) = (0, samples.len());
    for sample in samples {
        let header = Header {
            url: sample.gold.url.clone(),
            record_id: sample.gold.record_id.clone(),
            ..Header::default()
        };
        written += usize::from(notes.add(&sources[sample.set], header, sample.value)?);
    }
    console::say(&format!(
        "{written} annotation files written to {}; {} were there already",
        folder.display(),
        pages - written
    ));
    Ok(Outcome::Done)
}

fn aligned_blocks(page: &Page, gold: &GoldPage) -> Vec<AnnotatedBlock> {
    let by = By::Aligned;
    let block = |(block, label)| AnnotatedBlock {
        decision: Some(Decision { label, by }),
        path: page.tag_path(block),
        text: page.text(block).to_owned(),
        comments: Vec::new(),
    };
    page.blocks.iter().zip(gold.labels(page)).map(block).collect()
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
