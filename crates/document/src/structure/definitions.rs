//! Lists of terms and definitions: which there are, and which term each definition is of.

use gleaner_html::Tag;
use gleaner_page::Page;
use rustc_hash::{FxHashMap, FxHashSet};

use super::rank;

/// The lists of definitions of a page.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    /// Their elements, without those that hold a heading: these are boxes of the page's layout.
    lists: FxHashSet<u32>,
    /// By the elements of the definitions those of their terms.
    terms: FxHashMap<u32, u32>,
}

impl Definitions {
    pub(super) fn new(page: &Page) -> Definitions {
        let mut definitions = Definitions::default();
        if page.definitions.is_empty() {
            return definitions;
        }
        // By the elements that hold them: the terms that were last.
        let mut last = FxHashMap::default();
        // The lists that are open, with their ends.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (at, element) in (0..).zip(&page.elements) {
            while open.pop_if(|(_, end)| *end <= at).is_some() {}
            match element.tag {
                Tag::Dl => {
                    definitions.lists.insert(at);
                    open.push((at, element.end));
                }
                Tag::Dt => _ = last.insert(element.parent, at),
                Tag::Dd => {
                    let term = last.get(&element.parent).map(|&term| (at, term));
                    definitions.terms.extend(term);
                }
                tag if rank(tag).is_some() => open.drain(..).for_each(|(list, _)| {
                    definitions.lists.remove(&list);
                }),
                _ => {}
            }
        }
        definitions
    }

    /// Whether an element is a list of definitions.
    pub(super) fn is_list(&self, element: u32) -> bool {
        self.lists.contains(&element)
    }

    /// The last term before a definition.
    pub(super) fn term(&self, definition: u32) -> Option<u32> {
        self.terms.get(&definition).copied()
    }
}
