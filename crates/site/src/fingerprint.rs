//! Fingerprints of texts, equal for texts that differ only in what changes from page to page.

use std::ops::Range;

use memchr::memchr2;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::fold::Folded;
use crate::pattern::{ADDRESS, HEXADECIMAL, NUMBER};

/// Computes fingerprints. Its memory is kept from one text to the next.
///
/// The fingerprint is XXH3 (128 bits) of the letters and digits in lower case. Numbers, dates, names of months and days,
/// times, units of time, ordinals, hexadecimal numbers and addresses are each replaced by a sign of their kind: the mutable
/// patterns of Foschini, section 5.2, without those that words of a language can match (capitals, abbreviations).
///
/// ```
/// # use gleaner_site::Fingerprinter;
/// let mut fingerprinter = Fingerprinter::default();
/// let mut same = |a, b| fingerprinter.fingerprint(a) == fingerprinter.fingerprint(b);
/// assert!(same("Posted on May 3, 2007 at 5:03 pm | 12 comments", "posted on July 21, 2026, at 11:59 pm - 1 Comments"));
/// assert!(!same("About us", "About me"));
/// assert_eq!(fingerprinter.fingerprint("2007-05-03, 12%"), None);
/// ```
#[derive(Clone, Debug)]
pub struct Fingerprinter {
    folded: Folded,
    /// A direct-mapped cache of short texts: the most frequent texts of a site are the same on all its pages.
    cache: Box<[CacheEntry; CACHE]>,
}

/// Entries of the cache; they take 24 KB. The menus of a site have a few hundred texts.
const CACHE: usize = 1 << 10;

/// Maximum bytes per cached text.
const MAX_CACHED: usize = 192;

/// The fingerprint of the text with this hash. Texts with equal hashes of 64 bits are not distinguished.
#[derive(Clone, Copy, Debug, Default)]
struct CacheEntry {
    hash: u64,
    /// Both halves of the fingerprint; zeros if the text has none.
    halves: [u64; 2],
}

/// The cache entry that a text would have, read in advance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LookedUp {
    /// The hash of the text.
    hash: u64,
    entry: CacheEntry,
}

impl Default for Fingerprinter {
    fn default() -> Fingerprinter {
        let cache = vec![CacheEntry::default(); CACHE].into_boxed_slice();
        Fingerprinter {
            folded: Folded::default(),
            cache: cache.try_into().expect("the vector has the length of the array"),
        }
    }
}

impl Fingerprinter {
    /// The fingerprint of a text; none if it has only numbers, addresses and punctuation.
    pub fn fingerprint(&mut self, text: &str) -> Option<u128> {
        let looked_up = self.look_up(text);
        self.of_piece(text, 0..text.len(), looked_up)
    }

    /// Reads the cache for a text. All texts of a page are looked up before the first fingerprint is computed, so that
    /// cache misses overlap.
    #[inline]
    pub(crate) fn look_up(&self, text: &str) -> LookedUp {
        if text.len() > MAX_CACHED {
            return LookedUp::default();
        }
        let hash = xxh3_64(text.as_bytes());
        LookedUp {
            hash,
            entry: self.cache[hash as usize % CACHE],
        }
    }

    /// The fingerprint of a piece of a text; the piece was looked up.
    pub(crate) fn of_piece(&mut self, text: &str, piece: Range<usize>, looked_up: LookedUp) -> Option<u128> {
        if piece.len() > MAX_CACHED {
            return self.compute(text, piece);
        }
        let LookedUp { hash, entry } = looked_up;
        if entry.hash == hash {
            return entry.fingerprint();
        }
        let slot = hash as usize % CACHE;
        // The text may have been cached since it was looked up.
        if self.cache[slot].hash != hash {
            let fingerprint = self.compute(text, piece);
            self.cache[slot] = CacheEntry::new(hash, fingerprint);
        }
        self.cache[slot].fingerprint()
    }

    fn compute(&mut self, text: &str, piece: Range<usize>) -> Option<u128> {
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

impl CacheEntry {
    fn new(hash: u64, fingerprint: Option<u128>) -> CacheEntry {
        let fingerprint = fingerprint.unwrap_or_default();
        CacheEntry {
            hash,
            halves: [fingerprint as u64, (fingerprint >> 64) as u64],
        }
    }

    fn fingerprint(&self) -> Option<u128> {
        let [low, high] = self.halves.map(u128::from);
        Some(low | high << 64).filter(|&fingerprint| fingerprint != 0)
    }
}

/// The next word that is a web or mail address, from a place on.
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

/// Whether the `@` or `:` at a place is part of an address.
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
    fn addresses_are_replaced_by_one_sign() {
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
    fn numbers_alone_have_no_fingerprint() {
        let mut fingerprinter = Fingerprinter::default();
        for nothing in [
            "",
            "—",
            "1,234.5",
            "3 × 4 = 12",
            "05/06/2007 11:59",
            "1. http://a.example/x",
        ] {
            assert_eq!(fingerprinter.fingerprint(nothing), None, "{nothing}");
        }
        assert!(fingerprinter.fingerprint("May 2007").is_some());
    }

    proptest! {
        #[test]
        fn a_cached_text_has_the_same_fingerprint(texts in prop::collection::vec("[a-c1:@/ ]{0,4}", 0..60)) {
            let mut fingerprinter = Fingerprinter::default();
            for text in texts {
                prop_assert_eq!(fingerprinter.fingerprint(&text), Fingerprinter::default().compute(&text, 0..text.len()));
            }
        }

        #[test]
        fn the_text_around_a_piece_does_not_matter(around in "[a-z1:@/ ]{0,90}", piece in "[a-c1:@/ ]{0,90}") {
            let text = format!("{around}{piece}{around}");
            let range = around.len()..around.len() + piece.len();
            let mut fingerprinter = Fingerprinter::default();
            let looked_up = fingerprinter.look_up(&piece);
            prop_assert_eq!(
                fingerprinter.of_piece(&text, range, looked_up),
                Fingerprinter::default().fingerprint(&piece)
            );
        }

        #[test]
        fn a_text_with_a_fingerprint_has_letters_or_digits(text in "\\PC{0,40}") {
            let found = Fingerprinter::default().fingerprint(&text);
            prop_assert_eq!(found, Fingerprinter::default().fingerprint(&text));
            prop_assert!(found.is_none() || text.chars().any(char::is_alphanumeric));
        }
    }
}
