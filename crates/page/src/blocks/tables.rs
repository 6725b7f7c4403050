//! Tables, once all of the page is known: cells of signs alone, and tables in the cells of others.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use gleaner_html::{NONE, Tag};

use super::controls::is_heading;
use crate::{Block, Joint, Page};

/// Maximum blocks of a table in a cell: a larger one is a box of the page's layout.
const MOST_INNER: u32 = 64;

/// The text of a cell that has no word: a tick, a dash, an operator.
#[derive(Debug)]
pub(super) struct Sign {
    /// How many blocks are before it.
    pub(super) before: usize,
    pub(super) block: Block,
}

/// Adds the cells of signs to the page that are all there is of their cell, in tables with heads. In others they are as likely
/// drawings of the layout: bars between links, points before items. `most` is the maximum number of blocks per page.
pub(super) fn add_signs(page: &mut Page, signs: Vec<Sign>, most: usize) {
    let mut with_heads: HashMap<u32, bool> = HashMap::new();
    let td_before = |at: usize| at.checked_sub(1).map(|at| signs[at].block.td);
    let mut kept = Vec::new();
    for (at, sign) in signs.iter().enumerate() {
        let td = sign.block.td;
        let block_td = |block: Option<usize>| {
            block
                .and_then(|block| page.blocks.get(block))
                .map(|block| block.td)
        };
        let others = [
            block_td(sign.before.checked_sub(1)),
            block_td(Some(sign.before)),
            td_before(at),
            signs.get(at + 1).map(|next| next.block.td),
        ];
        if others.contains(&Some(td)) {
            continue;
        }
        let Some(table) = page.table(page.elements[td as usize].parent) else {
            continue;
        };
        if *with_heads.entry(table).or_insert_with(|| has_heads(page, table)) {
            kept.push(at);
        }
    }
    kept.truncate(most.saturating_sub(page.blocks.len()));
    let (kept, dropped): (Vec<_>, Vec<_>) = signs
        .into_iter()
        .enumerate()
        .partition(|(at, _)| kept.binary_search(at).is_ok());
    let mut blocks = Vec::with_capacity(page.blocks.len() + kept.len());
    let mut rest = std::mem::take(&mut page.blocks).into_iter();
    let mut split = 0;
    for (_, Sign { before, mut block }) in kept {
        while blocks.len() < before + page.signs.len()
            && let Some(mut next) = rest.next()
        {
            next.split.start = next.split.start.max(split);
            blocks.push(next);
        }
        // The tags before it are between it and the block before.
        block.split.start = block.split.start.max(split);
        split = block.split.end;
        page.signs.push(blocks.len() as u32);
        blocks.push(block);
    }
    for mut next in rest {
        next.split.start = next.split.start.max(split);
        blocks.push(next);
    }
    page.blocks = blocks;
    let dropped: Vec<Block> = dropped.into_iter().map(|(_, sign)| sign.block).collect();
    take_out(page, &dropped);
}

/// Takes the text and the runs of blocks, in order, that are none of the page.
fn take_out(page: &mut Page, dropped: &[Block]) {
    let texts = Cuts::new(dropped.iter().map(|block| &block.text));
    let runs = Cuts::new(dropped.iter().map(|block| &block.runs));
    let mut at = 0..;
    page.runs.retain(|_| at.next().is_some_and(|run| !runs.has(run)));
    for run in &mut page.runs {
        run.text = texts.moved(&run.text);
    }
    for block in &mut page.blocks {
        block.text = texts.moved(&block.text);
        block.runs = runs.moved(&block.runs);
    }
    for image in &mut page.images {
        image.at = texts.place(image.at);
    }
    let mut text = String::with_capacity(page.text.len());
    let mut at = 0;
    for block in dropped {
        text.push_str(&page.text[at..block.text.start as usize]);
        at = block.text.end as usize;
    }
    text.push_str(&page.text[at..]);
    page.text = text;
}

/// Ranges that are cut out of a sequence, each with the length of those before it.
struct Cuts(Vec<(Range<u32>, u32)>);

impl Cuts {
    fn new<'a>(ranges: impl Iterator<Item = &'a Range<u32>>) -> Cuts {
        let mut before = 0;
        let cut = |range: &Range<u32>| {
            let own = before;
            before += range.len() as u32;
            (range.clone(), own)
        };
        Cuts(ranges.map(cut).collect())
    }

    /// The last cut that begins at a place or before it.
    fn last(&self, place: u32) -> Option<&(Range<u32>, u32)> {
        let behind = self.0.partition_point(|(range, _)| range.start <= place);
        self.0[..behind].last()
    }

    /// Whether a place is cut out.
    fn has(&self, place: u32) -> bool {
        self.last(place).is_some_and(|(range, _)| range.contains(&place))
    }

    /// Where a place is then.
    fn place(&self, place: u32) -> u32 {
        let cut = |(range, before): &(Range<u32>, u32)| before + place.min(range.end) - range.start;
        place - self.last(place).map_or(0, cut)
    }

    fn moved(&self, range: &Range<u32>) -> Range<u32> {
        self.place(range.start)..self.place(range.end)
    }
}

/// Whether a table has a head of a row or a column, other than in a table in it.
fn has_heads(page: &Page, table: u32) -> bool {
    let end = page.elements[table as usize].end;
    let mut at = table + 1;
    while at < end {
        let element = &page.elements[at as usize];
        match element.tag {
            Tag::Th => return true,
            Tag::Td | Tag::Table => at = element.end,
            _ => at += 1,
        }
    }
    false
}

/// Makes the blocks of small tables in cells of tables of data blocks of these cells. In a table that is a box of the page's
/// layout they stay what they are.
pub(super) fn join_inner_tables(page: &mut Page) {
    let rows = rows_of_data(page);
    let mut inner: HashMap<u32, Inner> = HashMap::new();
    for block in page.blocks.iter().filter(|block| block.td != NONE) {
        let Some(table) = page.table(page.elements[block.td as usize].parent) else {
            continue;
        };
        let inner = inner.entry(table).or_insert_with(|| Inner {
            td: cell_around(page, table),
            blocks: 0,
        });
        inner.blocks += 1;
        let mut around = page.ancestors(block.element).take_while(|&up| up != block.td);
        if around.any(|up| is_heading(page.elements[up as usize].tag)) {
            inner.blocks += MOST_INNER;
        }
    }
    inner.retain(|_, inner| {
        let of_data = |td: u32| {
            let table = page.table(page.elements[td as usize].parent)?;
            rows.get(&table).map(TableRows::are_of_data)
        };
        inner.blocks <= MOST_INNER && inner.td.and_then(of_data).unwrap_or(false)
    });
    if inner.is_empty() {
        return;
    }
    page.has_tables_in_cells = true;
    for at in 0..page.blocks.len() {
        let td = page.blocks[at].td;
        if td != NONE
            && let Some(table) = page.table(page.elements[td as usize].parent)
            && let Some(Inner { td: Some(td), .. }) = inner.get(&table)
        {
            page.blocks[at].td = *td;
        }
    }
}

/// A table in a cell.
struct Inner {
    td: Option<u32>,
    blocks: u32,
}

/// The rows of a table that have blocks.
#[derive(Clone, Debug, Default)]
pub struct TableRows {
    all: HashSet<u32>,
    of_data: HashSet<u32>,
}

impl TableRows {
    /// Adds a row, by its element. `is_of_data` if it has cells of data.
    pub fn add(&mut self, row: u32, is_of_data: bool) {
        self.all.insert(row);
        if is_of_data {
            self.of_data.insert(row);
        }
    }

    /// Whether the table has data: at least two of its rows have cells of data, and half of them.
    pub fn are_of_data(&self) -> bool {
        self.of_data.len() >= 2 && 2 * self.of_data.len() >= self.all.len()
    }
}

/// The rows of each table. Those have data that have several cells, or the head of one.
fn rows_of_data(page: &Page) -> HashMap<u32, TableRows> {
    let mut tables: HashMap<u32, TableRows> = HashMap::new();
    for (block, joint) in page.blocks.iter().zip(page.joints()) {
        if block.td == NONE {
            continue;
        }
        let cell = &page.elements[block.td as usize];
        let Some(table) = page.table(cell.parent) else {
            continue;
        };
        let is_of_data = joint == Joint::Cell || cell.tag == Tag::Th;
        tables.entry(table).or_default().add(cell.parent, is_of_data);
    }
    tables
}

/// The cell that an element stands in.
fn cell_around(page: &Page, element: u32) -> Option<u32> {
    let is_cell = |&up: &u32| matches!(page.elements[up as usize].tag, Tag::Td | Tag::Th);
    page.ancestors(element).skip(1).find(is_cell)
}

#[cfg(test)]
mod tests {
    use crate::{Joint, PageConfig, Parser};

    /// The blocks of a page, with what joins each to the one before, and whether it is decided with that.
    fn joined(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        let mut joined = String::new();
        for (block, joint) in page.blocks.iter().zip(page.joints()) {
            joined.push_str(match joint {
                Joint::Cell => "-",
                Joint::Line => "|",
                Joint::Within => "+",
                Joint::Spaced => " ",
                _ => "/",
            });
            joined.push_str(page.text(block));
        }
        joined
    }

    #[test]
    fn cells_of_signs_are_cells_of_tables_with_heads() {
        let rows = "<tr><td>c<td>✓<td><code>^</code><tr><td>…<td>…<td>…<tr><td>d<td>e<td>=";
        assert_eq!(
            joined(&format!("<table><tr><th>#<th>a<th>b{rows}</table><p>f")),
            "/#-a-b|c-✓-^|…-…-…|d-e-=/f"
        );
        assert_eq!(joined(&format!("<table>{rows}</table><p>f")), "/c|d-e/f");
        let lines = "<table><tr><th>a<th>b<tr><td>c<br>-<br>d<td>e<tr><td>-<p>*</p><td>f</table>";
        assert_eq!(joined(lines), "/a-b/c/d/e/f");
    }

    #[test]
    fn tags_between_blocks_are_shared_out() {
        let mut parser = Parser::new(PageConfig::default());
        let html = "<table><tr><th>a<th>b<tr><td>+<td>c</table><p>d";
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let ends: Vec<_> = page.blocks.iter().map(|block| block.split.clone()).collect();
        assert!(
            ends.windows(2).all(|pair| pair[0].end == pair[1].start),
            "{ends:?}"
        );
        assert!(
            page.blocks.iter().skip(1).all(|block| !block.split.is_empty()),
            "{ends:?}"
        );
    }

    #[test]
    fn a_small_table_in_a_cell_of_data_is_text_of_the_cell() {
        let inner = "<table><tr><td>1<td>2<tr><td>3</table>";
        let outer = |cell: &str| format!("<table><tr><th>a<th>b<tr><td>c<td>{cell}<tr><td>d<td>e</table>f");
        assert_eq!(joined(&outer(inner)), "/a-b|c-1 2+3|d-e/f");
        assert_eq!(joined(&outer(&format!("x{inner}"))), "/a-b|c-x+1 2+3|d-e/f");
        let of_heads = "<table><tr><th>a<td>b<tr><th>c<td><table><tr><td>1<td>2</table></table>";
        assert_eq!(joined(of_heads), "/a-b|c-1 2");
    }

    #[test]
    fn tables_in_a_layout_stay_tables() {
        let layout = "<table><tr><td>a<td><table><tr><td>b<td>c<tr><td>d<td>e</table></table>";
        assert_eq!(joined(layout), "/a/b-c|d-e");
        let heading =
            "<table><tr><th>a<th>b<tr><td>c<td><table><tr><td><h2>1</h2><td>2</table><tr><td>d<td>e</table>";
        assert!(joined(heading).contains("/1"), "{}", joined(heading));
    }

    #[test]
    fn the_foot_of_a_table_stands_at_its_end() {
        let foot = "<tfoot><tr><td>y<td>z</tfoot>";
        let body = "<tbody><tr><td>c<td>d</tbody>";
        for parts in [
            format!("<thead><tr><th>a<th>b</thead>{foot}{body}"),
            format!("<thead><tr><th>a<th>b</thead>{body}{foot}"),
            format!("{foot}<thead><tr><th>a<th>b</thead> {body} "),
        ] {
            assert_eq!(
                joined(&format!("<table>{parts}</table>e")),
                "/a-b|c-d|y-z/e",
                "{parts}"
            );
        }
        let two = format!("<table>{foot}{body}<tfoot><tr><td>v<td>w</table>e");
        assert_eq!(joined(&two), "/c-d|v-w|y-z/e");
        assert_eq!(joined(&format!("<table>{foot}</table>e")), "/y-z/e");
    }
}
