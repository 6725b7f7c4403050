//! The kind of a page as a person would call it, told from cues of the whole page.
//!
//! In: [`PageCues`]. Out: a kind and its probability. Each kind has boosted trees, which ask whether the code of a cue is at
//! least so much; the softmax of their sums are the probabilities. The trees are a text, which people can read: see
//! [`PageKinds::to_text`].

use std::fmt::Write;

use gleaner_features::PageCues;
use gleaner_gbdt::{MAX_LEAVES, Question, Split, Trees};

use crate::Error;
use crate::content::{MAX_KINDS, softmax};

/// What a page is of that no kind is likely for.
pub const OTHER_KIND: &str = "other";
/// A kind is likely from this probability on.
const LIKELY: f32 = 1.0 / 3.0;
/// The value of a leaf is written in parts of this.
const PRECISION: f32 = 1e4;

/// What tells the kind of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct PageKinds {
    kinds: Vec<String>,
    /// Those of each kind; their inputs are cues.
    trees: Vec<Trees>,
}

impl PageKinds {
    /// From the trees of each kind.
    pub(crate) fn new(kinds: &[String], mut trees: Vec<Trees>) -> PageKinds {
        let leaves = trees.iter_mut().flat_map(|trees| &mut trees.leaves).flatten();
        leaves.for_each(|leaf| *leaf = (*leaf * PRECISION).round() / PRECISION);
        PageKinds {
            kinds: kinds.to_vec(),
            trees,
        }
    }

    /// The names of the kinds.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// The most probable kind of a page by its cues, and its probability: see [`likeliest`](PageKinds::likeliest). Nothing
    /// without cues.
    pub fn tell(&self, cues: &PageCues) -> Option<(&str, f32)> {
        Some(self.likeliest(&self.shares(cues)?))
    }

    /// The probability of each kind of a page by its cues, then zeros. Nothing without cues.
    pub fn shares(&self, cues: &PageCues) -> Option<[f32; MAX_KINDS]> {
        (!cues.codes().is_empty()).then(|| self.shares_of(cues.codes()))
    }

    pub(crate) fn shares_of(&self, codes: &[u8]) -> [f32; MAX_KINDS] {
        let mut scores = [0.0; MAX_KINDS];
        for (score, trees) in scores.iter_mut().zip(&self.trees) {
            *score = sum(trees, codes);
        }
        softmax(&scores[..self.kinds.len()]).map(|share| share as f32)
    }

    /// The kind with the highest of these probabilities, and that; where it is less than a third, the kind is [`OTHER_KIND`].
    pub fn likeliest(&self, shares: &[f32; MAX_KINDS]) -> (&str, f32) {
        let kinds = self.kinds.iter().zip(shares);
        match kinds.max_by(|a, b| a.1.total_cmp(b.1)) {
            Some((kind, &share)) if share >= LIKELY => (kind, share),
            other => (OTHER_KIND, other.map_or(0.0, |(_, &share)| share)),
        }
    }

    /// The trees as a table, columns apart by tabs: a kind, the questions of a tree of its, and what its leaves add.
    /// `2:word.cart>=3` asks the pages of leaf 2 (leaf 0 has all at first) whether the code of `word.cart` is at least 3; those
    /// that say yes move on to the next new leaf. The first row has the names of the kinds.
    pub fn to_text(&self) -> String {
        let names = PageCues::names();
        let mut text = format!("kinds\t{}\n", self.kinds.join("\t"));
        for (kind, trees) in self.kinds.iter().zip(&self.trees) {
            for (splits, leaves) in trees.splits.chunks(trees.width - 1).zip(&trees.leaves) {
                let asked = splits.iter().filter(|split| split.question != Question::NOTHING);
                let questions: Vec<String> = asked.map(|split| question(split, &names)).collect();
                let leaves: Vec<String> = leaves[..=questions.len()].iter().map(f32::to_string).collect();
                writeln!(text, "{kind}\t{}\t{}", questions.join(" "), leaves.join(" "))
                    .expect("texts can be written to");
            }
        }
        text
    }

    /// Reads a table.
    ///
    /// # Errors
    /// A line is no row of such a table, or asks about a cue that is none of this program; the error names the line.
    pub fn from_text(text: &str) -> Result<PageKinds, Error> {
        let wrong = |line: usize, what: &str| Error::Description(format!("line {}: {what}", line + 1));
        let mut lines = text.lines().enumerate();
        let heads = lines.next().and_then(|(_, line)| line.strip_prefix("kinds\t"));
        let kinds: Vec<String> = heads.unwrap_or_default().split('\t').map(str::to_owned).collect();
        if heads.is_none() || kinds.len() > MAX_KINDS {
            return Err(wrong(0, "no head of a table of page kinds"));
        }
        let names = PageCues::names();
        let mut trees = vec![Trees::zero(0, MAX_LEAVES, 1.0); kinds.len()];
        for (number, line) in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let [kind, questions, leaves] = fields[..] else {
                return Err(wrong(number, "not a kind, questions and leaves"));
            };
            let kind = kinds.iter().position(|known| known == kind);
            let own = kind
                .map(|kind| &mut trees[kind])
                .ok_or_else(|| wrong(number, "a kind that the first line does not name"))?;
            let splits: Option<Vec<Split>> = questions
                .split_whitespace()
                .enumerate()
                .map(|(at, text)| split(text, at, &names))
                .collect();
            let splits = splits.ok_or_else(|| {
                wrong(
                    number,
                    "no question about a cue that this program knows: train the kinds again",
                )
            })?;
            let values: Option<Vec<f32>> = leaves
                .split(' ')
                .map(|leaf| leaf.parse().ok().filter(|leaf: &f32| leaf.is_finite()))
                .collect();
            let values =
                values.filter(|values| values.len() == splits.len() + 1 && values.len() <= MAX_LEAVES);
            let values = values.ok_or_else(|| wrong(number, "not a number for each leaf"))?;
            add(own, &splits, &values);
        }
        Ok(PageKinds { kinds, trees })
    }
}

/// What the trees of a kind say of codes.
fn sum(trees: &Trees, codes: &[u8]) -> f64 {
    let splits = trees.splits.chunks(trees.width - 1);
    let values = splits.zip(&trees.leaves).map(|(splits, leaves)| {
        let mut leaf = 0;
        for (
            new,
            Split {
                question,
                leaf: asked,
            },
        ) in (1..).zip(splits)
        {
            if leaf == usize::from(*asked) && codes[usize::from(question.input)] >= question.threshold {
                leaf = new;
            }
        }
        f64::from(leaves[leaf])
    });
    values.sum()
}

fn question(split: &Split, names: &[String]) -> String {
    let Question { input, threshold } = split.question;
    format!("{}:{}>={threshold}", split.leaf, names[usize::from(input)])
}

/// The question before which so many leaves are there beside the first.
fn split(text: &str, leaves: usize, names: &[String]) -> Option<Split> {
    let (leaf, question) = text.split_once(':')?;
    let (name, threshold) = question.split_once(">=")?;
    let leaf: u8 = leaf.parse().ok()?;
    let question = Question {
        input: names.iter().position(|known| known == name)? as u16,
        threshold: threshold.parse().ok()?,
    };
    (usize::from(leaf) <= leaves && leaves < MAX_LEAVES - 1).then_some(Split { question, leaf })
}

/// Adds a tree.
fn add(trees: &mut Trees, splits: &[Split], values: &[f32]) {
    let end = trees.splits.len() + trees.width - 1;
    trees.splits.extend_from_slice(splits);
    trees.splits.resize(end, Split::NOTHING);
    let mut leaves = [0.0; MAX_LEAVES];
    leaves[..values.len()].copy_from_slice(values);
    trees.leaves.push(leaves);
}

#[cfg(test)]
mod tests {
    use gleaner_columns::Columns;
    use gleaner_features::{Extractor, FeatureConfig};
    use gleaner_page::Parser;

    use super::*;

    fn cues(html: &str) -> PageCues {
        let mut parser = Parser::new(Default::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut extractor = Extractor::new(FeatureConfig::default()).unwrap();
        let mut cues = PageCues::default();
        extractor.extract(page, "http://a.example/", &mut Columns::default());
        extractor.page_cues(page, "http://a.example/", &mut cues);
        cues
    }

    fn table() -> PageKinds {
        PageKinds::from_text(
            "kinds\tarticle\tproduct\narticle\t\t1\nproduct\t0:word.cart>=1 1:word.cart>=2\t0 2.5 3\n",
        )
        .unwrap()
    }

    #[test]
    fn pages_move_on_to_new_leaves_where_their_codes_say_yes() {
        let table = table();
        let (kind, plain) = table.tell(&cues("<p>Nothing to sell")).unwrap();
        assert_eq!((kind, plain), ("article", sigmoid(1.0)));
        let once = table.tell(&cues("<p>Add to cart")).unwrap();
        assert_eq!(once, ("product", sigmoid(1.5)));
        let twice = table.tell(&cues("<p>Add to cart<p>Checkout")).unwrap();
        assert_eq!(twice, ("product", sigmoid(2.0)));
        assert_eq!(table.tell(&PageCues::default()), None);
    }

    #[test]
    fn where_no_kind_is_likely_it_is_another() {
        let table = PageKinds::from_text("kinds\ta\tb\tc\td\na\t\t0.1\n").unwrap();
        assert_eq!(table.tell(&cues("<p>Anything")).unwrap().0, OTHER_KIND);
    }

    fn sigmoid(x: f64) -> f32 {
        (1.0 / (1.0 + (-x).exp())) as f32
    }

    #[test]
    fn tables_are_written_as_they_were_read_and_errors_name_the_line() {
        let table = table();
        assert_eq!(PageKinds::from_text(&table.to_text()).unwrap(), table);
        for (text, line) in [
            ("", "line 1"),
            ("kinds\ta\na\t\tx\n", "line 2"),
            ("kinds\ta\na\t\t1 2\n", "line 2"),
            ("kinds\ta\nb\t\t1\n", "line 2"),
            ("kinds\ta\na\t\t1\na\t0:no.cue>=1\t1 2\n", "line 3"),
            ("kinds\ta\na\t\t1\na\t1:word.cart>=1\t1 2\n", "line 3"),
        ] {
            let error = PageKinds::from_text(text).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
