//! The scores of one page.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use gleaner_content::{Label, Model, Tagged, Tagger};
use gleaner_gold::{
    CleanevalScore, Confusion, GoldPage, PageScore, Reliability, cleaneval_score, kept_segments,
    text_only_score,
};

use crate::gold_pages::Sample;
use crate::model::knows;
use crate::prepared::Prepared;

/// What a labeller said of a page's blocks.
pub(crate) struct Given {
    pub(crate) labels: Vec<Label>,
    /// The probability of the label.
    pub(crate) confidence: Vec<f32>,
    /// The probability that the block is content.
    pub(crate) content: Vec<f32>,
}

/// A page's scores.
pub(crate) struct Scored<'a> {
    pub(crate) sample: &'a Sample<Prepared>,
    /// The fold that the page was in.
    pub(super) fold: u16,
    pub(super) given: Given,
    pub(crate) words: PageScore,
    /// What keeping exactly the gold's blocks would score.
    pub(super) oracle: PageScore,
    pub(super) keep_all: PageScore,
    /// Measure (4), for gold of every kind.
    pub(super) text: f64,
    /// Measures (3) to (5), where the gold has tags.
    pub(super) cleaneval: Option<CleanevalScore>,
    pub(super) confusion: Confusion,
    /// Claims of content.
    pub(super) content: Reliability,
    /// Claims of the label that was given.
    pub(super) label: Reliability,
}

impl Given {
    /// Labels without a doubt.
    pub(crate) fn certain(labels: Vec<Label>) -> Given {
        let content = labels.iter().map(|label| f32::from(u8::from(label.is_content())));
        Given {
            confidence: vec![1.0; labels.len()],
            content: content.collect(),
            labels,
        }
    }

    /// What a model said.
    pub(crate) fn of(tagged: &Tagged<'_>) -> Given {
        Given {
            labels: tagged.labels.to_vec(),
            confidence: tagged.confidence.to_vec(),
            content: tagged.content.to_vec(),
        }
    }
}

/// Labels pages with a model and scores them.
pub(crate) fn score<'a>(
    samples: impl Iterator<Item = &'a Sample<Prepared>>,
    model: &Model,
    fold: u16,
) -> Vec<Scored<'a>> {
    let mut tagger = Tagger::new(model);
    samples.map(|sample| tagged(sample, &mut tagger, fold)).collect()
}

/// The same, each page by the convention that it names, if the model knows that.
pub(super) fn score_by_conventions<'a>(
    samples: impl Iterator<Item = &'a Sample<Prepared>>,
    model: &Model,
    fold: u16,
    convention: impl Fn(&Sample<Prepared>) -> Option<String>,
) -> Result<Vec<Scored<'a>>, gleaner_content::Error> {
    let mut taggers = BTreeMap::new();
    let mut model = model.clone();
    samples
        .map(|sample| {
            let name = convention(sample).filter(|name| knows(&model, name));
            let tagger = match taggers.entry(name) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    model.set_convention(new.key().as_deref())?;
                    new.insert(Tagger::new(&model))
                }
            };
            Ok(tagged(sample, tagger, fold))
        })
        .collect()
}

fn tagged<'a>(sample: &'a Sample<Prepared>, tagger: &mut Tagger, fold: u16) -> Scored<'a> {
    let page = &sample.value;
    let given = Given::of(&tagger.tag_blocks(&page.columns, page.sizes.iter().copied()));
    Scored::new(sample, given, fold)
}

impl<'a> Scored<'a> {
    /// Scores what was said of a page's blocks.
    pub(crate) fn new(sample: &'a Sample<Prepared>, given: Given, fold: u16) -> Scored<'a> {
        let (page, gold) = (&sample.value, &sample.gold);
        let kept = page.given_text(&given.labels);
        let texted = |labels: &[Label]| PageScore::new(&page.kept(labels), gold);
        let cleaneval = cleaneval(page, &given.labels, gold);
        Scored {
            words: PageScore::new(&kept, gold),
            oracle: texted(&page.labels),
            keep_all: texted(&vec![Label::Paragraph; page.texts.len()]),
            text: cleaneval.map_or_else(|| text_only_score(&kept, &gold.text), |score| score.text),
            cleaneval,
            confusion: Confusion::of(&given.labels, &page.labels),
            content: reliability(&given.content, &page.labels, |_, gold| gold.is_content()),
            label: reliability(&given.confidence, &page.labels, |at, gold| {
                given.labels[at] == gold
            }),
            sample,
            fold,
            given,
        }
    }
}

fn cleaneval(page: &Prepared, labels: &[Label], gold: &GoldPage) -> Option<CleanevalScore> {
    let gold = gold.segments()?;
    let segments = match page.stand_in(labels) {
        Some(stand_in) => kept_segments(stand_in.pieces()),
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
