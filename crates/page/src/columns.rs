//! The columns of tables: where the cells of a row stand, with those that are empty or span columns and rows.

use std::collections::HashMap;

use gleaner_html::{Attr, NONE, Tag};

use crate::{Joint, Page};

/// Maximum columns counted; cells beyond have no tabs but those between them.
const MOST: u8 = 200;
/// Maximum columns and rows per cell.
const MOST_SPANNED: u32 = 1000;

/// Tabs that keep a block in the column of its cell, beside the one that parts it from the cell before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tabs {
    /// Before it: a cell that is empty, or that another one spans, each.
    pub before: u8,
    /// Behind the last block of a row, likewise.
    pub after: u8,
}

impl Page {
    /// The tabs of each block, given how it hangs together with the one before. There are none where no block has tabs.
    pub fn tabs(&self, joints: &[Joint]) -> Vec<Tabs> {
        if !joints.contains(&Joint::Cell) {
            return Vec::new();
        }
        let columns = self.columns();
        let mut tabs = vec![Tabs::default(); joints.len()];
        let mut begun = (0..joints.len())
            .filter(|&block| self.begins_cell(joints, block))
            .peekable();
        let mut before = None;
        while let Some(block) = begun.next() {
            let is_cell = |block: usize| joints[block] == Joint::Cell;
            let end = begun.peek().copied().unwrap_or(joints.len());
            let row = self.row(block);
            let is_of_row = is_cell(block)
                || joints[block] == Joint::Line
                || begun.peek().is_some_and(|&next| is_cell(next));
            let Some(place) = columns.get(&self.blocks[block].td).filter(|_| is_of_row) else {
                before = row;
                continue;
            };
            if is_cell(block) {
                let left = columns
                    .get(&self.blocks[block - 1].td)
                    .map_or(place.column, |left| left.column + 1);
                tabs[block].before = place.column.saturating_sub(left);
            } else if before != row {
                tabs[block].before = place.column;
            }
            if begun.peek().map(|&next| self.row(next)) != Some(row) {
                tabs[end - 1].after = place.width.saturating_sub(place.column + 1);
            }
            before = row;
        }
        if tabs.iter().all(|own| *own == Tabs::default()) {
            tabs.clear();
        }
        tabs
    }

    /// Whether a block is the first of its cell, or of what stands in none.
    fn begins_cell(&self, joints: &[Joint], block: usize) -> bool {
        let td = |block: usize| self.blocks[block].td;
        block == 0 || joints[block] == Joint::Cell || td(block - 1) != td(block)
    }

    fn row(&self, block: usize) -> Option<u32> {
        let td = self.blocks[block].td;
        (td != NONE).then(|| self.elements[td as usize].parent)
    }

    /// The places of all cells.
    fn columns(&self) -> HashMap<u32, ColumnPlace> {
        let mut tables: HashMap<Option<u32>, Table> = HashMap::new();
        let rows = (0..self.elements.len() as u32).filter(|&at| self.elements[at as usize].tag == Tag::Tr);
        for row in rows {
            tables.entry(self.table(row)).or_default().read(self, row);
        }
        let mut places = HashMap::new();
        for table in tables.into_values() {
            let width = table.width;
            let of = |(cell, column)| (cell, ColumnPlace { column, width });
            places.extend(table.cells.into_iter().map(of));
        }
        places
    }
}

/// The column of a cell, and how many columns its table has.
struct ColumnPlace {
    column: u8,
    width: u8,
}

/// The table so far.
#[derive(Default)]
struct Table {
    cells: Vec<(u32, u8)>,
    width: u8,
    /// The part of the table that the last row stands in: no cell spans rows of two.
    part: Option<u32>,
    /// Cells of rows above that span rows below, from left to right.
    spans: Vec<Span>,
}

/// Columns that a cell takes in rows below its own.
#[derive(Clone, Copy)]
struct Span {
    first: u8,
    end: u8,
    rows: u32,
}

impl Table {
    fn read(&mut self, page: &Page, row: u32) {
        let part = page.elements[row as usize].parent;
        if self.part.replace(part) != Some(part) {
            self.spans.clear();
        }
        let mut above = std::mem::take(&mut self.spans).into_iter().peekable();
        let mut begun = Vec::new();
        let mut column = 0;
        for cell in cells(page, row) {
            while let Some(span) = above.next_if(|span| span.first <= column) {
                column = column.max(span.end);
                begun.push(span.one_row_less());
            }
            self.cells.push((cell, column));
            self.width = self.width.max(column + 1);
            let spanned = |name| {
                page.attribute(cell, name)
                    .and_then(|value| value.trim().parse().ok())
            };
            let width = spanned(Attr::Colspan).unwrap_or(1).clamp(1, MOST_SPANNED);
            let end = (u32::from(column) + width).min(u32::from(MOST)) as u8;
            let rows = spanned(Attr::Rowspan).unwrap_or(1).min(MOST_SPANNED);
            // No rows are all rows below.
            let rows = if rows == 0 { MOST_SPANNED } else { rows };
            begun.push(Span {
                first: column,
                end,
                rows: rows - 1,
            });
            column = end;
        }
        begun.extend(above.map(Span::one_row_less));
        begun.retain(|span| span.rows > 0 && span.first < span.end);
        self.spans = begun;
    }
}

impl Span {
    fn one_row_less(self) -> Span {
        Span {
            rows: self.rows.saturating_sub(1),
            ..self
        }
    }
}

/// The cells of a row that are shown, or all where the row is not.
fn cells(page: &Page, row: u32) -> impl Iterator<Item = u32> + '_ {
    let element = |at: u32| &page.elements[at as usize];
    let end = element(row).end;
    let within = move |at: u32| Some(at).filter(|&at| at < end);
    let children = std::iter::successors(within(row + 1), move |&child| within(element(child).end));
    children.filter(move |&child| {
        let is_shown = !element(child).hidden || element(row).hidden;
        matches!(element(child).tag, Tag::Td | Tag::Th) && is_shown
    })
}

#[cfg(test)]
mod tests {
    use crate::{Joint, PageConfig, Parser};

    /// The rows of the tables of a page, `-` for a tab.
    fn rows(html: &str) -> Vec<String> {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), Some("text/html")).unwrap();
        let joints = page.joints();
        let tabs = page.tabs(&joints);
        let mut rows: Vec<String> = Vec::new();
        for (at, block) in page.blocks.iter().enumerate() {
            let own = tabs.get(at).copied().unwrap_or_default();
            let text = "-".repeat(own.before.into()) + page.text(block) + &"-".repeat(own.after.into());
            match joints[at] {
                Joint::Cell => *rows.last_mut().unwrap() += &format!("-{text}"),
                Joint::Within => *rows.last_mut().unwrap() += &text,
                _ => rows.push(text),
            }
        }
        rows
    }

    #[test]
    fn empty_cells_keep_the_columns() {
        let table =
            "<table><tr><th>a<th>b<th>c<tr><td>d<td><td>e<tr><td><td>f<td>g<tr><td>h<td>i<td>&nbsp;</table>";
        assert_eq!(rows(table), ["a-b-c", "d--e", "-f-g", "h-i-"]);
        assert_eq!(
            rows("<table><tr><td><td>a<td>b<tr><td>c<td>d<td>e</table>"),
            ["-a-b", "c-d-e"]
        );
        assert_eq!(
            rows("<table><tr><td>a<td>b<tr><td><td>c</table>x"),
            ["a-b", "-c", "x"]
        );
    }

    #[test]
    fn cells_that_span_columns_and_rows_keep_the_others_in_theirs() {
        let table = "<table><tr><th colspan=2>a<th>b<tr><td rowspan=2>c<td>d<td>e<tr><td>f<td>g</table>";
        assert_eq!(rows(table), ["a--b", "c-d-e", "-f-g"]);
        let last = "<table><tr><td>a<td>b<td>c<tr><td>d<td colspan=2>e</table>";
        assert_eq!(rows(last), ["a-b-c", "d-e-"]);
        let groups = "<table><thead><tr><th rowspan=9>a<th>b<tbody><tr><td>c<td>d<tr><td rowspan=0>e<td>f<tr><td>g</table>";
        assert_eq!(rows(groups), ["a-b", "c-d", "e-f", "-g"]);
    }

    #[test]
    fn boxes_of_a_layout_have_no_tabs() {
        assert_eq!(rows("<table><tr><td><td><p>a<p>b<td></table>"), ["a", "b"]);
        assert_eq!(rows("<table><tr><td><td>a<tr><td><td>b</table>"), ["a", "b"]);
        assert_eq!(rows("a<br>b"), ["a", "b"]);
    }

    #[test]
    fn wide_spans_and_hidden_cells_are_no_columns() {
        let wide = "<table><tr><td colspan=9999>a<td>b<tr><td>c<td>d</table>";
        assert!(rows(wide)[0].len() < 1000);
        let heading = "<table><tr><td colspan=99>a<tr><td>b<td>c<tr><td>d<td>e</table>";
        assert_eq!(rows(heading), ["a", "b-c", "d-e"]);
        assert_eq!(
            rows("<table><tr><td>a<td hidden>x<td>b<tr><td>c<td>d</table>")[1..],
            ["c-d"]
        );
    }
}
