//! Scores by the kinds of pages, added up with no more work than scores of one kind.
//!
//! A page's kinds follow from a mean over its blocks, so it is enough to know how many words have each code
//! of a column ([`Gate`]). And given the kinds, the mean over them of a block's scores is its score by the mean
//! of the weights: these are added up once a page, and the blocks look up one number a column ([`Mixture`]).

use gleaner_columns::{Columns, Runs, widest};
use gleaner_crf::{LANES, Row, Strip, Template};

use crate::BlockSize;
use crate::votes::Votes;

/// Codes of a column are a byte: a table of that size needs no check.
pub(crate) const CODES: usize = 1 << u8::BITS;

/// Columns added to the scores at once: a score is read and written once for all of them.
const TOGETHER: usize = 4;

/// The weights for kinds, a row an attribute. Its template is that of a block's own columns.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    /// Those that say anything of kinds.
    strips: Vec<Strip>,
    rows: Vec<Row>,
}

impl Gate {
    /// `weights` are attribute by attribute, one a kind.
    pub(crate) fn new(template: &Template, kinds: usize, weights: &[f32]) -> Gate {
        let says = |strip: &Strip| {
            let own = &weights[strip.base * kinds..][..strip.codes * kinds];
            own.iter().any(|&weight| weight != 0.0)
        };
        let strips = template.strips().iter().filter(|strip| says(strip));
        Gate {
            strips: strips.cloned().collect(),
            rows: weights.chunks_exact(kinds).map(Row::padded).collect(),
        }
    }

    /// The mean of the blocks' scores, weighted by words + 1. Zeros without blocks.
    pub(crate) fn mean(
        &self,
        page: &Columns,
        runs: &Runs,
        blocks: &[BlockSize],
        votes: &mut Votes,
    ) -> [f64; LANES] {
        let mut sums = [0.0; LANES];
        let total = votes.count(blocks);
        if total == 0 {
            return sums;
        }
        widest(
            #[inline(always)]
            || {
                for strip in &self.strips {
                    let rows = &self.rows[strip.base..][..strip.codes];
                    let codes = page.column(strip.column);
                    match runs.places(strip.column) {
                        Some([]) => {
                            add(&mut sums, total, &rows[usize::from(codes[0])]);
                            continue;
                        }
                        Some(places) => votes.count_runs(codes, places),
                        None => votes.count_blocks(codes),
                    }
                    // (Without asking for votes: the branch cannot be predicted, and adding nothing takes less.)
                    for (row, votes) in rows.iter().zip(votes.take_codes()) {
                        add(&mut sums, votes, row);
                    }
                }
            },
        );
        sums.map(|sum| sum / total as f64)
    }
}

/// Adds a row `votes` times.
#[inline(always)]
fn add(sums: &mut [f64; LANES], votes: u64, row: &Row) {
    let votes = votes as f64;
    for (sum, weight) in sums.iter_mut().zip(&row.0) {
        *sum += votes * f64::from(*weight);
    }
}

/// The weights for content, kind by kind.
#[derive(Clone, Debug)]
pub(crate) struct Mixture {
    strips: Vec<Strip>,
    /// Of each kind a weight an attribute; zeros follow.
    kinds: Vec<Vec<f32>>,
}

/// What blocks are scored in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mixed {
    /// The mean of the kinds' weights, an attribute each; zeros follow.
    weights: Vec<f32>,
    /// By how much each block's score differs from that of the block before.
    steps: Vec<f64>,
    /// The strips that are not in the steps.
    unsteady: Vec<usize>,
    scores: Vec<f32>,
}

impl Mixture {
    /// `weights` are attribute by attribute, one a kind.
    pub(crate) fn new(template: &Template, kinds: usize, weights: &[f32]) -> Mixture {
        let of_kind = |kind| {
            let own = weights.iter().skip(kind).step_by(kinds).copied();
            own.chain([0.0; CODES]).collect()
        };
        Mixture {
            strips: template.strips().to_vec(),
            kinds: (0..kinds).map(of_kind).collect(),
        }
    }

    /// Each block's mean score over the kinds of its page.
    // A score is linear in the weights, so the mean over kinds is taken of the weights, once a page, not of the scores of
    // each block.
    pub(crate) fn score<'a>(
        &self,
        page: &Columns,
        runs: &Runs,
        kinds: &[f32; LANES],
        mixed: &'a mut Mixed,
    ) -> &'a [f32] {
        widest(
            #[inline(always)]
            || mixed.mix(&self.kinds, kinds),
        );
        mixed.add_steady(&self.strips, page, runs);
        let (fours, rest) = mixed.unsteady.as_chunks::<TOGETHER>();
        for strips in fours {
            let columns = strips.map(|strip| self.column(strip, page, &mixed.weights));
            add_columns(columns, &mut mixed.scores);
        }
        for &strip in rest {
            add_columns([self.column(strip, page, &mixed.weights)], &mut mixed.scores);
        }
        &mixed.scores
    }

    /// A strip's codes and their weights.
    fn column<'a>(
        &self,
        strip: usize,
        page: &'a Columns,
        weights: &'a [f32],
    ) -> (&'a [u8], &'a [f32; CODES]) {
        let strip = &self.strips[strip];
        (page.column(strip.column), table(strip, weights))
    }
}

/// The weights of a strip's codes, and others behind them that no code has.
fn table<'a>(strip: &Strip, weights: &'a [f32]) -> &'a [f32; CODES] {
    let table = weights[strip.base..].first_chunk();
    table.expect("as many zeros follow the weights")
}

/// Adds a few columns to the scores, the first one first.
fn add_columns<const N: usize>(columns: [(&[u8], &[f32; CODES]); N], scores: &mut [f32]) {
    let columns = columns.map(|(codes, table)| (&codes[..scores.len()], table));
    for (block, score) in scores.iter_mut().enumerate() {
        for (codes, table) in columns {
            *score += table[usize::from(codes[block])];
        }
    }
}

impl Mixed {
    /// The mean of the weights over the kinds.
    #[inline(always)]
    fn mix(&mut self, weights: &[Vec<f32>], kinds: &[f32; LANES]) {
        self.weights.clear();
        self.weights.resize(weights.first().map_or(0, Vec::len), 0.0);
        for (weights, &kind) in weights.iter().zip(kinds) {
            for (sum, &weight) in self.weights.iter_mut().zip(weights) {
                *sum += kind * weight;
            }
        }
    }

    /// Begins the scores with the columns that keep their codes for long, and notes the others.
    // Such a column changes the score only where its code changes. So the differences are noted there, and added up over the
    // blocks at the end: in f64, since each difference stays in the sum up to the last block.
    fn add_steady(&mut self, strips: &[Strip], page: &Columns, runs: &Runs) {
        self.unsteady.clear();
        self.steps.clear();
        self.steps.resize(page.rows(), 0.0);
        let mut sum = 0.0;
        for (number, strip) in strips.iter().enumerate() {
            let Some(places) = runs.places(strip.column) else {
                self.unsteady.push(number);
                continue;
            };
            let (codes, table) = (page.column(strip.column), table(strip, &self.weights));
            let weight = |block: usize| f64::from(table[usize::from(codes[block])]);
            let mut before = if codes.is_empty() { 0.0 } else { weight(0) };
            sum += before;
            for place in places.iter().map(|&place| place as usize) {
                let own = weight(place);
                self.steps[place] += own - before;
                before = own;
            }
        }
        self.scores.clear();
        self.scores.extend(self.steps.iter().map(|step| {
            sum += step;
            sum as f32
        }));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use gleaner_columns::ColumnInfo;
    use gleaner_crf::TemplateConfig;

    use super::*;
    use crate::FeatureSpace;
    use crate::content::ContentModel;

    const COLUMNS: usize = 6;
    const CODES_OF: u8 = 9;

    /// A model of three kinds whose weights are drawn by a formula; one of its columns is left out.
    fn model(seed: f32) -> ContentModel {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: u16::from(CODES_OF),
        };
        let space = FeatureSpace {
            columns: (0..COLUMNS).map(column).collect(),
            ..FeatureSpace::default()
        };
        let mut config = TemplateConfig::default();
        config.offsets.insert("c4".into(), vec![]);
        let kinds = ["a", "b", "c"].map(String::from).to_vec();
        let mut model = ContentModel::zero(kinds, None, &config, &space).unwrap();
        let weight = |(place, weight): (usize, &mut f32)| *weight = (place as f32 * seed).sin() * 3.0;
        model.gate.iter_mut().enumerate().for_each(weight);
        model.weights.iter_mut().rev().enumerate().for_each(weight);
        model
    }

    /// A block's score for a kind, column by column.
    fn score(model: &ContentModel, weights: &[f32], page: &Columns, block: usize, kind: usize) -> f64 {
        let strips = model.template.strips().iter();
        strips
            .map(|strip| {
                let code = usize::from(page.column(strip.column)[block]);
                f64::from(weights[(strip.base + code) * model.kinds.len() + kind])
            })
            .sum()
    }

    /// Pages whose columns keep their codes for long, for some blocks or not at all, and words.
    fn pages() -> impl Strategy<Value = (Columns, Vec<u32>)> {
        let run = (0..CODES_OF, prop::sample::select(vec![1usize, 1, 2, 30, 400]));
        let column = prop::collection::vec(run, 1..60);
        let words = prop::collection::vec(0u32..50, 0..150);
        (prop::collection::vec(column, COLUMNS), words).prop_map(|(columns, words)| {
            let mut page = Columns::default();
            page.reset(words.len(), COLUMNS);
            for (place, runs) in columns.iter().enumerate() {
                let codes = runs.iter().cycle().flat_map(|&(code, length)| vec![code; length]);
                let own = page.column_mut(place).iter_mut();
                own.zip(codes).for_each(|(own, code)| *own = code);
            }
            (page, words)
        })
    }

    proptest! {
        #[test]
        fn scores_are_those_of_the_definition(
            (page, words) in pages(),
            (other, _) in pages(),
            seed in 0.1f32..0.9,
        ) {
            let model = model(seed);
            let size = |&words| BlockSize { words, with_before: false };
            let blocks: Vec<BlockSize> = words.iter().map(size).collect();
            let (mut votes, mut mixed, mut runs) = (Votes::default(), Mixed::default(), Runs::default());
            let gate = Gate::new(&model.template, 3, &model.gate);
            let mixture = Mixture::new(&model.template, 3, &model.weights);
            let kinds = [0.5, 0.2, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0];
            // Nothing is left of the page before.
            runs.read(&other);
            gate.mean(&other, &runs, &vec![size(&3); other.rows()], &mut votes);
            mixture.score(&other, &runs, &kinds, &mut mixed);

            runs.read(&page);
            let means = gate.mean(&page, &runs, &blocks, &mut votes);
            let total: f64 = words.iter().map(|&words| f64::from(words) + 1.0).sum();
            for (kind, &mean) in means.iter().enumerate() {
                let of_block = |(block, &words): (usize, &u32)| {
                    (f64::from(words) + 1.0) * score(&model, &model.gate, &page, block, kind)
                };
                let expected: f64 = match kind {
                    0..3 if total > 0.0 => words.iter().enumerate().map(of_block).sum::<f64>() / total,
                    _ => 0.0,
                };
                prop_assert!((mean - expected).abs() < 1e-5, "{kind}: {mean} {expected}");
            }
            let scores = mixture.score(&page, &runs, &kinds, &mut mixed);
            prop_assert_eq!(scores.len(), words.len());
            for (block, &found) in scores.iter().enumerate() {
                let of_kind = |kind: usize| f64::from(kinds[kind]) * score(&model, &model.weights, &page, block, kind);
                let expected: f64 = (0..3).map(of_kind).sum();
                prop_assert!((f64::from(found) - expected).abs() < 1e-4, "{block}: {found} {expected}");
            }
        }
    }
}
