//! Footnotes: a raised or bracketed number that is a link to an item of a list further down on the page.

use std::ops::Range;

use gleaner_html::{Attr, Tag};
use gleaner_page::{Page, Run};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// Maximum elements searched around a number for `<sup>`, and around a place on the page for its item.
const NEAR: usize = 3;

/// Maximum elements searched around a block for the item that it stands in.
const DEEP: usize = 8;

/// Maximum bytes of the text of a link to a note.
const LONGEST: usize = 12;

/// What may stand around the label of a note in the text.
pub(crate) const BRACKETS: [char; 4] = ['[', ']', '(', ')'];

/// A footnote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// Its number or sign, as it stands in the text. No other note of the page has it.
    pub(crate) label: String,
    /// The `<li>` with its text.
    pub(crate) item: u32,
    /// The blocks of this element.
    pub(crate) blocks: Range<u32>,
}

/// The footnotes of a page, and the links to them: each with the number of its note, counted from 1.
pub(super) fn find(page: &Page) -> (Vec<Note>, FxHashMap<u32, u32>) {
    let (mut notes, mut numbers): (Vec<Note>, FxHashMap<u32, u32>) = Default::default();
    let links = labelled_links(page);
    if links.is_empty() {
        return (notes, numbers);
    }
    let items = items(page, &links);
    let blocks = blocks(page, &items);
    for Labelled { link, place, label } in links {
        let Some(&item) = items.get(place).filter(|&&item| item > link) else {
            continue;
        };
        let same = notes
            .iter()
            .position(|note| note.label == label || note.item == item);
        let at = same.unwrap_or(notes.len());
        if same.is_none()
            && let Some(blocks) = blocks.get(&item)
        {
            notes.push(Note {
                label: label.clone(),
                item,
                blocks: blocks.clone(),
            });
        }
        if notes
            .get(at)
            .is_some_and(|note| note.item == item && note.label == label)
        {
            numbers.insert(link, at as u32 + 1);
        }
    }
    (notes, numbers)
}

/// A link to a place on the page, whose text is a label.
struct Labelled<'p> {
    link: u32,
    place: &'p str,
    label: String,
}

/// The links to places on the page whose texts are labels.
fn labelled_links(page: &Page) -> Vec<Labelled<'_>> {
    let mut links = Vec::new();
    for (at, run) in page.runs.iter().enumerate() {
        if !may_be_label(page.run_text(run)) {
            continue;
        }
        let Some(link) = link_around(page, run) else {
            continue;
        };
        let Some(place) = place_of(page, link) else {
            continue;
        };
        let is_in_link = |run: &&Run| link_around(page, run) == Some(link);
        if page.runs[..at].last().filter(is_in_link).is_some() {
            continue;
        }
        let runs = page.runs[at..].iter().take_while(is_in_link);
        let text: String = runs.map(|run| page.run_text(run)).collect();
        if let Some(label) = label(page, link, &text) {
            links.push(Labelled { link, place, label });
        }
    }
    links
}

/// Whether a text may be a label, or the first part of one: a number, a sign or a letter. Nearly all texts are longer.
fn may_be_label(text: &str) -> bool {
    text.len() <= LONGEST && (text.len() <= 3 || text.contains(|letter: char| letter.is_ascii_digit()))
}

/// The link that a run stands in.
fn link_around(page: &Page, run: &Run) -> Option<u32> {
    let mut around = page.ancestors(run.element).take(NEAR);
    around.find(|&up| page.elements[up as usize].tag == Tag::A)
}

/// The name of the place on the page that a link leads to.
fn place_of(page: &Page, link: u32) -> Option<&str> {
    let place = page.attribute(link, Attr::Href)?.trim().strip_prefix('#')?;
    Some(place).filter(|place| !place.is_empty())
}

/// The items that links lead to, by the names of their places.
fn items<'p>(page: &'p Page, links: &[Labelled<'_>]) -> FxHashMap<&'p str, u32> {
    let wanted: FxHashSet<&str> = links.iter().map(|link| link.place).collect();
    let mut items = FxHashMap::default();
    for element in 0..page.elements.len() as u32 {
        for name in [Attr::Id, Attr::Name] {
            if let Some(name) = page.attribute(element, name).filter(|name| wanted.contains(name))
                && let Some(item) = item_around(page, element)
            {
                items.entry(name).or_insert(item);
            }
        }
    }
    items
}

/// The item that an element is, or begins.
fn item_around(page: &Page, element: u32) -> Option<u32> {
    let mut around = page.ancestors(element).take(NEAR);
    around.find(|&up| page.elements[up as usize].tag == Tag::Li)
}

/// The label in the text of a link. It is raised, or stands in brackets.
fn label(page: &Page, link: u32, text: &str) -> Option<String> {
    const MOST_LETTERS: usize = 4;
    let label = text.trim().trim_matches(BRACKETS);
    let is_sign = |letter: char| letter.is_alphanumeric() || matches!(letter, '*' | '†' | '‡' | '§');
    let is_label = (1..=MOST_LETTERS).contains(&label.chars().count()) && label.chars().all(is_sign);
    let is_sup = |element: u32| {
        page.elements
            .get(element as usize)
            .is_some_and(|it| it.tag == Tag::Sup)
    };
    let is_raised = || page.ancestors(link).take(NEAR).any(is_sup) || is_sup(link + 1);
    let is_named = || page.attribute(link, Attr::Role) == Some("doc-noteref");
    let is_bracketed = || text.trim().starts_with('[');
    (is_label && (is_bracketed() || is_raised() || is_named())).then(|| label.to_owned())
}

/// The blocks of items.
fn blocks(page: &Page, items: &FxHashMap<&str, u32>) -> FxHashMap<u32, Range<u32>> {
    let items: FxHashSet<u32> = items.values().copied().collect();
    let mut ranges: FxHashMap<u32, Range<u32>> = FxHashMap::default();
    for (at, block) in (0..).zip(&page.blocks) {
        let mut around = page.ancestors(block.element).take(DEEP);
        if let Some(item) = around.find(|up| items.contains(up)) {
            ranges.entry(item).or_insert(at..at).end = at + 1;
        }
    }
    ranges
}
