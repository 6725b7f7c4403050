//! Which holders are written around kept blocks.

use gleaner_content::Label;
use gleaner_html::NONE;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{BlockPlace, HolderKind, Structure};

/// The holders of the blocks that are written.
#[derive(Debug)]
pub struct Holders<'s> {
    structure: &'s Structure,
    /// Lists and tables that have blocks.
    sets: FxHashMap<u32, Set>,
    /// Terms without a block whose definitions have some.
    silent: FxHashSet<u32>,
    /// The items that are more than boxes around others, and their lists.
    speaking: FxHashSet<u32>,
}

/// What is known of a list or a table.
#[derive(Debug)]
struct Set {
    /// The first of its items or rows that has a block.
    first: u32,
    /// Whether it is a list or a table to its readers.
    is_real: bool,
    /// Whether a cell takes several columns or rows, or holds more than lines.
    is_complex: bool,
}

impl<'s> Holders<'s> {
    /// What holds these blocks, of which the labels are known.
    ///
    /// Pages use lists and tables as boxes, too. One of which a single item or row has blocks is such a box, unless it is
    /// ordered, a block in it has the label of a list, or it is of a term and its definition.
    pub(crate) fn new(structure: &'s Structure, blocks: impl Iterator<Item = (usize, Label)>) -> Holders<'s> {
        let mut holders = Holders {
            structure,
            sets: FxHashMap::default(),
            silent: FxHashSet::default(),
            speaking: FxHashSet::default(),
        };
        for (block, label) in blocks {
            let place = structure.place(block);
            let mut is_real = label == Label::List;
            let list = structure
                .holders
                .get(place.holder as usize)
                .map(|item| item.parent);
            holders.speaking.extend([place.holder].into_iter().chain(list));
            for holder in around(structure, place, place.cell != NONE) {
                let parent = structure.holders[holder as usize].parent;
                match structure.kind(holder) {
                    HolderKind::Item { .. } => {
                        let is_numbered = matches!(structure.kind(parent), HolderKind::Numbered { .. });
                        holders.add(parent, holder, is_real || is_numbered, false);
                        // The list around is real if this is what its item defines.
                        is_real = match term(structure, parent) {
                            Some(term) if holders.speaking.contains(&term) => {
                                holders.make_real(parent);
                                true
                            }
                            Some(term) => {
                                holders.silent.insert(term);
                                false
                            }
                            None => false,
                        };
                    }
                    HolderKind::Cell { columns, rows, .. } => {
                        let is_complex = place.has_parts || columns > 1 || rows > 1;
                        holders.add(table_of(structure, holder), parent, false, is_complex);
                    }
                    _ => {}
                }
            }
        }
        holders
    }

    /// Notes that a part of a list or a table has a block.
    fn add(&mut self, set: u32, part: u32, is_real: bool, is_complex: bool) {
        let known = self.sets.entry(set).or_insert(Set {
            first: part,
            is_real,
            is_complex,
        });
        known.is_real |= is_real || known.first != part;
        known.is_complex |= is_complex;
    }

    fn make_real(&mut self, set: u32) {
        if let Some(known) = self.sets.get_mut(&set) {
            known.is_real = true;
        }
    }

    /// What holds a block, from the outermost to the innermost.
    pub(crate) fn around(&self, block: usize) -> Vec<u32> {
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
        let parent = |holder: u32| self.structure.holders[holder as usize].parent;
        let term = |list| term(self.structure, list);
        match self.structure.kind(holder) {
            HolderKind::Bullets | HolderKind::Numbered { .. } => {
                let has_own = |term| !self.silent.contains(&term) && self.speaking.contains(&holder);
                self.is_real(holder) && term(holder).is_none_or(has_own)
            }
            HolderKind::Item { .. } => match term(parent(holder)) {
                None => self.is_real(parent(holder)) && !self.silent.contains(&holder),
                // Without its term a definition is an item of the list.
                Some(term) if self.silent.contains(&term) => self.is_real(parent(term)),
                Some(_) => self.is_real(parent(holder)) && self.speaking.contains(&holder),
            },
            _ => true,
        }
    }
}

/// The term that a list is of, as the list of the definitions of a term is: it is made of the same element as the list that the
/// term is in.
fn term(structure: &Structure, list: u32) -> Option<u32> {
    let term = structure.holders[list as usize].parent;
    let around = structure.holders.get(term as usize)?.parent;
    let outer = structure.holders.get(around as usize)?;
    (outer.element == structure.element(list)).then_some(term)
}

/// What holds a block, from the innermost to the outermost: with its cell, and of what stands in that only what the cell
/// has beside lines; or without.
fn around(structure: &Structure, place: BlockPlace, is_in_table: bool) -> impl Iterator<Item = u32> + '_ {
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
