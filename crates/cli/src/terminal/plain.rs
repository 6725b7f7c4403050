//! Text from elsewhere (names of files, pages, answers of servers), made fit for a terminal and for a log.
//!
//! The only place that says what is not fit: control characters (C0, C1, delete), which move the cursor and change what
//! a terminal does; and characters that change the direction of what follows (U+202A to U+202E, U+2066 to U+2069), the
//! order of what is beside them (U+061C, U+200E, U+200F) or the line (U+2028, U+2029), with which a name can look
//! like another. U+FFFD takes the place of each, so that it is seen that something was there; in JSON they are
//! escaped, and nothing is lost.

use std::borrow::Cow;

/// What takes the place of a character that is not fit.
const INSTEAD: char = '\u{fffd}';

/// A name, or anything else that is part of a line.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    replaced(text, |letter| {
        letter.is_control() || turns(letter) || is_mark(letter)
    })
}

/// A text of several lines, which keeps its lines and its tabs; and its marks, which belong to texts in Arabic and
/// Hebrew.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    let is_unfit = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    replaced(text, |letter| is_unfit(letter) || turns(letter))
}

/// JSON on one line: what is not fit is escaped in its strings, where alone it can be.
pub(crate) fn json(json: &str) -> String {
    let mut made = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter.is_control() || turns(letter) || is_mark(letter) {
            true => made += &format!("\\u{:04x}", u32::from(letter)),
            false => made.push(letter),
        }
    }
    made
}

/// Whether a character changes the direction or the line of what follows.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character counts as a letter of some direction, and is not seen.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

fn replaced(text: &str, is_unfit: impl Fn(char) -> bool) -> Cow<'_, str> {
    match text.contains(&is_unfit) {
        true => Cow::Owned(text.replace(is_unfit, &INSTEAD.to_string())),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        let name = "a\u{1b}[31m\n\tb\u{9b}\u{7f}\u{202e}c\u{2066}\u{2028}\u{200f}.gz";
        let fit = "a\u{fffd}[31m\u{fffd}\u{fffd}b\u{fffd}\u{fffd}\u{fffd}c\u{fffd}\u{fffd}\u{fffd}.gz";
        assert_eq!(line(name), fit);
        let fit = "a\u{fffd}[31m\n\tb\u{fffd}\u{fffd}\u{fffd}c\u{fffd}\u{fffd}\u{200f}.gz";
        assert_eq!(text(name), fit);
        assert!(matches!(line("plain, and 灯台 می\u{200c}شود"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_keeps_what_it_says() {
        let value = serde_json::Value::from("a\u{1b}\n\u{9b}\u{202e}\u{200f}\u{2028}č");
        let made = json(&value.to_string());
        assert_eq!(made, "\"a\\u001b\\n\\u009b\\u202e\\u200f\\u2028č\"");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&made).unwrap(), value);
    }
}
