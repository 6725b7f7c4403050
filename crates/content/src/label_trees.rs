//! Boosted trees that judge labels, some for each.
//!
//! A label's trees add up to its score. What is decided by is the geometric mean of two distributions over the labels of a
//! page, the chain's and that of the trees, which judge each block by itself: so both scores count by their share, and
//! transitions by that of the weights.
//!
//! The trees may ask about a block's own codes, and about those of its neighbours where the template has them: see
//! [`Inputs`].

use std::collections::BTreeSet;

use gleaner_columns::{Columns, Runs};
use gleaner_crf::{Row, Template};
use gleaner_gbdt::{Forest, Scratch, Trees};

use crate::FeatureSpace;

/// What the trees of a template may ask about: a column's codes of the block itself have the column's number, and those
/// at each other offset as many more as there are columns.
#[derive(Clone, Debug)]
pub(crate) struct Inputs {
    columns: usize,
    /// The offsets that the template has, without zero, ascending.
    offsets: Vec<i32>,
}

impl Inputs {
    pub(crate) fn new(template: &Template, space: &FeatureSpace) -> Inputs {
        let all: BTreeSet<i32> = asked_about(template).map(|(_, offset)| offset).collect();
        Inputs {
            columns: space.columns.len(),
            offsets: all.into_iter().filter(|&offset| offset != 0).collect(),
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.columns * (1 + self.offsets.len())
    }

    /// The number of a column at one of the offsets.
    pub(crate) fn number(&self, column: usize, offset: i32) -> usize {
        let place = self.offsets.iter().position(|&other| other == offset);
        column + self.columns * place.map_or(0, |place| place + 1)
    }

    /// The column of a number, and the offset.
    pub(crate) fn column(&self, number: usize) -> (usize, i32) {
        let (place, column) = (number / self.columns, number % self.columns);
        let offset = place.checked_sub(1).map_or(0, |place| self.offsets[place]);
        (column, offset)
    }
}

/// The columns that a template has, each with its offsets.
pub(crate) fn asked_about(template: &Template) -> impl Iterator<Item = (usize, i32)> {
    template.strips().iter().flat_map(|strip| {
        let first = strip.last + 1 - strip.span as i32;
        (first..=strip.last).map(|offset| (strip.column, offset))
    })
}

/// A column's codes as the blocks see them at an offset. Blocks without such a neighbour see code 0.
pub(crate) fn shifted(codes: &[u8], offset: i32) -> impl Iterator<Item = u8> {
    let at = move |block: usize| block.checked_add_signed(offset as isize);
    (0..codes.len()).map(move |block| at(block).and_then(|at| codes.get(at)).copied().unwrap_or(0))
}

/// Trees for each label, laid out for tagging.
#[derive(Clone, Debug)]
pub(crate) struct LabelForests {
    forests: Vec<Forest>,
    inputs: Inputs,
    /// The numbers of the columns of neighbours.
    of_neighbours: Vec<usize>,
}

/// What trees are asked in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joining {
    scratch: Scratch,
    /// The page with what blocks see of their neighbours.
    page: Columns,
    runs: Runs,
}

impl LabelForests {
    /// None for no trees.
    pub(crate) fn new(trees: &[Trees], inputs: Inputs) -> Option<LabelForests> {
        let splits = trees.iter().flat_map(|trees| &trees.splits);
        let asked: BTreeSet<usize> = splits.map(|split| usize::from(split.question.input)).collect();
        (!trees.is_empty()).then(|| LabelForests {
            forests: trees.iter().map(Forest::new).collect(),
            of_neighbours: asked.range(inputs.columns..).copied().collect(),
            inputs,
        })
    }

    /// Has the trees judge beside the weights' scores of a page's blocks.
    pub(crate) fn join(&self, page: &Columns, runs: &Runs, joining: &mut Joining, scores: &mut [Row]) {
        let Joining {
            scratch,
            page: spread,
            runs: spread_runs,
        } = joining;
        let (page, runs) = if self.of_neighbours.is_empty() {
            (page, runs)
        } else {
            self.spread(page, spread);
            spread_runs.read(spread);
            (&*spread, &*spread_runs)
        };
        for (label, forest) in self.forests.iter().enumerate() {
            let sums = forest.ask(page, runs, &[], scratch);
            for (row, &sum) in scores.iter_mut().zip(sums) {
                row.0[label] = forest.join(row.0[label], sum);
            }
        }
    }

    /// Writes a page with what its blocks see of their neighbours.
    fn spread(&self, page: &Columns, out: &mut Columns) {
        out.reset(page.rows(), self.inputs.count());
        for column in 0..page.columns() {
            out.column_mut(column).copy_from_slice(page.column(column));
        }
        for &number in &self.of_neighbours {
            let (column, offset) = self.inputs.column(number);
            let codes = shifted(page.column(column), offset);
            out.column_mut(number)
                .iter_mut()
                .zip(codes)
                .for_each(|(to, code)| *to = code);
        }
    }
}

/// What transitions count beside the trees of each label.
pub(crate) fn transitions(transitions: &[f32], trees: &[Trees]) -> Vec<f32> {
    let share = trees.first().map_or(0.0, |trees| trees.share);
    transitions.iter().map(|score| score * (1.0 - share)).collect()
}

#[cfg(test)]
mod tests {
    use gleaner_columns::ColumnInfo;

    use super::*;
    use gleaner_crf::TemplateConfig;

    #[test]
    fn each_column_has_a_number_at_each_offset() {
        let column = |name: &str| ColumnInfo {
            name: name.to_owned(),
            cardinality: 4,
        };
        let space = FeatureSpace {
            columns: vec![column("a"), column("b"), column("c")],
            ..FeatureSpace::default()
        };
        let offsets = [("", vec![0]), ("a", vec![-2, 0, 1]), ("c", vec![])];
        let config = TemplateConfig {
            offsets: offsets.map(|(name, offsets)| (name.to_owned(), offsets)).into(),
            ..TemplateConfig::default()
        };
        let template = Template::compile(&config, &space.columns).unwrap();
        let inputs = Inputs::new(&template, &space);
        let all: Vec<(usize, i32)> = asked_about(&template).collect();
        let numbers: Vec<usize> = all
            .iter()
            .map(|&(column, offset)| inputs.number(column, offset))
            .collect();
        assert_eq!(all, [(0, -2), (0, 0), (0, 1), (1, 0)]);
        assert_eq!(numbers, [3, 0, 6, 1]);
        assert_eq!(inputs.count(), 9);
        for (number, expected) in numbers.into_iter().zip(all) {
            assert_eq!(inputs.column(number), expected);
        }
    }

    #[test]
    fn blocks_at_the_ends_see_nothing_there() {
        let seen = |offset| shifted(&[5, 6, 7], offset).collect::<Vec<u8>>();
        assert_eq!(
            [seen(-1), seen(0), seen(2), seen(-9)],
            [[0, 5, 6], [5, 6, 7], [7, 0, 0], [0; 3]]
        );
    }
}
