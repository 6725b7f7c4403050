//! The text of a block: what is kept of it, and where it ends.

use super::gap::Gap;
use super::written::Written;
use super::{Open, marks};
use crate::Tag;
use crate::config::Unit;
use crate::controls::{is_dropped, meant};
use crate::tree::{Block, NONE, Page, Run, TagEvent};

/// The block being filled, and the tags since the one before.
#[derive(Debug)]
pub(super) struct Line {
    /// Every tag ends a block.
    pub(super) by_tag: bool,
    block: Option<Block>,
    /// Whether the block has a word character so far.
    word: bool,
    /// White space is due before the next text, if the block has text by then.
    pub(super) space: bool,
    /// What else is between the last text and the next.
    pub(super) gap: Gap,
    /// A tag has been seen since the last text.
    tag_seen: bool,
    /// Tags before this index belong to finished blocks.
    pub(super) committed: u32,
    /// The same as it is written, in a `<pre>`.
    written: Written,
}

impl Line {
    /// Before the first block.
    pub(super) fn new(unit: Unit) -> Line {
        Line {
            by_tag: unit == Unit::Tag,
            block: None,
            word: false,
            space: false,
            gap: Gap::None,
            tag_seen: false,
            committed: 0,
            written: Written::NOTHING,
        }
    }

    pub(super) fn tag(&mut self, page: &mut Page, event: TagEvent) {
        page.tags_between.push(event);
        self.tag_seen = true;
    }

    /// Adds text that stands directly in the element `open`.
    pub(super) fn text(&mut self, page: &mut Page, text: &str, open: &Open) {
        let written = if self.by_tag { NONE } else { open.pre };
        self.written.begin(page, written);
        let mut at = 0;
        loop {
            let (start, white) = skip_white(text, at);
            self.written.white(page, &text[at..start]);
            self.space |= white;
            if start == text.len() {
                return;
            }
            if let Some((letter, length)) = meant_at(text, start) {
                self.stretch(page, letter.encode_utf8(&mut [0; 4]), open);
                at = start + length;
            } else {
                at = end_of_stretch(text, start);
                self.stretch(page, &text[start..at], open);
            }
        }
    }

    /// Adds text that needs no change.
    fn stretch(&mut self, page: &mut Page, text: &str, open: &Open) {
        let at_start = self.block.is_none();
        let is_apart = !at_start && (self.space || self.is_gap(page, text));
        if at_start {
            self.begin(page, open);
        }
        if is_apart {
            page.text.push(' ');
        }
        self.written.text(page, text, is_apart);
        (self.space, self.gap) = (false, Gap::None);
        let start = page.text.len() as u32;
        page.text.push_str(text);
        let end = page.text.len() as u32;
        match page.runs.last_mut() {
            Some(run) if !at_start && !self.tag_seen && run.element == open.element => run.text.end = end,
            _ => page.runs.push(Run {
                element: open.element,
                text: start..end,
            }),
        }
        self.tag_seen = false;
        let Some(block) = &mut self.block else { return };
        block.hidden &= open.hidden;
        if !self.word && has_word(text) {
            self.word = true;
        }
        if self.word {
            page.tags_between.truncate(block.split.end as usize);
        }
    }

    fn is_gap(&self, page: &Page, text: &str) -> bool {
        let start = |block: &Block| block.text.start as usize;
        self.gap != Gap::None
            && self
                .block
                .as_ref()
                .map(start)
                .is_some_and(|start| self.gap.parts(&page.text[start..], text))
    }

    fn begin(&mut self, page: &Page, open: &Open) {
        let text = page.text.len() as u32;
        let runs = page.runs.len() as u32;
        self.block = Some(Block {
            text: text..text,
            element: if self.by_tag { open.element } else { open.block },
            runs: runs..runs,
            split: self.committed..page.tags_between.len() as u32,
            div: open.div,
            td: open.td,
            pre: open.pre,
            hidden: true,
            written: 0..0,
        });
        self.word = false;
    }

    /// Ends the line, `is_break` where it is broken by hand.
    pub(super) fn end(&mut self, page: &mut Page, is_break: bool) {
        let blocks = page.blocks.len();
        self.end_block(page);
        self.written.end_line(page, page.blocks.len() > blocks, is_break);
    }

    /// A `<pre>` begins or ends with this tag, or it is another.
    pub(super) fn end_pre(&mut self, page: &mut Page, tag: Tag) {
        if tag == Tag::Pre {
            self.written.close(page);
        }
    }

    /// Drops the block that has begun: the page has all it may have.
    pub(super) fn forget(&mut self, page: &mut Page) {
        self.word = false;
        self.end_block(page);
        self.written.forget_line(page);
    }

    /// Ends the block. Without a word character it is dropped, but not the tags around it.
    fn end_block(&mut self, page: &mut Page) {
        (self.space, self.gap) = (false, Gap::None);
        let Some(mut block) = self.block.take() else {
            return;
        };
        if !self.word {
            page.text.truncate(block.text.start as usize);
            page.runs.truncate(block.runs.start as usize);
            return;
        }
        self.committed = block.split.end;
        block.text.end = page.text.len() as u32;
        block.runs.end = page.runs.len() as u32;
        if !self.written.is_in_pre() {
            marks::leave_out(page, &mut block);
        }
        page.blocks.push(block);
    }
}

/// Whether a text has a word character.
pub(crate) fn has_word(text: &str) -> bool {
    text.chars()
        .any(|letter| letter.is_alphanumeric() || letter == '_')
}

/// White space: rendered as one space at most.
pub(crate) fn is_white(letter: char) -> bool {
    matches!(letter, '\t'..='\r' | ' ') || (letter > '\u{9f}' && letter.is_whitespace())
}

/// Characters that take no room and would part a word in two: soft hyphens, byte order marks, controls.
pub(crate) fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{feff}') || is_dropped(letter)
}

/// The letter that stands at a place as a C1 control, and the length of that.
fn meant_at(text: &str, at: usize) -> Option<(char, usize)> {
    let letter = text[at..]
        .chars()
        .next()
        .filter(|_| text.as_bytes()[at] == 0xc2)?;
    meant(letter).map(|meant| (meant, letter.len_utf8()))
}

/// Where the next text to be kept begins, and whether there is white space before.
fn skip_white(text: &str, mut at: usize) -> (usize, bool) {
    let mut white = false;
    for letter in text[at..].chars() {
        if is_white(letter) {
            white = true;
        } else if !is_unseen(letter) {
            break;
        }
        at += letter.len_utf8();
    }
    (at, white)
}

/// How far a text can be taken as it is: to white space other than a space between two words, to
/// what is not seen, or to what stands for another letter.
fn end_of_stretch(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'!'..=b'~' => at += 1,
            b' ' => match bytes.get(at + 1) {
                Some(b'!'..=b'~') => at += 2,
                _ => break,
            },
            ..b' ' | 0x7f => break,
            // The first bytes of all characters that are white, not seen, or others.
            0xc2 | 0xe1..=0xe3 | 0xef => {
                let letter = text[at..].chars().next().unwrap_or(' ');
                if is_white(letter) || is_unseen(letter) || meant(letter).is_some() {
                    break;
                }
                at += letter.len_utf8();
            }
            _ => at += 1,
        }
    }
    at
}
