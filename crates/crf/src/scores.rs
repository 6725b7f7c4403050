//! A page's columns to a score a block and label: table look-ups and additions.
//!
//! Every strip has a table from code to the rows of its offsets, side by side. A block's code adds
//! them to consecutive blocks of the (padded) scores, so that a column is one pass over its bytes.

use gleaner_features::Columns;

use crate::lanes::Row;
use crate::simd::widest;
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
        widest(
            #[inline(always)]
            || self.add(page, scores),
        );
        &mut scores[reach..reach + page.rows()]
    }

    #[inline(always)]
    fn add(&self, page: &Columns, scores: &mut [Row]) {
        let reach = self.template.reach;
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
    }

    #[inline(always)]
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

    #[inline(always)]
    fn add_conjunction(&self, conjunction: &Conjunction, page: &Columns, out: &mut [Row]) {
        for (block, sum) in out.iter_mut().enumerate() {
            if let Some(attribute) = conjunction.attribute(page, block) {
                sum.add(&self.rows[attribute]);
            }
        }
    }
}

/// Adds the rows of each block's code to the `SPAN` scores that begin at the block.
///
/// Seen from a score: it takes row k of the block k before it. So each is loaded and stored once,
/// and none waits for another. (Plain loops: what is handed to an iterator as a closure would not
/// be compiled for AVX2.)
#[inline(always)]
fn add_strip<const SPAN: usize>(table: &[Row], codes: &[u8], out: &mut [Row]) {
    let (table, _) = table.as_chunks::<SPAN>();
    let inner = SPAN - 1..codes.len().max(SPAN - 1);
    for edge in (0..inner.start).chain(inner.end..codes.len() + SPAN - 1) {
        add_edge(table, codes, edge, &mut out[edge]);
    }
    for (out, codes) in out[inner].iter_mut().zip(codes.array_windows::<SPAN>()) {
        let mut sum = *out;
        for place in 0..SPAN {
            if let Some(rows) = table.get(usize::from(codes[SPAN - 1 - place])) {
                sum.add(&rows[place]);
            }
        }
        *out = sum;
    }
}

/// The same for a score near an end of the page, where some of the blocks are missing.
fn add_edge<const SPAN: usize>(table: &[[Row; SPAN]], codes: &[u8], edge: usize, out: &mut Row) {
    for place in 0..SPAN.min(edge + 1) {
        let rows = codes
            .get(edge - place)
            .and_then(|&code| table.get(usize::from(code)));
        if let Some(rows) = rows {
            out.add(&rows[place]);
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

    #[inline(always)]
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

#[cfg(test)]
mod tests {
    use gleaner_features::ColumnInfo;

    use super::*;
    use crate::{FeatureSpace, TemplateConfig};

    #[test]
    fn the_same_bits_on_every_processor() {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: 7,
        };
        let space = FeatureSpace {
            columns: (0..5).map(column).collect(),
            ..FeatureSpace::default()
        };
        let template = Template::compile(&TemplateConfig::default(), &space).unwrap();
        let weight = |place: usize| (place as f32 * 0.7).sin() * 3.0;
        let weights: Vec<f32> = (0..template.attributes() * 5).map(weight).collect();
        let tables = Tables::new(&template, 5, &weights);
        for rows in 0..12 {
            let mut page = Columns::default();
            page.reset(rows, 5);
            for column in 0..5 {
                let code = |block: usize| (block * block + column * 3) as u8 % 7;
                (0..rows).for_each(|block| page.column_mut(column)[block] = code(block));
            }
            let mut widest = Vec::new();
            let own = tables.score(&page, &mut widest).to_vec();
            let mut plain = vec![Row::empty(5); rows + 4];
            tables.add(&page, &mut plain);
            assert_eq!(own, plain[2..rows + 2]);
        }
    }
}
