//! The search for keywords in class and id attributes.
//!
//! Nearly all places in a name are the beginning of no keyword: a table of three letters each, which
//! stays in the nearest cache, rules them out. Where it does not, the few keywords that begin so are
//! compared. An automaton of the same keywords takes hundreds of kilobytes, and waits for memory at
//! every letter.

use std::cmp::Reverse;

use crate::eights::Heads;
use crate::keywords::KeywordGroup;

/// Bits per letter in a code.
const LETTER_BITS: usize = 5;
/// Letters per code.
const CODE_LETTERS: usize = 3;
/// Number of codes.
const CODES: usize = 1 << (LETTER_BITS * CODE_LETTERS);

/// Finds keywords in names, in either case: the first that begins and the longest that begins there,
/// then the same behind it.
#[derive(Clone, Debug)]
pub(crate) struct Keywords {
    /// For each two letters a bit for each third one with which they are a code that a keyword begins with.
    begins: Box<[u32; CODES >> LETTER_BITS]>,
    /// Where a code's keywords begin in `words`, for each code that has any.
    first: Vec<u32>,
    /// The keywords, by code, then the longest first, then as configured.
    words: Vec<Word>,
    /// Groups with an empty keyword, which is in every name.
    always: u64,
}

/// A keyword in small letters.
#[derive(Clone, Debug)]
struct Word {
    code: u16,
    /// Its first eight bytes, and the bits in which a text has to have the same: all but the case of
    /// letters.
    head: u64,
    mask: u64,
    /// The bytes behind them.
    tail: Box<[u8]>,
    len: usize,
    group: u8,
}

impl Word {
    fn new(code: u16, word: &str, group: u8) -> Word {
        let bytes = word.to_ascii_lowercase().into_bytes();
        let of_case = |byte: &u8| if byte.is_ascii_alphabetic() { !0x20 } else { !0 };
        let mask: Vec<u8> = bytes.iter().map(of_case).collect();
        Word {
            code,
            head: Heads::new(&bytes).at(0),
            mask: Heads::new(&mask).at(0),
            tail: bytes.get(8..).unwrap_or_default().into(),
            len: bytes.len(),
            group,
        }
    }

    /// Whether a text, whose head is this, begins with the word.
    fn begins(&self, head: u64, text: &[u8]) -> bool {
        let tail = || {
            text.get(8..self.len)
                .is_some_and(|tail| tail.eq_ignore_ascii_case(&self.tail))
        };
        (head ^ self.head) & self.mask == 0 && self.len <= text.len() && (self.len <= 8 || tail())
    }
}

/// The state of a search between two letters.
struct Search<'t> {
    heads: Heads<'t>,
    /// The two letters before.
    two: usize,
    /// The groups found.
    bits: u64,
    /// The last place of a code that begins behind the keyword found last.
    free: usize,
}

impl Keywords {
    pub(crate) fn new(groups: &[KeywordGroup]) -> Keywords {
        let texts = (groups.iter().enumerate())
            .flat_map(|(at, group)| group.words.iter().map(move |word| (word.as_str(), at as u8)));
        let (empty, texts): (Vec<_>, Vec<_>) = texts.partition(|(word, _)| word.is_empty());
        let mut words: Vec<Word> = texts
            .iter()
            .flat_map(|&(word, group)| codes(word.as_bytes()).map(move |code| Word::new(code, word, group)))
            .collect();
        words.sort_by_key(|word| (word.code, Reverse(word.len)));
        let mut keywords = Keywords {
            begins: Box::new([0; CODES >> LETTER_BITS]),
            first: vec![0; CODES],
            always: empty.iter().fold(0, |bits, (_, group)| bits | 1 << group),
            words,
        };
        for (at, word) in keywords.words.iter().enumerate().rev() {
            let code = usize::from(word.code);
            keywords.begins[code >> LETTER_BITS] |= 1 << (code % (1 << LETTER_BITS));
            keywords.first[code] = at as u32;
        }
        keywords
    }

    /// A bit for each group that has a keyword in the text. (Apart, and so is [`longest`](Self::longest): the loop
    /// keeps all it needs in registers.)
    #[inline(never)]
    pub(crate) fn find(&self, text: &str) -> u64 {
        let bytes = text.as_bytes();
        let mut search = Search {
            heads: Heads::new(bytes),
            two: 0,
            bits: self.always,
            free: CODE_LETTERS - 1,
        };
        for (last, &byte) in bytes.iter().enumerate() {
            self.step(&mut search, last, letter(byte));
        }
        // What ends a text fills the last codes up.
        for behind in 0..CODE_LETTERS - 1 {
            self.step(&mut search, bytes.len() + behind, 0);
        }
        search.bits
    }

    /// Looks at the code whose last letter is this, at this place.
    #[inline(always)]
    fn step(&self, search: &mut Search<'_>, last: usize, letter: usize) {
        if self.begins[search.two] >> letter & 1 != 0
            && last >= search.free
            && let Some(word) = self.longest(
                search.two << LETTER_BITS | letter,
                &search.heads,
                last + 1 - CODE_LETTERS,
            )
        {
            search.bits |= 1 << word.group;
            search.free = last + word.len;
        }
        search.two = (search.two << LETTER_BITS | letter) % (CODES >> LETTER_BITS);
    }

    /// The longest keyword at a place in a text, whose code there is this.
    #[inline(never)]
    fn longest(&self, code: usize, text: &Heads<'_>, start: usize) -> Option<&Word> {
        let head = text.at(start);
        let words = self.words[self.first[code] as usize..].iter();
        words
            .take_while(|word| usize::from(word.code) == code)
            .find(|word| word.begins(head, &text.text[start..]))
    }
}

/// A byte as a letter of a code, the same in either case; zero is for what follows a text.
fn letter(byte: u8) -> usize {
    LETTERS[usize::from(byte)].into()
}

static LETTERS: [u8; 256] = letters();

const fn letters() -> [u8; 256] {
    let mut letters = [31; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphabetic() {
            letters[byte] = b.to_ascii_lowercase() - b'a' + 1;
        } else if b.is_ascii_digit() {
            letters[byte] = 27;
        } else if b == b'-' {
            letters[byte] = 28;
        } else if b == b'_' {
            letters[byte] = 29;
        } else if b == b' ' {
            letters[byte] = 30;
        }
        byte += 1;
    }
    letters
}

/// The codes of the texts that begin with a keyword: all that may follow one that is shorter than a
/// code.
fn codes(word: &[u8]) -> impl Iterator<Item = u16> + use<> {
    let known = word.len().min(CODE_LETTERS);
    let free = LETTER_BITS * (CODE_LETTERS - known);
    let start = word[..known]
        .iter()
        .fold(0, |code, &byte| code << LETTER_BITS | letter(byte))
        << free;
    (start..start + (1 << free)).map(|code| code as u16)
}

#[cfg(test)]
mod tests {
    use aho_corasick::{AhoCorasick, MatchKind};
    use proptest::prelude::*;

    use super::*;
    use crate::keywords::default_groups;

    fn group(words: &[&str]) -> KeywordGroup {
        KeywordGroup {
            name: words.concat(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        }
    }

    /// The same by an automaton.
    fn find_slowly(groups: &[KeywordGroup], text: &str) -> u64 {
        let words = || {
            (groups.iter().enumerate()).flat_map(|(at, group)| group.words.iter().map(move |word| (at, word)))
        };
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(words().map(|(_, word)| word))
            .unwrap();
        let group_of: Vec<usize> = words().map(|(at, _)| at).collect();
        search
            .find_iter(text)
            .fold(0, |bits, found| bits | 1 << group_of[found.pattern()])
    }

    #[test]
    fn the_longest_keyword_counts() {
        let keywords = Keywords::new(&[group(&["header"]), group(&["head", "nav"])]);
        assert_eq!(keywords.find("pageHeader"), 1);
        assert_eq!(keywords.find("heading nav"), 2);
        assert_eq!(
            (keywords.find("none"), keywords.find("na"), keywords.find("")),
            (0, 0, 0)
        );
    }

    #[test]
    fn an_empty_keyword_is_everywhere() {
        let keywords = Keywords::new(&[group(&["nav"]), group(&[""])]);
        assert_eq!((keywords.find("nav"), keywords.find("")), (3, 2));
    }

    proptest! {
        #[test]
        fn keywords_are_found_as_by_an_automaton(
            groups in prop::collection::vec(prop::collection::vec("[abB\\-é1]{1,5}", 0..4), 0..6),
            text in "[abAB\\- é1_]{0,30}"
        ) {
            let groups: Vec<KeywordGroup> = groups
                .into_iter()
                .map(|words| KeywordGroup { name: String::new(), words })
                .collect();
            prop_assert_eq!(Keywords::new(&groups).find(&text), find_slowly(&groups, &text));
        }

        #[test]
        fn the_default_keywords_are_too(
            parts in prop::collection::vec((0usize..60, 0usize..30, 0usize..16, "[ a-zA-Z_-]{0,2}"), 0..8)
        ) {
            let groups = default_groups();
            let mut text = String::new();
            for (at, word, length, between) in parts {
                let words = &groups[at % groups.len()].words;
                text.extend(words[word % words.len()].chars().take(length));
                text += &between;
            }
            prop_assert_eq!(Keywords::new(&groups).find(&text), find_slowly(&groups, &text));
        }
    }
}
