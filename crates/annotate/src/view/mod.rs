//! The screen: a title line, the blocks, a line about the block under the cursor, and a line of keys or messages.
//!
//! Only visible blocks are drawn: the cost depends on the lines of the screen, not on the length of the page.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

use crate::app::{App, Mode};
use crate::lines::beginning;
use crate::pages::Pages;

mod bars;
mod list;
mod overlay;
mod pane;
mod theme;

/// The narrowest screen on which the text is shown beside the blocks.
const PANE_WIDTH: u16 = 64;

/// The lowest screen with a line on the block under the cursor.
const INFO_HEIGHT: u16 = 8;

impl<P: Pages> App<P> {
    /// Draws the screen.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        let (title, rest) = split_top(area);
        let (main, status) = split_bottom(rest);
        bars::title(self, title, buffer);
        bars::status(self, status, buffer);
        match &mut self.mode {
            Mode::Help { .. } => overlay::help(self, main, buffer),
            Mode::Reader { .. } => overlay::reader(self, main, buffer),
            _ => self.draw_blocks(main, buffer),
        }
    }

    fn draw_blocks(&mut self, main: Rect, buffer: &mut Buffer) {
        let mut main = main;
        if main.height + 2 >= INFO_HEIGHT {
            let (rest, info) = split_bottom(main);
            bars::info(self, info, buffer);
            main = rest;
        }
        if self.options.render && main.width >= PANE_WIDTH {
            let width = main.width * 3 / 5;
            let right = Rect {
                x: main.x + width,
                width: main.width - width,
                ..main
            };
            pane::draw(self, right, buffer);
            main.width = width;
        }
        list::draw(self, main, buffer);
    }
}

fn split_top(area: Rect) -> (Rect, Rect) {
    let height = area.height.min(1);
    let top = Rect { height, ..area };
    let rest = Rect {
        y: area.y + height,
        height: area.height - height,
        ..area
    };
    (top, rest)
}

fn split_bottom(area: Rect) -> (Rect, Rect) {
    let height = area.height.min(1);
    let rest = Rect {
        height: area.height - height,
        ..area
    };
    let bottom = Rect {
        y: rest.bottom(),
        height,
        ..area
    };
    (rest, bottom)
}

/// Writes a text into a line of an area, from a column on, as far as there is room. Returns the
/// column after it.
fn put(buffer: &mut Buffer, area: Rect, (x, y): (usize, usize), text: &str, style: Style) -> usize {
    let room = usize::from(area.width).saturating_sub(x);
    if y >= usize::from(area.height) || room == 0 {
        return x;
    }
    let text = beginning(text, room);
    let (end, _) = buffer.set_stringn(area.x + x as u16, area.y + y as u16, text, room, style);
    usize::from(end - area.x)
}
