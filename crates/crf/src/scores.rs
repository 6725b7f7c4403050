//! A page's columns to a score a block and label: table look-ups and additions.
//!
//! Every strip has a table from code to the rows of its offsets, side by side. A block's code adds
//! them to consecutive blocks of the (padded) scores, so that a column is one pass over its bytes.

use gleaner_features::Columns;

use crate::lanes::Row;
use crate::template::{Conjunction, Strip, Template};

/// Weights as tables: a padded row an attribute, in the order of the template.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    template: Template,
    labels: usize,
    rows: Vec<Row>,
}

impl Tables {
    /// Pads `weights` (attribute by attribute, a weight a label) to rows.
    pub(crate) fn new(template: &Template, labels: usize, weights: &[f32]) -> Tables {
        let rows = weights.chunks_exact(labels).map(Row::padded).collect();
        Tables {
            template: template.clone(),
            labels,
            rows,
        }
    }

    /// Scores of a page's blocks, written into `scores`; they begin at row `reach` of it, since the
    /// strips may write that far beyond both ends.
    pub(crate) fn score<'a>(&self, page: &Columns, scores: &'a mut Vec<Row>) -> &'a mut [Row] {
        let reach = self.template.reach();
        scores.clear();
        scores.resize(page.rows() + 2 * reach, Row::empty(self.labels));
        for strip in &self.template.strips {
            let first = (reach as i32 - strip.last) as usize;
            self.add_strip(strip, page.column(strip.column), &mut scores[first..]);
        }
        let own = &mut scores[reach..reach + page.rows()];
        for conjunction in &self.template.conjunctions {
            self.add_conjunction(conjunction, page, own);
        }
        own
    }

    fn add_strip(&self, strip: &Strip, codes: &[u8], out: &mut [Row]) {
        let table = &self.rows[strip.base..strip.base + strip.codes * strip.span];
        match strip.span {
            1 => add_strip::<1>(table, codes, out),
            2 => add_strip::<2>(table, codes, out),
            3 => add_strip::<3>(table, codes, out),
            4 => add_strip::<4>(table, codes, out),
            _ => add_strip::<5>(table, codes, out),
        }
    }

    fn add_conjunction(&self, conjunction: &Conjunction, page: &Columns, out: &mut [Row]) {
        for (block, sum) in out.iter_mut().enumerate() {
            if let Some(attribute) = conjunction.attribute(page, block) {
                sum.add(&self.rows[attribute]);
            }
        }
    }
}

/// Adds the rows of each block's code to the `SPAN` scores that begin at the block.
fn add_strip<const SPAN: usize>(table: &[Row], codes: &[u8], out: &mut [Row]) {
    let (table, _) = table.as_chunks::<SPAN>();
    for (block, &code) in codes.iter().enumerate() {
        let Some(rows) = table.get(usize::from(code)) else {
            continue;
        };
        for (sum, row) in out[block..block + SPAN].iter_mut().zip(rows) {
            sum.add(row);
        }
    }
}

impl Conjunction {
    /// The attribute that holds for a block; none where a part lies outside the page.
    pub(crate) fn attribute(&self, page: &Columns, block: usize) -> Option<usize> {
        let mut code = 0;
        for &(column, offset, factor) in &self.parts {
            let place = block.checked_add_signed(offset as isize)?;
            code += usize::from(*page.column(column).get(place)?) * factor;
        }
        (code < self.codes).then_some(self.base + code)
    }
}
