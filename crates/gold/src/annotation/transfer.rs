//! The labels of an annotation on a page that may be cut into other blocks than it was.
//!
//! Blocks with the same text are matched first, in their order; between those that match, the words
//! are aligned, so that a block which was split or joined finds its label; what is left over is
//! matched wherever the same text stands. All by longest common subsequences.

use std::collections::VecDeque;
use std::ops::Range;

use gleaner_content::Label;
use rustc_hash::FxHashMap;

use super::{AnnotatedBlock, Decision};
use crate::lcs::common_subsequence;

/// Two stretches are aligned word by word while the product of their lengths is no more than this:
/// a second or two. Larger ones differ throughout, and are another page.
const MOST_PAIRS: usize = 1 << 36;

/// What became of the labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// For each block of the page the annotated block that it is, or is a part of; where it is made
    /// of several, the first of those that decide. `None` for text that is not in the annotation.
    pub origins: Vec<Option<usize>>,
    /// For each block of the page its label; `None` where it is new, or was not decided.
    pub decisions: Vec<Option<Decision>>,
    /// The annotated blocks that are not on the page any more.
    pub lost: Vec<usize>,
}

impl Transfer {
    /// How many blocks of the page are not in the annotation.
    pub fn new_blocks(&self) -> usize {
        self.origins.iter().filter(|origin| origin.is_none()).count()
    }

    /// The labels; noise for blocks that the annotation does not label.
    pub fn labels(&self) -> Vec<Label> {
        let label = |decision: &Option<Decision>| decision.map_or(Label::Other, |decision| decision.label);
        self.decisions.iter().map(label).collect()
    }
}

/// Finds annotated blocks among the texts of a page's blocks.
pub(super) fn transfer(annotated: &[AnnotatedBlock], page: &[&str]) -> Transfer {
    let mut matching = Matching::new(annotated, page);
    let anchors = matching.same_in_order();
    let end = (annotated.len(), page.len());
    let mut from = (0, 0);
    for (old, new) in anchors.into_iter().chain([end]) {
        matching.words_between(from.0..old, from.1..new);
        from = (old + 1, new + 1);
    }
    matching.same_elsewhere();
    matching.finish()
}

struct Matching<'a> {
    annotated: &'a [AnnotatedBlock],
    page: &'a [&'a str],
    transfer: Transfer,
    found: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn new(annotated: &'a [AnnotatedBlock], page: &'a [&'a str]) -> Matching<'a> {
        Matching {
            annotated,
            page,
            transfer: Transfer {
                origins: vec![None; page.len()],
                decisions: vec![None; page.len()],
                lost: Vec::new(),
            },
            found: vec![false; annotated.len()],
        }
    }

    fn is_same(&mut self, old: usize, new: usize) {
        self.found[old] = true;
        self.transfer.origins[new] = Some(old);
        self.transfer.decisions[new] = self.annotated[old].decision;
    }

    /// Matches blocks with the same text, as many as there are in the same order.
    fn same_in_order(&mut self) -> Vec<(usize, usize)> {
        let mut symbols = Symbols::default();
        let old: Vec<u32> = self
            .annotated
            .iter()
            .map(|block| symbols.of(&block.text))
            .collect();
        let new: Vec<u32> = self.page.iter().map(|text| symbols.of(text)).collect();
        let pairs = common_subsequence(&old, &new);
        pairs.iter().for_each(|&(old, new)| self.is_same(old, new));
        pairs
    }

    /// Matches by words what stands between two pairs of blocks that are the same.
    fn words_between(&mut self, old: Range<usize>, new: Range<usize>) {
        let mut symbols = Symbols::default();
        let left = BlockWords::new(
            old.clone().map(|block| self.annotated[block].text.as_str()),
            &mut symbols,
        );
        let right = BlockWords::new(new.clone().map(|block| self.page[block]), &mut symbols);
        if left.words.len().saturating_mul(right.words.len()) > MOST_PAIRS {
            return;
        }
        // For each block of the page how many of its words are from which annotated block.
        let mut parts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); new.len()];
        for (a, b) in common_subsequence(&left.words, &right.words) {
            let (from, to) = (left.block[a], right.block[b]);
            match parts[to].last_mut().filter(|part| part.0 == from) {
                Some(part) => part.1 += 1,
                None => parts[to].push((from, 1)),
            }
        }
        for (parts, &length) in parts.iter_mut().zip(&right.lengths) {
            let matched: usize = parts.iter().map(|part| part.1).sum();
            if 2 * matched < length {
                parts.clear();
            }
        }
        self.settle(&old, &new, &parts, &left.lengths);
    }

    fn settle(
        &mut self,
        old: &Range<usize>,
        new: &Range<usize>,
        parts: &[Vec<(usize, usize)>],
        lengths: &[usize],
    ) {
        let mut begun = vec![false; old.len()];
        let mut matched = vec![0; old.len()];
        for (to, parts) in parts.iter().enumerate() {
            if let Some(origin) = self.origin(old.start, parts) {
                self.transfer.origins[new.start + to] = Some(old.start + origin);
                let decision = self.annotated[old.start + origin].decision;
                self.transfer.decisions[new.start + to] = match begun[origin] {
                    true => decision.map(continues),
                    false => decision,
                };
            }
            for &(from, words) in parts {
                begun[from] = true;
                matched[from] += words;
            }
        }
        for (from, (&matched, &length)) in matched.iter().zip(lengths).enumerate() {
            self.found[old.start + from] |= matched > 0 && 2 * matched >= length;
        }
    }

    /// The first of the parts on the side (content, noise or undecided) that has most words.
    fn origin(&self, first: usize, parts: &[(usize, usize)]) -> Option<usize> {
        let side = |part: &(usize, usize)| {
            let decision = self.annotated[first + part.0].decision;
            decision.map(|decision| decision.label.is_content())
        };
        let words_on = |wanted: Option<bool>| -> usize {
            parts
                .iter()
                .filter(|part| side(part) == wanted)
                .map(|part| part.1)
                .sum()
        };
        let sides = [Some(true), Some(false), None];
        let best = sides.into_iter().rev().max_by_key(|&side| words_on(side))?;
        parts.iter().find(|part| side(part) == best).map(|part| part.0)
    }

    /// Matches what is left over with the same text anywhere on the page.
    fn same_elsewhere(&mut self) {
        let mut free: FxHashMap<&str, VecDeque<usize>> = FxHashMap::default();
        for (new, text) in self.page.iter().enumerate() {
            if self.transfer.origins[new].is_none() {
                free.entry(text).or_default().push_back(new);
            }
        }
        for (old, block) in self.annotated.iter().enumerate() {
            let new = free.get_mut(block.text.as_str()).filter(|_| !self.found[old]);
            if let Some(new) = new.and_then(VecDeque::pop_front) {
                self.is_same(old, new);
            }
        }
    }

    fn finish(mut self) -> Transfer {
        self.transfer.lost = (0..self.found.len())
            .filter(|&block| !self.found[block])
            .collect();
        self.transfer
    }
}

/// The label of a later part of a block.
fn continues(decision: Decision) -> Decision {
    let label = match decision.label.is_content() {
        true => Label::Continuation,
        false => Label::Other,
    };
    Decision { label, ..decision }
}

#[derive(Default)]
struct Symbols<'a> {
    known: FxHashMap<&'a str, u32>,
}

impl<'a> Symbols<'a> {
    fn of(&mut self, text: &'a str) -> u32 {
        let next = self.known.len() as u32;
        *self.known.entry(text).or_insert(next)
    }
}

/// The words of a stretch of blocks.
#[derive(Default)]
struct BlockWords {
    words: Vec<u32>,
    /// The block of each word.
    block: Vec<usize>,
    /// How many words each block has.
    lengths: Vec<usize>,
}

impl BlockWords {
    fn new<'a>(texts: impl Iterator<Item = &'a str>, symbols: &mut Symbols<'a>) -> BlockWords {
        let mut words = BlockWords::default();
        for (block, text) in texts.enumerate() {
            let before = words.words.len();
            words.words.extend(tokens(text).map(|token| symbols.of(token)));
            words.block.resize(words.words.len(), block);
            words.lengths.push(words.words.len() - before);
        }
        words
    }
}

/// Runs of letters and numerals; in scripts without spaces each letter by itself, so that a phrase
/// that was cut in two is found again.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = rest.chars().next()?;
        let length = match stands_alone(first) {
            true => first.len_utf8(),
            false => rest
                .find(|c: char| !c.is_alphanumeric() || stands_alone(c))
                .unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(token)
    })
}

fn stands_alone(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::annotation::By;

    fn annotated(blocks: &[(char, &str)]) -> Vec<AnnotatedBlock> {
        let label = |letter| {
            Label::ALL
                .into_iter()
                .find(|label| label.name().starts_with(letter))
        };
        let block = |&(letter, text): &(char, &str)| AnnotatedBlock {
            decision: label(letter).map(|label| Decision { label, by: By::Hand }),
            text: text.to_owned(),
            ..AnnotatedBlock::default()
        };
        blocks.iter().map(block).collect()
    }

    fn letters(transfer: &Transfer) -> String {
        let letter =
            |decision: &Option<Decision>| decision.map_or("?", |decision| &decision.label.name()[..1]);
        transfer.decisions.iter().map(letter).collect()
    }

    const TIDES: &[(char, &str)] = &[
        ('o', "Home"),
        ('h', "A diary of the tides"),
        ('p', "The harbour master keeps a diary"),
        ('c', "every evening, before the lamp is lit."),
        ('?', "Home"),
    ];

    #[test]
    fn the_same_page_has_the_same_labels() {
        let blocks = annotated(TIDES);
        let texts: Vec<&str> = TIDES.iter().map(|block| block.1).collect();
        let transfer = transfer(&blocks, &texts);
        assert_eq!(letters(&transfer), "ohpc?");
        assert_eq!(transfer.origins, (0..5).map(Some).collect::<Vec<_>>());
        assert!(transfer.lost.is_empty());
    }

    #[test]
    fn blocks_that_were_joined_or_split_keep_their_labels() {
        let page = [
            "Home",
            "A diary of",
            "the tides",
            "The harbour master keeps a diary every evening, before the lamp is lit.",
            "Imprint",
            "Home",
        ];
        let transfer = transfer(&annotated(TIDES), &page);
        assert_eq!(letters(&transfer), "ohcp??");
        assert_eq!(
            transfer.origins,
            [Some(0), Some(1), Some(1), Some(2), None, Some(4)]
        );
        assert_eq!((transfer.new_blocks(), transfer.lost.len()), (1, 0));
    }

    #[test]
    fn what_is_gone_is_reported_and_what_moved_is_found() {
        let page = ["The harbour master keeps a diary", "A diary of the tides", "Home"];
        let transfer = transfer(&annotated(TIDES), &page);
        assert_eq!(letters(&transfer).matches(['h', 'p']).count(), 2);
        assert!(transfer.lost.contains(&3), "{transfer:?}");
    }

    #[test]
    fn phrases_without_spaces_can_be_cut_anywhere() {
        let blocks = annotated(&[('h', "潮汐日記"), ('p', "灯台までの道は二つある。")]);
        let transfer = transfer(&blocks, &["潮汐日記", "灯台まで", "の道は二つある。"]);
        assert_eq!(letters(&transfer), "hpc");
    }

    #[test]
    fn joined_with_noise_the_larger_side_wins() {
        let blocks = annotated(&[('o', "Share this"), ('p', "The harbour master keeps a diary")]);
        assert_eq!(
            letters(&transfer(
                &blocks,
                &["Share this The harbour master keeps a diary"]
            )),
            "p"
        );
        let blocks = annotated(&[('o', "Share this with everybody you know"), ('p', "A diary")]);
        assert_eq!(
            letters(&transfer(
                &blocks,
                &["Share this with everybody you know A diary"]
            )),
            "o"
        );
    }

    proptest! {
        /// However a page is cut, its words keep their side.
        #[test]
        fn cutting_elsewhere_loses_nothing(
            lengths in prop::collection::vec(1usize..5, 1..12),
            sides in prop::collection::vec(any::<bool>(), 12),
            cuts in prop::collection::vec(any::<bool>(), 48),
        ) {
            let word = |number: usize| format!("w{number}");
            let mut first = 0;
            let mut blocks = Vec::new();
            let mut page: Vec<String> = Vec::new();
            for (length, &side) in lengths.iter().zip(&sides) {
                let words: Vec<String> = (first..first + length).map(word).collect();
                for (at, word) in words.iter().enumerate() {
                    match page.last_mut().filter(|_| at > 0 && !cuts[first + at]) {
                        Some(block) => *block += &format!(" {word}"),
                        None => page.push(word.clone()),
                    }
                }
                blocks.push((if side { 'p' } else { 'o' }, words.join(" ")));
                first += length;
            }
            let borrowed: Vec<(char, &str)> = blocks.iter().map(|(label, text)| (*label, text.as_str())).collect();
            let texts: Vec<&str> = page.iter().map(String::as_str).collect();
            let transfer = transfer(&annotated(&borrowed), &texts);
            prop_assert!(transfer.lost.is_empty() && transfer.new_blocks() == 0, "{:?}", transfer);
            for (text, (origin, label)) in texts.iter().zip(transfer.origins.iter().zip(transfer.labels())) {
                let origin = origin.unwrap();
                prop_assert_eq!(label.is_content(), blocks[origin].0 == 'p');
                prop_assert!(blocks[origin].1.contains(text));
            }
        }

        #[test]
        fn anything_can_be_compared(
            blocks in prop::collection::vec("[ab .]{0,6}", 0..8),
            page in prop::collection::vec("[ab .]{0,6}", 0..8),
        ) {
            let blocks: Vec<(char, &str)> = blocks.iter().map(|text| ('p', text.as_str())).collect();
            let texts: Vec<&str> = page.iter().map(String::as_str).collect();
            let transfer = transfer(&annotated(&blocks), &texts);
            prop_assert_eq!(transfer.origins.len(), page.len());
            for lost in transfer.lost {
                prop_assert!(!transfer.origins.contains(&Some(lost)) || blocks[lost].1.len() > 2);
            }
        }
    }
}
