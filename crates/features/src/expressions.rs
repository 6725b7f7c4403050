//! The expressions that are looked for in texts, as they are configured.

use serde::{Deserialize, Serialize};

/// The expressions of the features `regexp.*` and `bullet`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Regexps {
    /// Addresses in the web.
    pub url: Expressions,
    /// Dates.
    pub date: Expressions,
    /// Times of the day.
    pub time: Expressions,
    /// Marks at the start of a list item.
    pub bullet: Expressions,
}

/// A list of regular expressions in the syntax of the crate `regex`, which are run on the bytes of
/// a block's text: white space is a single space. Letters match in either case. `(?-u:\b)` is a
/// much faster boundary than `\b` in text that is not ASCII, and letters by their bytes are faster
/// than `\p{L}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expressions {
    /// Which blocks are looked at; the others count as without a match.
    pub among: Among,
    /// How much of the block's start is looked at, in bytes.
    pub bytes: usize,
    /// The expressions, most specific first.
    pub patterns: Vec<String>,
}

/// A quick test that a block has to pass before expressions are tried on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Among {
    /// All blocks.
    All,
    /// Blocks that have a numeral; matches begin and end at most 64 bytes from one.
    Digits,
    /// Blocks that have a full stop, a colon or an at sign right before a letter or a slash.
    Dots,
    /// Blocks that have anything but ASCII letters and spaces in their first eight bytes.
    Marks,
}
