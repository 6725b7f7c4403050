//! What parts the words of elements that follow one another without white space.
//!
//! Styles draw a link, a name or a price as a box of its own, and the source need not have a space before it. Without
//! styles that follows from tags and classes. The rules are those that hold in the gold of 2,248 pages: of neighbours that
//! they part, it parts nearly all.

use gleaner_html::{Attr, NONE, NodeKind, Steps, Tag, Tree};

use super::OpenElement;

/// What is between an element and the one before it. Of two the greater counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    #[default]
    None,
    /// A space before a capital or a digit that would be joined to a word, a bracket or the end of a sentence.
    Capital,
    /// A space, if a word would be joined by a word, or a bracket by a capital; a letter by itself may be the first of a
    /// word. Not where a sentence ends: it may be a name in a program, whose parts have full stops between them.
    Names,
    /// The same, and where a sentence ends.
    Words,
    /// A space.
    Space,
    /// The end of a line of code.
    Line,
}

/// What is between an HTML element and its neighbour. Formatting elements that are made again repeat their attributes, so
/// that the bytes looked at count as work.
#[inline]
pub(super) fn gap(tree: Tree<'_>, [before, node]: [u32; 2], around: &OpenElement, steps: &mut Steps) -> Gap {
    let is_html = |node| tree.kind(node) == NodeKind::Html;
    match before != NONE && is_html(before) && is_html(node) && tree.first_child(before) != NONE {
        true => between(tree, [before, node], around, steps),
        false => Gap::None,
    }
}

fn between(tree: Tree<'_>, [before, node]: [u32; 2], around: &OpenElement, steps: &mut Steps) -> Gap {
    let mut value = |name| {
        let values = [before, node].map(|node| tree.attribute(node, name));
        steps.look(values.iter().flatten().map(|value| value.len()).sum());
        values
    };
    if let [Some(before), Some(this)] = value(Attr::Role)
        && is_control(before)
        && is_control(this)
    {
        return Gap::Space;
    }
    match (tree.tag(before), tree.tag(node)) {
        // Two links to the same place may be one that an editor has cut in two.
        (Tag::A, Tag::A) => match value(Attr::Href) {
            [before, this] if before == this && this.is_some_and(is_place) => Gap::None,
            _ => Gap::Space,
        },
        (Tag::Button, Tag::Button | Tag::A | Tag::Span)
        | (Tag::A | Tag::Span, Tag::Button)
        | (Tag::Label, Tag::Label)
        | (Tag::Kbd, Tag::Kbd) => Gap::Space,
        (Tag::Label, Tag::Span) | (Tag::Span, Tag::A) if !around.in_code => Gap::Words,
        (Tag::Span, Tag::Span) => match value(Attr::Class) {
            [Some(before), Some(this)] if around.keeps_lines && are_lines(before, this) => Gap::Line,
            // The words of a program are spans for their colours.
            _ if around.in_code => Gap::None,
            [None, None] => Gap::None,
            [before, this] if before == this => Gap::Capital,
            _ => Gap::Names,
        },
        // Indices belong to their word, and an element may be one that an editor has cut in two.
        (Tag::Sub | Tag::Sup, _) | (_, Tag::Sub | Tag::Sup) => Gap::None,
        // Components that a style draws apart.
        (Tag::Other, Tag::Other) if !around.in_code => Gap::Names,
        (before, this) if before != this && !around.in_code => Gap::Capital,
        _ => Gap::None,
    }
}

/// Whether an address is one: where a script does what there is to do, links have none.
fn is_place(href: &str) -> bool {
    let href = href.trim();
    let is_script = href
        .get(..11)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"));
    !matches!(href, "" | "#") && !is_script
}

/// Whether an element of this role stands by itself, as a button does, or is one of several to choose from.
fn is_control(role: &str) -> bool {
    const CONTROLS: [&str; 11] = [
        "button",
        "checkbox",
        "link",
        "listitem",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "option",
        "radio",
        "tab",
        "treeitem",
    ];
    CONTROLS.contains(&role.trim())
}

/// Whether spans of these classes are lines of a program, as highlighters have them: `line`, `code-line`.
fn are_lines(before: &str, this: &str) -> bool {
    let is_line = |name: &&str| {
        let mut words = name.split(|letter: char| !letter.is_ascii_alphabetic());
        words.any(|word| word == "line")
    };
    let names = |class| str::split_ascii_whitespace(class).take(NAMES);
    names(before)
        .filter(is_line)
        .any(|name| names(this).any(|other| other == name))
}

/// Maximum names searched per class: a page may have any number, and each is compared with each.
const NAMES: usize = 16;

impl Gap {
    /// What is at both ends of an element that may be a box.
    pub(super) fn of_box(is_box: bool) -> Gap {
        if is_box { Gap::Words } else { Gap::None }
    }

    /// Whether it puts a space between two texts.
    pub(super) fn parts(self, before: &str, after: &str) -> bool {
        let Some(next) = after.chars().next().filter(|&next| is_spaced(next)) else {
            return self == Gap::Space;
        };
        let is_capital = !next.is_lowercase();
        match self {
            Gap::None | Gap::Line => false,
            Gap::Capital => is_capital && (ends_word(before) || ends_sentence(before)),
            Gap::Names => ends_word(before) || is_capital && before.ends_with(')'),
            Gap::Words => ends_word(before) || is_capital && ends_sentence(before),
            Gap::Space => true,
        }
    }
}

/// Whether a text ends with two letters of a word or more.
fn ends_word(text: &str) -> bool {
    let mut letters = text.chars().rev();
    (0..2).all(|_| letters.next().is_some_and(is_spaced))
}

/// Whether a text ends with a bracket, or with a word and a mark that ends a sentence.
fn ends_sentence(text: &str) -> bool {
    text.ends_with(')') || text.strip_suffix(['.', '!', '?']).is_some_and(ends_word)
}

/// Whether a letter is of a script that has spaces between words.
fn is_spaced(letter: char) -> bool {
    letter.is_alphanumeric() && matches!(letter, ..'\u{e00}' | '\u{1e00}'..'\u{2000}')
}
