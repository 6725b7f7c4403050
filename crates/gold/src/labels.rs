//! How often labels are right.

use gleaner_content::Label;
use serde::{Serialize, Serializer};

use crate::Score;

/// How many blocks of each gold label were given each label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// A row a gold label, a column a label given, in the order of [`Label::ALL`].
    pub counts: [[u64; Label::COUNT]; Label::COUNT],
}

impl Confusion {
    /// Counts the blocks of a page.
    pub fn of(given: &[Label], gold: &[Label]) -> Confusion {
        let mut confusion = Confusion::default();
        for (&given, &gold) in given.iter().zip(gold) {
            confusion.counts[gold as usize][given as usize] += 1;
        }
        confusion
    }

    /// Adds the counts of other pages.
    pub fn add(&mut self, other: &Confusion) {
        let cells = self.counts.iter_mut().flatten();
        cells
            .zip(other.counts.iter().flatten())
            .for_each(|(cell, more)| *cell += more);
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// The share of blocks with the right label out of the full set: measure (1) of the Victor
    /// thesis (chapter 5). 1 without blocks.
    ///
    /// ```
    /// use gleaner_content::Label::{Header, Other, Paragraph};
    /// use gleaner_gold::Confusion;
    ///
    /// let confusion = Confusion::of(&[Header, Header, Other, Other], &[Header, Paragraph, Other, Header]);
    /// assert_eq!((confusion.label_accuracy(), confusion.content_accuracy()), (0.5, 0.75));
    /// ```
    pub fn label_accuracy(&self) -> f64 {
        let right = (0..Label::COUNT).map(|label| self.counts[label][label]).sum();
        share(right, self.blocks())
    }

    /// The share of blocks that are correctly content or noise, ignoring the other labels: measure
    /// (2) of the Victor thesis. 1 without blocks.
    pub fn content_accuracy(&self) -> f64 {
        let [[noise, wrongly_kept], [wrongly_dropped, content]] = self.sides();
        share(noise + content, noise + wrongly_kept + wrongly_dropped + content)
    }

    /// Agreement of the labels and the gold labels if neither is the truth, as of two annotators.
    pub fn label_agreement(&self) -> Agreement {
        Agreement::new(&self.counts)
    }

    /// The same for content and noise only.
    pub fn content_agreement(&self) -> Agreement {
        Agreement::new(&self.sides())
    }

    /// Noise and content of the gold, each as dropped and kept.
    fn sides(&self) -> [[u64; 2]; 2] {
        let mut sides = [[0; 2]; 2];
        for gold in Label::ALL {
            for given in Label::ALL {
                sides[usize::from(gold.is_content())][usize::from(given.is_content())] +=
                    self.counts[gold as usize][given as usize];
            }
        }
        sides
    }

    /// Precision and recall of one label, in blocks.
    pub fn of_label(&self, label: Label) -> Score {
        let label = label as usize;
        let given: u64 = self.counts.iter().map(|row| row[label]).sum();
        let gold: u64 = self.counts[label].iter().sum();
        Score::of_counts(self.counts[label][label] as usize, given as usize, gold as usize)
    }
}

/// How far two annotators agree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Agreement {
    /// The share of blocks to which both gave the same label; 1 without blocks.
    pub observed: f64,
    /// The share that would have it by chance, if each gave out as many of each label as he did.
    pub by_chance: f64,
    /// Cohen's kappa (1960): how much of what chance leaves open they agree on, `(observed - by_chance) /
    /// (1 - by_chance)`. None where each has given one label only, and the same.
    pub kappa: Option<f64>,
}

impl Agreement {
    /// Of a table: a row a label of the one, a column a label of the other.
    fn new<const N: usize>(counts: &[[u64; N]; N]) -> Agreement {
        let blocks: u64 = counts.iter().flatten().sum();
        let same: u64 = (0..N).map(|label| counts[label][label]).sum();
        let by_chance = |label: usize| {
            let one: u64 = counts[label].iter().sum();
            let other: u64 = counts.iter().map(|row| row[label]).sum();
            share(one, blocks) * share(other, blocks)
        };
        let observed = share(same, blocks);
        let by_chance = match blocks {
            0 => 1.0,
            _ => (0..N).map(by_chance).sum(),
        };
        Agreement {
            observed,
            by_chance,
            kappa: (by_chance < 1.0).then(|| (observed - by_chance) / (1.0 - by_chance)),
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// As `{"labels": [names], "gold_by_given": [[counts]]}`.
impl Serialize for Confusion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut fields = serializer.serialize_struct("Confusion", 2)?;
        fields.serialize_field("labels", &Label::ALL)?;
        fields.serialize_field("gold_by_given", &self.counts)?;
        fields.end()
    }
}

#[cfg(test)]
mod tests {
    use gleaner_content::Label::{Continuation, Header, List, Other, Paragraph};

    use super::*;

    #[test]
    fn labels_have_their_own_precision_and_recall() {
        let gold = [Header, Header, Paragraph, Other, Other];
        let given = [Header, Paragraph, Paragraph, Header, Other];
        let confusion = Confusion::of(&given, &gold);
        let score = |label| {
            let score = confusion.of_label(label);
            (score.precision, score.recall)
        };
        assert_eq!(score(Header), (0.5, 0.5));
        assert_eq!(score(Paragraph), (0.5, 1.0));
        assert_eq!(score(Other), (1.0, 0.5));
        assert_eq!((score(List), score(Continuation)), ((1.0, 1.0), (1.0, 1.0)));
        assert_eq!(
            (confusion.label_accuracy(), confusion.content_accuracy()),
            (0.6, 0.8)
        );
    }

    #[test]
    fn pages_add_up() {
        let one = Confusion::of(&[Header], &[Other]);
        let mut all = one;
        all.add(&Confusion::of(&[Header, Other], &[Other, Other]));
        assert_eq!(all.counts[Other as usize], [2, 0, 0, 0, 1]);
        assert_eq!((all.blocks(), Confusion::default().label_accuracy()), (3, 1.0));
    }

    #[test]
    fn agreement_is_what_chance_does_not_explain() {
        // Two annotators of 50 blocks: 20 content for both, 15 noise for both.
        let pairs = [
            (Paragraph, Paragraph, 20),
            (Other, Paragraph, 5),
            (Paragraph, Other, 10),
            (Other, Other, 15),
        ];
        let (one, other): (Vec<Label>, Vec<Label>) = pairs
            .into_iter()
            .flat_map(|(one, other, count)| vec![(one, other); count])
            .unzip();
        let confusion = Confusion::of(&one, &other);
        let content = confusion.content_agreement();
        assert_eq!(confusion.label_agreement(), content);
        assert!((content.observed - 0.7).abs() < 1e-12 && (content.by_chance - 0.5).abs() < 1e-12);
        assert!((content.kappa.unwrap() - 0.4).abs() < 1e-12);
        // Kinds of content are labels of their own.
        let kinds = Confusion::of(&[Header, List, Other], &[Header, Paragraph, Other]);
        assert_eq!(kinds.content_agreement().kappa, Some(1.0));
        let labels = kinds.label_agreement();
        assert!(
            (labels.by_chance - 2.0 / 9.0).abs() < 1e-12 && (labels.kappa.unwrap() - 4.0 / 7.0).abs() < 1e-12
        );
        for all_alike in [Confusion::default(), Confusion::of(&[List, List], &[List, List])] {
            let labels = all_alike.label_agreement();
            assert_eq!((labels.observed, labels.kappa), (1.0, None));
        }
    }
}
