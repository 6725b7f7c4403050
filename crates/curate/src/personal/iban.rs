//! International Bank Account Numbers: by the registry and checksum of the crate iban_validate.

use iban::{Iban, IbanLike};

use super::{PersonalKind, PersonalSpan, is_joined_after, is_joined_before};

/// Maximum characters of a number, and of a number with a space after every four.
const LONGEST: usize = 34;
const LONGEST_SPACED: usize = 42;

/// The number whose third character is at a place with a digit.
pub(super) fn find(text: &str, digit: usize) -> Option<PersonalSpan> {
    let bytes = text.as_bytes();
    let start = digit.checked_sub(2)?;
    let is_begin = bytes[start..digit].iter().all(u8::is_ascii_uppercase)
        && bytes.get(digit + 1).is_some_and(u8::is_ascii_digit);
    if !is_begin || is_joined_before(text, start) {
        return None;
    }
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b' ';
    let length = bytes[start..]
        .iter()
        .take(LONGEST_SPACED)
        .take_while(is_part)
        .count();
    let written = &text[start..start + length];
    let mut ends: Vec<usize> = written.match_indices(' ').map(|(at, _)| at).collect();
    ends.push(length);
    let is_number = |end: &usize| {
        let written = &written[..*end];
        let plain: String = written.split(' ').collect();
        let is_spaced = written.split(' ').rev().skip(1).all(|group| group.len() == 4);
        is_spaced
            && plain.len() <= LONGEST
            && plain
                .parse::<Iban>()
                .is_ok_and(|iban| iban.electronic_str() == plain)
    };
    let end = ends
        .into_iter()
        .rev()
        .filter(|end| !is_joined_after(text, start + end))
        .find(is_number)?;
    Some(PersonalSpan {
        start,
        end: start + end,
        kind: PersonalKind::Iban,
    })
}
