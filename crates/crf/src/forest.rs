//! Trees as pages are asked: leaves in whole numbers, many blocks at a time.
//!
//! A leaf is a number of 16 bits, in units of a share of the largest leaf. Sums of whole numbers are the same in
//! whatever order they are added up, so each processor adds them up as it is quickest: see [`wide`].

#[cfg(target_arch = "x86_64")]
mod wide;

use gleaner_features::{Columns, widest};

use crate::lanes::LANES;
use crate::runs::Runs;
use crate::trees::{MAX_DEPTH, Question, Trees, kind_code};

/// Blocks that are gone through at a time. (Fewer than 64, and the compiler unrolls the loop before it
/// makes it one of vectors: with 32 a tree took eight times as long.)
const STRETCH: usize = 64;

/// Trees that are asked together: a sum is read and written once for all of them.
const TOGETHER: usize = 4;

/// Trees that add up to log odds.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    /// How much their sum counts beside the score of the weights, 0 to 1.
    pub(crate) share: f64,
    /// What a sum of values is to be multiplied with.
    pub(crate) unit: f64,
    depth: usize,
    questions: Vec<Question>,
    /// The leaves of each tree, in units.
    values: Vec<Values>,
    #[cfg(target_arch = "x86_64")]
    wide: Vec<wide::Tree>,
}

/// A number a leaf.
type Values = [i16; 1 << MAX_DEPTH];

impl Forest {
    pub(crate) fn new(trees: &Trees) -> Forest {
        let largest = trees
            .leaves
            .as_flattened()
            .iter()
            .fold(0.0, |largest: f32, leaf| largest.max(leaf.abs()));
        let unit = f64::from(largest.max(f32::MIN_POSITIVE)) / f64::from(i16::MAX);
        let value = |leaf: f32| (f64::from(leaf) / unit).round() as i16;
        let values: Vec<Values> = trees.leaves.iter().map(|leaves| leaves.map(value)).collect();
        Forest {
            share: f64::from(trees.share),
            unit,
            depth: trees.depth,
            #[cfg(target_arch = "x86_64")]
            wide: (trees.questions.chunks_exact(trees.depth).zip(&values))
                .map(|(questions, values)| wide::Tree::new(questions, values))
                .collect(),
            questions: trees.questions.clone(),
            values,
        }
    }

    /// Each block's sum over the trees, in [`units`](Forest::unit).
    pub(crate) fn ask<'a>(
        &self,
        (page, runs): (&Columns, &Runs),
        kinds: &[f32; LANES],
        asking: &'a mut Asking,
    ) -> &'a [i32] {
        asking.sums.clear();
        asking.sums.resize(page.rows(), 0);
        #[cfg(target_arch = "x86_64")]
        if wide::add(&self.wide, page, kinds, asking) {
            return &asking.sums;
        }
        self.add_anywhere((page, runs), kinds, asking);
        &asking.sums
    }

    /// Adds the sums over all trees on any processor.
    fn add_anywhere(&self, (page, runs): (&Columns, &Runs), kinds: &[f32; LANES], asking: &mut Asking) {
        asking.begin(page, runs, kinds);
        if page.rows() >= STRETCH {
            self.add(page, asking);
        } else if page.rows() > 0 {
            let mut padded = std::mem::take(&mut asking.padded);
            pad(page, &mut padded);
            self.add(&padded, asking);
            asking.padded = padded;
        }
    }

    /// The same on a page of at least a stretch.
    fn add(&self, page: &Columns, asking: &mut Asking) {
        let Asking { everywhere, sums, .. } = asking;
        widest(
            #[inline(always)]
            || {
                let together = self.values.len() - self.values.len() % TOGETHER;
                for first in (0..together).step_by(TOGETHER) {
                    let trees: [_; TOGETHER] =
                        std::array::from_fn(|next| self.tree(first + next, page, everywhere));
                    add(&trees, sums);
                }
                for number in together..self.values.len() {
                    add(&[self.tree(number, page, everywhere)], sums);
                }
            },
        );
    }

    /// A tree about to be asked of a page.
    #[inline(always)]
    fn tree<'a>(&'a self, number: usize, page: &'a Columns, everywhere: &[i16]) -> Tree<'a> {
        let questions = &self.questions[number * self.depth..][..self.depth];
        Tree::new(questions, &self.values[number], page, everywhere)
    }
}

/// What trees are asked in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    /// A page with rows added, where the loops need more of them.
    padded: Columns,
    /// The codes of the inputs that are the same all over the page, [`VARIES`] for others.
    everywhere: Vec<i16>,
    sums: Vec<i32>,
    #[cfg(target_arch = "x86_64")]
    codes: Vec<wide::Codes>,
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
    padded.reset(STRETCH, page.columns());
    for column in 0..page.columns() {
        padded.column_mut(column)[..page.rows()].copy_from_slice(page.column(column));
    }
}

/// The first blocks of the stretches of a page. The last stretch ends where the page does, and so begins before
/// the end of the one before it.
fn stretches(rows: usize) -> impl Iterator<Item = usize> {
    (0..rows)
        .step_by(STRETCH)
        .map(move |first| first.min(rows - STRETCH))
}

/// A tree about to be asked of a page.
struct Tree<'a> {
    values: &'a Values,
    /// All codes of the page.
    codes: &'a [u8],
    /// The bits that all blocks have: what is asked about the kinds, and about what is the same all over the
    /// page.
    always: u8,
    /// What is asked about blocks: where the codes of the column begin, the least one, the bit.
    asked: [(usize, u8, u8); MAX_DEPTH],
    count: usize,
}

impl<'a> Tree<'a> {
    /// `everywhere` is that of [`Asking`].
    #[inline(always)]
    fn new(questions: &[Question], values: &'a Values, page: &'a Columns, everywhere: &[i16]) -> Tree<'a> {
        let mut tree = Tree {
            values,
            codes: page.codes(),
            always: 0,
            asked: [(0, 0, 0); MAX_DEPTH],
            count: 0,
        };
        // Without branches, for nothing foretells where they would go: each question is noted, and stays where it
        // is asked about blocks.
        for (level, question) in questions.iter().enumerate() {
            let (input, bit, least) = (usize::from(question.input), 1 << level, question.least);
            let code = everywhere[input];
            tree.always |= if code >= i16::from(least) { bit } else { 0 };
            tree.asked[tree.count] = (input * page.rows(), least, bit);
            tree.count += usize::from(code == VARIES);
        }
        tree
    }

    /// The questions that are asked about a stretch: the codes of its blocks, the least one, the bit.
    #[inline(always)]
    fn asked(&self, first: usize) -> impl Iterator<Item = (&'a [u8; STRETCH], u8, u8)> {
        self.asked[..self.count]
            .iter()
            .filter_map(move |&(column, least, bit)| {
                let codes = self.codes.get(column + first..)?.first_chunk()?;
                Some((codes, least, bit))
            })
    }

    /// The leaves of the blocks of a stretch.
    #[inline(always)]
    fn numbers(&self, first: usize) -> [u8; STRETCH] {
        let mut numbers = [self.always; STRETCH];
        for (codes, least, bit) in self.asked(first) {
            for (number, &code) in numbers.iter_mut().zip(codes) {
                *number |= if code >= least { bit } else { 0 };
            }
        }
        numbers
    }
}

/// Adds the values of trees to the sums of a page's blocks.
#[inline(always)]
fn add<const T: usize>(trees: &[Tree<'_>; T], sums: &mut [i32]) {
    let mut done = 0;
    for first in stretches(sums.len().max(STRETCH)) {
        let numbers: [[u8; STRETCH]; T] = std::array::from_fn(|tree| trees[tree].numbers(first));
        for (block, sum) in (done - first..STRETCH).zip(&mut sums[done..]) {
            for (tree, numbers) in trees.iter().zip(&numbers) {
                *sum += i32::from(tree.values[usize::from(numbers[block])]);
            }
        }
        done = first + STRETCH;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition: one block, one tree, one question after the other.
    fn sum(trees: &Trees, codes: &[u8]) -> i32 {
        let tree = |tree: usize| {
            let questions = &trees.questions[tree * trees.depth..][..trees.depth];
            let answers = questions.iter().enumerate();
            let leaf: usize = answers
                .map(|(level, question)| {
                    usize::from(codes[usize::from(question.input)] >= question.least) << level
                })
                .sum();
            trees.leaves[tree][leaf] as i32
        };
        (0..trees.count()).map(tree).sum()
    }

    /// Trees over four columns and three kinds, whose leaves are whole numbers; the largest of them is the largest
    /// that there can be.
    fn trees() -> impl Strategy<Value = Trees> {
        // More trees than their bytes can be counted at once.
        let count = prop::sample::select(vec![1usize, 3, 4, 255, 256, 257, 523]);
        (1usize..=MAX_DEPTH, count, any::<u64>()).prop_map(|(depth, count, seed)| {
            let mut trees = Trees::zero(count, depth, 0.5);
            let mut state = seed;
            let mut below = |limit: u64| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % limit
            };
            for question in &mut trees.questions {
                let (input, least) = (below(7) as u16, below(5) as u8);
                *question = Question {
                    input,
                    least: if input < 4 { least } else { least * 6 },
                };
            }
            for leaves in &mut trees.leaves {
                leaves[..1 << depth].fill_with(|| below(65_535) as f32 - 32_767.0);
            }
            trees.leaves[0][0] = 32_767.0;
            trees
        })
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_definition(
            trees in trees(),
            codes in prop::collection::vec(prop::array::uniform4(0u8..5), 0..400),
            same in prop::array::uniform4(any::<bool>()),
            kinds in prop::array::uniform3(0f32..1.0),
        ) {
            let mut page = Columns::default();
            page.reset(codes.len(), 4);
            for (block, codes) in codes.iter().enumerate() {
                for (column, code) in codes.iter().enumerate() {
                    page.column_mut(column)[block] = if same[column] { 3 } else { *code };
                }
            }
            let mut all = [0.0; LANES];
            all[..3].copy_from_slice(&kinds);
            let mut runs = Runs::default();
            runs.read(&page);
            let forest = Forest::new(&trees);
            prop_assert_eq!(forest.unit, 1.0);
            let mut asking = Asking::default();
            let found = forest.ask((&page, &runs), &all, &mut asking).to_vec();
            prop_assert_eq!(found.len(), codes.len());
            for (block, &found) in found.iter().enumerate() {
                let codes = (0..4).map(|column| page.column(column)[block]);
                let inputs: Vec<u8> = codes.chain(kinds.map(kind_code)).collect();
                prop_assert_eq!(found, sum(&trees, &inputs));
            }
            // As a processor does that has nothing of its own for it.
            asking.sums.fill(0);
            forest.add_anywhere((&page, &runs), &all, &mut asking);
            prop_assert_eq!(asking.sums, found);
        }

        #[test]
        fn leaves_are_rounded_to_the_nearest_unit(leaves in prop::collection::vec(-3f32..3.0, 1..=8)) {
            let mut trees = Trees::zero(1, 3, 0.5);
            trees.leaves[0][..leaves.len()].copy_from_slice(&leaves);
            let forest = Forest::new(&trees);
            for (&leaf, &value) in leaves.iter().zip(&forest.values[0]) {
                prop_assert!((f64::from(leaf) - f64::from(value) * forest.unit).abs() <= 0.5001 * forest.unit);
            }
        }
    }
}
