//! Which `<noscript>` counts as content.

use gleaner_html::{DOCUMENT, NONE, NodeKind, Tag, Tree};

use super::Source;

/// The `<noscript>` that counts as content: the one with the most words, if it has 50 or more,
/// and half as many as the rest of the page or the rest has less than 100.
pub(super) fn noscript_content(source: &Source<'_>) -> Option<u32> {
    if source.delete[Tag::Noscript as usize] {
        return None;
    }
    let (words, largest) = largest_noscript(source)?;
    let most = (2 * words).max(100);
    let rest = || words_below(source, body(source.tree).unwrap_or(DOCUMENT), true, most);
    (words >= 50 && rest() < most).then_some(largest)
}

/// The first of those with the most words; one within another is not looked at.
fn largest_noscript(source: &Source<'_>) -> Option<(usize, u32)> {
    let tree = source.tree;
    let is_outermost = |&node: &u32| {
        let mut around = tree.parent(node);
        while around != NONE && around != DOCUMENT && tree.tag(around) != Tag::Noscript {
            around = tree.parent(around);
        }
        around == DOCUMENT
    };
    let mut largest = None;
    for node in tree.of_tag(Tag::Noscript).filter(is_outermost) {
        let words = words_below(source, node, false, usize::MAX);
        if largest.is_none_or(|(most, _)| words > most) {
            largest = Some((words, node));
        }
    }
    largest
}

/// The body: if a damaged page has several, the one made first.
fn body(tree: Tree<'_>) -> Option<u32> {
    let is_body = |&node: &u32| tree.tag(node) == Tag::Body && tree.kind(node) == NodeKind::Html;
    tree.nodes().filter(is_body).min()
}

/// Counts words below a node, in what is not deleted.
fn words_below(source: &Source<'_>, root: u32, without_noscript: bool, most: usize) -> usize {
    let tree = source.tree;
    let mut words = 0;
    let mut node = tree.first_child(root);
    while node != NONE && words < most {
        let tag = tree.tag(node);
        let out = source.delete[tag as usize] || (without_noscript && tag == Tag::Noscript);
        words += count_words(tree.text(node));
        node = if out {
            tree.after(root, node)
        } else {
            tree.following(root, node)
        };
    }
    words
}

fn count_words(text: &str) -> usize {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .count()
}
