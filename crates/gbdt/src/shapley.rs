//! What each input adds to the sums of trees: Shapley values.
//!
//! In: trees, and the blocks of a page. Out: for each block a number an input ([`Contributions`]). They are measured against the page:
//! its mean sum, and the numbers of a block, add up to the sum of the block. An input of which all blocks have one code adds
//! nothing.
//!
//! The numbers are those of TreeSHAP (Lundberg, Erion and Lee 2018, "Consistent individualized feature attribution for tree
//! ensembles"): an input that is not known sends a block both ways at a split, in the shares of the page's blocks that come to
//! the split. Where no block comes to a split, all count.
//!
//! The path of a leaf has questions about a few inputs. So the leaf is a game of a few players, whose values have a closed form;
//! blocks with the same answers share it. The cost is the leaves of a tree for each row of answers that the page has, times the
//! square of the inputs of a path.

use std::collections::BTreeMap;

use gleaner_columns::Columns;

use crate::forest::Quantised;
use crate::trees::{Split, Trees};

/// Trees whose sums are to be explained.
#[derive(Clone, Debug)]
pub struct Shapley {
    /// The sum of the trees' least values.
    least: f64,
    trees: Vec<Tree>,
}

/// What the inputs add to the sums of a page's blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contributions {
    /// The mean of the blocks' sums.
    pub mean: f64,
    inputs: usize,
    values: Vec<f64>,
}

impl Contributions {
    /// What each input adds to the sum of a block: columns, then the codes that all blocks of the page share.
    pub fn of(&self, block: usize) -> &[f64] {
        &self.values[block * self.inputs..][..self.inputs]
    }
}

/// Splits, each with its answer.
type Path = Vec<(usize, bool)>;

/// A tree.
#[derive(Clone, Debug)]
struct Tree {
    splits: Vec<Split>,
    /// What each leaf adds beyond the least one.
    leaves: Vec<f64>,
    /// Leaf by leaf the splits on its path, and whether the answer is yes; none of a leaf that no block can come to.
    paths: Vec<Option<Path>>,
}

/// The questions of the path of a leaf about an input.
#[derive(Clone, Copy, Debug)]
struct Player {
    input: usize,
    /// The splits with the answer yes, and those with the answer no, a bit each.
    yes: u64,
    no: u64,
    /// The share of blocks that come that way if the input is not known.
    share: f64,
}

/// The players of each leaf that adds something, for a page.
struct Game {
    leaves: Vec<(f64, Vec<Player>)>,
}

impl Shapley {
    /// Prepares trees. The values of their leaves are those that a [`Forest`](crate::Forest) adds.
    pub fn new(trees: &Trees) -> Shapley {
        let Quantised { least, unit, numbers } = Quantised::of(trees);
        let splits = trees.splits.chunks_exact(trees.width - 1);
        let each = splits.zip(&numbers).map(|(splits, numbers)| {
            let leaves = numbers[..trees.width].iter();
            Tree::new(splits, leaves.map(|&number| unit * f64::from(number)).collect())
        });
        Shapley {
            least,
            trees: each.collect(),
        }
    }

    /// What the inputs add on a page. `shared` are the codes that all blocks of the page share.
    pub fn contributions(&self, page: &Columns, shared: &[u8]) -> Contributions {
        let rows = page.rows();
        let inputs = page.columns() + shared.len();
        let mut found = Contributions {
            mean: self.least,
            inputs,
            values: vec![0.0; rows * inputs],
        };
        if rows == 0 {
            return found;
        }
        let mut solver = Solver::default();
        for tree in &self.trees {
            let (answers, mean) = tree.ask(page, shared);
            found.mean += mean.value;
            let game = tree.game(&mean.shares);
            let mut known: BTreeMap<u64, Vec<(usize, f64)>> = BTreeMap::new();
            for (&answers, values) in answers.iter().zip(found.values.chunks_exact_mut(inputs)) {
                let own = known
                    .entry(answers)
                    .or_insert_with(|| game.values(answers, &mut solver));
                for &(input, value) in &*own {
                    values[input] += value;
                }
            }
        }
        found
    }
}

/// How the blocks of a page go through a tree.
struct Mean {
    /// Of the leaves that they come to.
    value: f64,
    /// Split by split, the share of those who say yes among the blocks that come to it.
    shares: Vec<f64>,
}

impl Tree {
    fn new(splits: &[Split], leaves: Vec<f64>) -> Tree {
        let mut paths: Vec<Option<Path>> = vec![None; leaves.len()];
        paths[0] = Some(Vec::new());
        for (place, split) in splits.iter().enumerate() {
            // (Nothing moves on where nothing is asked.)
            let asked = paths[usize::from(split.leaf)].as_mut();
            if let Some(asked) = asked.filter(|_| *split != Split::NOTHING) {
                let mut moved = asked.clone();
                moved.push((place, true));
                asked.push((place, false));
                paths[place + 1] = Some(moved);
            }
        }
        Tree {
            splits: splits.to_vec(),
            leaves,
            paths,
        }
    }

    /// What each block answers to all splits, a bit each; and where they go.
    fn ask(&self, page: &Columns, shared: &[u8]) -> (Vec<u64>, Mean) {
        let rows = page.rows();
        let (mut answers, mut at) = (vec![0u64; rows], vec![0; rows]);
        let mut shares = Vec::with_capacity(self.splits.len());
        for (place, split) in self.splits.iter().enumerate() {
            let input = usize::from(split.question.input);
            let (mut asked, mut yes, mut all_yes) = (0u32, 0u32, 0u32);
            for block in 0..rows {
                let code = match input.checked_sub(page.columns()) {
                    None => page.column(input)[block],
                    Some(own) => shared[own],
                };
                let is_yes = *split != Split::NOTHING && code >= split.question.threshold;
                answers[block] |= u64::from(is_yes) << place;
                all_yes += u32::from(is_yes);
                if at[block] == usize::from(split.leaf) {
                    asked += 1;
                    if is_yes {
                        yes += 1;
                        at[block] = place + 1;
                    }
                }
            }
            shares.push(match asked {
                0 => f64::from(all_yes) / rows as f64,
                asked => f64::from(yes) / f64::from(asked),
            });
        }
        let sum: f64 = at.iter().map(|&leaf| self.leaves[leaf]).sum();
        let value = sum / rows as f64;
        (answers, Mean { value, shares })
    }

    /// The players of its leaves, given the share of those who say yes to each split.
    fn game(&self, shares: &[f64]) -> Game {
        let leaves = self.paths.iter().zip(&self.leaves);
        let leaves = leaves.filter_map(|(path, &value)| Some((path.as_ref()?, value)));
        let with_value = leaves.filter(|(_, value)| *value != 0.0);
        let players = |path: &Path| {
            let mut players: BTreeMap<usize, Player> = BTreeMap::new();
            for &(split, is_yes) in path {
                let input = usize::from(self.splits[split].question.input);
                let player = players.entry(input).or_insert(Player {
                    input,
                    yes: 0,
                    no: 0,
                    share: 1.0,
                });
                let (bits, share) = match is_yes {
                    true => (&mut player.yes, shares[split]),
                    false => (&mut player.no, 1.0 - shares[split]),
                };
                *bits |= 1 << split;
                player.share *= share;
            }
            players.into_values().collect()
        };
        Game {
            leaves: with_value.map(|(path, value)| (value, players(path))).collect(),
        }
    }
}

impl Game {
    /// The value of each player for a block with these answers.
    fn values(&self, answers: u64, solver: &mut Solver) -> Vec<(usize, f64)> {
        let mut values: BTreeMap<usize, f64> = BTreeMap::new();
        for (value, players) in &self.leaves {
            let add = |input, share| *values.entry(input).or_default() += value * share;
            solver.solve(players, answers, add);
        }
        values.into_iter().collect()
    }
}

/// Solves the game of a leaf.
#[derive(Default)]
struct Solver {
    /// Those whose answers lead to the leaf, and those whose answers do not.
    present: Vec<Player>,
    absent: Vec<usize>,
    /// By the number of present players that are known, how much all choices of them come to: the shares of the others,
    /// multiplied.
    choices: Vec<f64>,
    /// The same without one of them.
    others: Vec<f64>,
    /// By the number of players that are known before one, the share of all orders in which a choice of so few is.
    weights: Vec<f64>,
}

impl Solver {
    /// Gives each player's share of the leaf's value.
    ///
    /// Of a set of known players the leaf is worth the product of the shares of the others, and nothing where one of the known
    /// is absent. A player's share is the mean of what it adds, over all orders in which the players become known.
    fn solve(&mut self, players: &[Player], answers: u64, mut add: impl FnMut(usize, f64)) {
        self.present.clear();
        self.absent.clear();
        let mut of_absent = 1.0;
        for player in players {
            let is_present = answers & player.yes == player.yes && answers & player.no == 0;
            match is_present {
                // It adds nothing.
                true if player.share == 1.0 => {}
                true => self.present.push(*player),
                false => {
                    of_absent *= player.share;
                    self.absent.push(player.input);
                }
            }
        }
        if of_absent == 0.0 {
            return;
        }
        self.multiply();
        self.weigh(self.present.len() + self.absent.len());
        for player in 0..self.present.len() {
            let Player { input, share, .. } = self.present[player];
            self.leave_out(share);
            add(
                input,
                of_absent * (1.0 - share) * mean(&self.others, &self.weights),
            );
        }
        let of_absent = -of_absent * mean(&self.choices, &self.weights);
        self.absent.iter().for_each(|&input| add(input, of_absent));
    }

    /// Multiplies `share + t` of all present players: the factor of a power of `t` is that of as many known players.
    fn multiply(&mut self) {
        self.choices.clear();
        self.choices.push(1.0);
        for player in &self.present {
            self.choices.push(0.0);
            for known in (0..self.choices.len()).rev() {
                let before = known.checked_sub(1).map_or(0.0, |before| self.choices[before]);
                self.choices[known] = self.choices[known] * player.share + before;
            }
        }
    }

    /// Divides the product by `share + t`.
    fn leave_out(&mut self, share: f64) {
        let count = self.choices.len() - 1;
        self.others.clear();
        self.others.resize(count, 0.0);
        let mut above = 0.0;
        for known in (0..count).rev() {
            above = self.choices[known + 1] - share * above;
            self.others[known] = above;
        }
    }

    /// The weights among this number of players: with n players, `k! (n - 1 - k)! / n!` for k that are known.
    fn weigh(&mut self, players: usize) {
        self.weights.clear();
        let mut weight = 1.0 / players.max(1) as f64;
        for known in 1..=players {
            self.weights.push(weight);
            weight *= known as f64 / (players - known).max(1) as f64;
        }
    }
}

fn mean(choices: &[f64], weights: &[f64]) -> f64 {
    choices
        .iter()
        .zip(weights)
        .map(|(choice, weight)| choice * weight)
        .sum()
}

#[cfg(test)]
mod tests {
    use gleaner_columns::Runs;
    use proptest::prelude::*;

    use super::*;
    use crate::{Forest, Question, Scratch};

    /// Trees over four columns and two codes of the page.
    fn trees() -> impl Strategy<Value = Trees> {
        (2usize..12, 1usize..5).prop_flat_map(|(width, count)| {
            let splits = prop::collection::vec(
                (0u16..6, 0u8..4, any::<prop::sample::Index>()),
                count * (width - 1),
            );
            let leaves = prop::collection::vec(-9f32..9.0, count * width);
            (splits, leaves).prop_map(move |(splits, leaves)| {
                let mut trees = Trees::zero(count, width, 0.5);
                for (place, (split, (input, threshold, leaf))) in
                    trees.splits.iter_mut().zip(splits).enumerate()
                {
                    let leaf = leaf.index(place % (width - 1) + 1) as u8;
                    // Some trees have fewer leaves than others.
                    if threshold > 0 {
                        let question = Question { input, threshold };
                        *split = Split { question, leaf };
                    }
                }
                for (own, leaves) in trees.leaves.iter_mut().zip(leaves.chunks_exact(width)) {
                    own[..width].copy_from_slice(leaves);
                }
                trees
            })
        })
    }

    fn page(codes: &[[u8; 4]]) -> Columns {
        let mut page = Columns::default();
        page.reset(codes.len(), 4);
        for (block, codes) in codes.iter().enumerate() {
            for (column, &code) in codes.iter().enumerate() {
                page.column_mut(column)[block] = code;
            }
        }
        page
    }

    /// The definition: what a tree gives a block of which the inputs in `known` are known, split by split.
    fn expected(tree: &Tree, all: &[Vec<u8>], block: &[u8], known: usize) -> f64 {
        // Of each leaf, how much of the block is there, and which blocks of the page are.
        let mut here = vec![(0.0, Vec::new()); tree.leaves.len()];
        here[0] = (1.0, (0..all.len()).collect::<Vec<usize>>());
        for (place, split) in tree.splits.iter().enumerate() {
            if *split == Split::NOTHING {
                continue;
            }
            let input = usize::from(split.question.input);
            let says_yes = |codes: &[u8]| codes[input] >= split.question.threshold;
            let (own, blocks) = std::mem::take(&mut here[usize::from(split.leaf)]);
            let (yes, no): (Vec<usize>, Vec<usize>) = blocks.into_iter().partition(|&at| says_yes(&all[at]));
            let of_all = || all.iter().filter(|codes| says_yes(codes)).count() as f64 / all.len() as f64;
            let share = match (known >> input & 1, yes.len() + no.len()) {
                (1, _) => f64::from(u8::from(says_yes(block))),
                (_, 0) => of_all(),
                (_, count) => yes.len() as f64 / count as f64,
            };
            here[place + 1] = (own * share, yes);
            here[usize::from(split.leaf)] = (own * (1.0 - share), no);
        }
        here.iter()
            .zip(&tree.leaves)
            .map(|((own, _), value)| own * value)
            .sum()
    }

    /// The definition of Shapley values: the mean over all choices of what is known before, by the number of their orders.
    fn by_definition(of: impl Fn(usize) -> f64, input: usize, inputs: usize) -> f64 {
        let factorial = |number: usize| (1..=number).map(|factor| factor as f64).product::<f64>();
        let others = (0..1usize << inputs).filter(|known| known >> input & 1 == 0);
        let added = others.map(|known| {
            let count = known.count_ones() as usize;
            let weight = factorial(count) * factorial(inputs - 1 - count) / factorial(inputs);
            weight * (of(known | 1 << input) - of(known))
        });
        added.sum()
    }

    proptest! {
        #[test]
        fn contributions_are_shapley_values_and_add_up_to_what_the_forest_gives(
            trees in trees(),
            codes in prop::collection::vec(prop::array::uniform4(0u8..4), 1..12),
            shared in prop::array::uniform2(0u8..4),
        ) {
            let page = page(&codes);
            let shapley = Shapley::new(&trees);
            let found = shapley.contributions(&page, &shared);
            let all: Vec<Vec<u8>> = codes.iter().map(|codes| [&codes[..], &shared].concat()).collect();
            let mut runs = Runs::default();
            runs.read(&page);
            let (forest, mut scratch) = (Forest::new(&trees), Scratch::default());
            let sums = forest.ask(&page, &runs, &shared, &mut scratch);
            for (block, own) in all.iter().enumerate() {
                let values = found.of(block);
                for (input, value) in values.iter().enumerate() {
                    let of = |known| shapley.trees.iter().map(|tree| expected(tree, &all, own, known)).sum();
                    let expected = by_definition(of, input, 6);
                    prop_assert!((value - expected).abs() < 1e-9, "{block} {input}: {value} {expected}");
                }
                let sum = found.mean + values.iter().sum::<f64>();
                // (The forest joins it with a score of the weights.)
                let expected = 2.0 * f64::from(forest.join(0.0, sums[block]));
                prop_assert!((sum - expected).abs() < 1e-4, "{block}: {sum} {expected}");
                prop_assert_eq!(&values[4..], [0.0, 0.0], "what all blocks share adds nothing");
            }
        }
    }

    #[test]
    fn a_page_without_blocks_has_the_least_sum() {
        let found = Shapley::new(&Trees::zero(3, 4, 1.0)).contributions(&Columns::default(), &[7]);
        assert_eq!((found.mean, found.values.len()), (0.0, 0));
    }
}
