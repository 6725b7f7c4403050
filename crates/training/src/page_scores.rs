//! The scores of one page.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use gleaner_content::{Label, Model};
use gleaner_document::{Decision, Labeller};
use gleaner_gold::{
    CleanevalScore, Confusion, GoldPage, PageScore, Reliability, cleaneval_score, kept_segments,
    text_only_score,
};

use crate::gold_pages::Sample;
use crate::prepared::Prepared;

/// A page's scores.
pub struct Scored<'a> {
    /// The page.
    pub sample: &'a Sample<Prepared>,
    /// The fold that the page was in.
    pub fold: u16,
    /// The labels of its blocks.
    pub decision: Decision,
    /// The word F1 that the model expects; none of structured data, or where no model labelled the page.
    pub confidence: Option<f32>,
    /// The word score of the kept text.
    pub words: PageScore,
    /// The score of exactly the gold's blocks.
    pub oracle: PageScore,
    /// The score of all blocks.
    pub keep_all: PageScore,
    /// Measure (4), for gold of every kind.
    pub text: f64,
    /// Measures (3) to (5), where the gold has tags.
    pub cleaneval: Option<CleanevalScore>,
    /// Number of blocks by gold label and label.
    pub confusion: Confusion,
    /// Claims of content.
    pub content: Reliability,
    /// Claims of the decided label.
    pub label: Reliability,
}

/// Labels pages with a model and scores them.
pub fn score<'a>(
    samples: impl Iterator<Item = &'a Sample<Prepared>>,
    model: &Model,
    fold: u16,
) -> Vec<Scored<'a>> {
    let mut labeller = Labeller::new(Arc::new(model.clone()));
    samples
        .map(|sample| labelled(sample, &mut labeller, fold))
        .collect()
}

/// Labels and scores pages, each by its convention, if the model has that.
pub(crate) fn score_by_conventions<'a>(
    samples: impl Iterator<Item = &'a Sample<Prepared>>,
    model: &Model,
    fold: u16,
    convention: impl Fn(&Sample<Prepared>) -> Option<String>,
) -> Result<Vec<Scored<'a>>, gleaner_content::Error> {
    let mut labellers = BTreeMap::new();
    let mut model = model.clone();
    samples
        .map(|sample| {
            let name = convention(sample).filter(|name| model.conventions().contains_key(name));
            let labeller = match labellers.entry(name) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    model.set_convention(new.key().as_deref())?;
                    new.insert(Labeller::new(Arc::new(model.clone())))
                }
            };
            Ok(labelled(sample, labeller, fold))
        })
        .collect()
}

fn labelled<'a>(sample: &'a Sample<Prepared>, labeller: &mut Labeller, fold: u16) -> Scored<'a> {
    let mut decision = Decision::of(&labeller.tag(&sample.value.page));
    sample.value.decide_heading(&mut decision);
    let is_of_blocks = sample.value.structured_text(&decision.labels).is_none();
    let sizes = sample.value.page.layout.block_sizes();
    let confidence = labeller
        .model()
        .confidence(&decision.content, &decision.labels, sizes);
    Scored {
        confidence: confidence.filter(|_| is_of_blocks),
        ..Scored::new(sample, decision, fold)
    }
}

impl<'a> Scored<'a> {
    /// Scores the labels of a page's blocks.
    pub fn new(sample: &'a Sample<Prepared>, decision: Decision, fold: u16) -> Scored<'a> {
        let (page, gold) = (&sample.value, &sample.gold);
        let kept = page.text(&decision.labels);
        let texted = |labels: &[Label]| PageScore::new(&page.page.layout.kept_text(labels), gold);
        let cleaneval = cleaneval(page, &decision.labels, gold);
        Scored {
            words: PageScore::new(&kept, gold),
            oracle: texted(&page.labels),
            keep_all: texted(&vec![Label::Paragraph; page.page.layout.len()]),
            text: cleaneval.map_or_else(|| text_only_score(&kept, &gold.text), |score| score.text),
            cleaneval,
            confusion: Confusion::of(&decision.labels, &page.labels),
            content: reliability(&decision.content, &page.labels, |_, gold| gold.is_content()),
            label: reliability(&decision.confidence, &page.labels, |at, gold| {
                decision.labels[at] == gold
            }),
            sample,
            fold,
            confidence: None,
            decision,
        }
    }
}

fn cleaneval(page: &Prepared, labels: &[Label], gold: &GoldPage) -> Option<CleanevalScore> {
    let gold = gold.segments()?;
    let segments = match page.structured_text(labels) {
        Some(lines) => kept_segments(lines.pieces()),
        None => kept_segments(page.pieces(labels)),
    };
    Some(cleaneval_score(&segments, &gold))
}

/// A claim a block, and whether it is true of the block's gold label.
fn reliability(claims: &[f32], gold: &[Label], is_true: impl Fn(usize, Label) -> bool) -> Reliability {
    let mut table = Reliability::default();
    for (at, (&claim, &gold)) in claims.iter().zip(gold).enumerate() {
        table.add(claim, is_true(at, gold));
    }
    table
}
