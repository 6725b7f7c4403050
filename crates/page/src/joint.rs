//! How blocks hang together as lines and rows.

use std::ops::Range;

use gleaner_html::{NONE, Tag};
use strum::VariantArray;

use crate::{Block, Page};

/// How a block hangs together with the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum Joint {
    /// In no way but what their labels say.
    #[default]
    Apart,
    /// It is a next line of preformatted text, of which [`Page::written`](Page#method.written) has the empty lines before
    /// it; or it begins the next row of a table; or a newline is between them that a style keeps.
    Line,
    /// It is the next cell of a row.
    Cell,
    /// It is the next line in a cell of a row.
    Within,
    /// It is the next line of a paragraph, a heading or whatever both stand in: a `<br>` is between them and nothing else.
    Break,
    /// It continues the line, without white space: nothing but inline tags is between them.
    Glued,
    /// It continues the line, after white space.
    Spaced,
}

impl Joint {
    /// All there are, each in the place of its number.
    pub const ALL: &'static [Joint] = Joint::VARIANTS;

    /// What is between a block and the one before it in the same line: nothing or a space. `None` where it begins a line.
    pub fn within_line(self) -> Option<&'static str> {
        match self {
            Joint::Glued => Some(""),
            Joint::Spaced => Some(" "),
            Joint::Apart | Joint::Line | Joint::Cell | Joint::Within | Joint::Break => None,
        }
    }
}

/// Blocks one after the other that are in one cell, or in none.
#[derive(Default)]
struct Cell {
    blocks: Range<usize>,
    /// The row that the cell stands in, if the cell is one of a table of data.
    row: Option<u32>,
}

impl Page {
    /// How each block hangs together with the one before it.
    ///
    /// Cells of a row are here those of one line, and those whose text is broken by `<br>` and nothing else: what
    /// holds paragraphs or empty lines is a box of the page's layout. And where each row has one cell, rows are
    /// paragraphs.
    pub fn joints(&self) -> Vec<Joint> {
        let line = |block: usize| match () {
            () if self.blocks[block].same_line => self.within_line(block),
            () if self.is_in_same_inner_row(block) => Joint::Spaced,
            () if self.is_line(block) => Joint::Line,
            () if !self.is_after_break(block) => Joint::Apart,
            () if self.blocks[block].is_kept_line => Joint::Line,
            () => Joint::Break,
        };
        let mut joints: Vec<Joint> = (0..self.blocks.len()).map(line).collect();
        let mut two_before = None;
        let mut before = Cell::default();
        let mut own = self.cell(0);
        while !own.blocks.is_empty() {
            let next = self.cell(own.blocks.end);
            let joint = self.joint([two_before, before.row, own.row, next.row]);
            if joint != Joint::Apart {
                join_lines(&mut joints, &before);
                join_lines(&mut joints, &own);
                let first = &mut joints[own.blocks.start];
                if *first == Joint::Apart {
                    *first = joint;
                }
            }
            two_before = before.row;
            (before, own) = (own, next);
        }
        joints
    }

    /// How a block hangs together with the one before it in the same line.
    fn within_line(&self, block: usize) -> Joint {
        let (before, own) = (&self.blocks[block - 1], &self.blocks[block]);
        // A mark that is not written has parted them.
        let [text, written] = [self.text(before), self.written(before)].map(|text| text.chars().next_back());
        let ends_with_mark = text != written;
        match before.text.end < own.text.start || ends_with_mark {
            true => Joint::Spaced,
            false => Joint::Glued,
        }
    }

    /// Whether a block is a line of the `<pre>` that the block before it stands in.
    fn is_line(&self, block: usize) -> bool {
        let Some(before) = block.checked_sub(1) else {
            return false;
        };
        let (before, own) = (&self.blocks[before], &self.blocks[block]);
        if before.written.is_empty() || own.written.is_empty() {
            return self.is_next_line(block);
        }
        let mut between = self.split(own).iter();
        let is_list = |tag: Tag| matches!(tag, Tag::Ol | Tag::Ul);
        let are_items = || own.pre != NONE && is_list(self.elements[own.pre as usize].tag);
        let are_lines = between.all(|event| event.is_inline || is_of_lines(event.tag)) || are_items();
        are_lines && before.td == own.td && self.is_same_pre(block)
    }

    /// How a cell hangs together with the one before it, by the rows of four that follow each other: it is the third.
    fn joint(&self, [two_before, before, own, next]: [Option<u32>; 4]) -> Joint {
        let (Some(row_before), Some(row)) = (before, own) else {
            return Joint::Apart;
        };
        if row_before == row {
            return Joint::Cell;
        }
        let is_filled = two_before == before || next == own;
        match is_filled && self.table(row_before) == self.table(row) {
            true => Joint::Line,
            false => Joint::Apart,
        }
    }

    /// The cell that begins with a block, or all blocks up to the next cell. It has no blocks where there is no such
    /// block.
    fn cell(&self, first: usize) -> Cell {
        let td = self.blocks.get(first).map_or(NONE, |block| block.td);
        let mut has_lines = td != NONE;
        let mut end = first;
        while self.blocks.get(end).is_some_and(|next| next.td == td) {
            let continues = || {
                end == first
                    || self.blocks[end].same_line
                    || self.is_next_in_cell(end)
                    || self.inner_cell(end).is_some()
            };
            has_lines = has_lines && continues();
            end += 1;
        }
        Cell {
            blocks: first..end,
            row: has_lines.then(|| self.elements[td as usize].parent),
        }
    }

    /// The cell of a table in a cell of data that a block stands in.
    fn inner_cell(&self, block: usize) -> Option<u32> {
        let own = &self.blocks[block];
        if !self.has_tables_in_cells || own.td == NONE {
            return None;
        }
        let is_cell = |&up: &u32| matches!(self.elements[up as usize].tag, Tag::Td | Tag::Th);
        self.ancestors(own.element)
            .find(is_cell)
            .filter(|&cell| cell != own.td)
    }

    /// Whether a block and the one before it stand in the same row of a table in a cell of data.
    fn is_in_same_inner_row(&self, block: usize) -> bool {
        let row = |block: usize| {
            self.inner_cell(block)
                .map(|cell| self.elements[cell as usize].parent)
        };
        self.has_tables_in_cells && block > 0 && row(block).is_some_and(|own| row(block - 1) == Some(own))
    }

    /// Whether a block is the next line in its cell, and both stand in the cell itself.
    fn is_next_in_cell(&self, block: usize) -> bool {
        let own = &self.blocks[block];
        self.box_of(own) == own.td && self.is_after_break(block)
    }

    /// Whether nothing but inline elements and one `<br>` is between a block and the one before, and both stand in the
    /// same element.
    fn is_after_break(&self, block: usize) -> bool {
        let own = &self.blocks[block];
        let mut ends = self.split(own).iter().filter(|event| !event.is_inline);
        let is_break = ends.next().is_some_and(|event| event.tag == Tag::Br) && ends.next().is_none();
        let before = block
            .checked_sub(1)
            .filter(|_| is_break)
            .map(|before| self.box_of(&self.blocks[before]));
        before == Some(self.box_of(own)) && !self.is_same_pre(block)
    }

    /// The innermost element around a block that is not inline.
    fn box_of(&self, block: &Block) -> u32 {
        let mut around = self.ancestors(block.element);
        let found = around.find(|&up| !self.elements[up as usize].is_inline);
        found.unwrap_or(NONE)
    }

    /// The table around a row.
    pub(crate) fn table(&self, row: u32) -> Option<u32> {
        self.ancestors(row)
            .find(|&up| self.elements[up as usize].tag == Tag::Table)
    }
}

/// Whether elements of this tag hold lines of a program, as highlighters of code make them.
fn is_of_lines(tag: Tag) -> bool {
    let is_of_table = matches!(
        tag,
        Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th
    );
    is_of_table || matches!(tag, Tag::Br | Tag::Div | Tag::Pre | Tag::Ol | Tag::Ul | Tag::Li)
}

/// Joins the lines of a cell that is joined with another.
fn join_lines(joints: &mut [Joint], cell: &Cell) {
    let lines = joints[cell.blocks.clone()].iter_mut().skip(1);
    let begun = lines.filter(|joint| joint.within_line().is_none());
    begun.for_each(|joint| *joint = Joint::Within);
}

#[cfg(test)]
mod tests {
    use crate::{Joint, PageConfig, Parser};

    /// The blocks of a page, what joins them before each.
    fn joined(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), Some("text/html")).unwrap();
        let mut joined = String::new();
        for (block, joint) in page.blocks.iter().zip(page.joints()) {
            joined.push_str(match joint {
                Joint::Apart => "/",
                Joint::Line => "|",
                Joint::Cell => "-",
                Joint::Within => "+",
                Joint::Break => ",",
                Joint::Glued => "",
                Joint::Spaced => " ",
            });
            joined.push_str(page.text(block));
        }
        joined
    }

    #[test]
    fn cells_are_joined_in_rows_and_rows_in_tables() {
        let table = "<p>a<table><tr><th>b<th>c<tr><td>d<td>e<tr><td>f</table><p>g";
        assert_eq!(joined(table), "/a/b-c|d-e|f/g");
        let sections = "<table><thead><tr><th>a<th>b<tbody><tr><td>c<td><p>d</table>";
        assert_eq!(joined(sections), "/a-b|c-d");
    }

    #[test]
    fn boxes_of_a_layout_are_not_joined() {
        assert_eq!(
            joined("<table><tr><td>menu<td><p>a<p>b<td>c</table>"),
            "/menu/a/b/c"
        );
        assert_eq!(joined("<table><tr><td>a<tr><td>b<tr><td>c</table>"), "/a/b/c");
        let two = "<table><tr><td>a<td>b</table><table><tr><td>c<td>d</table>";
        assert_eq!(joined(two), "/a-b/c-d");
        let inner = "<table><tr><td>a<td><table><tr><td>b<td>c</table><td>d</table>";
        assert_eq!(joined(inner), "/a/b-c/d");
    }

    #[test]
    fn lines_of_a_cell_stay_in_it() {
        let table = "<table><tr><th>a<br>b<th>c<tr><td>d<td><b>e</b><br>\n<a href=x>f<br></a>g<tr><td>h<br>i</table>j";
        assert_eq!(joined(table), "/a+b-c|d-e+f+g|h+i/j");
        assert_eq!(joined("<table><tr><td>a<br>b<td>c<br>d</table>"), "/a+b-c+d");
        assert_eq!(
            joined("<table><tr><td>a<br>b<br><tr><td>c<td><br>d</table>"),
            "/a+b|c-d"
        );
    }

    #[test]
    fn lines_of_a_cell_by_itself_are_paragraphs() {
        assert_eq!(joined("<table><tr><td>a<br>b</table>"), "/a,b");
        assert_eq!(joined("<table><tr><td>a<br>b<tr><td>c<br>d</table>"), "/a,b/c,d");
    }

    #[test]
    fn lines_of_a_paragraph_differ_from_paragraphs() {
        assert_eq!(joined("<p>a<br>b<br>\n<b>c<br></b>d"), "/a,b,c,d");
        assert_eq!(joined("<p>a<br><br>b<br>-<br>c<br></p>d"), "/a/b/c/d");
        assert_eq!(joined("<div>a<br><p>b</p><br>c</div>"), "/a/b/c");
        assert_eq!(joined("<pre>a<br>b</pre>"), "/a|b");
        assert_eq!(joined("<p style=white-space:pre-line>a\nb\n\nc<br>d"), "/a|b/c,d");
    }

    #[test]
    fn boxes_of_paragraphs_between_lines_are_not_joined() {
        let in_table = |cell: &str| {
            let table = format!("<table><tr><td>a<td>{cell}<td>d<tr><td>e<td>f</table>");
            joined(&table)
        };
        for cell in [
            "b<br><br>c",
            "b<br>-<br>c",
            "b<p>c",
            "b<br><div>c</div>",
            "<h2>b</h2><br>c",
            "b<br><hr>c",
        ] {
            assert_eq!(in_table(cell), "/a/b/c/d|e-f", "{cell}");
        }
        for cell in ["<p>b<br>c</p>", "<ul><li>b<br>c</ul>"] {
            assert_eq!(in_table(cell), "/a/b,c/d|e-f", "{cell}");
        }
        let listing = "<table><tr><td><pre>c\nd</pre><td><pre>a\nb</pre></table>";
        assert_eq!(joined(listing), "/c|d/a|b");
        let around = "<pre><table><tr><td>a<td>b\nc<td>d</table></pre>";
        assert_eq!(joined(around), "/a/b|c/d");
    }

    #[test]
    fn lines_around_a_table_in_a_cell_are_not_of_its_rows() {
        let inner = "<table><tr><td>b<br>c<td>d</table>";
        assert_eq!(
            joined(&format!("<table><tr><td>a<td>{inner}</table>")),
            "/a/b+c-d"
        );
        assert_eq!(
            joined(&format!("<table><tr><td>a<td>x<br>y{inner}z<br>z<td>e</table>")),
            "/a-x+y/b+c-d/z+z-e"
        );
    }

    #[test]
    fn a_cell_of_many_lines_is_joined_in_no_time() {
        let lines = "a<br>".repeat(10_000);
        let joined = joined(&format!("<table><tr><td>{lines}<td>b</table>"));
        assert_eq!(joined, format!("/a{}-b", "+a".repeat(9_999)));
    }

    #[test]
    fn lines_of_preformatted_text_are_joined() {
        assert_eq!(joined("<pre>a\nb\n\nc</pre><pre>d</pre>"), "/a|b|c/d");
        let boxes = "<pre><div>a</div><div>b</div><ol><li>c<li>d</ol><p>e</p>f<br>g<h2>h</h2>i</pre>";
        assert_eq!(joined(boxes), "/a|b|c|d/e/f|g/h/i");
        assert_eq!(joined(""), "");
    }
}
