//! The lines above and below the blocks.

use super::Canvas;
use super::list::clipped_path;
use super::theme::{Theme, short};
use crate::app::{App, Mode};
use crate::lines::{beginning, ending, harmless, width};
use crate::pages::Pages;

/// The keys that the last line shows, the most wanted first.
const HINTS: &[&str] = &[
    "p para",
    "h head",
    "l list",
    "c cont",
    "o other",
    "? help",
    "Enter accept",
    "u undo",
    "v range",
    "s unsure",
    "Tab next",
    "} page",
    "q quit",
];

/// Which page it is, and how far one has come.
pub(super) fn title<P: Pages>(app: &App<P>, mut canvas: Canvas<'_>) {
    let style = Theme::new(app.options.colour).bar();
    canvas.buffer.set_style(canvas.area, style);
    let pages = app.pages.count();
    let done = (0..pages)
        .filter(|&page| app.pages.about(page).is_complete())
        .count();
    let (labelled, blocks) = (app.editor.done(), app.editor.blocks().len());
    let screen = usize::from(canvas.area.width);
    let unsaved = if app.unsaved { "not saved  " } else { "" };
    let right = match screen {
        0..40 => format!("{labelled}/{blocks}"),
        40..64 => format!("{unsaved}{labelled}/{blocks}  {done}/{pages} "),
        _ => format!("{unsaved}{labelled} of {blocks} blocks, {done} of {pages} pages done "),
    };
    let about = app.pages.about(app.at);
    let name = readable(about.name);
    let name = harmless(&name).map_or(name, String::from);
    let left = format!(" {}/{pages} {name}", app.at + 1);
    let room = screen.saturating_sub(width(&right) + 1);
    let end = canvas.put((0, 0), beginning(&left, room), style);
    if width(&left) > room && room > 0 {
        canvas.put((end.saturating_sub(1), 0), "…", style);
    }
    canvas.put((screen.saturating_sub(width(&right)), 0), &right, style);
}

/// An address with letters where it has their codes (`%D9%85`); as it is, where those are no text.
fn readable(address: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(address.len()), address.as_bytes());
    while let Some((&first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .filter(|_| first == b'%')
            .and_then(|code| str::from_utf8(code).ok());
        let byte = code
            .and_then(|code| u8::from_str_radix(code, 16).ok())
            .filter(|byte| !byte.is_ascii());
        bytes.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| address.to_owned())
}

/// The block under the cursor: its path, and what is suggested.
pub(super) fn info<P: Pages>(app: &App<P>, mut canvas: Canvas<'_>) {
    let theme = Theme::new(app.options.colour);
    let cursor = app.editor.cursor();
    let Some(block) = app.editor.blocks().get(cursor) else {
        return;
    };
    let mut right = match block.suggestion {
        Some(own) => format!("{} {:.0}%", own.label.name(), own.confidence * 100.0),
        None => String::new(),
    };
    if let Some(decision) = app.editor.decisions()[cursor] {
        let suggested = if right.is_empty() { "" } else { ", suggested: " };
        right = format!(
            "{} ({}){suggested}{right}",
            decision.label.name(),
            decision.by.name()
        );
    } else if !right.is_empty() {
        right = format!("suggested: {right}");
    }
    let screen = usize::from(canvas.area.width);
    let right = beginning(&right, screen.saturating_sub(2));
    let room = screen.saturating_sub(width(right) + 3);
    canvas.put((1, 0), &clipped_path(&block.path, room), theme.faint());
    canvas.put((screen.saturating_sub(width(right) + 1), 0), right, theme.faint());
}

/// A message, what is typed, or keys.
pub(super) fn status<P: Pages>(app: &App<P>, mut canvas: Canvas<'_>) {
    let theme = Theme::new(app.options.colour);
    let screen = usize::from(canvas.area.width);
    if let Mode::Search { input, .. } = &app.mode {
        let end = canvas.put((0, 0), "/", theme.strong());
        // The end of what is typed, with room for the cursor.
        let end = canvas.put((end, 0), ending(input, screen.saturating_sub(2)), theme.strong());
        canvas.put((end, 0), " ", theme.bar());
        return;
    }
    if let Some(message) = &app.message {
        let style = if message.is_error {
            theme.error()
        } else {
            theme.strong()
        };
        let text = harmless(&message.text).map_or_else(|| message.text.clone(), String::from);
        // The end of a long message has the remedy.
        let text = match width(&text) < screen {
            true => text,
            false => format!("…{}", ending(&text, screen.saturating_sub(2))),
        };
        canvas.put((1.min(screen), 0), &text, style);
        return;
    }
    let count = match app.count {
        0 => String::new(),
        count => format!("{count} "),
    };
    let room = screen.saturating_sub(count.len());
    canvas.put((1, 0), &hints(app, room), theme.faint());
    canvas.put((room, 0), &count, theme.strong());
}

fn hints<P: Pages>(app: &App<P>, room: usize) -> String {
    match app.mode {
        Mode::Help { .. } | Mode::Reader { .. } => "j k PgDn PgUp scroll, Esc closes".to_owned(),
        _ if app.editor.is_selecting() => {
            let selected = app.editor.selection().count();
            let letters = gleaner_content::Label::ALL
                .map(|label| &short(label)[..1])
                .join(" ");
            format!("{selected} selected: {letters}, Esc")
        }
        _ => {
            let mut line = String::new();
            for hint in HINTS {
                if line.len() + hint.len() + 3 > room {
                    break;
                }
                line.push_str(hint);
                line.push_str("  ");
            }
            line
        }
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn addresses_are_shown_in_letters() {
        assert_eq!(readable("http://a/%D9%85%20%e7%81%af%"), "http://a/م%20灯%");
        assert_eq!(readable("http://a/%e9t%e9"), "http://a/%e9t%e9");
        assert_eq!(readable("http://a/%+1%0a%1"), "http://a/%+1%0a%1");
    }
}
