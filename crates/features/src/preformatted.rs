//! Which blocks are lines of the same preformatted text, or formulas in lines of their own: programs and formulas belong to the
//! paragraphs around them.

use std::ops::Range;

use gleaner_html::NONE;
use gleaner_page::{Block, Page, Run};

/// The blocks of each `<pre>`, and formulas. In a cell of a table one without any letter is none: it is a column of line numbers. Blocks
/// of a plain text are no lines of a program.
pub(crate) fn preformatted(page: &Page) -> impl Iterator<Item = Range<u32>> + '_ {
    let blocks = if page.plain { &[] } else { page.blocks.as_slice() };
    let mut end = 0;
    blocks
        .chunk_by(|block, next| block.pre == next.pre && is_formula(page, block) == is_formula(page, next))
        .filter_map(move |text| {
            let first = end;
            end += text.len() as u32;
            let is_program = || text[0].pre != NONE && !is_numbers(page, text);
            (is_program() || is_formula(page, &text[0])).then_some(first..end)
        })
}

/// Whether a block that is shown is a formula and nothing else.
fn is_formula(page: &Page, block: &Block) -> bool {
    if block.pre != NONE || block.hidden {
        return false;
    }
    let is_of_formula = |run: &Run| page.formula(run.element).is_some();
    let has_word = |run: &Run| page.run_text(run).contains(char::is_alphanumeric);
    let is_shown = || {
        page.runs(block)
            .iter()
            .all(|run| is_of_formula(run) || !has_word(run))
    };
    is_between_signs(page.text(block)) || !page.formulas.is_empty() && is_shown()
}

/// Whether a text is LaTeX between the signs for a formula in a line of its own, which scripts draw.
fn is_between_signs(text: &str) -> bool {
    const SIGNS: [(&str, &str); 4] = [("\\[", "\\]"), ("\\(", "\\)"), ("$$", "$$"), ("\\begin{", "}")];
    let is_one = |(begin, end): &(&str, &str)| {
        let inner = text.strip_prefix(begin).and_then(|inner| inner.strip_suffix(end));
        inner.is_some_and(|inner| !inner.starts_with('$') && (!inner.contains(begin) || *end == "}"))
    };
    text.starts_with(['\\', '$']) && SIGNS.iter().any(is_one)
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
    fn formulas_in_lines_of_their_own_are_texts() {
        let html = "<p>So \\(a\\) and<p>\\[ a = b \\]<p>that is<p><math><mi>a</mi></math>.<p>or<p><img alt='$a_1$'>\
                    <p>\\(a\\), \\(b\\)<p>$$a$$<p>\\begin{align} a \\end{align}<p hidden>\\[ b \\]<p>$$$ a $$$";
        assert_eq!(found(html), [1..2, 3..4, 5..6, 7..9]);
    }

    #[test]
    fn columns_of_line_numbers_and_plain_texts_are_none() {
        let table = "<table><td><pre>1\n3</pre><td><pre>let x;\n2</pre></table><pre>3</pre>";
        assert_eq!(found(table), [2..4, 4..5]);
        let mut parser = Parser::new(PageConfig::default());
        let plain = parser.parse_text(b"one\ntwo\n", None).unwrap();
        assert_eq!((plain.blocks.len(), preformatted(plain).count()), (2, 0));
    }
}
