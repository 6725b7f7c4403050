//! What covers the blocks: the help, and the whole text of one block.

use super::Canvas;
use super::theme::Theme;
use crate::app::{App, Mode};
use crate::keys::HELP;
use crate::lines::wrap;
use crate::pages::Pages;

/// Columns of the keys in the help, where there is room for them.
const KEYS: usize = 18;
/// Minimum width of a screen with that room.
const WIDE: usize = 56;
/// Minimum width beside a key: with less, its description stands below it, indented by this much.
const LEAST: usize = 13;
const INDENT: usize = 4;

/// A line of the help: a key, and from a column on what it does; or the name of a part.
struct HelpLine {
    key: &'static str,
    column: usize,
    text: &'static str,
}

/// Draws the help.
pub(super) fn help<P: Pages>(app: &mut App<P>, mut canvas: Canvas<'_>) {
    let theme = Theme::new(app.options.colour);
    let lines = help_lines(usize::from(canvas.area.width));
    let rows = usize::from(canvas.area.height);
    app.scroll.overlay_rows = rows;
    let Mode::Help { top } = &mut app.mode else { return };
    *top = (*top).min(lines.len().saturating_sub(rows));
    for (row, line) in lines.iter().skip(*top).take(rows).enumerate() {
        let style = if line.column == 1 {
            theme.strong()
        } else {
            theme.text(None)
        };
        canvas.put((2, row), line.key, theme.strong());
        canvas.put((line.column, row), line.text, style);
    }
}

fn help_lines(screen: usize) -> Vec<HelpLine> {
    let mut lines = Vec::new();
    for &(key, text) in HELP {
        let beside = if screen >= WIDE { KEYS + 2 } else { key.len() + 3 };
        let is_below = !key.is_empty() && beside + LEAST > screen;
        let column = match key {
            "" => 1,
            _ if is_below => INDENT,
            _ => beside,
        };
        // A line before each part but the first, and a key that is too long for one line with what it does.
        if is_below || (key.is_empty() && !lines.is_empty()) {
            lines.push(HelpLine {
                key,
                column,
                text: "",
            });
        }
        for (number, line) in wrap(text, screen.saturating_sub(column).max(1)).enumerate() {
            let key = if number == 0 && !is_below { key } else { "" };
            let text = &text[line];
            lines.push(HelpLine { key, column, text });
        }
    }
    lines
}

/// Draws the text of the block under the cursor from a line on.
pub(super) fn reader<P: Pages>(app: &mut App<P>, mut canvas: Canvas<'_>) {
    let rows = usize::from(canvas.area.height);
    app.scroll.overlay_rows = rows;
    let Some(block) = app.editor.blocks().get(app.editor.cursor()) else {
        return;
    };
    let cells = usize::from(canvas.area.width).saturating_sub(2).max(1);
    let text = block.shown();
    let Mode::Reader { top } = &mut app.mode else {
        return;
    };
    let lines = wrap(text, cells).take(top.saturating_add(rows)).count();
    *top = (*top).min(lines.saturating_sub(rows));
    for (row, line) in wrap(text, cells).skip(*top).take(rows).enumerate() {
        canvas.put((1, row), &text[line], Theme::new(app.options.colour).text(None));
    }
}
