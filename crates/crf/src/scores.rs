//! A page's columns to a score a block and label: table look-ups and additions.
//!
//! Every strip has a table from code to the rows of its offsets, side by side. Columns whose codes
//! stay the same for long are added up as steps: by how much the scores rise or fall where a code
//! changes. Of the other columns a few blocks at a time go through all, so that their scores stay in
//! registers.

use gleaner_columns::{Columns, Runs, widest};

use crate::chain::Wide;
use crate::lanes::{LANES, Row};
use crate::template::{Strip, Template};

/// Blocks that are scored at once: their scores fit into the registers of AVX2.
const TILE: usize = 8;

/// Codes of a column are a byte: a table of that many rows needs no check.
const CODES: usize = 1 << u8::BITS;

/// Weights as tables of padded rows.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Without the strips that have no weights.
    template: Template,
    labels: usize,
    /// A row an attribute, in the order of the template; zeros follow.
    rows: Vec<Row>,
}

/// What scores are computed in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub struct Scores {
    rows: Vec<Row>,
    /// By how much each block's scores differ from those of the block before.
    steps: Vec<Wide>,
    /// The strips that are not in `steps`.
    unsteady: Vec<usize>,
}

impl Tables {
    /// Pads `weights` (attribute by attribute, a weight a label) to rows.
    pub fn new(template: &Template, labels: usize, weights: &[f32]) -> Tables {
        let mut template = template.clone();
        template.strips.retain(|strip| {
            let own = &weights[strip.base * labels..][..strip.codes * strip.span * labels];
            own.iter().any(|&weight| weight != 0.0)
        });
        Tables {
            labels,
            rows: weights
                .chunks_exact(labels)
                .map(Row::padded)
                .chain([Row::default(); CODES])
                .collect(),
            template,
        }
    }

    /// The rows of a strip's codes, if it is of the block's own code alone, and others behind them that no code has.
    #[inline(always)]
    fn own_rows(&self, strip: &Strip) -> &[Row; CODES] {
        let rows = self.rows[strip.base..].first_chunk();
        rows.expect("as many zeros follow the rows")
    }

    /// Scores of a page's blocks, given where its codes change.
    pub fn score<'a>(&self, page: &Columns, runs: &Runs, scores: &'a mut Scores) -> &'a mut [Row] {
        widest(
            #[inline(always)]
            || self.add(page, runs, scores),
        );
        &mut scores.rows
    }

    #[inline(always)]
    fn add(&self, page: &Columns, runs: &Runs, out: &mut Scores) {
        self.add_steady(page, runs, out);
        let Scores { rows, unsteady, .. } = out;
        let (tiles, rest) = rows.as_chunks_mut::<TILE>();
        let strips = &self.template.strips;
        let are_own = unsteady.iter().all(|&strip| strips[strip].is_own());
        for (number, tile) in tiles.iter_mut().enumerate() {
            match are_own {
                true => self.add_own_tile(page, unsteady, number * TILE, tile),
                false => self.add_tile(page, unsteady, number * TILE, tile),
            }
        }
        if !rest.is_empty() {
            let mut tile = [Row::default(); TILE];
            tile[..rest.len()].copy_from_slice(rest);
            self.add_tile(page, unsteady, page.rows() - rest.len(), &mut tile);
            rest.copy_from_slice(&tile[..rest.len()]);
        }
    }

    /// Begins the scores with the columns that keep their codes for long, and notes the others.
    // Nine codes in ten are those of the block before. Such a column changes the scores only where its code changes: the
    // differences are noted there, and added up over the blocks once for all columns. In f64, since each difference stays in
    // the sum up to the last block.
    #[inline(always)]
    fn add_steady(&self, page: &Columns, runs: &Runs, out: &mut Scores) {
        out.rows.clear();
        out.unsteady.clear();
        out.steps.clear();
        out.steps.resize(page.rows(), [0.0; LANES]);
        for (number, strip) in self.template.strips.iter().enumerate() {
            let codes = page.column(strip.column);
            match runs.places(strip.column) {
                None => out.unsteady.push(number),
                Some(places) if strip.is_own() => {
                    add_own_steps(self.own_rows(strip), codes, places, &mut out.steps);
                }
                Some(places) => self.add_steps(strip, codes, places, &mut out.steps),
            }
        }
        let mut sum = Row::empty(self.labels).0.map(f64::from);
        for step in &out.steps {
            for (sum, step) in sum.iter_mut().zip(step) {
                *sum += step;
            }
            out.rows.push(Row(sum.map(|score| score as f32)));
        }
    }

    /// Adds the steps of a column that has another code at `places`.
    #[inline(always)]
    fn add_steps(&self, strip: &Strip, codes: &[u8], places: &[u32], steps: &mut [Wide]) {
        let table = &self.rows[strip.base..strip.base + strip.codes * strip.span];
        let count = codes.len() as isize;
        for place in 0..strip.span {
            let row = |code: u8| &table[usize::from(code) * strip.span + place];
            // Blocks from `first` up to `end` have a neighbour at this offset.
            let offset = strip.last as isize - place as isize;
            let (first, end) = (0.max(-offset), count.min(count - offset));
            if first >= end {
                continue;
            }
            let nothing = Row::default();
            step(
                &mut steps[first as usize],
                &nothing,
                row(codes[(first + offset) as usize]),
            );
            for &at in places {
                let block = at as isize - offset;
                if first < block && block < end {
                    let (before, code) = (codes[at as usize - 1], codes[at as usize]);
                    step(&mut steps[block as usize], row(before), row(code));
                }
            }
            if end < count {
                step(&mut steps[end as usize], row(codes[codes.len() - 1]), &nothing);
            }
        }
    }

    /// Adds the rows of some strips to the scores of the blocks from `first` on. The scores of a tile for
    /// blocks behind the page's end mean nothing.
    #[inline(always)]
    fn add_tile(&self, page: &Columns, strips: &[usize], first: usize, tile: &mut [Row; TILE]) {
        let mut sums = *tile;
        for &strip in strips {
            let strip = &self.template.strips[strip];
            let table = &self.rows[strip.base..strip.base + strip.codes * strip.span];
            let codes = page.column(strip.column);
            for place in 0..strip.span {
                let offset = strip.last as isize - place as isize;
                let start = first as isize + offset;
                let whole = usize::try_from(start)
                    .ok()
                    .and_then(|start| codes.get(start..)?.first_chunk::<TILE>());
                let Some(codes) = whole else {
                    sums = add_edge(table, strip.span, place, codes, start, sums);
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

    /// The same of strips that are of the block's own code alone, on a tile that is all of the page.
    #[inline(always)]
    fn add_own_tile(&self, page: &Columns, strips: &[usize], first: usize, tile: &mut [Row; TILE]) {
        let mut sums = *tile;
        for &strip in strips {
            let strip = &self.template.strips[strip];
            let rows = self.own_rows(strip);
            let Some(codes) = page.column(strip.column)[first..].first_chunk::<TILE>() else {
                return;
            };
            for block in 0..TILE {
                sums[block].add(&rows[usize::from(codes[block])]);
            }
        }
        *tile = sums;
    }
}

/// [`Tables::add_steps`] of a strip that is of the block's own code alone.
#[inline(always)]
fn add_own_steps(rows: &[Row; CODES], codes: &[u8], places: &[u32], steps: &mut [Wide]) {
    let (Some(first), Some(&code)) = (steps.first_mut(), codes.first()) else {
        return;
    };
    let mut before = &rows[usize::from(code)];
    step(first, &Row::default(), before);
    for &at in places {
        let row = &rows[usize::from(codes[at as usize])];
        step(&mut steps[at as usize], before, row);
        before = row;
    }
}

/// Adds the step from one row to another.
#[inline(always)]
fn step(sum: &mut Wide, before: &Row, after: &Row) {
    let mut here = *sum;
    for (sum, (after, before)) in here.iter_mut().zip(after.0.iter().zip(&before.0)) {
        *sum += f64::from(*after) - f64::from(*before);
    }
    *sum = here;
}

/// [`Tables::add_tile`] near an end of the page, where some of the codes are missing. (By value: what has an
/// address stays out of registers.)
#[inline(never)]
fn add_edge(
    table: &[Row],
    span: usize,
    place: usize,
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

impl Strip {
    /// Whether it is of the block's own code alone.
    fn is_own(&self) -> bool {
        self.span == 1 && self.last == 0
    }
}

#[cfg(test)]
mod tests {
    use gleaner_columns::ColumnInfo;

    use super::*;
    use crate::TemplateConfig;

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

    /// Pages of 0 to 69 blocks; every second column keeps its codes for long.
    fn pages() -> impl Iterator<Item = Columns> {
        (0..70).map(|rows| {
            let mut page = Columns::default();
            page.reset(rows, 5);
            for column in 0..5 {
                let length = if column % 2 == 1 { 5 + column } else { 1 };
                let code = |block: usize| {
                    let run = block / length;
                    (run * run + column * 3) as u8 % 7
                };
                (0..rows).for_each(|block| page.column_mut(column)[block] = code(block));
            }
            page
        })
    }

    #[test]
    fn every_way_gives_the_sums_of_the_definition() {
        check_ways(&[("", vec![-2, -1, 0, 1, 2]), ("c3", vec![-9, -8, 0, 7])]);
        check_ways(&[("", vec![0])]);
    }

    fn check_ways(offsets: &[(&str, Vec<i32>)]) {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: 7,
        };
        let columns: Vec<ColumnInfo> = (0..5).map(column).collect();
        let config = TemplateConfig {
            offsets: offsets
                .iter()
                .map(|(name, offsets)| (name.to_string(), offsets.clone()))
                .collect(),
            ..TemplateConfig::default()
        };
        let template = Template::compile(&config, &columns).unwrap();
        let weight = |place: usize| (place as f32 * 0.7).sin() * 3.0;
        let weights: Vec<f32> = (0..template.attributes() * 5).map(weight).collect();
        let tables = Tables::new(&template, 5, &weights);
        let (mut widest, mut plain) = (Scores::default(), Scores::default());
        let mut ways = [0, 0];
        for page in pages() {
            let mut runs = Runs::default();
            runs.read(&page);
            let own = tables.score(&page, &runs, &mut widest);
            tables.add(&page, &runs, &mut plain);
            assert_eq!(own, plain.rows, "other bits with other vectors");
            for (own, expected) in own.iter().zip(one_by_one(&tables, &page)) {
                for lane in 0..5 {
                    assert!(
                        (own.0[lane] - expected.0[lane]).abs() < 1e-4,
                        "{own:?} {expected:?}"
                    );
                }
                assert!(own.0[5..].iter().all(|score| *score < -1e29));
            }
            ways[0] += plain.unsteady.len();
            ways[1] += template.strips.len() - plain.unsteady.len();
        }
        assert!(ways[0] > 100 && ways[1] > 100, "{ways:?}");
    }
}
