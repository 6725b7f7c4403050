//! Controls of headings: what edits a section, copies its address or leads to it, and the names of icons that a font draws as
//! pictures. They stand in a heading or beside it, and are no words of it.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use gleaner_html::{Attr, NONE, Steps, Tag, Tree};

use super::copies::{after, before};
use super::letters::has_word;
use super::program::finder;
use super::style::is_aria_hidden;

/// Maximum elements searched around one, and nodes in one.
const NEAR: usize = 64;
/// Maximum bytes of the text of a control.
const LONGEST: usize = 60;
/// Minimum bytes of a class name.
const SHORTEST: usize = 4;

/// Classes of what edits a section, without hyphens.
static EDITS: LazyLock<AhoCorasick> =
    LazyLock::new(|| finder(&["editbutton", "editlink", "editsection", "secedit", "sectionedit"]));
/// Classes of links to a heading, without hyphens.
static ANCHORS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    finder(&[
        "anchor",
        "copylink",
        "deeplink",
        "directlink",
        "hashlink",
        "headerlink",
        "headinglink",
        "permalink",
        "selflink",
    ])
});
/// Classes of buttons, without hyphens.
static BUTTONS: LazyLock<AhoCorasick> =
    LazyLock::new(|| finder(&["anchor", "clipboard", "copy", "edit", "permalink", "share"]));
/// Classes of fonts of icons.
const ICONS: [&str; 3] = ["material-icons", "material-symbols", "mat-icon"];
/// What controls say.
const PHRASES: [&str; 12] = [
    "anchor",
    "copy",
    "edit",
    "edit section",
    "edit source",
    "edit this section",
    "heading link",
    "link",
    "permalink",
    "permanent link",
    "section link",
    "share",
];
/// What they begin with.
const BEGINNINGS: [&str; 8] = [
    "anchor link",
    "copy link",
    "copy the link",
    "copy url",
    "direct link to",
    "link to this",
    "permalink to",
    "permanent link to",
];

/// Where an element stands whose heading is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Within,
    Before,
    Behind,
}

/// Whether elements of this tag are headings.
pub(super) fn is_heading(tag: Tag) -> bool {
    matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
}

/// The heading that an element stands in.
pub(super) fn heading_around(tree: Tree<'_>, node: u32) -> Option<u32> {
    up(tree, node).find(|&up| is_heading(tree.tag(up)))
}

/// The heading that follows an element, if nothing is between.
pub(super) fn heading_behind(tree: Tree<'_>, node: u32) -> Option<u32> {
    let is_one = |next: u32| next != NONE && is_heading(tree.tag(next));
    let next = tree.next_sibling(node);
    // Nearly no link has one: the tags are looked at before the white space.
    let may_be = is_one(next) || next != NONE && is_one(tree.next_sibling(next));
    may_be.then(|| after(tree, node)).filter(|&next| is_one(next))
}

/// Whether an element is a control of a heading.
pub(super) fn is_control(tree: Tree<'_>, node: u32, side: Side, heading: u32, steps: &mut Steps) -> bool {
    steps.look(NEAR);
    let element = Element {
        tree,
        node,
        heading,
        side,
    };
    let is_one = match tree.tag(node) {
        Tag::A => element.is_link_to_heading() || element.is_edit_link(),
        Tag::Button => element.says_so() || class_has(element.attribute(Attr::Class), &BUTTONS),
        _ => false,
    };
    // What has no word is no block, or a mark that is not written.
    if (!is_one && !element.is_of_editor() && !element.is_icon()) || !has_word(&element.text()) {
        return false;
    }
    steps.look(NEAR * NEAR);
    // What is all there is of a heading is the heading.
    side != Side::Within || element.has_other_words()
}

/// An element and its heading.
#[derive(Clone, Copy)]
struct Element<'a> {
    tree: Tree<'a>,
    node: u32,
    heading: u32,
    side: Side,
}

impl<'a> Element<'a> {
    fn attribute(&self, name: Attr) -> &'a str {
        self.tree.attribute(self.node, name).unwrap_or_default()
    }

    /// Whether it leads to the heading, and is not a part of it that is set as a link.
    fn is_link_to_heading(&self) -> bool {
        let Some((_, place)) = self.attribute(Attr::Href).split_once('#') else {
            return self.says_so() && self.text().to_ascii_lowercase().contains("perma") && self.is_at_end();
        };
        let is_named = || class_has(self.attribute(Attr::Class), &ANCHORS) || self.says_so();
        match self.side {
            // A number or a day is no control.
            Side::Within if self.text().contains(|letter: char| letter.is_ascii_digit()) => self.says_so(),
            Side::Within => self.says_so() || self.is_at_end() && (self.leads_here(place) || is_named()),
            Side::Before => self.leads_here(place) && is_named(),
            Side::Behind => self.leads_here(place) || is_named(),
        }
    }

    /// Whether it leads to a place where the section is edited, and says or shows so by its brackets.
    fn is_edit_link(&self) -> bool {
        let before = self.tree.previous_sibling(self.node);
        // The brackets around it would stay.
        let is_in_text = before != NONE && self.tree.text(before).ends_with('[');
        is_of_editing(self.attribute(Attr::Href))
            && !is_in_text
            && (self.says_so() || is_of_editing(self.attribute(Attr::Class)) || is_in_brackets(&self.text()))
    }

    /// Whether its class says that it edits the section, or it is a link in brackets that does.
    fn is_of_editor(&self) -> bool {
        if class_has(self.attribute(Attr::Class), &EDITS) {
            return true;
        }
        let is_link = |inner: u32| {
            let href = self.tree.attribute(inner, Attr::Href);
            self.tree.tag(inner) == Tag::A && href.is_some_and(is_of_editing)
        };
        self.tree.tag(self.node).is_inline()
            && is_in_brackets(&self.text())
            && within(self.tree, self.node).any(is_link)
    }

    /// Whether it is the name of an icon.
    fn is_icon(&self) -> bool {
        let class = self.attribute(Attr::Class);
        let is_of_font = || {
            class
                .split_ascii_whitespace()
                .any(|name| ICONS.iter().any(|icon| name.starts_with(icon)))
        };
        let is_named = || {
            let is_icon = |name: &str| matches!(name, "icon" | "icons");
            matches!(self.tree.tag(self.node), Tag::I | Tag::Span)
                && (class.split_ascii_whitespace().any(is_icon) || is_aria_hidden(self.tree, self.node))
        };
        let is_name = |text: &str| {
            let is_of_name = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '_');
            !text.is_empty() && text.chars().all(is_of_name)
        };
        !class.is_empty() && (is_of_font() || is_named()) && is_name(self.text().trim())
    }

    /// Whether its text, or its label where it shows none, is that of a control.
    fn says_so(&self) -> bool {
        let text = self.text();
        let label = [Attr::AriaLabel, Attr::Title].map(|name| self.attribute(name));
        match has_word(&text) {
            true => is_phrase(&text),
            false => label.into_iter().any(is_phrase),
        }
    }

    /// Its text; of a long one the beginning.
    fn text(&self) -> String {
        let mut text = String::new();
        for inner in within(self.tree, self.node) {
            text.push_str(self.tree.text(inner));
            if text.len() > 4 * LONGEST {
                break;
            }
        }
        text
    }

    /// Whether an address on the page is that of the heading, of what holds it or of a place in it.
    fn leads_here(&self, place: &str) -> bool {
        // A place whose letters are encoded is not compared.
        let is_it = |&at: &u32| {
            let names = [Attr::Id, Attr::Name].map(|name| self.tree.attribute(at, name));
            at != NONE && names.contains(&Some(place))
        };
        let beside = before(self.tree, self.heading);
        !place.is_empty()
            && (place.contains('%')
                || up(self.tree, self.heading).take(4).any(|at| is_it(&at))
                || is_it(&self.heading)
                || beside != NONE && is_it(&beside)
                || within(self.tree, self.heading).any(|at| is_it(&at)))
    }

    /// Whether the heading has no word behind it.
    fn is_at_end(&self) -> bool {
        let behind = self.tree.after(self.heading, self.node);
        let next = |&at: &u32| Some(self.tree.following(self.heading, at)).filter(|&at| at != NONE);
        let mut rest = std::iter::successors(Some(behind).filter(|&at| at != NONE), next).take(NEAR);
        self.side == Side::Within && !rest.any(|at| has_word(self.tree.text(at)))
    }

    /// Whether the heading has words beside it that are none of another control.
    fn has_other_words(&self) -> bool {
        let tree = self.tree;
        let mut at = tree.following(self.heading, self.heading);
        for _ in 0..NEAR {
            if at == NONE {
                break;
            }
            if tree.text(at).contains(char::is_alphabetic) {
                return true;
            }
            let is_skipped = at == self.node || self.is_other_control(at);
            at = match is_skipped {
                true => tree.after(self.heading, at),
                false => tree.following(self.heading, at),
            };
        }
        false
    }

    /// Whether a part of the heading that does not hold it is a button or a link to the heading.
    fn is_other_control(&self, node: u32) -> bool {
        let other = Element { node, ..*self };
        let is_one = match self.tree.tag(node) {
            Tag::Button => true,
            Tag::A => other.attribute(Attr::Href).contains('#') && other.says_so(),
            Tag::Script | Tag::Style | Tag::Template | Tag::Svg => true,
            _ => false,
        };
        is_one && !up(self.tree, self.node).any(|up| up == node)
    }
}

/// What is around a node, from the inside out.
fn up(tree: Tree<'_>, node: u32) -> impl Iterator<Item = u32> {
    let parent = move |&at: &u32| Some(tree.parent(at)).filter(|&up| up != NONE);
    std::iter::successors(parent(&node), parent).take(NEAR)
}

/// What is in a node, in the order of the page.
fn within(tree: Tree<'_>, node: u32) -> impl Iterator<Item = u32> {
    let next = move |&at: &u32| Some(tree.following(node, at)).filter(|&at| at != NONE);
    std::iter::successors(next(&node), next).take(NEAR)
}

/// Whether a name of a class has one of some words, written with hyphens or without.
fn class_has(class: &str, words: &AhoCorasick) -> bool {
    let mut names = class
        .split_ascii_whitespace()
        .take(NEAR)
        .filter(|name| (SHORTEST..=LONGEST).contains(&name.len()));
    names.any(|name| words.is_match(&name.replace(['-', '_'], "")))
}

/// Whether an address or a class has the word for editing.
fn is_of_editing(value: &str) -> bool {
    let mut words = value.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| word.eq_ignore_ascii_case("edit"))
}

fn is_in_brackets(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('[') && text.ends_with(']') && text.len() <= LONGEST
}

fn is_phrase(text: &str) -> bool {
    if text.len() > 4 * LONGEST {
        return false;
    }
    let words: Vec<&str> = text
        .trim_matches(|letter: char| !letter.is_alphanumeric())
        .split_whitespace()
        .collect();
    let text = words.join(" ").to_ascii_lowercase();
    let begins = |beginning: &&str| {
        let rest = text.strip_prefix(beginning);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    PHRASES.contains(&&*text) || BEGINNINGS.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines as text;

    #[test]
    fn controls_in_a_heading_are_no_part_of_it() {
        for heading in [
            "Tides <span class=mw-editsection>[<a href=/w>Bearbeiten</a> | <a href=/w>Quelltext</a>]</span>",
            "<div class=editsection>[<a href=/w>編集</a>]</div>Tides",
            "Tides <small>[<a href='/w?action=edit&amp;section=2'>muokkaa</a>]</small>",
            "Tides <a class=edit href=/tides/edit>Modifier</a>",
            "Tides <a href=#tides>Lien vers cette section</a>",
            "Tides <a href=/sea.html#tides>Section titled Tides</a>",
            "<a href=#other>Permalink to this heading</a> Tides",
            "<a class=anchor href=#tides>Copy link</a><a href=#tides>Tides</a>",
            "Tides<a class=hash-link href=#other><i>link</i></a>",
            "Tides <button class=copy-link>Copier le lien</button>",
            "<button>Tides <i class=material-icons>expand_more</i></button>",
            "<span class='material-symbols-outlined fill'>water</span> Tides",
            "<i class=icon>link</i>Tides",
        ] {
            assert_eq!(
                text(&format!("<p>a<h2 id=tides>{heading}</h2><p>b")),
                "a|Tides|b",
                "{heading}"
            );
        }
    }

    #[test]
    fn controls_beside_a_heading_are_no_lines() {
        for html in [
            "<div><h2>Tides</h2><span class=mw-editsection>[<a href=/w>edit</a>]</span></div>",
            "<h2 id=t>Tides</h2> <a href=#t>Direktlink</a> <button>Copy link</button>",
            "<div id=t><h2>Tides</h2><a href=#t>Section titled Tides</a></div>",
            "<a href=#t class=anchor>link</a><h2 id=t>Tides</h2>",
            "<h2>Tides</h2><div class='secedit editbutton_section'><form><button>Bewerk</button></form></div>",
        ] {
            assert_eq!(text(&format!("<p>a</p>{html}<p>b")), "a|Tides|b", "{html}");
        }
    }

    #[test]
    fn words_of_a_heading_stay() {
        for (heading, wanted) in [
            ("The [edit] command", "The [edit] command"),
            ("<a href=#t>Tides</a>", "Tides"),
            (
                "<a class=anchor href=#t>Tides</a> <button>Copy link</button>",
                "Tides",
            ),
            ("<button>Tides</button>", "Tides"),
            ("Tides <button>of the sea</button>", "Tides of the sea"),
            (
                "<a class=anchor href=#t>Tides</a> <small>of 1907</small>",
                "Tides of 1907",
            ),
            ("See <a href=#sea>the sea</a>", "See the sea"),
            ("<a href=#t>1.2</a> Tides", "1.2 Tides"),
            ("1. <a href=#t>Tides</a>", "1. Tides"),
            ("By Ida <a href=#t>2019-05-03</a>", "By Ida 2019-05-03"),
            ("Tides <a href=/tides.pdf>[PDF]</a>", "Tides [PDF]"),
            ("<a href=/edit>Edit</a>", "Edit"),
            ("How to <a href=/a>copy links</a>", "How to copy links"),
            ("How to <a href=/a>copy link</a>", "How to copy link"),
        ] {
            assert_eq!(text(&format!("<h2 id=t>{heading}</h2>")), wanted, "{heading}");
        }
        let section = "<h2>Tides</h2><p>a <a href=/w>edit</a></p><a href=/b>Next</a><button>Send</button>";
        assert_eq!(text(section), "Tides|a edit|Next Send");
    }
}
