//! Which holders are written around kept blocks.

use gleaner_content::Label;
use gleaner_html::NONE;
use rustc_hash::FxHashMap;

use super::{HolderKind, Place, Structure};

/// The holders of the blocks that are written.
#[derive(Debug)]
pub struct Holders<'s> {
    structure: &'s Structure,
    /// Lists and tables that have blocks.
    sets: FxHashMap<u32, Set>,
}

/// What is known of a list or a table.
#[derive(Debug)]
struct Set {
    /// The first of its items or cells that has a block.
    first: u32,
    /// Whether it is a list or a table to its readers.
    is_real: bool,
    /// Whether a cell takes several columns or rows, or holds more than lines.
    is_complex: bool,
}

impl<'s> Holders<'s> {
    /// What holds these blocks, of which the labels are known.
    ///
    /// Pages use lists and tables as boxes, too. One of which a single item or cell has blocks is such a box, unless it is
    /// ordered or a block in it has the label of a list.
    pub(crate) fn new(structure: &'s Structure, blocks: impl Iterator<Item = (usize, Label)>) -> Holders<'s> {
        let mut sets: FxHashMap<u32, Set> = FxHashMap::default();
        for (block, label) in blocks {
            let place = structure.place(block);
            let mut is_labelled = label == Label::List;
            for holder in around(structure, place, place.cell != NONE) {
                let (set, is_real, is_complex) = match structure.kind(holder) {
                    HolderKind::Item { .. } => {
                        let list = structure.holders[holder as usize].parent;
                        let is_numbered = matches!(structure.kind(list), HolderKind::Numbered { .. });
                        (list, std::mem::take(&mut is_labelled) || is_numbered, false)
                    }
                    HolderKind::Cell { columns, rows, .. } => {
                        let is_complex = place.has_parts || columns > 1 || rows > 1;
                        (table_of(structure, holder), false, is_complex)
                    }
                    _ => continue,
                };
                let known = sets.entry(set).or_insert(Set {
                    first: holder,
                    is_real,
                    is_complex,
                });
                known.is_real |= is_real || known.first != holder;
                known.is_complex |= is_complex;
            }
        }
        Holders { structure, sets }
    }

    /// What holds a block, from the outermost to the innermost.
    pub(crate) fn of(&self, block: usize) -> Vec<u32> {
        let place = self.structure.place(block);
        let is_in_table = place.cell != NONE && self.is_real(table_of(self.structure, place.cell));
        let around = around(self.structure, place, is_in_table);
        let mut holders: Vec<u32> = around.filter(|&holder| self.is_written(holder)).collect();
        holders.reverse();
        holders
    }

    /// Whether a table has a cell that takes several columns or rows, or holds more than lines.
    pub fn is_complex(&self, table: u32) -> bool {
        self.sets.get(&table).is_some_and(|set| set.is_complex)
    }

    fn is_real(&self, set: u32) -> bool {
        self.sets.get(&set).is_some_and(|set| set.is_real)
    }

    fn is_written(&self, holder: u32) -> bool {
        match self.structure.kind(holder) {
            HolderKind::Bullets | HolderKind::Numbered { .. } => self.is_real(holder),
            HolderKind::Item { .. } => self.is_real(self.structure.holders[holder as usize].parent),
            _ => true,
        }
    }
}

/// What holds a block, from the innermost to the outermost: with its cell, and of what stands in that only what the cell
/// has beside lines; or without.
fn around(structure: &Structure, place: Place, is_in_table: bool) -> impl Iterator<Item = u32> + '_ {
    let cell = if is_in_table { place.cell } else { NONE };
    // Elements within another one stand behind it.
    let is_in_cell = move |holder: &u32| {
        let element = |holder: u32| structure.holders[holder as usize].element;
        place.has_parts && element(*holder) > element(cell)
    };
    let inner = if is_in_table { place.holder } else { NONE };
    let outer = if is_in_table { cell } else { place.holder };
    let inner = structure.around(inner).take_while(is_in_cell);
    inner.chain(structure.around(outer))
}

/// The table of a cell.
fn table_of(structure: &Structure, cell: u32) -> u32 {
    let row = structure.holders[cell as usize].parent;
    structure.holders[row as usize].parent
}
