//! Blocks as they are shown: their texts with what was decided about them, and the elements they stand in.

use gleaner_content::Label;
use gleaner_document::Piece;
use gleaner_page::{Joint, Tabs};

#[derive(Clone, Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) text: &'a str,
    pub(crate) written: &'a str,
    pub(crate) label: Label,
    pub(crate) confidence: f32,
    pub(crate) path: String,
    pub(crate) joint: Joint,
    /// What keeps it in the column of its cell.
    pub(crate) tabs: Tabs,
    /// The element that it stands in; [`NONE`](gleaner_html::NONE) for a text that is not on the page.
    pub(crate) element: u32,
}

impl<'a> Shown<'a> {
    pub(crate) fn piece(&self, text: &'a str) -> Piece<'a> {
        Piece {
            text,
            label: self.label,
            joint: self.joint,
            tabs: self.tabs,
        }
    }
}
