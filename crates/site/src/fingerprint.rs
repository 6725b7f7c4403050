//! A fingerprint of a block's text, equal where a site's template would be.

use std::ops::Range;

use memchr::memchr2;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::fold::Folded;
use crate::pattern::{ADDRESS, HEXADECIMAL, NUMBER};

/// Fingerprints texts; its memory is kept from one to the next.
///
/// The fingerprint is XXH3 (128 bits) of the letters and digits, lower case, where numbers, dates, names
/// of months and days, times, units of time, ordinals, hexadecimal numbers and addresses stand for
/// whatever they are: the mutable patterns of the paper's section 5.2, but for those that words of a
/// language may match (capitals, abbreviations).
///
/// ```
/// # use gleaner_site::Fingerprinter;
/// let mut fingerprinter = Fingerprinter::default();
/// let mut same = |a, b| fingerprinter.of(a) == fingerprinter.of(b);
/// assert!(same("Posted on May 3, 2007 at 5:03 pm | 12 comments", "posted on July 21, 2026, at 11:59 pm - 1 Comments"));
/// assert!(!same("About us", "About me"));
/// assert_eq!(fingerprinter.of("2007-05-03, 12%"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    folded: Folded,
    /// Short texts that came before, each in the place that its hash tells: what is most frequent on the pages of
    /// a site is the same on all of them.
    known: Box<[Known; KNOWN]>,
}

/// Texts that are remembered, and bytes that they have at most: a site has some hundred in its menus. They take
/// half of what is nearest to a processor.
const KNOWN: usize = 1 << 10;
const SHORT: usize = 192;

/// The fingerprint of a text that has such a hash. That two texts have one hash is as good as never seen.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    hash: u64,
    /// Both halves of the fingerprint, zeros where there is none.
    halves: [u64; 2],
}

/// What is remembered in the place of a text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LookedUp {
    /// The text's own hash.
    hash: u64,
    known: Known,
}

impl Default for Fingerprinter {
    fn default() -> Fingerprinter {
        let known = vec![Known::default(); KNOWN].into_boxed_slice();
        Fingerprinter {
            folded: Folded::default(),
            known: known.try_into().expect("as many as there are"),
        }
    }
}

impl Fingerprinter {
    /// The fingerprint of a text; none where it has nothing but numbers, addresses and signs, which say
    /// nothing of a site.
    pub fn of(&mut self, text: &str) -> Option<u128> {
        let looked_up = self.look_up(text);
        self.of_piece(text, 0..text.len(), looked_up)
    }

    /// Looks a text up. All texts of a page are, before the first is asked for: the processor then waits for many
    /// of them at the same time.
    #[inline]
    pub(crate) fn look_up(&self, text: &str) -> LookedUp {
        if text.len() > SHORT {
            return LookedUp::default();
        }
        let hash = xxh3_64(text.as_bytes());
        LookedUp {
            hash,
            known: self.known[hash as usize % KNOWN],
        }
    }

    /// The fingerprint of a piece of a text, which was looked up.
    pub(crate) fn of_piece(&mut self, text: &str, piece: Range<usize>, looked_up: LookedUp) -> Option<u128> {
        if piece.len() > SHORT {
            return self.found(text, piece);
        }
        let LookedUp { hash, known } = looked_up;
        if known.hash == hash {
            return known.fingerprint();
        }
        let place = hash as usize % KNOWN;
        // It may have come since.
        if self.known[place].hash != hash {
            let fingerprint = self.found(text, piece);
            self.known[place] = Known::new(hash, fingerprint);
        }
        self.known[place].fingerprint()
    }

    fn found(&mut self, text: &str, piece: Range<usize>) -> Option<u128> {
        self.fold(text, piece);
        let folded = self.folded.bytes();
        let has_words = folded
            .iter()
            .any(|byte| ![NUMBER, ADDRESS, HEXADECIMAL].contains(byte));
        has_words.then(|| xxh3_128(folded))
    }

    fn fold(&mut self, text: &str, piece: Range<usize>) {
        self.folded.clear();
        let mut from = piece.start;
        while let Some(address) = next_address(&text.as_bytes()[..piece.end], from) {
            self.folded.add(text, from..address.start);
            self.folded.push(ADDRESS);
            from = address.end;
        }
        self.folded.add(text, from..piece.end);
    }
}

impl Known {
    fn new(hash: u64, fingerprint: Option<u128>) -> Known {
        let fingerprint = fingerprint.unwrap_or_default();
        Known {
            hash,
            halves: [fingerprint as u64, (fingerprint >> 64) as u64],
        }
    }

    fn fingerprint(&self) -> Option<u128> {
        let [low, high] = self.halves.map(u128::from);
        Some(low | high << 64).filter(|&fingerprint| fingerprint != 0)
    }
}

/// The next word that is an address on the web or of mail.
fn next_address(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = from;
    loop {
        at += memchr2(b'@', b':', &bytes[at..])?;
        if is_address(&bytes[from..], at - from) {
            let white = |byte: &u8| byte.is_ascii_whitespace();
            let start = bytes[from..at].iter().rposition(white);
            let end = bytes[at..].iter().position(white);
            return Some(
                start.map_or(from, |place| from + place + 1)..end.map_or(bytes.len(), |place| at + place),
            );
        }
        at += 1;
    }
}

/// Whether the sign at a place belongs to an address.
fn is_address(bytes: &[u8], at: usize) -> bool {
    let (before, after) = (&bytes[..at], &bytes[at + 1..]);
    let graphic = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    match bytes[at] {
        b'@' => graphic(before.last()) && graphic(after.first()),
        _ => after.starts_with(b"//") && (before.ends_with(b"http") || before.ends_with(b"https")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_stand_for_whatever_they_are() {
        let folded = |text: &str| {
            let mut fingerprinter = Fingerprinter::default();
            fingerprinter.fold(text, 0..text.len());
            String::from_utf8(fingerprinter.folded.bytes().to_vec()).unwrap()
        };
        assert_eq!(
            folded("Mail me@a.example or http://a.example/x?y z"),
            "mail\u{4}or\u{4}z"
        );
        assert_eq!(folded("@home: a@ b"), "homeab");
    }

    #[test]
    fn numbers_alone_are_no_text() {
        let mut fingerprinter = Fingerprinter::default();
        for nothing in [
            "",
            "—",
            "1,234.5",
            "3 × 4 = 12",
            "05/06/2007 11:59",
            "1. http://a.example/x",
        ] {
            assert_eq!(fingerprinter.of(nothing), None, "{nothing}");
        }
        assert!(fingerprinter.of("May 2007").is_some());
    }

    proptest! {
        #[test]
        fn a_text_that_came_before_has_the_same_fingerprint(texts in prop::collection::vec("[a-c1:@/ ]{0,4}", 0..60)) {
            let mut fingerprinter = Fingerprinter::default();
            for text in texts {
                prop_assert_eq!(fingerprinter.of(&text), Fingerprinter::default().found(&text, 0..text.len()));
            }
        }

        #[test]
        fn what_is_around_a_piece_does_not_matter(around in "[a-z1:@/ ]{0,90}", piece in "[a-c1:@/ ]{0,90}") {
            let text = format!("{around}{piece}{around}");
            let range = around.len()..around.len() + piece.len();
            let mut fingerprinter = Fingerprinter::default();
            let looked_up = fingerprinter.look_up(&piece);
            prop_assert_eq!(
                fingerprinter.of_piece(&text, range, looked_up),
                Fingerprinter::default().of(&piece)
            );
        }

        #[test]
        fn any_text_has_a_fingerprint_or_none(text in "\\PC{0,40}") {
            let found = Fingerprinter::default().of(&text);
            prop_assert_eq!(found, Fingerprinter::default().of(&text));
            prop_assert!(found.is_none() || text.chars().any(char::is_alphanumeric));
        }
    }
}
