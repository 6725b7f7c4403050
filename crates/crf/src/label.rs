//! The labels of the CleanEval task, as the Victor thesis uses them (section 2.3).

use serde::{Deserialize, Serialize};

/// What a block is. The first four are content, the last is noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Label {
    /// A heading.
    Header,
    /// The start of a paragraph.
    Paragraph,
    /// The start of a list item.
    List,
    /// Goes on from the block before.
    Continuation,
    /// Noise: navigation, advertisements, copyright lines and the like.
    Other,
}

impl Label {
    /// How many labels there are.
    pub const COUNT: usize = 5;

    /// All labels, in the order of their integers.
    pub const ALL: [Label; Label::COUNT] =
        [Label::Header, Label::Paragraph, Label::List, Label::Continuation, Label::Other];

    /// Whether a block with this label is kept.
    pub fn is_content(self) -> bool {
        self != Label::Other
    }

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Label::Header => "header",
            Label::Paragraph => "paragraph",
            Label::List => "list",
            Label::Continuation => "continuation",
            Label::Other => "other",
        }
    }
}
