//! Which `<noscript>` counts as content.

use super::Source;
use crate::Tag;
use crate::arena::{Arena, DOCUMENT, Kind};
use crate::tree::NONE;

/// The `<noscript>` that counts as content: the one with the most words, if it has 50 or more,
/// and half as many as the rest of the page or the rest has less than 100.
pub(crate) fn noscript_content(source: &Source<'_>) -> Option<u32> {
    if source.delete[Tag::Noscript as usize] {
        return None;
    }
    let (words, largest) = largest_noscript(source)?;
    let rest = || words_below(source, body(source.arena).unwrap_or(DOCUMENT), true);
    (words >= 50 && (rest() < 100 || words * 2 > rest())).then_some(largest)
}

/// The first of those with the most words; one within another is not looked at.
fn largest_noscript(source: &Source<'_>) -> Option<(usize, u32)> {
    let arena = source.arena;
    let mut largest = None;
    let mut node = DOCUMENT;
    while node != NONE {
        if arena.node(node).tag != Tag::Noscript {
            node = arena.following(DOCUMENT, node);
            continue;
        }
        let words = words_below(source, node, false);
        if largest.is_none_or(|(most, _)| words > most) {
            largest = Some((words, node));
        }
        node = arena.after(DOCUMENT, node);
    }
    largest
}

fn body(arena: &Arena) -> Option<u32> {
    (0..arena.nodes.len() as u32)
        .find(|&id| arena.node(id).tag == Tag::Body && arena.node(id).kind == Kind::Html)
}

/// Counts words below a node, in what is not deleted.
fn words_below(source: &Source<'_>, root: u32, without_noscript: bool) -> usize {
    let arena = source.arena;
    let mut words = 0;
    let mut node = arena.node(root).first;
    while node != NONE {
        let tag = arena.node(node).tag;
        let out = source.delete[tag as usize] || (without_noscript && tag == Tag::Noscript);
        words += count_words(arena.text(source.text, node));
        node = if out {
            arena.after(root, node)
        } else {
            arena.following(root, node)
        };
    }
    words
}

fn count_words(text: &str) -> usize {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .count()
}
