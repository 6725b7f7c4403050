//! The scores of one page.

use gleaner_crf::{Label, Model, Tagger};
use gleaner_features::{unspaced_words, words};
use gleaner_gold::{GoldPage, PageScore};

use crate::gold_pages::Sample;
use crate::prepared::Prepared;

/// A page's scores.
pub(crate) struct Scored {
    pub(super) set: usize,
    pub(super) gold: GoldPage,
    pub(super) words: PageScore,
    pub(super) oracle: PageScore,
    pub(super) keep_all: PageScore,
    /// Blocks whose label is right; whose side (content or noise) is right; all.
    pub(super) blocks: (usize, usize, usize),
}

/// Labels pages with a model and scores them.
pub(super) fn score<'a>(samples: impl Iterator<Item = &'a Sample<Prepared>>, model: &Model) -> Vec<Scored> {
    let mut tagger = Tagger::new(model);
    samples
        .map(|sample| {
            let texts = sample.value.texts.iter();
            let counts = texts.map(|text| words(text).count() as u32 + unspaced_words(text));
            score_page(sample, tagger.tag_words(&sample.value.columns, counts).labels)
        })
        .collect()
}

/// Scores labels of a page.
pub(crate) fn score_page(sample: &Sample<Prepared>, labels: &[Label]) -> Scored {
    let Prepared {
        labels: gold, texts, ..
    } = &sample.value;
    let scored = |labels: &[Label]| PageScore::new(&sample.value.kept(labels), &sample.gold);
    let pairs = || labels.iter().zip(gold);
    let right = pairs().filter(|(ours, gold)| ours == gold).count();
    let side = pairs()
        .filter(|(ours, gold)| ours.is_content() == gold.is_content())
        .count();
    Scored {
        set: sample.set,
        gold: sample.gold.clone(),
        words: scored(labels),
        oracle: scored(gold),
        keep_all: scored(&vec![Label::Paragraph; texts.len()]),
        blocks: (right, side, labels.len()),
    }
}
