//! The normal form of a word.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Combining marks and signs that the normal form leaves out, as ranges in order. The diacritics of Latin, Greek and
/// Cyrillic, the points of Hebrew, Arabic and Syriac, and the Arabic tatweel, which only makes a word longer: all of them
/// are often not written. Variation selectors choose a shape of the character before.
///
/// All other marks stay. Category Mn, which DataTrove removes, has also vowels of Thai, Devanagari and many other scripts,
/// and the sound marks of kana: without them different words would be equal.
const LEFT_OUT: [(char, char); 26] = [
    ('\u{300}', '\u{36f}'),
    ('\u{483}', '\u{489}'),
    ('\u{591}', '\u{5bd}'),
    ('\u{5bf}', '\u{5bf}'),
    ('\u{5c1}', '\u{5c2}'),
    ('\u{5c4}', '\u{5c5}'),
    ('\u{5c7}', '\u{5c7}'),
    ('\u{610}', '\u{61a}'),
    ('\u{640}', '\u{640}'),
    ('\u{64b}', '\u{65f}'),
    ('\u{670}', '\u{670}'),
    ('\u{6d6}', '\u{6dc}'),
    ('\u{6df}', '\u{6e4}'),
    ('\u{6e7}', '\u{6e8}'),
    ('\u{6ea}', '\u{6ed}'),
    ('\u{711}', '\u{711}'),
    ('\u{730}', '\u{74a}'),
    ('\u{898}', '\u{89f}'),
    ('\u{8ca}', '\u{8ff}'),
    ('\u{1ab0}', '\u{1aff}'),
    ('\u{1dc0}', '\u{1dff}'),
    ('\u{20d0}', '\u{20ff}'),
    ('\u{fb1e}', '\u{fb1e}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{fe20}', '\u{fe2f}'),
    ('\u{e0100}', '\u{e01ef}'),
];

/// The normal form of a word, character by character: lower case, canonically decomposed (NFD), without what
/// [`is_kept`] does not keep, and with one 0 for each number.
pub(crate) fn normal_form(word: &str) -> impl Iterator<Item = char> {
    let mut after_digit = false;
    word.chars()
        .flat_map(char::to_lowercase)
        .nfd()
        .filter(|letter| is_kept(*letter))
        .filter_map(move |letter| {
            let repeats = std::mem::replace(&mut after_digit, letter.is_numeric()) && after_digit;
            match letter {
                _ if repeats => None,
                _ if after_digit => Some('0'),
                // At the end of a word the lower case of Σ is ς.
                'ς' => Some('σ'),
                letter => Some(letter),
            }
        })
}

/// Whether the normal form has a character: letters, numbers, and the marks that are not [left out](LEFT_OUT).
fn is_kept(letter: char) -> bool {
    (letter.is_alphanumeric() || is_combining_mark(letter)) && !is_left_out(letter)
}

fn is_left_out(letter: char) -> bool {
    let next = LEFT_OUT.partition_point(|(_, last)| *last < letter);
    LEFT_OUT.get(next).is_some_and(|(first, _)| *first <= letter)
}

/// Whether a character is katakana, which the rules of word boundaries join to long words.
pub(crate) fn is_katakana(letter: char) -> bool {
    matches!(letter,
        '\u{3031}'..='\u{3035}' | '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{32d0}'..='\u{32fe}'
        | '\u{3300}'..='\u{3357}' | '\u{ff66}'..='\u{ff9d}' | '\u{1aff0}'..='\u{1b2ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order() {
        assert!(LEFT_OUT.iter().all(|(first, last)| first <= last));
        assert!(LEFT_OUT.windows(2).all(|pair| pair[0].1 < pair[1].0));
    }
}
