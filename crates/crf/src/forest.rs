//! Trees as pages are asked: leaves in whole numbers, many blocks at a time.
//!
//! A leaf is a number of 16 bits, in units of a share of the largest leaf. Sums of whole numbers are the same in
//! whatever order they are added up, so each processor adds them up as it is quickest: see [`wide`].

#[cfg(target_arch = "x86_64")]
mod wide;

use gleaner_features::{Columns, widest};

use crate::lanes::LANES;
use crate::trees::{MAX_LEAVES, Split, Trees, kind_code};

/// Blocks that are gone through at a time: as many as the widest vectors have bytes.
const STRETCH: usize = 64;

/// Stretches that a tree is asked about at a time: its splits and leaves are read once for all of them.
const TOGETHER: usize = 2;

/// Trees that add up to log odds.
#[derive(Clone, Debug)]
pub(crate) struct Forest {
    /// How much their sum counts beside the score of the weights, 0 to 1.
    pub(crate) share: f64,
    /// What a sum of values is to be multiplied with.
    pub(crate) unit: f64,
    trees: Vec<Tree>,
    #[cfg(target_arch = "x86_64")]
    wide: Vec<wide::Tree>,
}

/// A tree as blocks are asked on any processor.
#[derive(Clone, Debug)]
struct Tree {
    splits: Vec<Split>,
    values: Values,
}

/// A number a leaf, in units.
type Values = [i16; MAX_LEAVES];

impl Forest {
    pub(crate) fn new(trees: &Trees) -> Forest {
        let largest = trees
            .leaves
            .as_flattened()
            .iter()
            .fold(0.0, |largest: f32, leaf| largest.max(leaf.abs()));
        let unit = f64::from(largest.max(f32::MIN_POSITIVE)) / f64::from(i16::MAX);
        let value = |leaf: f32| (f64::from(leaf) / unit).round() as i16;
        let each = trees.splits.chunks_exact(trees.width - 1).zip(&trees.leaves);
        let share = trees.share;
        let trees: Vec<Tree> = each
            .map(|(splits, leaves)| Tree {
                splits: splits.to_vec(),
                values: leaves.map(value),
            })
            .collect();
        Forest {
            share: f64::from(share),
            unit,
            #[cfg(target_arch = "x86_64")]
            wide: trees
                .iter()
                .map(|tree| wide::Tree::new(&tree.splits, &tree.values))
                .collect(),
            trees,
        }
    }

    /// Each block's sum over the trees, in [`units`](Forest::unit).
    pub(crate) fn ask<'a>(&self, page: &Columns, kinds: &[f32; LANES], asking: &'a mut Asking) -> &'a [i32] {
        let Asking { codes, sums } = asking;
        sums.clear();
        sums.resize(page.rows(), 0);
        codes.clear();
        codes.resize(page.columns(), Codes::all(0));
        codes.extend(kinds.map(|kind| Codes::all(kind_code(kind))));
        for (part, sums) in sums.chunks_mut(TOGETHER * STRETCH).enumerate() {
            copy(page, part * TOGETHER * STRETCH, codes);
            #[cfg(target_arch = "x86_64")]
            if wide::add(&self.wide, codes, sums) {
                continue;
            }
            self.add_anywhere(codes, sums);
        }
        sums
    }

    /// Adds the sums over the trees of some stretches' blocks on any processor.
    fn add_anywhere(&self, codes: &[Codes], sums: &mut [i32]) {
        widest(
            #[inline(always)]
            || {
                for tree in &self.trees {
                    for (stretch, sums) in sums.chunks_mut(STRETCH).enumerate() {
                        for (sum, number) in sums.iter_mut().zip(tree.numbers(codes, stretch)) {
                            *sum += i32::from(tree.values[usize::from(number) % MAX_LEAVES]);
                        }
                    }
                }
            },
        );
    }
}

impl Tree {
    /// The numbers of the leaves of the blocks of a stretch.
    #[inline(always)]
    fn numbers(&self, codes: &[Codes], stretch: usize) -> [u8; STRETCH] {
        let mut numbers = [0; STRETCH];
        for (new, &Split { question, leaf }) in (1..).zip(&self.splits) {
            let codes = &codes[usize::from(question.input)].0[stretch];
            for (number, &code) in numbers.iter_mut().zip(codes) {
                let moves = (code >= question.least) & (*number == leaf);
                *number = if moves { new } else { *number };
            }
        }
        numbers
    }
}

/// The codes of an input for so many blocks.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Codes([[u8; STRETCH]; TOGETHER]);

impl Codes {
    fn all(code: u8) -> Codes {
        Codes([[code; STRETCH]; TOGETHER])
    }
}

/// What trees are asked in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asking {
    /// The columns, then the kinds.
    codes: Vec<Codes>,
    sums: Vec<i32>,
}

/// Copies the codes of the blocks from `first` on. What is said of blocks behind the last means nothing.
fn copy(page: &Columns, first: usize, codes: &mut [Codes]) {
    let columns = page.codes().chunks_exact(page.rows());
    for (column, copies) in columns.zip(codes) {
        for (stretch, copy) in copies.0.iter_mut().enumerate() {
            let column = column.get(first + stretch * STRETCH..).unwrap_or_default();
            match column.first_chunk() {
                Some(whole) => *copy = *whole,
                None => copy[..column.len()].copy_from_slice(column),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trees::Question;

    /// The definition: one block, one tree, one split after the other.
    fn sum(trees: &Trees, codes: &[u8]) -> i32 {
        let tree = |tree: usize| {
            let splits = &trees.splits[tree * (trees.width - 1)..][..trees.width - 1];
            let mut leaf = 0;
            for (place, split) in splits.iter().enumerate() {
                let code = codes[usize::from(split.question.input)];
                if usize::from(split.leaf) == leaf && code >= split.question.least {
                    leaf = place + 1;
                }
            }
            trees.leaves[tree][leaf] as i32
        };
        (0..trees.count()).map(tree).sum()
    }

    /// Trees over four columns and three kinds, whose leaves are whole numbers; the largest of them is the largest
    /// that there can be.
    fn trees() -> impl Strategy<Value = Trees> {
        // More trees than their bytes can be counted at once.
        let count = prop::sample::select(vec![1usize, 3, 4, 255, 256, 257, 523]);
        (2usize..=MAX_LEAVES, count, any::<u64>()).prop_map(|(width, count, seed)| {
            let mut trees = Trees::zero(count, width, 0.5);
            let mut state = seed;
            let mut below = |limit: u64| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % limit
            };
            for (place, split) in trees.splits.iter_mut().enumerate() {
                let (input, least) = (below(7) as u16, below(5) as u8);
                let least = if input < 4 { least } else { least * 6 };
                let leaf = below((place % (width - 1)) as u64 + 1) as u8;
                // Some trees have fewer leaves than others.
                if below(20) > 0 {
                    let question = Question { input, least };
                    *split = Split { question, leaf };
                }
            }
            for leaves in &mut trees.leaves {
                leaves[..width].fill_with(|| below(65_535) as f32 - 32_767.0);
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
            kinds in prop::array::uniform3(0f32..1.0),
        ) {
            let mut page = Columns::default();
            page.reset(codes.len(), 4);
            for (block, codes) in codes.iter().enumerate() {
                for (column, code) in codes.iter().enumerate() {
                    page.column_mut(column)[block] = *code;
                }
            }
            let mut all = [0.0; LANES];
            all[..3].copy_from_slice(&kinds);
            let forest = Forest::new(&trees);
            prop_assert_eq!(forest.unit, 1.0);
            let mut asking = Asking::default();
            let found = forest.ask(&page, &all, &mut asking).to_vec();
            prop_assert_eq!(found.len(), codes.len());
            for (codes, &found) in codes.iter().zip(&found) {
                let inputs = [codes.as_slice(), &kinds.map(kind_code)].concat();
                prop_assert_eq!(found, sum(&trees, &inputs));
            }
            // As a processor does that has nothing of its own for it.
            let parts = found.chunks(TOGETHER * STRETCH);
            for (part, found) in parts.enumerate() {
                copy(&page, part * TOGETHER * STRETCH, &mut asking.codes);
                let mut sums = vec![0; found.len()];
                forest.add_anywhere(&asking.codes, &mut sums);
                prop_assert_eq!(sums, found);
            }
        }

        #[test]
        fn leaves_are_rounded_to_the_nearest_unit(leaves in prop::collection::vec(-3f32..3.0, 2..=8)) {
            let mut trees = Trees::zero(1, 8, 0.5);
            trees.leaves[0][..leaves.len()].copy_from_slice(&leaves);
            let forest = Forest::new(&trees);
            for (&leaf, &value) in leaves.iter().zip(&forest.trees[0].values) {
                prop_assert!((f64::from(leaf) - f64::from(value) * forest.unit).abs() <= 0.5001 * forest.unit);
            }
        }
    }
}
