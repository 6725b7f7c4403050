//! UTF-16 that nothing declares, by its zeros.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// Maximum bytes examined.
const LOOKED_AT: usize = 4096;

/// Letters of which nine in ten are of a text.
const COHERENT_TENTHS: usize = 9;

/// The UTF-16 that a body without a byte order mark is in, whatever it declares. Every letter of a tag, and in plain
/// texts every space and digit, has a zero beside it, always on the same side.
pub(super) fn by_zeros(body: &[u8]) -> Option<&'static Encoding> {
    let start = &body[..body.len().min(LOOKED_AT) & !1];
    memchr::memchr(0, start)?;
    let (little, big) = (signs(start, 0), signs(start, 1));
    let (own, other) = (little.max(big), little.min(big));
    let letters = start.len() / 2;
    let is_clear = own >= 4 && own * 20 >= letters && other * 10 <= own;
    // Few signs between letters beyond Latin, and hardly any byte that is ASCII by chance.
    let is_likely = || {
        let ascii = start.iter().filter(|&&byte| is_text(byte)).count();
        own >= 2 && other == 0 && ascii * 4 < start.len() * 3
    };
    if !is_clear && !is_likely() {
        return None;
    }
    let charset = if little > big { UTF_16LE } else { UTF_16BE };
    let (text, _) = charset.decode_without_bom_handling(start);
    is_coherent(&text).then_some(charset)
}

/// How many ASCII letters there are whose byte is at `low` of two, with a zero as the other. Not `0` and `N`, which the
/// ideographic space and the frequent `一` look like from the wrong side.
fn signs(bytes: &[u8], low: usize) -> usize {
    let is_sign = |unit: &&[u8]| {
        let (letter, zero) = (unit[low], unit[1 - low]);
        zero == 0 && is_text(letter) && !matches!(letter, b'0' | b'N')
    };
    bytes.chunks_exact(2).filter(is_sign).count()
}

/// Whether a byte is ASCII as texts have it.
fn is_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// Whether nearly all of what was read as UTF-16 are letters of scripts, and what stands between them. Of other bytes
/// many are read as private letters, as halves of pairs, or as nothing at all.
pub(crate) fn is_coherent(text: &str) -> bool {
    let (mut all, mut sound) = (0, 0);
    for letter in text.chars() {
        all += 1;
        sound += usize::from(matches!(letter,
            '\t' | '\n' | '\r' | '\x0c' | ' '..='~' | '\u{a0}'..='\u{5ff}' | '\u{600}'..='\u{206f}'
            | '\u{20a0}'..='\u{27bf}' | '\u{3000}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}'
            | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{2ffff}'));
    }
    sound * 10 >= all * COHERENT_TENTHS
}
