//! White space, and characters of words.

use gleaner_html::{Tree, is_dropped};

/// Whether a text has a word character.
pub(crate) fn has_word(text: &str) -> bool {
    text.contains(is_of_word)
}

#[inline]
pub(super) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// White space: rendered as one space at most.
#[inline]
pub(crate) fn is_white(letter: char) -> bool {
    matches!(letter, '\t'..='\r' | ' ') || (letter > '\u{9f}' && letter.is_whitespace())
}

/// Whether a node is a text with nothing but white space.
#[inline]
pub(super) fn is_white_text(tree: Tree<'_>, node: u32) -> bool {
    tree.is_blank(node) || tree.kind(node).is_text() && is_white_behind(tree, node)
}

/// Whether there is nothing but white space behind the leading one of ASCII.
fn is_white_behind(tree: Tree<'_>, text: u32) -> bool {
    let rest = &tree.text(text)[tree.leading_white(text).bytes()..];
    !rest.starts_with(|first: char| first.is_ascii_graphic()) && rest.chars().all(is_white)
}

/// Characters that take no room and would part a word in two: soft hyphens, byte order marks, controls.
#[inline]
pub(super) fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{feff}') || is_dropped(letter)
}
