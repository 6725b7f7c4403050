//! The text of a page as simple HTML: headings, paragraphs, lists, quotations, tables and preformatted text.

use std::ops::Range;

use gleaner_content::Label;
use gleaner_html::{Attr, NONE, Tag};
use gleaner_page::Page;

use super::direction::{self, Direction};
use super::escape;
use crate::{HolderKind, Join, Leaf, Piece, ShownBlock, Step, Structure, integer, walk};

/// Which blocks are written, and how each is.
pub struct Style {
    /// Whether those that are dropped are written, too.
    pub with_dropped: bool,
    /// Appends a block.
    pub append: fn(&mut String, &ShownBlock<'_>),
}

/// The blocks of a page with the elements that they are and stand in: those of the main heading first, if it is known.
pub fn write_behind_heading(
    page: &Page,
    structure: &Structure,
    blocks: &[ShownBlock<'_>],
    heading: Option<Range<usize>>,
    style: &Style,
) -> String {
    let Some(heading) = heading else {
        return write(page, structure, blocks, style);
    };
    let mut others = blocks.to_vec();
    others[heading.clone()]
        .iter_mut()
        .for_each(|block| block.label = Label::Other);
    main_heading(page, &blocks[heading], style) + &write(page, structure, &others, style)
}

fn main_heading(page: &Page, blocks: &[ShownBlock<'_>], style: &Style) -> String {
    let mut out = String::new();
    for (at, block) in blocks.iter().enumerate() {
        if at > 0 {
            out.push_str(block.joint.within_line().unwrap_or(" "));
        }
        (style.append)(&mut out, block);
    }
    let around = direction::of_body(page);
    let own = blocks
        .first()
        .map_or(around, |block| direction::of(page, block.element));
    format!("<h1{}>{out}</h1>\n", own.attribute(around))
}

/// The blocks of a page with the elements that they are and stand in, in the order of the page.
pub fn write(page: &Page, structure: &Structure, blocks: &[ShownBlock<'_>], style: &Style) -> String {
    let mut writer = Writer {
        page,
        structure,
        around: direction::of_body(page),
        open: Vec::new(),
        has_bare_text: false,
        out: String::new(),
    };
    let pieces: Vec<Piece<'_>> = blocks.iter().map(|block| block.piece(block.written)).collect();
    walk(
        structure,
        &pieces,
        style.with_dropped,
        &mut |_, step| match step {
            Step::OpenHolder(holder) => writer.open_holder(holder),
            Step::CloseHolder(_) => writer.close_holder(),
            Step::OpenOwnList => writer.open_own_list(),
            Step::CloseOwnList => writer.out.push_str("</ul>\n"),
            Step::OpenLeaf(leaf, block) => writer.open_leaf(leaf, &blocks[block]),
            Step::CloseLeaf(leaf) => writer.close_leaf(leaf),
            Step::Join(join) => writer.out.push_str(joined(join)),
            Step::White(white) => writer.out.push_str(white),
            Step::Text(block) => (style.append)(&mut writer.out, &blocks[block]),
        },
    );
    writer.out
}

/// What stands between the lines of a leaf.
fn joined(join: Join) -> &'static str {
    match join {
        Join::Break | Join::InCell => "<br>",
        Join::Line => "\n",
        Join::Space => " ",
    }
}

/// The element of a leaf; none but that of its holder for bare text.
fn name(leaf: Leaf) -> Option<&'static str> {
    const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];
    match leaf {
        Leaf::Paragraph => Some("p"),
        Leaf::Header(rank) => Some(HEADINGS[usize::from(rank.unwrap_or(2)) - 1]),
        Leaf::Lines(_) => Some("pre"),
        Leaf::OwnItem => Some("li"),
        Leaf::Bare => None,
    }
}

struct OpenHolder {
    kind: HolderKind,
    name: &'static str,
    direction: Direction,
    /// In a list: the number that a browser gives to the next item that is written.
    next_number: i64,
    /// In a row: one past the last element of the cells that are written.
    cells_end: u32,
}

struct Writer<'p> {
    page: &'p Page,
    structure: &'p Structure,
    around: Direction,
    open: Vec<OpenHolder>,
    /// Whether the line that was written last is bare text.
    has_bare_text: bool,
    out: String,
}

impl Writer<'_> {
    fn open_leaf(&mut self, leaf: Leaf, block: &ShownBlock<'_>) {
        if let Some(name) = name(leaf) {
            self.end_bare_text();
            let direction = self.direction_of(block.element).attribute(self.direction());
            self.out += &format!("<{name}{direction}>");
        }
        self.has_bare_text = leaf == Leaf::Bare;
    }

    fn close_leaf(&mut self, leaf: Leaf) {
        if let Some(name) = name(leaf) {
            self.out += &format!("</{name}>\n");
        }
    }

    fn open_own_list(&mut self) {
        self.end_bare_text();
        self.out.push_str("<ul>\n");
    }

    fn end_bare_text(&mut self) {
        if std::mem::take(&mut self.has_bare_text) {
            self.out.push('\n');
        }
    }

    fn open_holder(&mut self, holder: u32) {
        let holder = self.structure.holders[holder as usize];
        let name = self.name(holder.kind, holder.element);
        let attributes = self.attributes(holder.kind, holder.element);
        if matches!(name, "blockquote" | "ol" | "ul" | "table") {
            self.end_bare_text();
        }
        let said = self.direction_of(holder.element);
        let direction = said.attribute(self.direction());
        let end = if matches!(name, "li" | "tr" | "td" | "th") {
            ""
        } else {
            "\n"
        };
        self.out += &format!("<{name}{attributes}{direction}>{end}");
        self.open.push(OpenHolder {
            kind: holder.kind,
            name,
            direction: said,
            next_number: match holder.kind {
                HolderKind::Numbered { first, .. } => first,
                _ => 0,
            },
            cells_end: holder.element + 1,
        });
    }

    fn name(&self, kind: HolderKind, element: u32) -> &'static str {
        match kind {
            HolderKind::Bullets => "ul",
            _ => self.page.elements[element as usize].tag.name(),
        }
    }

    /// The attributes of a holder. Cells before it without text are written before them.
    fn attributes(&mut self, kind: HolderKind, element: u32) -> String {
        match kind {
            HolderKind::Numbered { first, step } => self.of_list(element, first, step),
            HolderKind::Item { number } => self.of_item(element, number),
            HolderKind::Cell { .. } => {
                self.empty_cells(element);
                self.of_cell(element)
            }
            _ => String::new(),
        }
    }

    /// The attributes of a list with numbers. Of one that counts down, the first number is that of all its items, written or
    /// not.
    fn of_list(&self, list: u32, first: i64, step: i64) -> String {
        let mut attributes = String::new();
        let is_reversed = step < 0;
        if is_reversed || first != 1 {
            attributes += &format!(" start=\"{first}\"");
        }
        if is_reversed {
            attributes.push_str(" reversed");
        }
        let kind = self.page.attribute(list, Attr::Type).unwrap_or_default().trim();
        if matches!(kind, "1" | "a" | "A" | "i" | "I") {
            attributes += &format!(" type=\"{kind}\"");
        }
        attributes
    }

    /// The attributes of an item. It has a number where the page gives one, or where the items before it are not written.
    fn of_item(&mut self, item: u32, number: i64) -> String {
        let Some(list) = self.open.last_mut() else {
            return String::new();
        };
        let HolderKind::Numbered { step, .. } = list.kind else {
            return String::new();
        };
        let expected = std::mem::replace(&mut list.next_number, number.saturating_add(step));
        match number != expected || integer(self.page, item, Attr::Value).is_some() {
            true => format!(" value=\"{number}\""),
            false => String::new(),
        }
    }

    /// The cells of the row before this one that have no text, so that this one stands in its column.
    fn empty_cells(&mut self, cell: u32) {
        let Some(row) = self.open.last_mut() else { return };
        let mut at = std::mem::replace(&mut row.cells_end, self.page.elements[cell as usize].end);
        while at < cell {
            let element = &self.page.elements[at as usize];
            if matches!(element.tag, Tag::Td | Tag::Th) && !element.hidden {
                let (name, attributes) = (element.tag.name(), self.of_cell(at));
                self.out += &format!("<{name}{attributes}></{name}>");
            }
            at = element.end;
        }
    }

    fn of_cell(&self, cell: u32) -> String {
        let mut attributes = String::new();
        for (attribute, name) in [(Attr::Colspan, "colspan"), (Attr::Rowspan, "rowspan")] {
            if let Some(count @ 2..=1000) = integer(self.page, cell, attribute) {
                attributes += &format!(" {name}=\"{count}\"");
            }
        }
        attributes
    }

    fn close_holder(&mut self) {
        let Some(OpenHolder { kind, name, .. }) = self.open.pop() else {
            return;
        };
        self.has_bare_text = false;
        let end = if matches!(kind, HolderKind::Cell { .. }) {
            ""
        } else {
            "\n"
        };
        self.out += &format!("</{name}>{end}");
    }

    fn direction(&self) -> Direction {
        self.open.last().map_or(self.around, |open| open.direction)
    }

    fn direction_of(&self, element: u32) -> Direction {
        match element {
            NONE => self.around,
            element => direction::of(self.page, element),
        }
    }
}

/// The blocks that are kept, each as its text.
pub const KEPT: Style = Style {
    with_dropped: false,
    append: |page, block| page.push_str(&escape(block.written)),
};
