//! What each key does.

use gleaner_content::Label;

use crate::editor::{Edit, Motion};

/// A key as it comes from a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the key of that name")]
pub enum Key {
    /// A character; a capital letter means Shift.
    Char(char),
    /// A letter with Ctrl.
    Ctrl(char),
    Up,
    Down,
    ShiftUp,
    ShiftDown,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Esc,
}

/// What a key does outside of a search and an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Edit(Edit),
    Go(Motion),
    /// Half screens down; negative for up.
    Screens(i32),
    First,
    /// To the block of the number typed before, else the last.
    Last,
    Select,
    /// Extends the selection, and moves.
    Extend(Motion),
    Search,
    SearchAgain,
    SearchBack,
    /// Pages forward; negative for back.
    Pages(i32),
    NextUnfinished,
    PreviousUnfinished,
    /// After a label, to the least certain block instead of the next.
    ToggleWalk,
    ToggleRender,
    Read,
    Help,
    Overwrite,
    Redraw,
    Suspend,
    Quit,
    Cancel,
    Digit(usize),
}

/// The command of a key.
pub(crate) fn command(key: Key) -> Option<Command> {
    Some(match key {
        Key::Char(c) => return letter(c),
        Key::Ctrl(c) => return control(c),
        Key::Up => Command::Go(Motion::Up(1)),
        Key::Down => Command::Go(Motion::Down(1)),
        Key::ShiftUp => Command::Extend(Motion::Up(1)),
        Key::ShiftDown => Command::Extend(Motion::Down(1)),
        Key::PageUp => Command::Screens(-2),
        Key::PageDown => Command::Screens(2),
        Key::Home => Command::First,
        Key::End => Command::Last,
        Key::Enter => Command::Edit(Edit::Accept),
        Key::Tab => Command::Go(Motion::NextOpen),
        Key::BackTab => Command::Go(Motion::PreviousOpen),
        Key::Backspace | Key::Delete => Command::Edit(Edit::Clear),
        Key::Esc => Command::Cancel,
    })
}

fn letter(c: char) -> Option<Command> {
    Some(match c {
        'p' => Command::Edit(Edit::Label(Label::Paragraph)),
        'h' => Command::Edit(Edit::Label(Label::Header)),
        'l' => Command::Edit(Edit::Label(Label::List)),
        'c' => Command::Edit(Edit::Label(Label::Continuation)),
        'o' => Command::Edit(Edit::Label(Label::Other)),
        'a' | ' ' => Command::Edit(Edit::Accept),
        'A' => Command::Edit(Edit::AcceptAll),
        'x' => Command::Edit(Edit::Clear),
        'u' => Command::Edit(Edit::Undo),
        'U' => Command::Edit(Edit::Redo),
        'j' => Command::Go(Motion::Down(1)),
        'k' => Command::Go(Motion::Up(1)),
        's' => Command::Go(Motion::LessCertain),
        'S' => Command::Go(Motion::MoreCertain),
        'g' => Command::First,
        'G' => Command::Last,
        'v' | 'V' => Command::Select,
        '/' => Command::Search,
        'n' => Command::SearchAgain,
        'N' => Command::SearchBack,
        ']' => Command::Pages(1),
        '[' => Command::Pages(-1),
        '}' => Command::NextUnfinished,
        '{' => Command::PreviousUnfinished,
        'w' => Command::ToggleWalk,
        'r' => Command::ToggleRender,
        'z' => Command::Read,
        '?' => Command::Help,
        '!' => Command::Overwrite,
        'q' => Command::Quit,
        '0'..='9' => Command::Digit(c as usize - '0' as usize),
        _ => return None,
    })
}

fn control(c: char) -> Option<Command> {
    Some(match c {
        'c' => Command::Quit,
        'd' => Command::Screens(1),
        'u' => Command::Screens(-1),
        'f' => Command::Screens(2),
        'b' => Command::Screens(-2),
        'r' => Command::Edit(Edit::Redo),
        'l' => Command::Redraw,
        'z' => Command::Suspend,
        _ => return None,
    })
}

/// The help overlay: keys and what they do; an empty key begins a part.
pub(crate) const HELP: &[(&str, &str)] = &[
    ("", "Label the block under the cursor, or the selected ones"),
    ("p", "paragraph"),
    ("h", "header"),
    ("l", "list item"),
    ("c", "continuation: continues the block before"),
    ("o", "other: noise, to be dropped"),
    ("a, Enter, Space", "accept what is suggested"),
    ("A", "accept what is suggested for all that is left of the page"),
    ("x, Backspace", "undecided again"),
    ("u / U, Ctrl-R", "undo / redo"),
    ("v, Shift-arrows", "select a range; Esc ends it"),
    ("", "Move"),
    ("j k, arrows", "a block down, up; 5j is five down"),
    ("PgDn PgUp", "a screen down, up; Ctrl-D and Ctrl-U half of one"),
    ("g / G", "first / last block; 12G is block 12"),
    ("Tab, Shift-Tab", "next, previous block that is not labelled"),
    ("s / S", "the least certain block that is left / back"),
    (
        "w",
        "after each label, go to the least certain block (on and off)",
    ),
    ("/  n N", "search the text; next, previous match"),
    ("", "Pages"),
    ("] [", "next, previous page"),
    ("} {", "next, previous page that is not finished"),
    ("", "See"),
    ("z", "read the whole block"),
    ("r", "the page as it will read, beside the blocks (on and off)"),
    ("?", "this help"),
    ("q", "quit; all is saved already"),
    ("", "Marks"),
    ("para 98%", "what the model suggests, and how probable it is"),
    ("para~", "from gold text: not checked yet"),
    ("para+", "a suggestion that was accepted"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_label_has_the_key_of_its_first_letter() {
        for label in Label::ALL {
            let key = Key::Char(label.name().chars().next().unwrap());
            assert_eq!(command(key), Some(Command::Edit(Edit::Label(label))));
        }
        assert_eq!(command(Key::Char('y')), None);
    }
}
