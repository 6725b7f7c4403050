//! The text of a part of a page.

use std::ops::Range;

use gleaner_page::{Page, Tag};

use crate::outline::Outline;

/// The text of some runs, a line of the page a line; without images' texts, and without the
/// elements that are left out.
pub(crate) fn text(
    page: &Page,
    outline: &Outline,
    runs: Range<usize>,
    left_out: &dyn Fn(u32) -> bool,
) -> String {
    let mut text = String::new();
    let mut block = None;
    let mut end = 0;
    for at in runs {
        let run = &page.runs[at];
        if page.elements[run.element as usize].tag == Tag::Img || left_out(run.element) {
            continue;
        }
        let own = outline.block(at);
        if block == Some(own) {
            // What stands between two runs of a line is at most a space, unless a run was left out.
            if end != run.text.start && !text.ends_with(' ') {
                text.push(' ');
            }
        } else {
            end_line(&mut text);
        }
        text.push_str(page.run_text(run));
        (block, end) = (Some(own), run.text.end);
    }
    end_line(&mut text);
    text.truncate(text.trim_end().len());
    text
}

fn end_line(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The text of an element on one line.
pub(crate) fn line(page: &Page, outline: &Outline, element: u32) -> String {
    text(page, outline, outline.runs(element), &|_| false).replace('\n', " ")
}
