//! Control characters, which no document has: letters of windows-1252 that were taken for some, and others.

use std::borrow::Cow;

/// What the bytes 0x80 to 0x9f are in windows-1252; `\0` where they are nothing.
const OF_WINDOWS_1252: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“',
    '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

/// What a C1 control stands for: it is a byte of windows-1252 that was declared to be Latin-1 or written as UTF-8. `None`
/// for those that windows-1252 does not have either, and for other letters.
pub fn letter_of_control(letter: char) -> Option<char> {
    let index = (letter as u32).checked_sub(0x80)?;
    let meant = OF_WINDOWS_1252.get(index as usize).copied();
    meant.filter(|&meant| meant != '\0')
}

/// Whether a letter is a control that is no white space and stands for nothing.
pub fn is_dropped(letter: char) -> bool {
    matches!(letter, '\0'..='\x08' | '\x0e'..='\x1f' | '\x7f'..='\u{9f}')
        && letter_of_control(letter).is_none()
}

/// Whether a text has controls other than white space.
pub fn has_controls(text: &str) -> bool {
    let bytes = text.as_bytes();
    // All bytes are looked at, which is many at a time.
    let has_c0 = bytes.iter().fold(false, |has, &byte| {
        has | (byte < b' ') & !(b'\t'..=b'\r').contains(&byte) | (byte == 0x7f)
    });
    has_c0 || memchr::memchr_iter(0xc2, bytes).any(|at| bytes[at + 1] < 0xa0)
}

/// A text without controls but white space.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !has_controls(text) {
        return Cow::Borrowed(text);
    }
    let kept = text.chars().filter(|&letter| !is_dropped(letter));
    Cow::Owned(
        kept.map(|letter| letter_of_control(letter).unwrap_or(letter))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_controls_are_those_of_the_encoding_standard() {
        for byte in 0x80..=0x9f_u8 {
            let (letter, _) =
                encoding_rs::WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(&byte));
            let meant = letter.chars().next().filter(|&letter| letter != char::from(byte));
            assert_eq!(letter_of_control(char::from(byte)), meant, "{byte:x}");
        }
        assert_eq!(letter_of_control('\u{a0}'), None);
    }

    #[test]
    fn controls_are_letters_of_windows_1252_or_dropped() {
        assert_eq!(without_controls("\u{93}a\u{94}\t\u{85}"), "“a”\t…");
        assert_eq!(without_controls("a\u{81}\0\x1b[1mb\x7f\u{9d}\n"), "a[1mb\n");
        assert!(matches!(without_controls("a\u{a0}é\n"), Cow::Borrowed(_)));
    }
}
