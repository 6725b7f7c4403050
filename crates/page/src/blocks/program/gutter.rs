//! Line numbers: those in a cell or a box beside a program, and those before each line of it.

use gleaner_html::{Attr, NONE, Steps, Tag, Tree};

use super::super::copies::{after, before};
use super::super::letters::is_white;
use super::{class, holds_program, innermost, names};

/// Maximum nodes without text before the first number.
const EMPTY: usize = 16;
/// Maximum digits per line number.
const DIGITS: usize = 7;

/// What a text of numbers alone has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    first: u32,
    count: u32,
    /// Whether each is one more than the one before.
    is_series: bool,
}

/// The numbers of an element, if it has nothing else.
pub(super) fn numbers(tree: Tree<'_>, root: u32, steps: &mut Steps) -> Option<Numbers> {
    let mut found: Option<Numbers> = None;
    let (mut node, mut empty) = (root, 0);
    while node != NONE {
        steps.look(4);
        let text = if tree.is_blank(node) { "" } else { tree.text(node) };
        for word in text.split(is_white).filter(|word| !word.is_empty()) {
            let number = number(word)?;
            steps.look(word.len());
            let Some(numbers) = &mut found else {
                let (first, count, is_series) = (number, 1, true);
                found = Some(Numbers {
                    first,
                    count,
                    is_series,
                });
                continue;
            };
            numbers.is_series &= number == numbers.first.saturating_add(numbers.count);
            numbers.count += 1;
        }
        empty += usize::from(found.is_none());
        if empty > EMPTY || steps.is_over() {
            return None;
        }
        node = tree.following(root, node);
    }
    found
}

/// Whether the first letter of an element may be a digit.
fn may_be_numbers(tree: Tree<'_>, root: u32) -> bool {
    let mut node = root;
    for _ in 0..=EMPTY {
        if tree.kind(node).is_text() && !tree.is_blank(node) {
            return may_be_number(tree, node);
        }
        node = tree.following(root, node);
        if node == NONE {
            break;
        }
    }
    false
}

/// Whether a text begins with a digit, or with white space that is not ASCII.
fn may_be_number(tree: Tree<'_>, text: u32) -> bool {
    let first = tree.text(text).as_bytes().get(tree.leading_white(text).bytes());
    first.is_some_and(|first| !first.is_ascii_graphic() || first.is_ascii_digit())
}

/// A number of a line, behind which there may be a sign.
fn number(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(['.', ':', '|', ')']);
    let is_number =
        !digits.is_empty() && digits.len() <= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// Whether an element, or what it begins with, is named as line numbers are.
pub(super) fn is_named(tree: Tree<'_>, node: u32) -> bool {
    let is_own = |inner| names::is_of_numbers(class(tree, inner)) || is_place_of_line(tree, inner);
    tree.attribute(node, Attr::DataLineNumber).is_some() || innermost(tree, node).any(is_own)
}

/// Whether an element has a number, and is a link to the line of that number on the page: to `#L12`, `#n-12`.
fn is_place_of_line(tree: Tree<'_>, node: u32) -> bool {
    let is_line = |number: u32| {
        let href = tree.attribute(node, Attr::Href)?;
        let name = href.rsplit_once('#')?.1;
        Some(name.rsplit(|letter: char| !letter.is_ascii_digit()).next() == Some(&number.to_string()))
    };
    tree.tag(node) == Tag::A && own_number(tree, node).and_then(is_line) == Some(true)
}

/// Whether a cell or a box has the numbers of the lines of a program that stands beside it.
pub(super) fn is_beside_program(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    let is_cell = |node: u32| node != NONE && matches!(tree.tag(node), Tag::Td | Tag::Th);
    let tag = tree.tag(node);
    if !matches!(
        tag,
        Tag::Td | Tag::Th | Tag::Div | Tag::Pre | Tag::Ol | Tag::Ul | Tag::Code
    ) {
        return false;
    }
    if !may_be_numbers(tree, node) {
        return false;
    }
    let Some(numbers) = numbers(tree, node, steps) else {
        return false;
    };
    let next = after(tree, node);
    // Two columns of numbers are data.
    let mut is_program = |other: u32| {
        other != NONE && holds_program(tree, other) && self::numbers(tree, other, steps).is_none()
    };
    match is_cell(node) {
        true => {
            let is_pre = |inner: u32| tree.tag(inner) == Tag::Pre;
            let is_column = numbers.is_series && numbers.count > 1 && innermost(tree, next).any(is_pre);
            is_cell(next) && is_program(next) && (is_column || is_named(tree, node))
        }
        false => {
            // Numbers behind a program may be what it prints.
            let is_behind = is_named(tree, node) && is_program(before(tree, node));
            is_behind
                || is_program(next) && (is_named(tree, node) || are_of_lines(tree, numbers, next, steps))
        }
    }
}

/// Whether there is a number for each line of a program.
fn are_of_lines(tree: Tree<'_>, numbers: Numbers, program: u32, steps: &mut Steps) -> bool {
    let mut lines = 0;
    let mut is_begun = false;
    let mut node = program;
    while node != NONE && !steps.is_over() {
        let text = tree.text(node);
        steps.look(4 + text.len());
        let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count() as u32;
        lines += ends + u32::from(tree.tag(node) == Tag::Br);
        is_begun = match text.rfind('\n') {
            Some(end) => !text[end..].chars().all(is_white),
            None => (is_begun && tree.tag(node) != Tag::Br) || !text.chars().all(is_white),
        };
        node = tree.following(program, node);
    }
    let is_preformatted = matches!(tree.tag(program), Tag::Pre | Tag::Code);
    is_preformatted && numbers.is_series && numbers.count > 1 && numbers.count == lines + u32::from(is_begun)
}

/// The elements before the lines of a program that have their numbers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct LineNumbers<'a> {
    /// Where the line begins in what is written that had its number last.
    pub(super) line: Option<u32>,
    tag: Tag,
    class: &'a str,
    /// Whether a space that is none of the program stands behind each.
    pub(super) is_spaced: bool,
}

impl<'a> LineNumbers<'a> {
    /// Those of a program, if it has some: each line begins with an element that has its number and nothing else.
    pub(in super::super) fn find(tree: Tree<'a>, program: u32, steps: &mut Steps) -> Option<LineNumbers<'a>> {
        let first = first_text(tree, program)?;
        let element = tree.parent(first);
        let class = class(tree, element);
        let is_named = names::is_of_numbers(class);
        let tag = tree.tag(element);
        let is_in_line = tag.is_inline() && tag != Tag::Code;
        if !is_in_line
            || tree.tag(program) == Tag::Table
            || !is_short(tree.text(first))
            || !is_named && names::is_of_token(class)
        {
            return None;
        }
        let first = number(tree.text(first).trim_matches(is_white))?;
        let mut reader = Reader {
            tree,
            numbers: LineNumbers {
                line: None,
                tag,
                class,
                is_spaced: true,
            },
            next: first,
            has_text: false,
            place: NumberPlace::Start,
        };
        let is_series = reader.read(program, steps);
        let count = reader.next - first;
        (reader.has_text && (is_named || is_series && count > 1)).then_some(reader.numbers)
    }

    /// Whether an element at the beginning of a line has its number.
    pub(super) fn are(&self, tree: Tree<'_>, node: u32) -> bool {
        tree.tag(node) == self.tag && class(tree, node) == self.class && own_number(tree, node).is_some()
    }
}

/// Whether an element in a program is named as a line number, and has one.
pub(super) fn is_named_number(tree: Tree<'_>, node: u32) -> bool {
    own_number(tree, node).is_some() && names::is_of_numbers(class(tree, node))
}

/// The first text in an element.
fn first_text(tree: Tree<'_>, root: u32) -> Option<u32> {
    let mut node = root;
    for _ in 0..EMPTY {
        node = tree.following(root, node);
        if node == NONE {
            return None;
        }
        if tree.kind(node).is_text() && !tree.text(node).chars().take(DIGITS).all(is_white) {
            return Some(node);
        }
    }
    None
}

fn is_short(text: &str) -> bool {
    text.len() <= 4 * DIGITS
}

/// The number that is all an element has.
fn own_number(tree: Tree<'_>, node: u32) -> Option<u32> {
    let child = tree.first_child(node);
    let is_only = child != NONE && tree.kind(child).is_text() && tree.next_sibling(child) == NONE;
    let text = Some(child)
        .filter(|&child| is_only && may_be_number(tree, child))
        .map(|child| tree.text(child))?;
    number(Some(text).filter(|text| is_short(text))?.trim_matches(is_white))
}

/// Reads a program line by line.
struct Reader<'a> {
    tree: Tree<'a>,
    numbers: LineNumbers<'a>,
    /// The next number.
    next: u32,
    /// Whether there is more than numbers.
    has_text: bool,
    place: NumberPlace,
}

/// Where in a line the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberPlace {
    Start,
    BehindNumber,
    Within,
}

impl Reader<'_> {
    /// Says whether each line that has text begins with the next number.
    fn read(&mut self, program: u32, steps: &mut Steps) -> bool {
        let tree = self.tree;
        let mut is_series = true;
        let mut node = tree.following(program, program);
        while node != NONE && !steps.is_over() {
            steps.look(4 + tree.text(node).len());
            if self.place == NumberPlace::Start && self.numbers.are(tree, node) {
                is_series &= own_number(tree, node) == Some(self.next);
                self.next += 1;
                self.place = NumberPlace::BehindNumber;
                node = tree.after(program, node);
                continue;
            }
            match tree.tag(node) {
                Tag::Br | Tag::Div | Tag::Li | Tag::Tr | Tag::P => self.place = NumberPlace::Start,
                _ => is_series &= self.text(tree.text(node)),
            }
            node = tree.following(program, node);
        }
        is_series && !steps.is_over()
    }

    /// Reads a text, and says whether all lines in it have numbers.
    fn text(&mut self, text: &str) -> bool {
        let mut is_numbered = true;
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.place = NumberPlace::Start;
            }
            let Some(first) = line.chars().next().filter(|&letter| letter != '\r') else {
                continue;
            };
            let is_seen = !line.chars().all(is_white);
            self.has_text |= is_seen;
            match self.place {
                NumberPlace::BehindNumber => {
                    // A number with a comma behind it is one of the program.
                    is_numbered &= !matches!(first, ',' | ';' | ')');
                    self.numbers.is_spaced &= is_white(first);
                    self.place = NumberPlace::Within;
                }
                NumberPlace::Start if is_seen => {
                    is_numbered = false;
                    self.place = NumberPlace::Within;
                }
                NumberPlace::Start | NumberPlace::Within => {}
            }
        }
        is_numbered
    }
}
