//! How blocks hang together as lines and rows.

use crate::{NONE, Page, Tag};

/// How a block hangs together with the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joint {
    /// In no way but what their labels say.
    #[default]
    Apart,
    /// It is the next line of preformatted text, or begins the next row of a table.
    Line,
    /// It is the next cell of a row.
    Cell,
}

impl Joint {
    /// All there are, each in the place of its number.
    pub const ALL: [Joint; 3] = [Joint::Apart, Joint::Line, Joint::Cell];
}

impl Page {
    /// How a block hangs together with the one before it.
    ///
    /// Only cells of one block each are cells of a row here: what holds paragraphs is a box of the page's layout. And
    /// where each row has one cell, rows are paragraphs.
    pub fn joint(&self, block: usize) -> Joint {
        if self.is_next_line(block) {
            return Joint::Line;
        }
        let row = |block: usize| self.row(block);
        let (Some(before), Some(own)) = (block.checked_sub(1).and_then(row), row(block)) else {
            return Joint::Apart;
        };
        if before == own {
            return Joint::Cell;
        }
        let is_filled = block.checked_sub(2).and_then(row) == Some(before) || row(block + 1) == Some(own);
        match is_filled && self.table(before) == self.table(own) {
            true => Joint::Line,
            false => Joint::Apart,
        }
    }

    /// The row that a block stands in, if its cell has no other block.
    fn row(&self, block: usize) -> Option<u32> {
        let cell = |block: usize| self.blocks.get(block).map(|block| block.td);
        let own = cell(block).filter(|&own| own != NONE)?;
        let is_shared = cell(block + 1) == Some(own) || block.checked_sub(1).and_then(cell) == Some(own);
        (!is_shared).then(|| self.elements[own as usize].parent)
    }

    /// The table around a row.
    fn table(&self, row: u32) -> Option<u32> {
        self.ancestors(row)
            .find(|&up| self.elements[up as usize].tag == Tag::Table)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Joint, PageConfig, Parser};

    /// The blocks of a page, what joins them before each.
    fn joined(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), Some("text/html")).unwrap();
        let mut joined = String::new();
        for (at, block) in page.blocks.iter().enumerate() {
            joined.push_str(match page.joint(at) {
                Joint::Apart => "/",
                Joint::Line => "|",
                Joint::Cell => "-",
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
    fn lines_of_preformatted_text_are_joined() {
        assert_eq!(joined("<pre>a\nb\n\nc</pre><pre>d</pre>"), "/a|b/c/d");
    }
}
