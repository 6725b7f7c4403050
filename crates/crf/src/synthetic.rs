//! Pages made by a formula, for tests: the labels make a chain, and each column tells a
//! little of them. The same on every run.

use gleaner_columns::{ColumnInfo, Columns};

use crate::{ChainConfig, PageWeight};

/// How many labels there are.
pub(crate) const LABELS: usize = 5;

/// A labelled page.
pub(crate) type Page = (Columns, Vec<u8>);

/// What the pages look like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// How many pages.
    pub(crate) pages: usize,
    /// Blocks of a page: about so many, half of it to half as many again.
    pub(crate) blocks: usize,
    /// Columns, named c0, c1, ...
    pub(crate) columns: usize,
    /// Codes of each column.
    pub(crate) cardinality: u16,
    /// Every second column keeps its code for about so many blocks; 1 for none that does.
    pub(crate) run: usize,
}

impl Shape {
    /// The columns of such pages.
    pub(crate) fn infos(&self) -> Vec<ColumnInfo> {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: self.cardinality,
        };
        (0..self.columns).map(column).collect()
    }

    /// Plain settings.
    pub(crate) fn config(&self) -> ChainConfig {
        ChainConfig {
            l2: 1.0,
            min_count: 1,
            page_weight: PageWeight::default(),
            memory: 20,
            max_iterations: 100,
            epsilon: 1e-5,
            delta: 1e-5,
            period: 10,
            patience: 10,
            threads: 2,
        }
    }

    /// The pages that grow from a seed.
    pub(crate) fn pages(&self, seed: u64) -> Vec<Page> {
        let mut random = Random(seed);
        (0..self.pages).map(|_| self.page(&mut random)).collect()
    }

    fn page(&self, random: &mut Random) -> Page {
        let rows = (self.blocks / 2 + random.below(self.blocks + 1)).max(1);
        let mut label = random.below(LABELS);
        let gold: Vec<usize> = (0..rows)
            .map(|_| {
                if random.below(3) == 0 {
                    label = random.below(LABELS);
                }
                label
            })
            .collect();
        let mut page = Columns::default();
        page.reset(rows, self.columns);
        let codes = usize::from(self.cardinality);
        for column in 0..self.columns {
            let run = if column % 2 == 1 { self.run } else { 1 };
            let mut before = None;
            for (code, label) in page.column_mut(column).iter_mut().zip(&gold) {
                let stays = run > 1 && random.below(run) > 0;
                *code = match before.filter(|_| stays) {
                    Some(before) => before,
                    None if random.below(8) == 0 => ((label + column) % codes) as u8,
                    None => random.below(codes) as u8,
                };
                before = Some(*code);
            }
        }
        (page, gold.into_iter().map(|label| label as u8).collect())
    }
}

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit
    }
}
