//! Marks that lead to a place on the page itself: the `¶` behind a heading, by which readers copy its address. They are no
//! words of the page, and most styles show them only under the pointer.

use super::letters::has_word;
use gleaner_html::Attr;
use gleaner_html::Tag;

use crate::{Page, Run};

/// Maximum elements around a text searched for a link, its own among them.
const NEAR: usize = 4;

/// Has a block written without its marks, if it has some. The page's runs from `line` on are those of the line it stands in.
pub(super) fn leave_out(page: &mut Page, block: usize, line: usize) {
    let runs = &page.blocks[block].runs;
    let runs = runs.start as usize..runs.end as usize;
    if runs.len() < 2 || !runs.clone().any(|run| is_mark(page, line, run)) {
        return;
    }
    let start = page.written.len();
    let mut end = 0;
    for run in runs.clone() {
        if is_mark(page, line, run) {
            continue;
        }
        let Run { text, .. } = &page.runs[run];
        if page.written.len() > start && end != text.start {
            page.written.push(' ');
        }
        end = text.end;
        page.written
            .push_str(&page.text[text.start as usize..text.end as usize]);
    }
    page.blocks[block].written = start as u32..page.written.len() as u32;
}

/// Whether a run of a line is all there is of a link to this page, and has no word.
fn is_mark(page: &Page, line: usize, run: usize) -> bool {
    if has_word(page.run_text(&page.runs[run])) {
        return false;
    }
    let Some(link) = link(page, run) else {
        return false;
    };
    let leads_here = page
        .attribute(link, Attr::Href)
        .is_some_and(|href| href.trim_start().starts_with('#'));
    let mut neighbours = [run.wrapping_sub(1), run + 1].into_iter();
    let is_of_line = |other: &usize| (line..page.runs.len()).contains(other);
    leads_here && !neighbours.any(|other| is_of_line(&other) && self::link(page, other) == Some(link))
}

/// The link that a run stands in.
fn link(page: &Page, run: usize) -> Option<u32> {
    let mut around = page.ancestors(page.runs[run].element).take(NEAR);
    around.find(|&up| page.elements[up as usize].tag == Tag::A)
}
