//! Trees as pages are asked: leaves in whole numbers, only the splits that part a page's blocks.
//!
//! Most splits ask what all blocks of a page answer alike, of the page's kind or of elements that it does not have. So
//! the trees are [`pruned`] first for the blocks that are asked together, a page or a part of it, and what is left of
//! the built-in model's is a fifth.
//!
//! Questions that part the blocks are answered once, as a bit a block, and who is in a leaf of a tree is a bit a block,
//! too: a split is an "and" and an "and not" of as many blocks as a vector has bits (as QuickScorer's bits, Lucchese and
//! others 2015, but with a bit a block where it has one a leaf). Nothing is looked up block by block. Where a processor
//! has vectors that look up bytes, numbers of leaves take the bits' place: see [`wide`].
//!
//! What a leaf has beyond the least one of its tree is a whole number of eight bits, in units of a share of the widest
//! tree. Sums of whole numbers are the same in whatever order they are added up.

mod pruned;
mod sliced;
#[cfg(target_arch = "x86_64")]
mod wide;

use gleaner_columns::{Columns, Runs, widest};

use crate::trees::{MAX_LEAVES, Trees};
use pruned::{Asked, Input, Pruned, Range, Whole};
use sliced::SlicedSums;

/// Blocks per word of bits.
const WORD: usize = u64::BITS as usize;

/// Maximum words that are processed together: as many as a line of the cache and the widest vectors have.
const WORDS: usize = 8;

/// Maximum blocks that trees are pruned for at once.
const PART: usize = 2 * WORDS * WORD;

/// A bit a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(align(64))]
struct Bits([u64; WORDS]);

impl Bits {
    fn all(bit: bool) -> Bits {
        Bits([if bit { u64::MAX } else { 0 }; WORDS])
    }
}

/// What each leaf of a tree has beyond the least one.
pub(crate) type Numbers = [u8; MAX_LEAVES];

/// Trees that add up to log odds.
#[derive(Clone, Debug)]
pub struct Forest {
    /// How much their sum counts beside the score of the weights, 0 to 1.
    share: f64,
    /// The sum of the trees' least values, as log odds.
    least: f64,
    /// What a sum of what leaves have beyond those is to be multiplied with.
    unit: f64,
    trees: Whole,
    /// Whether the processor can do what [`wide`] does.
    is_wide: bool,
}

/// The values of leaves, as they are added.
pub(crate) struct Quantised {
    /// The sum of the trees' least values, as log odds.
    pub(crate) least: f64,
    /// What a number stands for.
    pub(crate) unit: f64,
    /// Tree by tree.
    pub(crate) numbers: Vec<Numbers>,
}

impl Quantised {
    pub(crate) fn of(trees: &Trees) -> Quantised {
        let leaves = || trees.leaves.iter().map(|leaves| &leaves[..trees.width]);
        let lowest = |leaves: &[f32]| leaves.iter().copied().fold(f32::INFINITY, f32::min);
        let widest = leaves()
            .map(|leaves| leaves.iter().copied().fold(f32::NEG_INFINITY, f32::max) - lowest(leaves))
            .fold(f32::MIN_POSITIVE, f32::max);
        let unit = f64::from(widest) / f64::from(u8::MAX);
        let numbers = |leaves: &[f32]| {
            let (mut numbers, lowest) = ([0; MAX_LEAVES], lowest(leaves));
            for (number, &leaf) in numbers.iter_mut().zip(leaves) {
                *number = (f64::from(leaf - lowest) / unit).round() as u8;
            }
            numbers
        };
        Quantised {
            least: leaves().map(lowest).map(f64::from).sum(),
            unit,
            numbers: leaves().map(numbers).collect(),
        }
    }
}

impl Forest {
    /// Lays trees out for evaluation.
    pub fn new(trees: &Trees) -> Forest {
        let Quantised { least, unit, numbers } = Quantised::of(trees);
        let each = trees.splits.chunks_exact(trees.width - 1).zip(numbers);
        Forest {
            share: f64::from(trees.share),
            least,
            unit,
            #[cfg(target_arch = "x86_64")]
            is_wide: wide::is_able(),
            #[cfg(not(target_arch = "x86_64"))]
            is_wide: false,
            trees: Whole::new(each),
        }
    }

    /// A score of the weights and a sum over the trees, in a mean by the trees' share.
    #[inline(always)]
    pub fn join(&self, score: f32, sum: i32) -> f32 {
        let (least, unit) = (self.share * self.least, self.share * self.unit);
        (least + unit * f64::from(sum) + (1.0 - self.share) * f64::from(score)) as f32
    }

    /// Each block's sum over the trees, for [`join`](Forest::join). `shared` are the codes that all blocks of the page
    /// share: the inputs after the columns.
    pub fn ask<'a>(&self, page: &Columns, runs: &Runs, shared: &[u8], scratch: &'a mut Scratch) -> &'a [i32] {
        self.ask_by(page, runs, shared, scratch, self.is_wide)
    }

    fn ask_by<'a>(
        &self,
        page: &Columns,
        runs: &Runs,
        shared: &[u8],
        scratch: &'a mut Scratch,
        is_wide: bool,
    ) -> &'a [i32] {
        let mut sums = std::mem::take(&mut scratch.sums);
        sums.clear();
        sums.resize(page.rows(), 0);
        for (part, sums) in sums.chunks_mut(PART).enumerate() {
            let first = part * PART;
            let inputs = self.trees.inputs.iter().map(|input| input.number);
            let ranges = inputs.map(|input| match input.checked_sub(page.columns()) {
                Some(place) => [shared[place]; 2],
                None if runs.places(input) == Some(&[]) => [page.column(input)[0]; 2],
                None => range(&page.column(input)[first..][..sums.len()]),
            });
            scratch.ranges.clear();
            scratch.ranges.extend(ranges);
            scratch.pruned.prune(&self.trees, &scratch.ranges);
            sums.fill(scratch.pruned.sum);
            match is_wide {
                #[cfg(target_arch = "x86_64")]
                true => wide::add(
                    &self.trees,
                    &mut scratch.pruned,
                    page,
                    first,
                    &scratch.ranges,
                    &mut scratch.codes,
                    sums,
                ),
                _ => self.add_anywhere(page, first, scratch, sums),
            }
        }
        scratch.sums = sums;
        &scratch.sums
    }

    /// Adds the numbers of the leaves that each block of a part comes to, on any processor.
    fn add_anywhere(&self, page: &Columns, first: usize, scratch: &mut Scratch, sums: &mut [i32]) {
        for (part, sums) in sums.chunks_mut(WORDS * WORD).enumerate() {
            let first = first + part * WORDS * WORD;
            let part = first..first + sums.len();
            scratch
                .answers
                .find(page, part, &self.trees.inputs, &scratch.ranges);
            let (numbers, pruned) = (self.trees.numbers.as_slice(), &scratch.pruned);
            let Scratch {
                answers,
                members,
                sliced,
                ..
            } = scratch;
            widest(
                #[inline(always)]
                || match sums.len().div_ceil(WORD) {
                    1 => add_words::<1>(numbers, pruned, answers, members, sliced, sums),
                    2 => add_words::<2>(numbers, pruned, answers, members, sliced, sums),
                    3 | 4 => add_words::<4>(numbers, pruned, answers, members, sliced, sums),
                    _ => add_words::<WORDS>(numbers, pruned, answers, members, sliced, sums),
                },
            );
        }
    }
}

/// Adds to each block's sum the numbers of the leaves it comes to, for at most `N` words of blocks.
#[inline(always)]
fn add_words<const N: usize>(
    numbers: &[Numbers],
    pruned: &Pruned,
    answers: &Answers,
    members: &mut Members,
    sliced: &mut SlicedSums,
    sums: &mut [i32],
) {
    sliced.reset(pruned.trees.len());
    for tree in &pruned.trees {
        members.find::<N>(tree.start, pruned.splits(tree), answers);
        let numbers = &numbers[usize::from(tree.tree)];
        sliced.add::<N>(tree.leaves, numbers, &members.0);
    }
    sliced.drain(sums);
}

/// The least and the largest of some codes.
fn range(codes: &[u8]) -> Range {
    widest(
        #[inline(always)]
        || {
            let (mut least, mut most) = (u8::MAX, 0);
            for &code in codes {
                least = least.min(code);
                most = most.max(code);
            }
            [least, most]
        },
    )
}

/// What trees are asked in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Input by input that is asked about.
    ranges: Vec<Range>,
    pruned: Pruned,
    answers: Answers,
    members: Members,
    sliced: SlicedSums,
    #[cfg(target_arch = "x86_64")]
    codes: Vec<wide::Codes>,
    sums: Vec<i32>,
}

/// Question by question that parts the blocks, who says yes.
#[derive(Clone, Debug, Default)]
struct Answers {
    bits: Vec<Bits>,
    /// Input by input, where its question for at least 0 would be; those for more are behind.
    starts: Vec<usize>,
}

impl Answers {
    /// Asks the blocks of a part of a page, whose codes are in these ranges. The results of blocks behind the last mean
    /// nothing.
    fn find(&mut self, page: &Columns, part: std::ops::Range<usize>, inputs: &[Input], ranges: &[Range]) {
        self.starts.clear();
        self.starts.resize(page.columns(), 0);
        let mut start = 0;
        for (input, &[least, most]) in inputs.iter().zip(ranges) {
            if least == most {
                continue;
            }
            self.starts[input.number] = start;
            let end = start + usize::from(most) + 1;
            self.bits.resize(end.max(self.bits.len()), Bits::default());
            let parting = input
                .leasts
                .iter()
                .filter(|&&asked| least < asked && asked <= most);
            for &asked in parting {
                self.bits[start + usize::from(asked)].find(&page.column(input.number)[part.clone()], asked);
            }
            start = end;
        }
    }

    #[inline(always)]
    fn bits(&self, split: &Asked) -> &Bits {
        &self.bits[self.starts[usize::from(split.input)] + usize::from(split.threshold)]
    }
}

impl Bits {
    /// Which of these codes are at least `least`.
    fn find(&mut self, codes: &[u8], least: u8) {
        for (word, codes) in self.0.iter_mut().zip(codes.chunks(WORD)) {
            let mut padded = [0; WORD];
            let codes = codes.first_chunk().unwrap_or_else(|| {
                padded[..codes.len()].copy_from_slice(codes);
                &padded
            });
            *word = at_least(codes, least);
        }
    }
}

/// Leaf by leaf of a tree, who is in it.
#[derive(Clone, Debug)]
struct Members([Bits; MAX_LEAVES]);

impl Default for Members {
    fn default() -> Members {
        Members([Bits::default(); MAX_LEAVES])
    }
}

impl Members {
    /// Sends `N` words of blocks through the splits of a tree.
    #[expect(
        clippy::needless_range_loop,
        clippy::manual_memcpy,
        reason = "steps of iterators and copies of slices are calls now and then"
    )]
    #[inline(always)]
    fn find<const N: usize>(&mut self, start: u8, splits: &[Asked], answers: &Answers) {
        self.0[usize::from(start) % MAX_LEAVES] = Bits::all(true);
        for split in splits {
            let yes = answers.bits(split);
            let mut moved = [0; N];
            let old = &mut self.0[usize::from(split.old) % MAX_LEAVES];
            for word in 0..N {
                moved[word] = old.0[word] & yes.0[word];
                old.0[word] &= !yes.0[word];
            }
            let new = &mut self.0[usize::from(split.new) % MAX_LEAVES];
            for word in 0..N {
                new.0[word] = moved[word];
            }
        }
    }
}

/// A bit for each of these codes that is at least `least`.
#[inline(always)]
#[cfg(target_arch = "x86_64")]
fn at_least(codes: &[u8; WORD], least: u8) -> u64 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_set_epi64x, _mm_set1_epi8};

    let mut bits = 0;
    for (part, codes) in codes.as_chunks::<16>().0.iter().enumerate() {
        let all = u128::from_le_bytes(*codes);
        #[expect(
            unsafe_code,
            reason = "no safe code becomes a comparison of sixteen bytes into bits"
        )]
        // SAFETY: the calls need SSE2, which every x86-64 processor has.
        let found = unsafe {
            let codes = _mm_set_epi64x((all >> 64) as i64, all as i64);
            let least = _mm_set1_epi8(least.cast_signed());
            _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(codes, least), codes))
        };
        bits |= u64::from(found as u16) << (16 * part);
    }
    bits
}

#[cfg(not(target_arch = "x86_64"))]
use at_least_by_words as at_least;

/// The same on any processor, eight codes at a time.
#[inline(always)]
#[cfg(any(test, not(target_arch = "x86_64")))]
fn at_least_by_words(codes: &[u8; WORD], least: u8) -> u64 {
    use gleaner_columns::high_bits;

    const HIGH: u64 = 0x8080_8080_8080_8080;
    let least = u64::from_le_bytes([least; 8]);
    let mut bits = 0;
    for (part, codes) in codes.as_chunks().0.iter().enumerate() {
        let codes = u64::from_le_bytes(*codes);
        // A byte's highest bit is set if its others are at least as much; it counts where the highest are the same.
        let others = (codes | HIGH) - (least & !HIGH);
        let yes = (codes & !least) | (!(codes ^ least) & others);
        bits |= high_bits(yes & HIGH) << (8 * part);
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trees::{Question, Split};

    /// The definition: one block, one tree, one split after the other.
    fn sum(trees: &Trees, codes: &[u8]) -> i32 {
        let tree = |tree: usize| {
            let splits = &trees.splits[tree * (trees.width - 1)..][..trees.width - 1];
            let mut leaf = 0;
            for (place, split) in splits.iter().enumerate() {
                let code = codes[usize::from(split.question.input)];
                if usize::from(split.leaf) == leaf && code >= split.question.threshold {
                    leaf = place + 1;
                }
            }
            trees.leaves[tree][leaf] as i32
        };
        (0..trees.count()).map(tree).sum()
    }

    /// Trees over four columns and three codes of the page, whose leaves are whole numbers, the widest tree as wide as there can be
    /// without another unit.
    fn trees() -> impl Strategy<Value = Trees> {
        let count = prop::sample::select(vec![1usize, 2, 3, 255, 256, 257, 523]);
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
                let (input, threshold) = (below(7) as u16, below(5) as u8);
                let threshold = if input < 4 { threshold } else { threshold * 6 };
                let leaf = below((place % (width - 1)) as u64 + 1) as u8;
                // Some trees have fewer leaves than others.
                if below(20) > 0 {
                    let question = Question { input, threshold };
                    *split = Split { question, leaf };
                }
            }
            for leaves in &mut trees.leaves {
                let (range, least) = (below(256) + 1, below(2000) as f32 - 1000.0);
                leaves[..width].fill_with(|| least + below(range) as f32);
            }
            trees.leaves[0][..2].copy_from_slice(&[-128.0, 127.0]);
            trees.leaves[0][2..width].fill_with(|| below(256) as f32 - 128.0);
            trees
        })
    }

    proptest! {
        #[test]
        fn sums_are_those_of_the_definition(
            trees in trees(),
            codes in prop::collection::vec(prop::array::uniform4(0u8..5), 0..1200),
            shared in prop::array::uniform3(0u8..30),
        ) {
            let mut page = Columns::default();
            page.reset(codes.len(), 4);
            for (block, codes) in codes.iter().enumerate() {
                for (column, code) in codes.iter().enumerate() {
                    page.column_mut(column)[block] = *code;
                }
            }
            let forest = Forest::new(&trees);
            prop_assert_eq!(forest.unit, 1.0);
            let mut scratch = Scratch::default();
            let mut runs = Runs::default();
            runs.read(&page);
            let found = forest.ask(&page, &runs, &shared, &mut scratch).to_vec();
            prop_assert_eq!(found.len(), codes.len());
            for (codes, &found) in codes.iter().zip(&found) {
                let inputs = [codes.as_slice(), &shared].concat();
                prop_assert_eq!(f64::from(found) + forest.least, f64::from(sum(&trees, &inputs)));
            }
            // As a processor does that has nothing of its own for it.
            prop_assert_eq!(forest.ask_by(&page, &runs, &shared, &mut scratch, false), found);
        }

        #[test]
        fn leaves_are_rounded_to_the_nearest_unit(leaves in prop::collection::vec(-3f32..3.0, 2..=8)) {
            let mut trees = Trees::zero(1, 8, 0.5);
            trees.leaves[0][..leaves.len()].copy_from_slice(&leaves);
            // All blocks go to the leaf that is asked for, the first one or another.
            for leaf in 0..leaves.len() as u8 {
                trees.splits.fill(Split::NOTHING);
                if let Some(split) = usize::from(leaf).checked_sub(1) {
                    let question = Question { input: 0, threshold: 0 };
                    trees.splits[split] = Split { question, leaf: 0 };
                }
                let forest = Forest::new(&trees);
                let mut page = Columns::default();
                page.reset(1, 1);
                let mut runs = Runs::default();
                runs.read(&page);
                let sum = forest.ask(&page, &runs, &[], &mut Scratch::default())[0];
                let found = forest.least + f64::from(sum) * forest.unit;
                let value = f64::from(trees.leaves[0][usize::from(leaf)]);
                prop_assert!((value - found).abs() <= 0.5001 * forest.unit);
            }
        }

        #[test]
        fn blocks_say_yes_whose_codes_are_large_enough(codes in prop::array::uniform(any::<u8>()), least in any::<u8>()) {
            prop_assert_eq!(at_least_by_words(&codes, least), at_least(&codes, least));
            for (block, &code) in codes.iter().enumerate() {
                prop_assert_eq!(at_least(&codes, least) >> block & 1 == 1, code >= least);
            }
        }
    }
}
