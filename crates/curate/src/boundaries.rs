//! Where words end: the word boundaries of UAX #29, as steps from character to character.

use crate::characters::{Character, Class};

/// What a character does to the word before it.
pub(crate) enum WordStep {
    /// It is in the word.
    Continue,
    /// It ends the word and can begin the next.
    End,
    /// It ends the word and is in no word.
    EndAfter,
    /// The rules in full must split the text from the beginning of the word.
    Split,
}

/// What a character of a class does to a word whose last character is of another class, or is a Hebrew letter, with the text
/// after it.
#[inline]
pub(crate) fn step(word: Class, is_hebrew: bool, class: Class, after: &str) -> WordStep {
    use Class::{
        Alone, Between, BetweenDigits, BetweenLetters, Break, Digit, Emoji, Joiner, Katakana, Letter, Mark,
        Other, Quote,
    };
    match (word, class) {
        (Break | Letter | Digit | Joiner, Letter | Digit | Joiner) => WordStep::Continue,
        (_, Break) | (Break, Emoji) => WordStep::EndAfter,
        (Break, Alone | Katakana) => WordStep::Continue,
        (Break, Mark) => WordStep::Split,
        (_, Mark) => WordStep::Continue,
        (Letter, Between | BetweenLetters) => between(after, Letter),
        (Digit, Between | BetweenDigits) => between(after, Digit),
        (_, Between | BetweenLetters | BetweenDigits) => WordStep::EndAfter,
        (Letter, Quote) if is_hebrew => WordStep::Split,
        (_, Quote) => WordStep::EndAfter,
        (_, Emoji | Other) | (Katakana, Joiner) => WordStep::Split,
        (_, Alone | Katakana) | (Alone | Katakana, _) => WordStep::End,
        // A word is never of another class than these.
        _ => WordStep::Split,
    }
}

/// What a character does that joins two of a class, after one of it.
fn between(after: &str, class: Class) -> WordStep {
    match after.chars().next().map(|letter| Character::get(letter).class) {
        Some(next) if next == class => WordStep::Continue,
        Some(Class::Mark | Class::Other) => WordStep::Split,
        _ => WordStep::EndAfter,
    }
}
