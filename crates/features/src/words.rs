//! Lists of words in groups, and which of them a text has.

use std::ops::Range;

use rustc_hash::FxHashMap;

/// Finds the words of some groups in texts.
pub(crate) struct WordFinder {
    /// The words that begin with a run of letters and numerals, or with a letter of a script without spaces; the longest first.
    by_beginning: FxHashMap<&'static str, Vec<Word>>,
    /// The beginnings, roughly: nearly all words of a text are none.
    beginnings: Filter,
}

/// A word or phrase, and its groups, a bit each.
type Word = (&'static str, u16);

impl WordFinder {
    /// A finder of the words that lists have for these groups, of which there are 16 at most.
    pub(crate) fn new(lists: &'static str, names: &[&str]) -> WordFinder {
        let mut words: FxHashMap<&str, u16> = FxHashMap::default();
        for (group, word) in entries(lists) {
            if let Some(group) = names.iter().position(|name| *name == group) {
                *words.entry(word).or_default() |= 1 << group;
            }
        }
        let mut by_beginning: FxHashMap<&str, Vec<Word>> = FxHashMap::default();
        for (word, groups) in words {
            by_beginning
                .entry(beginning(word))
                .or_default()
                .push((word, groups));
        }
        for words in by_beginning.values_mut() {
            words.sort_unstable_by_key(|(word, _)| std::cmp::Reverse((word.len(), *word)));
        }
        let mut beginnings = Filter::default();
        by_beginning
            .keys()
            .for_each(|beginning| beginnings.add(beginning));
        WordFinder {
            by_beginning,
            beginnings,
        }
    }

    /// The words in a text in small letters, from left to right, the longest at each place: the place of each, and its groups, a bit
    /// each.
    pub(crate) fn find<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Range<usize>, u16)> + 'a {
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < text.len() {
                let rest = &text[at..];
                let begun = beginning(rest);
                if begun.is_empty() {
                    at += to_alphanumeric(rest);
                    continue;
                }
                let start = at;
                let mut words = self.words(begun).iter();
                let found = words.find(|(word, _)| stands_at(text, start, word));
                at += found.map_or(begun.len(), |(word, _)| word.len());
                if let Some(&(_, groups)) = found {
                    return Some((start..at, groups));
                }
            }
            None
        })
    }

    /// The words with a beginning.
    fn words(&self, beginning: &str) -> &[Word] {
        let found = self
            .beginnings
            .may_have(beginning)
            .then(|| self.by_beginning.get(beginning));
        found.flatten().map_or(&[], |words| words)
    }

    /// The groups that a text in small letters has a word of, a bit each.
    pub(crate) fn groups(&self, text: &str) -> u16 {
        self.find(text).fold(0, |all, (_, groups)| all | groups)
    }
}

/// A set of texts that may seem to have others, too, by a hash of their length and first bytes.
struct Filter(Box<[u64; Filter::BITS / 64]>);

impl Default for Filter {
    fn default() -> Filter {
        Filter(Box::new([0; Filter::BITS / 64]))
    }
}

impl Filter {
    /// Some sixteen for each of two thousand texts: 4 KB.
    const BITS: usize = 1 << 15;

    fn add(&mut self, text: &str) {
        let bit = Filter::bit(text);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    #[inline]
    fn may_have(&self, text: &str) -> bool {
        let bit = Filter::bit(text);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The upper bits of a product of the length and the first four bytes.
    #[inline]
    fn bit(text: &str) -> usize {
        let bytes = text.as_bytes();
        let first = match bytes.first_chunk() {
            Some(four) => u32::from_le_bytes(*four),
            None => bytes.iter().fold(0, |first, byte| first << 8 | u32::from(*byte)),
        };
        let number = first ^ (bytes.len() as u32) << 13;
        (number.wrapping_mul(0x9e37_79b1) >> 17) as usize
    }
}

/// Writes a text in small letters over another.
pub(crate) fn to_lowercase(text: &str, small: &mut String) {
    small.clear();
    match text.is_ascii() {
        true => {
            small.push_str(text);
            small.make_ascii_lowercase();
        }
        false => small.extend(text.chars().flat_map(char::to_lowercase)),
    }
}

/// The words of the lists, each after its group.
pub(crate) fn entries(lists: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut group = "";
    let lines = lists.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(move |line| {
        let heading = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        group = heading.unwrap_or(group);
        let words = heading.map_or(line, |_| "").split(',').map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .map(move |word| (group, word))
    })
}

/// What a byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A letter or numeral of ASCII.
    Word,
    /// Anything else of ASCII.
    Other,
    Beyond,
}

/// How many bytes of a class a text begins with.
#[inline]
fn run(text: &str, of: Class) -> usize {
    const CLASSES: [Class; 256] = {
        let mut classes = [Class::Beyond; 256];
        let mut byte = 0;
        while byte < 128 {
            classes[byte] = match (byte as u8).is_ascii_alphanumeric() {
                true => Class::Word,
                false => Class::Other,
            };
            byte += 1;
        }
        classes
    };
    let mut bytes = text.bytes();
    let end = bytes.position(|byte| CLASSES[usize::from(byte)] != of);
    end.unwrap_or(text.len())
}

/// What a text begins with that words are looked up by: a run of letters and numerals of a script with spaces, or a letter of
/// one without; nothing if it begins with neither.
pub(crate) fn beginning(text: &str) -> &str {
    let ascii = run(text, Class::Word);
    if ascii > 0 && text.as_bytes().get(ascii).is_none_or(u8::is_ascii) {
        return &text[..ascii];
    }
    let more = text[ascii..].chars().take_while(|&letter| is_spaced(letter));
    match ascii + more.map(char::len_utf8).sum::<usize>() {
        0 => {
            let first = text.chars().next().filter(|first| first.is_alphanumeric());
            &text[..first.map_or(0, char::len_utf8)]
        }
        end => &text[..end],
    }
}

/// How far it is to the first letter or numeral.
fn to_alphanumeric(text: &str) -> usize {
    let ascii = run(text, Class::Other);
    match text.as_bytes().get(ascii) {
        Some(byte) if !byte.is_ascii() => text.find(char::is_alphanumeric).unwrap_or(text.len()),
        _ => ascii,
    }
}

/// Whether a word stands there by itself.
fn stands_at(text: &str, start: usize, word: &str) -> bool {
    let goes_on = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(char::is_alphanumeric) && inner.is_some_and(is_spaced)
    };
    let (before, rest) = text.split_at(start);
    rest.strip_prefix(word).is_some_and(|after| {
        !goes_on(before.chars().next_back(), word.chars().next())
            && !goes_on(after.chars().next(), word.chars().next_back())
    })
}

/// Whether a letter is of a script that has spaces between words.
fn is_spaced(letter: char) -> bool {
    letter.is_alphanumeric()
        && !matches!(letter, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LISTS: &str =
        "[one]\ncart, add to cart, s'en aller, カート, 記事\n[two]\nadd, to, カートに, 2 pages, cart";
    const NAMES: [&str; 2] = ["one", "two"];

    /// The same by trying each word at each place.
    fn slow(text: &str) -> Vec<(Range<usize>, u16)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let words = entries(LISTS).map(|(_, word)| word);
            let here = words.filter(|word| text.is_char_boundary(at) && stands_at(text, at, word));
            match here.max_by_key(|word| word.len()) {
                Some(longest) => {
                    let of = entries(LISTS).filter(|(_, word)| *word == longest);
                    let bit = |group: &str| 1 << NAMES.iter().position(|name| *name == group).unwrap();
                    found.push((
                        at..at + longest.len(),
                        of.fold(0, |all, (group, _)| all | bit(group)),
                    ));
                    at += longest.len();
                }
                None => at += 1,
            }
        }
        found
    }

    proptest! {
        #[test]
        fn words_are_those_that_stand_there(
            parts in prop::collection::vec(prop::sample::select(vec![
                "cart", "add", "to", " ", " ", "s", "'", "en aller", "カート", "に", "記事", "の", "2", "pages", "é", "x", "！", "👍🏽",
            ]), 0..12)
        ) {
            let text = parts.concat();
            let found: Vec<_> = WordFinder::new(LISTS, &NAMES).find(&text).collect();
            prop_assert_eq!(found, slow(&text), "{}", text);
        }
    }
}
