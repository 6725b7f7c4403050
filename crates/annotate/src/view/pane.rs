//! The page as it will read: the text of the blocks that are kept, around the cursor.
//!
//! Blocks without a decision count as what is suggested; where nothing may be suggested they are not
//! shown. The text is laid out as [`gleaner_document::assemble`] does it, but that preformatted text has its blocks alone and
//! no indentation; a paragraph at a time, and only as far as the screen goes.

use std::ops::Range;

use gleaner_content::Label;
use ratatui_core::layout::Rect;
use ratatui_core::style::Modifier;

use super::Canvas;
use super::theme::Theme;
use crate::app::App;
use crate::editor::Editor;
use crate::lines::{width, wrap};
use crate::pages::Pages;

/// Maximum characters of a paragraph laid out on each side of the block under the cursor.
const MOST_BYTES: usize = 10_000;
/// Maximum blocks without kept text that are skipped in search of one with text.
const MOST_NOISE: usize = 2_000;

/// Draws the text around the block under the cursor.
pub(super) fn draw<P: Pages>(app: &App<P>, mut canvas: Canvas<'_>) {
    let theme = Theme::new(app.options.colour);
    for row in 0..canvas.area.height {
        canvas.put((0, usize::from(row)), "│", theme.faint());
    }
    let inner = Rect {
        x: canvas.area.x + 2,
        width: canvas.area.width.saturating_sub(2),
        ..canvas.area
    };
    let mut inner = Canvas::new(inner, canvas.buffer);
    let text = Text {
        editor: &app.editor,
        cells: usize::from(inner.area.width).max(1),
    };
    let rows = usize::from(inner.area.height);
    let lines = text.around_cursor(rows);
    if lines.is_empty() {
        inner.put((0, 0), "(nothing is kept here)", theme.faint());
    }
    for (row, line) in lines.iter().take(rows).enumerate() {
        draw_line(line, row, theme, &mut inner);
    }
}

fn draw_line(line: &Line, row: usize, theme: Theme, canvas: &mut Canvas<'_>) {
    let style = theme.text(Some(line.label));
    canvas.put((0, row), &line.text, style);
    if !line.cursor.is_empty() {
        let x = width(&line.text[..line.cursor.start]);
        let marked = style.add_modifier(Modifier::REVERSED);
        canvas.put((x, row), &line.text[line.cursor.clone()], marked);
    }
}

/// A line of the text.
struct Line {
    text: String,
    label: Label,
    /// The part of it that is the block under the cursor.
    cursor: Range<usize>,
}

/// Blocks that make one paragraph, header or list item.
struct Paragraph {
    blocks: Range<usize>,
    label: Label,
    /// The label of the last block that is no continuation: what follows stands off from that.
    last_label: Label,
}

struct Text<'a> {
    editor: &'a Editor,
    cells: usize,
}

impl Text<'_> {
    /// What becomes of a block.
    fn label(&self, block: usize) -> Label {
        let decided = self.editor.decisions()[block].map(|decision| decision.label);
        decided
            .or_else(|| self.editor.suggested(block))
            .unwrap_or(Label::Other)
    }

    fn is_kept(&self, block: usize) -> bool {
        self.label(block).is_content()
    }

    /// Whether a kept block stands in the paragraph of the kept block before it.
    fn continues(&self, block: usize) -> bool {
        self.label(block) == Label::Continuation || self.is_next_line(block)
    }

    fn is_next_line(&self, block: usize) -> bool {
        self.editor.blocks()[block].next_line && block > 0 && self.is_kept(block - 1)
    }

    fn kept_before(&self, block: usize) -> Option<usize> {
        (block.saturating_sub(MOST_NOISE)..block)
            .rev()
            .find(|&before| self.is_kept(before))
    }

    fn kept_from(&self, block: usize) -> Option<usize> {
        let count = self.editor.blocks().len();
        (block..count.min(block + MOST_NOISE)).find(|&after| self.is_kept(after))
    }

    /// The paragraph that a kept block stands in.
    fn paragraph(&self, block: usize) -> Paragraph {
        let (mut first, mut bytes) = (block, 0);
        while self.continues(first) && bytes < MOST_BYTES {
            let Some(before) = self.kept_before(first) else {
                break;
            };
            bytes += self.editor.blocks()[before].shown().len();
            first = before;
        }
        let (mut last, mut bytes) = (block, 0);
        while let Some(next) = self.kept_from(last + 1).filter(|&next| self.continues(next)) {
            bytes += self.editor.blocks()[last].shown().len();
            if bytes > MOST_BYTES {
                break;
            }
            last = next;
        }
        self.paragraph_of(first..last + 1)
    }

    fn paragraph_of(&self, blocks: Range<usize>) -> Paragraph {
        let label = self.label(blocks.start);
        let begins = |label: &Label| label.is_content() && *label != Label::Continuation;
        let last_label = blocks.clone().rev().map(|block| self.label(block)).find(begins);
        Paragraph {
            blocks,
            label,
            last_label: last_label.unwrap_or(label),
        }
    }

    /// As many lines as there is room for, with the cursor's in the upper half.
    fn around_cursor(&self, rows: usize) -> Vec<Line> {
        let cursor = self.editor.cursor();
        if cursor >= self.editor.blocks().len() {
            return Vec::new();
        }
        let kept = Some(cursor).filter(|&block| self.is_kept(block));
        let Some(at) = kept
            .or_else(|| self.kept_before(cursor))
            .or_else(|| self.kept_from(cursor))
        else {
            return Vec::new();
        };
        let here = self.paragraph(at);
        let mut lines = self.lines(&here);
        let of_cursor = lines.iter().position(|line| !line.cursor.is_empty()).unwrap_or(0);
        self.fill_above(&here, &mut lines, (rows / 2).saturating_sub(of_cursor));
        let first = lines.iter().position(|line| !line.cursor.is_empty()).unwrap_or(0);
        let above = first.saturating_sub(rows / 2);
        lines.drain(..above);
        self.fill_below(here, &mut lines, rows);
        lines
    }

    fn fill_above(&self, from: &Paragraph, lines: &mut Vec<Line>, rows: usize) {
        let mut above = Vec::new();
        let (mut first, mut label) = (from.blocks.start, from.label);
        while above.len() < rows
            && let Some(before) = self.kept_before(first)
        {
            let paragraph = self.paragraph(before);
            let mut more = self.lines(&paragraph);
            more.extend(gap(paragraph.last_label, label));
            more.append(&mut above);
            above = more;
            (first, label) = (paragraph.blocks.start, paragraph.label);
        }
        let surplus = above.len().saturating_sub(rows);
        above.drain(..surplus);
        lines.splice(0..0, above);
    }

    fn fill_below(&self, from: Paragraph, lines: &mut Vec<Line>, rows: usize) {
        let mut before = from;
        while lines.len() < rows
            && let Some(next) = self.kept_from(before.blocks.end)
        {
            let paragraph = self.paragraph_from(next);
            lines.extend(gap(before.last_label, paragraph.label));
            lines.extend(self.lines(&paragraph));
            before = paragraph;
        }
    }

    /// The paragraph from a block on, even if the block continues another: a long paragraph is cut there.
    fn paragraph_from(&self, block: usize) -> Paragraph {
        let whole = self.paragraph(block);
        self.paragraph_of(block..whole.blocks.end)
    }

    /// The lines of a paragraph.
    fn lines(&self, paragraph: &Paragraph) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let mut part = PanePart::default();
        for block in paragraph.blocks.clone().filter(|&block| self.is_kept(block)) {
            if self.is_next_line(block) && !part.text.is_empty() {
                lines.extend(std::mem::take(&mut part).wrapped(paragraph.label, self.cells));
            }
            part.add(self.editor.blocks()[block].shown(), block == self.editor.cursor());
        }
        lines.extend(part.wrapped(paragraph.label, self.cells));
        lines
    }
}

/// An empty line, but for items of one list.
fn gap(before: Label, after: Label) -> Option<Line> {
    let is_list = before == Label::List && after == Label::List;
    (!is_list).then(|| Line {
        text: String::new(),
        label: Label::Paragraph,
        cursor: 0..0,
    })
}

/// Text that is yet to be broken into lines.
#[derive(Default)]
struct PanePart {
    text: String,
    cursor: Range<usize>,
}

impl PanePart {
    fn add(&mut self, text: &str, is_cursor: bool) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        let start = self.text.len();
        let end = text.floor_char_boundary(text.len().min(2 * MOST_BYTES));
        self.text.push_str(&text[..end]);
        if is_cursor {
            self.cursor = start..self.text.len();
        }
    }

    fn wrapped(self, label: Label, cells: usize) -> Vec<Line> {
        let line = |range: Range<usize>| {
            let within = |at: usize| at.clamp(range.start, range.end) - range.start;
            Line {
                text: self.text[range.clone()].to_owned(),
                label,
                cursor: within(self.cursor.start)..within(self.cursor.end),
            }
        };
        wrap(&self.text, cells).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use gleaner_document::{Piece, assemble};
    use gleaner_gold::annotation::{By, Decision};
    use gleaner_page::{Joint, Tabs};
    use proptest::prelude::*;

    use super::*;
    use crate::Block;
    use crate::editor::Motion;

    fn editor(blocks: &[(usize, bool)]) -> Editor {
        let made = blocks.iter().enumerate().map(|(at, &(_, next_line))| Block {
            next_line,
            ..Block::new(&format!("b{at}"), "p".into())
        });
        let decision = |&(label, _): &(usize, bool)| {
            Some(Decision {
                label: Label::ALL[label],
                by: By::Hand,
            })
        };
        Editor::new(made.collect(), blocks.iter().map(decision).collect())
    }

    fn drawn(editor: &Editor, rows: usize) -> String {
        let text = Text { editor, cells: 1000 };
        let lines = text.around_cursor(rows);
        lines
            .iter()
            .take(rows)
            .map(|line| line.text.clone() + "\n")
            .collect()
    }

    proptest! {
        /// What is shown is what will be written, a part of it on small screens.
        #[test]
        fn it_reads_as_it_will_be_written(
            blocks in prop::collection::vec((0usize..5, any::<bool>()), 1..20),
            cursor in 0usize..20,
            rows in 1usize..12,
        ) {
            let mut editor = editor(&blocks);
            editor.go(Motion::To(cursor));
            let pieces = editor.blocks().iter().zip(&blocks).enumerate().map(|(at, (block, &(label, next_line)))| Piece {
                text: block.text(),
                label: Label::ALL[label],
                // The first line of a page is never the next.
                joint: match next_line && at > 0 {
                    true => Joint::Line,
                    false => Joint::Apart,
                },
                tabs: Tabs::default(),
            });
            let written = assemble(pieces);
            prop_assert_eq!(&drawn(&editor, 1000), &written);
            let part = drawn(&editor, rows);
            let part = part.trim_matches('\n');
            prop_assert!(written.contains(part), "{:?} is not in {:?}", part, written);
            let own = format!("b{}", editor.cursor());
            let is_kept = Label::ALL[blocks[editor.cursor()].0].is_content();
            prop_assert!(!is_kept || part.split_ascii_whitespace().any(|word| word == own));
        }
    }

    #[test]
    fn the_block_under_the_cursor_is_marked() {
        let mut editor = editor(&[(1, false), (3, false), (3, false)]);
        editor.go(Motion::To(1));
        let lines = Text {
            editor: &editor,
            cells: 5,
        }
        .around_cursor(5);
        let marked: Vec<&str> = lines.iter().map(|line| &line.text[line.cursor.clone()]).collect();
        assert_eq!(marked, ["b1", ""]);
    }
}
