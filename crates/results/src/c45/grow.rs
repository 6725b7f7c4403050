//! Training: a tree grown from rows, then pruned.

use serde::{Deserialize, Serialize};

use super::counts::{ClassCounts, WeightedRow, equal, smaller};
use super::estimate::Estimate;
use super::grown::Grown;
use super::prune;
use super::split::{Candidate, TrainingData};
use super::table::Table;
use super::tree::Tree;
use crate::error::Error;

/// How trees are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The minimum weight of a leaf: at least two branches of each test have it.
    pub min_leaf: f64,
    /// The confidence of the pessimistic error estimate: a smaller value prunes more. Without it only subtrees are pruned
    /// that are no better than a leaf on the training rows.
    pub confidence: Option<f64>,
    /// Whether a test may be replaced by its largest branch (subtree raising).
    pub raise: bool,
    /// The largest depth of a tree.
    pub max_depth: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            min_leaf: 2.0,
            confidence: Some(0.25),
            raise: true,
            max_depth: 500,
        }
    }
}

impl Config {
    fn check(&self) -> Result<(), Error> {
        let refuse = |setting, range| Err(Error::Setting(setting, range));
        if !(self.min_leaf > 0.0 && self.min_leaf.is_finite()) {
            return refuse("min_leaf", "above 0");
        }
        if self
            .confidence
            .is_some_and(|share| !(share > 0.0 && share <= 0.5))
        {
            return refuse("confidence", "above 0, and 0.5 at most");
        }
        if !(1..=Tree::MAX_DEPTH).contains(&self.max_depth) {
            return refuse("max_depth", "from 1 to 1000");
        }
        Ok(())
    }
}

/// Trains a tree that predicts the attribute `class` from the others. Rows without a class are left out.
///
/// # Errors
/// When the class is no nominal attribute of the table, no row has one, or a setting is out of its range.
pub fn train(table: &Table, class: usize, config: &Config) -> Result<Tree, Error> {
    config.check()?;
    let attributes = table.attributes();
    let Some(target) = attributes.get(class) else {
        return Err(Error::NoSuchClass {
            class,
            attributes: attributes.len(),
        });
    };
    if target.values().is_empty() {
        return Err(Error::NumericClass(target.name.clone()));
    }
    let has_class = |at: &u32| !table.column(class)[*at as usize].is_nan();
    let rows = (0..table.rows() as u32).filter(has_class);
    let rows: Vec<WeightedRow> = rows.map(|at| WeightedRow { at, weight: 1.0 }).collect();
    if rows.is_empty() {
        return Err(Error::NoRows);
    }
    let data = TrainingData {
        table,
        class,
        min_leaf: config.min_leaf,
    };
    let mut root = grow(&data, rows, config.max_depth);
    prune::collapse(&mut root);
    if let Some(confidence) = config.confidence {
        prune::prune(&data, &mut root, &Estimate::new(confidence), config.raise);
    }
    Ok(Tree::from_grown(table, class, &root))
}

fn grow(data: &TrainingData<'_>, rows: Vec<WeightedRow>, levels: usize) -> Grown {
    let counts = ClassCounts::from_rows(&rows, data.class_column(), data.classes());
    match choose(data, &rows, &counts).filter(|_| levels > 0) {
        None => Grown {
            is_empty: equal(counts.total(), 0.0),
            rows,
            counts,
            test: None,
            branches: Vec::new(),
        },
        Some(best) => {
            let column = data.table.column(best.test.attribute);
            let parts = best.test.split(&rows, column, &best.counts);
            let branches = parts.into_iter().map(|part| grow(data, part, levels - 1));
            Grown {
                branches: branches.collect(),
                rows,
                counts: best.counts,
                test: Some(best.test),
                is_empty: false,
            }
        }
    }
}

/// The test of a node: among the tests with at least the average gain the one with the largest gain ratio; of several the
/// first.
fn choose(data: &TrainingData<'_>, rows: &[WeightedRow], counts: &ClassCounts) -> Option<Candidate> {
    let all = counts.total();
    if smaller(all, 2.0 * data.min_leaf) || equal(counts.incorrect(), 0.0) {
        return None;
    }
    let others = (0..data.table.attributes().len()).filter(|&attribute| attribute != data.class);
    let candidates = others.filter_map(|attribute| data.candidate(attribute, rows, all));
    let candidates: Vec<Candidate> = candidates.collect();
    let average = average_gain(data, &candidates)?;
    let mut best: Option<Candidate> = None;
    for candidate in candidates {
        let best_ratio = best.as_ref().map_or(0.0, |best| best.gain_ratio);
        if candidate.gain >= average - 1e-3 && smaller(best_ratio, candidate.gain_ratio) {
            best = Some(candidate);
        }
    }
    let mut best = best?;
    best.counts
        .add_unknown(data.unknown(best.test.attribute, rows), data.class_column());
    best.test.threshold = data.observed_threshold(&best.test);
    Some(best)
}

/// The mean gain of the candidates, without nominal attributes of very many values unless there are no
/// others.
fn average_gain(data: &TrainingData<'_>, candidates: &[Candidate]) -> Option<f64> {
    let has_few = |attribute: usize| {
        let attribute = &data.table.attributes()[attribute];
        let many = 0.3 * data.table.rows() as f64;
        attribute.is_numeric() || smaller(attribute.values().len() as f64, many)
    };
    let others = (0..data.table.attributes().len()).filter(|&attribute| attribute != data.class);
    let all_have_many = !others.into_iter().any(has_few);
    let counted = candidates
        .iter()
        .filter(|candidate| all_have_many || has_few(candidate.test.attribute));
    let (count, sum) = counted.fold((0u32, 0.0), |(count, sum), one| (count + 1, sum + one.gain));
    (count > 0).then(|| sum / f64::from(count))
}
