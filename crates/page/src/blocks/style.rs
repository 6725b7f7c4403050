//! How attributes draw an element: hidden, as a box, with its line ends.

use gleaner_html::{Attr, Tree};

/// Whether an attribute takes its element off the page.
pub(super) fn hides(name: Attr, value: &str) -> bool {
    match name {
        Attr::AriaHidden => value.trim().eq_ignore_ascii_case("true"),
        _ => hides_from_all(name, value),
    }
}

/// Whether an attribute takes its element off the page for eyes and for screen readers.
pub(super) fn hides_from_all(name: Attr, value: &str) -> bool {
    match name {
        Attr::Hidden => true,
        Attr::Style => displays_none(value),
        _ => false,
    }
}

/// Whether screen readers pass over an element.
pub(super) fn is_aria_hidden(tree: Tree<'_>, node: u32) -> bool {
    let value = tree.attribute(node, Attr::AriaHidden);
    value.is_some_and(|value| hides(Attr::AriaHidden, value))
}

/// Whether an inline style says `display: none`.
fn displays_none(style: &str) -> bool {
    // Few styles have the word.
    has_word(style, "none")
        && declares(style, |name, value| {
            name.eq_ignore_ascii_case("display") && begins_with(value, "none")
        })
}

/// Whether an inline style puts an element on a line of its own, or to the side. Letters that move one by one are often
/// `inline-block`: that is none.
pub(super) fn draws_a_box(style: &str) -> bool {
    declares(style, |name, value| {
        let boxes: &[&str] = if name.eq_ignore_ascii_case("display") {
            &["block", "flex", "grid", "table", "list-item"]
        } else if name.eq_ignore_ascii_case("float") {
            &["left", "right"]
        } else {
            &[]
        };
        boxes.iter().any(|start| begins_with(value, start))
    })
}

/// What a style does with the newlines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhiteSpace {
    /// They are spaces.
    Collapsed,
    /// They end lines, which are broken where they are too long.
    KeptLines,
    /// They end lines, which stay as they are: as in a `<pre>`.
    Preformatted,
}

/// How an inline style treats newlines, if it has a declaration: the last one counts.
pub(super) fn white_space(style: &str) -> Option<WhiteSpace> {
    let own = |(name, value): (&str, &str)| {
        let is_own = ["white-space", "white-space-collapse"]
            .iter()
            .any(|own| name.eq_ignore_ascii_case(own));
        is_own.then(|| of_value(value)).flatten()
    };
    let may_be = has_word(style, "-space");
    may_be
        .then(|| declarations(style).filter_map(own).last())
        .flatten()
}

fn of_value(value: &str) -> Option<WhiteSpace> {
    let word = value.split(|letter: char| !letter.is_ascii_alphabetic() && letter != '-');
    let word = word.into_iter().next().unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "pre" => Some(WhiteSpace::Preformatted),
        "pre-wrap" | "pre-line" | "break-spaces" | "preserve" | "preserve-breaks" => {
            Some(WhiteSpace::KeptLines)
        }
        "normal" | "nowrap" | "collapse" | "initial" => Some(WhiteSpace::Collapsed),
        _ => None,
    }
}

/// Whether a word stands somewhere in a text, in letters of either case.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    let begins = memchr::memchr2_iter(word[0], word[0].to_ascii_uppercase(), text);
    let ends = |at: usize| text.get(at..at + word.len());
    begins
        .filter_map(ends)
        .any(|found| found.eq_ignore_ascii_case(word))
}

fn declares(style: &str, is_it: impl Fn(&str, &str) -> bool) -> bool {
    declarations(style).any(|(name, value)| is_it(name, value))
}

fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = style
        .split(';')
        .filter_map(|declaration| declaration.split_once(':'));
    pairs.map(|(name, value)| (name.trim(), value.trim()))
}

/// Whether a value begins so; `!important` may follow.
fn begins_with(value: &str, start: &str) -> bool {
    value
        .get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_declaration_of_white_space_holds() {
        for (style, wanted) in [
            ("white-space:pre", Some(WhiteSpace::Preformatted)),
            (
                "color: red; WHITE-SPACE : Pre-Wrap !important;",
                Some(WhiteSpace::KeptLines),
            ),
            (
                "white-space: pre; white-space: nowrap",
                Some(WhiteSpace::Collapsed),
            ),
            (
                "white-space: pre-line; white-space: inherit",
                Some(WhiteSpace::KeptLines),
            ),
            (
                "white-space-collapse: preserve-breaks",
                Some(WhiteSpace::KeptLines),
            ),
            ("white-space", None),
            ("white-space: prefix", None),
        ] {
            assert_eq!(white_space(style), wanted, "{style}");
        }
    }
}
