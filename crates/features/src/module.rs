//! The modules of features.

use serde::{Deserialize, Serialize};
use strum::{Display, VariantArray};

/// A group of features that is computed, and switched on or off, as one.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Display, VariantArray,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Module {
    /// Elements around the block (thesis, 4.1).
    Container,
    /// Tags since the block before (thesis, 4.1).
    Split,
    /// Shares of classes of characters (thesis, 4.2).
    Char,
    /// Shares and counts of classes of tokens (thesis, 4.2).
    Token,
    /// Sentences (thesis, 4.2).
    Sentence,
    /// Blocks with the same letters (thesis, 4.2).
    Duplicate,
    /// URLs, dates and times (thesis, 4.2).
    Regexp,
    /// Marks of a list item (thesis, 4.2).
    Bullet,
    /// Div groups and td groups (thesis, 4.2).
    Group,
    /// Place in the document (thesis, 4.3).
    Position,
    /// Size and fragmentation of the document (thesis, 4.3).
    Document,
    /// Sizes of the block and of what is around it.
    Size,
    /// Shares of links in the block and around it.
    Link,
    /// Text densities (Sun, Song and Liao 2011), and the document's best elements by them.
    Density,
    /// Place among long blocks and headings.
    Place,
    /// Blocks and elements that are there many times.
    Repetition,
    /// Elements and roles that say what a part of the page is for.
    Landmark,
    /// Metadata of the document.
    Cue,
    /// What the classes of `<html>` and `<body>`, and relations to other documents, as cues for its kind.
    Root,
    /// Groups of keywords in classes and ids.
    Keyword,
    /// What lines around a text are for by their words, in some thirty languages: bylines, buttons to share, lists of other
    /// texts.
    Line,
    /// The terms of a query (Lutz and Heuser 2013): the values in the page's address, or those given to
    /// [`Extractor::extract_asking`](crate::Extractor::extract_asking). Off unless asked for.
    Query,
    /// What the blocks before and behind are like, and the capitals of words: what a plain text has in place of tags. Off
    /// unless asked for.
    Window,
}

impl Module {
    /// The modules of the Victor thesis: 46 features.
    pub const VICTOR: [Module; 11] = [
        Module::Container,
        Module::Split,
        Module::Char,
        Module::Token,
        Module::Sentence,
        Module::Duplicate,
        Module::Regexp,
        Module::Bullet,
        Module::Group,
        Module::Position,
        Module::Document,
    ];

    /// All modules, in the order of their columns.
    pub const ALL: &'static [Module] = Module::VARIANTS;
}
