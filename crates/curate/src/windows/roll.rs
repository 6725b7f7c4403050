//! The hashes of all windows of a text.

use std::ops::Range;

use super::WINDOW;

/// What a hash is multiplied by for each character.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// [`BASE`] to the power of the characters of a window.
const OUT: u64 = power(BASE, WINDOW);

const fn power(base: u64, exponent: usize) -> u64 {
    let (mut power, mut left) = (1_u64, exponent);
    while left > 0 {
        power = power.wrapping_mul(base);
        left -= 1;
    }
    power
}

/// Gives each window of a text: its hash and its bytes.
#[inline]
pub(super) fn roll(text: &str, mut each: impl FnMut(u64, Range<usize>)) {
    match text.is_ascii() {
        true => roll_ascii(text.as_bytes(), each),
        false => roll_characters(text, &mut each),
    }
}

#[inline]
fn roll_ascii(text: &[u8], mut each: impl FnMut(u64, Range<usize>)) {
    let Some((first, rest)) = text.split_at_checked(WINDOW) else {
        return;
    };
    let mut hash = first.iter().fold(0, |hash, &byte| push(hash, byte.into()));
    each(hash, 0..WINDOW);
    for (start, (&out, &byte)) in text.iter().zip(rest).enumerate() {
        hash = push(hash, byte.into()).wrapping_sub(u64::from(out).wrapping_mul(OUT));
        each(hash, start + 1..start + 1 + WINDOW);
    }
}

fn roll_characters(text: &str, each: &mut impl FnMut(u64, Range<usize>)) {
    let mut hash = 0;
    let (mut starts, mut start) = (text.chars(), 0);
    for (count, (at, letter)) in text.char_indices().enumerate() {
        hash = push(hash, letter.into());
        if let Some(out) = (count >= WINDOW).then(|| starts.next()).flatten() {
            hash = hash.wrapping_sub(u64::from(out).wrapping_mul(OUT));
            start += out.len_utf8();
        }
        if count + 1 >= WINDOW {
            each(hash, start..at + letter.len_utf8());
        }
    }
}

fn push(hash: u64, letter: u64) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(letter)
}
