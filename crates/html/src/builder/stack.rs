//! The stack of open elements, and what kinds of elements the tree builder distinguishes.

use crate::NodeKind;
use crate::token::{Key, Special, StartTag};
use crate::{Tag, TagSet};

/// Properties of an element that the standard's algorithms ask for.
pub(super) type Bits = u16;

pub(super) const SPECIAL: Bits = 1;
/// Ends the search of "has an element in scope".
pub(super) const SCOPE: Bits = 1 << 1;
/// ... in list item scope.
pub(super) const LIST_SCOPE: Bits = 1 << 2;
/// ... in button scope.
pub(super) const BUTTON_SCOPE: Bits = 1 << 3;
/// ... in table scope; also what the stack is cleared back to a table context to.
pub(super) const TABLE_SCOPE: Bits = 1 << 4;
/// Its end tag is implied.
pub(super) const IMPLIED: Bits = 1 << 5;
/// Its end tag is implied at the end of a template.
pub(super) const IMPLIED_THOROUGHLY: Bits = 1 << 6;
pub(super) const HEADING: Bits = 1 << 7;
pub(super) const BODY_CONTEXT: Bits = 1 << 8;
pub(super) const ROW_CONTEXT: Bits = 1 << 9;
pub(super) const CELL: Bits = 1 << 10;
/// Text directly in it is moved before the table.
pub(super) const FOSTERS: Bits = 1 << 11;
/// A MathML element with HTML text in it.
pub(super) const MATH_TEXT: Bits = 1 << 12;
/// An SVG element with HTML in it.
pub(super) const SVG_HTML: Bits = 1 << 13;
pub(super) const ANNOTATION_XML: Bits = 1 << 14;
/// An `<annotation-xml>` with HTML in it.
pub(super) const ANNOTATION_HTML: Bits = 1 << 15;

static BITS: [Bits; Tag::COUNT] = {
    let mut bits = [0; Tag::COUNT];
    let mut tag = 0;
    while tag < Tag::COUNT {
        bits[tag] = bits_of(Tag::ALL[tag]);
        tag += 1;
    }
    bits
};

const fn bits_of(tag: Tag) -> Bits {
    use Tag::*;
    let mut bits = 0;
    if SPECIAL_TAGS.has(tag) {
        bits |= SPECIAL;
    }
    bits |= match tag {
        Applet | Caption | Marquee | Object | Select => SCOPE,
        Td | Th => SCOPE | CELL,
        Html => SCOPE | TABLE_SCOPE | BODY_CONTEXT | ROW_CONTEXT,
        Table => SCOPE | TABLE_SCOPE | FOSTERS,
        Template => SCOPE | TABLE_SCOPE | BODY_CONTEXT | ROW_CONTEXT,
        Ol | Ul => LIST_SCOPE,
        Button => BUTTON_SCOPE,
        Tbody | Tfoot | Thead => BODY_CONTEXT | FOSTERS,
        Tr => ROW_CONTEXT | FOSTERS,
        H1 | H2 | H3 | H4 | H5 | H6 => HEADING,
        _ => 0,
    };
    bits |= match tag {
        Dd | Dt | Li | Option | Optgroup | P | Rb | Rp | Rt | Rtc => IMPLIED | IMPLIED_THOROUGHLY,
        Caption | Colgroup | Tbody | Td | Tfoot | Th | Thead | Tr => IMPLIED_THOROUGHLY,
        _ => 0,
    };
    bits
}

const SPECIAL_TAGS: TagSet = {
    use Tag::*;
    TagSet::new(&[
        Address, Applet, Area, Article, Aside, Base, Basefont, Bgsound, Blockquote, Body, Br, Button,
        Caption, Center, Col, Colgroup, Dd, Details, Dir, Div, Dl, Dt, Embed, Fieldset, Figcaption, Figure,
        Footer, Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, Html, Iframe, Img,
        Input, Isindex, Li, Link, Listing, Main, Marquee, Menu, Meta, Nav, Noembed, Noframes, Noscript,
        Object, Ol, P, Param, Plaintext, Pre, Script, Section, Select, Source, Style, Summary, Table, Tbody,
        Td, Template, Textarea, Tfoot, Th, Thead, Title, Tr, Track, Ul, Wbr, Xmp,
    ])
};

/// An open element.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenElement {
    pub(super) node: u32,
    pub(super) key: Key,
    /// [`Tag::Other`] outside of HTML.
    pub(super) tag: Tag,
    pub(super) kind: NodeKind,
    pub(super) bits: Bits,
}

impl OpenElement {
    pub(super) fn html(node: u32, tag: Tag, key: Key) -> OpenElement {
        OpenElement {
            node,
            key,
            tag,
            kind: NodeKind::Html,
            bits: BITS[tag as usize],
        }
    }

    pub(super) fn foreign(node: u32, start: &StartTag, kind: NodeKind) -> OpenElement {
        OpenElement {
            node,
            key: start.key,
            tag: Tag::Other,
            kind,
            bits: foreign_bits(start, kind),
        }
    }

    pub(super) fn is_html(&self) -> bool {
        self.kind == NodeKind::Html
    }

    /// Whether start tags below it are of HTML, though it is not.
    pub(super) fn is_integration_point(&self) -> bool {
        self.bits & (MATH_TEXT | SVG_HTML) != 0
    }
}

fn foreign_bits(start: &StartTag, kind: NodeKind) -> Bits {
    match (kind, start.special) {
        (NodeKind::Svg, Special::SvgHtml) => SCOPE | SVG_HTML,
        (NodeKind::Svg, _) if start.tag == Tag::Title => SCOPE | SVG_HTML,
        (NodeKind::Math, Special::MathText) => SCOPE | MATH_TEXT,
        (NodeKind::Annotation, Special::AnnotationXml(false)) => ANNOTATION_XML,
        (NodeKind::Annotation, Special::AnnotationXml(true)) => ANNOTATION_XML | ANNOTATION_HTML,
        _ => 0,
    }
}

/// The stack of open elements. It counts what is on it, so that most searches need not look.
#[derive(Debug)]
pub(super) struct Stack {
    open: Vec<OpenElement>,
    /// Open HTML elements by tag.
    counts: [u32; Tag::COUNT],
    /// How many open elements searches have looked at.
    looks: usize,
}

impl Default for Stack {
    fn default() -> Stack {
        Stack {
            open: Vec::new(),
            counts: [0; Tag::COUNT],
            looks: 0,
        }
    }
}

impl std::ops::Deref for Stack {
    type Target = [OpenElement];

    fn deref(&self) -> &[OpenElement] {
        &self.open
    }
}

impl Stack {
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.counts.fill(0);
        self.looks = 0;
    }

    /// How many open elements have been looked at since this was asked last.
    pub(super) fn take_looks(&mut self) -> usize {
        std::mem::take(&mut self.looks)
    }

    /// Counts looks at open elements that were not made here.
    pub(super) fn look(&mut self, looks: usize) {
        self.looks += looks;
    }

    /// The current node: the innermost element.
    pub(super) fn top(&self) -> &OpenElement {
        self.open.last().expect("html stays open")
    }

    pub(super) fn push(&mut self, open: OpenElement) {
        self.count(&open, 1);
        self.open.push(open);
    }

    pub(super) fn pop(&mut self) -> Option<OpenElement> {
        let open = self.open.pop()?;
        self.count(&open, u32::MAX);
        Some(open)
    }

    pub(super) fn truncate(&mut self, length: usize) {
        while self.open.len() > length {
            self.pop();
        }
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.looks += self.open.len() - index;
        let open = self.open.remove(index);
        self.count(&open, u32::MAX);
    }

    pub(super) fn insert(&mut self, index: usize, open: OpenElement) {
        self.count(&open, 1);
        self.open.insert(index, open);
    }

    /// Puts another element of the same name in the place of one.
    pub(super) fn replace(&mut self, index: usize, node: u32) {
        self.open[index].node = node;
    }

    fn count(&mut self, open: &OpenElement, change: u32) {
        if open.is_html() {
            let count = &mut self.counts[open.tag as usize];
            *count = count.wrapping_add(change);
        }
    }

    /// Whether an HTML element of a tag is open.
    pub(super) fn has(&self, tag: Tag) -> bool {
        self.counts[tag as usize] > 0
    }

    pub(super) fn position(&mut self, node: u32) -> Option<usize> {
        let found = self.open.iter().rposition(|open| open.node == node);
        self.looks += self.open.len() - found.unwrap_or(0);
        found
    }

    /// "Has an element in the specific scope": whether an HTML element of a tag is met before one
    /// that bounds the scope.
    pub(super) fn in_scope(&mut self, tag: Tag, bounds: Bits) -> bool {
        self.has(tag) && self.finds(bounds, |open| open.tag == tag && open.is_html())
    }

    pub(super) fn finds(&mut self, bounds: Bits, found: impl Fn(&OpenElement) -> bool) -> bool {
        let ends = |open: &OpenElement| found(open) || open.bits & bounds != 0;
        let end = self.open.iter().rposition(ends);
        self.looks += self.open.len() - end.unwrap_or(0);
        end.is_some_and(|end| found(&self.open[end]))
    }

    pub(super) fn pop_while(&mut self, wanted: impl Fn(&OpenElement) -> bool) {
        while self.open.last().is_some_and(&wanted) {
            self.pop();
        }
    }

    /// Pops until an HTML element of a tag has been popped.
    pub(super) fn pop_until(&mut self, tag: Tag) {
        self.pop_through(|open| open.tag == tag && open.is_html());
    }

    /// Pops until an element that is looked for has been popped.
    pub(super) fn pop_through(&mut self, last: impl Fn(&OpenElement) -> bool) {
        while let Some(open) = self.pop() {
            if last(&open) {
                break;
            }
        }
    }

    /// "Clear the stack back to a context".
    pub(super) fn pop_to(&mut self, context: Bits) {
        self.pop_while(|open| open.bits & context == 0);
    }

    /// "Generate implied end tags", except for one tag.
    pub(super) fn imply_ends(&mut self, except: Tag) {
        self.pop_while(|open| open.bits & IMPLIED != 0 && open.tag != except);
    }
}
