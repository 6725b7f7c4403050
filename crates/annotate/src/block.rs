//! The blocks of a page, with the suggestions of a model.

use gleaner_content::Label;

use crate::lines::harmless;

/// A block of the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The elements around it: `html/body/div/p`.
    pub path: String,
    /// Whether it is the next line of preformatted text.
    pub next_line: bool,
    /// The suggestion of a model; `None` without a model.
    pub suggestion: Option<Suggestion>,
    pub(crate) text: String,
    pub(crate) shown: Option<Box<str>>,
}

/// The suggestion of a model for a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suggestion {
    /// The suggested label.
    pub label: Label,
    /// The probability of that label, 0 to 1.
    pub confidence: f32,
    /// How uncertain it is, 0 to 1: see [`uncertainty`](crate::uncertainty()).
    pub uncertainty: f32,
}

impl Block {
    /// A block of this text.
    pub fn new(text: &str, path: String) -> Block {
        Block {
            path,
            next_line: false,
            suggestion: None,
            shown: harmless(text),
            text: text.to_owned(),
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its text without control characters of terminals.
    pub fn shown(&self) -> &str {
        self.shown.as_deref().unwrap_or(&self.text)
    }
}
