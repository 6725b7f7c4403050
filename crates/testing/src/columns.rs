//! Columns of made pages, for labellers: the labels make a chain, and each column says a little about them. The same in every
//! run.

use gleaner_columns::{ColumnInfo, Columns};

use crate::Random;

/// How many labels there are.
pub const LABELS: usize = 5;

/// A page and the number of each block's label.
pub type Page = (Columns, Vec<u8>);

/// What the pages look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// How many pages.
    pub pages: usize,
    /// Mean number of blocks per page: each page has between half of it and half as many again.
    pub blocks: usize,
    /// Columns, named c0, c1, ...
    pub columns: usize,
    /// Codes of each column.
    pub cardinality: u16,
    /// Every second column keeps its code for a mean of this number of blocks; 1 for none that does.
    pub run: usize,
}

impl Shape {
    /// The columns of such pages.
    pub fn infos(&self) -> Vec<ColumnInfo> {
        let column = |place| ColumnInfo {
            name: format!("c{place}"),
            cardinality: self.cardinality,
        };
        (0..self.columns).map(column).collect()
    }

    /// The pages that grow from a seed.
    pub fn pages(&self, seed: u64) -> Vec<Page> {
        let mut random = Random::new(seed);
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

/// The attributes of each block for the crate `crfs`: the codes of all columns at five offsets, as strings.
pub fn items(page: &Columns) -> Vec<Vec<crfs::Attribute>> {
    let one = |block: usize, column: usize, offset: i64| {
        let place = usize::try_from(block as i64 + offset).ok()?;
        let code = page.column(column).get(place)?;
        Some(crfs::Attribute::new(format!("c{column}@{offset}={code}"), 1.0))
    };
    let of_column = |block, column| (-2..=2).filter_map(move |offset| one(block, column, offset));
    let block = |block| {
        (0..page.columns())
            .flat_map(|column| of_column(block, column))
            .collect()
    };
    (0..page.rows()).map(block).collect()
}
