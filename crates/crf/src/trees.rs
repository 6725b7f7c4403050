//! Symmetric trees over a block's codes, whose values add up.
//!
//! All nodes of a level ask the same question: is a column's code at least so much? The answers are
//! the bits of a leaf's number. So a tree is a few comparisons of bytes, for many blocks at a time,
//! and one look-up a block. (Kohavi 1994 calls them oblivious; Prokhorenkova et al. 2018 boost them.)
//!
//! Beside the columns they see the page's kinds, a code a kind. They find what a sum over columns
//! can't say: which column matters where.

use gleaner_features::Columns;

use crate::content::sigmoid;
use crate::lanes::LANES;
use crate::runs::Runs;
use gleaner_features::widest;

/// How many levels a tree has at most: a leaf's number is a byte.
pub(crate) const MAX_DEPTH: usize = 8;

/// How many trees there are at most.
pub(crate) const MAX_TREES: usize = 10_000;

/// Blocks that are gone through at a time. (Fewer than 64, and the compiler unrolls the loop before it
/// makes it one of vectors: with 32 a tree took eight times as long.)
const LONG: usize = 128;
/// The same near the end of a page.
const SHORT: usize = 64;

/// Trees that are asked together: a score is read and written once for all of them.
const TOGETHER: usize = 4;

/// A value a leaf, then zeros: as many as there are numbers, so that none needs to be checked.
pub(crate) type Leaves = [f32; 1 << MAX_DEPTH];

/// Probabilities of kinds have so many codes.
const KIND_CODES: usize = 30;

/// Is the code of an input at least so much?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// A column; after the last one, a kind.
    pub(crate) input: u16,
    pub(crate) least: u8,
}

/// Trees that add up to log odds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trees {
    /// Levels of each tree, 1 to [`MAX_DEPTH`].
    pub(crate) depth: usize,
    /// How much their sum counts beside the score of the weights, 0 to 1.
    pub(crate) share: f32,
    /// Tree by tree, level by level.
    pub(crate) questions: Vec<Question>,
    /// Tree by tree; bit `k` of a leaf's number is the answer at level `k`.
    pub(crate) leaves: Vec<Leaves>,
}

impl Trees {
    /// Trees of so many levels that say nothing.
    pub(crate) fn zero(count: usize, depth: usize, share: f32) -> Trees {
        Trees {
            depth,
            share,
            questions: vec![Question::default(); count * depth],
            leaves: vec![[0.0; 1 << MAX_DEPTH]; count],
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.leaves.len()
    }

    /// Adds each block's sum over the trees to its score.
    pub(crate) fn add(
        &self,
        (page, runs): (&Columns, &Runs),
        kinds: &[f32; LANES],
        asking: &mut Asking,
        scores: &mut [f32],
    ) {
        asking.begin(page, runs, kinds);
        let page = if page.rows() < LONG {
            pad(page, &mut asking.padded);
            &asking.padded
        } else {
            page
        };
        let inputs = asking.everywhere.as_slice();
        widest(
            #[inline(always)]
            || {
                let tree = |number: usize| {
                    let questions = &self.questions[number * self.depth..][..self.depth];
                    Tree::new(questions, &self.leaves[number], page, inputs)
                };
                let alone = self.count() - self.count() % TOGETHER;
                for first in (0..alone).step_by(TOGETHER) {
                    add::<TOGETHER>(&std::array::from_fn(|next| tree(first + next)), scores);
                }
                (alone..self.count()).for_each(|number| add(&[tree(number)], scores));
            },
        );
    }
}

/// What trees are asked in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    /// A page with rows added, where the loops need more of them.
    padded: Columns,
    /// The codes of the inputs that are the same all over the page, [`VARIES`] for others.
    everywhere: Vec<i16>,
}

/// Less than any code.
const VARIES: i16 = -1;

impl Asking {
    fn begin(&mut self, page: &Columns, runs: &Runs, kinds: &[f32; LANES]) {
        let of_column = |column| match (runs.of(column), page.column(column)) {
            (Some([]), [code, ..]) => i16::from(*code),
            _ => VARIES,
        };
        self.everywhere.clear();
        self.everywhere.extend((0..page.columns()).map(of_column));
        self.everywhere
            .extend(kinds.iter().map(|&kind| i16::from(kind_code(kind))));
    }
}

/// A copy of a page with so many blocks that a stretch can be taken.
fn pad(page: &Columns, padded: &mut Columns) {
    padded.reset(LONG, page.columns());
    for column in 0..page.columns() {
        padded.column_mut(column)[..page.rows()].copy_from_slice(page.column(column));
    }
}

/// A tree about to be asked of a page.
struct Tree<'a> {
    leaves: &'a Leaves,
    page: &'a Columns,
    /// The bits that all blocks have: what is asked about the kinds, and about what is the same all over the
    /// page.
    always: u8,
    /// What is asked about blocks: the column, the least code, the bit.
    asked: [(u16, u8, u8); MAX_DEPTH],
    count: usize,
}

impl<'a> Tree<'a> {
    /// `everywhere` is that of [`Asking`].
    #[inline(always)]
    fn new(questions: &[Question], leaves: &'a Leaves, page: &'a Columns, everywhere: &[i16]) -> Tree<'a> {
        let mut tree = Tree {
            leaves,
            page,
            always: 0,
            asked: [(0, 0, 0); MAX_DEPTH],
            count: 0,
        };
        // (Without branches: which inputs vary is another question on each page.)
        for (level, question) in questions.iter().enumerate() {
            let (bit, least) = (1 << level, question.least);
            let code = everywhere[usize::from(question.input)];
            tree.asked[tree.count % MAX_DEPTH] = (question.input, least, bit);
            tree.count += usize::from(code == VARIES);
            tree.always |= if code >= i16::from(least) { bit } else { 0 };
        }
        tree
    }

    /// The leaves of `N` blocks from the first on.
    #[inline(always)]
    fn numbers<const N: usize>(&self, first: usize) -> [u8; N] {
        let mut numbers = [self.always; N];
        for &(column, least, bit) in &self.asked[..self.count] {
            let codes = self.page.column(usize::from(column)).get(first..);
            if let Some(codes) = codes.and_then(|codes| codes.first_chunk::<N>()) {
                for (number, &code) in numbers.iter_mut().zip(codes) {
                    *number |= if code >= least { bit } else { 0 };
                }
            }
        }
        numbers
    }
}

/// Adds the values of trees, one after the other, stretch by stretch. The last stretch ends where the page
/// does, and so begins before the end of the one before it.
#[inline(always)]
fn add<const T: usize>(trees: &[Tree<'_>; T], scores: &mut [f32]) {
    let (blocks, mut done) = (scores.len(), 0);
    let rows = blocks.max(LONG);
    while done < blocks {
        let scores = &mut scores[done..];
        done = if scores.len() > SHORT {
            add_stretch::<T, LONG>(trees, done.min(rows - LONG), done, scores)
        } else {
            add_stretch::<T, SHORT>(trees, done.min(rows - SHORT), done, scores)
        };
    }
}

/// Asks of `N` blocks from the first on, and adds to the scores of those that are not done. Gives the
/// block after the last.
#[inline(always)]
fn add_stretch<const T: usize, const N: usize>(
    trees: &[Tree<'_>; T],
    first: usize,
    done: usize,
    scores: &mut [f32],
) -> usize {
    let numbers: [[u8; N]; T] = std::array::from_fn(|tree| trees[tree].numbers(first));
    for (block, score) in (done - first..N).zip(scores) {
        for (tree, numbers) in trees.iter().zip(&numbers) {
            *score += tree.leaves[usize::from(numbers[block])];
        }
    }
    first + N
}

/// The code of a kind's probability: how many steps of 0.4 its log odds are above -6.
pub(crate) fn kind_code(probability: f32) -> u8 {
    let limit = |step: usize| sigmoid(0.4 * step as f64 - 6.0) as f32;
    (0..KIND_CODES)
        .take_while(|&step| probability >= limit(step))
        .count() as u8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: one block, one tree, one question after the other.
    fn sum(trees: &Trees, codes: &[u8]) -> f32 {
        let tree = |tree: usize| {
            let questions = &trees.questions[tree * trees.depth..][..trees.depth];
            let answers = questions.iter().enumerate();
            let leaf: usize = answers
                .map(|(level, question)| {
                    usize::from(codes[usize::from(question.input)] >= question.least) << level
                })
                .sum();
            trees.leaves[tree][leaf]
        };
        (0..trees.count()).map(tree).sum()
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_definition(
            depth in 1usize..=MAX_DEPTH,
            questions in prop::collection::vec((0u16..7, 0u8..5), 8 * 3),
            codes in prop::collection::vec(prop::array::uniform4(0u8..5), 0..400),
            kinds in prop::array::uniform3(0f32..1.0),
        ) {
            let mut trees = Trees::zero(3, depth, 0.5);
            for (question, (input, least)) in trees.questions.iter_mut().zip(questions) {
                *question = Question { input, least: if input < 4 { least } else { least * 6 } };
            }
            trees.leaves.as_flattened_mut().iter_mut().enumerate().for_each(|(place, leaf)| *leaf = place as f32);
            let mut page = Columns::default();
            page.reset(codes.len(), 4);
            for (block, codes) in codes.iter().enumerate() {
                codes.iter().enumerate().for_each(|(column, code)| page.column_mut(column)[block] = *code);
            }
            let mut all = [0.0; LANES];
            all[..3].copy_from_slice(&kinds);
            let mut scores = vec![0.0; codes.len()];
            let mut runs = Runs::default();
            runs.read(&page);
            trees.add((&page, &runs), &all, &mut Asking::default(), &mut scores);
            for (found, codes) in scores.iter().zip(&codes) {
                let inputs: Vec<u8> = codes.iter().copied().chain(kinds.map(kind_code)).collect();
                prop_assert_eq!(*found, sum(&trees, &inputs));
            }
        }
    }

    #[test]
    fn kinds_have_the_codes_of_their_log_odds() {
        let codes = [0.0, 0.001, 0.003, 0.5, 0.5001, 0.9, 1.0].map(kind_code);
        assert_eq!(codes, [0, 0, 1, 16, 16, 21, 30]);
    }
}
