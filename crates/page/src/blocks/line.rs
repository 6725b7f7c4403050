//! The text of a block: what is kept of it, and where it ends.

use std::ops::Range;

use gleaner_html::{LeadingWhite, NONE, letter_of_control};

use super::cut::cut;
use super::gap::Gap;
use super::letters::{has_word, is_of_word, is_unseen, is_white};
use super::tables::Sign;
use super::white::{White, is_unspaced};
use super::written::Written;
use super::{OpenElement, formula, marks};
use crate::config::Unit;
use crate::tree::{Block, Page, Run, TagEvent};

/// The block being filled, and the tags since the one before.
#[derive(Debug)]
pub(super) struct Line {
    /// Inline tags cut the line into blocks, too.
    pub(super) by_tag: bool,
    block: Option<Block>,
    /// Whether the block has a word character so far.
    word: bool,
    /// The text and the runs of the line begin here, in those of the page; and its blocks.
    first: First,
    /// Where the last word of the block ends in the page's text. Only known where inline tags cut.
    word_end: usize,
    /// Where the text after the last tag since that word begins, if there is one.
    tag_at: Option<usize>,
    /// What white space there is since the last text.
    pub(super) white: White,
    /// What else is between the last text and the next.
    pub(super) gap: Gap,
    /// The line begins after a newline that a style keeps.
    pub(super) is_after_newline: bool,
    /// A tag has been seen since the last text.
    tag_seen: bool,
    /// Tags before this index belong to finished blocks.
    pub(super) committed: u32,
    /// The same as it is written, in a `<pre>`.
    written: Written,
    /// The cells of tables that have no word.
    pub(super) signs: Vec<Sign>,
    /// The first white letter of the next text is none of the program.
    pub(super) skips_white: bool,
}

/// Where a line begins, by numbers of what the page had before.
#[derive(Debug, Default)]
struct First {
    text: usize,
    run: usize,
    block: usize,
}

impl Line {
    /// Before the first block.
    pub(super) fn new(unit: Unit) -> Line {
        Line {
            by_tag: unit == Unit::Tag,
            block: None,
            word: false,
            first: First::default(),
            word_end: 0,
            tag_at: None,
            white: White::None,
            gap: Gap::None,
            is_after_newline: false,
            tag_seen: false,
            committed: 0,
            written: Written::NOTHING,
            signs: Vec::new(),
            skips_white: false,
        }
    }

    /// Whether nothing stands in the line since the newline in the text that began it.
    pub(super) fn is_behind_newline(&self) -> bool {
        self.is_after_newline && self.block.is_none()
    }

    pub(super) fn tag(&mut self, page: &mut Page, event: TagEvent) {
        page.tags_between.push(event);
        self.tag_seen = true;
    }

    /// Adds white space outside of preformatted elements.
    pub(super) fn blank(&mut self, page: &mut Page, white: LeadingWhite) {
        self.written.begin(page, NONE);
        self.white = self.white.max(White::leading(white));
    }

    /// Adds text that stands directly in the element `open`.
    pub(super) fn text(&mut self, page: &mut Page, text: &str, open: &OpenElement) {
        self.written.begin(page, open.pre);
        let mut at = 0;
        loop {
            let (start, white) = skip_white(text, at);
            if self.written.is_in_pre() {
                let mut letters = text[at..start].chars();
                if std::mem::take(&mut self.skips_white) {
                    letters.next();
                }
                self.written.white(page, letters.as_str());
            }
            self.white = self.white.max(white);
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
    fn stretch(&mut self, page: &mut Page, text: &str, open: &OpenElement) {
        let at_start = self.block.is_none();
        let is_apart = !at_start && self.is_apart(page, text);
        if at_start {
            self.begin(page, open);
        }
        if is_apart {
            page.text.push(' ');
        }
        self.written.text(page, text, is_apart);
        (self.white, self.gap) = (White::None, Gap::None);
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
        let is_after_tag = std::mem::take(&mut self.tag_seen);
        if self.by_tag {
            self.tag_at = if is_after_tag {
                Some(start as usize)
            } else {
                self.tag_at
            };
            return self.cut_before(page, start as usize, open);
        }
        let Some(block) = &mut self.block else { return };
        block.hidden &= open.hidden;
        if !self.word && has_word(text) {
            self.word = true;
        }
        if self.word {
            page.tags_between.truncate(block.split.end as usize);
        }
    }

    /// Ends the block before the text that begins at `start`, if a tag stands between their words. What has no word stays
    /// with one that has. A line of a `<pre>` is not cut: its tags are colours of a program.
    fn cut_before(&mut self, page: &mut Page, start: usize, open: &OpenElement) {
        let text = &page.text[start..];
        let (Some(first), Some(last)) = (text.find(is_of_word), text.rfind(is_of_word)) else {
            return;
        };
        let end = text[last..]
            .chars()
            .next()
            .map_or(last, |letter| last + letter.len_utf8());
        let tag_at = self
            .tag_at
            .take()
            .filter(|_| self.word && !self.written.is_in_pre());
        let place = tag_at.and_then(|tag_at| {
            cut(
                &page.text[self.first.text..],
                [self.word_end, tag_at, start + first].map(|at| at - self.first.text),
            )
        });
        if let Some(Range { start, end }) = place {
            self.part(page, self.first.text + start..self.first.text + end);
        }
        let tags = page.tags_between.len() as u32;
        let Some(block) = &mut self.block else { return };
        if self.word {
            // The tags are within the block.
            page.tags_between.truncate(block.split.end as usize);
            block.hidden &= open.hidden;
        } else {
            block.split.end = tags;
            (block.element, block.hidden) = (open.element, open.hidden);
            (block.div, block.td, block.pre) = (open.div, open.td, open.pre);
        }
        self.word = true;
        self.word_end = start + end;
    }

    /// Ends the block where `white` begins, which is nothing or a space. The next one of the line begins behind it.
    fn part(&mut self, page: &mut Page, white: Range<usize>) {
        let Some(mut block) = self.block.take() else {
            return;
        };
        let (end, start) = (white.start as u32, white.end as u32);
        let behind = page.runs[block.runs.start as usize..].partition_point(|run| run.text.end <= end);
        let mut run = block.runs.start as usize + behind;
        if let Some(cut) = page.runs.get_mut(run).filter(|run| run.text.start < end) {
            let rest = Run {
                element: cut.element,
                text: start..std::mem::replace(&mut cut.text.end, end),
            };
            run += 1;
            page.runs.insert(run, rest);
        }
        let next = Block {
            text: start..start,
            runs: run as u32..run as u32,
            split: block.split.end..block.split.end,
            same_line: true,
            is_kept_line: false,
            ..block.clone()
        };
        (block.text.end, block.runs.end) = (end, run as u32);
        page.blocks.push(block);
        self.block = Some(next);
        self.word = false;
    }

    /// Whether a space is between the text of the line and the next.
    fn is_apart(&self, page: &Page, text: &str) -> bool {
        let before = &page.text[self.first.text..];
        match self.white {
            White::None => self.gap != Gap::None && self.gap.parts(before, text),
            // Boxes that stand one behind the other are apart in any script.
            White::Break if self.gap >= Gap::Names => true,
            white => white.parts(before, text.chars().next().unwrap_or(' ')),
        }
    }

    /// Whether a line of the source has ended in a script without spaces since the last text.
    pub(super) fn is_behind_source_line(&self, page: &Page) -> bool {
        self.white == White::Break && self.last_letter(page).is_some_and(is_unspaced)
    }

    /// Whether such a letter is directly before what follows.
    pub(super) fn is_behind(&self, page: &Page, is_it: impl Fn(char) -> bool) -> bool {
        self.white == White::None && self.last_letter(page).is_some_and(is_it)
    }

    fn last_letter(&self, page: &Page) -> Option<char> {
        self.block.as_ref()?;
        page.text.chars().next_back()
    }

    fn begin(&mut self, page: &Page, open: &OpenElement) {
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
            same_line: false,
            is_kept_line: self.is_after_newline && open.pre == NONE,
            written: 0..0,
        });
        self.first = First {
            text: page.text.len(),
            run: page.runs.len(),
            block: page.blocks.len(),
        };
        self.word = false;
        self.tag_at = None;
    }

    /// Ends the line, `is_break` where it is broken by hand.
    pub(super) fn end(&mut self, page: &mut Page, is_break: bool) {
        let blocks = page.blocks.len();
        self.end_block(page);
        self.is_after_newline = false;
        self.written.end_line(page, page.blocks.len() > blocks, is_break);
    }

    /// Where the line of a `<pre>` begins in what is written, if nothing stands in it so far.
    pub(super) fn empty_written(&self, page: &Page, pre: u32) -> Option<u32> {
        self.written.empty_line(page, pre)
    }

    /// A line of a program ends that is an element, and began there: it is one without text, too.
    pub(super) fn end_line_of_program(&mut self, page: &mut Page, start: Option<u32>) {
        if start == Some(page.written.len() as u32) {
            self.written.end_line(page, false, true);
        }
    }

    /// A preformatted element begins or ends with a tag, if the tag is of one.
    pub(super) fn end_pre(&mut self, page: &mut Page, is_pre: bool) {
        if is_pre {
            self.written.close(page);
        }
    }

    /// Drops the block that has begun: the page has all it may have.
    pub(super) fn forget(&mut self, page: &mut Page) {
        self.word = false;
        self.end_block(page);
        self.written.forget_line(page);
    }

    /// Ends the block. Without a word character, or with one only in definitions of commands for formulas, it is dropped, but not
    /// the tags around it.
    fn end_block(&mut self, page: &mut Page) {
        (self.white, self.gap) = (White::None, Gap::None);
        let Some(mut block) = self.block.take() else {
            return;
        };
        block.text.end = page.text.len() as u32;
        block.runs.end = page.runs.len() as u32;
        if self.word && !self.is_only_definitions(page, &block) {
            page.blocks.push(block);
        } else if !self.word
            && !self.by_tag
            && block.td != NONE
            && block.pre == NONE
            && block.text.len() <= LONGEST_SIGN
        {
            self.signs.push(Sign {
                before: page.blocks.len(),
                block,
            });
        } else {
            let end = block.text.start;
            page.text.truncate(end as usize);
            let in_line = page.images.iter_mut().rev().take_while(|image| image.at > end);
            in_line.for_each(|image| image.at = end);
            page.runs.truncate(block.runs.start as usize);
        }
        if let Some(last) = page.blocks[self.first.block..].last() {
            self.committed = last.split.end;
        }
        if !self.written.is_in_pre() {
            let blocks = self.first.block..page.blocks.len();
            blocks.for_each(|block| marks::leave_out(page, block, self.first.run));
        }
    }

    /// Whether a block is a formula that draws nothing.
    fn is_only_definitions(&self, page: &Page, block: &Block) -> bool {
        let text = &page.text[block.text.start as usize..];
        text.starts_with(['\\', '$']) && !self.written.is_in_pre() && formula::is_only_definitions(text)
    }
}

/// Maximum bytes of a text without a word: a longer one is a drawn line.
const LONGEST_SIGN: usize = 24;

/// The letter that stands at a place as a C1 control, and the length of that.
fn meant_at(text: &str, at: usize) -> Option<(char, usize)> {
    let letter = text[at..]
        .chars()
        .next()
        .filter(|_| text.as_bytes()[at] == 0xc2)?;
    letter_of_control(letter).map(|meant| (meant, letter.len_utf8()))
}

/// Where the next text to be kept begins, and what white space is before.
fn skip_white(text: &str, mut at: usize) -> (usize, White) {
    // Nearly all white space is ASCII, and a letter of ASCII is behind it.
    let leading = LeadingWhite::read(&text.as_bytes()[at..]);
    let mut white = White::leading(leading);
    at += leading.bytes();
    if text.as_bytes().get(at).is_none_or(u8::is_ascii_graphic) {
        return (at, white);
    }
    for letter in text[at..].chars() {
        if is_white(letter) {
            white = white.max(White::from_letter(letter));
        } else if !is_unseen(letter) {
            break;
        }
        at += letter.len_utf8();
    }
    (at, white)
}

/// Number of letters of words that are compared at once.
const AT_A_TIME: usize = 16;

/// Whether letters are of ASCII, with no more than a space between them. The last is only looked at for the one before.
fn are_words(letters: &[u8; AT_A_TIME + 1]) -> bool {
    let pairs = letters.iter().zip(&letters[1..]);
    pairs.fold(true, |are, (letter, next)| {
        are & (letter.is_ascii_graphic() | (*letter == b' ') & next.is_ascii_graphic())
    })
}

/// How far a text can be taken as it is: to white space other than a space between two words, to
/// what is not seen, or to what stands for another letter.
fn end_of_stretch(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut one_by_one = at;
    while let Some(&byte) = bytes.get(at) {
        if at >= one_by_one {
            if bytes[at..].first_chunk().is_some_and(are_words) {
                at += AT_A_TIME;
                continue;
            }
            one_by_one = at + AT_A_TIME;
        }
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
                if is_white(letter) || is_unseen(letter) || letter_of_control(letter).is_some() {
                    break;
                }
                at += letter.len_utf8();
            }
            _ => at += 1,
        }
    }
    at
}
