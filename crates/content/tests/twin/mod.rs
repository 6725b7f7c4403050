//! The model once more, as it is defined: attributes are strings, weights stand in a map, and sums
//! are sums of exponentials. Slow, and nothing in common with the crate's tables.

use std::collections::HashMap;

use gleaner_columns::Columns;
use gleaner_content::{FeatureSpace, Labels, Model};
use gleaner_crf::TemplateConfig;

use super::synthetic::Page;

/// The attributes that hold for a block.
pub(crate) fn attributes(
    space: &FeatureSpace,
    template: &TemplateConfig,
    page: &Columns,
    block: usize,
) -> Vec<String> {
    let code = |column: usize, offset: i32| {
        let place = block as i64 + i64::from(offset);
        let inside = (0..page.rows() as i64).contains(&place);
        inside.then(|| {
            format!(
                "{}@{offset}={}",
                space.columns[column].name,
                page.column(column)[place as usize]
            )
        })
    };
    let mut out = Vec::new();
    for (column, spec) in space.columns.iter().enumerate() {
        let fits = template
            .offsets
            .iter()
            .filter(|(prefix, _)| spec.name.starts_with(*prefix));
        if let Some((_, offsets)) = fits.max_by_key(|(prefix, _)| prefix.len()) {
            out.extend(offsets.iter().filter_map(|&offset| code(column, offset)));
        }
    }
    out
}

/// A page as strings, with the numbers of its labels.
pub(crate) struct Chain {
    pub(crate) blocks: Vec<Vec<String>>,
    pub(crate) gold: Vec<usize>,
    /// How many times its likelihood counts.
    pub(crate) weight: f64,
}

/// Writes pages out.
pub(crate) fn chains(
    space: &FeatureSpace,
    template: &TemplateConfig,
    labels: &Labels,
    pages: &[Page],
) -> Vec<Chain> {
    let chain = |(page, gold): &Page| Chain {
        blocks: (0..page.rows())
            .map(|block| attributes(space, template, page, block))
            .collect(),
        gold: gold.iter().map(|&label| labels.class(label)).collect(),
        weight: 1.0,
    };
    pages.iter().map(chain).collect()
}

/// Weights by name; what is not there is zero.
#[derive(Clone, Default)]
pub(crate) struct Weights {
    pub(crate) labels: usize,
    pub(crate) state: HashMap<(String, usize), f64>,
    pub(crate) between: HashMap<(usize, usize), f64>,
}

impl Weights {
    /// Those of a model.
    pub(crate) fn of(model: &Model) -> Weights {
        let labels = model.labels().len();
        let mut weights = Weights {
            labels,
            ..Weights::default()
        };
        for (attribute, row) in model.attributes() {
            let name = attribute.to_string();
            for (label, &weight) in row.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
                weights.state.insert((name.clone(), label), f64::from(weight));
            }
        }
        for (place, &weight) in model.transitions().iter().enumerate() {
            weights
                .between
                .insert((place / labels, place % labels), f64::from(weight));
        }
        weights
    }

    /// The scores of each block's labels.
    pub(crate) fn scores(&self, chain: &Chain) -> Vec<Vec<f64>> {
        let score = |names: &Vec<String>, label: usize| -> f64 {
            names
                .iter()
                .filter_map(|name| self.state.get(&(name.clone(), label)))
                .sum()
        };
        let row = |names: &Vec<String>| (0..self.labels).map(|label| score(names, label)).collect();
        chain.blocks.iter().map(row).collect()
    }

    fn between(&self, from: usize, to: usize) -> f64 {
        self.between.get(&(from, to)).copied().unwrap_or(0.0)
    }

    /// The logarithm of the probability of a chain's gold labels.
    pub(crate) fn log_likelihood(&self, chain: &Chain) -> f64 {
        let scores = self.scores(chain);
        let mut gold = 0.0;
        let mut forward: Vec<f64> = Vec::new();
        for (block, row) in scores.iter().enumerate() {
            let label = chain.gold[block];
            gold += row[label];
            if block > 0 {
                gold += self.between(chain.gold[block - 1], label);
            }
            let before = |to: usize| match forward.as_slice() {
                [] => 0.0,
                forward => log_sum(
                    forward
                        .iter()
                        .enumerate()
                        .map(|(from, f)| f + self.between(from, to)),
                ),
            };
            forward = (0..self.labels).map(|to| row[to] + before(to)).collect();
        }
        gold - log_sum(forward.into_iter())
    }

    /// What training minimises.
    pub(crate) fn objective(&self, chains: &[Chain], l2: f64) -> f64 {
        let weighed = |chain: &Chain| chain.weight * self.log_likelihood(chain);
        let likelihood: f64 = chains.iter().map(weighed).sum();
        let weights = self.state.values().chain(self.between.values());
        weights.map(|weight| l2 * weight * weight).sum::<f64>() - likelihood
    }
}

fn log_sum(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + values.iter().map(|value| (value - top).exp()).sum::<f64>().ln()
}
