//! Character references: `&amp;`, `&#228;`, `&#xE4;`.

use std::borrow::Cow;

use markup5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

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
    let c1 = value
        .checked_sub(0x80)
        .and_then(|index| C1_REPLACEMENTS.get(index as usize).copied().flatten());
    match (value, c1) {
        (0, _) => '\u{fffd}',
        (_, Some(meant)) => meant,
        (value, None) => char::from_u32(value).unwrap_or('\u{fffd}'),
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
    into.extend(char::from_u32(first));
    into.extend(char::from_u32(second).filter(|&second| second != '\0'));
    length
}

/// The longest name that the text begins with, and its two characters.
fn longest_name(rest: &str) -> Option<(usize, (u32, u32))> {
    const FREQUENT: [(&str, char); 6] = [
        ("amp;", '&'),
        ("nbsp;", '\u{a0}'),
        ("quot;", '"'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("copy;", '©'),
    ];
    if let Some((name, meant)) = FREQUENT.iter().find(|(name, _)| rest.starts_with(name)) {
        return Some((name.len(), (*meant as u32, 0)));
    }
    let mut found = None;
    for end in 1..=rest.len() {
        // The table has all beginnings of names, too, with nothing that they stand for.
        let Some(&meant) = rest.get(..end).and_then(|name| NAMED_ENTITIES.get(name)) else {
            break;
        };
        if meant.0 != 0 {
            found = Some((end, meant));
        }
    }
    found
}
