//! The blocks: number, label, suggestion, tag path and text of each.

use std::ops::Range;

use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

use super::Canvas;
use super::theme::{Theme, mark, short};
use crate::app::{App, Mode};
use crate::editor::Editor;
use crate::lines::{beginning, ending, width, wrap};
use crate::pages::Pages;
use crate::search::Pattern;

/// Maximum lines per block that is not under the cursor.
const LINES: usize = 2;
/// Maximum lines of the block under the cursor.
const MOST_LINES: usize = 12;

/// Where the columns begin, and how wide they are.
struct Columns {
    number: Range<usize>,
    label: Range<usize>,
    suggestion: Range<usize>,
    path: Range<usize>,
    text: usize,
    text_width: usize,
    /// Labels are a letter.
    tiny: bool,
}

impl Columns {
    /// Columns for a screen: the narrower, the fewer.
    fn new(screen: usize, blocks: usize, has_suggestions: bool) -> Columns {
        let tiny = screen < 36;
        let digits = blocks.max(1).ilog10() as usize + 1;
        let mut at = 1;
        let mut column = |width: usize, gap: usize| {
            let range = at..at + width;
            at += width + if width > 0 { gap } else { 0 };
            range
        };
        let number = column(if tiny { 0 } else { digits }, 1);
        let label = column(if tiny { 1 } else { 6 }, if tiny { 0 } else { 1 });
        let suggestion = match (has_suggestions, tiny, screen) {
            (false, ..) => 0,
            (_, true, _) => 1,
            (_, _, 36..60) => 4,
            _ => 10,
        };
        let suggestion = column(suggestion, if tiny { 0 } else { 1 });
        let path = column(if screen >= 72 { (screen / 7).min(28) } else { 0 }, 2);
        let text = if tiny { at + 1 } else { at };
        Columns {
            number,
            label,
            suggestion,
            path,
            text,
            text_width: screen.saturating_sub(text).max(1),
            tiny,
        }
    }
}

/// Draws the blocks around the cursor.
pub(super) fn draw<P: Pages>(app: &mut App<P>, mut canvas: Canvas<'_>) {
    let editor = &app.editor;
    let theme = Theme::new(app.options.colour);
    let (rows, blocks) = (usize::from(canvas.area.height), editor.blocks().len());
    if blocks == 0 {
        canvas.put((1, 0), "(this page has no text)", theme.faint());
        return;
    }
    if rows == 0 {
        return;
    }
    let columns = Columns::new(usize::from(canvas.area.width), blocks, !app.options.blind);
    let lines = |block: usize| {
        let text = editor.blocks()[block].shown();
        wrap(text, columns.text_width)
            .take(most_lines(block == editor.cursor(), rows))
            .count()
            .max(1)
    };
    app.scroll.follow(editor.cursor(), blocks, rows, lines);
    let typed = match &app.mode {
        Mode::Search { input, .. } => Pattern::new(input),
        _ => app.pattern.clone(),
    };
    let mut screen = Screen {
        canvas,
        columns,
        theme,
        pattern: typed,
    };
    let mut row = 0;
    app.scroll.visible = 0;
    for block in app.scroll.top..blocks {
        row += screen.block(editor, block, row);
        app.scroll.visible += 1;
        if row >= rows {
            break;
        }
    }
}

fn most_lines(is_cursor: bool, rows: usize) -> usize {
    match is_cursor {
        true => (rows / 3).clamp(LINES, MOST_LINES).min(rows),
        false if rows <= 6 => 1,
        false => LINES.min(rows),
    }
}

struct Screen<'a> {
    canvas: Canvas<'a>,
    columns: Columns,
    theme: Theme,
    pattern: Pattern,
}

impl Screen<'_> {
    /// Draws a block from a line on; returns how many lines it has.
    fn block(&mut self, editor: &Editor, block: usize, row: usize) -> usize {
        let is_cursor = block == editor.cursor();
        let is_selected = editor.is_selecting() && editor.selection().contains(&block);
        let own = &editor.blocks()[block];
        let style = self.style(editor, block);
        let most = most_lines(is_cursor, usize::from(self.canvas.area.height));
        let mut lines: Vec<Range<usize>> = wrap(own.shown(), self.columns.text_width)
            .take(most + 1)
            .collect();
        let is_cut = lines.len() > most;
        lines.truncate(most);
        for (line, range) in lines.iter().enumerate() {
            let is_last = is_cut && line + 1 == most;
            self.text(own.shown(), range.clone(), row + line, style, is_last);
        }
        self.head(editor, block, row);
        let height = lines.len().max(1);
        for line in row..row + height {
            let marker = match (is_cursor, is_selected) {
                (true, _) => ">",
                (_, true) => "|",
                _ => " ",
            };
            self.canvas.put((0, line), marker, self.theme.strong());
        }
        if is_selected {
            self.reverse(row, height);
        }
        height
    }

    fn style(&self, editor: &Editor, block: usize) -> Style {
        let decided = editor.decisions()[block].map(|decision| decision.label);
        let style = self.theme.text(decided.or_else(|| editor.suggested(block)));
        match block == editor.cursor() {
            true => style.remove_modifier(Modifier::DIM).add_modifier(Modifier::BOLD),
            false => style,
        }
    }

    /// Number, label, suggestion and path.
    fn head(&mut self, editor: &Editor, block: usize, row: usize) {
        let Columns {
            number,
            label,
            suggestion,
            path,
            tiny,
            ..
        } = &self.columns;
        let own = &editor.blocks()[block];
        let mut write = |range: &Range<usize>, text: &str, style: Style| {
            self.canvas
                .put((range.start, row), beginning(text, range.len()), style);
        };
        let digits = number.len();
        write(number, &format!("{:>digits$}", block + 1), self.theme.faint());
        match editor.decisions()[block] {
            Some(decision) if *tiny => {
                write(
                    label,
                    &short(decision.label)[..1],
                    self.theme.label(decision.label),
                );
            }
            Some(decision) => {
                let text = format!("{}{}", short(decision.label), mark(decision));
                write(
                    label,
                    &text,
                    self.theme.label(decision.label).add_modifier(Modifier::BOLD),
                );
            }
            None => write(label, ".", self.theme.strong()),
        }
        if let Some(suggested) = own.suggestion {
            let percent = (suggested.confidence * 100.0).round();
            let text = match suggestion.len() {
                0..=1 => short(suggested.label)[..1].to_owned(),
                2..=4 => format!("{}{percent:>3}", &short(suggested.label)[..1]),
                _ => format!("{:5} {percent:>3}%", short(suggested.label)),
            };
            let style = self.theme.label(suggested.label).add_modifier(Modifier::DIM);
            write(suggestion, &text, style);
        }
        write(path, &clipped_path(&own.path, path.len()), self.theme.faint());
    }

    /// A line of text, with what is searched for marked.
    fn text(&mut self, text: &str, range: Range<usize>, row: usize, style: Style, is_cut: bool) {
        let line = &text[range];
        let x = self.columns.text;
        if is_cut {
            let room = self.columns.text_width.saturating_sub(1);
            let end = self.canvas.put((x, row), beginning(line, room), style);
            self.canvas.put((end, row), "…", style);
        } else {
            self.canvas.put((x, row), line, style);
        }
        let mut from = 0;
        while let Some(found) = self.pattern.find(line, from) {
            let at = x + width(&line[..found.start]);
            self.canvas
                .put((at, row), &line[found.clone()], style.patch(self.theme.found()));
            from = found.end;
        }
    }

    fn reverse(&mut self, row: usize, height: usize) {
        let lines = Rect {
            y: self.canvas.area.y + row as u16,
            height: height.min(usize::from(self.canvas.area.height).saturating_sub(row)) as u16,
            ..self.canvas.area
        };
        self.canvas
            .buffer
            .set_style(lines, Style::new().add_modifier(Modifier::REVERSED));
    }
}

/// The end of a path, its most specific part.
pub(super) fn clipped_path(path: &str, cells: usize) -> String {
    match width(path) <= cells {
        true => path.to_owned(),
        false => format!("…{}", ending(path, cells.saturating_sub(1))),
    }
}
