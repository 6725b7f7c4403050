//! Scores of many pages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gleaner_content::Label;
use gleaner_gold::{Confusion, PageScore, Reliability, Score, Summary};
use serde::Serialize;

use crate::metadata_scores::MetadataScores;
use crate::page_scores::Scored;
use crate::prepared::set_name;

/// The measures (1) to (5) of the Victor thesis, chapter 5, and the word score beside them. The
/// first two are over all blocks, the others are means over pages.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// (1): the share of blocks with the gold's label.
    pub label_accuracy: f64,
    /// (2): the share of blocks on the gold's side, content or noise.
    pub content_accuracy: f64,
    /// (3): CleanEval's markup score, where the gold has tags.
    pub markup: Option<f64>,
    /// (4): CleanEval's text-only score.
    pub text: f64,
    /// (5): CleanEval's total score, where the gold has tags.
    pub total: Option<f64>,
    /// The F1 of the segments that is a half of (3).
    pub segments: Option<f64>,
    /// The F1 of the word score.
    pub words: f64,
}

impl Measures {
    /// The measures over some pages.
    pub fn new(pages: &[&Scored<'_>]) -> Measures {
        let confusion = confusion(pages);
        let tagged: Vec<_> = pages.iter().filter_map(|page| page.cleaneval).collect();
        Measures {
            label_accuracy: confusion.label_accuracy(),
            content_accuracy: confusion.content_accuracy(),
            markup: mean(tagged.iter().map(|score| score.markup)),
            text: mean(pages.iter().map(|page| page.text)).unwrap_or_default(),
            total: mean(tagged.iter().map(|score| score.total)),
            segments: mean(tagged.iter().map(|score| score.segments.f1)),
            words: mean(pages.iter().map(|page| page.words.words.f1)).unwrap_or_default(),
        }
    }

    /// The measures with their names, in the order of their numbers.
    pub fn cells(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("labels (1)", Some(self.label_accuracy)),
            ("content (2)", Some(self.content_accuracy)),
            ("markup (3)", self.markup),
            ("text (4)", Some(self.text)),
            ("total (5)", self.total),
            ("word F1", Some(self.words)),
        ]
    }
}

/// The scores of a gold file's pages.
#[derive(Serialize)]
pub struct SetScores {
    /// The name of the gold file.
    pub set: String,
    /// Of all pages.
    pub all: Summary,
    /// Of the pages of each `page_type`.
    pub by_page_type: BTreeMap<String, Summary>,
    /// If exactly the gold's blocks were kept.
    pub oracle: Summary,
    /// If everything were kept.
    pub keep_all: Summary,
    /// Over all pages.
    pub measures: Measures,
    /// The measures of each fold of a cross-validation, which show their spread.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folds: Vec<Measures>,
    /// Of title, author and day of publication, where the gold has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MetadataScores>,
    /// Number of blocks by gold label and label.
    pub confusion: Confusion,
    /// Precision and recall of each label, in blocks.
    pub labels: BTreeMap<Label, Score>,
    /// Whether probabilities agree with frequencies.
    pub calibration: Calibration,
}

/// The scores of one page, as `--json` has them.
#[derive(Serialize)]
pub struct PageRow<'a> {
    set: usize,
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_type: Option<&'a str>,
    fold: u16,
    /// The word F1 that is expected of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f32>,
    blocks: u64,
    measures: Measures,
    precision: f64,
    recall: f64,
    /// The word F1 of keeping exactly the gold's blocks.
    oracle: f64,
}

impl<'a> PageRow<'a> {
    /// The scores of a page.
    pub fn new(page: &'a Scored<'_>) -> PageRow<'a> {
        PageRow {
            set: page.sample.set,
            url: &page.sample.gold.url,
            page_type: page.sample.gold.page_type.as_deref(),
            fold: page.fold,
            confidence: page.confidence,
            blocks: page.confusion.blocks(),
            measures: Measures::new(&[page]),
            precision: page.words.words.precision,
            recall: page.words.words.recall,
            oracle: page.oracle.words.f1,
        }
    }
}

/// Whether probabilities agree with frequencies.
#[derive(Serialize)]
pub struct Calibration {
    /// That a block is content.
    pub content: Claims,
    /// That it has the label that it was given.
    pub label: Claims,
    /// That the word F1 of a page is its confidence.
    pub page: Claims,
}

/// A reliability table and what follows from it.
#[derive(Serialize)]
pub struct Claims {
    /// The mean distance of claims from the truth.
    pub expected_calibration_error: f64,
    /// Claims and truth by range.
    #[serde(flatten)]
    pub table: Reliability,
}

impl SetScores {
    /// The scores of one gold file's pages among all.
    pub fn new(path: &Path, set: usize, scored: &[Scored<'_>]) -> SetScores {
        let own: Vec<&Scored<'_>> = scored.iter().filter(|page| page.sample.set == set).collect();
        let summary = |of: fn(&Scored<'_>) -> PageScore| {
            Summary::of(own.iter().map(|page| of(page)).collect::<Vec<_>>().iter())
        };
        let confusion = confusion(&own);
        let of_label = |label| (label, confusion.of_label(label));
        SetScores {
            set: set_name(path),
            all: summary(|page| page.words),
            by_page_type: Summary::by_type(own.iter().map(|page| (&page.sample.gold, &page.words))),
            oracle: summary(|page| page.oracle),
            keep_all: summary(|page| page.keep_all),
            measures: Measures::new(&own),
            folds: by_fold(&own),
            metadata: MetadataScores::new(&own),
            confusion,
            labels: Label::ALL.into_iter().map(of_label).collect(),
            calibration: Calibration {
                content: Claims::of_pages(own.iter().map(|page| &page.content)),
                label: Claims::of_pages(own.iter().map(|page| &page.label)),
                page: Claims::new(confidence_claims(own.iter().copied())),
            },
        }
    }
}

impl Claims {
    fn of_pages<'s>(pages: impl Iterator<Item = &'s Reliability>) -> Claims {
        let mut table = Reliability::default();
        pages.for_each(|page| table.merge(page));
        Claims::new(table)
    }

    fn new(table: Reliability) -> Claims {
        Claims {
            expected_calibration_error: table.expected_calibration_error(),
            table,
        }
    }
}

/// The confidence of pages, and their word F1.
pub fn confidence_claims<'s, 'a: 's>(pages: impl Iterator<Item = &'s Scored<'a>>) -> Reliability {
    let mut table = Reliability::default();
    for page in pages {
        if let Some(confidence) = page.confidence {
            table.add_value(confidence, page.words.words.f1);
        }
    }
    table
}

/// Nothing where there is one fold only.
fn by_fold(pages: &[&Scored<'_>]) -> Vec<Measures> {
    let folds: BTreeSet<u16> = pages.iter().map(|page| page.fold).collect();
    let of = |fold: u16| {
        let own: Vec<_> = pages.iter().filter(|page| page.fold == fold).copied().collect();
        Measures::new(&own)
    };
    match folds.len() {
        0 | 1 => Vec::new(),
        _ => folds.into_iter().map(of).collect(),
    }
}

fn confusion(pages: &[&Scored<'_>]) -> Confusion {
    let mut sum = Confusion::default();
    pages.iter().for_each(|page| sum.add(&page.confusion));
    sum
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}
