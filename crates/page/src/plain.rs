//! Pages without tags: plain texts, such as WET records.

use crate::blocks::{has_word, is_white};
use crate::{Block, Element, Limits, Page, Run, TagEvent};
use gleaner_html::NONE;
use gleaner_html::Tag;
use gleaner_html::without_controls;

/// Fills a page with the lines of a text.
pub(crate) fn read(text: &str, limits: &Limits, page: &mut Page) {
    page.plain = true;
    for (depth, tag) in [Tag::Html, Tag::Body, Tag::Pre].into_iter().enumerate() {
        let parent = if depth == 0 { NONE } else { depth as u32 - 1 };
        page.elements.push(Element {
            tag,
            is_inline: false,
            hidden: false,
            depth: depth as u16,
            parent,
            end: 3,
            attributes: 0..0,
        });
    }
    let open = |tag| TagEvent {
        tag,
        open: true,
        is_inline: false,
    };
    page.tags_between.extend([open(Tag::Body), open(Tag::Pre)]);
    let mut split = 0;
    for line in text.lines() {
        if page.blocks.len() >= limits.blocks {
            page.truncated.blocks = true;
            break;
        }
        let start = page.text.len();
        let words = line.split(is_white).map(without_controls);
        for word in words.filter(|word| !word.is_empty()) {
            if page.text.len() > start {
                page.text.push(' ');
            }
            page.text.push_str(&word);
        }
        if has_word(&page.text[start..]) {
            push_line(page, start, &mut split);
        } else {
            page.text.truncate(start);
        }
        page.tags_between.push(open(Tag::Br));
    }
    page.tags_between.truncate(split as usize);
}

fn push_line(page: &mut Page, start: usize, split: &mut u32) {
    let text = start as u32..page.text.len() as u32;
    let runs = page.runs.len() as u32;
    page.runs.push(Run {
        element: 2,
        text: text.clone(),
    });
    let until = page.tags_between.len() as u32;
    let block = Block {
        text,
        element: 2,
        runs: runs..runs + 1,
        split: *split..until,
        div: NONE,
        td: NONE,
        pre: 2,
        hidden: false,
        same_line: false,
        is_kept_line: false,
        written: 0..0,
    };
    page.blocks.push(block);
    *split = until;
}
