//! The kind of a page as a reader would call it, predicted from cues of the whole page.
//!
//! In: [`PageCues`]. Out: a kind and its probability. Each kind has boosted trees, which ask whether the code of a cue is at
//! least a threshold, and weights of softmax regression on what the codes reach: a page whose code of a cue is 3 has the weights
//! of 1, 2 and 3. Trees find what goes together, weights are surer where a page is like none that was learned from. The
//! softmax of their sums are the probabilities. Both are a text, which people can read: see [`PageKinds::to_text`].

use std::fmt::Write;

use gleaner_crf::LANES;
use gleaner_features::{MOST_CUE, PageCues};
use gleaner_gbdt::{Leaves, MAX_LEAVES, Question, Split, Trees};
use rustc_hash::FxHashMap;

use crate::Error;
use crate::content::{MAX_KINDS, softmax};

/// Weights per cue and kind: one for each code from 1 on.
pub(crate) const STEPS: usize = MOST_CUE as usize;

/// What a page is of that no kind is likely for.
pub const OTHER_KIND: &str = "other";
/// Minimum probability of a likely kind.
const LIKELY: f32 = 1.0 / 3.0;
/// Weights and values of leaves are written as fractions with this denominator.
const PRECISION: f32 = 1e4;
/// What stands in place of a kind in the rows of weights.
const WEIGHTS: &str = "weights";

/// The weights of all kinds, then zeros.
type Row = [f32; LANES];

/// The model of the kinds of pages.
#[derive(Clone, Debug, PartialEq)]
pub struct PageKinds {
    kinds: Vec<String>,
    bias: Row,
    /// Cue by cue, [`STEPS`] rows.
    weights: Vec<Row>,
    /// Those of each kind.
    trees: Vec<Vec<Tree>>,
}

/// A tree over cues, with as many splits as it needs: most are small.
#[derive(Clone, Debug, PartialEq)]
struct Tree {
    splits: Box<[Split]>,
    /// Where pages begin, and split by split where those go that say no and yes: the number of a split, or behind all splits that
    /// of a leaf.
    root: u8,
    next: Box<[[u8; 2]]>,
    /// What its leaves add: one more than there are splits.
    leaves: Box<[f32]>,
}

impl PageKinds {
    /// From the weights of the cues, cue by cue and step by step, and last the bias: of each a number for each kind; and the
    /// trees of each kind. The scores are a mean of both, in which the trees have their share.
    pub(crate) fn new(kinds: &[String], weights: &[f64], trees: &[Trees]) -> PageKinds {
        let share = 1.0 - trees.first().map_or(0.0, |trees| trees.share);
        let weights = weights.iter().map(|&weight| rounded(weight as f32 * share));
        let weights: Vec<f32> = weights.collect();
        let mut rows: Vec<Row> = weights.chunks(kinds.len()).map(row).collect();
        PageKinds {
            kinds: kinds.to_vec(),
            bias: rows.pop().unwrap_or_default(),
            weights: rows,
            trees: trees.iter().map(Tree::all).collect(),
        }
    }

    /// The names of the kinds.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// The probability of each kind of a page by its cues, then zeros. Nothing without cues.
    pub fn shares(&self, cues: &PageCues) -> Option<[f32; MAX_KINDS]> {
        (!cues.codes().is_empty()).then(|| self.shares_of(cues.codes()))
    }

    pub(crate) fn shares_of(&self, codes: &[u8]) -> [f32; MAX_KINDS] {
        let mut scores = self.bias.map(f64::from);
        for (rows, &code) in self.weights.chunks(STEPS).zip(codes) {
            for row in &rows[..usize::from(code)] {
                for (score, &weight) in scores.iter_mut().zip(row) {
                    *score += f64::from(weight);
                }
            }
        }
        for (score, trees) in scores.iter_mut().zip(&self.trees) {
            let sum: f64 = trees.iter().map(|tree| f64::from(tree.value(codes))).sum();
            *score += sum;
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

    /// A table, columns apart by tabs. Its first row has the names of the kinds. Rows of `weights` have a cue, with the code from
    /// which it counts, and a number for each kind; the first is the bias, and rows of zeros are left out. The other rows have a
    /// kind, the questions of a tree of its, and what the tree's leaves add. `2:word.cart>=3` asks the pages of leaf 2 (leaf 0 has all at first) whether the code of `word.cart` is at least 3; those
    /// that say yes move on to the next new leaf.
    pub fn to_text(&self) -> String {
        let names = PageCues::names();
        let mut text = format!("kinds\t{}\n", self.kinds.join("\t"));
        self.write_weights(&mut text, "", &self.bias);
        for (name, rows) in names.iter().zip(self.weights.chunks(STEPS)) {
            for (step, row) in (1..)
                .zip(rows)
                .filter(|(_, row)| row.iter().any(|&weight| weight != 0.0))
            {
                self.write_weights(&mut text, &format!("{name}>={step}"), row);
            }
        }
        for (kind, trees) in self.kinds.iter().zip(&self.trees) {
            for tree in trees {
                let questions: Vec<String> =
                    tree.splits.iter().map(|split| question(split, &names)).collect();
                let leaves: Vec<String> = tree.leaves.iter().map(f32::to_string).collect();
                writeln!(text, "{kind}\t{}\t{}", questions.join(" "), leaves.join(" "))
                    .expect("texts can be written to");
            }
        }
        text
    }

    fn write_weights(&self, text: &mut String, cue: &str, row: &Row) {
        let weights: Vec<String> = row[..self.kinds.len()].iter().map(f32::to_string).collect();
        writeln!(text, "{WEIGHTS}\t{cue}\t{}", weights.join(" ")).expect("texts can be written to");
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
        let names: CueNumbers = names.iter().map(String::as_str).zip(0..).collect();
        let mut found = PageKinds {
            trees: vec![Vec::new(); kinds.len()],
            kinds,
            bias: Row::default(),
            weights: vec![Row::default(); names.len() * STEPS],
        };
        for (number, line) in lines {
            let fields: Vec<&str> = line.split('\t').collect();
            let [kind, questions, leaves] = fields[..] else {
                return Err(wrong(number, "not a kind, questions and leaves"));
            };
            let values = numbers(leaves).ok_or_else(|| wrong(number, "not numbers"))?;
            if kind == WEIGHTS {
                let is_whole = values.len() == found.kinds.len();
                let place = found.place(questions, &names).filter(|_| is_whole);
                let unknown =
                    "no cue that this program knows, or not a number for each kind: train the kinds again";
                *place.ok_or_else(|| wrong(number, unknown))? = row(&values);
                continue;
            }
            let kind = found.kinds.iter().position(|known| known == kind);
            let kind = kind.ok_or_else(|| wrong(number, "a kind that the first line does not name"))?;
            let splits = questions.split_ascii_whitespace().enumerate();
            let splits: Option<Box<[Split]>> = splits.map(|(at, text)| split(text, at, &names)).collect();
            let unknown = "no question about a cue that this program knows: train the kinds again";
            let splits = splits.ok_or_else(|| wrong(number, unknown))?;
            if values.len() != splits.len() + 1 {
                return Err(wrong(number, "not a number for each leaf"));
            }
            found.trees[kind].push(Tree::new(splits, values.into()));
        }
        Ok(found)
    }

    /// Where the weights of a cue from a code on are: `word.cart>=2`, or nothing for the bias.
    fn place(&mut self, cue: &str, names: &CueNumbers) -> Option<&mut Row> {
        if cue.is_empty() {
            return Some(&mut self.bias);
        }
        let (name, code) = cue.split_once(">=")?;
        let cue = usize::from(*names.get(name)?);
        let code: usize = code.parse().ok().filter(|code| (1..=STEPS).contains(code))?;
        self.weights.get_mut(cue * STEPS + code - 1)
    }
}

/// The number of each cue, by its name.
type CueNumbers<'a> = FxHashMap<&'a str, u16>;

fn rounded(number: f32) -> f32 {
    (number * PRECISION).round() / PRECISION
}

fn row(numbers: &[f32]) -> Row {
    std::array::from_fn(|kind| numbers.get(kind).copied().unwrap_or_default())
}

fn numbers(text: &str) -> Option<Vec<f32>> {
    let numbers = text.split(' ').map(|number| number.parse().ok());
    numbers
        .map(|number| number.filter(|number: &f32| number.is_finite()))
        .collect()
}

impl Tree {
    /// The trees of a kind, whose inputs are cues.
    fn all(trees: &Trees) -> Vec<Tree> {
        let splits = trees.splits.chunks(trees.width - 1);
        let of = |(splits, leaves): (&[Split], &Leaves)| {
            let asked = splits.iter().filter(|split| split.question != Question::NOTHING);
            let splits: Box<[Split]> = asked.copied().collect();
            let leaves = leaves[..=splits.len()].iter();
            let leaves = leaves.map(|&leaf| rounded(leaf * trees.share)).collect();
            Tree::new(splits, leaves)
        };
        splits.zip(&trees.leaves).map(of).collect()
    }

    fn new(splits: Box<[Split]>, leaves: Box<[f32]>) -> Tree {
        let count = splits.len();
        let mut next = vec![[0; 2]; count];
        // Leaf by leaf, where its pages go that are asked no more before a split.
        let mut ahead: Vec<u8> = (0..=count).map(|leaf| (count + leaf) as u8).collect();
        for (own, split) in splits.iter().enumerate().rev() {
            let no = std::mem::replace(&mut ahead[usize::from(split.leaf)], own as u8);
            next[own] = [no, ahead[own + 1]];
        }
        Tree {
            splits,
            root: ahead[0],
            next: next.into(),
            leaves,
        }
    }

    /// What it adds to the score of a page with these codes.
    fn value(&self, codes: &[u8]) -> f32 {
        let mut at = usize::from(self.root);
        while let (Some(Split { question, .. }), Some(next)) = (self.splits.get(at), self.next.get(at)) {
            let is_yes = codes[usize::from(question.input)] >= question.threshold;
            at = usize::from(next[usize::from(is_yes)]);
        }
        self.leaves[at - self.splits.len()]
    }
}

fn question(split: &Split, names: &[String]) -> String {
    let Question { input, threshold } = split.question;
    format!("{}:{}>={threshold}", split.leaf, names[usize::from(input)])
}

/// Parses the question of a split; the tree has `leaves` leaves before it, not counting the first.
fn split(text: &str, leaves: usize, names: &CueNumbers) -> Option<Split> {
    let (leaf, question) = text.split_once(':')?;
    let (name, threshold) = question.rsplit_once('>')?;
    let threshold = threshold.strip_prefix('=')?;
    let leaf: u8 = leaf.parse().ok()?;
    let question = Question {
        input: *names.get(name)?,
        threshold: threshold.parse().ok()?,
    };
    (usize::from(leaf) <= leaves && leaves < MAX_LEAVES - 1).then_some(Split { question, leaf })
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
            "kinds\tarticle\tproduct\nweights\t\t1 0\nweights\tword.cart>=2\t0 0.5\narticle\t\t0.5\n\
             product\t0:word.cart>=1 1:word.cart>=2\t0 3 4\n",
        )
        .unwrap()
    }

    #[test]
    fn weights_count_from_their_codes_on_and_trees_beside_them() {
        let table = table();
        let predicted = |html: &str| table.likeliest(&table.shares(&cues(html)).unwrap());
        for (html, kind, ahead) in [
            ("<p>Nothing to sell", "article", 1.5),
            ("<p>Add to cart", "product", 1.5),
            ("<p>Add to cart<p>Checkout", "product", 3.0),
        ] {
            let (found, share) = predicted(html);
            assert_eq!(found, kind, "{html}");
            assert!((share - sigmoid(ahead)).abs() < 1e-6, "{html}: {share}");
        }
        assert_eq!(table.shares(&PageCues::default()), None);
    }

    #[test]
    fn where_no_kind_is_likely_it_is_another() {
        let table = PageKinds::from_text("kinds\ta\tb\tc\td\nweights\t\t0.1 0 0 0\n").unwrap();
        let shares = table.shares(&cues("<p>Anything")).unwrap();
        assert_eq!(table.likeliest(&shares).0, OTHER_KIND);
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
            ("kinds\ta\nweights\tno.cue>=1\t1\n", "line 2"),
            ("kinds\ta\nweights\tword.cart>=9\t1\n", "line 2"),
            ("kinds\ta\nweights\t\t1 2\n", "line 2"),
            ("kinds\ta\na\t\t1\na\t0:no.cue>=1\t1 2\n", "line 3"),
            ("kinds\ta\na\t\t1\na\t1:word.cart>=1\t1 2\n", "line 3"),
        ] {
            let error = PageKinds::from_text(text).unwrap_err().to_string();
            assert!(error.contains(line), "{error}");
        }
    }
}
