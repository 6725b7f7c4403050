//! Declared charsets that the bytes contradict.

use encoding_rs::{Encoding, ISO_2022_JP, ISO_8859_15, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::guess::{detect, next_significant};

/// The charset that bytes show, whatever is declared: UTF-16 by its zeros, and ISO-2022-JP, which is all ASCII, by its
/// escapes.
pub(super) fn shown_by(body: &[u8]) -> Option<&'static Encoding> {
    let is_escaped = || {
        let escape = memchr::memchr(0x1b, body)?;
        let is_japanese = body[escape..].starts_with(b"\x1b$B") || body[escape..].starts_with(b"\x1b$@");
        let is_sound = is_japanese && body.is_ascii() && !ISO_2022_JP.decode_without_bom_handling(body).1;
        is_sound.then_some(ISO_2022_JP)
    };
    super::utf16::by_zeros(body).or_else(is_escaped)
}

/// The charset of a body whose declared charset gives `text`. That one stays unless the bytes are UTF-8, or are often
/// no letters of it while another has fewer errors, or give what no language has.
pub(super) fn charset_of(
    body: &[u8],
    declared: &'static Encoding,
    text: &str,
    has_errors: bool,
    later: impl FnOnce() -> Option<&'static Encoding>,
) -> &'static Encoding {
    let sequences = Sequences::count(body);
    if declared == UTF_8 {
        return match 2 * sequences.sound >= sequences.broken {
            true => declared,
            false => better(body, declared, sequences.broken, later()),
        };
    }
    if declared != ISO_2022_JP && sequences.contradict(declared) {
        return UTF_8;
    }
    let errors = match has_errors {
        true => text.matches('\u{fffd}').count(),
        false => 0,
    };
    let is_wide = declared == UTF_16LE || declared == UTF_16BE;
    if declared == REPLACEMENT || (is_wide && !super::is_coherent(&text[..text.floor_char_boundary(4096)])) {
        return better(body, declared, usize::MAX, later());
    }
    let is_odd = is_odd(text) || (is_western(declared) && is_mojibake(body));
    if errors * FEW_ERRORS > sequences.high || is_odd {
        return better(body, declared, errors.max(sequences.high / FEW_ERRORS), later());
    }
    declared
}

/// One error in this many bytes that are not ASCII is a fault of the page, not a sign of another charset.
const FEW_ERRORS: usize = 20;

/// The charset with the fewest errors: of `declared`, which has `errors`, of one that is declared elsewhere, and of what
/// the bytes look like.
fn better(
    body: &[u8],
    declared: &'static Encoding,
    errors: usize,
    elsewhere: Option<&'static Encoding>,
) -> &'static Encoding {
    let look_like = match next_significant(body) {
        None => UTF_8,
        Some(_) if is_mostly_utf8(body) => UTF_8,
        Some(_) => detect(body),
    };
    [elsewhere, Some(look_like)]
        .into_iter()
        .flatten()
        .filter(|&charset| charset != declared && !(is_western(charset) && is_mojibake(body)))
        .find(|charset| {
            let (text, has_errors) = charset.decode_without_bom_handling(body);
            let has_fewer = !has_errors || text.matches('\u{fffd}').count() * 4 < errors;
            has_fewer && !is_odd(&text)
        })
        .unwrap_or(declared)
}

/// What there is of UTF-8 in a body.
#[derive(Debug, Default)]
struct Sequences {
    /// Letters of several bytes.
    sound: usize,
    /// The bytes of those.
    bytes: usize,
    /// Those of signs that any page has, such as `©` and quotes.
    signs: usize,
    /// Places that are no UTF-8.
    broken: usize,
    /// Bytes that are not ASCII.
    high: usize,
}

impl Sequences {
    fn count(body: &[u8]) -> Sequences {
        let mut found = Sequences::default();
        // A run of bytes that are no UTF-8, and the number of sequences in which the decoder replaces it.
        let (mut damaged, mut count) = (Vec::new(), 0);
        for chunk in body.utf8_chunks() {
            let mut rest = chunk.valid();
            if !rest.is_empty() {
                found.add_damaged(&damaged, count);
                damaged.clear();
                count = 0;
            }
            while let Some(at) =
                Some(Encoding::ascii_valid_up_to(rest.as_bytes())).filter(|&at| at < rest.len())
            {
                let letter = rest[at..].chars().next().unwrap_or_default();
                found.sound += 1;
                found.bytes += letter.len_utf8();
                found.signs += usize::from(matches!(letter, '\u{a0}'..='\u{ff}' | '\u{2010}'..='\u{2122}'));
                rest = &rest[at + letter.len_utf8()..];
            }
            damaged.extend_from_slice(chunk.invalid());
            count += usize::from(!chunk.invalid().is_empty());
        }
        found.add_damaged(&damaged, count);
        found.high += found.bytes;
        found
    }

    /// Adds bytes that are no UTF-8. What is UTF-8 by its form is damaged and speaks for no other charset: the letters of CESU-8,
    /// which encodes the halves of a letter of UTF-16, and a letter whose last bytes are missing.
    fn add_damaged(&mut self, bytes: &[u8], count: usize) {
        let is_pair = |six: &[u8]| matches!(six, [0xed, 0xa0..=0xaf, _, 0xed, 0xb0..=0xbf, _]);
        let is_cut = || matches!(bytes, [0xc0..=0xff, rest @ ..] if !rest.is_empty() && rest.iter().all(|byte| byte & 0xc0 == 0x80));
        if !bytes.is_empty() && bytes.chunks(6).all(is_pair) {
            self.sound += bytes.len() / 6;
        } else if !is_cut() {
            self.broken += count;
        }
        self.high += bytes.len();
    }

    /// Whether the bytes are UTF-8 where `declared` is another charset. In one of single bytes no text is UTF-8 by chance;
    /// in others some of a few letters are.
    fn contradict(&self, declared: &'static Encoding) -> bool {
        match self.broken {
            0 if declared.is_single_byte() => self.sound > 0,
            0 => self.bytes >= 6 || (self.sound > 0 && self.signs == self.sound),
            broken => self.sound >= 10 * broken && self.bytes >= 20,
        }
    }
}

/// Whether there are letters of several bytes, and ten times as many as places where UTF-8 is broken.
pub(super) fn is_mostly_utf8(body: &[u8]) -> bool {
    let found = Sequences::count(body);
    found.sound > 0 && found.sound >= 10 * found.broken
}

/// Whether most letters that are not ASCII are such as other charsets give that are read as Japanese or Chinese ones:
/// half-width katakana, private letters.
fn is_odd(text: &str) -> bool {
    let (mut all, mut odd) = (0, 0);
    for letter in text.chars().filter(|letter| !letter.is_ascii()) {
        all += 1;
        odd += usize::from(matches!(letter, '\u{ff61}'..='\u{ff9f}' | '\u{e000}'..='\u{f8ff}'));
    }
    all >= RUN && odd * 2 > all
}

/// Charsets that servers declare of whatever they have.
fn is_western(charset: &'static Encoding) -> bool {
    charset == WINDOWS_1252 || charset == ISO_8859_15
}

/// Number of adjacent letters that are not ASCII that no word of a Western language has.
const RUN: usize = 4;

/// Whether bytes that are not ASCII mostly stand together, as in languages that are not written in Latin letters. A sign
/// that is repeated is a line, no word.
fn is_mojibake(body: &[u8]) -> bool {
    let (mut all, mut together) = (0, 0);
    for run in body.split(u8::is_ascii).filter(|run| !run.is_empty()) {
        all += run.len();
        let is_line = run.iter().all(|byte| *byte == run[0] || Some(byte) == run.get(1));
        if run.len() >= RUN && !is_line {
            together += run.len();
        }
    }
    all >= 4 * RUN && together * 2 > all
}
