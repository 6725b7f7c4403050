//! Values for machines: elements of schema.org that the page does not show.

use gleaner_html::{Attr, NONE, NodeKind, Steps, Tree};

use super::style::hides_from_all;

/// Maximum elements around one searched for what hides them.
const NEAR: usize = 8;
/// Maximum bytes per value: more text is a part of the page that a script will show.
const MOST_BYTES: usize = 300;
/// Classes by which style sheets hide elements.
const HIDING: [&str; 7] = [
    "d-none",
    "hidden",
    "hide",
    "is-hidden",
    "rich-snippet-hidden",
    "sr-only",
    "visually-hidden",
];
/// Properties whose value is prose.
const PROSE: [&str; 4] = ["articleBody", "description", "reviewBody", "text"];

/// Whether an element holds values of schema.org and nothing that the page shows.
pub(super) fn is_hidden_value(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    tree.attribute(node, Attr::Itemprop).is_some()
        && is_hidden(tree, node, steps)
        && is_short(tree, node, steps)
}

/// Whether an attribute or a class hides an element or one of those around it.
fn is_hidden(tree: Tree<'_>, node: u32, steps: &mut Steps) -> bool {
    let up = |&node: &u32| Some(tree.parent(node)).filter(|&up| up != NONE);
    let mut around = std::iter::successors(Some(node), up).take(NEAR);
    around.any(|up| {
        tree.attributes(up).any(|(name, value)| {
            steps.look(value.len());
            hides_from_all(name, value) || (name == Attr::Class && class_hides(value))
        })
    })
}

/// Whether a class hides its element by its name. One that shows it again on screens of some sizes does not.
fn class_hides(class: &str) -> bool {
    let mut is_hidden = false;
    for name in class.split_ascii_whitespace() {
        let is_shown_again = name.contains(':') || (name.starts_with("d-") && name != "d-none");
        if is_shown_again {
            return false;
        }
        is_hidden |= HIDING.contains(&name);
    }
    is_hidden
}

/// Whether there is no prose in an element.
fn is_short(tree: Tree<'_>, root: u32, steps: &mut Steps) -> bool {
    let mut bytes = 0;
    let mut node = root;
    while node != NONE {
        steps.step();
        bytes += tree.text(node).len();
        let property = tree.attribute(node, Attr::Itemprop).unwrap_or_default();
        let is_prose = property
            .split_ascii_whitespace()
            .any(|name| PROSE.contains(&name));
        if is_prose || bytes > MOST_BYTES || steps.is_over() {
            return false;
        }
        node = tree.following(root, node);
    }
    true
}

/// The value of such an element as text: for what reads metadata, in place of its `content`. Where properties stand in
/// it, its own text alone.
pub(super) fn own_value(tree: Tree<'_>, node: u32) -> Option<String> {
    let has = |node, name| tree.attribute(node, name).is_some();
    if tree.kind(node) != NodeKind::Html || !has(node, Attr::Itemprop) || has(node, Attr::Content) {
        return None;
    }
    let mut text = String::new();
    let mut inner = tree.following(node, node);
    while inner != NONE {
        if has(inner, Attr::Itemprop) {
            text.clear();
            tree.push_own_text(node, &mut text);
            break;
        }
        text.push_str(tree.text(inner));
        inner = tree.following(node, inner);
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hide_on_all_screens_or_on_some() {
        for class in ["hidden", "meta d-none", "rich-snippet-hidden", "visually-hidden"] {
            assert!(class_hides(class), "{class}");
        }
        for class in [
            "",
            "hidden md:block",
            "d-none d-lg-block",
            "hidden-xs",
            "overflow",
        ] {
            assert!(!class_hides(class), "{class}");
        }
    }
}
