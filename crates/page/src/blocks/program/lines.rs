//! Programs that are no `<pre>`: a table with a row a line, a list with an item a line, a box with a box or a `<code>` a
//! line, a `<code>` by itself with several lines.

use gleaner_html::{Attr, NONE, Steps, Tag, Tree};

use super::super::copies::{after, before};
use super::super::letters::is_white;
use super::super::style::{WhiteSpace, draws_a_box, white_space};
use super::{ProgramKind, class, first_child, gutter, innermost, is_white_text, names, next_sibling};

/// Maximum elements around one searched for the name of a highlighter.
const AROUND: usize = 3;

/// What an element is to a program. `is_in_pre` if it stands in one; `has_code` if the page has elements for code.
#[inline]
pub(super) fn kind(
    tree: Tree<'_>,
    node: u32,
    [is_in_pre, has_code]: [bool; 2],
    steps: &mut Steps,
) -> ProgramKind {
    let tag = tree.tag(node);
    let are_lines = match tag {
        Tag::Table => is_table(tree, node, is_in_pre, steps),
        Tag::Ol | Tag::Ul => is_list(tree, node, is_in_pre, steps),
        Tag::Div | Tag::P | Tag::Li | Tag::Td | Tag::Pre | Tag::Code => {
            are_boxes(tree, node, has_code, steps)
        }
        _ => false,
    };
    let is_code = matches!(tag, Tag::Code | Tag::Samp | Tag::Tt);
    match () {
        () if are_lines => ProgramKind::Lines,
        () if is_code && !is_in_pre && is_code_by_itself(tree, node, steps) => ProgramKind::Text,
        () => ProgramKind::None,
    }
}

/// Whether an element or one of those around it is named as boxes of programs are.
fn is_in_box(tree: Tree<'_>, node: u32, is_name: fn(&str) -> bool) -> bool {
    let up = |&node: &u32| Some(tree.parent(node)).filter(|&up| up != NONE);
    let mut around = std::iter::successors(Some(node), up).take(1 + AROUND);
    around.any(|up| is_name(class(tree, up)))
}

fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::Code | Tag::Pre | Tag::Tt | Tag::Samp)
}

/// Whether all that an element has is code: a `<code>` or `<pre>`, or several.
fn is_all_code(tree: Tree<'_>, node: u32) -> bool {
    let is_only = |&inner: &u32| {
        let first = first_child(tree, inner);
        inner == node || is_code(tree.tag(inner)) || first == NONE || next_sibling(tree, first) == NONE
    };
    let mut own = innermost(tree, node).take_while(is_only);
    if own.any(|inner| is_code(tree.tag(inner))) {
        let mut child = first_child(tree, node);
        while !is_code(tree.tag(node)) && child != NONE {
            let is_of_code = innermost(tree, child).any(|inner| is_code(tree.tag(inner)));
            if !is_of_code {
                return false;
            }
            child = next_sibling(tree, child);
        }
        return true;
    }
    false
}

/// What an element has that may be a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Nothing,
    Line,
    /// Several lines, or boxes other than of one line.
    More,
}

fn content(tree: Tree<'_>, root: u32, steps: &mut Steps) -> Content {
    let mut content = Content::Nothing;
    let mut ended = false;
    let mut node = root;
    while node != NONE && !steps.is_over() {
        let text = tree.text(node);
        steps.look(4 + text.len());
        let tag = tree.tag(node);
        let is_box = match tag {
            Tag::Br | Tag::Div | Tag::P | Tag::Li | Tag::Pre => {
                ended |= content == Content::Line;
                false
            }
            Tag::Img
            | Tag::Table
            | Tag::Ul
            | Tag::Ol
            | Tag::H1
            | Tag::H2
            | Tag::H3
            | Tag::H4
            | Tag::H5
            | Tag::H6 => true,
            _ => false,
        };
        if is_box {
            return Content::More;
        }
        for (at, line) in text.split('\n').enumerate() {
            ended |= at > 0 && content == Content::Line;
            if !line.chars().all(is_white) {
                if ended {
                    return Content::More;
                }
                content = Content::Line;
            }
        }
        node = tree.following(root, node);
    }
    content
}

/// Whether each row is a line: line numbers, or nothing, and a cell with code.
fn is_table(tree: Tree<'_>, table: u32, is_in_pre: bool, steps: &mut Steps) -> bool {
    let is_named = is_in_pre || is_in_box(tree, table, names::is_of_box);
    let (mut rows, mut row) = (0, next_row(tree, table, table));
    while row != NONE {
        steps.step();
        if steps.is_over() || !is_row(tree, row, is_in_pre, is_named, steps) {
            return false;
        }
        rows += 1;
        row = next_row(tree, table, row);
    }
    rows > 0
}

/// The row behind a row of a table, or the first. The heading of a table is none.
fn next_row(tree: Tree<'_>, table: u32, row: u32) -> u32 {
    let mut next = if row == table {
        first_child(tree, table)
    } else {
        next_sibling(tree, row)
    };
    if next == NONE && row != table && tree.parent(row) != table {
        next = next_sibling(tree, tree.parent(row));
    }
    while next != NONE && tree.tag(next) != Tag::Tr {
        next = match tree.tag(next) {
            Tag::Tbody | Tag::Tfoot if first_child(tree, next) != NONE => first_child(tree, next),
            _ => next_sibling(tree, next),
        };
    }
    next
}

fn is_row(tree: Tree<'_>, row: u32, is_in_pre: bool, is_named: bool, steps: &mut Steps) -> bool {
    let mut numbers = Beside::Nothing;
    let mut cell = first_child(tree, row);
    while cell != NONE && next_sibling(tree, cell) != NONE {
        match Beside::find(tree, cell, steps) {
            Some(own) => numbers = numbers.max(own),
            None => return false,
        }
        cell = next_sibling(tree, cell);
    }
    if cell == NONE || !matches!(tree.tag(cell), Tag::Td | Tag::Th) {
        return false;
    }
    let is_numbered = tree.attribute(cell, Attr::DataLineNumber).is_some();
    let inner = first_child(tree, cell);
    let is_pre = inner != NONE && tree.tag(inner) == Tag::Pre;
    let is_code_cell = is_numbered || names::is_of_code_cell(class(tree, cell)) || is_all_code(tree, cell);
    let is_program = match numbers {
        Beside::Named => is_named || is_code_cell,
        Beside::Numbers => is_code_cell && is_named || is_pre,
        Beside::Nothing => is_in_pre || is_code_cell && is_named || is_numbered,
    };
    let content = if is_program {
        content(tree, cell, steps)
    } else {
        Content::More
    };
    // A single cell with a <pre> is a program of its own.
    content != Content::More && !(is_pre && numbers == Beside::Nothing && !is_in_pre)
}

/// What a cell beside a line has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Beside {
    Nothing,
    Numbers,
    /// What is named as line numbers, and has no more than a number.
    Named,
}

impl Beside {
    /// `None` of a cell with anything else.
    fn find(tree: Tree<'_>, cell: u32, steps: &mut Steps) -> Option<Beside> {
        let is_named = gutter::is_named(tree, cell);
        match (
            is_named,
            gutter::numbers(tree, cell, steps),
            content(tree, cell, steps),
        ) {
            (true, Some(_), Content::Line) | (true, None, Content::Nothing) => Some(Beside::Named),
            (false, Some(_), Content::Line) => Some(Beside::Numbers),
            (false, None, Content::Nothing) => Some(Beside::Nothing),
            _ => None,
        }
    }
}

/// Whether each item is a line.
fn is_list(tree: Tree<'_>, list: u32, is_in_pre: bool, steps: &mut Steps) -> bool {
    let is_of = |is_name: fn(&str) -> bool| {
        let parent = tree.parent(list);
        is_name(class(tree, list)) || parent != NONE && is_name(class(tree, parent))
    };
    let is_of_tool = is_in_pre || is_of(names::is_of_tool);
    if !is_of_tool && !is_of(names::is_of_box) {
        return false;
    }
    let mut is_program = is_of_tool;
    let (mut items, mut item) = (0, first_child(tree, list));
    while item != NONE {
        let is_line = tree.tag(item) == Tag::Li && content(tree, item, steps) != Content::More;
        if !is_line || steps.is_over() {
            return false;
        }
        is_program |=
            names::is_of_line(class(tree, item)) || is_all_code(tree, item) || is_indented(tree, item);
        items += 1;
        item = next_sibling(tree, item);
    }
    is_program && items > 0
}

/// Whether a line begins with several spaces that are seen.
fn is_indented(tree: Tree<'_>, line: u32) -> bool {
    let text = |&inner: &u32| tree.kind(tree.first_child(inner)).is_text();
    let mut inner = innermost(tree, line).take_while(|&inner| tree.first_child(inner) != NONE);
    let first = inner
        .find(text)
        .map_or("", |inner| tree.text(tree.first_child(inner)));
    first.chars().take_while(|&letter| letter == '\u{a0}').count() > 1
}

/// Whether the children of an element are boxes, or `<code>` between breaks, each of which is a line.
fn are_boxes(tree: Tree<'_>, node: u32, has_code: bool, steps: &mut Steps) -> bool {
    let first = first_child(tree, node);
    // In a <pre> lines need no other name.
    let is_in_code = is_code(tree.tag(node));
    let is_drawn = |child: u32| tree.attribute(child, Attr::Style).is_some_and(draws_a_box);
    let is_line = |child: u32| {
        let is_named = names::is_of_line(class(tree, child)) || begins_with_number(tree, child);
        is_named || has_code && is_all_code(tree, child) || is_in_code && is_drawn(child)
    };
    if first == NONE
        || !matches!(tree.tag(first), Tag::Div | Tag::Pre | Tag::Code | Tag::Span)
        || !is_line(first)
    {
        return false;
    }
    let is_in_cell = tree.tag(node) == Tag::Td;
    let is_named = is_in_box(tree, node, names::is_of_box) || names::is_of_code_line(class(tree, first));
    let (mut lines, mut is_apart, mut child) = (0, true, tree.first_child(node));
    while child != NONE && !steps.is_over() {
        steps.step();
        let tag = tree.tag(child);
        if is_white_text(tree, child) {
            // Newlines and line breaks in a <pre> part its lines by themselves.
            if is_in_code && tree.text(child).contains('\n') {
                return false;
            }
        } else if tag == Tag::Br && is_in_code {
            return false;
        } else if tag == Tag::Br {
            is_apart = true;
        } else {
            let is_box = matches!(tag, Tag::Div | Tag::Pre)
                || is_drawn(child)
                || tag == Tag::Code && tree.tag(node) == Tag::Pre;
            let is_code = is_all_code(tree, child) && !is_in_cell;
            let content = content(tree, child, steps);
            let is_named = is_code
                || begins_with_number(tree, child)
                || is_named && names::is_of_line(class(tree, child));
            let is_own = is_named || is_box && (is_in_code || content == Content::Nothing);
            if !is_own || !(is_box || is_apart) || content == Content::More {
                return false;
            }
            is_apart = is_box;
            lines += 1;
        }
        child = tree.next_sibling(child);
    }
    lines > 1
        || lines == 1 && is_named && names::is_of_line(class(tree, first)) && tree.tag(first) == Tag::Div
}

/// Whether a line begins with what is named as its number.
fn begins_with_number(tree: Tree<'_>, line: u32) -> bool {
    let first = first_child(tree, line);
    first != NONE && tree.tag(first).is_inline() && gutter::is_named_number(tree, first)
}

/// Whether a `<code>` stands in lines of its own, and has several lines, or is a box that keeps them.
fn is_code_by_itself(tree: Tree<'_>, code: u32, steps: &mut Steps) -> bool {
    let style = tree.attribute(code, Attr::Style).unwrap_or_default();
    let keeps_lines = matches!(
        white_space(style),
        Some(WhiteSpace::Preformatted | WhiteSpace::KeptLines)
    );
    let is_box = keeps_lines && draws_a_box(style);
    if !is_box && !has_several(tree, code, keeps_lines, steps) {
        return false;
    }
    let parent = tree.parent(code);
    let is_end = |neighbour: u32, other: u32| match other {
        NONE => neighbour == NONE || is_last_white(tree, neighbour),
        _ => tree.tag(other) == Tag::Br || !tree.tag(other).is_inline(),
    };
    let is_alone = is_end(tree.previous_sibling(code), before(tree, code))
        && is_end(tree.next_sibling(code), after(tree, code));
    let holds_programs = |tag: Tag| {
        !tag.is_inline()
            && !matches!(tag, Tag::Td | Tag::Th | Tag::Dt)
            && !matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
    };
    is_alone && parent != NONE && holds_programs(tree.tag(parent))
}

/// Whether a white text is all there is on a side of an element.
fn is_last_white(tree: Tree<'_>, text: u32) -> bool {
    let is_end = tree.next_sibling(text) == NONE || tree.previous_sibling(text) == NONE;
    is_white_text(tree, text) && is_end
}

/// Whether a text has several lines.
fn has_several(tree: Tree<'_>, root: u32, keeps_lines: bool, steps: &mut Steps) -> bool {
    let mut node = root;
    let (mut has_text, mut is_ended) = (false, false);
    while node != NONE && !steps.is_over() {
        let text = tree.text(node);
        steps.look(4 + text.len());
        let is_seen = !text.chars().all(is_white);
        if is_ended && is_seen {
            return true;
        }
        has_text |= is_seen;
        let is_end = tree.tag(node) == Tag::Br || keeps_lines && text.trim_end().contains('\n');
        is_ended |= has_text && is_end;
        node = tree.following(root, node);
    }
    keeps_lines && is_ended
}
