//! Elements that HTML does not know: custom elements, smart tags of word processors, tags of old programs.
//!
//! Without a style they are drawn in the line that they stand in, but most are components that a style draws as boxes.
//! What stands around an element shows whether it is in a line.

use gleaner_html::{NONE, Steps, Tag, TagSet, Tree};

use super::copies::{after, before};
use super::letters::is_white_text;

/// Maximum unknown or inline elements searched, from an element outwards.
const NEAR: usize = 8;

/// Whether an unknown element stands in a line: it is empty, or text stands directly beside it, or all that stands around
/// it is one line, such as a paragraph or a heading.
pub(super) fn is_in_line(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    let is_empty = tree.first_child(node) == NONE;
    is_empty || is_of_sentence(tree, node, steps)
}

fn is_of_sentence(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    let mut own = node;
    // One of several components in a component is an item of a list, wherever the list stands.
    let mut is_item = false;
    for _ in 0..NEAR {
        steps.look(4);
        if !is_item && is_beside_text(tree, own) {
            return true;
        }
        let parent = tree.parent(own);
        match if parent == NONE {
            Tag::Html
        } else {
            tree.tag(parent)
        } {
            Tag::P | Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => return true,
            _ if !is_item && is_beside_words(tree, own) => return true,
            Tag::Other => is_item |= has_sibling(tree, own),
            tag if tag.is_inline() => {}
            _ => return false,
        }
        own = parent;
    }
    false
}

/// Whether an element stands beside another, perhaps with white space between.
fn has_sibling(tree: Tree<'_>, node: u32) -> bool {
    [before(tree, node), after(tree, node)] != [NONE, NONE]
}

/// Whether an element is the neighbour of words that are set apart in a sentence, such as bold ones.
fn is_beside_words(tree: Tree<'_>, node: u32) -> bool {
    use Tag::*;
    const OF_SENTENCE: TagSet = TagSet::new(&[
        Abbr, B, Cite, Code, Del, Dfn, Em, I, Ins, Kbd, Mark, Q, S, Samp, Strong, Sub, Sup, U, Var,
    ]);
    let mut neighbours = [before(tree, node), after(tree, node)].into_iter();
    neighbours.any(|other| other != NONE && OF_SENTENCE.has(tree.tag(other)))
}

/// Whether the text before or after a node is its neighbour.
fn is_beside_text(tree: Tree<'_>, node: u32) -> bool {
    let neighbours = [tree.previous_sibling(node), tree.next_sibling(node)];
    let has_text = |&other: &u32| other != NONE && tree.kind(other).is_text() && !is_white_text(tree, other);
    neighbours.iter().any(has_text)
}
