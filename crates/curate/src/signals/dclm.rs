//! The rules of RefinedWeb and DCLM that leave out lines.

use super::line::Line;
use super::phrases::Phrase;

/// Lines that RefinedWeb (Penedo et al. 2023, appendix G.2) and DCLM (Li et al. 2024) leave out: each is counted for the first
/// rule, in this order. Words are what white space separates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LineSignals {
    /// Lines of which more than half of the characters are capital letters.
    pub uppercase: u32,
    /// Lines of ASCII digits alone.
    pub numeric: u32,
    /// Lines that are a counter: a number and `likes`, `shares`, `comments` or the like, such as `1.2k views`.
    pub counter: u32,
    /// Lines of one word, or of white space alone.
    pub one_word: u32,
    /// Lines of at most 10 words that are the label of a button: they begin with `sign-in`, end with `read more...`, or have `items
    /// in cart`.
    pub button: u32,
    /// Words of these lines, divided by all words. 0 without words. RefinedWeb and DCLM leave out texts above 0.05.
    pub words: f64,
}

/// What DCLM's rule for texts allows.
pub(super) const MOST_WORDS: f64 = 0.05;

const LONGEST_BUTTON: u32 = 10;

const COUNTED: [&str; 12] = [
    "likes",
    "shares",
    "comments",
    "retweets",
    "reposts",
    "quotes",
    "bookmarks",
    "upvotes",
    "downvotes",
    "downloads",
    "views",
    "followers",
];

impl LineSignals {
    /// Counts a line that is not empty. Returns whether it is left out.
    pub(super) fn add(&mut self, line: &Line<'_>, found: &[(Phrase, usize, usize)]) -> bool {
        let count = match line {
            _ if 2 * line.upper > line.characters => &mut self.uppercase,
            _ if line.digits == line.characters => &mut self.numeric,
            _ if line.digits > 0 && is_counter(line.text) => &mut self.counter,
            _ if line.words < 2 => &mut self.one_word,
            _ if line.words <= LONGEST_BUTTON && is_button(line, found) => &mut self.button,
            _ => return false,
        };
        *count += 1;
        true
    }
}

/// A number with `,` and `.`, perhaps k, m or b, white space, and what is counted, in any case; other signs around.
fn is_counter(line: &str) -> bool {
    let is_other = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let line = line.trim_matches(is_other);
    let Some((number, counted)) = line.split_once(char::is_whitespace) else {
        return false;
    };
    let number = number
        .strip_suffix(['k', 'K', 'm', 'M', 'b', 'B'])
        .unwrap_or(number);
    let is_number = number.starts_with(|letter: char| letter.is_ascii_digit())
        && number
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.'));
    let counted = counted.trim_start();
    is_number && COUNTED.iter().any(|name| counted.eq_ignore_ascii_case(name))
}

fn is_button(line: &Line<'_>, found: &[(Phrase, usize, usize)]) -> bool {
    found.iter().any(|(phrase, start, end)| match phrase {
        Phrase::ButtonFirst => *start == line.start,
        Phrase::ButtonLast => *end == line.start + line.text.len(),
        Phrase::Button => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_numbers_of_something() {
        for line in ["3 likes", "1.2K  Views", "(1,024 comments)", "» 7m followers «"] {
            assert!(is_counter(line), "{line}");
        }
        for line in [
            "likes",
            "3likes",
            "3 likes of mine",
            "x3 likes",
            "3k",
            "3 boats",
            "",
        ] {
            assert!(!is_counter(line), "{line}");
        }
    }
}
