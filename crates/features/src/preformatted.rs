//! Which blocks are lines of the same preformatted text.

use std::ops::Range;

use gleaner_html::NONE;
use gleaner_page::{Block, Page};

/// The blocks of each `<pre>`. In a cell of a table one without any letter is none: it is a column of line numbers. Blocks
/// of a plain text are no lines of a program.
pub(crate) fn preformatted(page: &Page) -> impl Iterator<Item = Range<u32>> + '_ {
    let blocks = if page.plain { &[] } else { page.blocks.as_slice() };
    let mut end = 0;
    blocks
        .chunk_by(|block, next| block.pre == next.pre)
        .filter_map(move |text| {
            let first = end;
            end += text.len() as u32;
            (text[0].pre != NONE && !is_numbers(page, text)).then_some(first..end)
        })
}

/// Whether blocks are a column of line numbers.
fn is_numbers(page: &Page, blocks: &[Block]) -> bool {
    let has_letter = |block: &Block| page.text(block).contains(char::is_alphabetic);
    blocks[0].td != NONE && !blocks.iter().any(has_letter)
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};

    use super::*;

    fn found(html: &str) -> Vec<Range<u32>> {
        let mut parser = Parser::new(PageConfig::default());
        let page = parser.parse(html.as_bytes(), None).unwrap();
        preformatted(page).collect()
    }

    #[test]
    fn each_pre_is_a_text_however_many_lines_it_has() {
        let html = "<p>So:<pre>one\ntwo</pre><pre>three</pre><p>And<pre> four <b>x</b>\n\nfive\nsix</pre>";
        assert_eq!(found(html), [1..3, 3..4, 5..8]);
    }

    #[test]
    fn columns_of_line_numbers_and_plain_texts_are_none() {
        let table = "<table><td><pre>1\n2</pre><td><pre>let x;\n2</pre></table><pre>3</pre>";
        assert_eq!(found(table), [2..4, 4..5]);
        let mut parser = Parser::new(PageConfig::default());
        let plain = parser.parse_text(b"one\ntwo\n", None).unwrap();
        assert_eq!((plain.blocks.len(), preformatted(plain).count()), (2, 0));
    }
}
