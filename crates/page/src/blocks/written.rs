//! The lines of a `<pre>` as they are written: with their indentation, with what stands in columns, and with the lines
//! that have no word and so are no blocks, such as a closing brace.

use super::letters::is_white;
use gleaner_html::NONE;

use crate::Page;

/// The lines since a `<pre>` began, in [`Page::written`]. A line without a block belongs to the block before it, or where
/// there is none to the first.
#[derive(Debug)]
pub(super) struct Written {
    /// The element, [`NONE`] outside of any.
    pre: u32,
    /// Where its lines begin.
    first: u32,
    /// Where the last line begins.
    line: u32,
    /// Its last block.
    last: Option<usize>,
}

impl Written {
    /// Outside of any `<pre>`.
    pub(super) const NOTHING: Written = Written {
        pre: NONE,
        first: 0,
        line: 0,
        last: None,
    };

    /// Whether lines are taken as they are written.
    pub(super) fn is_in_pre(&self) -> bool {
        self.pre != NONE
    }

    /// Text of a `<pre>` follows; or of none.
    pub(super) fn begin(&mut self, page: &Page, pre: u32) {
        if self.pre != pre {
            let first = page.written.len() as u32;
            *self = Written {
                pre,
                first,
                line: first,
                last: None,
            };
        }
    }

    /// Where the line begins, if it is one of this `<pre>` and has nothing but white space.
    pub(super) fn empty_line(&self, page: &Page, pre: u32) -> Option<u32> {
        let end = page.written.len();
        let line = if self.pre == pre { self.line as usize } else { end };
        page.written[line..]
            .trim_start()
            .is_empty()
            .then_some(line as u32)
    }

    /// Adds white space, and what is not seen. Where a line begins, a newline and what indents the next line of the source
    /// are none of the program.
    pub(super) fn white(&self, page: &mut Page, white: &str) {
        if self.pre != NONE {
            let is_start = page.written.len() == self.line as usize;
            let white = match white.rfind('\n').filter(|_| is_start) {
                Some(end) => white[end..].trim_start_matches(['\n', ' ', '\t']),
                None => white,
            };
            let seen = white.chars().filter(|&letter| is_white(letter));
            let seen = seen.map(|letter| if letter == '\t' { '\t' } else { ' ' });
            page.written.extend(seen);
        }
    }

    /// Adds text that is not white, a space before it if it is apart from the text before.
    pub(super) fn text(&self, page: &mut Page, text: &str, is_apart: bool) {
        if self.pre != NONE {
            if is_apart && !page.written.ends_with([' ', '\t']) {
                page.written.push(' ');
            }
            page.written.push_str(text);
        }
    }

    /// Ends a line; `is_block` if it is the last block of the page so far. Where boxes begin and end there is no empty
    /// line, after a break there may be one (`is_break`).
    pub(super) fn end_line(&mut self, page: &mut Page, is_block: bool, is_break: bool) {
        if self.pre == NONE {
            return;
        }
        let line = self.line as usize;
        let end = line + page.written[line..].trim_end_matches([' ', '\t']).len();
        page.written.truncate(end);
        if is_block {
            self.block(page);
        }
        if is_break || end > line {
            page.written.push('\n');
        }
        self.line = page.written.len() as u32;
    }

    /// Drops the line that has begun.
    pub(super) fn forget_line(&self, page: &mut Page) {
        if self.pre != NONE {
            page.written.truncate(self.line as usize);
        }
    }

    /// Makes the last line that of the last block.
    fn block(&mut self, page: &mut Page) {
        let own = page.blocks.len() - 1;
        let start = match self.last.replace(own) {
            Some(before) => {
                // Without the newline of its last line.
                page.blocks[before].written.end = self.line - 1;
                self.line
            }
            None => {
                let above = &page.written[self.first as usize..];
                self.first + (above.len() - above.trim_start_matches('\n').len()) as u32
            }
        };
        page.blocks[own].written = start..page.written.len() as u32;
    }

    /// The `<pre>` begins or ends, after the end of a line. Lines without any block are dropped.
    pub(super) fn close(&mut self, page: &mut Page) {
        if self.pre == NONE {
            return;
        }
        let end = match self.last {
            Some(_) => page.written.trim_end().len(),
            None => self.first as usize,
        };
        page.written.truncate(end);
        if let Some(last) = self.last {
            page.blocks[last].written.end = end as u32;
        }
        *self = Written::NOTHING;
    }
}
