//! The finished document laid out flat: elements in document order and the text cut into blocks.
//!
//! One walk over the linked tree. A line ends at every tag that is not inline, at `<br>` and at the
//! newlines of `<pre>`, and between spans in it that are lines. With `unit = "tag"` it is then cut at inline tags; what is on the delete list is passed over as if it
//! were not there, except that deleted elements which take room on the page (a frame, a form field) leave their tags
//! in the next block's `split`.

mod cut;
mod gap;
mod line;
mod marks;
mod noscript;
mod written;

use gleaner_html::{
    Attr, DOCUMENT, NONE, NodeKind, Steps, Tag, Tree, is_dropped, letter_of_control, without_controls,
};

use crate::state;
use crate::{Element, Limits, Page, PageConfig, TagEvent};

use gap::{Gap, gap};
use line::Line;
pub(crate) use line::{has_word, is_white};
use noscript::noscript_content;

/// Which tags are deleted, by their integer.
pub(crate) type DeleteList = [bool; Tag::COUNT];

/// The delete list of a configuration.
pub(crate) fn delete_list(config: &PageConfig) -> DeleteList {
    let mut list = [false; Tag::COUNT];
    for name in &config.delete {
        let tag = Tag::from_name(&name.to_ascii_lowercase());
        list[tag as usize] = tag != Tag::Other;
    }
    list
}

/// What the walk needs to know of the tree and of the configuration.
pub(crate) struct Source<'a> {
    pub(crate) tree: Tree<'a>,
    pub(crate) delete: &'a DeleteList,
    pub(crate) config: &'a PageConfig,
}

/// Memory of the walk, kept from page to page.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    open: Vec<Open>,
}

/// An element whose end has not been reached.
#[derive(Clone, Copy, Debug)]
struct Open {
    element: u32,
    /// Nearest element around that is not inline.
    block: u32,
    div: u32,
    td: u32,
    tag: Tag,
    inline: bool,
    in_body: bool,
    in_pre: bool,
    /// Nearest `<pre>` around.
    pre: u32,
    in_code: bool,
    hidden: bool,
    /// An inline element that its style draws as a box.
    is_box: bool,
}

const OUTSIDE: Open = Open {
    element: NONE,
    block: NONE,
    div: NONE,
    td: NONE,
    tag: Tag::Other,
    inline: false,
    in_body: false,
    in_pre: false,
    pre: NONE,
    in_code: false,
    hidden: false,
    is_box: false,
};

/// Bytes of attributes that a page may have beside twice its own bytes.
const ROOM: usize = 64 << 10;

/// Fills a page's elements, blocks, title and structured data from a document.
pub(crate) fn lay_out(source: &Source<'_>, scratch: &mut Scratch, page: &mut Page) {
    scratch.open.clear();
    let kept_noscript = noscript_content(source);
    let mut walk = Walk {
        source,
        page,
        open: &mut scratch.open,
        kept_noscript,
        line: Line::new(source.config.unit),
        states: Vec::new(),
        steps: Steps::new(source.config.limits.steps),
    };
    walk.document();
    walk.line.end(walk.page, false);
    walk.keep_states();
    let Walk { line, steps, .. } = walk;
    page.steps = page.steps.max(steps.taken());
    page.tags_between.truncate(line.committed as usize);
}

struct Walk<'a, 's> {
    source: &'a Source<'a>,
    page: &'a mut Page,
    open: &'s mut Vec<Open>,
    kept_noscript: Option<u32>,
    line: Line,
    /// Scripts that hold a framework's state.
    states: Vec<u32>,
    steps: Steps,
}

/// Bytes of visible text beyond which a framework's state is of no interest.
const LITTLE_TEXT: usize = 4 << 10;

impl Walk<'_, '_> {
    fn document(&mut self) {
        let tree = self.source.tree;
        let mut node = tree.first_child(DOCUMENT);
        while node != NONE {
            let down = match tree.kind(node) {
                kind @ (NodeKind::PoolText | NodeKind::SourceText) => {
                    self.text(tree.text(node), kind);
                    false
                }
                _ => self.enter(node),
            };
            if down && tree.first_child(node) != NONE {
                node = tree.first_child(node);
                continue;
            }
            if down {
                self.leave();
            }
            node = self.next(node);
            if self.is_full() {
                break;
            }
        }
        if self.has_all_blocks() {
            self.line.forget(self.page);
        }
        while !self.open.is_empty() {
            self.leave();
        }
    }

    /// Counts a node, and says whether the page has all the blocks it may have, or has taken all the work it may take.
    fn is_full(&mut self) -> bool {
        self.steps.step();
        self.page.truncated.steps |= self.steps.is_over();
        self.page.truncated.blocks |= self.has_all_blocks();
        self.has_all_blocks() || self.steps.is_over()
    }

    fn has_all_blocks(&self) -> bool {
        self.page.blocks.len() >= self.source.config.limits.blocks
    }

    /// The next sibling, of the node or of the nearest ancestor that has one; leaves the elements
    /// on the way.
    fn next(&mut self, mut node: u32) -> u32 {
        loop {
            let next = self.source.tree.next_sibling(node);
            if next != NONE {
                return next;
            }
            let parent = self.source.tree.parent(node);
            if parent == DOCUMENT || parent == NONE {
                return NONE;
            }
            self.leave();
            node = parent;
        }
    }

    fn top(&self) -> Open {
        self.open.last().copied().unwrap_or(OUTSIDE)
    }

    /// Enters an element; says whether its children count.
    fn enter(&mut self, node: u32) -> bool {
        let around = self.top();
        let Limits { elements, depth, .. } = self.source.config.limits;
        if self.page.elements.len() >= elements {
            self.page.truncated.blocks = true;
            return false;
        }
        if self.open.len() > depth as usize {
            self.page.truncated.depth = true;
        }
        let tag = self.source.tree.tag(node);
        let element = self.element(node, tag, &around);
        self.note(node, tag);
        if self.deleted(node, tag) {
            self.leave_out(tag, &around);
            return false;
        }
        let foreign = self.source.tree.kind(node) != NodeKind::Html;
        let inline = tag.is_inline() || foreign;
        let is_box = tag.is_inline() && !foreign && !around.in_code && self.is_box(element);
        let in_body = around.in_body || tag == Tag::Body;
        let in_pre = around.in_pre || matches!(tag, Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext);
        self.open.push(Open {
            element,
            block: if inline { around.block } else { element },
            div: if tag == Tag::Div { element } else { around.div },
            td: if matches!(tag, Tag::Td | Tag::Th) {
                element
            } else {
                around.td
            },
            tag,
            inline,
            in_body,
            in_pre,
            pre: if tag == Tag::Pre { element } else { around.pre },
            in_code: in_pre || around.in_code || is_code(tag),
            hidden: self.page.elements[element as usize].hidden,
            is_box,
        });
        if in_body {
            let gap = gap(self.source.tree, node, &around, &mut self.steps).max(Gap::of_box(is_box));
            if gap == Gap::Line {
                self.event(Tag::Br, true, false);
            }
            self.event(tag, true, inline);
            self.line.end_pre(self.page, tag);
            self.line.gap = self.line.gap.max(gap);
            self.alternative_text(node, tag);
        }
        true
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.page.elements[open.element as usize].end = self.page.elements.len() as u32;
        if open.in_body && !open.tag.is_void() {
            self.event(open.tag, false, open.inline);
            self.line.end_pre(self.page, open.tag);
            self.line.gap = self.line.gap.max(Gap::of_box(open.is_box));
        }
    }

    /// Whether an element's own style draws it as a box.
    fn is_box(&self, element: u32) -> bool {
        self.page.attribute(element, Attr::Style).is_some_and(draws_a_box)
    }

    /// Adds an element to the page, with its attributes.
    fn element(&mut self, node: u32, tag: Tag, around: &Open) -> u32 {
        let tree = self.source.tree;
        let first = self.page.attributes.len() as u32;
        let mut hidden = around.hidden;
        for (name, value) in tree.attributes(node) {
            // Formatting elements that are made anew repeat their attributes: not without end.
            if self.page.values.len() + value.len() > 2 * tree.source().len() + ROOM {
                self.page.truncated.attributes = true;
                break;
            }
            hidden |= hides(name, value);
            let start = self.page.values.len() as u32;
            self.page.values.push_str(&without_controls(value));
            self.page
                .attributes
                .push((name, start..self.page.values.len() as u32));
        }
        let id = self.page.elements.len() as u32;
        self.page.elements.push(Element {
            tag,
            hidden,
            depth: self.open.len() as u16,
            parent: around.element,
            end: id + 1,
            attributes: first..self.page.attributes.len() as u32,
        });
        id
    }

    fn deleted(&self, node: u32, tag: Tag) -> bool {
        if tag == Tag::Noscript {
            let within_kept = self.open.iter().any(|open| open.tag == Tag::Noscript);
            return self.kept_noscript != Some(node) && !within_kept;
        }
        self.source.delete[tag as usize] || self.source.tree.kind(node) == NodeKind::Annotation
    }

    /// Keeps what is read of an element that is no block: the title, structured data.
    fn note(&mut self, node: u32, tag: Tag) {
        let tree = self.source.tree;
        match tag {
            Tag::Title if self.page.title.is_empty() => {
                collapse_into(&mut self.page.title, tree, node);
            }
            Tag::Script => {
                let of_type = tree.attribute(node, Attr::Type).unwrap_or_default();
                if is_structured_data(of_type) {
                    self.structured_data(node);
                } else if self.is_state(of_type, node) {
                    self.states.push(node);
                }
            }
            _ => {}
        }
    }

    /// A deleted element that takes room on the page leaves its tags and a space.
    fn leave_out(&mut self, tag: Tag, around: &Open) {
        if around.in_body && takes_room(tag) {
            self.event(tag, true, true);
            if !tag.is_void() {
                self.event(tag, false, true);
            }
            self.line.space = true;
        }
    }

    /// Whether a script holds a framework's state.
    fn is_state(&self, of_type: &str, node: u32) -> bool {
        let tree = self.source.tree;
        let first = tree.first_child(node);
        if first == NONE {
            return false;
        }
        let body = tree.text(first);
        match of_type.trim().eq_ignore_ascii_case("application/json") {
            true => body.len() >= state::LEAST_BYTES,
            false => state::is_state(body),
        }
    }

    /// Keeps the states, where the page has little text without them.
    fn keep_states(&mut self) {
        let mut left = state::MOST_BYTES;
        if self.page.text.len() > LITTLE_TEXT {
            return;
        }
        for node in std::mem::take(&mut self.states) {
            let body = self.body(node);
            if body.len() <= left {
                left -= body.len();
                self.page.state.push(body);
            }
        }
    }

    fn body(&self, node: u32) -> String {
        let mut body = String::new();
        self.source.tree.push_own_text(node, &mut body);
        body
    }

    fn structured_data(&mut self, node: u32) {
        let body = self.body(node);
        if !body.trim().is_empty() {
            self.page.structured_data.push(body);
        }
    }

    fn event(&mut self, tag: Tag, open: bool, inline: bool) {
        if !inline || tag == Tag::Br {
            // The last block that a page may have can end within a line.
            if self.line.by_tag && self.has_all_blocks() {
                self.line.forget(self.page);
            }
            self.line.end(self.page, tag == Tag::Br);
        }
        self.line.tag(self.page, TagEvent { tag, open });
    }

    /// An image is a box: words on both sides of it are apart, and its text is from both.
    fn alternative_text(&mut self, node: u32, tag: Tag) {
        if tag != Tag::Img {
            return;
        }
        let Source { tree, config, .. } = *self.source;
        self.line.space = true;
        if let Some(alt) = tree.attribute(node, Attr::Alt).filter(|_| config.alt) {
            let open = self.top();
            self.line.text(self.page, alt, &open);
            self.line.space = true;
        }
    }

    fn text(&mut self, text: &str, kind: NodeKind) {
        let open = self.top();
        if !open.in_body {
            return;
        }
        if !open.in_pre {
            return self.line.text(self.page, text, &open);
        }
        let mut rest = text;
        while let Some((line, after)) = split_line(rest, kind) {
            self.line.text(self.page, line, &open);
            self.event(Tag::Br, true, false);
            rest = after;
            if self.has_all_blocks() {
                return;
            }
        }
        self.line.text(self.page, rest, &open);
    }
}

/// The first line of a text, and what follows its end. In the source a carriage return is a
/// newline; in the pool newlines are made the same already and it comes from a reference.
fn split_line(text: &str, kind: NodeKind) -> Option<(&str, &str)> {
    let at = match kind {
        NodeKind::SourceText => memchr::memchr2(b'\n', b'\r', text.as_bytes())?,
        _ => memchr::memchr(b'\n', text.as_bytes())?,
    };
    let after = &text[at + 1..];
    let after = if text.as_bytes()[at] == b'\r' {
        after.strip_prefix('\n').unwrap_or(after)
    } else {
        after
    };
    Some((&text[..at], after))
}

fn collapse_into(into: &mut String, tree: Tree<'_>, node: u32) {
    let mut child = tree.first_child(node);
    let mut space = false;
    while child != NONE {
        for letter in tree.text(child).chars() {
            if is_white(letter) {
                space = !into.is_empty();
            } else if !is_dropped(letter) {
                if std::mem::take(&mut space) {
                    into.push(' ');
                }
                into.push(letter_of_control(letter).unwrap_or(letter));
            }
        }
        child = tree.next_sibling(child);
    }
}

pub(crate) fn is_structured_data(of_type: &str) -> bool {
    of_type
        .trim()
        .get(..19)
        .is_some_and(|start| start.eq_ignore_ascii_case("application/ld+json"))
}

/// Whether an element holds what is for machines, letter by letter.
fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt | Tag::Var)
}

/// Deleted elements that are seen on the page.
fn takes_room(tag: Tag) -> bool {
    !matches!(
        tag,
        Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Datalist
            | Tag::Map
            | Tag::Noframes
            | Tag::Noscript
            | Tag::Noembed
            | Tag::Title
            | Tag::Meta
            | Tag::Link
    )
}

/// Whether an attribute takes its element off the page.
fn hides(name: Attr, value: &str) -> bool {
    match name {
        Attr::Hidden => true,
        Attr::AriaHidden => value.trim().eq_ignore_ascii_case("true"),
        Attr::Style => displays_none(value),
        _ => false,
    }
}

/// Whether an inline style says `display: none`.
fn displays_none(style: &str) -> bool {
    declares(style, |name, value| {
        name.eq_ignore_ascii_case("display") && begins_with(value, "none")
    })
}

/// Whether an inline style puts an element on a line of its own, or to the side. Letters that move one by one are often
/// `inline-block`: that is none.
fn draws_a_box(style: &str) -> bool {
    declares(style, |name, value| {
        let boxes: &[&str] = if name.eq_ignore_ascii_case("display") {
            &["block", "flex", "grid", "table", "list-item"]
        } else if name.eq_ignore_ascii_case("float") {
            &["left", "right"]
        } else {
            &[]
        };
        boxes.iter().any(|start| begins_with(value, start))
    })
}

fn declares(style: &str, is_it: impl Fn(&str, &str) -> bool) -> bool {
    style.split(';').any(|declaration| {
        declaration
            .split_once(':')
            .is_some_and(|(name, value)| is_it(name.trim(), value.trim()))
    })
}

/// Whether a value begins so; `!important` may follow.
fn begins_with(value: &str, start: &str) -> bool {
    value
        .get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start))
}
