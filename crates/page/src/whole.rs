//! Blocks that are content together or not at all: lines of a preformatted text, and signs with the cells beside them.

use gleaner_html::NONE;

use crate::Page;

impl Page {
    /// Whether each block is decided as one with the block before it.
    pub fn with_before(&self) -> Vec<bool> {
        let mut with_before: Vec<bool> = (0..self.blocks.len())
            .map(|block| self.is_same_pre(block))
            .collect();
        for &sign in &self.signs {
            self.join_sign(sign as usize, &mut with_before);
        }
        with_before
    }

    /// A sign goes with the block before it in its table; the first of a table with the one behind it.
    fn join_sign(&self, sign: usize, with_before: &mut [bool]) {
        let table = |block: usize| {
            let td = self
                .blocks
                .get(block)
                .map(|block| block.td)
                .filter(|&td| td != NONE)?;
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

#[cfg(test)]
mod tests {
    use crate::{PageConfig, Parser};

    /// The blocks of a page, `/` where one is decided by itself.
    fn wholes(html: &str) -> String {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        let blocks = page.blocks.iter().zip(page.with_before());
        blocks
            .flat_map(|(block, with_before)| [if with_before { "" } else { "/" }, page.text(block)])
            .collect()
    }

    #[test]
    fn lines_go_with_their_text_and_signs_with_their_table() {
        let table = "<p>x<table><tr><th>#<th>a<tr><td>+<td>b<tr><td>c<td>-</table>y";
        assert_eq!(wholes(table), "/x/#a+/b/c-/y");
        assert_eq!(wholes("<pre>a\nb</pre><pre>c</pre>"), "/ab/c");
    }
}
