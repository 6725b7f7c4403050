//! Which elements of a page hold its blocks: quotations, lists and their items, tables of data. It outlives the tree of
//! the page.

mod cells;
mod definitions;
mod holders;
mod numbers;

use gleaner_html::{NONE, Tag};
use gleaner_page::{Block, Joint, Page};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use cells::{CellOf, cells, table_of};
use definitions::Definitions;
use numbers::Numbers;

pub use holders::Holders;
pub use numbers::integer;

/// The elements of a page that hold blocks, and the places of the blocks in them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Structure {
    /// A holder stands behind the one that it is in.
    pub holders: Vec<Holder>,
    /// The place of each block; of none where no block has one.
    #[serde(with = "crate::packed::bulk")]
    pub(crate) places: Vec<BlockPlace>,
}

/// An element that holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// What it is.
    pub kind: HolderKind,
    /// The holder that it is in; [`NONE`] for none.
    pub(crate) parent: u32,
    /// Its number among the elements of the page.
    pub element: u32,
}

/// What an element is that holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HolderKind {
    /// A quotation.
    Quote,
    /// A list without numbers.
    Bullets,
    /// A list with numbers.
    Numbered {
        /// The number of the first item on the page.
        first: i64,
        /// From an item to the next: 1 or -1.
        step: i64,
    },
    /// An item.
    Item {
        /// Its number, if its list has numbers.
        number: i64,
    },
    /// A table of data.
    Table,
    /// A row of a table.
    Row,
    /// A cell of a row.
    Cell {
        /// How many columns are before it in its row.
        column: u16,
        /// Of how many columns it is.
        columns: u16,
        /// Of how many rows it is.
        rows: u16,
        /// Whether it is a heading of others.
        is_heading: bool,
    },
}

/// Where a block stands; [`NONE`] where there is no such holder or element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockPlace {
    /// The innermost quotation or item.
    pub(crate) holder: u32,
    /// The cell that it stands in, if that is one of a table of data.
    pub(crate) cell: u32,
    /// Whether this cell holds more than lines: paragraphs, a list, preformatted text.
    pub(crate) has_parts: bool,
    /// Whether it stands in a paragraph of its item.
    pub(crate) is_in_paragraph: bool,
    /// The `<pre>` that it is a line of.
    pub(crate) pre: u32,
    /// The rank of the heading that it stands in; 0 for none.
    pub(crate) rank: u8,
}

impl BlockPlace {
    /// The place of a text that is not on the page.
    const NOWHERE: BlockPlace = BlockPlace {
        holder: NONE,
        cell: NONE,
        has_parts: false,
        is_in_paragraph: false,
        pre: NONE,
        rank: 0,
    };
}

impl Structure {
    /// The structure of a page, whose blocks hang together by these joints.
    pub fn of(page: &Page, joints: &[Joint]) -> Structure {
        let mut builder = Builder {
            page,
            structure: Structure::default(),
            known: FxHashMap::default(),
            numbers: FxHashMap::default(),
            last: (NONE, NONE),
            above: above(page),
            definitions: Definitions::new(page),
        };
        let cells = cells(page, joints);
        for (block, cell) in page.blocks.iter().zip(cells) {
            builder.block(block, cell);
        }
        builder.structure
    }

    pub(crate) fn place(&self, block: usize) -> BlockPlace {
        self.places.get(block).copied().unwrap_or(BlockPlace::NOWHERE)
    }

    pub(crate) fn kind(&self, holder: u32) -> HolderKind {
        self.holders[holder as usize].kind
    }

    pub(crate) fn element(&self, holder: u32) -> u32 {
        self.holders[holder as usize].element
    }

    /// A holder and those that it is in, from the innermost to the outermost.
    pub(crate) fn around(&self, holder: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = |&holder: &u32| Some(self.holders[holder as usize].parent).filter(|&up| up != NONE);
        std::iter::successors(Some(holder).filter(|&first| first != NONE), parent)
    }
}

struct Builder<'p> {
    page: &'p Page,
    structure: Structure,
    /// The holder of an element in another holder.
    known: FxHashMap<(u32, u32), u32>,
    /// Counts the items of each list with numbers.
    numbers: FxHashMap<u32, Numbers>,
    /// The element whose holder was looked for last, and that holder.
    last: (u32, u32),
    /// What is around each element.
    above: Vec<Above>,
    definitions: Definitions,
}

/// What is around an element, itself included.
#[derive(Clone, Copy, Debug)]
struct Above {
    /// The innermost quotation, list or item.
    innermost: u32,
    /// Whether it stands in a paragraph of the innermost item.
    is_in_paragraph: bool,
    /// The rank of the heading that it stands in; 0 for none.
    rank: u8,
}

impl Above {
    /// Nothing is around.
    const NOTHING: Above = Above {
        innermost: NONE,
        is_in_paragraph: false,
        rank: 0,
    };
}

/// What is around each element of a page, in one pass: a parent stands before its children.
fn above(page: &Page) -> Vec<Above> {
    let mut all: Vec<Above> = Vec::with_capacity(page.elements.len());
    for (at, element) in page.elements.iter().enumerate() {
        let mut own = all
            .get(element.parent as usize)
            .copied()
            .unwrap_or(Above::NOTHING);
        match element.tag {
            Tag::Blockquote => own.innermost = at as u32,
            tag if is_item(tag) => (own.innermost, own.is_in_paragraph) = (at as u32, false),
            Tag::P => own.is_in_paragraph = true,
            tag if is_list(tag) => own.innermost = at as u32,
            tag => own.rank = rank(tag).unwrap_or(own.rank),
        }
        all.push(own);
    }
    all
}

impl Builder<'_> {
    fn block(&mut self, block: &Block, cell: CellOf) {
        // All lines of a plain text stand in one <pre>.
        let pre = if self.page.plain { NONE } else { block.pre };
        // What stands in a program are lines of it.
        let holder = self.innermost(if pre == NONE { block.element } else { pre });
        let place = BlockPlace {
            holder,
            cell: if cell.element == NONE {
                NONE
            } else {
                self.cell(cell.element)
            },
            has_parts: cell.has_parts,
            is_in_paragraph: self.above(block.element).is_in_paragraph,
            pre,
            rank: self.above(block.element).rank,
        };
        self.structure.places.push(place);
    }

    /// The innermost quotation or item around an element.
    fn innermost(&mut self, element: u32) -> u32 {
        if self.last.0 == element {
            return self.last.1;
        }
        let mut around = Vec::new();
        let mut item = None;
        let mut next = self.above(element).innermost;
        while next != NONE {
            let up = next;
            let own = &self.page.elements[up as usize];
            next = self.above(own.parent).innermost;
            match own.tag {
                Tag::Blockquote => around.push(up),
                tag if is_item(tag) => item = item.or(Some(up)),
                tag if is_list(tag) => {
                    if let Some(item) = item.take() {
                        self.item(item, up, &mut around);
                    }
                }
                _ => {}
            }
        }
        let outwards = around.into_iter().rev();
        let holder = outwards.fold(NONE, |parent, element| self.holder(element, parent));
        self.last = (element, holder);
        holder
    }

    /// Adds an item and its list, from the inside out. A definition is an item of a list in the item of its term.
    fn item(&self, item: u32, list: u32, around: &mut Vec<u32>) {
        let tag = |element: u32| self.page.elements[element as usize].tag;
        match (tag(item), tag(list)) {
            (Tag::Li, Tag::Dl) => {}
            (Tag::Li, _) => around.extend([item, list]),
            _ if !self.definitions.is_list(list) => {}
            (Tag::Dt, _) => around.extend([item, list]),
            _ => {
                if let Some(term) = self.definitions.term(item) {
                    around.extend([item, list, term, list]);
                }
            }
        }
    }

    /// The holder of an element in another one.
    fn holder(&mut self, element: u32, parent: u32) -> u32 {
        if let Some(&known) = self.known.get(&(element, parent)) {
            return known;
        }
        let kind = self.kind(element, parent);
        let holder = self.structure.holders.len() as u32;
        self.structure.holders.push(Holder {
            kind,
            parent,
            element,
        });
        self.known.insert((element, parent), holder);
        holder
    }

    fn kind(&mut self, element: u32, parent: u32) -> HolderKind {
        match self.page.elements[element as usize].tag {
            Tag::Blockquote => HolderKind::Quote,
            Tag::Ol => {
                let numbers = Numbers::new(self.page, element);
                let (first, step) = (numbers.next(), numbers.step());
                self.numbers.insert(element, numbers);
                HolderKind::Numbered { first, step }
            }
            tag if is_item(tag) => {
                let list = self.structure.holders[parent as usize].element;
                let numbers = self.numbers.get_mut(&list);
                let number = numbers.map_or(0, |numbers| numbers.item(self.page, element));
                HolderKind::Item { number }
            }
            Tag::Table => HolderKind::Table,
            Tag::Td | Tag::Th => cells::kind(self.page, element),
            tag if is_list(tag) => HolderKind::Bullets,
            _ => HolderKind::Row,
        }
    }

    /// The holder of a cell, in a row of a table.
    fn cell(&mut self, cell: u32) -> u32 {
        let table = table_of(self.page, cell);
        let around = self.innermost(self.page.elements[table as usize].parent);
        let row = self.page.elements[cell as usize].parent;
        [table, row, cell]
            .into_iter()
            .fold(around, |parent, element| self.holder(element, parent))
    }

    fn above(&self, element: u32) -> Above {
        self.above
            .get(element as usize)
            .copied()
            .unwrap_or(Above::NOTHING)
    }
}

/// Whether elements of this tag hold list items.
fn is_list(tag: Tag) -> bool {
    matches!(tag, Tag::Ol | Tag::Ul | Tag::Menu | Tag::Dir | Tag::Dl)
}

fn is_item(tag: Tag) -> bool {
    matches!(tag, Tag::Li | Tag::Dt | Tag::Dd)
}

/// The rank of a heading.
fn rank(tag: Tag) -> Option<u8> {
    const HEADINGS: [Tag; 6] = [Tag::H1, Tag::H2, Tag::H3, Tag::H4, Tag::H5, Tag::H6];
    let at = HEADINGS.iter().position(|heading| *heading == tag)?;
    Some(at as u8 + 1)
}
