//! What [`pruned`](crate::forest::pruned) does, a tree at a time: a vector has a byte for each of its splits, or leaves.
//!
//! What all blocks answer to the splits is looked up by their inputs. A split is left if all ways from the root to it are
//! open and blocks answer it this way and that. Each split first knows of the one above it, then of two, four and so on:
//! as many steps as the logarithm of the tree's depth. There is no branch, and memory is gone through once.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpge_epu8_mask, _mm512_mask_blend_epi8, _mm512_maskz_compress_epi8,
    _mm512_maskz_mov_epi8, _mm512_max_epu8, _mm512_movepi8_mask, _mm512_movm_epi8, _mm512_permutex2var_epi8,
    _mm512_permutexvar_epi8,
};

use super::{STRETCH, bytes, load};
use crate::forest::pruned::{Node, Range, Whole};
use crate::trees::MAX_LEAVES;

/// Numbers of inputs are a byte.
pub(super) const INPUTS: usize = 1 << u8::BITS;

/// How often twice as many splits become known at most.
const STEPS: usize = 6;

/// A byte a split or a leaf.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bytes([u8; STRETCH]);

const ZEROS: Bytes = Bytes([0; STRETCH]);

/// For each step and leaf, the leaf `1 << step` before it, or the first.
static BEFORE: [Bytes; STEPS] = before();

const fn before() -> [Bytes; STEPS] {
    let mut before = [ZEROS; STEPS];
    let mut step = 0;
    while step < STEPS {
        let mut leaf = 1 << step;
        while leaf < STRETCH {
            before[step].0[leaf] = (leaf - (1 << step)) as u8;
            leaf += 1;
        }
        step += 1;
    }
    before
}

/// The numbers of the leaves.
static LEAVES: Bytes = leaves();

const fn leaves() -> Bytes {
    let mut leaves = ZEROS;
    let mut leaf = 0;
    while leaf < STRETCH {
        leaves.0[leaf] = leaf as u8;
        leaf += 1;
    }
    leaves
}

/// Trees with all their splits.
#[derive(Clone, Debug)]
pub(in crate::forest) struct Trees {
    trees: Vec<Tree>,
    /// How often twice as many splits above become known until all are.
    steps: usize,
    /// Splits of a tree.
    splits: usize,
}

/// A tree as [`Whole`] numbers its splits and leaves.
#[derive(Clone, Debug)]
struct Tree {
    /// Split by split: which of the inputs that are asked about, and the least code of those who say yes.
    inputs: Bytes,
    leasts: Bytes,
    /// Split by split, the last leaf below its yes, and the last one below it.
    last: [Bytes; 2],
    /// Leaf by leaf, the split above it.
    askers: Bytes,
    /// Which splits, and which leaves, come after a yes, a bit each.
    after_yes: [u64; 2],
    /// Split by split, the one above it; the root for the root.
    above: Bytes,
}

/// What is left of the trees.
#[derive(Clone, Debug, Default)]
pub(in crate::forest) struct Pruned {
    /// What trees add to each block that say the same of all.
    pub(in crate::forest) sum: i32,
    /// The others, those of the fewest splits first.
    pub(super) trees: Vec<Rest>,
    unsorted: Vec<Rest>,
    /// Of each split the input, the least code that says yes, the leaf that is asked and the one for a yes; tree after
    /// tree, then room for a vector.
    splits: [Vec<u8>; 4],
}

/// What is left of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    /// Its number.
    pub(super) tree: u16,
    /// The leaf that all blocks begin in.
    pub(super) start: u8,
    count: u8,
    first: u32,
}

/// The splits of a tree, each as in [`Pruned`]; others follow.
#[derive(Clone, Copy)]
pub(super) struct Splits<'a> {
    pub(super) count: usize,
    pub(super) inputs: &'a [u8; STRETCH],
    pub(super) leasts: &'a [u8; STRETCH],
    pub(super) old: &'a [u8; STRETCH],
    pub(super) new: &'a [u8; STRETCH],
}

#[inline]
fn vector_at(all: &[u8], first: u32) -> &[u8; STRETCH] {
    let found = all[first as usize..].first_chunk();
    found.expect("there is room for a vector behind the last tree's")
}

impl Trees {
    /// Nothing where the processor can't be asked, or they ask about more inputs than a byte has numbers.
    pub(in crate::forest) fn new(whole: &Whole) -> Option<Trees> {
        if !super::is_able() || whole.inputs.len() > INPUTS {
            return None;
        }
        let splits = whole.nodes.len() / whole.numbers.len();
        let nodes = whole.nodes.chunks_exact(splits);
        let trees: Vec<Tree> = nodes.map(|nodes| Tree::new(nodes, whole)).collect();
        Some(Trees {
            steps: trees.iter().map(Tree::steps).max().unwrap_or(0),
            trees,
            splits,
        })
    }
}

impl Tree {
    fn new(nodes: &[Node], whole: &Whole) -> Tree {
        let mut tree = Tree {
            inputs: ZEROS,
            leasts: ZEROS,
            last: [ZEROS; 2],
            askers: ZEROS,
            after_yes: [0; 2],
            above: ZEROS,
        };
        for (place, node) in nodes.iter().enumerate() {
            let number = usize::from(node.question.input);
            let input = whole.inputs.binary_search_by_key(&number, |input| input.number);
            tree.inputs.0[place] = input.expect("it is one of those that are asked about") as u8;
            tree.leasts.0[place] = node.question.threshold;
            for (last, end) in tree.last.iter_mut().zip(node.ends) {
                last.0[place] = end - 1;
            }
        }
        tree.connect(nodes, 0, 0);
        tree
    }

    /// How often those above have to be doubled until they are the root for every split.
    fn steps(&self) -> usize {
        let mut above = self.above.0;
        for step in 0..STEPS {
            if above == ZEROS.0 {
                return step;
            }
            above = above.map(|up| above[usize::from(up)]);
        }
        STEPS
    }

    /// Notes who is below a split, of whose leaves this is the first.
    fn connect(&mut self, nodes: &[Node], split: usize, leaf: u8) {
        let [yes_end, end] = nodes[split].ends;
        let yes_leaves = usize::from(yes_end - leaf);
        let sides = [
            (true, split + 1, leaf, yes_end),
            (false, split + yes_leaves, yes_end, end),
        ];
        for (is_yes, child, leaf, end) in sides {
            if end - leaf > 1 {
                self.above.0[child] = split as u8;
                self.after_yes[0] |= u64::from(is_yes) << child;
                self.connect(nodes, child, leaf);
            } else {
                self.askers.0[usize::from(leaf)] = split as u8;
                self.after_yes[1] |= u64::from(is_yes) << leaf;
            }
        }
    }
}

impl Pruned {
    /// The splits of a tree.
    #[inline]
    pub(super) fn splits(&self, tree: &Rest) -> Splits<'_> {
        let [inputs, leasts, old, new] = &self.splits;
        Splits {
            count: usize::from(tree.count),
            inputs: vector_at(inputs, tree.first),
            leasts: vector_at(leasts, tree.first),
            old: vector_at(old, tree.first),
            new: vector_at(new, tree.first),
        }
    }

    /// Prunes the trees for blocks whose codes are in these ranges, input by input that is asked about. Needs
    /// [`is_able`](super::is_able).
    pub(in crate::forest) fn prune(&mut self, trees: &Trees, whole: &Whole, ranges: &[Range]) {
        assert!(super::is_able(), "the processor's vectors were asked for");
        let mut tables = [[Bytes([0; STRETCH]); 4]; 2];
        for (input, range) in ranges.iter().enumerate() {
            for (table, code) in tables.iter_mut().zip(range) {
                table[input / STRETCH].0[input % STRETCH] = *code;
            }
        }
        for splits in &mut self.splits {
            splits.resize(trees.trees.len() * trees.splits + STRETCH, 0);
        }
        #[expect(unsafe_code, reason = "the call needs the features that were just found")]
        // SAFETY: `collect` has no other requirement than that the processor has these features.
        unsafe {
            self.collect(trees, whole, &tables);
        }
        self.sort();
    }

    /// Puts together what is left of the trees, given the least and the largest code of each input.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,lzcnt,popcnt")]
    #[expect(
        clippy::needless_range_loop,
        reason = "steps of iterators are calls now and then"
    )]
    fn collect(&mut self, trees: &Trees, whole: &Whole, tables: &[[Bytes; 4]; 2]) {
        let (lowest, highest) = (table(&tables[0]), table(&tables[1]));
        let all = u64::MAX >> (MAX_LEAVES - trees.splits);
        self.sum = 0;
        self.unsorted.clear();
        let mut first = 0;
        for (number, tree) in (0..).zip(&trees.trees) {
            let (inputs, leasts) = (load(&tree.inputs.0), load(&tree.leasts.0));
            let yes = _mm512_cmpge_epu8_mask(look_up(lowest, inputs), leasts);
            let both = _mm512_cmpge_epu8_mask(look_up(highest, inputs), leasts) & !yes;
            let open = tree.open(yes, !(yes | both), trees.steps);
            let [splits, leaves] = [open[0] & both & all, open[1] & (all << 1 | 1)];
            let start = (63 - leaves.leading_zeros()) as u8;
            if splits == 0 {
                self.sum += i32::from(whole.numbers[usize::from(number)][usize::from(start)]);
                continue;
            }
            let last = last_of(leaves);
            let new = _mm512_permutexvar_epi8(load(&tree.last[0].0), last);
            let old = _mm512_permutexvar_epi8(load(&tree.last[1].0), last);
            let own = [inputs, leasts, old, new];
            for part in 0..own.len() {
                let place = self.splits[part][first..].first_chunk_mut();
                let place = place.expect("there is room for a vector");
                *place = bytes(_mm512_maskz_compress_epi8(splits, own[part]));
            }
            let count = splits.count_ones() as u8;
            self.unsorted.push(Rest {
                tree: number,
                start,
                count,
                first: first as u32,
            });
            first += usize::from(count);
        }
    }

    /// Sorts the trees by how many splits are left of them: those that are asked together then have as many.
    fn sort(&mut self) {
        let mut places = [0; MAX_LEAVES + 1];
        for tree in &self.unsorted {
            places[usize::from(tree.count) + 1] += 1;
        }
        for count in 1..places.len() {
            places[count] += places[count - 1];
        }
        self.trees.clone_from(&self.unsorted);
        for tree in &self.unsorted {
            let place = &mut places[usize::from(tree.count)];
            self.trees[*place] = *tree;
            *place += 1;
        }
    }
}

impl Tree {
    /// To which splits and to which leaves the way is open, given which splits all blocks say yes to and no to.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn open(&self, yes: u64, no: u64, steps: usize) -> [u64; 2] {
        const ROOT: u64 = 1;
        let says = [_mm512_movm_epi8(yes), _mm512_movm_epi8(no)];
        let (mut above, askers) = (load(&self.above.0), load(&self.askers.0));
        let mut open = _mm512_movm_epi8(!cut_off(above, self.after_yes[0], says) | ROOT);
        for _ in 0..steps {
            open = _mm512_and_si512(open, _mm512_permutexvar_epi8(above, open));
            above = _mm512_permutexvar_epi8(above, above);
        }
        let asked = _mm512_movepi8_mask(_mm512_permutexvar_epi8(askers, open));
        let leaves = asked & !cut_off(askers, self.after_yes[1], says);
        [_mm512_movepi8_mask(open), leaves]
    }
}

/// Who is cut off from the split above, those after a yes of it and those after a no, given which splits all blocks say
/// yes to and no to.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn cut_off(above: __m512i, after_yes: u64, [yes, no]: [__m512i; 2]) -> u64 {
    let after_no = _mm512_permutexvar_epi8(above, yes);
    let after = _mm512_permutexvar_epi8(above, no);
    _mm512_movepi8_mask(_mm512_mask_blend_epi8(after_yes, after_no, after))
}

/// Table of bytes as vectors.
#[inline]
#[target_feature(enable = "avx512f")]
fn table(bytes: &[Bytes; 4]) -> [__m512i; 4] {
    [
        load(&bytes[0].0),
        load(&bytes[1].0),
        load(&bytes[2].0),
        load(&bytes[3].0),
    ]
}

/// The bytes of these numbers in a table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn look_up(table: [__m512i; 4], numbers: __m512i) -> __m512i {
    let low = _mm512_permutex2var_epi8(table[0], numbers, table[1]);
    let high = _mm512_permutex2var_epi8(table[2], numbers, table[3]);
    _mm512_mask_blend_epi8(_mm512_movepi8_mask(numbers), low, high)
}

/// For each leaf, the last one up to it that is among these; 0 before the first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
fn last_of(leaves: u64) -> __m512i {
    let mut last = _mm512_maskz_mov_epi8(leaves, load(&LEAVES.0));
    for before in &BEFORE {
        last = _mm512_max_epu8(last, _mm512_permutexvar_epi8(load(&before.0), last));
    }
    last
}
