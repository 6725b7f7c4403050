//! Blocks as they are shown: their texts with what was decided about them, and where they stand on the page.

use gleaner_crf::{Label, Piece};
use gleaner_page::{Block, Joint, NONE, Page};

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
    pub(crate) place: Place,
}

impl<'a> Shown<'a> {
    /// The block on its way into a text, with this text of its own.
    pub(crate) fn piece(&self, text: &'a str) -> Piece<'a> {
        Piece {
            text,
            label: self.label,
            joint: self.joint,
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
    /// The preformatted text that it is a line of.
    pub(crate) pre: u32,
}

impl Place {
    /// The place of a text that is not on the page.
    pub(crate) const NOWHERE: Place = Place {
        element: NONE,
        cell: NONE,
        pre: NONE,
    };
}

/// The places of the blocks of a page, which hang together by these joints.
pub(crate) fn places(page: &Page, joints: &[Joint]) -> Vec<Place> {
    let cells = cells_of_data(page, joints);
    let of = |(block, cell): (&Block, u32)| Place {
        element: block.element,
        cell,
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
