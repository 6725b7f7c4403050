//! White space between two texts of a line.
//!
//! Browsers draw the end of a line of the source as a space. In Chinese and Japanese, which have no spaces between words,
//! it is none: it stands where the source was too wide for its editor. Korean has spaces.

use gleaner_html::LeadingWhite;

/// What white space is between two texts. Of two the greater counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum White {
    #[default]
    None,
    /// Spaces.
    Blank,
    /// The end of a line of the source, and perhaps spaces.
    Break,
    /// What takes room whatever stands beside it: an image, a space that is not collapsed.
    Room,
}

impl White {
    /// What a white letter is.
    pub(super) fn from_letter(letter: char) -> White {
        match letter {
            '\n' | '\r' => White::Break,
            ..='\u{7f}' => White::Blank,
            _ => White::Room,
        }
    }

    /// That at the beginning of a text.
    #[inline]
    pub(super) fn leading(white: LeadingWhite) -> White {
        match white.bytes() {
            _ if white.ends_line() => White::Break,
            0 => White::None,
            _ => White::Blank,
        }
    }

    /// Whether it is a space between two texts.
    pub(super) fn parts(self, before: &str, after: char) -> bool {
        match self {
            White::None => false,
            White::Break => {
                let before = before.chars().next_back();
                !before.is_some_and(|before| is_one_line(before, after))
            }
            White::Blank | White::Room => true,
        }
    }
}

/// Whether two lines of the source are one, given the last letter of the first and the first letter of the other.
fn is_one_line(before: char, after: char) -> bool {
    let continues = |one, other| is_unspaced(one) && (is_unspaced(other) || is_shared_mark(other));
    let has_own_space = |one, other| is_full_width_mark(one) && !is_hangul(other);
    continues(before, after)
        || continues(after, before)
        || has_own_space(before, after)
        || has_own_space(after, before)
}

/// Whether a letter is of a script of East Asia that has no spaces, or one of its marks.
pub(super) fn is_unspaced(letter: char) -> bool {
    letter >= '\u{2e80}'
        && matches!(
            letter,
            '\u{2e80}'..='\u{2fdf}'
                | '\u{3001}'..='\u{312f}'
                | '\u{31a0}'..='\u{a4cf}'
                | '\u{f900}'..='\u{faff}'
                | '\u{fe30}'..='\u{fe4f}'
                | '\u{ff01}'..='\u{ff9f}'
                | '\u{1b000}'..='\u{1b16f}'
                | '\u{20000}'..='\u{3ffff}'
        )
}

/// Marks that Chinese has in common with other scripts.
fn is_shared_mark(letter: char) -> bool {
    matches!(letter, '‘' | '’' | '“' | '”' | '…' | '—')
}

/// Marks of sentences whose letter has the space within, beside words of any script but Korean.
fn is_full_width_mark(letter: char) -> bool {
    matches!(
        letter,
        '、' | '。' | '！' | '（' | '）' | '，' | '．' | '：' | '；' | '？'
    )
}

fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}')
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines as text;
    use crate::{PageConfig, Parser};

    #[test]
    fn the_end_of_a_line_is_no_space_in_scripts_without_spaces() {
        for (source, wanted) in [
            ("海は\n  青い。", "海は青い。"),
            ("海は青い。\r\n空も", "海は青い。空も"),
            ("潮水\n“退”\n了", "潮水“退”了"),
            ("カメ\nラ、ﾊﾝ\nｶｸ", "カメラ、ﾊﾝｶｸ"),
            ("海は <b>\n青い</b>\n<i>。</i>", "海は青い。"),
            ("海は<!-- a -->\n<!-- b -->青い", "海は青い"),
            ("用 Rust\n，写", "用 Rust，写"),
            ("潮水——\n退了", "潮水——退了"),
        ] {
            assert_eq!(text(&format!("<p>{source}</p>")), wanted, "{source:?}");
        }
        assert_eq!(
            text("<h2>海は\n青い</h2><table><td>空\n色<td>b\nc</table>"),
            "海は青い|空色|b c"
        );
    }

    #[test]
    fn the_end_of_a_line_is_a_space_elsewhere() {
        for (source, wanted) in [
            ("바다는\n푸르다", "바다는 푸르다"),
            ("그는\n（웃음）", "그는 （웃음）"),
            ("the\nsea", "the sea"),
            ("用\nRust\n写", "用 Rust 写"),
            ("海 は", "海 は"),
            ("海は\u{3000}\n青い", "海は 青い"),
            ("海は\n<img src=x>青い", "海は 青い"),
            ("<a href=a>海</a>\n<a href=b>空</a>", "海 空"),
            ("<span class=a>海</span>\n<span class=b>空</span>", "海 空"),
        ] {
            assert_eq!(text(&format!("<p>{source}</p>")), wanted, "{source:?}");
        }
    }

    #[test]
    fn lines_that_are_kept_stay_lines() {
        assert_eq!(text("<pre>海は\n青い</pre>"), "海は|青い");
        assert_eq!(text("<p style='white-space: pre-line'>海は\n青い"), "海は|青い");
        assert_eq!(text("<p>海は<br>\n青い"), "海は|青い");
    }

    #[test]
    fn titles_are_one_line() {
        let mut parser = Parser::new(PageConfig::default());
        let title = "<title>\n海は\n青い\nand\ndeep\n</title>";
        let latin = parser.parse(b"<title>\n The\n sea </title>", None).unwrap();
        assert_eq!(latin.title, "The sea");
        let page = parser
            .parse(title.as_bytes(), Some("text/html; charset=utf-8"))
            .unwrap();
        assert_eq!(page.title, "海は青い and deep");
    }
}
