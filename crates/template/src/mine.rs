//! Mining the expressions of a site from its pages: section 3.2, step by step.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::collection::{Collection, Meaning, least_pages};
use crate::expression::{self, Element};
use crate::frequency::{Repeat, repeats};
use crate::histogram::{CutOff, Histogram};
use crate::idioms::drop_idioms;
use crate::mutable::Patterns;
use crate::share::{beginning, page_share};
use crate::suffix::{common_prefixes, suffix_array};
use crate::{Error, MineConfig, Tokenizer};

/// A page of a site.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// Its URL.
    pub url: &'a str,
    /// Its text, or its HTML.
    pub text: &'a str,
}

impl Page<'_> {
    /// The key of the page. The pages with the smallest keys are the sample.
    pub fn key(&self) -> u64 {
        page_key(self.url)
    }
}

/// The key of a page, the same in every run and release.
pub fn page_key(url: &str) -> u64 {
    xxh3_64(url.as_bytes())
}

/// An expression of a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expression {
    /// The regular expression.
    pub expression: String,
    /// Pages of the sample that it matches on.
    pub pages: u32,
    /// Number of occurrences of its string on them.
    pub occurrences: u32,
    /// Tokens of its string.
    pub tokens: u32,
    /// The URL of a page that it matches on.
    pub example: String,
}

/// The template of a site, and how it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteTemplate {
    /// The site.
    pub site: String,
    /// Number of pages that were mined.
    pub sampled_pages: u32,
    /// Number of their tokens.
    pub sampled_tokens: u64,
    /// Maximal strings by the pages they are on.
    pub histogram: Histogram,
    /// The cut-off where templates begin.
    pub cut_off: CutOff,
    /// The smallest number of pages of a template.
    pub cutoff_pages: u32,
    /// The expressions, those on the most pages first.
    pub expressions: Vec<Expression>,
}

/// The largest number of tokens of an expression. Longer strings are cut into several, which match where the whole does.
const EXPRESSION_TOKENS: usize = 256;

/// Mines sites, one after the other or on several threads.
#[derive(Clone, Debug)]
pub struct Miner {
    pub(crate) config: MineConfig,
    pub(crate) tokenizer: Tokenizer,
    pub(crate) patterns: Patterns,
}

impl Miner {
    /// A miner with these settings.
    ///
    /// # Errors
    ///
    /// The token expression or a mutable pattern cannot be used.
    pub fn new(config: MineConfig) -> Result<Miner, Error> {
        let tokenizer = Tokenizer::new(&config.tokens.token)?;
        let patterns = Patterns::new(&config.tokens, &tokenizer)?;
        Ok(Miner {
            config,
            tokenizer,
            patterns,
        })
    }

    /// The settings.
    pub fn config(&self) -> &MineConfig {
        &self.config
    }

    /// The expressions of a site. The order of the pages does not matter.
    pub fn mine(&self, site: &str, pages: &[Page<'_>]) -> SiteTemplate {
        self.mine_on(site, pages, 1)
    }

    /// As [`Miner::mine`], the pages read on several threads.
    pub(crate) fn mine_on(&self, site: &str, pages: &[Page<'_>], threads: usize) -> SiteTemplate {
        let sample = self.cut(&sample(pages, self.config.sample));
        let texts: Vec<&str> = sample.iter().map(|page| page.text).collect();
        let collection = Collection::new(&texts, &self.tokenizer, &self.patterns, &self.config, threads);
        let mut template = SiteTemplate {
            site: site.to_owned(),
            sampled_pages: collection.pages,
            sampled_tokens: collection.tokens,
            histogram: Histogram::new(collection.pages),
            cut_off: Histogram::new(0).cut_off(),
            cutoff_pages: 0,
            expressions: Vec::new(),
        };
        self.fill(&mut template, collection, &sample);
        template
    }

    /// The beginnings of pages that are mined.
    fn cut<'p>(&self, sample: &[&Page<'p>]) -> Vec<Page<'p>> {
        let limits = &self.config.limits;
        let length = |page: &&Page<'_>| page.text.len().min(limits.page_bytes);
        let lengths: Vec<usize> = sample.iter().map(length).collect();
        let share = page_share(&lengths, limits.site_bytes).min(limits.page_bytes);
        let cut = |page: &&Page<'p>| Page {
            text: beginning(page.text, share),
            ..**page
        };
        sample.iter().map(cut).collect()
    }

    fn fill(&self, template: &mut SiteTemplate, mut collection: Collection, sample: &[Page<'_>]) {
        let suffixes = suffix_array(&mut collection.text);
        let common = common_prefixes(&collection.text, &suffixes);
        let least = least_pages(&self.config, collection.pages);
        let mut strings = Vec::new();
        let Collection {
            text, starts, counts, ..
        } = &collection;
        repeats(text, starts, &suffixes, &common, |repeat| {
            let first = text[suffixes[repeat.rank as usize] as usize];
            let long_enough = repeat.length >= self.config.min_tokens
                || (repeat.length == 1 && counts[first as usize] >= self.config.min_tokens);
            if repeat.maximal && repeat.pages >= least && long_enough {
                template.histogram.add(repeat.pages);
                strings.push(repeat);
            }
        });
        template.cut_off = template.histogram.cut_off();
        template.cutoff_pages = template
            .histogram
            .pages_of(template.cut_off.bin)
            .max(self.config.min_pages);
        strings.retain(|string| string.pages >= template.cutoff_pages);
        strings.retain(|string| self.has_word(&collection, &suffixes, string));
        let chosen = needed(&suffixes, common, strings);
        template.expressions = self.expressions(&collection, &suffixes, &chosen, sample);
        drop((collection, suffixes));
        drop_idioms(&mut template.expressions, sample, &self.config.tokens)
            .expect("the expressions were written with these settings");
    }

    /// Whether a string has a word: strings of numbers and punctuation are no template.
    fn has_word(&self, collection: &Collection, suffixes: &[i32], string: &Repeat) -> bool {
        symbols(&collection.text, suffixes, string).iter().any(|&symbol| {
            match &collection.meanings[symbol as usize] {
                Meaning::Literal(token) => token.chars().any(char::is_alphabetic),
                Meaning::Pattern(number) => !self.patterns.is_wordless(*number),
            }
        })
    }

    fn expressions(
        &self,
        collection: &Collection,
        suffixes: &[i32],
        chosen: &[Repeat],
        sample: &[Page<'_>],
    ) -> Vec<Expression> {
        let mut all: BTreeMap<String, Expression> = BTreeMap::new();
        for string in chosen {
            let first = (string.rank..string.rank + string.occurrences)
                .map(|rank| suffixes[rank as usize] as u32)
                .min()
                .unwrap_or_default();
            let page = collection.starts.partition_point(|&start| start <= first) - 1;
            for piece in pieces(symbols(&collection.text, suffixes, string)) {
                let elements: Vec<Element> = piece
                    .iter()
                    .map(|&symbol| {
                        Element::new(&collection.meanings[symbol as usize], self.patterns.sources())
                    })
                    .collect();
                let expression = expression::write(&elements, &self.tokenizer);
                let entry = all.entry(expression.clone()).or_insert_with(|| Expression {
                    expression,
                    pages: 0,
                    occurrences: 0,
                    tokens: piece.len() as u32,
                    example: sample[page].url.to_owned(),
                });
                entry.pages = entry.pages.max(string.pages);
                entry.occurrences = entry.occurrences.max(string.occurrences);
            }
        }
        let mut all: Vec<Expression> = all.into_values().collect();
        all.sort_by(|one, other| {
            (other.pages, other.tokens)
                .cmp(&(one.pages, one.tokens))
                .then_with(|| one.expression.cmp(&other.expression))
        });
        all.truncate(self.config.limits.expressions);
        all
    }
}

/// The pages with the smallest keys, by key; one at least.
fn sample<'a, 'p>(pages: &'a [Page<'p>], most: usize) -> Vec<&'a Page<'p>> {
    let mut keyed: Vec<(u64, &Page<'p>)> = pages.iter().map(|page| (page.key(), page)).collect();
    // Captures of one page have the same key and differ only in their texts.
    let order = |one: &(u64, &Page<'p>), other: &(u64, &Page<'p>)| {
        let parts = |page: &(u64, &Page<'p>)| (page.0, page.1.url, page.1.text);
        parts(one).cmp(&parts(other))
    };
    let most = most.max(1);
    if keyed.len() > most {
        keyed.select_nth_unstable_by(most - 1, order);
        keyed.truncate(most);
    }
    keyed.sort_unstable_by(order);
    keyed.into_iter().map(|(_, page)| page).collect()
}

/// The symbols of a string.
fn symbols<'a>(text: &'a [i32], suffixes: &[i32], string: &Repeat) -> &'a [i32] {
    let place = suffixes[string.rank as usize] as usize;
    &text[place..place + string.length as usize]
}

/// A string in pieces that expressions can be made of, of nearly equal lengths.
fn pieces(symbols: &[i32]) -> impl Iterator<Item = &[i32]> {
    let count = symbols.len().div_ceil(EXPRESSION_TOKENS).max(1);
    symbols.chunks(symbols.len().div_ceil(count).max(1))
}

/// The strings without which some text of the sample would not be covered: those that are, at one
/// of the places where they occur, not part of a longer one. The others add nothing; left in, they
/// would be as many as the square of a template's length.
///
/// One sweep over the suffix array notes for every place the longest string that begins there, one
/// over the text notes the strings that reach beyond those that begin before. The memory of
/// `common` is used again.
fn needed(suffixes: &[i32], common: Vec<u32>, mut strings: Vec<Repeat>) -> Vec<Repeat> {
    // Outer intervals first: they hold whole inner ones, of longer strings.
    strings.sort_unstable_by_key(|string| (string.rank, string.length));
    let longest = longest_by_place(suffixes, common, &strings);
    let mut is_needed = vec![false; strings.len()];
    let mut end = 0;
    for (place, &string) in longest.iter().enumerate() {
        let string = string as usize;
        if let Some(repeat) = strings
            .get(string)
            .filter(|repeat| place + repeat.length as usize > end)
        {
            end = place + repeat.length as usize;
            is_needed[string] = true;
        }
    }
    let mut is_needed = is_needed.into_iter();
    strings.retain(|_| is_needed.next().unwrap_or_default());
    strings
}

/// By place, the index of the longest string that begins there; [`u32::MAX`] where none does.
fn longest_by_place(suffixes: &[i32], mut memory: Vec<u32>, strings: &[Repeat]) -> Vec<u32> {
    memory.fill(u32::MAX);
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut next = 0;
    let mut rank = 0;
    while next < strings.len() || !open.is_empty() {
        if open.is_empty() {
            rank = strings[next].rank;
        }
        while strings.get(next).is_some_and(|string| string.rank == rank) {
            open.push((next as u32, rank + strings[next].occurrences));
            next += 1;
        }
        if let Some(&(string, _)) = open.last() {
            memory[suffixes[rank as usize] as usize] = string;
        }
        rank += 1;
        while open.pop_if(|&mut (_, end)| end <= rank).is_some() {}
    }
    memory
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::TokenConfig;

    fn mine(config: MineConfig, texts: &[String]) -> SiteTemplate {
        let urls: Vec<String> = (0..texts.len())
            .map(|page| format!("http://a.example/{page}"))
            .collect();
        let pages: Vec<Page<'_>> = urls
            .iter()
            .zip(texts)
            .map(|(url, text)| Page { url, text })
            .collect();
        Miner::new(config).unwrap().mine("a.example", &pages)
    }

    fn expressions(template: &SiteTemplate) -> Vec<&str> {
        template
            .expressions
            .iter()
            .map(|found| found.expression.as_str())
            .collect()
    }

    #[test]
    fn a_template_with_changing_parts_is_one_expression() {
        let texts: Vec<String> = (0..20)
            .map(|page| format!("Home About Posted on {page} May 2007 word{page} text{page}\nRead more"))
            .collect();
        let template = mine(MineConfig::default(), &texts);
        let found = expressions(&template);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0]
                .starts_with(r"([\t-\r ]+|^)Home[\t-\r ]+About[\t-\r ]+Posted[\t-\r ]+on[\t-\r ]+(?:[,.]*[0-9][0-9,.]*)[\t-\r ]+(?:(January|")
        );
        assert_eq!(found[1], r"([\t-\r ]+|^)Read[\t-\r ]+more([\t-\r ]+|$)");
        assert_eq!((template.sampled_pages, template.expressions[0].pages), (20, 20));
        assert_eq!(template.expressions[0].tokens, 7);
    }

    #[test]
    fn the_sample_and_the_result_do_not_follow_the_order_of_pages() {
        let texts: Vec<String> = (0..30)
            .map(|page| format!("a b c {} d e f{}", "x y ".repeat(page % 3), page % 7))
            .collect();
        let urls: Vec<String> = (0..30).map(|page| format!("http://a.example/{page}")).collect();
        let config = MineConfig {
            sample: 12,
            ..MineConfig::default()
        };
        let miner = Miner::new(config).unwrap();
        let mut pages: Vec<Page<'_>> = urls
            .iter()
            .zip(&texts)
            .map(|(url, text)| Page { url, text })
            .collect();
        let one = miner.mine("a.example", &pages);
        pages.reverse();
        assert_eq!(miner.mine("a.example", &pages), one);
        assert_eq!(one.sampled_pages, 12);
    }

    #[test]
    fn long_pages_of_a_site_that_is_too_large_are_cut() {
        let text = |page: usize, words: usize| {
            let words: String = (0..words).map(|word| format!("w{} ", word * 7 + page)).collect();
            format!("Home About Contact\n{words}\nImprint of all")
        };
        let texts: Vec<String> = (0..4)
            .map(|page| text(page, if page == 2 { 500 } else { 3 }))
            .collect();
        let mut config = MineConfig::default();
        let whole = mine(config.clone(), &texts);
        assert_eq!(expressions(&whole).len(), 2);
        config.limits.site_bytes = 4 * 60;
        let cut = mine(config, &texts);
        assert_eq!(cut.sampled_pages, 4);
        assert!(cut.sampled_tokens < 80 && whole.sampled_tokens > 500, "{cut:?}");
        assert_eq!(expressions(&cut).len(), 1, "the end of the long page is left out");
    }

    #[test]
    fn hardly_any_pages_have_no_template() {
        for count in 0..3 {
            let texts = vec!["Home About Contact".to_owned(); count];
            assert_eq!(expressions(&mine(MineConfig::default(), &texts)), [""; 0]);
        }
        let texts = vec!["Home About Contact".to_owned(); 3];
        assert_eq!(
            expressions(&mine(MineConfig::default(), &texts)),
            [r"([\t-\r ]+|^)Home[\t-\r ]+About[\t-\r ]+Contact([\t-\r ]+|$)"]
        );
    }

    #[test]
    fn long_templates_are_cut_and_hostile_ones_do_no_harm() {
        let long: String = (0..700).map(|word| format!("w{word} ")).collect();
        let template = mine(MineConfig::default(), &vec![long; 4]);
        let tokens: Vec<u32> = template.expressions.iter().map(|found| found.tokens).collect();
        assert_eq!(tokens, [234, 234, 232]);
        let template = mine(MineConfig::default(), &vec!["a ".repeat(20_000); 4]);
        assert!(
            template.expressions.len() <= 2,
            "{:?}",
            template.expressions.len()
        );
    }

    proptest! {
        /// The needed strings cover what all of them do, and are among them.
        #[test]
        fn the_needed_strings_cover_the_same(texts in prop::collection::vec("([a-d] ){0,12}", 3..9)) {
            let config = MineConfig { min_pages: 2, ..MineConfig::default() };
            let tokenizer = Tokenizer::new(r"\S+").unwrap();
            let patterns = Patterns::new(&TokenConfig::default(), &tokenizer).unwrap();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut collection = Collection::new(&texts, &tokenizer, &patterns, &config, 1);
            let suffixes = suffix_array(&mut collection.text);
            let common = common_prefixes(&collection.text, &suffixes);
            let mut strings = Vec::new();
            repeats(&collection.text, &collection.starts, &suffixes, &common, |repeat| {
                if repeat.maximal && repeat.pages >= 3 && repeat.length >= 2 {
                    strings.push(repeat);
                }
            });
            let covered = |strings: &[Repeat]| {
                let mut covered = vec![false; collection.text.len()];
                for string in strings {
                    for rank in string.rank..string.rank + string.occurrences {
                        let place = suffixes[rank as usize] as usize;
                        covered[place..place + string.length as usize].fill(true);
                    }
                }
                covered
            };
            let chosen = needed(&suffixes, common, strings.clone());
            prop_assert_eq!(covered(&chosen), covered(&strings));
            prop_assert!(chosen.iter().all(|string| strings.contains(string)));
        }
    }
}
