//! A page's columns to a score a block and label: table look-ups and additions.
//!
//! Every strip has a table from code to the rows of its offsets, side by side. A few blocks at a time
//! go through all columns, so that their scores stay in registers.

use gleaner_features::Columns;

use crate::lanes::Row;
use crate::simd::widest;
use crate::template::{Conjunction, Template};

/// How many blocks are scored at once: their scores fit into the registers of AVX2.
const TILE: usize = 8;

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

    /// Scores of a page's blocks, written into `scores`.
    pub(crate) fn score<'a>(&self, page: &Columns, scores: &'a mut Vec<Row>) -> &'a mut [Row] {
        scores.clear();
        scores.resize(page.rows(), Row::empty(self.labels));
        widest(
            #[inline(always)]
            || self.add(page, scores),
        );
        scores
    }

    #[inline(always)]
    fn add(&self, page: &Columns, scores: &mut [Row]) {
        let (tiles, rest) = scores.as_chunks_mut::<TILE>();
        for (number, tile) in tiles.iter_mut().enumerate() {
            self.add_tile(page, number * TILE, tile);
        }
        if !rest.is_empty() {
            let mut tile = [Row::default(); TILE];
            tile[..rest.len()].copy_from_slice(rest);
            self.add_tile(page, page.rows() - rest.len(), &mut tile);
            rest.copy_from_slice(&tile[..rest.len()]);
        }
        for conjunction in &self.template.conjunctions {
            self.add_conjunction(conjunction, page, scores);
        }
        if page.has_bags() && !self.hashed.places.is_empty() {
            self.hashed.add(page, scores);
        }
    }

    /// Adds the rows of all strips to the scores of the blocks from `first` on. What a tile says of
    /// blocks behind the page's end means nothing.
    #[inline(always)]
    fn add_tile(&self, page: &Columns, first: usize, tile: &mut [Row; TILE]) {
        let mut sums = *tile;
        for strip in &self.template.strips {
            let table = &self.rows[strip.base..strip.base + strip.codes * strip.span];
            let codes = page.column(strip.column);
            for place in 0..strip.span {
                let offset = strip.last as isize - place as isize;
                let start = first as isize + offset;
                let whole = usize::try_from(start)
                    .ok()
                    .and_then(|start| codes.get(start..)?.first_chunk::<TILE>());
                let Some(codes) = whole else {
                    sums = add_edge((table, strip.span, place), codes, start, sums);
                    continue;
                };
                // (A plain loop: what is handed to an iterator as a closure would not be compiled
                // for AVX2.)
                for block in 0..TILE {
                    if let Some(row) = table.get(usize::from(codes[block]) * strip.span + place) {
                        sums[block].add(row);
                    }
                }
            }
        }
        *tile = sums;
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

/// The same near an end of the page, where some of the codes are missing. (By value: what has an
/// address stays out of registers.)
#[inline(never)]
fn add_edge(
    (table, span, place): (&[Row], usize, usize),
    codes: &[u8],
    start: isize,
    mut sums: [Row; TILE],
) -> [Row; TILE] {
    for (block, sum) in sums.iter_mut().enumerate() {
        let at = usize::try_from(start + block as isize).ok();
        let code = at.and_then(|at| codes.get(at));
        if let Some(row) = code.and_then(|&code| table.get(usize::from(code) * span + place)) {
            sum.add(row);
        }
    }
    sums
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
        let mut before: &[u32] = &[];
        // The rows of the bag at hand that are not zero: neighbours often have the same bag.
        let mut places: Vec<u32> = Vec::new();
        for (block, sum) in out.iter_mut().enumerate() {
            let bag = page.bag(block);
            if bag != before {
                before = bag;
                places.clear();
                let known = bag.iter().filter_map(|&bucket| self.places.get(bucket as usize));
                places.extend(known.filter(|&&place| place != 0));
            }
            for &place in &places {
                sum.add(&self.rows[place as usize]);
            }
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

#[cfg(test)]
mod tests {
    use gleaner_features::ColumnInfo;

    use super::*;
    use crate::{FeatureSpace, TemplateConfig};

    /// Block by block, column by column, farthest offset first.
    fn one_by_one(tables: &Tables, page: &Columns) -> Vec<Row> {
        let mut scores = vec![Row::empty(tables.labels); page.rows()];
        for (block, sum) in scores.iter_mut().enumerate() {
            for strip in &tables.template.strips {
                for place in 0..strip.span {
                    let at = block as i32 + strip.last - place as i32;
                    let code = usize::try_from(at)
                        .ok()
                        .and_then(|at| page.column(strip.column).get(at));
                    if let Some(&code) = code {
                        sum.add(&tables.rows[strip.base + usize::from(code) * strip.span + place]);
                    }
                }
            }
        }
        scores
    }

    #[test]
    fn the_same_bits_in_every_way() {
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
        for rows in 0..27 {
            let mut page = Columns::default();
            page.reset(rows, 5);
            for column in 0..5 {
                let code = |block: usize| (block * block + column * 3) as u8 % 7;
                (0..rows).for_each(|block| page.column_mut(column)[block] = code(block));
            }
            let mut widest = Vec::new();
            let own = tables.score(&page, &mut widest).to_vec();
            let mut plain = vec![Row::empty(5); rows];
            tables.add(&page, &mut plain);
            assert_eq!(own, plain);
            assert_eq!(own, one_by_one(&tables, &page));
        }
    }
}
