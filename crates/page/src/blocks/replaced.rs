//! Elements that their children do not stand for: formulas, protected words, and values that the page does not show.

use gleaner_html::{Attr, NONE, NodeKind, Tag};

use super::white::White;
use super::{OpenElement, Source, Walk, copies, formula, values};
use crate::{Formula, Image};

impl Walk<'_, '_> {
    /// Whether a node is a formula, which is written as a whole.
    pub(super) fn is_formula(&self, node: u32) -> bool {
        let Source { tree, delete, .. } = *self.source;
        match tree.tag(node) {
            Tag::Math => tree.kind(node) == NodeKind::Math && !delete[Tag::Math as usize],
            Tag::Script => formula::is_tex(tree, node),
            _ => false,
        }
    }

    /// Adds a formula to the line. One that is hidden from eyes is shown by the drawing beside it.
    pub(super) fn formula(&mut self, node: u32, element: u32, around: &OpenElement) {
        if !around.in_body || around.is_value {
            return;
        }
        let tree = self.source.tree;
        let tag = tree.tag(node);
        let found = match tag {
            Tag::Script => formula::of_script(tree, node),
            _ => formula::of_math(tree, node, &mut self.steps),
        };
        let parent = tree.parent(node);
        let is_drawn = parent != NONE && copies::has_drawing(tree, parent);
        let hidden = self.page.elements[element as usize].hidden && !is_drawn;
        self.page.elements[element as usize].hidden = hidden;
        self.page.formulas.push(Formula {
            element,
            is_display: found.is_display,
        });
        self.whole(tag, element, &found.latex, around);
    }

    /// Adds a text that stands for all that an element has.
    pub(super) fn whole(&mut self, tag: Tag, element: u32, text: &str, around: &OpenElement) {
        if !around.in_body || around.is_value {
            return;
        }
        let hidden = self.page.elements[element as usize].hidden;
        let open = OpenElement {
            element,
            hidden,
            ..*around
        };
        self.event(tag, true, true);
        self.line.text(self.page, text, &open);
        self.event(tag, false, true);
    }

    fn formula_text(&mut self, found: &formula::FoundFormula, open: &OpenElement) {
        self.page.formulas.push(Formula {
            element: open.element,
            is_display: found.is_display,
        });
        self.line.text(self.page, &found.latex, open);
    }

    /// An image that shows a formula is that. Another one is a box: words on both sides of it are apart, and its text is from
    /// both.
    pub(super) fn image(&mut self, node: u32) {
        let open = self.top();
        if open.is_value {
            return;
        }
        let Source { tree, config, .. } = *self.source;
        if let Some(found) = formula::of_image(tree, node) {
            // One beside the formula itself is for browsers that cannot draw that.
            return match copies::has_formula_beside(tree, node) {
                true => {}
                false => self.formula_text(&found, &open),
            };
        }
        self.line.white = White::Room;
        if !config.alt {
            self.page.images.push(Image {
                element: open.element,
                at: self.page.text.len() as u32,
            });
        } else if let Some(alt) = tree.attribute(node, Attr::Alt) {
            self.line.text(self.page, alt, &open);
            self.line.white = White::Room;
        }
    }

    /// Keeps the text of a value for machines as an attribute.
    pub(super) fn keep_value(&mut self, node: u32, element: u32) {
        let Some(value) = values::own_value(self.source.tree, node) else {
            return;
        };
        let start = self.page.values.len() as u32;
        self.page.values.push_str(&value);
        self.page
            .attributes
            .push((Attr::Content, start..self.page.values.len() as u32));
        self.page.elements[element as usize].attributes.end += 1;
    }
}
