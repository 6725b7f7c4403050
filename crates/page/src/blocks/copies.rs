//! The same text twice: drawn for eyes, and as plain text for screen readers. One of them is text of the page.
//!
//! What is drawn is marked with `aria-hidden`, and is in pieces: the parts of a price, the letters of a formula. So the
//! copy for screen readers stays.

use std::cell::Cell;

use gleaner_html::{Attr, NONE, NodeKind, Steps, Tag, Tree};

use super::formula::is_tex;
use super::letters::{is_white, is_white_text};
use super::style::{hides_from_all, is_aria_hidden};

/// Maximum neighbours searched on each side of an element.
const NEAR: usize = 32;
/// Maximum letters compared.
const LETTERS: usize = 4096;
/// Maximum depth in a neighbour searched for a formula.
const DEPTH: usize = 4;

/// Whether an element of a class is a formula that a script draws, which the page has beside it, or the number of one.
pub(super) fn is_drawn_formula(tree: Tree<'_>, node: u32, class: &str) -> bool {
    // Nearly no class has `MathJax` or an `eq` in it.
    let bytes = class.as_bytes();
    let may_be = memchr::memchr2_iter(b'M', b'q', bytes).any(|at| match bytes[at] {
        b'q' => at > 0 && bytes[at - 1].eq_ignore_ascii_case(&b'e'),
        _ => bytes[at..].starts_with(b"MathJax"),
    });
    may_be && (is_rendering(tree, node) || is_number_of_formula(tree, node))
}

/// Whether an element is drawn for eyes alone, and its neighbour has the same for screen readers.
pub(super) fn is_drawn_copy(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    if !is_aria_hidden(tree, node) {
        return false;
    }
    let [first, last] = [before, after].map(|next| end_of_hidden(tree, node, next));
    let neighbours = [before(tree, first), after(tree, last)];
    let mut shown = neighbours
        .into_iter()
        .filter(|&other| other != NONE && is_for_readers(tree, other));
    shown.any(|other| {
        holds_formula(tree, other)
            || are_same(tree, [first, last], other, steps)
            || reader_has_more(tree, [first, last], other, steps)
    })
}

/// Whether an element stands beside one that draws it: an image, or what screen readers pass over.
pub(super) fn has_drawing(tree: Tree<'_>, node: u32) -> bool {
    let mut neighbours = [before(tree, node), after(tree, node)].into_iter();
    neighbours.any(|other| other != NONE && (tree.tag(other) == Tag::Img || is_aria_hidden(tree, other)))
}

/// Whether a formula stands beside an image of it.
pub(super) fn has_formula_beside(tree: Tree<'_>, image: u32) -> bool {
    let mut neighbours = [before(tree, image), after(tree, image)].into_iter();
    neighbours.any(|other| other != NONE && (holds_formula(tree, other) || is_tex(tree, other)))
}

/// Whether an element is what MathJax has drawn of the formula in the script that follows.
fn is_rendering(tree: Tree<'_>, node: u32) -> bool {
    let is_of_mathjax = |node: u32| {
        let class = tree.attribute(node, Attr::Class).unwrap_or_default();
        class
            .split_ascii_whitespace()
            .any(|name| name.starts_with("MathJax"))
    };
    if !is_of_mathjax(node) {
        return false;
    }
    let mut next = after(tree, node);
    for _ in 0..DEPTH {
        if next == NONE || !is_of_mathjax(next) {
            break;
        }
        next = after(tree, next);
    }
    next != NONE && is_tex(tree, next)
}

/// Whether an element is the number that a style sets beside a formula.
fn is_number_of_formula(tree: Tree<'_>, node: u32) -> bool {
    const CLASSES: [&str; 8] = [
        "EquationNumber",
        "eqno",
        "eqnum",
        "equation-label",
        "equation-no",
        "equation-number",
        "equationNumber",
        "ltx_tag_equation",
    ];
    /// `(12.34a)` with the mark of a link to it.
    const LONGEST: usize = 16;
    let class = tree.attribute(node, Attr::Class).unwrap_or_default();
    if !class.split_ascii_whitespace().any(|name| CLASSES.contains(&name)) {
        return false;
    }
    let mut text = String::new();
    let mut inner = node;
    while inner != NONE && text.len() <= LONGEST {
        text.push_str(tree.text(inner).trim_matches(is_white));
        inner = tree.following(node, inner);
    }
    text.len() <= LONGEST
        && text.starts_with(['(', '['])
        && text.contains(|letter: char| letter.is_ascii_digit())
}

/// The element before a node, if nothing but white space is between.
pub(super) fn before(tree: Tree<'_>, node: u32) -> u32 {
    beside(tree, node, |node| tree.previous_sibling(node))
}

/// The element after a node, if nothing but white space is between.
pub(super) fn after(tree: Tree<'_>, node: u32) -> u32 {
    beside(tree, node, |node| tree.next_sibling(node))
}

fn beside(tree: Tree<'_>, node: u32, next: impl Fn(u32) -> u32) -> u32 {
    let mut other = next(node);
    if other != NONE && is_white_text(tree, other) {
        other = next(other);
    }
    match other != NONE && tree.kind(other).is_element() {
        true => other,
        false => NONE,
    }
}

/// The last of the elements in one direction that screen readers pass over, one beside the other.
fn end_of_hidden(tree: Tree<'_>, node: u32, next: impl Fn(Tree<'_>, u32) -> u32) -> u32 {
    let mut end = node;
    for _ in 0..NEAR {
        match next(tree, end) {
            NONE => break,
            other if !is_aria_hidden(tree, other) => break,
            other => end = other,
        }
    }
    end
}

/// Whether screen readers read an element: it is not hidden from all.
fn is_for_readers(tree: Tree<'_>, node: u32) -> bool {
    let is_hidden = tree
        .attributes(node)
        .any(|(name, value)| hides_from_all(name, value));
    !is_aria_hidden(tree, node) && (!is_hidden || holds_formula(tree, node))
}

/// Whether an element is a formula with nothing around it, or holds one.
fn holds_formula(tree: Tree<'_>, node: u32) -> bool {
    let mut inner = node;
    for _ in 0..DEPTH {
        if inner == NONE {
            return false;
        }
        if tree.kind(inner) == NodeKind::Math {
            return true;
        }
        let first = tree.first_child(inner);
        let is_white_text = first != NONE && !tree.kind(first).is_element();
        inner = if is_white_text { after(tree, first) } else { first };
    }
    false
}

/// Whether an element that only screen readers see says what is drawn in a sentence: "Price: $5" beside "$5".
fn reader_has_more(tree: Tree<'_>, drawn: [u32; 2], reader: u32, steps: &mut Steps) -> bool {
    const CLASSES: [&str; 6] = [
        "sr-only",
        "visually-hidden",
        "visuallyhidden",
        "screen-reader",
        "offscreen",
        "assistive",
    ];
    let class = tree.attribute(reader, Attr::Class).unwrap_or_default();
    let looks = Cell::new(0);
    let letters = |siblings| letters(tree, siblings, &looks).collect::<String>();
    let has_all = || {
        let [drawn, read] = [drawn, [reader; 2]].map(letters);
        !drawn.is_empty() && read.contains(&drawn)
    };
    let is_one = CLASSES.iter().any(|name| class.contains(name)) && has_all();
    steps.look(looks.get());
    is_one
}

/// Whether siblings, from the first to the last, have letters and digits, and an element the same.
fn are_same(tree: Tree<'_>, drawn: [u32; 2], read: u32, steps: &mut Steps) -> bool {
    let looks = Cell::new(0);
    let [mut drawn, read] = [drawn, [read; 2]].map(|siblings| letters(tree, siblings, &looks).peekable());
    let are_same = drawn.peek().is_some() && drawn.eq(read);
    steps.look(looks.get());
    are_same && !steps.is_over()
}

/// The letters and digits in siblings, from the first to the last. Counts what is looked at for them.
fn letters<'a>(tree: Tree<'a>, [first, last]: [u32; 2], looks: &Cell<usize>) -> impl Iterator<Item = char> {
    let parent = tree.parent(first);
    let end = tree.after(parent, last);
    let next = move |&node: &u32| {
        let next = match tree.tag(node) {
            Tag::Script | Tag::Style => tree.after(parent, node),
            _ => tree.following(parent, node),
        };
        Some(next).filter(|&next| next != end && next != NONE)
    };
    let texts = std::iter::successors(Some(first), next)
        .take(LETTERS)
        .map(move |node| {
            looks.set(looks.get() + 16 + tree.text(node).len());
            tree.text(node)
        });
    let letters = texts.flat_map(str::chars);
    letters.filter(|letter| letter.is_alphanumeric()).take(LETTERS)
}
