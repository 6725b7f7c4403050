//! The text of a part of a page.

use std::ops::Range;

use gleaner_html::Tag;
use gleaner_page::{Joint, Page};

use crate::outline::Outline;

/// Bytes of text that are as much work as a run.
const RUN: usize = 16;

/// The text of some runs, a line of the page or row of a table a line, tabs between the cells of a row; whole blocks
/// as they are to be written (preformatted text with its white space); without images' texts, and without the elements
/// that are left out.
pub(crate) fn text(
    page: &Page,
    outline: &Outline,
    runs: Range<usize>,
    left_out: &dyn Fn(u32) -> bool,
) -> String {
    let mut text = String::new();
    let mut block: Option<u32> = None;
    let mut end = 0;
    let is_left_out = |at: usize| {
        let element = page.runs[at].element;
        let is_image = page.elements[element as usize].tag == Tag::Img;
        is_image && page.formula(element).is_none() || left_out(element)
    };
    // The last block that is taken as it is to be written.
    let mut written = None;
    for at in runs.clone() {
        let run = &page.runs[at];
        let own = outline.block(at);
        if is_left_out(at) || written == Some(own) {
            continue;
        }
        if !outline.work.read(RUN + run.text.len()) {
            break;
        }
        if block == Some(own) {
            // What stands between two runs of a line is at most a space, unless a run was left out.
            if end != run.text.start && !text.ends_with(' ') {
                text.push(' ');
            }
        } else {
            let joint = block.map_or(Joint::Apart, |block| outline.joint(block, own));
            end_block(&mut text, joint);
            let whole = &page.blocks[own as usize];
            let mut of_block = whole.runs.start as usize..whole.runs.end as usize;
            let is_here = of_block.start == at && of_block.end <= runs.end;
            if !whole.written.is_empty() && is_here && !of_block.any(is_left_out) {
                text.push_str(page.written(whole));
                (block, written) = (Some(own), Some(own));
                continue;
            }
        }
        text.push_str(page.run_text(run));
        (block, end) = (Some(own), run.text.end);
    }
    text.truncate(text.trim_end().len());
    text
}

/// Ends the text of a block before another that hangs together with it so.
fn end_block(text: &mut String, joint: Joint) {
    let is_line = joint == Joint::Line;
    // Empty lines of preformatted text stand before other lines of it only.
    let ends = [' ', if is_line { ' ' } else { '\n' }];
    text.truncate(text.trim_end_matches(ends).len());
    if !text.is_empty() {
        text.push_str(match joint {
            Joint::Apart | Joint::Line | Joint::Break => "\n",
            Joint::Cell => "\t",
            Joint::Within | Joint::Spaced => " ",
            Joint::Glued => "",
        });
    }
}

/// The text of an element on one line.
pub(crate) fn line(page: &Page, outline: &Outline, element: u32) -> String {
    one_line(&text(page, outline, outline.runs(element), &|_| false))
}

/// A text on one line.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split([' ', '\n', '\t']).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};

    use super::*;

    #[test]
    fn preformatted_text_is_as_it_is_written() {
        let mut parser = Parser::new(PageConfig::default());
        let html = "<p>a  b<pre>if c:\n\n    <i>d</i>  e\n}</pre><p>f<pre>g\n\n  <b>h</b> i</pre>j";
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut outline = Outline::default();
        outline.measure(page);
        let text_without =
            |left_out: &dyn Fn(u32) -> bool| text(page, &outline, 0..page.runs.len(), left_out);
        assert_eq!(
            text_without(&|_| false),
            "a b\nif c:\n\n    d  e\n}\nf\ng\n\n  h i\nj"
        );
        // What is left out leaves the rest of its line.
        let is_italic = |at: u32| page.elements[at as usize].tag == Tag::I;
        assert_eq!(text_without(&is_italic), "a b\nif c:\n\ne\nf\ng\n\n  h i\nj");
        let part = 3..page.runs.len() - 1;
        assert_eq!(text(page, &outline, part, &|_| false), "e\nf\ng\n\n  h i");
        assert_eq!(one_line("a\n\n  b\tc"), "a b c");
    }

    #[test]
    fn rows_of_a_table_are_lines() {
        let mut parser = Parser::new(PageConfig::default());
        let html = "<p>a<table><tr><td>b <td>c<br>d<tr><td><i>e</i><td>f<td>g</table>h<p>i";
        let page = parser.parse(html.as_bytes(), None).unwrap();
        let mut outline = Outline::default();
        outline.measure(page);
        let text_without =
            |left_out: &dyn Fn(u32) -> bool| text(page, &outline, 0..page.runs.len(), left_out);
        assert_eq!(text_without(&|_| false), "a\nb\tc d\ne\tf\tg\nh\ni");
        let is_italic = |at: u32| page.elements[at as usize].tag == Tag::I;
        assert_eq!(text_without(&is_italic), "a\nb\tc d\nf\tg\nh\ni");
        assert_eq!(line(page, &outline, 0), "a b c d e f g h i");
    }
}
