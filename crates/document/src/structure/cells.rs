//! Which blocks stand in cells of tables of data.

use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::{Block, Joint, Page, TableRows};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{HolderKind, integer, rank};

/// The cell that a block stands in.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellOf {
    /// [`NONE`] where it is none of a table of data.
    pub(super) element: u32,
    /// Whether it holds more than lines: paragraphs, a list, preformatted text.
    pub(super) has_parts: bool,
}

/// The cells of the blocks of a page, which hang together by these joints.
pub(super) fn cells(page: &Page, joints: &[Joint]) -> Vec<CellOf> {
    let cells = cells_of_data(page, joints);
    let with_parts = cells_with_parts(page, &cells);
    let of = |(block, cell): (&Block, u32)| {
        let has_parts = with_parts.contains(&block.td);
        CellOf {
            element: if has_parts { block.td } else { cell },
            has_parts,
        }
    };
    page.blocks.iter().zip(cells).map(of).collect()
}

/// What a cell is, and where it stands in its row.
pub(super) fn kind(page: &Page, cell: u32) -> HolderKind {
    let row = page.elements[cell as usize].parent;
    let (mut at, mut column) = (row + 1, 0_u16);
    while at < cell {
        let element = &page.elements[at as usize];
        if matches!(element.tag, Tag::Td | Tag::Th) && !element.hidden {
            column = column.saturating_add(count(page, at, Attr::Colspan));
        }
        at = element.end;
    }
    let (columns, rows) = (count(page, cell, Attr::Colspan), count(page, cell, Attr::Rowspan));
    HolderKind::Cell {
        column,
        columns,
        rows,
        is_heading: page.elements[cell as usize].tag == Tag::Th,
    }
}

/// How many columns or rows a cell takes.
fn count(page: &Page, cell: u32, attribute: Attr) -> u16 {
    let count = integer(page, cell, attribute).and_then(|count| u16::try_from(count).ok());
    count.filter(|count| (2..=1000).contains(count)).unwrap_or(1)
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
fn cells_with_parts(page: &Page, cells: &[u32]) -> FxHashSet<u32> {
    let mut tables: FxHashMap<u32, TableRows> = FxHashMap::default();
    let (mut of_lines, mut boxes, mut seen) =
        (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
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
        if within.any(|up| rank(tag(up)).is_some()) {
            boxes.insert(block.td);
        }
        if cell != NONE {
            of_lines.insert(block.td);
        }
        if !seen.insert((block.td, cell != NONE)) {
            continue;
        }
        let row = page.elements[block.td as usize].parent;
        tables
            .entry(table_of(page, block.td))
            .or_default()
            .add(row, cell != NONE);
        let around = page.ancestors(block.td).skip(1);
        boxes.extend(around.filter(|&up| matches!(tag(up), Tag::Td | Tag::Th)));
    }
    let is_of_data = |cell: u32| {
        tables
            .get(&table_of(page, cell))
            .is_some_and(TableRows::are_of_data)
    };
    in_cells()
        .map(|(block, _)| block.td)
        .filter(|cell| !of_lines.contains(cell) && !boxes.contains(cell) && is_of_data(*cell))
        .collect()
}

/// The table of a cell.
pub(super) fn table_of(page: &Page, cell: u32) -> u32 {
    let is_table = |up: &u32| page.elements[*up as usize].tag == Tag::Table;
    page.ancestors(cell).find(is_table).unwrap_or(0)
}
