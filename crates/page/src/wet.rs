//! The text of a page as Common Crawl writes it into WET files.
//!
//! Its extractor (ia-web-commons) knows which elements end a line and which stand apart from the words around
//! them, and nothing of what is shown: hidden parts, the options of lists and what `<noscript>` holds are text as all
//! others. The title is the first line, cells of a row are one line, and so are links next to one another.

use gleaner_html::{DOCUMENT, NONE, NodeKind, Tag, Tag::*, TagSet, Tree};

/// Writes the text of a document.
pub(crate) fn text(tree: Tree<'_>) -> String {
    let mut writer = Writer::default();
    let mut node = tree.first_child(DOCUMENT);
    while node != NONE {
        if writer.enter(tree, node) && tree.first_child(node) != NONE {
            node = tree.first_child(node);
            continue;
        }
        writer.leave(tree, node);
        while node != NONE && tree.next_sibling(node) == NONE {
            node = tree.parent(node);
            if node != NONE {
                writer.leave(tree, node);
            }
        }
        if node != NONE {
            node = tree.next_sibling(node);
        }
    }
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    /// How many `<pre>` are open.
    pre: usize,
}

impl Writer {
    /// Begins an element or writes a text; says whether what is below counts.
    fn enter(&mut self, tree: Tree<'_>, node: u32) -> bool {
        let tag = tree.tag(node);
        match tree.kind(node) {
            NodeKind::PoolText | NodeKind::SourceText => {
                let text = tree.text(node);
                // Elements of a drawing have no names here; its style sheet has braces.
                let is_style = tree.kind(tree.parent(node)) == NodeKind::Svg && text.contains('{');
                if !is_style {
                    self.write(text);
                }
            }
            _ if tag != Title => self.part(tag),
            _ => {}
        }
        self.pre += usize::from(tag == Pre);
        // Neither text nor, in frames, markup.
        !matches!(tag, Script | Style | Iframe | Noembed | Noframes)
    }

    fn leave(&mut self, tree: Tree<'_>, node: u32) {
        let (tag, first) = (tree.tag(node), tree.first_child(node));
        let has_text = || first != NONE && tree.kind(first).is_text();
        // Texts of drawings are their titles, mostly.
        let is_title = tree.kind(node) == NodeKind::Svg && tag == Other && has_text();
        self.part(if is_title { Title } else { tag });
        self.pre -= usize::from(tag == Pre);
    }

    /// Keeps what is before a tag apart from what is behind it.
    fn part(&mut self, tag: Tag) {
        if ENDS_LINE.has(tag) {
            self.text.truncate(self.text.trim_end_matches(' ').len());
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
        } else if STANDS_APART.has(tag) && !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// Writes a text, outside of `<pre>` with one space for white space and controls.
    fn write(&mut self, text: &str) {
        if self.pre > 0 {
            return self.text.push_str(text);
        }
        let mut after_white = self.text.chars().next_back().is_none_or(char::is_whitespace);
        for letter in text.chars() {
            let is_space = letter <= ' ' || matches!(letter, '\x7f' | '\u{a0}');
            let letter = if is_space { ' ' } else { letter };
            let is_white = letter.is_whitespace();
            if !(after_white && is_white) {
                self.text.push(letter);
            }
            after_white = is_white;
        }
    }
}

/// Elements at whose begin and end a line ends.
const ENDS_LINE: TagSet = TagSet::new(&[
    Address, Article, Aside, Blockquote, Body, Br, Button, Canvas, Caption, Col, Colgroup, Dd, Div, Dl, Dt,
    Embed, Fieldset, Figcaption, Figure, Footer, Form, H1, H2, H3, H4, H5, H6, Header, Hgroup, Hr, Li, Map,
    Noscript, Object, Ol, Output, P, Pre, Progress, Section, Table, Tbody, Textarea, Tfoot, Th, Thead, Title,
    Tr, Ul, Video,
]);

/// Elements whose words are apart from those around them.
const STANDS_APART: TagSet = TagSet::new(&[
    Cite, Datalist, Details, Iframe, Img, Input, Label, Legend, Optgroup, Q, Select, Summary, Td, Time,
]);
