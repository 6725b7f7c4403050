//! The pages of a site as one text of symbols: step 1 and 2 of section 3.2.
//!
//! Tokens that no template can contain are left out before sorting: a token on fewer pages than a template needs ends every
//! string, so that each run of such tokens becomes one separator. That is exact, and removes half of the text of real sites.

use std::ops::Range;

use crate::mutable::Patterns;
use crate::read::{NO_TOKEN, Read};
use crate::tokenizer::Tokenizer;
use crate::vocabulary::First;
use crate::{MineConfig, portable};

/// The symbol between pages, and of tokens that no template can contain. Two separators never match.
pub(crate) const SEPARATOR: i32 = 0;

/// The meaning of a symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A literal token.
    Literal(Box<str>),
    /// The pattern of this number.
    Pattern(usize),
}

/// The pages of a site as symbols.
#[derive(Debug, Default)]
pub(crate) struct Collection {
    /// Symbols, page after page, each followed by a separator.
    pub(crate) text: Vec<i32>,
    /// Where each page begins, and where the last ends.
    pub(crate) starts: Vec<u32>,
    /// By symbol; the first is the separator.
    pub(crate) meanings: Vec<Meaning>,
    /// By symbol: the number of tokens that it counts as.
    pub(crate) counts: Vec<u32>,
    /// Tokens of all pages that were read.
    pub(crate) tokens: u64,
    /// Pages that were read.
    pub(crate) pages: u32,
}

impl Collection {
    /// The pages as symbols, in their order, read on `threads` threads.
    pub(crate) fn new(
        pages: &[&str],
        tokenizer: &Tokenizer,
        patterns: &Patterns,
        config: &MineConfig,
        threads: usize,
    ) -> Collection {
        let read = Read::new(pages, tokenizer, &config.limits, threads);
        let least = least_pages(config, read.pages());
        let (pages_read, tokens) = (read.pages(), read.ids.len() as u64 - u64::from(read.pages()));
        let (symbols, meanings) = choose(&read, pages, patterns, least);
        let counts: Vec<u32> = meanings.iter().map(tokens_in).collect();
        let Read { ids, starts, .. } = read;
        let alone = |symbol| counts[symbol as usize] >= config.min_tokens;
        let (text, starts) = rewrite(ids, &starts, &symbols, alone);
        Collection {
            text,
            starts,
            meanings,
            counts,
            tokens,
            pages: pages_read,
        }
    }
}

/// The smallest number of pages of a string that is counted: two, or the width of a bin. The histogram needs the many
/// strings on few pages to find where templates begin, also strings on fewer pages than an expression needs.
pub(crate) fn least_pages(config: &MineConfig, pages: u32) -> u32 {
    config.min_pages.min(2).max(pages.div_ceil(100)).max(1)
}

/// The symbol of every number of a token, and the meanings of the symbols.
fn choose(read: &Read, pages: &[&str], patterns: &Patterns, least: u32) -> (Vec<i32>, Vec<Meaning>) {
    let half = read.pages().div_ceil(2).max(least);
    let mut meanings = vec![Meaning::Literal("".into())];
    let mut of_pattern = vec![SEPARATOR; patterns.sources().len()];
    let mut add = |meaning| {
        meanings.push(meaning);
        meanings.len() as i32 - 1
    };
    let symbols = read.firsts.iter().zip(&read.counts).map(|(first, &count)| {
        let token = &pages[first.page as usize][text_range(first)];
        let matching = patterns.matching(token);
        if matching == 0 || (count >= half && patterns.may_be_word(matching)) {
            return match count >= least && portable::is_literal(token) {
                true => add(Meaning::Literal(token.into())),
                false => SEPARATOR,
            };
        }
        let pattern = matching.trailing_zeros() as usize;
        if of_pattern[pattern] == SEPARATOR {
            of_pattern[pattern] = add(Meaning::Pattern(pattern));
        }
        of_pattern[pattern]
    });
    (symbols.collect(), meanings)
}

fn text_range(first: &First) -> Range<usize> {
    first.start as usize..first.start as usize + first.length as usize
}

/// The numbered text as symbols, in place, and where its pages begin. Runs of separators become
/// one. A single symbol between two separators is dropped if it counts as fewer tokens than a string needs.
fn rewrite(
    mut ids: Vec<i32>,
    starts: &[u32],
    symbols: &[i32],
    alone: impl Fn(i32) -> bool,
) -> (Vec<i32>, Vec<u32>) {
    let mut to = 0;
    let mut new_starts = Vec::with_capacity(starts.len());
    for page in starts.windows(2) {
        new_starts.push(to as u32);
        // Where the string that is being written begins.
        let mut begin = to;
        for from in page[0] as usize..page[1] as usize {
            let symbol = match ids[from] {
                NO_TOKEN => SEPARATOR,
                id => symbols[id as usize],
            };
            if symbol != SEPARATOR {
                ids[to] = symbol;
                to += 1;
            } else if to - begin > 1 || (to > begin && alone(ids[begin])) {
                ids[to] = SEPARATOR;
                to += 1;
                begin = to;
            } else {
                to = begin;
            }
        }
    }
    new_starts.push(to as u32);
    ids.truncate(to);
    ids.shrink_to_fit();
    (ids, new_starts)
}

/// The number of tokens that a symbol counts as: a word of a script without spaces between words has about
/// two characters.
fn tokens_in(meaning: &Meaning) -> u32 {
    match meaning {
        Meaning::Literal(token) if !token.is_ascii() => {
            let letters = token.chars().filter(|&letter| is_unspaced(letter)).count();
            (letters as u32 / 2).max(1)
        }
        _ => 1,
    }
}

/// Whether a character belongs to a script that puts no spaces between words: Thai, Lao, Myanmar,
/// Khmer, kana, Han.
fn is_unspaced(letter: char) -> bool {
    matches!(letter, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    fn collection(pages: &[&str], config: &MineConfig) -> Collection {
        let tokenizer = Tokenizer::new(&config.tokens.token).unwrap();
        let patterns = Patterns::new(&config.tokens, &tokenizer).unwrap();
        Collection::new(pages, &tokenizer, &patterns, config, 1)
    }

    /// The strings of a collection, page by page.
    fn strings(collection: &Collection, page: usize) -> Vec<Vec<String>> {
        let range = collection.starts[page] as usize..collection.starts[page + 1] as usize;
        let name = |symbol: &i32| match &collection.meanings[*symbol as usize] {
            Meaning::Literal(token) => token.to_string(),
            Meaning::Pattern(number) => format!("<{number}>"),
        };
        let parts = collection.text[range].split_inclusive(|&symbol| symbol == SEPARATOR);
        parts
            .map(|part| part[..part.len() - 1].iter().map(name).collect())
            .collect()
    }

    #[test]
    fn what_no_template_can_hold_separates() {
        let pages = ["a b x c d e1", "a b y z c d e2", "a b c d 7"];
        let collection = collection(&pages, &MineConfig::default());
        assert_eq!((collection.tokens, collection.pages), (18, 3));
        assert_eq!(strings(&collection, 0), [["a", "b"], ["c", "d"]]);
        assert_eq!(strings(&collection, 1), [["a", "b"], ["c", "d"]]);
        assert_eq!(strings(&collection, 2), [["a", "b", "c", "d", "<7>"]]);
    }

    #[test]
    fn capitals_on_most_pages_are_words_and_others_change() {
        let pages = ["HOME of FOX one", "HOME of DOG one", "HOME of CAT one"];
        let collection = collection(&pages, &MineConfig::default());
        assert_eq!(strings(&collection, 1), [["HOME", "of", "<15>", "one"]]);
    }

    #[test]
    fn a_long_token_of_a_script_without_spaces_counts_alone() {
        let pages = ["首页关于我们 x1 ab", "首页关于我们 x2 ab", "首页关于我们 x3 ab"];
        let collection = collection(&pages, &MineConfig::default());
        assert_eq!(strings(&collection, 0), [["首页关于我们"]]);
    }

    #[test]
    fn everything_is_bounded() {
        let limits = Limits {
            page_bytes: 12,
            token_bytes: 3,
            site_tokens: 9,
            ..Limits::default()
        };
        let config = MineConfig {
            limits,
            ..MineConfig::default()
        };
        let pages = ["a b c long d e f g h"; 6];
        let collection = collection(&pages, &config);
        // Two pages of five tokens would be one too many: separators count too.
        assert!(collection.tokens <= 9 && collection.pages < 6, "{collection:?}");
    }
}
