//! The text of a page as simple HTML: headings, paragraphs, lists, quotations, tables and preformatted text.

use gleaner_content::Label;
use gleaner_document::{Lines, Place};
use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::{Joint, Page};

use super::counter::{Counter, integer};
use super::direction::{self, Direction};
use super::nesting::{Holder, Nesting};
use crate::html::{append, escape};
use crate::shown::Shown;

/// Which blocks are written, and how each is.
pub(crate) struct Style {
    /// Whether those that are dropped are written, too.
    pub(crate) with_dropped: bool,
    /// Appends the text of a block, escaped.
    pub(crate) append: fn(&mut String, &Shown<'_>),
}

/// The blocks of a page with the elements that they are and stand in. Labels say what is a heading, and what is an item
/// where the page has no list; the rest follows from the elements of the page.
pub(crate) fn write(page: &Page, blocks: &[Shown<'_>], style: &Style) -> String {
    // What is dropped stands among the rest as if it were kept.
    let label = |block: &Shown<'_>| match style.with_dropped {
        true => Label::Paragraph,
        false => block.label,
    };
    let written = blocks.iter().filter(|block| label(block).is_content());
    let mut writer = Writer {
        page,
        nesting: Nesting::new(page, written),
        around: direction::of_body(page),
        open: Vec::new(),
        leaf: None,
        is_in_own_list: false,
        has_bare_text: false,
        out: String::new(),
    };
    let mut lines = Lines::default();
    for block in blocks {
        match lines.place(label(block), block.joint) {
            Place::Dropped => continue,
            Place::GoesOn(white) => writer.out.push_str(white),
            Place::Begins(joint, _) => writer.begin_line(block, joint),
        }
        (style.append)(&mut writer.out, block);
    }
    writer.close_to(0);
    writer.out
}

/// The element that has the text of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    Paragraph,
    Header(&'static str),
    /// A `<pre>` of the page.
    Lines(u32),
    /// An item of a list that the page has not made of elements.
    OwnItem,
    /// None but that of the holder: a cell or an item.
    Bare,
}

impl Leaf {
    fn name(self) -> Option<&'static str> {
        match self {
            Leaf::Paragraph => Some("p"),
            Leaf::Header(rank) => Some(rank),
            Leaf::Lines(_) => Some("pre"),
            Leaf::OwnItem => Some("li"),
            Leaf::Bare => None,
        }
    }
}

/// A holder that is open.
struct Open {
    holder: Holder,
    /// The direction of the text in it.
    direction: Direction,
    /// Counts the items of an ordered list.
    counter: Option<Counter>,
    /// In a row: one past the last element of the cells that are written.
    cells_end: u32,
    /// Whether anything stands in it.
    has_text: bool,
}

struct Writer<'p> {
    page: &'p Page,
    nesting: Nesting<'p>,
    /// The direction of the page.
    around: Direction,
    open: Vec<Open>,
    leaf: Option<Leaf>,
    /// Whether the list of [`Leaf::OwnItem`] is open.
    is_in_own_list: bool,
    /// Whether the line that was written last is bare text.
    has_bare_text: bool,
    out: String,
}

impl Writer<'_> {
    /// Opens and closes what is needed before the first block of a line.
    fn begin_line(&mut self, block: &Shown<'_>, joint: Joint) {
        let holders = self.nesting.holders(block.place);
        let common = (self.open.iter().zip(&holders)).take_while(|(open, holder)| open.holder == **holder);
        let common = common.count();
        let is_same_place = common == holders.len() && common == self.open.len();
        if is_same_place && let Some(joined) = self.joined(block, joint) {
            return self.out.push_str(joined);
        }
        if !is_same_place {
            self.close_to(common);
            holders[common..]
                .iter()
                .for_each(|&holder| self.open_holder(holder));
        }
        let leaf = self.leaf_of(block);
        self.open_leaf(leaf, block);
    }

    /// What joins a block with the leaf that is open, if they are joined.
    fn joined(&self, block: &Shown<'_>, joint: Joint) -> Option<&'static str> {
        let open = self.leaf?;
        let is_continued = block.label == Label::Continuation;
        let is_paragraph = |leaf| matches!(leaf, Leaf::Paragraph | Leaf::Bare);
        let is_in_cell = self
            .open
            .last()
            .is_some_and(|open| matches!(open.holder, Holder::Cell(_)));
        match (open, joint) {
            _ if is_in_cell && !block.place.has_parts => Some("<br>"),
            (Leaf::Lines(pre), Joint::Line) if pre == block.place.pre && block.label != Label::Header => {
                Some("\n")
            }
            (_, Joint::Break) if is_continued => Some("<br>"),
            (_, Joint::Break) if is_paragraph(open) && is_paragraph(self.leaf_of(block)) => Some("<br>"),
            _ if is_continued => Some(" "),
            _ => None,
        }
    }

    /// The leaf that a block has in the holders that are open.
    fn leaf_of(&self, block: &Shown<'_>) -> Leaf {
        let innermost = self.open.last();
        let is_item = |open: &Open| matches!(open.holder, Holder::Item(_));
        match (block.label, innermost.map(|open| open.holder)) {
            (_, Some(Holder::Cell(_))) if !block.place.has_parts => Leaf::Bare,
            (Label::Header, _) => Leaf::Header(self.rank(block)),
            _ if block.place.pre != NONE => Leaf::Lines(block.place.pre),
            (Label::List, _) if !self.open.iter().any(is_item) => Leaf::OwnItem,
            (_, Some(Holder::Item(item))) if !self.is_in_paragraph(block, item) => {
                match innermost.is_some_and(|open| open.has_text) {
                    true => Leaf::Paragraph,
                    false => Leaf::Bare,
                }
            }
            _ => Leaf::Paragraph,
        }
    }

    /// The rank of a header on its page, if it has one.
    fn rank(&self, block: &Shown<'_>) -> &'static str {
        let mut tags = self
            .page
            .ancestors(block.place.element)
            .map(|up| self.page.elements[up as usize].tag);
        let rank = tags.find(|tag| matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6));
        rank.map_or("h2", Tag::name)
    }

    /// Whether a block stands in a paragraph of an item.
    fn is_in_paragraph(&self, block: &Shown<'_>, item: u32) -> bool {
        let mut within = self
            .page
            .ancestors(block.place.element)
            .take_while(|&up| up != item);
        within.any(|up| self.page.elements[up as usize].tag == Tag::P)
    }

    fn open_leaf(&mut self, leaf: Leaf, block: &Shown<'_>) {
        self.close_leaf();
        if leaf != Leaf::OwnItem {
            self.close_own_list();
        }
        if let Some(name) = leaf.name() {
            self.end_bare_text();
            if leaf == Leaf::OwnItem && !self.is_in_own_list {
                self.out.push_str("<ul>\n");
                self.is_in_own_list = true;
            }
            let direction = self.direction_of(block.place.element).attribute(self.direction());
            append(&mut self.out, format_args!("<{name}{direction}>"));
        }
        self.has_bare_text = leaf == Leaf::Bare;
        self.leaf = Some(leaf);
        if let Some(open) = self.open.last_mut() {
            open.has_text = true;
        }
    }

    fn close_leaf(&mut self) {
        if let Some(name) = self.leaf.take().and_then(Leaf::name) {
            append(&mut self.out, format_args!("</{name}>\n"));
        }
    }

    fn close_own_list(&mut self) {
        if std::mem::take(&mut self.is_in_own_list) {
            self.out.push_str("</ul>\n");
        }
    }

    /// What follows bare text stands in a line of its own.
    fn end_bare_text(&mut self) {
        if std::mem::take(&mut self.has_bare_text) {
            self.out.push('\n');
        }
    }

    fn open_holder(&mut self, holder: Holder) {
        let (element, begin, end) = self.begin(holder);
        if matches!(holder, Holder::Quote(_) | Holder::List(_) | Holder::Table(_)) {
            self.end_bare_text();
        }
        if let Some(open) = self.open.last_mut() {
            open.has_text = true;
        }
        let said = self.direction_of(element);
        let direction = said.attribute(self.direction());
        append(&mut self.out, format_args!("<{begin}{direction}>{end}"));
        let tag = self.page.elements[element as usize].tag;
        self.open.push(Open {
            holder,
            direction: said,
            counter: (tag == Tag::Ol).then(|| Counter::new(self.page, element)),
            cells_end: element + 1,
            has_text: false,
        });
    }

    /// The element of a holder, what its tag begins with, and what follows the tag.
    fn begin(&mut self, holder: Holder) -> (u32, String, &'static str) {
        match holder {
            Holder::Quote(quote) => (quote, "blockquote".to_owned(), "\n"),
            Holder::List(list) if self.page.elements[list as usize].tag == Tag::Ol => {
                let attributes = Counter::new(self.page, list).attributes(self.page);
                (list, format!("ol{attributes}"), "\n")
            }
            Holder::List(list) => (list, "ul".to_owned(), "\n"),
            Holder::Item(item) => {
                let counter = self.open.last_mut().and_then(|open| open.counter.as_mut());
                let number = counter.map(|counter| counter.item(self.page, item));
                (item, format!("li{}", number.unwrap_or_default()), "")
            }
            Holder::Table(table) => (table, "table".to_owned(), "\n"),
            Holder::Row(row) => (row, "tr".to_owned(), ""),
            Holder::Cell(cell) => {
                self.empty_cells(cell);
                (cell, self.cell(cell), "")
            }
        }
    }

    /// The cells of the row before this one that have no text, so that this one stands in its column.
    fn empty_cells(&mut self, cell: u32) {
        let Some(row) = self.open.last_mut() else { return };
        let mut at = std::mem::replace(&mut row.cells_end, self.page.elements[cell as usize].end);
        while at < cell {
            let element = &self.page.elements[at as usize];
            if matches!(element.tag, Tag::Td | Tag::Th) && !element.hidden {
                let begin = self.cell(at);
                append(&mut self.out, format_args!("<{begin}></{}>", element.tag.name()));
            }
            at = element.end;
        }
    }

    /// What the tag of a cell begins with.
    fn cell(&self, cell: u32) -> String {
        let mut begin = self.page.elements[cell as usize].tag.name().to_owned();
        for (attribute, name) in [(Attr::Colspan, "colspan"), (Attr::Rowspan, "rowspan")] {
            if let Some(count @ 2..=1000) = integer(self.page, cell, attribute) {
                append(&mut begin, format_args!(" {name}=\"{count}\""));
            }
        }
        begin
    }

    /// Closes all holders but so many.
    fn close_to(&mut self, count: usize) {
        self.close_leaf();
        self.close_own_list();
        while self.open.len() > count {
            let Some(open) = self.open.pop() else { return };
            self.has_bare_text = false;
            let name = |element: u32| self.page.elements[element as usize].tag.name();
            match open.holder {
                Holder::Quote(_) => self.out.push_str("</blockquote>\n"),
                Holder::List(_) if open.counter.is_some() => self.out.push_str("</ol>\n"),
                Holder::List(_) => self.out.push_str("</ul>\n"),
                Holder::Item(_) => self.out.push_str("</li>\n"),
                Holder::Table(_) => self.out.push_str("</table>\n"),
                Holder::Row(_) => self.out.push_str("</tr>\n"),
                Holder::Cell(cell) => append(&mut self.out, format_args!("</{}>", name(cell))),
            }
        }
    }

    fn direction(&self) -> Direction {
        self.open.last().map_or(self.around, |open| open.direction)
    }

    /// The direction that a page gives to an element; to what is not on it, its own.
    fn direction_of(&self, element: u32) -> Direction {
        match element {
            NONE => self.around,
            element => direction::of(self.page, element),
        }
    }
}

/// Kept text, as it is written.
pub(crate) const KEPT: Style = Style {
    with_dropped: false,
    append: |page, block| page.push_str(&escape(block.written)),
};
