//! Text on a terminal: made harmless, measured, cut and broken into lines.
//!
//! The unit is the grapheme cluster, as wide as the terminal draws it: two cells for CJK, none for a
//! mark that stands on the letter before. Text stays in its logical order; a terminal that knows
//! how turns what is written from right to left.

use std::ops::Range;

use ratatui_core::buffer::CellWidth;
use unicode_segmentation::UnicodeSegmentation;

/// Maximum bytes drawn per grapheme cluster; the rest of its marks is left out.
const GRAPHEME_BYTES: usize = 32;

/// The text as it may be drawn, if that is not the text itself: a space for each control and line
/// end, nothing for what would turn the direction of the line, clusters of bounded length. Emoji of
/// several characters, on whose width terminals do not agree, are the first of them; flags are the
/// letters of the country.
pub(crate) fn harmless(text: &str) -> Option<Box<str>> {
    if text.is_ascii() && !text.bytes().any(|byte| byte.is_ascii_control()) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        let begin = out.len();
        let is_emoji = grapheme.starts_with(is_pictograph);
        let end = grapheme
            .find('\u{200d}')
            .filter(|_| is_emoji)
            .unwrap_or(grapheme.len());
        for c in grapheme[..end].chars().filter_map(drawn) {
            if out.len() - begin + c.len_utf8() > GRAPHEME_BYTES {
                break;
            }
            out.push(c);
        }
    }
    (out != text).then(|| out.into())
}

/// What is drawn for a character.
fn drawn(c: char) -> Option<char> {
    match c {
        // Variation selectors and tones of skin.
        '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => None,
        // Letters that make a flag in twos.
        '\u{1f1e6}'..='\u{1f1ff}' => char::from_u32(c as u32 - 0x1f1e6 + u32::from('A')),
        c if steers(c) => None,
        c if c.is_control() => Some(' '),
        c => Some(c),
    }
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Marks that change how the text after them is laid out, on the rest of the screen too.
fn steers(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// How many cells a text takes.
pub(crate) fn width(text: &str) -> usize {
    match text.is_ascii() {
        true => text.len(),
        false => text
            .graphemes(true)
            .map(|grapheme| usize::from(grapheme.cell_width()))
            .sum(),
    }
}

/// The longest beginning of a text that is at most `cells` wide.
pub(crate) fn beginning(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += usize::from(grapheme.cell_width());
        if used > cells {
            return &text[..at];
        }
    }
    text
}

/// The longest ending of a text that is at most `cells` wide.
pub(crate) fn ending(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += usize::from(grapheme.cell_width());
        if used > cells {
            return &text[at + grapheme.len()..];
        }
    }
    text
}

/// Breaks a text into lines of at most `cells`: at a space in the second half of the line, else
/// between two graphemes. Lazily, since only the first lines of a long text are needed. Where
/// not even one grapheme fits it is a line of its own.
pub(crate) fn wrap(text: &str, cells: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let (end, next) = line_end(text, at, cells);
        let line = at..end;
        at = next;
        Some(line)
    })
}

/// Where the line that begins at `from` ends, and where the next begins.
fn line_end(text: &str, from: usize, cells: usize) -> (usize, usize) {
    let rest = &text[from..];
    let (mut used, mut space) = (0, None);
    for (at, grapheme) in rest.grapheme_indices(true) {
        let cell_width = usize::from(grapheme.cell_width());
        if used + cell_width > cells && at > 0 {
            return match (grapheme, space) {
                (" ", _) => (from + at, from + at + 1),
                (_, Some(space)) => (from + space, from + space + 1),
                _ => (from + at, from + at),
            };
        }
        if grapheme == " " && 2 * used >= cells {
            space = Some(at);
        }
        used += cell_width;
    }
    (text.len(), text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str, cells: usize) -> Vec<&str> {
        wrap(text, cells).map(|line| &text[line]).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_between_wide_letters() {
        assert_eq!(lines("The harbour master", 11), ["The harbour", "master"]);
        assert_eq!(lines("The harbour", 12), ["The harbour"]);
        assert_eq!(lines("a bbbbbbbbbbbb", 8), ["a bbbbbb", "bbbbbb"]);
        assert_eq!(lines("灯台までの道", 5), ["灯台", "まで", "の道"]);
        assert_eq!(lines("", 5), [""; 0]);
        assert_eq!(lines("灯台", 1), ["灯", "台"]);
    }

    #[test]
    fn widths_are_of_cells() {
        assert_eq!([width("abc"), width("灯台"), width("e\u{301}")], [3, 4, 1]);
        assert_eq!((beginning("灯台a", 3), ending("a灯台", 3)), ("灯", "台"));
        assert_eq!((beginning("ab", 5), ending("ab", 0)), ("ab", ""));
    }

    #[test]
    fn nothing_of_a_page_steers_the_terminal() {
        assert_eq!(harmless("plain, and 灯台 too"), None);
        assert_eq!(
            harmless("a\u{1b}[31m\u{202e}b\u{85}").as_deref(),
            Some("a [31mb ")
        );
        assert_eq!(
            harmless("🇦🇪 ❤\u{fe0f} 👩\u{200d}👩\u{200d}👧 👍🏽 می\u{200c}شود क\u{200d}ष").as_deref(),
            Some("AE ❤ 👩 👍 می\u{200c}شود क\u{200d}ष")
        );
        let tower = format!("a{}", "\u{301}".repeat(1000));
        assert!(harmless(&tower).unwrap().len() <= GRAPHEME_BYTES);
    }

    proptest! {
        #[test]
        fn wrapping_loses_only_spaces(text in "\\PC{0,60}|[a-z ]{0,60}", cells in 1usize..12) {
            let lines = lines(&text, cells);
            let kept: String = lines.concat();
            prop_assert_eq!(kept.replace(' ', ""), text.replace(' ', ""));
            for line in lines {
                prop_assert!(width(line) <= cells || line.graphemes(true).count() == 1, "{:?}", line);
            }
        }

        #[test]
        fn harmless_text_is_harmless(text in any::<String>()) {
            let shown = harmless(&text).map_or(text.clone(), String::from);
            prop_assert!(!shown.contains(|c: char| c.is_control() || steers(c)));
            prop_assert_eq!(harmless(&shown).is_some(), false);
        }
    }
}
