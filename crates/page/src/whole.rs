//! Blocks that are content together or not at all: lines of a preformatted text, short lists of definitions, and signs in
//! cells with the cells beside them.

use gleaner_html::{NONE, Tag};

use crate::{Block, Page};

/// A list of definitions with more blocks, bytes of text or elements is no short one.
const MOST_BLOCKS: usize = 40;
const MOST_BYTES: u32 = 2000;
const MOST_ELEMENTS: u32 = 400;

impl Page {
    /// Whether each block is decided as one with the block before it.
    pub fn with_before(&self) -> Vec<bool> {
        let mut with_before: Vec<bool> = (0..self.blocks.len()).map(|block| self.is_same_pre(block)).collect();
        let mut first = 0;
        let mut end = 0;
        for &list in &self.definitions {
            // Blocks before a list are in elements that begin before it.
            let is_before = |block: &&Block| block.element < list;
            first += self.blocks[first..].iter().take_while(is_before).count();
            if first >= end && let Some(count) = self.short_definitions(list, first) {
                end = first + count;
                with_before[first..end].iter_mut().skip(1).for_each(|block| *block = true);
            }
        }
        for &sign in &self.signs {
            self.join_sign(sign as usize, &mut with_before);
        }
        with_before
    }

    /// How many blocks a list of definitions has from this one on, if it is a short one.
    fn short_definitions(&self, list: u32, first: usize) -> Option<usize> {
        let elements = list..self.elements[list as usize].end;
        let is_own = |block: &&Block| elements.contains(&block.element);
        let count = self.blocks[first..].iter().take_while(is_own).take(MOST_BLOCKS + 1).count();
        let blocks = &self.blocks[first..first + count];
        let bytes = blocks.last()?.text.end - blocks.first()?.text.start;
        if count > MOST_BLOCKS || bytes > MOST_BYTES || elements.end - list > MOST_ELEMENTS {
            return None;
        }
        let tags = || elements.clone().map(|at| self.elements[at as usize].tag);
        let has = |tag: Tag| tags().any(|own| own == tag);
        (has(Tag::Dt) && has(Tag::Dd) && !tags().any(is_box)).then_some(count)
    }

    /// A sign goes with the block before it in its table; the first of a table with the one behind it.
    fn join_sign(&self, sign: usize, with_before: &mut [bool]) {
        let table = |block: usize| {
            let td = self.blocks.get(block).map(|block| block.td).filter(|&td| td != NONE)?;
            self.table(self.elements[td as usize].parent)
        };
        let own = table(sign);
        if sign > 0 && table(sign - 1) == own {
            with_before[sign] = true;
        } else if table(sign + 1) == own {
            with_before[sign + 1] = true;
        }
    }
}

/// Whether elements of this tag are no part of a list of facts.
fn is_box(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::Table | Tag::Pre | Tag::Form | Tag::Nav
    )
}

#[cfg(test)]
mod tests {
    use crate::{PageConfig, Parser};

    /// The blocks of a page, `/` where one is decided by itself.
    fn wholes(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), Some("text/html; charset=utf-8")).unwrap();
        let blocks = page.blocks.iter().zip(page.with_before());
        blocks
            .flat_map(|(block, with_before)| [if with_before { "" } else { "/" }, page.text(block)])
            .collect()
    }

    #[test]
    fn short_lists_of_definitions_are_wholes() {
        assert_eq!(wholes("<p>a<dl><dt>b<dd>c<dt>d<dd>e<dd>f</dl>g<dl><dt>h<dd>i</dl>"), "/a/bcdef/g/hi");
        assert_eq!(wholes("<dl><div><dt>b<dd>c</div><dt>d<dd><dl><dt>e<dd>f</dl></dl>g"), "/bcdef/g");
        assert_eq!(wholes("<dl><dd>a<dd>b</dl><dl><dt>c<dt>d</dl><dl></dl>"), "/a/b/c/d");
        assert_eq!(wholes("<dl><dt>a<dd><h3>b</h3>c<dl><dt>d<dd>e</dl></dl>f"), "/a/b/c/de/f");
    }

    #[test]
    fn long_lists_are_none() {
        let many = "<dt>a<dd>b".repeat(21);
        assert!(!wholes(&format!("<dl>{many}</dl>")).contains("ab"));
        let long = "c ".repeat(1001);
        assert!(wholes(&format!("<dl><dt>a<dd>{long}</dl>")).starts_with("/a/c"));
    }

    #[test]
    fn signs_go_with_their_table() {
        let table = "<p>x<table><tr><th>#<th>a<tr><td>+<td>b<tr><td>c<td>-</table>y";
        assert_eq!(wholes(table), "/x/#a+/b/c-/y");
        assert_eq!(wholes("<pre>a\nb</pre><pre>c</pre>"), "/ab/c");
    }
}
