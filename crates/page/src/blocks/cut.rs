//! Where a line is cut into blocks, if the blocks are the texts between tags.
//!
//! A block never parts a word, and has at least one. Punctuation stays with the word that it touches: of
//! `until <b>Friday</b>, and` the blocks are `until`, `Friday,` and `and`. So the text of some blocks reads well without the
//! others.

use std::ops::Range;

/// Where to cut a line between two words with a tag between them: a space, or no text at all. Nothing where both are one
/// word.
///
/// The places are where the first word ends, where the text after the last tag begins, and where the second word begins.
pub(super) fn cut(line: &str, [end, tag, start]: [usize; 3]) -> Option<Range<usize>> {
    let (before, after) = (&line[end..tag], &line[tag..start]);
    let space = |at| at..at + 1;
    let at_tag = before.ends_with(' ').then(|| tag - 1);
    let behind = || after.find(' ').map(|at| tag + at);
    let ahead = || before.rfind(' ').map(|at| end + at);
    match at_tag.or_else(behind).or_else(ahead) {
        Some(at) => Some(space(at)),
        None if is_one_word(line, end..start) => None,
        None => {
            let opening = before.len() - before.trim_end_matches(is_opening).len();
            Some(tag - opening..tag - opening)
        }
    }
}

/// Whether a sign belongs to the word behind it.
fn is_opening(letter: char) -> bool {
    matches!(
        letter,
        '(' | '['
            | '{'
            | '\u{ab}'
            | '\u{bf}'
            | '\u{a1}'
            | '\u{2018}'
            | '\u{201c}'
            | '\u{201e}'
            | '\u{3008}'
            | '\u{300a}'
            | '\u{300c}'
            | '\u{300e}'
            | '\u{3010}'
            | '\u{ff08}'
    )
}

/// Whether what is between two letters of a line joins them to a word. Marks of letters do, and one sign such as an apostrophe
/// among them.
fn is_one_word(line: &str, between: Range<usize>) -> bool {
    let is_digit = |letter: Option<char>| letter.is_some_and(char::is_numeric);
    let is_number =
        is_digit(line[..between.start].chars().next_back()) && is_digit(line[between.end..].chars().next());
    let mut signs = line[between].chars().filter(|&letter| is_sign(letter));
    let joins = |sign: char| match sign {
        '\'' | '\u{2019}' | '-' | '\u{2010}' | '\u{2011}' | '.' | '\u{b7}' | '&' | '@' => true,
        ',' | ':' => is_number,
        _ => false,
    };
    signs.next().is_none_or(joins) && signs.next().is_none()
}

/// Whether a character that is not of a word is a sign by itself, and no mark of a letter.
fn is_sign(letter: char) -> bool {
    matches!(letter, '!'..='~' | '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{205f}' | '\u{20a0}'..='\u{20cf}'
        | '\u{2100}'..='\u{2bff}' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks of a line of two words, `|` between them. In what is between, `|` stands for tags.
    fn blocks(before: &str, between: &str, after: &str) -> String {
        let last = between.rfind('|').unwrap();
        let tag = before.len() + between[..last].replace('|', "").len();
        let between = between.replace('|', "");
        let line = format!("{before}{between}{after}");
        match cut(&line, [before.len(), tag, before.len() + between.len()]) {
            Some(place) => format!("{}|{}", &line[..place.start], &line[place.end..]),
            None => line,
        }
    }

    #[test]
    fn punctuation_stays_with_the_word_that_it_touches() {
        assert_eq!(blocks("until", " |", "Friday"), "until|Friday");
        assert_eq!(blocks("Friday", "|, ", "and"), "Friday,|and");
        assert_eq!(blocks("Friday", "|, |", "Sunday"), "Friday,|Sunday");
        assert_eq!(blocks("said", " \"|", "Yes"), "said|\"Yes");
        assert_eq!(blocks("one", "|, \"|", "two"), "one,|\"two");
        assert_eq!(blocks("one", "|) (|", "two"), "one)|(two");
    }

    #[test]
    fn punctuation_by_itself_stays_on_its_side_of_the_tag() {
        assert_eq!(blocks("Home", "| - |", "News"), "Home -|News");
        assert_eq!(blocks("Home", "| - ", "News"), "Home|- News");
        assert_eq!(blocks("Home", " - |", "News"), "Home -|News");
        assert_eq!(blocks("a", " -|- ", "b"), "a --|b");
    }

    #[test]
    fn words_that_touch_are_cut_where_a_sign_is_between_them() {
        for (between, cut) in [
            ("\u{2013}|", "a\u{2013}|b"),
            ("|(", "a|(b"),
            ("\u{3002}|", "a\u{3002}|b"),
            ("...|", "a...|b"),
            ("|,|", "a,|b"),
            ("|][|", "a]|[b"),
            ("|([|", "a|([b"),
            ("\u{300d}|\u{300c}|", "a\u{300d}|\u{300c}b"),
        ] {
            assert_eq!(blocks("a", between, "b"), cut);
        }
    }

    #[test]
    fn words_are_whole() {
        for (before, between, after) in [
            ("T", "|", "he"),
            ("it", "|'", "s"),
            ("l", "\u{2019}|", "homme"),
            ("e", "|-|", "mail"),
            ("1", ",|", "000"),
            ("U", ".|", "S"),
            ("AT", "|&|", "T"),
            ("e", "|\u{301}", "t"),
            ("\u{915}\u{94d}", "|", "\u{937}"),
            ("\u{6628}", "|", "\u{5929}"),
        ] {
            let whole = format!("{before}{}{after}", between.replace('|', ""));
            assert_eq!(blocks(before, between, after), whole);
        }
    }
}
