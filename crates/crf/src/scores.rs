//! A page's columns to a score a block and label: table look-ups and additions.
//!
//! Every strip has a table from code to the rows of its offsets, side by side. A block's code adds
//! them to consecutive blocks of the (padded) scores, so that a column is one pass over its bytes.

use gleaner_features::Columns;

use crate::lanes::Row;
use crate::template::{Conjunction, Strip, Template};

/// Weights as tables of padded rows.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    template: Template,
    labels: usize,
    /// A row an attribute of the strips and conjunctions, in the order of the template.
    rows: Vec<Row>,
    hashed: Hashed,
}

/// The rows of the buckets that have any weight: few of them do.
#[derive(Clone, Debug)]
struct Hashed {
    /// For each bucket the place of its row. Those without weights share row 0, which is zero.
    places: Vec<u32>,
    rows: Vec<Row>,
}

impl Tables {
    /// Pads `weights` (attribute by attribute, a weight a label) to rows.
    pub(crate) fn new(template: &Template, labels: usize, weights: &[f32]) -> Tables {
        let (dense, hashed) = weights.split_at(template.hashed_base * labels);
        Tables {
            template: template.clone(),
            labels,
            rows: dense.chunks_exact(labels).map(Row::padded).collect(),
            hashed: Hashed::new(labels, hashed),
        }
    }

    /// Scores of a page's blocks, written into `scores`; they begin at row `reach` of it, since the
    /// strips may write that far beyond both ends.
    pub(crate) fn score<'a>(&self, page: &Columns, scores: &'a mut Vec<Row>) -> &'a mut [Row] {
        let reach = self.template.reach;
        scores.clear();
        scores.resize(page.rows() + 2 * reach, Row::empty(self.labels));
        for strip in &self.template.strips {
            let first = strip.first_row(reach);
            self.add_strip(strip, page.column(strip.column), &mut scores[first..]);
        }
        let own = &mut scores[reach..reach + page.rows()];
        for conjunction in &self.template.conjunctions {
            self.add_conjunction(conjunction, page, own);
        }
        if page.has_bags() && !self.hashed.places.is_empty() {
            self.hashed.add(page, own);
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

impl Hashed {
    fn new(labels: usize, weights: &[f32]) -> Hashed {
        let mut hashed = Hashed {
            places: Vec::new(),
            rows: vec![Row::default()],
        };
        for weights in weights.chunks_exact(labels) {
            let empty = weights.iter().all(|weight| *weight == 0.0);
            hashed
                .places
                .push(if empty { 0 } else { hashed.rows.len() as u32 });
            if !empty {
                hashed.rows.push(Row::padded(weights));
            }
        }
        hashed
    }

    fn add(&self, page: &Columns, out: &mut [Row]) {
        for (block, sum) in out.iter_mut().enumerate() {
            for &bucket in page.bag(block) {
                let place = self
                    .places
                    .get(bucket as usize)
                    .map_or(0, |&place| place as usize);
                sum.add(&self.rows[place]);
            }
        }
    }
}

impl Strip {
    /// Where the rows begin that the first block of a page adds to, if the page's own begin at `row`.
    pub(crate) fn first_row(&self, row: usize) -> usize {
        row.checked_add_signed(-self.last as isize)
            .expect("pages are padded by the template's reach")
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
