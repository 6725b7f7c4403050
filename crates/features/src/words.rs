//! Lists of words in groups, and which of them a text has.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::eights::{CHUNK, Heads, letters, within};

/// Finds the words of two lists in texts.
pub(crate) struct WordFinder {
    /// The words that begin with a run of letters and numerals, or with a letter of a script without spaces; the longest first.
    by_beginning: FxHashMap<&'static str, Vec<Word>>,
    /// The beginnings, roughly: nearly all words of a text are none.
    beginnings: Filter,
}

/// A word or phrase, and its groups of each list, a bit each.
type Word = (&'static str, [u16; 2]);

impl WordFinder {
    /// A finder of the words that lists have for these groups, of which there are 16 at most in each.
    pub(crate) fn new(lists: [(&'static str, &[&str]); 2]) -> WordFinder {
        let mut words: FxHashMap<&str, [u16; 2]> = FxHashMap::default();
        for (list, (text, names)) in lists.into_iter().enumerate() {
            for (group, word) in entries(text) {
                if let Some(group) = names.iter().position(|name| *name == group) {
                    words.entry(word).or_default()[list] |= 1 << group;
                }
            }
        }
        let mut by_beginning: FxHashMap<&str, Vec<Word>> = FxHashMap::default();
        let mut beginnings = Filter::default();
        for (word, groups) in words {
            let own = by_beginning.entry(beginning(word)).or_default();
            own.push((word, groups));
        }
        for (beginning, words) in &mut by_beginning {
            words.sort_unstable_by_key(|(word, _)| std::cmp::Reverse((word.len(), *word)));
            beginnings.add(Heads::new(beginning.as_bytes()).at(0), beginning.len());
        }
        WordFinder {
            by_beginning,
            beginnings,
        }
    }

    /// Gives the words of each list in a text in small letters, from left to right, the longest at each place: the place of each,
    /// and its groups of one of the lists, a bit each.
    pub(crate) fn find(&self, text: &str, mut take: impl FnMut(Range<usize>, [u16; 2])) {
        let heads = Heads::new(text.as_bytes());
        let (mut at, mut free) = (0, [0; 2]);
        while at < text.len() {
            let [words, others] = heads.chunk(at..text.len(), |eight| {
                [(letters(eight) | within(eight, b'0', b'9')) & !eight, eight]
            });
            let mut left = words | others;
            let mut next = at + CHUNK;
            while left != 0 {
                let first = left.trailing_zeros() as usize;
                let (start, last) = (at + first, first + (words >> first).trailing_ones() as usize);
                let end = match last < CHUNK && others >> last & 1 == 0 {
                    true => at + last,
                    false => start + beginning(&text[start..]).len(),
                };
                for &(word, groups) in self.words(heads.at(start), &text[start..end]) {
                    let is_new = [0, 1].map(|list| groups[list] != 0 && start >= free[list]);
                    if is_new != [false; 2] && stands_at(text, start, word) {
                        for list in [0, 1].into_iter().filter(|&list| is_new[list]) {
                            free[list] = start + word.len();
                            let mut own = [0; 2];
                            own[list] = groups[list];
                            take(start..free[list], own);
                        }
                    }
                }
                // A sign beyond ASCII begins no word.
                let past = if end == start {
                    text.ceil_char_boundary(start + 1)
                } else {
                    end
                } - at;
                if past >= CHUNK {
                    next = at + past;
                    break;
                }
                left &= u64::MAX << past;
            }
            at = next;
        }
    }

    /// The words with a beginning, whose first bytes these are.
    #[inline]
    fn words(&self, head: u64, beginning: &str) -> &[Word] {
        let found = self
            .beginnings
            .may_have(head, beginning.len())
            .then(|| self.by_beginning.get(beginning));
        found.flatten().map_or(&[], |words| words)
    }

    /// The groups of each list that a text in small letters has a word of, a bit each.
    pub(crate) fn groups(&self, text: &str) -> [u16; 2] {
        let mut all = [0; 2];
        self.find(text, |_, groups| {
            (0..2).for_each(|list| all[list] |= groups[list])
        });
        all
    }
}

/// A set of texts that may seem to have others, too, by a hash of their length and first eight bytes.
struct Filter(Box<[u64; Filter::BITS / 64]>);

impl Default for Filter {
    fn default() -> Filter {
        Filter(Box::new([0; Filter::BITS / 64]))
    }
}

impl Filter {
    /// Some sixteen for each of four thousand texts: 8 KB.
    const BITS: usize = 1 << 16;

    fn add(&mut self, head: u64, length: usize) {
        let bit = Filter::bit(head, length);
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    #[inline]
    fn may_have(&self, head: u64, length: usize) -> bool {
        let bit = Filter::bit(head, length);
        self.0[bit / 64] >> (bit % 64) & 1 == 1
    }

    /// The upper bits of a product of the first bytes, up to the length, and the length.
    #[inline]
    fn bit(head: u64, length: usize) -> usize {
        let own = head << (64 - 8 * length.clamp(1, 8));
        ((own ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize
    }
}

/// Writes a text in small letters over another.
pub(crate) fn to_lowercase(text: &str, small: &mut String) {
    small.clear();
    let mut rest = text;
    loop {
        let ascii = rest.bytes().position(|byte| !byte.is_ascii());
        let (ascii, others) = rest.split_at(ascii.unwrap_or(rest.len()));
        small.push_str(ascii);
        let mut letters = others.chars();
        let Some(letter) = letters.next() else { break };
        match letter {
            // Most of what stands between ASCII: signs and scripts without cases.
            '\u{2000}'..='\u{206f}' | '\u{3000}'..='\u{9fff}' => small.push(letter),
            _ => small.extend(letter.to_lowercase()),
        }
        rest = letters.as_str();
    }
    small.make_ascii_lowercase();
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

/// What a text begins with that words are looked up by: a run of letters and numerals of a script with spaces, or a letter of
/// one without; nothing if it begins with neither.
pub(crate) fn beginning(text: &str) -> &str {
    let ascii = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let more = text[ascii..].chars().take_while(|&letter| is_spaced(letter));
    match ascii + more.map(char::len_utf8).sum::<usize>() {
        0 => {
            let first = text.chars().next().filter(|&first| is_alphanumeric(first));
            &text[..first.map_or(0, char::len_utf8)]
        }
        end => &text[..end],
    }
}

/// Whether a word stands there by itself.
fn stands_at(text: &str, start: usize, word: &str) -> bool {
    let continues = |outer: Option<char>, inner: Option<char>| {
        outer.is_some_and(is_alphanumeric) && inner.is_some_and(is_spaced)
    };
    let (before, rest) = text.split_at(start);
    rest.strip_prefix(word).is_some_and(|after| {
        !continues(before.chars().next_back(), word.chars().next())
            && !continues(after.chars().next(), word.chars().next_back())
    })
}

/// Whether a letter is of a script that has spaces between words.
fn is_spaced(letter: char) -> bool {
    is_alphanumeric(letter)
        && !matches!(letter, '\u{e00}'..='\u{eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// [`char::is_alphanumeric`], with no search for the most frequent characters.
pub(crate) fn is_alphanumeric(letter: char) -> bool {
    match letter {
        '\u{c0}'..='\u{24f}' => !matches!(letter, '×' | '÷'),
        '\u{2000}'..='\u{206f}' => false,
        '\u{400}'..='\u{481}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        _ => letter.is_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LISTS: [&str; 2] = [
        "[one]\ncart, add to cart, s'en aller, カート, 記事\n[two]\nadd, to, カートに, 2 pages, cart",
        "[one]\nto, to cart, 記",
    ];
    const NAMES: [&str; 2] = ["one", "two"];

    /// The same by trying each word of a list at each place.
    fn slow(text: &str, list: usize) -> Vec<(Range<usize>, u16)> {
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let words = entries(LISTS[list]).map(|(_, word)| word);
            let here = words.filter(|word| text.is_char_boundary(at) && stands_at(text, at, word));
            match here.max_by_key(|word| word.len()) {
                Some(longest) => {
                    let of = entries(LISTS[list]).filter(|(_, word)| *word == longest);
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
            let mut found = [Vec::new(), Vec::new()];
            WordFinder::new(LISTS.map(|list| (list, &NAMES[..]))).find(&text, |place, groups| {
                let list = usize::from(groups[0] == 0);
                found[list].push((place, groups[list]));
            });
            prop_assert_eq!(found, [0, 1].map(|list| slow(&text, list)), "{}", text);
        }
    }

    #[test]
    fn characters_are_what_the_standard_library_says() {
        let mut small = String::new();
        for letter in '\0'..=char::MAX {
            assert_eq!(is_alphanumeric(letter), letter.is_alphanumeric(), "{letter}");
            let text = format!("A{letter}b");
            to_lowercase(&text, &mut small);
            assert_eq!(
                small,
                text.chars().flat_map(char::to_lowercase).collect::<String>()
            );
        }
    }
}
