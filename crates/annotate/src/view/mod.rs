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

/// Minimum width of a screen that shows the text beside the blocks.
const PANE_WIDTH: u16 = 64;

/// Minimum height of a screen with a line on the block under the cursor.
const INFO_HEIGHT: u16 = 8;

impl<P: Pages> App<P> {
    /// Draws the screen.
    pub fn draw(&mut self, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        let (title, rest) = split(area, 1);
        let (main, status) = split(rest, rest.height.saturating_sub(1));
        bars::title(self, Canvas::new(title, buffer));
        bars::status(self, Canvas::new(status, buffer));
        match &mut self.mode {
            Mode::Help { .. } => overlay::help(self, Canvas::new(main, buffer)),
            Mode::Reader { .. } => overlay::reader(self, Canvas::new(main, buffer)),
            _ => self.draw_blocks(main, buffer),
        }
    }

    fn draw_blocks(&mut self, main: Rect, buffer: &mut Buffer) {
        let mut main = main;
        if main.height + 2 >= INFO_HEIGHT {
            let (rest, info) = split(main, main.height.saturating_sub(1));
            bars::info(self, Canvas::new(info, buffer));
            main = rest;
        }
        if self.options.render && main.width >= PANE_WIDTH {
            let width = main.width * 3 / 5;
            let right = Rect {
                x: main.x + width,
                width: main.width - width,
                ..main
            };
            pane::draw(self, Canvas::new(right, buffer));
            main.width = width;
        }
        list::draw(self, Canvas::new(main, buffer));
    }
}

/// The first lines of an area, and the rest.
fn split(area: Rect, lines: u16) -> (Rect, Rect) {
    let height = area.height.min(lines);
    let rest = Rect {
        y: area.y + height,
        height: area.height - height,
        ..area
    };
    (Rect { height, ..area }, rest)
}

/// A part of the screen to write on.
struct Canvas<'a> {
    area: Rect,
    buffer: &'a mut Buffer,
}

impl<'a> Canvas<'a> {
    fn new(area: Rect, buffer: &'a mut Buffer) -> Canvas<'a> {
        Canvas { area, buffer }
    }

    /// Writes a text into a line, from a column on, as far as there is room. Returns the column after it.
    fn put(&mut self, (x, y): (usize, usize), text: &str, style: Style) -> usize {
        let area = self.area;
        let room = usize::from(area.width).saturating_sub(x);
        if y >= usize::from(area.height) || room == 0 {
            return x;
        }
        let text = beginning(text, room);
        let (x, y) = (area.x + x as u16, area.y + y as u16);
        let (end, _) = self.buffer.set_stringn(x, y, text, room, style);
        usize::from(end - area.x)
    }
}
