//! Blocks as they are shown: their texts with what was decided about them, and the elements they stand in.

use gleaner_content::Label;
use gleaner_html::NONE;
use gleaner_page::{Block, Joint, Page, Tabs};

use crate::{Content, Piece, StructuredLines};

/// A block with its label, for JSON and HTML.
#[derive(Clone, Debug)]
pub struct ShownBlock<'a> {
    /// Its text: white space collapsed.
    pub text: &'a str,
    /// Its text as it is to be written: preformatted lines with their indentation.
    pub written: &'a str,
    /// Its label.
    pub label: Label,
    /// The probability of the label.
    pub confidence: f32,
    /// The names of the elements around it, see [`Page::tag_path`]; empty for a text that is not on the page.
    pub path: String,
    /// How it hangs together with the block before it.
    pub joint: Joint,
    /// What keeps it in the column of its cell.
    pub tabs: Tabs,
    /// The element that it stands in; [`NONE`] for a text that is not on the page.
    pub element: u32,
}

impl<'a> ShownBlock<'a> {
    /// The block on its way into a text, with this text.
    pub fn piece(&self, text: &'a str) -> Piece<'a> {
        Piece {
            text,
            label: self.label,
            joint: self.joint,
            tabs: self.tabs,
        }
    }
}

impl Content {
    /// All blocks of the page that this is the content of, kept and dropped, in the order of the page.
    pub fn shown_blocks<'p>(&'p self, page: &'p Page) -> Vec<ShownBlock<'p>> {
        let joints = self.layout.joints();
        let shown = |(at, block): (usize, &'p Block)| ShownBlock {
            text: self.layout.text(at),
            written: self.layout.written(at),
            label: self.decision.labels[at],
            confidence: self.decision.confidence[at],
            path: page.tag_path(block),
            joint: joints[at],
            tabs: self.layout.tabs(at),
            element: block.element,
        };
        page.blocks.iter().enumerate().map(shown).collect()
    }
}

impl StructuredLines {
    /// The lines as blocks of the text.
    pub fn shown_blocks(&self) -> Vec<ShownBlock<'_>> {
        let shown = |(label, text)| ShownBlock {
            text,
            written: text,
            label,
            confidence: 1.0,
            path: String::new(),
            joint: Joint::Apart,
            tabs: Tabs::default(),
            element: NONE,
        };
        let lines = self.lines.iter().map(|(label, text)| (*label, text.as_str()));
        lines.map(shown).collect()
    }
}
