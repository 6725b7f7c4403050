//! SVG and MathML, HTML standard 13.2.6.5.

use super::Builder;
use super::stack::{ANNOTATION_HTML, ANNOTATION_XML, MATH_TEXT, OpenElement, SVG_HTML};
use crate::NodeKind;
use crate::Tag::*;
use crate::token::{Characters, Content, Key, Special, StartTag};
use crate::{Tag, TagSet};

impl Builder<'_> {
    /// Whether a start tag is one of SVG or MathML here.
    pub(super) fn is_foreign_for_start(&self, start: &StartTag) -> bool {
        let Some(top) = self.state.stack.last() else {
            return false;
        };
        if top.is_html() {
            return false;
        }
        if top.bits & MATH_TEXT != 0 {
            return start.special == Special::MathGlyph;
        }
        if top.bits & SVG_HTML != 0 {
            return false;
        }
        if top.bits & ANNOTATION_XML != 0 {
            return start.tag != Svg && top.bits & ANNOTATION_HTML == 0;
        }
        true
    }

    pub(super) fn is_foreign_for_text(&self) -> bool {
        self.state
            .stack
            .last()
            .is_some_and(|top| !top.is_html() && top.bits & (MATH_TEXT | SVG_HTML | ANNOTATION_HTML) == 0)
    }

    pub(super) fn text_in_foreign(&mut self, text: Characters) {
        if self.has_visible(text) {
            self.frameset_ok = false;
        }
        self.append_text(text);
    }

    pub(super) fn start_in_foreign(&mut self, start: &StartTag) -> Content {
        if breaks_out(start) {
            self.leave_foreign();
            return self.start_in_mode(start);
        }
        let kind = match self.state.stack.top().kind {
            NodeKind::Annotation => NodeKind::Math,
            kind => kind,
        };
        self.insert_foreign(start, kind)
    }

    fn leave_foreign(&mut self) {
        self.state
            .stack
            .pop_while(|open| !open.is_html() && !open.is_integration_point());
    }

    pub(super) fn insert_foreign(&mut self, start: &StartTag, kind: NodeKind) -> Content {
        let (kind, tag) = match (kind, start.tag, start.special) {
            (NodeKind::Svg, Svg, _) | (NodeKind::Math, Math, _) => (kind, start.tag),
            (NodeKind::Math, _, Special::Annotation | Special::AnnotationXml(_)) => {
                (NodeKind::Annotation, Tag::Other)
            }
            (NodeKind::Math, tag, _) if tag.is_of_formula() => (kind, tag),
            _ => (kind, Tag::Other),
        };
        let node = self.create(kind, tag, start.attributes.0..start.attributes.1);
        self.place(node);
        if !start.self_closing {
            self.state.stack.push(OpenElement::foreign(node, start, kind));
        }
        Content::Markup
    }

    pub(super) fn end_in_foreign(&mut self, tag: Tag, key: Key) {
        if matches!(tag, Br | P) {
            self.leave_foreign();
            return self.end_in_mode(tag, key);
        }
        for index in (1..self.state.stack.len()).rev() {
            let open = self.state.stack[index];
            if open.is_html() && index + 1 < self.state.stack.len() {
                return self.end_in_mode(tag, key);
            }
            if open.key == key {
                return self.state.stack.truncate(index);
            }
        }
    }
}

/// Start tags of HTML that end SVG and MathML.
fn breaks_out(start: &StartTag) -> bool {
    const TAGS: TagSet = TagSet::new(&[
        B, Big, Blockquote, Body, Br, Center, Code, Dd, Div, Dl, Dt, Em, Embed, H1, H2, H3, H4, H5, H6, Head,
        Hr, I, Img, Li, Listing, Menu, Meta, Nobr, Ol, P, Pre, Ruby, S, Small, Span, Strong, Strike, Sub,
        Sup, Table, Tt, U, Ul, Var,
    ]);
    TAGS.has(start.tag) || start.special == Special::StyledFont
}
