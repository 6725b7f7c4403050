//! Blocks as they are shown: their texts with what was decided about them, and where they stand on the page.

use std::collections::{HashMap, HashSet};

use gleaner_content::Label;
use gleaner_document::Piece;
use gleaner_html::{NONE, Tag};
use gleaner_page::{Block, Joint, Page, Tabs};

/// A block as it is shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) text: &'a str,
    /// The same as it is to be written.
    pub(crate) written: &'a str,
    pub(crate) label: Label,
    pub(crate) confidence: f32,
    pub(crate) path: String,
    /// How it hangs together with the block before.
    pub(crate) joint: Joint,
    /// What keeps it in the column of its cell.
    pub(crate) tabs: Tabs,
    pub(crate) place: Place,
}

impl<'a> Shown<'a> {
    /// The block on its way into a text, with this text of its own.
    pub(crate) fn piece(&self, text: &'a str) -> Piece<'a> {
        Piece {
            text,
            label: self.label,
            joint: self.joint,
            tabs: self.tabs,
        }
    }
}

/// Where a block stands among the elements of its page; [`NONE`] where there is no such element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The element of the block.
    pub(crate) element: u32,
    /// The cell that it stands in, if that is one of a table of data.
    pub(crate) cell: u32,
    /// Whether this cell holds more than lines: paragraphs, a list, preformatted text.
    pub(crate) has_parts: bool,
    /// The preformatted text that it is a line of.
    pub(crate) pre: u32,
}

impl Place {
    /// The place of a text that is not on the page.
    pub(crate) const NOWHERE: Place = Place {
        element: NONE,
        cell: NONE,
        has_parts: false,
        pre: NONE,
    };
}

/// The places of the blocks of a page, which hang together by these joints.
pub(crate) fn places(page: &Page, joints: &[Joint]) -> Vec<Place> {
    let cells = cells_of_data(page, joints);
    let with_parts = cells_with_parts(page, &cells);
    let of = |(block, cell): (&Block, u32)| Place {
        element: block.element,
        has_parts: with_parts.contains(&block.td),
        cell: match with_parts.contains(&block.td) {
            true => block.td,
            false => cell,
        },
        // All lines of a plain text stand in one <pre>.
        pre: if page.plain { NONE } else { block.pre },
    };
    page.blocks.iter().zip(cells).map(of).collect()
}

/// The cell of each block, if it is one of a table of data: what joins its line with the one before or after it are cells
/// and rows.
fn cells_of_data(page: &Page, joints: &[Joint]) -> Vec<u32> {
    let td = |block: usize| page.blocks[block].td;
    let is_joined = |line: usize| match joints[line] {
        Joint::Cell | Joint::Within => true,
        // Lines of a program are in one cell, or in none.
        Joint::Line => line > 0 && td(line - 1) != td(line),
        _ => false,
    };
    let mut cells = vec![NONE; joints.len()];
    let begins_line = |block: &usize| joints[*block].within_line().is_none();
    let mut lines = (0..joints.len()).filter(begins_line).peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied();
        if is_joined(line) || next.is_some_and(is_joined) {
            cells[line..next.unwrap_or(joints.len())].fill(td(line));
        }
    }
    cells
}

/// The cells that hold more than lines, and are cells of tables of data all the same: at least two rows of the table, and
/// half of them, have cells of data. What holds a heading or another table is a box of the page's layout.
fn cells_with_parts(page: &Page, cells: &[u32]) -> HashSet<u32> {
    let mut tables: HashMap<u32, Rows> = HashMap::new();
    let (mut of_lines, mut boxes, mut seen) = (HashSet::new(), HashSet::new(), HashSet::new());
    let are_data = cells.iter().any(|cell| *cell != NONE);
    let in_cells = || {
        page.blocks
            .iter()
            .zip(cells)
            .filter(|(block, _)| are_data && block.td != NONE)
    };
    for (block, &cell) in in_cells() {
        let tag = |up: u32| page.elements[up as usize].tag;
        let mut within = page.ancestors(block.element).take_while(|&up| up != block.td);
        if within.any(|up| matches!(tag(up), Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)) {
            boxes.insert(block.td);
        }
        if cell != NONE {
            of_lines.insert(block.td);
        }
        if !seen.insert((block.td, cell != NONE)) {
            continue;
        }
        let rows = tables.entry(table_of(page, block.td)).or_default();
        let row = page.elements[block.td as usize].parent;
        rows.all.insert(row);
        if cell != NONE {
            rows.of_data.insert(row);
        }
        let around = page.ancestors(block.td).skip(1);
        boxes.extend(around.filter(|&up| matches!(tag(up), Tag::Td | Tag::Th)));
    }
    let is_of_data = |cell: u32| tables.get(&table_of(page, cell)).is_some_and(Rows::are_of_data);
    in_cells()
        .map(|(block, _)| block.td)
        .filter(|cell| !of_lines.contains(cell) && !boxes.contains(cell) && is_of_data(*cell))
        .collect()
}

/// The rows of a table that have blocks.
#[derive(Default)]
struct Rows {
    all: HashSet<u32>,
    /// Those with a cell of data.
    of_data: HashSet<u32>,
}

impl Rows {
    fn are_of_data(&self) -> bool {
        self.of_data.len() >= 2 && 2 * self.of_data.len() >= self.all.len()
    }
}

/// The table of a cell.
pub(crate) fn table_of(page: &Page, cell: u32) -> u32 {
    let is_table = |up: &u32| page.elements[*up as usize].tag == Tag::Table;
    page.ancestors(cell).find(is_table).unwrap_or(0)
}
