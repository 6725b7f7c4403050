//! The gradient of the strips' weights: the residuals of the blocks of each code, added up.

use gleaner_columns::{Changes, widest};

use super::pages::{Page, Pages};
use crate::chain::Wide;
use crate::lanes::{LANES, Row};
use crate::template::Strip;

/// Approximate rows per task: they have to stay in the cache.
const GROUP: usize = 256;

/// Blocks one after the other are added to tables in turn. They often have the same code, and a row
/// that has just been stored is not quickly read again.
const COPIES: usize = 4;

/// Cuts the strips into groups, a task each.
pub(super) fn groups(strips: &[Strip]) -> Vec<&[Strip]> {
    let mut groups = Vec::new();
    let (mut first, mut rows) = (0, 0);
    for (place, strip) in strips.iter().enumerate() {
        rows += size(strip);
        if rows >= GROUP || place + 1 == strips.len() {
            groups.push(&strips[first..=place]);
            (first, rows) = (place + 1, 0);
        }
    }
    groups
}

/// How many rows of weights some strips have.
pub(super) fn rows(strips: &[Strip]) -> usize {
    strips.iter().map(size).sum()
}

fn size(strip: &Strip) -> usize {
    strip.codes * strip.span
}

/// What a thread sums in.
#[derive(Default)]
pub(super) struct StripScratch {
    /// Sums of a portion's pages, block by block.
    blocks: Vec<Row>,
    /// Sums of all pages, run by run.
    runs: Vec<Wide>,
    /// The sums of a page's residuals up to each block.
    before: Vec<Wide>,
    changes: Changes,
}

impl StripScratch {
    /// Writes the gradient of some strips. Columns whose codes stay the same for long are summed
    /// run by run, the others block by block.
    pub(super) fn sum(
        &mut self,
        strips: &[Strip],
        pages: &Pages<'_>,
        residuals: &[Row],
        labels: usize,
        gradient: &mut [f64],
    ) {
        let size = rows(strips);
        gradient.fill(0.0);
        self.runs.clear();
        self.runs.resize(size, [0.0; LANES]);
        for pages in pages.portions() {
            self.blocks.clear();
            self.blocks.resize(COPIES * size, Row::default());
            widest(
                #[inline(always)]
                || {
                    for page in pages {
                        self.add_page(strips, page, residuals);
                    }
                },
            );
            self.add_blocks(strips, labels, gradient);
        }
        add_rows(self.runs.iter().copied(), labels, gradient);
    }

    #[inline(always)]
    fn add_page(&mut self, strips: &[Strip], page: &Page<'_>, residuals: &[Row]) {
        sums_before(&residuals[page.row..][..page.len()], &mut self.before);
        let mut first = 0;
        for strip in strips {
            let own = first..first + size(strip);
            first = own.end;
            let codes = page.columns.column(strip.column);
            match self.changes.places(codes) {
                Some(places) => add_runs(strip, codes, places, &self.before, &mut self.runs[own]),
                None => {
                    let tables = &mut self.blocks[COPIES * own.start..COPIES * own.end];
                    add_page_blocks(strip, page, residuals, tables);
                }
            }
        }
    }

    /// Adds the tables of a portion to the gradient.
    fn add_blocks(&self, strips: &[Strip], labels: usize, mut gradient: &mut [f64]) {
        let mut tables = self.blocks.as_slice();
        for strip in strips {
            let (own, after) = tables.split_at(COPIES * size(strip));
            let (slopes, slopes_after) = gradient.split_at_mut(size(strip) * labels);
            for table in own.chunks_exact(size(strip)) {
                add_rows(table.iter().map(|row| row.0.map(f64::from)), labels, slopes);
            }
            (tables, gradient) = (after, slopes_after);
        }
    }
}

/// Adds rows to the gradient, attribute by attribute.
fn add_rows(rows: impl Iterator<Item = Wide>, labels: usize, gradient: &mut [f64]) {
    for (slopes, row) in gradient.chunks_exact_mut(labels).zip(rows) {
        slopes.iter_mut().zip(&row).for_each(|(slope, sum)| *slope += sum);
    }
}

/// For each block, and for the page's end, the sum of the residuals of the blocks before it.
#[inline(always)]
fn sums_before(residuals: &[Row], out: &mut Vec<Wide>) {
    out.clear();
    let mut sum = [0.0; LANES];
    out.push(sum);
    for row in residuals {
        for (sum, value) in sum.iter_mut().zip(&row.0) {
            *sum += f64::from(*value);
        }
        out.push(sum);
    }
}

/// Adds the residuals of each run's blocks: the difference of two sums.
#[inline(always)]
fn add_runs(strip: &Strip, codes: &[u8], places: &[u32], before: &[Wide], table: &mut [Wide]) {
    let most = codes.len() as isize;
    for place in 0..strip.span {
        let offset = strip.last as isize - place as isize;
        let block = |code: usize| (code as isize - offset).clamp(0, most) as usize;
        let mut start = 0;
        let ends = places.iter().map(|&end| end as usize);
        for end in ends.chain([codes.len()]) {
            let (low, high) = (&before[block(start)], &before[block(end)]);
            let row = &mut table[usize::from(codes[start]) * strip.span + place];
            let mut sum = *row;
            for (sum, (high, low)) in sum.iter_mut().zip(high.iter().zip(low)) {
                *sum += high - low;
            }
            *row = sum;
            start = end;
        }
    }
}

#[inline(always)]
fn add_page_blocks(strip: &Strip, page: &Page<'_>, residuals: &[Row], tables: &mut [Row]) {
    let residuals = &residuals[strip.first_row(page.row)..];
    let codes = page.columns.column(strip.column);
    match strip.span {
        1 => sum_strip::<1>(codes, residuals, tables),
        2 => sum_strip::<2>(codes, residuals, tables),
        3 => sum_strip::<3>(codes, residuals, tables),
        4 => sum_strip::<4>(codes, residuals, tables),
        _ => sum_strip::<5>(codes, residuals, tables),
    }
}

/// Adds the `SPAN` residuals from each block on to the rows of its code.
#[inline(always)]
fn sum_strip<const SPAN: usize>(codes: &[u8], residuals: &[Row], tables: &mut [Row]) {
    let (tables, _) = tables.as_chunks_mut::<SPAN>();
    let size = tables.len() / COPIES;
    for (block, (&code, residuals)) in codes.iter().zip(residuals.array_windows::<SPAN>()).enumerate() {
        let rows = &mut tables[block % COPIES * size + usize::from(code)];
        for place in 0..SPAN {
            // (Through a copy, or else the compiler takes it apart into scalars.)
            let mut sum = rows[place];
            sum.add(&residuals[place]);
            rows[place] = sum;
        }
    }
}
