//! Which elements of a page hold its blocks, and are written: quotations, lists and their items, tables of data.

use std::collections::HashMap;

use gleaner_content::Label;
use gleaner_html::{NONE, Tag};
use gleaner_page::Page;

use super::counter::is_list;
use crate::shown::{Place, Shown, table_of};

/// An element that holds blocks, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    Quote(u32),
    List(u32),
    Item(u32),
    Table(u32),
    Row(u32),
    Cell(u32),
}

/// The elements of a page that are written.
pub(super) struct Nesting<'p> {
    page: &'p Page,
    /// Lists and tables that have blocks.
    sets: HashMap<u32, Set>,
}

/// What is known of a list or a table.
struct Set {
    /// The first of its items or cells that has a block.
    first: u32,
    /// Whether it is a list or a table to its readers.
    is_real: bool,
}

impl<'p> Nesting<'p> {
    /// What holds these blocks.
    ///
    /// Pages use lists and tables as boxes, too. One of which a single item or cell has blocks is such a box, unless it is
    /// ordered or a block in it has the label of a list.
    pub(super) fn new<'b>(page: &'p Page, blocks: impl Iterator<Item = &'b Shown<'b>>) -> Nesting<'p> {
        let mut sets: HashMap<u32, Set> = HashMap::new();
        for block in blocks {
            let mut is_labelled = block.label == Label::List;
            each_holder(page, block.place, |holder, set| {
                let (first, is_real) = match holder {
                    Holder::Item(item) => (item, std::mem::take(&mut is_labelled) || is_ordered(page, set)),
                    Holder::Cell(cell) => (cell, false),
                    _ => return,
                };
                let known = sets.entry(set).or_insert(Set { first, is_real });
                known.is_real |= is_real || known.first != first;
            });
        }
        Nesting { page, sets }
    }

    /// What holds a block, from the outermost to the innermost.
    pub(super) fn holders(&self, mut place: Place) -> Vec<Holder> {
        let is_real = |set: u32| self.sets.get(&set).is_some_and(|set| set.is_real);
        if place.cell != NONE && !is_real(table_of(self.page, place.cell)) {
            place.cell = NONE;
        }
        let mut holders = Vec::new();
        each_holder(self.page, place, |holder, set| match holder {
            Holder::Item(_) if is_real(set) => holders.extend([holder, Holder::List(set)]),
            Holder::Item(_) => {}
            _ => holders.push(holder),
        });
        holders.reverse();
        holders
    }
}

fn is_ordered(page: &Page, list: u32) -> bool {
    page.elements[list as usize].tag == Tag::Ol
}

/// Shows what holds a block, from the innermost to the outermost, each with the list or table that it is of: items and
/// cells bring their list or table along.
fn each_holder(page: &Page, place: Place, mut show: impl FnMut(Holder, u32)) {
    let mut begin = place.element;
    if place.cell != NONE {
        if place.has_parts {
            let within = page.ancestors(begin).take_while(|&up| up != place.cell);
            each_list(page, within, &mut show);
        }
        let table = table_of(page, place.cell);
        show(Holder::Cell(place.cell), table);
        show(Holder::Row(page.elements[place.cell as usize].parent), table);
        show(Holder::Table(table), table);
        begin = page.elements[table as usize].parent;
    }
    each_list(page, page.ancestors(begin), &mut show);
}

/// Shows the quotations, and the items of lists, among elements that hold each other.
fn each_list(page: &Page, elements: impl Iterator<Item = u32>, show: &mut impl FnMut(Holder, u32)) {
    let mut item = None;
    for up in elements {
        match page.elements[up as usize].tag {
            Tag::Blockquote => show(Holder::Quote(up), up),
            Tag::Li => item = item.or(Some(up)),
            list if is_list(list) => {
                if let Some(item) = item.take() {
                    show(Holder::Item(item), up);
                }
            }
            _ => {}
        }
    }
}
