//! Programs as highlighters draw them: the lines of one, and what stands beside them that is none of it.
//!
//! A `<pre>` is a program by its name. Highlighters and viewers of files also draw one as a table with a row a line, as a
//! list with an item a line, or as boxes; and they put line numbers beside it or before each line, and buttons above it.
//! Here is decided what is a program ([`lines`]), and what of it and beside it is left out ([`gutter`]). Classes alone
//! decide nothing: what is left out has numbers and no more, and the lines of a program hold no other boxes.

mod gutter;
mod lines;
mod names;

use gleaner_html::{Attr, NONE, NodeKind, Tag, Tree};

use super::copies::{after, before};
use super::letters::is_white_text;
use super::style::{WhiteSpace, draws_a_box, white_space};
use super::{OpenElement, Walk, is_preformatted};

pub(super) use gutter::LineNumbers;
pub(super) use names::finder;

/// What an element that is no `<pre>` is to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProgramKind {
    /// Nothing.
    None,
    /// It has the text of one, lines of which end at `<br>` or newlines.
    Text,
    /// Its children are the lines of one.
    Lines,
}

impl Walk<'_, '_> {
    /// What an element is to a program.
    pub(super) fn program(&mut self, node: u32, around: &OpenElement) -> ProgramKind {
        let tree = self.source.tree;
        let may_be = around.in_body && around.lines == NONE && tree.kind(node) == NodeKind::Html;
        let kind = match may_be {
            true => lines::kind(tree, node, [around.pre != NONE, self.has_code], &mut self.steps),
            false => ProgramKind::None,
        };
        // Few elements are one, and to read the source takes longer.
        match kind != ProgramKind::None && self.has_programs() {
            true => kind,
            false => ProgramKind::None,
        }
    }

    /// Whether the page may have programs: it has an element for them, or something in its source that highlighters write.
    pub(super) fn has_programs(&self) -> bool {
        let may_have = || {
            let has_others = self.tags.has(Tag::Listing) || self.tags.has(Tag::Xmp);
            self.has_code || has_others || names::is_in_source(self.source.tree.source())
        };
        *self.has_programs.get_or_init(may_have)
    }

    /// Whether an element is a box because it is a program or a line of one.
    pub(super) fn is_program_box(&self, node: u32, program: ProgramKind, around: &OpenElement) -> bool {
        let is_line = around.lines != NONE && around.lines == around.element;
        let tree = self.source.tree;
        let is_drawn =
            || around.tag == Tag::Pre || tree.attribute(node, Attr::Style).is_some_and(draws_a_box);
        program != ProgramKind::None || is_line && is_drawn()
    }

    /// What becomes of newlines in a program that is no `<pre>`, or in a part of it; and which element it is.
    pub(super) fn white_space_of_program(&self, element: u32, around: &OpenElement) -> (bool, u32) {
        let style = self.page.attribute(element, Attr::Style).and_then(white_space);
        let is_kept = matches!(style, Some(WhiteSpace::Preformatted | WhiteSpace::KeptLines));
        let is_pre = is_preformatted(self.page.elements[element as usize].tag);
        let pre = if around.pre == NONE { element } else { around.pre };
        (around.keeps_lines || is_pre || is_kept, pre)
    }

    /// Whether an element stands in a program or beside it and is none of it: line numbers, buttons, lines that a book
    /// hides from its readers.
    pub(super) fn is_beside_program(&mut self, node: u32, tag: Tag, around: &OpenElement) -> bool {
        let tree = self.source.tree;
        if tree.kind(node) != NodeKind::Html || !around.in_body {
            return false;
        }
        let is_in_pre = around.pre != NONE && self.has_programs();
        // The head of a table in a <pre> is text of that.
        let is_head = tag == Tag::Thead && around.pre == around.lines;
        let is_of_table = around.lines != NONE
            && (is_head || matches!(tag, Tag::Td | Tag::Th) && next_sibling(tree, node) != NONE);
        is_of_table
            || is_in_pre && (self.is_line_number(node, around) || names::is_of_hidden_line(class(tree, node)))
            || (is_in_pre || self.tags.has(Tag::Pre)) && is_button(tree, node, is_in_pre)
            || gutter::is_beside_program(tree, node, &mut self.steps) && self.has_programs()
    }

    /// Whether an element in a program is the number of its line.
    fn is_line_number(&mut self, node: u32, around: &OpenElement) -> bool {
        let tree = self.source.tree;
        let Some(numbers) = &mut self.numbers else {
            return gutter::is_named_number(tree, node);
        };
        let line = self.line.empty_written(self.page, around.pre);
        let is_own = line.is_some() && line != numbers.line && numbers.are(tree, node);
        if is_own {
            numbers.line = line;
            self.line.skips_white = numbers.is_spaced;
        }
        is_own || gutter::is_named_number(tree, node)
    }

    /// An element opens that may be a line of a program.
    pub(super) fn open_line(&mut self, tag: Tag, inline: bool, around: &OpenElement) {
        let is_child = around.lines == around.element && !inline;
        let is_line = around.lines != NONE && (is_child || matches!(tag, Tag::Tr | Tag::Li));
        let is_section = matches!(tag, Tag::Tbody | Tag::Tfoot);
        if let Some(open) = self.open.last_mut().filter(|_| is_line && !is_section) {
            open.line_start = Some(self.page.written.len() as u32);
        }
    }
}

/// Whether a text is white space of the source between the lines of a program.
pub(super) fn is_between_lines(tree: Tree<'_>, text: u32, open: &OpenElement) -> bool {
    if open.lines == NONE {
        return false;
    }
    let is_of_lines = matches!(
        open.tag,
        Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Tr | Tag::Ol | Tag::Ul
    );
    (is_of_lines || open.lines == open.element) && is_white_text(tree, text)
}

/// Maximum depth of the search.
const DEPTH: usize = 8;

fn class(tree: Tree<'_>, node: u32) -> &str {
    tree.attribute(node, Attr::Class).unwrap_or_default()
}

/// The first child of a node that is not white.
fn first_child(tree: Tree<'_>, node: u32) -> u32 {
    shown(tree, tree.first_child(node))
}

/// The next sibling of a node that is not white.
fn next_sibling(tree: Tree<'_>, node: u32) -> u32 {
    shown(tree, tree.next_sibling(node))
}

fn shown(tree: Tree<'_>, mut node: u32) -> u32 {
    while node != NONE && is_white_text(tree, node) {
        node = tree.next_sibling(node);
    }
    node
}

/// A node, its first child, the first child of that, and so on.
fn innermost(tree: Tree<'_>, node: u32) -> impl Iterator<Item = u32> {
    let child = move |&node: &u32| Some(first_child(tree, node)).filter(|&child| child != NONE);
    std::iter::successors(Some(node).filter(|&node| node != NONE), child).take(DEPTH)
}

/// Whether an element is a program, or begins with one.
fn holds_program(tree: Tree<'_>, node: u32) -> bool {
    let mut inner = innermost(tree, node);
    let is_named = |class| names::is_of_code_cell(class) || names::is_of_code_line(class);
    inner.any(|inner| matches!(tree.tag(inner), Tag::Pre | Tag::Code) || is_named(class(tree, inner)))
}

/// Whether an element is a button that copies the program that it stands in or beside, or the box of one.
fn is_button(tree: Tree<'_>, node: u32, is_in_pre: bool) -> bool {
    let is_pre = |node: u32| node != NONE && tree.tag(node) == Tag::Pre;
    let is_beside = |node: u32| {
        // Nearly nothing stands beside one: the tags are looked at before the white space.
        let may_be = |next: &dyn Fn(u32) -> u32| {
            let one = next(node);
            is_pre(one) || one != NONE && is_pre(next(one))
        };
        may_be(&|node| tree.previous_sibling(node)) && is_pre(before(tree, node))
            || may_be(&|node| tree.next_sibling(node)) && is_pre(after(tree, node))
    };
    let parent = tree.parent(node);
    match tree.tag(node) {
        Tag::Button => {
            (is_in_pre || is_beside(node) || parent != NONE && is_beside(parent)) && copies(tree, node)
        }
        Tag::Div | Tag::Span | Tag::A => {
            let is_named = || is_in_pre && names::is_of_copying(class(tree, node));
            (is_beside(node) || is_named()) && copies(tree, node)
        }
        _ => false,
    }
}

/// Whether an element has few words, and they or its attributes are of copying.
fn copies(tree: Tree<'_>, node: u32) -> bool {
    let mut text = String::new();
    let mut inner = node;
    for _ in 0..NODES_OF_BUTTON {
        text.push_str(tree.text(inner).trim());
        inner = tree.following(node, inner);
        if inner == NONE || text.len() > LONGEST_BUTTON {
            break;
        }
    }
    let mut attributes = tree
        .attributes(node)
        .filter(|(name, _)| matches!(name, Attr::AriaLabel | Attr::Class | Attr::Title));
    let is_named = attributes.any(|(_, value)| names::is_of_copying(value)) || names::is_of_copying(&text);
    inner == NONE && text.len() <= LONGEST_BUTTON && is_named
}

/// Maximum nodes per button.
const NODES_OF_BUTTON: usize = 32;
/// Maximum bytes of text per button.
const LONGEST_BUTTON: usize = 40;
