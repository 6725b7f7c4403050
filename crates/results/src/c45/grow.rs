//! A tree from rows.

use serde::{Deserialize, Serialize};

use super::counts::{Counts, equal, smaller};
use super::estimate::Estimate;
use super::split::{Candidate, Lesson, Row, Test};
use super::{prune, table::Table, tree::Tree};
use crate::error::Error;

/// How trees are trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The weight that at least two branches of a test must have.
    pub least: f64,
    /// The confidence of the estimate of errors: less prunes more. Without one only such
    /// subtrees go as tell no more than a leaf of the training rows.
    pub confidence: Option<f64>,
    /// Whether a test's largest branch may take its place.
    pub raise: bool,
    /// How deep a tree may be.
    pub max_depth: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            least: 2.0,
            confidence: Some(0.25),
            raise: true,
            max_depth: 500,
        }
    }
}

impl Config {
    fn check(&self) -> Result<(), Error> {
        let refuse = |setting, range| Err(Error::Setting { setting, range });
        if !(self.least > 0.0 && self.least.is_finite()) {
            return refuse("least", "above 0");
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

/// A node while a tree grows: it knows its rows.
#[derive(Clone, Debug)]
pub(crate) struct Grown {
    pub(crate) rows: Vec<Row>,
    pub(crate) counts: Counts,
    /// A leaf has none.
    pub(crate) test: Option<Test>,
    pub(crate) branches: Vec<Grown>,
    /// Whether no rows came here.
    pub(crate) is_empty: bool,
}

/// Trains a tree that tells the attribute `class` from the others. Rows without a class are left out.
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
        return Err(Error::NumericClass {
            name: target.name.clone(),
        });
    }
    let has_class = |at: &u32| !table.column(class)[*at as usize].is_nan();
    let rows = (0..table.rows() as u32).filter(has_class);
    let rows: Vec<Row> = rows.map(|at| Row { at, weight: 1.0 }).collect();
    if rows.is_empty() {
        return Err(Error::NoRows);
    }
    let lesson = Lesson {
        table,
        class,
        least: config.least,
    };
    let mut root = grow(&lesson, rows, config.max_depth);
    prune::collapse(&mut root);
    if let Some(confidence) = config.confidence {
        prune::prune(&lesson, &mut root, &Estimate::new(confidence), config.raise);
    }
    Ok(Tree::of(table, class, &root))
}

fn grow(lesson: &Lesson<'_>, rows: Vec<Row>, levels: usize) -> Grown {
    let counts = Counts::of_rows(&rows, lesson.class_column(), lesson.classes());
    match choose(lesson, &rows, &counts).filter(|_| levels > 0) {
        None => Grown {
            is_empty: equal(counts.total(), 0.0),
            rows,
            counts,
            test: None,
            branches: Vec::new(),
        },
        Some(best) => {
            let column = lesson.table.column(best.test.attribute);
            let parts = best.test.split(&rows, column, &best.counts);
            let branches = parts.into_iter().map(|part| grow(lesson, part, levels - 1));
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

/// The test of a node: of those that gain at least as much as all do on average the one with the largest
/// gain ratio, of several the first.
fn choose(lesson: &Lesson<'_>, rows: &[Row], counts: &Counts) -> Option<Candidate> {
    let all = counts.total();
    if smaller(all, 2.0 * lesson.least) || equal(counts.incorrect(), 0.0) {
        return None;
    }
    let others = (0..lesson.table.attributes().len()).filter(|&attribute| attribute != lesson.class);
    let candidates = others.filter_map(|attribute| lesson.candidate(attribute, rows, all));
    let candidates: Vec<Candidate> = candidates.collect();
    let average = average_gain(lesson, &candidates)?;
    let mut best: Option<Candidate> = None;
    for candidate in candidates {
        let best_ratio = best.as_ref().map_or(0.0, |best| best.gain_ratio);
        if candidate.gain >= average - 1e-3 && smaller(best_ratio, candidate.gain_ratio) {
            best = Some(candidate);
        }
    }
    let mut best = best?;
    best.counts
        .add_unknown(lesson.unknown(best.test.attribute, rows), lesson.class_column());
    best.test.threshold = lesson.observed_threshold(&best.test);
    Some(best)
}

/// The mean gain of the candidates, without nominal attributes of very many values unless there are no
/// others.
fn average_gain(lesson: &Lesson<'_>, candidates: &[Candidate]) -> Option<f64> {
    let has_few = |attribute: usize| {
        let attribute = &lesson.table.attributes()[attribute];
        let many = 0.3 * lesson.table.rows() as f64;
        attribute.is_numeric() || smaller(attribute.values().len() as f64, many)
    };
    let others = (0..lesson.table.attributes().len()).filter(|&attribute| attribute != lesson.class);
    let all_have_many = !others.into_iter().any(has_few);
    let counted = candidates
        .iter()
        .filter(|candidate| all_have_many || has_few(candidate.test.attribute));
    let (count, sum) = counted.fold((0u32, 0.0), |(count, sum), one| (count + 1, sum + one.gain));
    (count > 0).then(|| sum / f64::from(count))
}
