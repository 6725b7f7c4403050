//! The finished document laid out flat: elements in document order and the text cut into blocks.
//!
//! One walk over the linked tree. A line ends at every tag that is not inline, at `<br>` and at the
//! newlines of `<pre>` and of styles that keep them, and between spans in it that are lines. With `unit = "tag"` it is then cut at inline tags; what is on the delete list is skipped as if it
//! were not there, except that deleted elements which take room on the page (a frame, a form field) leave their tags
//! in the next block's `split`.

mod controls;
mod copies;
mod cut;
mod formula;
mod gap;
mod letters;
mod line;
mod marks;
mod noscript;
mod program;
pub(crate) mod protected;
mod quotes;
mod replaced;
mod style;
mod tables;
mod unknown;
mod values;
mod white;
mod written;

use gleaner_html::{
    Attr, AttrSet, DOCUMENT, NONE, NodeKind, Steps, Tag, TagSet, Tree, has_controls, is_dropped,
    letter_of_control, without_controls,
};

use std::cell::OnceCell;

use crate::state;
use crate::{Element, Limits, Page, PageConfig, TagEvent};

use controls::{Side, heading_around, heading_behind, is_control, is_heading};
pub use formula::is_class_of_formulas;
use gap::{Gap, gap};
use letters::is_white_text;
pub(crate) use letters::{has_word, is_white};
use line::Line;
use noscript::noscript_content;
use program::{LineNumbers, ProgramKind};
use style::{WhiteSpace, draws_a_box, hides, white_space};
pub use tables::TableRows;
use white::White;

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
pub(crate) struct WalkScratch {
    open: Vec<OpenElement>,
}

/// An element whose end has not been reached.
#[derive(Clone, Copy, Debug)]
struct OpenElement {
    element: u32,
    /// Nearest element around that is not inline.
    block: u32,
    div: u32,
    td: u32,
    tag: Tag,
    inline: bool,
    in_body: bool,
    /// Newlines end lines.
    keeps_lines: bool,
    /// Nearest preformatted element around, see [`Block::pre`](crate::Block::pre).
    pre: u32,
    in_code: bool,
    /// The element around whose children are the lines of a program, [`NONE`] where there is none.
    lines: u32,
    /// Where it begins in what is written, if it is such a line.
    line_start: Option<u32>,
    hidden: bool,
    in_heading: bool,
    /// An inline element that its style draws as a box.
    is_box: bool,
    /// It is a value for machines, or in one: its text is none of the page.
    is_value: bool,
    /// Of a table: its foot, if that stands before other parts of it.
    foot: u32,
}

/// What is decided of an element before it is opened; as in [`OpenElement`].
#[derive(Clone, Copy)]
struct Opening {
    element: u32,
    tag: Tag,
    inline: bool,
    is_value: bool,
    has_style: bool,
    program: ProgramKind,
}

const OUTSIDE: OpenElement = OpenElement {
    element: NONE,
    block: NONE,
    div: NONE,
    td: NONE,
    tag: Tag::Other,
    inline: false,
    in_body: false,
    keeps_lines: false,
    pre: NONE,
    in_code: false,
    lines: NONE,
    line_start: None,
    hidden: false,
    in_heading: false,
    is_box: false,
    is_value: false,
    foot: NONE,
};

/// Maximum elements around a reading searched for its `<ruby>`.
const RUBY_DEPTH: usize = 4;

/// Maximum bytes of attributes per page, in addition to twice its own bytes.
const ROOM: usize = 64 << 10;

/// Fills a page's elements, blocks, title and structured data from a document.
pub(crate) fn lay_out(source: &Source<'_>, scratch: &mut WalkScratch, page: &mut Page) {
    scratch.open.clear();
    let tags = source.tree.tags();
    let kept_noscript = tags
        .has(Tag::Noscript)
        .then(|| noscript_content(source))
        .flatten();
    let mut walk = Walk {
        source,
        page,
        open: &mut scratch.open,
        kept_noscript,
        line: Line::new(source.config.unit),
        states: Vec::new(),
        quotes: Vec::new(),
        heading: None,
        has_inner_tables: false,
        tags,
        most_values: 2 * source.tree.source().len() + ROOM,
        has_code: [Tag::Code, Tag::Pre, Tag::Samp, Tag::Tt]
            .iter()
            .any(|&tag| tags.has(tag)),
        has_programs: OnceCell::new(),
        numbers: None,
        steps: Steps::new(source.config.limits.steps),
    };
    walk.document();
    walk.line.end(walk.page, false);
    walk.keep_states();
    let Walk {
        line,
        steps,
        has_inner_tables,
        ..
    } = walk;
    page.steps = page.steps.max(steps.taken());
    clean_values(page);
    if !line.signs.is_empty() {
        tables::add_signs(page, line.signs, source.config.limits.blocks);
    }
    if has_inner_tables {
        tables::join_inner_tables(page);
    }
    let committed = page.blocks.last().map_or(0, |last| last.split.end);
    page.tags_between.truncate(committed as usize);
}

/// Takes the controls out of the values of attributes, which nearly no page has there.
fn clean_values(page: &mut Page) {
    if !has_controls(&page.values) {
        return;
    }
    let values = std::mem::take(&mut page.values);
    for (_, range) in &mut page.attributes {
        let value = &values[range.start as usize..range.end as usize];
        range.start = page.values.len() as u32;
        page.values.push_str(&without_controls(value));
        range.end = page.values.len() as u32;
    }
}

struct Walk<'a, 's> {
    source: &'a Source<'a>,
    page: &'a mut Page,
    open: &'s mut Vec<OpenElement>,
    kept_noscript: Option<u32>,
    line: Line,
    /// Scripts that hold a framework's state.
    states: Vec<u32>,
    /// The marks behind the quotations that are open.
    quotes: Vec<&'static str>,
    /// The element whose last child was a heading, with the node of that: nothing stands behind it yet.
    heading: Option<(u32, u32)>,
    /// There is a table in a cell of another.
    has_inner_tables: bool,
    /// The tags of all elements.
    tags: TagSet,
    /// Maximum bytes of attributes.
    most_values: usize,
    /// The page has elements for code.
    has_code: bool,
    has_programs: OnceCell<bool>,
    /// The numbers before the lines of the program that began last.
    numbers: Option<LineNumbers<'a>>,
    steps: Steps,
}

/// Maximum licences per page, and bytes per licence.
const LICENCES: usize = 10;
const LICENCE_BYTES: usize = 64 << 10;

/// Maximum bytes of visible text of a page whose framework's state is kept.
const LITTLE_TEXT: usize = 4 << 10;

impl<'a> Walk<'a, '_> {
    fn document(&mut self) {
        let tree = self.source.tree;
        let mut node = tree.first_child(DOCUMENT);
        while node != NONE {
            let down = match tree.kind(node) {
                kind @ (NodeKind::PoolText | NodeKind::SourceText) => {
                    self.text(node, kind);
                    false
                }
                _ => self.enter(node),
            };
            let first = if down { tree.first_child(node) } else { NONE };
            if first != NONE {
                node = self.without_foot(first);
                continue;
            }
            if down {
                self.leave(node);
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
            self.leave(NONE);
        }
    }

    /// Counts a node, and says whether the page has all the blocks it may have, or has taken all the work it may take.
    fn is_full(&mut self) -> bool {
        self.steps.step();
        let (has_all, is_over) = (self.has_all_blocks(), self.steps.is_over());
        self.page.truncated.steps |= is_over;
        self.page.truncated.blocks |= has_all;
        has_all || is_over
    }

    fn has_all_blocks(&self) -> bool {
        self.page.blocks.len() >= self.source.config.limits.blocks
    }

    /// The next sibling, of the node or of the nearest ancestor that has one; leaves the elements
    /// on the way.
    fn next(&mut self, mut node: u32) -> u32 {
        loop {
            let next = match self.source.tree.next_sibling(node) {
                next if !self.tags.has(Tag::Tfoot) => next,
                next => self.next_with_foot(node, next),
            };
            if next != NONE {
                return next;
            }
            let parent = self.source.tree.parent(node);
            if parent == DOCUMENT || parent == NONE {
                return NONE;
            }
            self.leave(parent);
            node = parent;
        }
    }

    /// The next sibling of a node, with the foot of a table behind all.
    fn next_with_foot(&mut self, node: u32, next: u32) -> u32 {
        let foot = self.open.last().map_or(NONE, |open| open.foot);
        match next {
            _ if foot == node => NONE,
            NONE => foot,
            next => self.without_foot(next),
        }
    }

    /// A child of the innermost open element, or the next one if it is the foot of a table: that stands at its end, wherever
    /// the page has it. Where there are more, the others are bodies.
    fn without_foot(&mut self, node: u32) -> u32 {
        let tree = self.source.tree;
        if tree.tag(node) != Tag::Tfoot || tree.next_sibling(node) == NONE {
            return node;
        }
        match self.open.last_mut() {
            Some(table) if table.tag == Tag::Table && table.foot == NONE => {
                table.foot = node;
                tree.next_sibling(node)
            }
            _ => node,
        }
    }

    fn top(&self) -> OpenElement {
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
        let tree = self.source.tree;
        let tag = tree.tag(node);
        let program = self.program(node, &around);
        let inline = self.is_inline(node, tag) && !self.is_program_box(node, program, &around);
        let (element, names, class) = self.element(node, tag, &around, inline);
        let is_value = around.is_value
            || names.has(Attr::Itemprop) && values::is_hidden_value(tree, node, &mut self.steps);
        self.note(node, tag);
        if self.is_formula(node) {
            self.formula(node, element, &around);
            return false;
        }
        let may_be_protected = names.has(Attr::DataCfemail) || tag == Tag::A;
        if let Some(words) = may_be_protected.then(|| protected::words(tree, node)).flatten() {
            self.whole(tag, element, &words, &around);
            return false;
        }
        if self.deleted(node, tag, names, class) || self.is_beside_program(node, tag, &around) {
            self.leave_out(tag, &around);
            return false;
        }
        let may_be_control = around.in_heading || self.heading.is_some() || tag == Tag::A;
        if may_be_control && self.is_control(node, tag, &around) {
            return false;
        }
        if is_value {
            self.keep_value(node, element);
        }
        let place = Opening {
            element,
            tag,
            inline,
            is_value,
            has_style: names.has(Attr::Style),
            program,
        };
        self.open_element(node, place, &around);
        true
    }

    /// Opens an element whose children count.
    fn open_element(&mut self, node: u32, place: Opening, around: &OpenElement) {
        let Opening {
            element,
            tag,
            inline,
            is_value,
            has_style,
            program,
        } = place;
        let tree = self.source.tree;
        let may_be_box = has_style && tag.is_inline() && !around.in_code;
        let is_box = may_be_box && tree.kind(node) == NodeKind::Html && self.is_box(element);
        let (keeps_lines, pre) = match () {
            () if program != ProgramKind::None || around.lines != NONE => {
                self.white_space_of_program(element, around)
            }
            () if is_preformatted(tag) => (true, element),
            () if has_style => self.white_space(place, around),
            () => (around.keeps_lines, around.pre),
        };
        if pre == element && self.has_programs() {
            self.numbers = LineNumbers::find(tree, node, &mut self.steps);
        }
        // The cells of a program are none: its rows are lines.
        let is_cell = matches!(tag, Tag::Td | Tag::Th) && around.lines == NONE;
        let in_body = around.in_body || tag == Tag::Body;
        let starts_lines = program == ProgramKind::Lines && around.lines == NONE;
        self.open.push(OpenElement {
            element,
            block: if inline { around.block } else { element },
            div: if tag == Tag::Div { element } else { around.div },
            td: if is_cell { element } else { around.td },
            tag,
            inline,
            in_body,
            keeps_lines,
            pre,
            in_code: pre != NONE || around.in_code || is_code(tag),
            lines: if starts_lines { element } else { around.lines },
            line_start: None,
            hidden: self.page.elements[element as usize].hidden,
            in_heading: around.in_heading || is_heading(tag),
            is_box,
            is_value,
            foot: NONE,
        });
        match tag {
            Tag::Dl => self.page.definitions.push(element),
            Tag::Table => self.has_inner_tables |= around.td != NONE,
            _ => {}
        }
        if in_body {
            let before = match self.line.is_behind_source_line(self.page) {
                true => copies::before(tree, node),
                false => tree.previous_sibling(node),
            };
            let gap = gap(tree, [before, node], around, &mut self.steps).max(Gap::of_box(is_box));
            if gap == Gap::Line && !self.line.is_behind_newline() {
                self.event(Tag::Br, true, false);
            }
            self.event(tag, true, inline);
            self.line.is_after_newline |= tag == Tag::Br && pre != NONE;
            self.line.end_pre(self.page, pre == element);
            self.line.gap = self.line.gap.max(gap);
            if tag == Tag::Img {
                self.image(node);
            }
            if around.lines != NONE {
                self.open_line(tag, inline, around);
            }
        }
        if tag == Tag::Q {
            self.open_quote(node);
        }
    }

    /// Leaves the innermost open element, whose node this is.
    fn leave(&mut self, node: u32) {
        if self.open.last().is_some_and(|open| open.tag == Tag::Q) {
            self.close_quote();
        }
        let Some(open) = self.open.pop() else { return };
        if is_heading(open.tag) {
            self.heading = self.open.last().map(|around| (around.element, node));
        }
        self.page.elements[open.element as usize].end = self.page.elements.len() as u32;
        if open.in_body && !open.tag.is_void() {
            self.event(open.tag, false, open.inline);
            self.line.end_line_of_program(self.page, open.line_start);
            self.line.end_pre(self.page, open.pre == open.element);
            self.line.gap = self.line.gap.max(Gap::of_box(open.is_box));
        }
    }

    /// Whether an element is a control of the heading that it stands in or beside.
    fn is_control(&mut self, node: u32, tag: Tag, around: &OpenElement) -> bool {
        let tree = self.source.tree;
        let beside = self.heading.take_if(|(parent, _)| *parent == around.element);
        let place = match beside {
            _ if around.in_heading => heading_around(tree, node).map(|heading| (Side::Within, heading)),
            Some((_, heading)) => Some((Side::Behind, heading)),
            None if tag == Tag::A => heading_behind(tree, node).map(|heading| (Side::Before, heading)),
            None => None,
        };
        let is_one = around.in_body
            && place.is_some_and(|(side, heading)| is_control(tree, node, side, heading, &mut self.steps));
        if is_one {
            // There may be another.
            self.heading = beside;
        }
        is_one
    }

    /// Whether an element stands in a line.
    fn is_inline(&mut self, node: u32, tag: Tag) -> bool {
        let tree = self.source.tree;
        let is_foreign = tree.kind(node) != NodeKind::Html;
        let is_unknown = tag == Tag::Other;
        tag.is_inline() || is_foreign || is_unknown && unknown::is_in_line(tree, node, &mut self.steps)
    }

    /// Whether an element's own style draws it as a box.
    fn is_box(&self, element: u32) -> bool {
        self.page.attribute(element, Attr::Style).is_some_and(draws_a_box)
    }

    /// Adds an element to the page, with its attributes. Returns it with the names of these, and its class.
    fn element(
        &mut self,
        node: u32,
        tag: Tag,
        around: &OpenElement,
        is_inline: bool,
    ) -> (u32, AttrSet, &'a str) {
        let tree = self.source.tree;
        let first = self.page.attributes.len() as u32;
        let (mut hidden, mut is_full) = (around.hidden, false);
        let (mut names, mut class) = (AttrSet::default(), "");
        for (name, value) in tree.attributes(node) {
            names.insert(name);
            // Formatting elements that are made again repeat their attributes, without end.
            is_full |= self.page.values.len() + value.len() > self.most_values;
            if is_full {
                self.page.truncated.attributes = true;
                continue;
            }
            match name {
                Attr::Class => class = value,
                Attr::Hidden | Attr::Style | Attr::AriaHidden => hidden |= hides(name, value),
                _ => {}
            }
            let start = self.page.values.len() as u32;
            self.page.values.push_str(value);
            self.page
                .attributes
                .push((name, start..self.page.values.len() as u32));
        }
        let id = self.page.elements.len() as u32;
        self.page.elements.push(Element {
            tag,
            is_inline: is_inline_of_lines(tag, is_inline),
            hidden,
            depth: self.open.len() as u16,
            parent: around.element,
            end: id + 1,
            attributes: first..self.page.attributes.len() as u32,
        });
        (id, names, class)
    }

    fn deleted(&mut self, node: u32, tag: Tag, names: AttrSet, class: &str) -> bool {
        if tag == Tag::Noscript {
            let within_kept = self.open.iter().any(|open| open.tag == Tag::Noscript);
            return self.kept_noscript != Some(node) && !within_kept;
        }
        self.source.delete[tag as usize]
            || self.source.tree.kind(node) == NodeKind::Annotation
            || self.is_reading(tag)
            || names.has(Attr::Class) && copies::is_drawn_formula(self.source.tree, node, class)
            || names.has(Attr::AriaHidden) && copies::is_drawn_copy(self.source.tree, node, &mut self.steps)
    }

    /// Whether an element says how the word beside it is read, in letters above it.
    fn is_reading(&self, tag: Tag) -> bool {
        let is_of_ruby = |open: &OpenElement| open.tag == Tag::Ruby;
        matches!(tag, Tag::Rp | Tag::Rt | Tag::Rtc) && self.open.iter().rev().take(RUBY_DEPTH).any(is_of_ruby)
    }

    /// What becomes of newlines in an element with a style, and which preformatted element is nearest. Of a preformatted text
    /// only tags decide; elsewhere the style that is nearest.
    fn white_space(&self, Opening { element, inline, .. }: Opening, around: &OpenElement) -> (bool, u32) {
        let is_in_pre = around.pre != NONE && is_preformatted(self.page.elements[around.pre as usize].tag);
        let style = self.page.attribute(element, Attr::Style).filter(|_| !is_in_pre);
        match style.and_then(white_space) {
            None => (around.keeps_lines, around.pre),
            Some(WhiteSpace::Collapsed) => (false, NONE),
            Some(WhiteSpace::KeptLines) => (true, NONE),
            Some(WhiteSpace::Preformatted) => (true, if inline { around.pre } else { element }),
        }
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
                } else if is_licence(of_type) {
                    self.licence(node);
                } else if self.is_state(of_type, node) {
                    self.states.push(node);
                }
            }
            _ => {}
        }
    }

    /// An element on the delete list that takes room on the page leaves its tags and a space.
    fn leave_out(&mut self, tag: Tag, around: &OpenElement) {
        if around.in_body && self.source.delete[tag as usize] && takes_room(tag) {
            self.event(tag, true, true);
            if !tag.is_void() {
                self.event(tag, false, true);
            }
            self.line.white = White::Room;
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

    fn licence(&mut self, node: u32) {
        let body = self.body(node);
        if self.page.licences.len() < LICENCES && body.len() <= LICENCE_BYTES {
            self.page.licences.push(body);
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
        let is_inline = is_inline_of_lines(tag, inline);
        let event = TagEvent { tag, open, is_inline };
        self.line.tag(self.page, event);
    }

    fn text(&mut self, node: u32, kind: NodeKind) {
        let tree = self.source.tree;
        let Some(open) = self.open.last() else { return };
        if !open.in_body || open.is_value || program::is_between_lines(tree, node, open) {
            return;
        }
        if self.heading.is_some() && !is_white_text(tree, node) {
            self.heading = None;
        }
        if tree.is_blank(node) && !open.keeps_lines && open.pre == NONE {
            return self.line.blank(self.page, tree.leading_white(node));
        }
        let mut rest = tree.text(node);
        if !open.keeps_lines {
            return self.line.text(self.page, rest, open);
        }
        let open = *open;
        while let Some((line, after)) = split_line(rest, kind) {
            self.line.text(self.page, line, &open);
            self.event(Tag::Br, true, false);
            self.line.is_after_newline = true;
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
    let mut white = White::None;
    while child != NONE {
        for letter in tree.text(child).chars() {
            if is_white(letter) {
                white = white.max(White::from_letter(letter));
            } else if !is_dropped(letter) {
                if std::mem::take(&mut white).parts(into, letter) && !into.is_empty() {
                    into.push(' ');
                }
                into.push(letter_of_control(letter).unwrap_or(letter));
            }
        }
        child = tree.next_sibling(child);
    }
}

pub(crate) fn is_structured_data(of_type: &str) -> bool {
    begins_with(of_type, "application/ld+json")
}

/// Whether a script of a type is a licence in RSL.
fn is_licence(of_type: &str) -> bool {
    begins_with(of_type, "application/rsl+xml")
}

fn begins_with(of_type: &str, media_type: &str) -> bool {
    let start = of_type.trim().get(..media_type.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(media_type))
}

/// Whether an element holds what is for machines, letter by letter.
fn is_code(tag: Tag) -> bool {
    matches!(tag, Tag::Code | Tag::Kbd | Tag::Samp | Tag::Tt | Tag::Var)
}

/// Whether the element keeps its text as it is in the source.
fn is_preformatted(tag: Tag) -> bool {
    matches!(tag, Tag::Pre | Tag::Listing | Tag::Xmp | Tag::Plaintext)
}

/// Whether an element is inline for what reads the layout: by its name, an unknown one by its place.
fn is_inline_of_lines(tag: Tag, is_inline: bool) -> bool {
    tag.is_inline() || (tag == Tag::Other && is_inline)
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

#[cfg(test)]
mod tests {
    use crate::{PageConfig, Parser};

    /// The blocks of a page as they are written.
    pub(super) fn lines(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        let lines: Vec<&str> = page.blocks.iter().map(|block| page.written(block)).collect();
        lines.join("|")
    }
}
