//! The document while it is being built: nodes linked by index, texts as ranges.
//!
//! The tree builder moves nodes about (foster parenting, the adoption agency), so document order
//! is known only at the end, by following the links.

use std::ops::Range;

use crate::{Attr, NONE, NodeKind, Tag};

/// Maximum bytes of text whose memory is kept for the next page.
const KEPT_BYTES: usize = 8 << 20;

/// Maximum nodes whose memory is kept for the next page.
const KEPT_NODES: usize = 1 << 18;

/// A node. `range` is of the text, or of an element's attributes in [`Arena::attributes`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: NodeKind,
    pub(crate) tag: Tag,
    pub(crate) white: LeadingWhite,
}

/// The white space of ASCII that a text begins with: how many bytes, and whether a line ends in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeadingWhite(u16);

impl LeadingWhite {
    /// Maximum bytes counted.
    const MOST: usize = u16::MAX as usize >> 1;

    /// That of a text.
    #[inline]
    pub fn read(text: &[u8]) -> LeadingWhite {
        let (mut at, mut ends_line) = (0, false);
        while let Some(&byte) = text.get(at)
            && at < LeadingWhite::MOST
        {
            match byte {
                b' ' | b'\t' | b'\x0c' => {}
                b'\n' | b'\r' => ends_line = true,
                _ => break,
            }
            // Most of it is indentation.
            at += if text[at..].starts_with(&[byte; 4]) { 4 } else { 1 };
        }
        LeadingWhite::new(at, ends_line)
    }

    fn new(len: usize, ends_line: bool) -> LeadingWhite {
        LeadingWhite((len.min(LeadingWhite::MOST) << 1) as u16 | u16::from(ends_line))
    }

    /// With what follows.
    fn and(self, next: LeadingWhite) -> LeadingWhite {
        LeadingWhite::new(self.bytes() + next.bytes(), self.ends_line() || next.ends_line())
    }

    /// How many bytes it has. There may be more behind 32,767.
    #[inline]
    pub fn bytes(self) -> usize {
        usize::from(self.0 >> 1)
    }

    /// Whether a line ends in it.
    #[inline]
    pub fn ends_line(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Where a text stands: in the source as it is, or in the pool because it had to be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Source(Range<u32>),
    Pool(Range<u32>),
}

/// All nodes of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<(Attr, Text)>,
    pub(crate) pool: String,
}

impl Arena {
    /// Forgets everything but some memory and begins with an empty document.
    pub(crate) fn clear(&mut self) {
        if self.nodes.capacity() > KEPT_NODES || self.pool.capacity() > KEPT_BYTES {
            *self = Arena::default();
        }
        self.nodes.clear();
        self.attributes.clear();
        self.pool.clear();
        self.create(NodeKind::Container, Tag::Other, 0..0);
    }

    /// A new node that stands nowhere yet.
    pub(crate) fn create(&mut self, kind: NodeKind, tag: Tag, range: Range<u32>) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            start: range.start,
            end: range.end,
            kind,
            tag,
            white: LeadingWhite::default(),
        });
        id
    }

    /// Makes a text longer, by what begins with such white space.
    pub(crate) fn extend_text(&mut self, id: u32, end: u32, white: LeadingWhite) {
        let node = self.node_mut(id);
        if node.white.bytes() == (node.end - node.start) as usize {
            node.white = node.white.and(white);
        }
        node.end = end;
    }

    #[inline]
    pub(crate) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn node_mut(&mut self, id: u32) -> &mut Node {
        &mut self.nodes[id as usize]
    }

    /// Puts a node that stands nowhere at the end of a parent.
    pub(crate) fn append(&mut self, parent: u32, child: u32) {
        let last = std::mem::replace(&mut self.node_mut(parent).last, child);
        match last {
            NONE => self.node_mut(parent).first = child,
            last => self.node_mut(last).next = child,
        }
        let child = self.node_mut(child);
        child.parent = parent;
        child.previous = last;
    }

    /// Puts a node that stands nowhere before a sibling that has a parent.
    pub(crate) fn insert_before(&mut self, sibling: u32, child: u32) {
        let Node { parent, previous, .. } = *self.node(sibling);
        match previous {
            NONE => self.node_mut(parent).first = child,
            previous => self.node_mut(previous).next = child,
        }
        self.node_mut(sibling).previous = child;
        let child = self.node_mut(child);
        (child.parent, child.previous, child.next) = (parent, previous, sibling);
    }

    /// Takes a node out of its parent, if it has one.
    pub(crate) fn detach(&mut self, id: u32) {
        let Node {
            parent,
            previous,
            next,
            ..
        } = *self.node(id);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.node_mut(parent).first = next,
            previous => self.node_mut(previous).next = next,
        }
        match next {
            NONE => self.node_mut(parent).last = previous,
            next => self.node_mut(next).previous = previous,
        }
        let node = self.node_mut(id);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Moves all children of a node to the end of another; returns how many there were.
    pub(crate) fn move_children(&mut self, from: u32, to: u32) -> usize {
        let mut moved = 0;
        let mut child = self.node(from).first;
        while child != NONE {
            let next = self.node(child).next;
            self.detach(child);
            self.append(to, child);
            child = next;
            moved += 1;
        }
        moved
    }

    /// Copies a text into the pool.
    #[cfg(feature = "html5ever")]
    pub(crate) fn pooled(&mut self, text: &str) -> Range<u32> {
        let start = self.pool.len() as u32;
        self.pool.push_str(text);
        start..self.pool.len() as u32
    }

    /// A text node's text, an empty one for other nodes.
    #[inline]
    pub(crate) fn text<'a>(&'a self, source: &'a str, id: u32) -> &'a str {
        let node = self.node(id);
        let range = node.start as usize..node.end as usize;
        match node.kind {
            NodeKind::PoolText => &self.pool[range],
            NodeKind::SourceText => &source[range],
            _ => "",
        }
    }

    /// The attributes of an element.
    #[inline]
    pub(crate) fn attributes_of(&self, id: u32) -> &[(Attr, Text)] {
        let node = self.node(id);
        match node.kind {
            NodeKind::Html | NodeKind::Svg | NodeKind::Math | NodeKind::Annotation => {
                &self.attributes[node.start as usize..node.end as usize]
            }
            _ => &[],
        }
    }

    /// The value of an attribute.
    #[inline]
    pub(crate) fn value<'a>(&'a self, source: &'a str, text: &Text) -> &'a str {
        match text {
            Text::Source(range) => &source[range.start as usize..range.end as usize],
            Text::Pool(range) => &self.pool[range.start as usize..range.end as usize],
        }
    }

    /// The value of an element's attribute.
    #[inline]
    pub(crate) fn attribute<'a>(&'a self, source: &'a str, id: u32, name: Attr) -> Option<&'a str> {
        let found = self
            .attributes_of(id)
            .iter()
            .find(|(attribute, _)| *attribute == name)?;
        Some(self.value(source, &found.1))
    }

    /// The node after `id` in document order that is not below it, within `root`.
    #[inline]
    pub(crate) fn after(&self, root: u32, mut id: u32) -> u32 {
        while id != root && id != NONE {
            let node = self.node(id);
            if node.next != NONE {
                return node.next;
            }
            id = node.parent;
        }
        NONE
    }

    /// The node after `id` in document order, within `root`.
    #[inline]
    pub(crate) fn following(&self, root: u32, id: u32) -> u32 {
        match self.node(id).first {
            NONE => self.after(root, id),
            child => child,
        }
    }
}

impl Arena {
    /// Gives an element another range of attributes.
    fn set_range(&mut self, id: u32, range: Range<u32>) {
        let node = self.node_mut(id);
        (node.start, node.end) = (range.start, range.end);
    }

    /// Adds those attributes to an element that it does not have, of some at the end of all attributes.
    pub(crate) fn add_missing_attributes(&mut self, id: u32, new: Range<u32>) {
        let new: Vec<_> = self.attributes[new.start as usize..new.end as usize].to_vec();
        let mut all: Vec<(Attr, Text)> = self.attributes_of(id).to_vec();
        let before = all.len();
        for attribute in new {
            if all.iter().all(|(name, _)| *name != attribute.0) {
                all.push(attribute);
            }
        }
        if all.len() == before {
            return;
        }
        let from = self.attributes.len() as u32;
        self.attributes.extend(all);
        self.set_range(id, from..self.attributes.len() as u32);
    }
}
