//! Trees without the splits that do not part the blocks at hand.
//!
//! What all blocks answer alike sends them all one way: of a split that they all say yes to only what comes after a yes
//! is left, of one that they all say no to what comes after a no.
//!
//! This is done for each part of each page, so it goes through little memory and hardly a branch. Splits are numbered
//! from the root on, a split, then all below its yes, then all below its no, and leaves in the same order: so what is below
//! a split is a range of splits and a range of leaves, two words of bits. Those about an input that all blocks answer alike
//! are in a row, as all splits are in the order of their questions: each takes away its ranges. Those that nothing
//! took away are left.
//!
//! Until blocks have come to a leaf they go by the number of the one they will be in if they say no from now on: the
//! last one of a range that is left.

use gleaner_columns::widest;

use super::Numbers;
use crate::trees::{MAX_LEAVES, Question, Split};

/// The least and the largest code of an input that the blocks at hand have.
pub(super) type Range = [u8; 2];

/// All trees with all their splits.
#[derive(Clone, Debug)]
pub(super) struct Whole {
    /// Those that are asked about, ascending.
    pub(super) inputs: Vec<Input>,
    /// Ascending by question.
    splits: Vec<Placed>,
    /// Tree by tree: they are gone through one after the other.
    nodes: Vec<Node>,
    /// Tree by tree, leaf by leaf.
    pub(super) numbers: Vec<Numbers>,
}

/// An input that is asked about.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub(super) number: usize,
    /// What is asked for at least, ascending.
    pub(super) leasts: Vec<u8>,
    /// How many of the splits ask about those before it.
    first: usize,
    /// The same with the splits of its own that each code says yes to, up to the code that says yes to all.
    ends: Vec<usize>,
}

/// A split of a tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    question: Question,
    /// The leaf behind the last one of those who say yes, and behind the last one of all who are asked.
    ends: [u8; 2],
}

/// A split among all of them.
#[derive(Clone, Copy, Debug)]
struct Placed {
    tree: u16,
    split: u8,
    /// The first of the leaves below it.
    leaf: u8,
    /// How many leaves there are below its yes and its no.
    counts: [u8; 2],
}

/// What is left of the trees.
#[derive(Clone, Debug, Default)]
pub(super) struct Pruned {
    /// What trees add to each block that say the same of all.
    pub(super) sum: i32,
    /// The others.
    pub(super) trees: Vec<Rest>,
    splits: Vec<Asked>,
    /// Tree by tree.
    gone: Vec<Gone>,
}

/// What is left of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// Its number.
    pub(super) tree: u16,
    /// The leaf that all blocks begin in.
    pub(super) start: u8,
    /// The leaves that there are, a bit each.
    pub(super) leaves: u64,
    first: usize,
    pub(super) count: usize,
}

/// A split that is left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub(super) input: u16,
    /// The lowest code of those that say yes.
    pub(super) threshold: u8,
    /// The leaf whose blocks are asked, where those stay who say no.
    pub(super) old: u8,
    /// Where those go who say yes.
    pub(super) new: u8,
}

/// What is taken away of a tree, a bit a split and a bit a leaf.
#[derive(Clone, Copy, Debug, Default)]
struct Gone {
    splits: u64,
    leaves: u64,
}

impl Whole {
    /// `numbers` are those of the leaves, tree by tree.
    pub(super) fn new<'a>(trees: impl Iterator<Item = (&'a [Split], Numbers)>) -> Whole {
        let (mut all, mut nodes, mut of_leaves) = (Vec::new(), Vec::new(), Vec::new());
        for (tree, (splits, numbers)) in (0..).zip(trees) {
            let mut walk = Walk {
                splits,
                next: [[None; 2]; MAX_LEAVES],
                numbers,
                first: nodes.len(),
                tree,
                nodes: &mut nodes,
                leaves: 0,
                of_leaves: [0; MAX_LEAVES],
                all: &mut all,
            };
            let root = walk.find_next();
            walk.below(0, root);
            of_leaves.push(walk.of_leaves);
        }
        let all = sorted(&all);
        let mut inputs = Vec::new();
        let mut first = 0;
        for own in all.chunk_by(|(one, _), (next, _)| one.input == next.input) {
            let mut leasts: Vec<u8> = own.iter().map(|(question, _)| question.threshold).collect();
            leasts.dedup();
            let most = leasts[leasts.len() - 1];
            let end = |code| first + own.partition_point(|(question, _)| question.threshold <= code);
            inputs.push(Input {
                number: usize::from(own[0].0.input),
                leasts,
                first,
                ends: (0..=most).map(end).collect(),
            });
            first += own.len();
        }
        Whole {
            inputs,
            splits: all.into_iter().map(|(_, split)| split).collect(),
            nodes,
            numbers: of_leaves,
        }
    }
}

/// Sorts splits by their questions, counting how many have each: an order of a hundred thousand takes its time at every start.
fn sorted(all: &[(Question, Placed)]) -> Vec<(Question, Placed)> {
    let place =
        |question: Question| usize::from(question.input) << u8::BITS | usize::from(question.threshold);
    let most = all.iter().map(|(question, _)| place(*question)).max();
    let mut ends = vec![0; most.map_or(0, |most| most + 1)];
    all.iter().for_each(|(question, _)| ends[place(*question)] += 1);
    for question in 1..ends.len() {
        ends[question] += ends[question - 1];
    }
    let mut sorted = all.to_vec();
    for split in all.iter().rev() {
        let end = &mut ends[place(split.0)];
        *end -= 1;
        sorted[*end] = *split;
    }
    sorted
}

/// Renumbers the splits and leaves of a tree.
struct Walk<'a> {
    /// As they were.
    splits: &'a [Split],
    /// Split by split, the next one of those who say yes, and of those who say no.
    next: [[Option<u8>; 2]; MAX_LEAVES],
    numbers: Numbers,
    /// How many splits the trees before have.
    first: usize,
    tree: u16,
    nodes: &'a mut Vec<Node>,
    /// How many there are so far.
    leaves: u8,
    of_leaves: Numbers,
    all: &'a mut Vec<(Question, Placed)>,
}

impl Walk<'_> {
    /// Fills in which split is next; returns the first.
    fn find_next(&mut self) -> Option<u8> {
        let mut next = [None; MAX_LEAVES];
        for (own, split) in self.splits.iter().enumerate().rev() {
            let leaf = &mut next[usize::from(split.leaf)];
            let no = leaf.replace(own as u8);
            // A split's new leaf has the number behind its own.
            self.next[own] = [next[own + 1], no];
        }
        next[0]
    }

    /// Goes through what is below those who are in a leaf, given their next split.
    fn below(&mut self, leaf: u8, next: Option<u8>) {
        let Some(own) = next else {
            self.of_leaves[usize::from(self.leaves)] = self.numbers[usize::from(leaf)];
            self.leaves += 1;
            return;
        };
        let question = self.splits[usize::from(own)].question;
        let (split, first) = (self.nodes.len(), self.leaves);
        self.nodes.push(Node {
            question,
            ends: [0; 2],
        });
        let [next_yes, next_no] = self.next[usize::from(own)];
        self.below(own + 1, next_yes);
        let yes = self.leaves;
        self.below(leaf, next_no);
        self.nodes[split].ends = [yes, self.leaves];
        let placed = Placed {
            tree: self.tree,
            split: (split - self.first) as u8,
            leaf: first,
            counts: [yes - first, self.leaves - yes],
        };
        self.all.push((question, placed));
    }
}

impl Input {
    /// How many splits ask about this input and those before it, of this one only those that a code says yes to.
    #[inline(always)]
    fn end(&self, code: u8) -> usize {
        self.ends[usize::from(code).min(self.ends.len() - 1)]
    }
}

/// As many bits as that, 1 to 64.
#[inline(always)]
fn low(count: u8) -> u64 {
    u64::MAX >> ((64 - count) & 63)
}

impl Gone {
    /// All blocks say no to a split: so it goes, and what is below its yes.
    #[inline(always)]
    fn say_no(&mut self, split: &Placed) {
        let below = low(split.counts[0]);
        self.splits |= below << (split.split & 63);
        self.leaves |= below << (split.leaf & 63);
    }

    /// All blocks say yes to a split.
    #[inline(always)]
    fn say_yes(&mut self, split: &Placed) {
        let below = low(split.counts[1]);
        self.splits |= 1 << (split.split & 63) | (below >> 1) << ((split.split + split.counts[0]) & 63);
        self.leaves |= below << ((split.leaf + split.counts[0]) & 63);
    }

    /// The splits that are left of `count`.
    #[inline(always)]
    fn splits(&self, count: usize) -> u64 {
        u64::MAX >> (64 - count) & !self.splits
    }

    /// The leaves that are left of those of `count` splits.
    #[inline(always)]
    fn leaves(&self, count: usize) -> u64 {
        u64::MAX >> (63 - count) & !self.leaves
    }
}

impl Pruned {
    /// The splits of a tree.
    pub(super) fn splits(&self, tree: &Rest) -> &[Asked] {
        &self.splits[tree.first..][..tree.count]
    }

    /// Prunes the trees for blocks whose codes are in these ranges, input by input that is asked about.
    pub(super) fn prune(&mut self, whole: &Whole, ranges: &[Range]) {
        widest(
            #[inline(always)]
            || {
                self.find_gone(whole, ranges);
                self.collect(whole);
            },
        );
    }

    #[inline(always)]
    fn find_gone(&mut self, whole: &Whole, ranges: &[Range]) {
        self.gone.clear();
        self.gone.resize(whole.numbers.len(), Gone::default());
        let ends = whole.inputs.iter().skip(1).map(|input| input.first);
        let ends = ends.chain([whole.splits.len()]);
        for ((input, end), &[least, most]) in whole.inputs.iter().zip(ends).zip(ranges) {
            for split in &whole.splits[input.first..input.end(least)] {
                self.gone[usize::from(split.tree)].say_yes(split);
            }
            for split in &whole.splits[input.end(most)..end] {
                self.gone[usize::from(split.tree)].say_no(split);
            }
        }
    }

    /// Puts together what is left of the trees.
    #[inline(always)]
    fn collect(&mut self, whole: &Whole) {
        self.sum = 0;
        self.splits.clear();
        self.trees.clear();
        let width = whole.nodes.len() / whole.numbers.len();
        for (tree, (gone, nodes)) in (0..).zip(self.gone.iter().zip(whole.nodes.chunks_exact(width))) {
            let (mut splits, leaves) = (gone.splits(width), gone.leaves(width));
            let last = |end: u8| (63 - (leaves & low(end)).leading_zeros()) as u8;
            let start = last(64);
            if splits == 0 {
                self.sum += i32::from(whole.numbers[usize::from(tree)][usize::from(start)]);
                continue;
            }
            let first = self.splits.len();
            let count = splits.count_ones() as usize;
            self.splits.resize(first + count, Asked::default());
            for asked in &mut self.splits[first..] {
                let node = nodes[splits.trailing_zeros() as usize];
                splits &= splits - 1;
                *asked = Asked {
                    input: node.question.input,
                    threshold: node.question.threshold,
                    old: last(node.ends[1]),
                    new: last(node.ends[0]),
                };
            }
            self.trees.push(Rest {
                tree,
                start,
                leaves,
                first,
                count,
            });
        }
    }
}
