//! Pages made by a formula, for tests and benches: the labels make a chain, and each column tells a
//! little of them. The same on every run.

use gleaner_columns::{ColumnInfo, Columns};
use gleaner_content::{FeatureSpace, Label};

/// A labelled page.
pub(crate) type Page = (Columns, Vec<Label>);

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
    /// The features of such pages.
    pub(crate) fn space(&self) -> FeatureSpace {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: self.cardinality,
        };
        let columns = (0..self.columns).map(column).collect();
        FeatureSpace {
            columns,
            ..FeatureSpace::default()
        }
    }

    /// The pages that grow from a seed.
    pub(crate) fn pages(&self, seed: u64) -> Vec<Page> {
        let mut random = Random(seed);
        (0..self.pages).map(|_| self.page(&mut random)).collect()
    }

    fn page(&self, random: &mut Random) -> Page {
        let rows = (self.blocks / 2 + random.below(self.blocks + 1)).max(1);
        let mut label = random.below(Label::COUNT);
        let gold: Vec<usize> = (0..rows)
            .map(|_| {
                if random.below(3) == 0 {
                    label = random.below(Label::COUNT);
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
        (page, gold.into_iter().map(|label| Label::ALL[label]).collect())
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
