//! Tree construction: the HTML standard's algorithm (13.2.6) into an arena.
//!
//! Scripting is off and there is no fragment case. Nothing is allocated for an element but its
//! node; names are bytes, and attributes that are never read have not been kept by the tokenizer.
//! The stack of open elements is bounded: beyond it start tags are skipped, with the end tags
//! that belong to them, so that a search of the stack costs the same however deep a page nests.

mod body;
mod foreign;
mod formatting;
mod modes;
mod stack;

use std::ops::Range;

use self::formatting::Entry;
use self::stack::{FOSTERS, OpenElement, Stack};
use crate::NONE;
use crate::arena::{Arena, LeadingWhite};
use crate::attributes::is_space;
use crate::steps::Steps;
use crate::token::{Characters, Content, Key, StartTag};
use crate::{DOCUMENT, NodeKind};
use crate::{Tag, TreeLimits, TreeTruncation};

/// Insertion modes, HTML standard 13.2.4.1. The "text" mode is the tokenizer's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTable,
    InTableText,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// What the tree builder remembers; its memory is kept from page to page.
#[derive(Debug, Default)]
pub(crate) struct BuilderState {
    stack: Stack,
    formatting: Vec<Entry>,
    template_modes: Vec<Mode>,
    /// Text in a table that may have to be moved before it.
    table_text: Vec<Characters>,
    /// Start tags skipped because the stack was full.
    skipped: Vec<Key>,
    skipped_counts: Vec<u32>,
    /// Templates that are the content of the element around them, see [`crate::shadow`].
    pub(crate) shadow_roots: Vec<u32>,
    /// Where a `<noscript>` ended an element of text that had no end tag, and the element's name.
    #[cfg(test)]
    pub(crate) missing_ends: Vec<(usize, String)>,
}

/// Builds one document.
pub(crate) struct Builder<'a> {
    pub(crate) arena: &'a mut Arena,
    pub(crate) source: &'a str,
    pub(crate) truncated: TreeTruncation,
    pub(crate) steps: Steps,
    state: &'a mut BuilderState,
    limits: &'a TreeLimits,
    mode: Mode,
    /// The mode to go back to from "in table text".
    before_table_text: Mode,
    quirks: bool,
    /// Whether a `<frameset>` may still take the place of the body.
    frameset_ok: bool,
    foster: bool,
    /// The newline after `<pre>` or `<textarea>` does not count.
    skip_newline: bool,
    /// The document is XML: `<script/>` is a whole element.
    is_xml: bool,
    head: u32,
    form: u32,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(
        arena: &'a mut Arena,
        source: &'a str,
        state: &'a mut BuilderState,
        limits: &'a TreeLimits,
    ) -> Builder<'a> {
        arena.clear();
        state.stack.clear();
        state.formatting.clear();
        state.template_modes.clear();
        state.table_text.clear();
        state.skipped.clear();
        state.shadow_roots.clear();
        state.skipped_counts.clear();
        state.skipped_counts.resize(256, 0);
        Builder {
            arena,
            source,
            truncated: TreeTruncation::default(),
            steps: Steps::new(limits.steps),
            state,
            limits,
            mode: Mode::Initial,
            before_table_text: Mode::Initial,
            quirks: false,
            frameset_ok: true,
            foster: false,
            skip_newline: false,
            is_xml: false,
            head: NONE,
            form: NONE,
        }
    }

    /// Takes the document for XML, or not.
    pub(crate) fn of_xml(mut self, is_xml: bool) -> Builder<'a> {
        self.is_xml = is_xml;
        self
    }

    /// Whether the document has all the elements it may have, or has taken all the work it may take.
    pub(crate) fn is_full(&self) -> bool {
        self.truncated.elements || self.truncated.steps
    }

    /// Counts a token, and what was looked at on the stack for it.
    pub(crate) fn count_token(&mut self) {
        self.steps.step();
        self.steps.look(self.state.stack.take_looks());
        self.truncated.steps = self.steps.is_over();
    }

    pub(crate) fn doctype(&mut self, quirks: bool) {
        self.skip_newline = false;
        if self.mode == Mode::Initial {
            self.quirks = quirks;
            self.mode = Mode::BeforeHtml;
        }
    }

    pub(crate) fn comment(&mut self) {
        self.skip_newline = false;
        self.flush_table_text();
    }

    /// A start tag; says what its element holds.
    pub(crate) fn start_tag(&mut self, start: &StartTag) -> Content {
        self.skip_newline = false;
        self.flush_table_text();
        if self.state.stack.len() > self.limits.depth as usize && self.pass_over(start) {
            return Content::Markup;
        }
        let content = self.start(start);
        if !(self.is_xml && start.self_closing && self.has_just_opened(start)) {
            return content;
        }
        match content {
            Content::Markup => self.end_tag(start.tag, start.key),
            _ => self.end_of_raw(),
        }
        Content::Markup
    }

    fn has_just_opened(&self, start: &StartTag) -> bool {
        let last = self.state.stack.last();
        last.is_some_and(|open| open.is_html() && open.key == start.key)
    }

    pub(crate) fn end_tag(&mut self, tag: Tag, key: Key) {
        self.skip_newline = false;
        self.flush_table_text();
        if !self.state.skipped.is_empty() && self.ends_skipped(key) {
            return;
        }
        self.end(tag, key);
        if self.state.stack.len() <= self.limits.depth as usize {
            self.forget_skipped();
        }
    }

    /// The end tag of an element whose content is no markup.
    pub(crate) fn end_of_raw(&mut self) {
        self.skip_newline = false;
        self.state.stack.pop();
    }

    #[cfg(test)]
    pub(crate) fn note_missing_end(&mut self, at: usize, name: String) {
        self.state.missing_ends.push((at, name));
    }

    pub(crate) fn characters(&mut self, mut text: Characters) {
        if std::mem::take(&mut self.skip_newline) {
            text = self.without_newline(text);
        }
        if text.start < text.end {
            self.text(text);
        }
    }

    /// A NUL between tags: only SVG and MathML show it, as U+FFFD.
    pub(crate) fn nul(&mut self) {
        self.skip_newline = false;
        self.nul_in_mode();
    }

    /// Text of an element whose content is no markup.
    pub(crate) fn raw_characters(&mut self, mut text: Characters) {
        if std::mem::take(&mut self.skip_newline) {
            text = self.without_newline(text);
        }
        self.append_text(text);
    }

    pub(crate) fn end_of_file(&mut self) {
        self.flush_table_text();
        self.eof();
    }

    /// Whether `<![CDATA[` opens a section here.
    pub(crate) fn is_in_foreign_content(&self) -> bool {
        self.state.stack.last().is_some_and(|open| !open.is_html())
    }

    fn without_newline(&self, mut text: Characters) -> Characters {
        let bytes = self.bytes(text);
        text.start += match bytes {
            [b'\r', b'\n', ..] if !text.pool => 2,
            [b'\r', ..] if !text.pool => 1,
            [b'\n', ..] => 1,
            _ => 0,
        };
        text
    }

    fn bytes(&self, text: Characters) -> &[u8] {
        let whole = if text.pool { &self.arena.pool } else { self.source };
        &whole.as_bytes()[text.start as usize..text.end as usize]
    }

    /// The bytes of white space that a text begins with.
    fn leading_space(&self, text: Characters) -> u32 {
        let bytes = self.bytes(text);
        bytes
            .iter()
            .position(|&byte| !is_space(byte))
            .unwrap_or(bytes.len()) as u32
    }

    /// Passes over a start tag that would be too deep. Not if its content is no markup: the
    /// tokenizer has to know of that; such elements hold no others.
    fn pass_over(&mut self, start: &StartTag) -> bool {
        use Tag::*;
        if matches!(
            start.tag,
            Script | Style | Title | Textarea | Xmp | Iframe | Noembed | Noframes | Plaintext | Body | Html
        ) || (start.tag.is_void() && start.tag != Embed)
        {
            return false;
        }
        self.truncated.depth = true;
        self.state.skipped.push(start.key);
        self.state.skipped_counts[start.key.bucket()] += 1;
        true
    }

    /// Whether an end tag belongs to a start tag that was skipped.
    fn ends_skipped(&mut self, key: Key) -> bool {
        if self.state.skipped_counts[key.bucket()] == 0 {
            return false;
        }
        while let Some(inner) = self.state.skipped.pop() {
            self.state.skipped_counts[inner.bucket()] -= 1;
            if inner == key {
                break;
            }
        }
        true
    }

    fn forget_skipped(&mut self) {
        if !self.state.skipped.is_empty() {
            self.state.skipped.clear();
            self.state.skipped_counts.fill(0);
        }
    }

    /// A new element; none is made when the page has too many.
    fn create(&mut self, kind: NodeKind, tag: Tag, attributes: Range<u32>) -> u32 {
        self.steps.step();
        if self.arena.nodes.len().div_ceil(4) > self.limits.elements {
            self.truncated.elements = true;
        }
        self.arena.create(kind, tag, attributes)
    }

    /// Inserts an HTML element for a start tag.
    fn insert_html(&mut self, start: &StartTag, push: bool) -> u32 {
        let node = self.create(NodeKind::Html, start.tag, start.attributes.0..start.attributes.1);
        self.place(node);
        if push {
            self.state
                .stack
                .push(OpenElement::html(node, start.tag, start.key));
        }
        node
    }

    /// Inserts an element that no tag stands for.
    fn insert_implied(&mut self, tag: Tag) -> u32 {
        let node = self.create(NodeKind::Html, tag, 0..0);
        self.place(node);
        self.state
            .stack
            .push(OpenElement::html(node, tag, Key::from_tag(tag)));
        node
    }

    fn insert_root(&mut self, attributes: Range<u32>) {
        let node = self.create(NodeKind::Html, Tag::Html, attributes);
        self.arena.append(DOCUMENT, node);
        self.state
            .stack
            .push(OpenElement::html(node, Tag::Html, Key::from_tag(Tag::Html)));
    }

    /// Puts a node at the "appropriate place for inserting a node".
    fn place(&mut self, node: u32) {
        let target = *self.state.stack.top();
        self.place_in(&target, node);
    }

    #[inline]
    fn place_in(&mut self, target: &OpenElement, node: u32) {
        match self.foster && target.bits & FOSTERS != 0 {
            true => self.place_before_table(node),
            false => self.arena.append(target.node, node),
        }
    }

    /// Puts a node before the table that it stands in.
    fn place_before_table(&mut self, node: u32) {
        let found = self
            .state
            .stack
            .iter()
            .rposition(|open| matches!(open.tag, Tag::Template | Tag::Table) && open.is_html());
        let stack = &self.state.stack;
        self.steps.look(stack.len() - found.unwrap_or(0));
        match found.map(|index| (index, stack[index])) {
            None => self.arena.append(stack[0].node, node),
            Some((_, open)) if open.tag == Tag::Template => self.arena.append(open.node, node),
            Some((index, table)) if self.arena.node(table.node).parent == NONE => {
                self.arena.append(stack[index - 1].node, node);
            }
            Some((_, table)) => self.arena.insert_before(table.node, node),
        }
    }

    fn append_text(&mut self, text: Characters) {
        if text.start == text.end {
            return;
        }
        let target = *self.state.stack.top();
        let white = LeadingWhite::read(self.bytes(text));
        if self.extends_last(&target, text, white) {
            return;
        }
        let kind = if text.pool {
            NodeKind::PoolText
        } else {
            NodeKind::SourceText
        };
        let node = self.create(kind, Tag::Other, text.start..text.end);
        self.arena.nodes[node as usize].white = white;
        self.place_in(&target, node);
    }

    /// Makes the last text of an element longer, if this text follows it where it stands.
    fn extends_last(&mut self, target: &OpenElement, text: Characters, white: LeadingWhite) -> bool {
        if self.foster {
            return false;
        }
        let last = self.arena.node(target.node).last;
        if last == NONE {
            return false;
        }
        let node = *self.arena.node(last);
        let kind = if text.pool {
            NodeKind::PoolText
        } else {
            NodeKind::SourceText
        };
        if node.kind != kind || node.end != text.start {
            return false;
        }
        self.arena.extend_text(last, text.end, white);
        true
    }
}
