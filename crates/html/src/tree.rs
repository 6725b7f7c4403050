//! The finished tree, to be read.

use crate::arena::{Arena, LeadingWhite, Node};
use crate::{Attr, Tag, TagSet};

/// "No node", where a node's index is asked for.
pub const NONE: u32 = u32::MAX;

/// The node that holds all others; not an element.
pub const DOCUMENT: u32 = 0;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeKind {
    /// The document or a fragment: only children.
    Container,
    /// An HTML element.
    Html,
    /// An element of SVG.
    Svg,
    /// An element of MathML.
    Math,
    /// An `<annotation>` of MathML, which repeats a formula in another notation and is not shown.
    Annotation,
    /// Text that had to be changed: its newlines are `\n`.
    PoolText,
    /// Text as it stands in the source: its newlines may be `\r\n` and `\r`.
    SourceText,
}

impl NodeKind {
    /// Whether it is text.
    #[inline]
    pub fn is_text(self) -> bool {
        matches!(self, NodeKind::PoolText | NodeKind::SourceText)
    }

    /// Whether it is an element: of HTML, SVG or MathML.
    #[inline]
    pub fn is_element(self) -> bool {
        !self.is_text() && self != NodeKind::Container
    }
}

/// A page's tree. Nodes are known by their index, a `u32`; [`NONE`] stands for no node. The order of the indices is that
/// in which nodes were made: document order is that of the links, [`Tree::following`] and [`Tree::nodes`].
#[derive(Clone, Copy, Debug)]
pub struct Tree<'a> {
    arena: &'a Arena,
    source: &'a str,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(arena: &'a Arena, source: &'a str) -> Tree<'a> {
        Tree { arena, source }
    }

    #[inline]
    fn node(&self, node: u32) -> &'a Node {
        self.arena.node(node)
    }

    /// The text that the tree was built of.
    #[inline]
    pub fn source(&self) -> &'a str {
        self.source
    }

    /// What a node is.
    #[inline]
    pub fn kind(&self, node: u32) -> NodeKind {
        self.node(node).kind
    }

    /// The name of an element; [`Tag::Other`] of all other nodes, and of elements that HTML does not know.
    #[inline]
    pub fn tag(&self, node: u32) -> Tag {
        self.node(node).tag
    }

    /// The node that a node stands in.
    #[inline]
    pub fn parent(&self, node: u32) -> u32 {
        self.node(node).parent
    }

    /// The first node in a node.
    #[inline]
    pub fn first_child(&self, node: u32) -> u32 {
        self.node(node).first
    }

    /// The node after a node in the same parent.
    #[inline]
    pub fn next_sibling(&self, node: u32) -> u32 {
        self.node(node).next
    }

    /// The node before a node in the same parent.
    #[inline]
    pub fn previous_sibling(&self, node: u32) -> u32 {
        self.node(node).previous
    }

    /// The text of a text node; empty of all other nodes. Character references are replaced.
    #[inline]
    pub fn text(&self, node: u32) -> &'a str {
        self.arena.text(self.source, node)
    }

    /// The white space that a text node begins with.
    #[inline]
    pub fn leading_white(&self, node: u32) -> LeadingWhite {
        self.node(node).white
    }

    /// Whether a node is a text and has nothing but white space of ASCII. Of 32 KiB of it that is not known.
    #[inline]
    pub fn is_blank(&self, node: u32) -> bool {
        let node = self.node(node);
        node.kind.is_text() && node.white.bytes() == (node.end - node.start) as usize
    }

    /// The attributes of an element that are kept, with their values.
    #[inline]
    pub fn attributes(&self, node: u32) -> impl Iterator<Item = (Attr, &'a str)> + use<'a> {
        let Tree { arena, source } = *self;
        let own = arena.attributes_of(node).iter();
        own.map(move |(name, value)| (*name, arena.value(source, value)))
    }

    /// The value of an element's attribute.
    #[inline]
    pub fn attribute(&self, node: u32, name: Attr) -> Option<&'a str> {
        self.arena.attribute(self.source, node, name)
    }

    /// The node after `node` in document order, within `root`.
    #[inline]
    pub fn following(&self, root: u32, node: u32) -> u32 {
        self.arena.following(root, node)
    }

    /// The node after `node` in document order that is not below it, within `root`.
    #[inline]
    pub fn after(&self, root: u32, node: u32) -> u32 {
        self.arena.after(root, node)
    }

    /// The tags of all elements.
    pub fn tags(&self) -> TagSet {
        self.arena.nodes.iter().map(|node| node.tag).collect()
    }

    /// The elements of a tag in the order in which they were made. Some may stand nowhere.
    pub fn of_tag(&self, tag: Tag) -> impl Iterator<Item = u32> + use<'a> {
        let nodes = self.arena.nodes.iter().zip(0..);
        nodes.filter(move |(node, _)| node.tag == tag).map(|(_, id)| id)
    }

    /// All nodes in document order but [`DOCUMENT`].
    pub fn nodes(&self) -> impl Iterator<Item = u32> + use<'a> {
        let tree = *self;
        let some = |node: u32| Some(node).filter(|&node| node != NONE);
        let first = some(tree.following(DOCUMENT, DOCUMENT));
        std::iter::successors(first, move |&node| some(tree.following(DOCUMENT, node)))
    }

    /// The text of all text nodes right below a node, one after the other.
    pub fn push_own_text(&self, node: u32, into: &mut String) {
        let mut child = self.first_child(node);
        while child != NONE {
            into.push_str(self.text(child));
            child = self.next_sibling(child);
        }
    }
}
