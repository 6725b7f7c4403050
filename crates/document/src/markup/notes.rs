//! Footnotes: a raised or bracketed number that is a link to an item of a list further down on the page.

use std::ops::Range;

use gleaner_html::{Attr, Tag};
use gleaner_page::Page;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

/// So many elements are looked at: around a number for `<sup>`, around a place on the page for its item.
const NEAR: usize = 3;

/// So many elements are looked at around a block for the item that it stands in.
const DEEP: usize = 8;

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
pub(super) fn of(page: &Page) -> (Vec<Note>, FxHashMap<u32, u32>) {
    let (mut notes, mut numbers): (Vec<Note>, FxHashMap<u32, u32>) = Default::default();
    let links = links_to_items(page);
    if links.is_empty() {
        return (notes, numbers);
    }
    let labels = labels(page, &links);
    let blocks = blocks(page, &links);
    for (link, item) in links {
        let (Some(label), Some(blocks)) = (labels.get(&link), blocks.get(&item)) else {
            continue;
        };
        let same = notes
            .iter()
            .position(|note| note.label == *label || note.item == item);
        let at = same.unwrap_or(notes.len());
        if same.is_none() {
            notes.push(Note {
                label: label.clone(),
                item,
                blocks: blocks.clone(),
            });
        }
        if notes[at].item == item && notes[at].label == *label {
            numbers.insert(link, at as u32 + 1);
        }
    }
    (notes, numbers)
}

/// The links to an item that stands behind them, each with the item, in the order of the page.
fn links_to_items(page: &Page) -> Vec<(u32, u32)> {
    let elements = || 0..page.elements.len() as u32;
    let links = elements().filter(|&element| page.elements[element as usize].tag == Tag::A);
    let links: Vec<(u32, &str)> = links
        .filter_map(|link| Some((link, place_of(page, link)?)))
        .collect();
    if links.is_empty() {
        return Vec::new();
    }
    let wanted: FxHashSet<&str> = links.iter().map(|(_, place)| *place).collect();
    let mut items: FxHashMap<&str, u32> = FxHashMap::default();
    for element in elements() {
        for name in [Attr::Id, Attr::Name]
            .iter()
            .filter_map(|&name| page.attribute(element, name))
        {
            if wanted.contains(name)
                && let Some(item) = item_around(page, element)
            {
                items.entry(name).or_insert(item);
            }
        }
    }
    let to_item = |(link, place): (u32, &str)| {
        let item = items.get(place).copied().filter(|&item| item > link)?;
        Some((link, item))
    };
    links.into_iter().filter_map(to_item).collect()
}

/// The name of the place on the page that a link leads to.
fn place_of(page: &Page, link: u32) -> Option<&str> {
    let place = page.attribute(link, Attr::Href)?.trim().strip_prefix('#')?;
    Some(place).filter(|place| !place.is_empty())
}

/// The item that an element is, or begins.
fn item_around(page: &Page, element: u32) -> Option<u32> {
    let mut around = page.ancestors(element).take(NEAR);
    around.find(|&up| page.elements[up as usize].tag == Tag::Li)
}

/// The labels of links that have one: what a note is called in the text.
fn labels(page: &Page, links: &[(u32, u32)]) -> FxHashMap<u32, String> {
    let mut texts: FxHashMap<u32, String> = links.iter().map(|(link, _)| (*link, String::new())).collect();
    for run in &page.runs {
        let mut around = page.ancestors(run.element).take(NEAR);
        if let Some(link) = around.find(|up| texts.contains_key(up))
            && let Some(text) = texts.get_mut(&link)
        {
            text.push_str(page.run_text(run));
        }
    }
    let of_link = |(link, text): (u32, String)| Some((link, label(page, link, &text)?));
    texts.into_iter().filter_map(of_link).collect()
}

/// The label in the text of a link. It is raised, or stands in brackets.
fn label(page: &Page, link: u32, text: &str) -> Option<String> {
    const LONGEST: usize = 4;
    let label = text.trim().trim_matches(BRACKETS);
    let is_sign = |letter: char| letter.is_alphanumeric() || matches!(letter, '*' | '†' | '‡' | '§');
    let is_label = (1..=LONGEST).contains(&label.chars().count()) && label.chars().all(is_sign);
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
fn blocks(page: &Page, links: &[(u32, u32)]) -> FxHashMap<u32, Range<u32>> {
    let items: FxHashSet<u32> = links.iter().map(|(_, item)| *item).collect();
    let mut ranges: FxHashMap<u32, Range<u32>> = FxHashMap::default();
    for (at, block) in (0..).zip(&page.blocks) {
        let mut around = page.ancestors(block.element).take(DEEP);
        if let Some(item) = around.find(|up| items.contains(up)) {
            ranges.entry(item).or_insert(at..at).end = at + 1;
        }
    }
    ranges
}
