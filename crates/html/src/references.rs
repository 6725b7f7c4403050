//! Character references: `&amp;`, `&#228;`, `&#xE4;`.

use std::borrow::Cow;

use crate::controls::letter_of_control;
use crate::names::longest_name;

/// A text with its character references replaced, as in an attribute.
///
/// ```
/// assert_eq!(gleaner_html::without_references("Ann O&#039;Shea &amp; Co. R&D"), "Ann O'Shea & Co. R&D");
/// ```
pub fn without_references(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    decode_into(&mut out, text, true);
    Cow::Owned(out)
}

/// Appends a text with its references replaced and its newlines made `\n`. In attributes, names
/// without a semicolon before `=`, a letter or a digit are no references.
pub(crate) fn decode_into(into: &mut String, text: &str, in_attribute: bool) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        push_newlines(into, &rest[..at]);
        rest = &rest[at + 1..];
        let used = reference(into, rest, in_attribute);
        if used == 0 {
            into.push('&');
        }
        rest = &rest[used..];
    }
    push_newlines(into, rest);
}

/// Appends a text with `\r\n` and `\r` made `\n`.
pub(crate) fn push_newlines(into: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        into.push_str(&rest[..at]);
        into.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    into.push_str(rest);
}

/// Appends what a reference stands for; returns how many bytes after the `&` it takes, 0 if it is
/// none.
fn reference(into: &mut String, rest: &str, in_attribute: bool) -> usize {
    match rest.as_bytes() {
        [b'#', b'x' | b'X', digits @ ..] => number(into, digits, 16, 2),
        [b'#', digits @ ..] => number(into, digits, 10, 1),
        [first, ..] if first.is_ascii_alphanumeric() => named(into, rest, in_attribute),
        _ => 0,
    }
}

fn number(into: &mut String, digits: &[u8], base: u32, before: usize) -> usize {
    let count = digits
        .iter()
        .take_while(|&&digit| (digit as char).is_digit(base))
        .count();
    if count == 0 {
        return 0;
    }
    let value = digits[..count].iter().fold(0u32, |value, &digit| {
        let digit = (digit as char).to_digit(base).unwrap_or_default();
        value.saturating_mul(base).saturating_add(digit)
    });
    into.push(character(value));
    before + count + usize::from(digits.get(count) == Some(&b';'))
}

fn character(value: u32) -> char {
    match char::from_u32(value) {
        None | Some('\0') => '\u{fffd}',
        Some(letter) => letter_of_control(letter).unwrap_or(letter),
    }
}

fn named(into: &mut String, rest: &str, in_attribute: bool) -> usize {
    let Some((length, (first, second))) = longest_name(rest) else {
        return 0;
    };
    let ends = rest.as_bytes()[length - 1] == b';';
    let next = rest.as_bytes().get(length);
    if in_attribute && !ends && next.is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric()) {
        return 0;
    }
    into.push(first);
    into.extend(second);
    length
}
