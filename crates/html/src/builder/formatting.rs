//! The list of active formatting elements, and the adoption agency that mends wrong nesting.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::Builder;
use super::stack::{OpenElement, SCOPE, SPECIAL};
use crate::Tag;
use crate::attributes::Attributes;
use crate::references::decode_into;
use crate::token::{Key, StartTag};
use crate::{NONE, NodeKind};

/// An entry of the list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// Formatting does not go beyond the start of a table cell or the like.
    Marker,
    Element(Formatting),
}

/// An element that continues after its paragraph has ended, and what is needed to make it again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formatting {
    node: u32,
    tag: Tag,
    attributes: (u32, u32),
    /// Where all its attributes stand in the source.
    source: (u32, u32),
    /// A hash that distinguishes it from others of its tag, if it has been compared with one.
    fingerprint: Option<u64>,
}

/// Maximum attributes compared per formatting element.
const MOST_ATTRIBUTES: usize = 1 << 10;

impl Entry {
    fn is(&self, node: u32) -> bool {
        matches!(self, Entry::Element(element) if element.node == node)
    }
}

impl Builder<'_> {
    fn formatting_position(&mut self, node: u32) -> Option<usize> {
        let entries = &self.state.formatting;
        let found = entries.iter().rposition(|entry| entry.is(node));
        self.steps.look(entries.len() - found.unwrap_or(0));
        found
    }

    /// The last entry with a tag after the last marker.
    fn formatting_named(&mut self, tag: Tag) -> Option<(usize, Formatting)> {
        for (index, entry) in self.state.formatting.iter().enumerate().rev() {
            self.steps.look(1);
            match entry {
                Entry::Marker => return None,
                Entry::Element(element) if element.tag == tag => return Some((index, *element)),
                Entry::Element(_) => {}
            }
        }
        None
    }

    /// Inserts a formatting element; of four that are alike the first is taken from the list
    /// ("Noah's Ark clause").
    pub(super) fn insert_formatting(&mut self, start: &StartTag) {
        let mut new = Formatting {
            node: NONE,
            tag: start.tag,
            attributes: start.attributes,
            source: start.source,
            fingerprint: None,
        };
        let (mut count, mut first) = (0, 0);
        for index in (0..self.state.formatting.len()).rev() {
            let Entry::Element(mut element) = self.state.formatting[index] else {
                break;
            };
            self.steps.look(1);
            if element.tag == new.tag {
                if self.fingerprint(&mut element) == self.fingerprint(&mut new) {
                    (count, first) = (count + 1, index);
                }
                self.state.formatting[index] = Entry::Element(element);
            }
        }
        if count >= 3 {
            self.state.formatting.remove(first);
        }
        new.node = self.insert_html(start, true);
        self.state.formatting.push(Entry::Element(new));
    }

    /// A sum over all attributes of an element, kept or not. The order does not count.
    fn fingerprint(&mut self, element: &mut Formatting) -> u64 {
        *element.fingerprint.get_or_insert_with(|| {
            let (start, end) = element.source;
            self.steps.look((end - start) as usize);
            let mut attributes = Attributes {
                bytes: &self.source.as_bytes()[..end as usize],
                at: start as usize,
            };
            let mut all = HashMap::new();
            while all.len() < MOST_ATTRIBUTES
                && let Some(Some((name, value))) = attributes.next_one()
            {
                let shown = |text: &str| text.replace('\0', "\u{fffd}");
                let mut decoded = String::new();
                decode_into(&mut decoded, &shown(&self.source[value]), true);
                let name = shown(&self.source[name]).to_ascii_lowercase();
                all.entry(name).or_insert(decoded);
            }
            let hasher = BuildHasherDefault::<DefaultHasher>::default();
            all.iter()
                .fold(0, |sum, attribute| hasher.hash_one(attribute).wrapping_add(sum))
        })
    }

    pub(super) fn clear_formatting_to_marker(&mut self) {
        while let Some(Entry::Element(_)) = self.state.formatting.pop() {}
    }

    fn marker_or_open(&mut self, index: usize) -> bool {
        match self.state.formatting[index] {
            Entry::Marker => true,
            Entry::Element(element) => self.state.stack.position(element.node).is_some(),
        }
    }

    /// "Reconstruct the active formatting elements".
    #[inline]
    pub(super) fn reconstruct_formatting(&mut self) {
        let length = self.state.formatting.len();
        if length > 0 && !self.marker_or_open(length - 1) {
            self.reconstruct(length);
        }
    }

    fn reconstruct(&mut self, length: usize) {
        let first = (0..length - 1)
            .rev()
            .find(|&index| self.marker_or_open(index))
            .map_or(0, |open| open + 1);
        for index in first..length {
            if let Entry::Element(mut element) = self.state.formatting[index] {
                element.node = self.create_formatting(&element);
                self.place(element.node);
                self.state.stack.push(OpenElement::html(
                    element.node,
                    element.tag,
                    Key::from_tag(element.tag),
                ));
                self.state.formatting[index] = Entry::Element(element);
            }
        }
    }

    fn create_formatting(&mut self, like: &Formatting) -> u32 {
        let (start, end) = like.attributes;
        self.create(NodeKind::Html, like.tag, start..end)
    }

    /// A start tag `<a>` while another is open or active.
    pub(super) fn end_active_link(&mut self) {
        let Some((_, element)) = self.formatting_named(Tag::A) else {
            return;
        };
        self.adoption_agency(Tag::A);
        if let Some(index) = self.formatting_position(element.node) {
            self.state.formatting.remove(index);
        }
        if let Some(index) = self.state.stack.position(element.node) {
            self.state.stack.remove(index);
        }
    }

    /// "Adoption agency algorithm", HTML standard 13.2.6.4.7.
    pub(super) fn adoption_agency(&mut self, subject: Tag) {
        let top = *self.state.stack.top();
        let is_last = |entry: &Entry| entry.is(top.node);
        // Nearly all are closed in order.
        if top.tag == subject && self.state.formatting.last().is_some_and(is_last) {
            self.state.stack.pop();
            self.state.formatting.pop();
            return;
        }
        if top.tag == subject && top.is_html() && self.formatting_position(top.node).is_none() {
            self.state.stack.pop();
            return;
        }
        for _ in 0..8 {
            let Some((index, element)) = self.formatting_named(subject) else {
                return self.any_other_end_tag(Key::from_tag(subject));
            };
            let Some(open_at) = self.state.stack.position(element.node) else {
                self.state.formatting.remove(index);
                return;
            };
            if !self.state.stack.finds(SCOPE, |open| open.node == element.node) {
                return;
            }
            let furthest = self.state.stack[open_at..]
                .iter()
                .position(|open| open.bits & SPECIAL != 0);
            let Some(furthest) = furthest else {
                self.state.stack.truncate(open_at);
                self.state.formatting.remove(index);
                return;
            };
            self.adopt(element, open_at, open_at + furthest);
        }
    }

    /// One round of the algorithm: `element` is at `open_at` on the stack, the furthest block at
    /// `furthest_at`.
    fn adopt(&mut self, element: Formatting, open_at: usize, furthest_at: usize) {
        let ancestor = self.state.stack[open_at - 1];
        let furthest = self.state.stack[furthest_at].node;
        let (last, bookmark) = self.adopt_between(element.node, furthest, furthest_at);
        self.arena.detach(last);
        self.place_in(&ancestor, last);
        let copy = Formatting {
            node: self.create_formatting(&element),
            ..element
        };
        let moved = self.arena.move_children(furthest, copy.node);
        self.steps.look(moved);
        self.arena.append(furthest, copy.node);
        match bookmark.and_then(|node| self.formatting_position(node)) {
            None => {
                if let Some(index) = self.formatting_position(element.node) {
                    self.state.formatting[index] = Entry::Element(copy);
                }
            }
            Some(after) => {
                self.state.formatting.insert(after + 1, Entry::Element(copy));
                if let Some(index) = self.formatting_position(element.node) {
                    self.state.formatting.remove(index);
                }
            }
        }
        if let Some(index) = self.state.stack.position(element.node) {
            self.state.stack.remove(index);
        }
        if let Some(index) = self.state.stack.position(furthest) {
            self.state.stack.insert(
                index + 1,
                OpenElement::html(copy.node, copy.tag, Key::from_tag(copy.tag)),
            );
        }
    }

    /// The inner loop: makes the formatting elements between the furthest block and `element`
    /// again. Returns the outermost node, and the node after which the copy of `element` goes in
    /// the list.
    fn adopt_between(&mut self, element: u32, furthest: u32, furthest_at: usize) -> (u32, Option<u32>) {
        let (mut last, mut bookmark) = (furthest, None);
        let mut at = furthest_at;
        for round in 1.. {
            at -= 1;
            let node = self.state.stack[at].node;
            if node == element {
                break;
            }
            let position = self.formatting_position(node);
            let (Some(index), true) = (position, round <= 3) else {
                if let Some(index) = position {
                    self.state.formatting.remove(index);
                }
                self.state.stack.remove(at);
                continue;
            };
            let Entry::Element(mut between) = self.state.formatting[index] else {
                break;
            };
            between.node = self.create_formatting(&between);
            self.state.stack.replace(at, between.node);
            self.state.formatting[index] = Entry::Element(between);
            if last == furthest {
                bookmark = Some(between.node);
            }
            self.arena.detach(last);
            self.arena.append(between.node, last);
            last = between.node;
        }
        (last, bookmark)
    }
}
