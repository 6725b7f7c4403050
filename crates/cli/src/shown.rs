//! Blocks as they are shown: their texts with what was decided about them, and where they stand on the page.

use gleaner_crf::Label;
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
    let of = |(at, block): (usize, &Block)| Place {
        element: block.element,
        cell: match is_of_data(page, joints, at) {
            true => block.td,
            false => NONE,
        },
        // All lines of a plain text stand in one <pre>.
        pre: if page.plain { NONE } else { block.pre },
    };
    page.blocks.iter().enumerate().map(of).collect()
}

/// Whether a block is in a cell of a table of data: what joins it with the block before or after it are cells and rows.
fn is_of_data(page: &Page, joints: &[Joint], at: usize) -> bool {
    let td = |at: usize| page.blocks[at].td;
    let joins = |later: usize| {
        let is_same_cell = td(later - 1) == td(later);
        match joints.get(later) {
            Some(Joint::Cell | Joint::Within) => true,
            // Lines of a program are in one cell, or in none.
            Some(Joint::Line) => !is_same_cell,
            _ => false,
        }
    };
    let is_last = at + 1 == page.blocks.len();
    td(at) != NONE && ((at > 0 && joins(at)) || (!is_last && joins(at + 1)))
}
