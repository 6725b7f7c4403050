//! Scores of kept text against gold text.

use std::collections::BTreeMap;

use gleaner_content::Label;
use gleaner_document::{Piece, assemble};
use gleaner_features::words;
use gleaner_page::{Page, Tabs};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::symbols::Symbols;
use crate::{GoldPage, common_length};

/// Precision, recall and their harmonic mean, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// The share of what was kept that is gold.
    pub precision: f64,
    /// The share of the gold that was kept.
    pub recall: f64,
    /// `2PR / (P + R)`.
    pub f1: f64,
}

impl Score {
    /// The score of `matched` words of `kept` against `gold`. Where the gold is empty all three
    /// are 1 if nothing was kept and 0 otherwise.
    pub fn of_counts(matched: usize, kept: usize, gold: usize) -> Score {
        if gold == 0 {
            let all = if kept == 0 { 1.0 } else { 0.0 };
            return Score {
                precision: all,
                recall: all,
                f1: all,
            };
        }
        if matched == 0 {
            return Score::default();
        }
        let (precision, recall) = (matched as f64 / kept as f64, matched as f64 / gold as f64);
        Score {
            precision,
            recall,
            f1: 2.0 * precision * recall / (precision + recall),
        }
    }

    /// The mean of each of the three; zeros without scores.
    pub fn mean<'s>(scores: impl Iterator<Item = &'s Score> + Clone) -> Score {
        let over = |of: fn(&Score) -> f64| mean(scores.clone().map(of)).unwrap_or_default();
        Score {
            precision: over(|score| score.precision),
            recall: over(|score| score.recall),
            f1: over(|score| score.f1),
        }
    }
}

/// Word score: lower-cased words, the overlap of the two multisets.
///
/// ```
/// let score = gleaner_gold::word_score("The cat sat, sat.", "the cat sat down");
/// assert_eq!((score.precision, score.recall), (0.75, 0.75));
/// ```
pub fn word_score(kept: &str, gold: &str) -> Score {
    let (kept, gold) = (kept.to_lowercase(), gold.to_lowercase());
    let mut left: FxHashMap<&str, usize> = FxHashMap::default();
    let mut gold_words = 0;
    for word in words(&gold) {
        *left.entry(word).or_default() += 1;
        gold_words += 1;
    }
    let (mut kept_words, mut matched) = (0, 0);
    for word in words(&kept) {
        kept_words += 1;
        if let Some(count) = left.get_mut(word).filter(|count| **count > 0) {
            *count -= 1;
            matched += 1;
        }
    }
    Score::of_counts(matched, kept_words, gold_words)
}

/// The same, counting only the words of a longest common subsequence: their order matters.
///
/// ```
/// assert_eq!(gleaner_gold::lcs_score("one two three", "three one two").f1, 2.0 / 3.0);
/// ```
pub fn lcs_score(kept: &str, gold: &str) -> Score {
    let mut symbols = Symbols::default();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    symbols.read(kept, &mut ours);
    symbols.read(gold, &mut theirs);
    Score::of_counts(common_length(&ours, &theirs), ours.len(), theirs.len())
}

/// The score of a page's text when exactly the blocks labelled as content are kept. With the
/// labels that [`align`](crate::align) gives this is the most a labeller can reach.
pub fn label_score(page: &Page, labels: &[Label], gold: &str) -> Score {
    word_score(&kept_text(page, labels), gold)
}

/// The text of the blocks that labels keep.
pub fn kept_text(page: &Page, labels: &[Label]) -> String {
    let blocks = page.blocks.iter().zip(page.joints()).zip(labels);
    assemble(blocks.map(|((block, joint), &label)| Piece {
        text: page.written(block),
        label,
        joint,
        tabs: Tabs::default(),
    }))
}

/// The score of keeping everything.
pub fn keep_all_score(page: &Page, gold: &str) -> Score {
    label_score(page, &vec![Label::Paragraph; page.blocks.len()], gold)
}

/// Everything that is measured on one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PageScore {
    /// The word score.
    pub words: Score,
    /// The same in order: the words of a longest common subsequence.
    pub lcs: Score,
    /// The share of the snippets that have to be kept and are; nothing where the gold has none.
    pub with: Option<f64>,
    /// The share of the snippets that have to be left out and are.
    pub without: Option<f64>,
}

impl PageScore {
    /// Scores a text against a gold page.
    pub fn new(kept: &str, gold: &GoldPage) -> PageScore {
        let low = kept.to_lowercase();
        let share = |snippets: &Option<Vec<String>>| found(&low, snippets.as_deref().unwrap_or_default());
        PageScore {
            words: word_score(kept, &gold.text),
            lcs: lcs_score(kept, &gold.text),
            with: share(&gold.with),
            without: share(&gold.without).map(|share| 1.0 - share),
        }
    }
}

fn found(text: &str, snippets: &[String]) -> Option<f64> {
    let count = snippets
        .iter()
        .filter(|snippet| text.contains(&snippet.to_lowercase()))
        .count();
    (!snippets.is_empty()).then(|| count as f64 / snippets.len() as f64)
}

/// Means over pages. A page without snippets is left out of the means of `with` and `without`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// How many pages there are.
    pub pages: usize,
    /// The mean word score: each of the three is a mean over pages.
    pub words: Score,
    /// The mean of [`PageScore::lcs`].
    pub lcs: Score,
    /// The mean of [`PageScore::with`].
    pub with: Option<f64>,
    /// The mean of [`PageScore::without`].
    pub without: Option<f64>,
}

impl Summary {
    /// The means of some pages' scores.
    pub fn of<'s>(scores: impl IntoIterator<Item = &'s PageScore>) -> Summary {
        let scores: Vec<&PageScore> = scores.into_iter().collect();
        Summary {
            pages: scores.len(),
            words: Score::mean(scores.iter().map(|score| &score.words)),
            lcs: Score::mean(scores.iter().map(|score| &score.lcs)),
            with: mean(scores.iter().filter_map(|score| score.with)),
            without: mean(scores.iter().filter_map(|score| score.without)),
        }
    }

    /// The means by page type, pages without one under the empty name.
    pub fn by_type<'s>(
        scores: impl IntoIterator<Item = (&'s GoldPage, &'s PageScore)>,
    ) -> BTreeMap<String, Summary> {
        let mut groups: BTreeMap<String, Vec<&PageScore>> = BTreeMap::new();
        for (gold, score) in scores {
            groups
                .entry(gold.page_type.clone().unwrap_or_default())
                .or_default()
                .push(score);
        }
        groups
            .into_iter()
            .map(|(name, scores)| (name, Summary::of(scores)))
            .collect()
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_gold_wants_an_empty_text() {
        assert_eq!(word_score("", " ").f1, 1.0);
        assert_eq!(word_score("a", "").f1, 0.0);
        assert_eq!(word_score("", "a").f1, 0.0);
        assert_eq!(word_score("b", "a"), Score::default());
    }

    #[test]
    fn snippets_are_looked_for_whatever_their_case() {
        let gold = GoldPage {
            text: "One two".into(),
            with: Some(vec!["ONE".into(), "three".into()]),
            without: Some(vec!["Two".into()]),
            ..GoldPage::default()
        };
        let score = PageScore::new("one two", &gold);
        assert_eq!(
            (score.with, score.without, score.words.f1),
            (Some(0.5), Some(0.0), 1.0)
        );
    }

    #[test]
    fn means_are_over_the_pages_that_have_a_figure() {
        let one = PageScore {
            words: Score::of_counts(1, 1, 1),
            lcs: Score::of_counts(1, 2, 2),
            with: Some(1.0),
            without: None,
        };
        let two = PageScore::default();
        let summary = Summary::of([&one, &two]);
        assert_eq!(
            (
                summary.pages,
                summary.words.f1,
                summary.lcs.f1,
                summary.with,
                summary.without
            ),
            (2, 0.5, 0.25, Some(1.0), None)
        );
    }
}
