//! What adjusts the scores and probabilities of content after the mixture: groups, preformatted texts, captions, repeats.
//!
//! Nothing is learned for these. They say how blocks of a page belong together, which scores of single blocks cannot:
//!
//! - Blocks that look alike (the items of a list, the paragraphs of a text) are mostly content together or not at all.
//! - A program between paragraphs belongs to them, but golds that leave programs out have taught models to doubt all of a
//!   page's.
//! - The head of a table goes with the table, and each part of a short list of definitions with the list: a column is of no
//!   use without its name, nor a fact without what it is about.
//! - A text that a page has twice (in a box for small screens and in one for large ones, in a summary, in a quotation) is
//!   mostly needed once.

use gleaner_columns::{Caption, Columns, shifted, sigmoid};

use crate::BlockSize;
use crate::content::word_votes;

/// Minimum words per text: a shorter block may be a button beside a program, and may repeat for a reason.
const LEAST_WORDS: u32 = 4;

/// Minimum probability of a figure or table that raises its caption.
const EVEN_ODDS: f64 = 0.5;

/// How much each adjustment does; 0 for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Adjustments {
    /// How much the mean of the blocks that look alike counts beside the block itself, 0 to 1.
    pub(crate) group_smoothing: f32,
    /// What a text that stands elsewhere on the page, too, loses of its log odds.
    pub(crate) repeated: f32,
    /// What a preformatted text between blocks of content gains in log odds.
    pub(crate) preformatted: f32,
    /// Whether heads of tables and parts of short lists go with the rest.
    pub(crate) captions: bool,
}

/// What the numbers of blocks are behind: log odds up to the groups, then probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Scores,
    Groups,
    Probabilities,
    Preformatted,
    Captions,
    Repeats,
}

/// What pages are adjusted in, kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    groups: Groups,
    preformatted: Preformatted,
    pub(crate) repeats: Repeats,
}

impl Adjustments {
    /// Turns the log odds of a page's blocks into adjusted probabilities. `watch` is given what there is behind each stage.
    #[inline(always)]
    pub(crate) fn apply(
        self,
        page: &Columns,
        blocks: &[BlockSize],
        content: &mut [f32],
        scratch: &mut Scratch,
        mut watch: impl FnMut(Stage, &[f32]),
    ) {
        watch(Stage::Scores, content);
        if self.group_smoothing > 0.0 {
            let weight = f64::from(self.group_smoothing);
            scratch.groups.pool(page.groups(), blocks, weight, content);
            watch(Stage::Groups, content);
        }
        for content in &mut *content {
            *content = sigmoid(f64::from(*content)) as f32;
        }
        watch(Stage::Probabilities, content);
        if self.preformatted > 0.0 {
            let gain = f64::from(self.preformatted);
            scratch.preformatted.lift(gain, page, blocks, content);
            watch(Stage::Preformatted, content);
        }
        if self.captions {
            lift_captions(page, blocks, content);
            watch(Stage::Captions, content);
        }
        if self.repeated > 0.0 {
            scratch.repeats.find(page);
            self.repeat(blocks, content, scratch);
            watch(Stage::Repeats, content);
        }
    }

    /// Takes from the probabilities of content what texts lose that stand elsewhere on the page, too.
    pub(crate) fn repeat(self, blocks: &[BlockSize], content: &mut [f32], scratch: &mut Scratch) {
        let cost = f64::from(self.repeated);
        scratch.repeats.take(cost, blocks, content);
    }
}

/// What means over groups of blocks are computed in, kept from page to page: a weight and a weighted sum a
/// group.
#[derive(Clone, Debug, Default)]
struct Groups(Vec<[f64; 2]>);

impl Groups {
    /// Moves each score towards the mean of its group, by a share of the way. The mean is weighted by words + 1. Without groups
    /// every block is its own group.
    fn pool(&mut self, groups: &[u32], blocks: &[BlockSize], weight: f64, scores: &mut [f32]) {
        self.0.clear();
        self.0.resize(scores.len(), [0.0; 2]);
        for ((&group, block), &score) in groups.iter().zip(blocks).zip(&*scores) {
            let votes = word_votes(block.words);
            let [total, sum] = &mut self.0[group as usize];
            *total += votes;
            *sum += votes * f64::from(score);
        }
        for (&group, score) in groups.iter().zip(scores) {
            let [total, sum] = self.0[group as usize];
            let own = f64::from(*score);
            *score = (own + weight * (sum / total - own)) as f32;
        }
    }
}

/// Text by text the probability of the block before it, kept from page to page.
#[derive(Clone, Debug, Default)]
struct Preformatted(Vec<f32>);

impl Preformatted {
    /// Adds to the log odds of each preformatted text `gain` times the probability that it stands between two blocks of
    /// content: the nearest ones of 4 words or more that are not preformatted themselves.
    fn lift(&mut self, gain: f64, page: &Columns, blocks: &[BlockSize], content: &mut [f32]) {
        let texts = page.preformatted();
        let is_text = |&at: &usize| blocks[at].words >= LEAST_WORDS;
        self.0.clear();
        let (mut end, mut before) = (0, 0.0);
        for text in texts {
            let nearest = (end..text.start as usize).rev().find(is_text);
            before = nearest.map_or(before, |at| content[at]);
            self.0.push(before);
            end = text.end as usize;
        }
        let (mut start, mut behind) = (content.len(), 0.0);
        for (text, &before) in texts.iter().zip(&self.0).rev() {
            let lines = text.start as usize..text.end as usize;
            let nearest = (lines.end..start).find(is_text);
            behind = nearest.map_or(behind, |at| content[at]);
            start = lines.start;
            let by = gain * f64::from(before) * f64::from(behind);
            for line in &mut content[lines] {
                *line = shifted(*line, by);
            }
        }
    }
}

/// Raises the probability of each caption to the mean of those of what it is about, weighted by words, where that is even odds
/// or more. Where there is no word, as in a picture, it stays.
fn lift_captions(page: &Columns, blocks: &[BlockSize], content: &mut [f32]) {
    for Caption { blocks: own, whole } in page.captions() {
        let rest = (whole.start..own.start).chain(own.end..whole.end);
        let (words, sum) = rest.fold((0.0, 0.0), |(words, sum), at| {
            let votes = f64::from(blocks[at as usize].words);
            (words + votes, sum + votes * f64::from(content[at as usize]))
        });
        if words > 0.0 && sum >= EVEN_ODDS * words {
            let least = (sum / words) as f32;
            for content in &mut content[own.start as usize..own.end as usize] {
                *content = content.max(least);
            }
        }
    }
}

/// A block whose text another block of the page has, too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextCopy {
    /// The block's place on the page.
    pub block: u32,
    /// The place of the text's first copy among all copies of the page.
    pub first: u32,
    /// The group of blocks that look alike.
    pub group: u32,
    /// The probability of content, were the text here alone.
    pub content: f32,
}

/// The copies of texts on a page, and which of each text is the most probable one. Kept from page to page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repeats {
    copies: Vec<TextCopy>,
    /// Under the number of the first copy of a text that of its best.
    best: Vec<u32>,
    /// Under the number of a block that of the copy.
    numbers: Vec<u32>,
}

/// The number of a block that has no copy.
const NO_COPY: u32 = u32::MAX;

impl Repeats {
    /// The copies that were found or set.
    pub(crate) fn copies(&self) -> &[TextCopy] {
        &self.copies
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.copies.clear();
    }

    /// Finds the blocks of a page whose text another one has. There are none where the texts are not known.
    pub(crate) fn find(&mut self, page: &Columns) {
        self.copies.clear();
        self.numbers.clear();
        self.numbers.resize(page.texts().len(), NO_COPY);
        let texts = || page.texts().iter().enumerate();
        for (block, &first) in texts().filter(|&(block, &first)| block != first as usize) {
            self.numbers[block] = 0;
            self.numbers[first as usize] = 0;
        }
        for (block, &first) in texts() {
            if self.numbers[block] != NO_COPY {
                self.numbers[block] = self.copies.len() as u32;
                self.copies.push(TextCopy {
                    block: block as u32,
                    first: self.numbers[first as usize],
                    group: page.groups().get(block).copied().unwrap_or(block as u32),
                    content: 0.0,
                });
            }
        }
    }

    /// Takes copies that were found before.
    ///
    /// # Panics
    /// The first copy of a text is none of them.
    pub(crate) fn set(&mut self, copies: &[TextCopy]) {
        self.copies.clear();
        self.copies.extend_from_slice(copies);
        let mut firsts = copies.iter().map(|copy| copy.first as usize);
        assert!(
            firsts.all(|first| first < copies.len()),
            "the first one is a copy"
        );
    }

    /// Takes `cost` from the log odds of all copies of a text but the most probable one, the first of equal ones:
    /// twice as much where the block before or behind is repeated beside it, for that is a part of the page that is
    /// there twice; and half of it where the block is of the same group as that one, for the items of a list may say
    /// the same.
    pub(crate) fn take(&mut self, cost: f64, blocks: &[BlockSize], content: &mut [f32]) {
        for copy in &mut self.copies {
            copy.content = content[copy.block as usize];
        }
        self.find_best();
        for (number, copy) in self.copies.iter().enumerate() {
            let best = self.best[copy.first as usize] as usize;
            let block = copy.block as usize;
            if best == number || blocks[block].words < LEAST_WORDS {
                continue;
            }
            let of_part = if self.is_in_part(number, best) { 2.0 } else { 1.0 };
            let of_list = if self.copies[best].group == copy.group {
                0.5
            } else {
                1.0
            };
            content[block] = shifted(copy.content, -(cost * of_part * of_list));
        }
    }

    fn find_best(&mut self) {
        self.best.clear();
        self.best.extend(0..self.copies.len() as u32);
        for (number, copy) in self.copies.iter().enumerate() {
            let best = &mut self.best[copy.first as usize];
            if copy.content > self.copies[*best as usize].content {
                *best = number as u32;
            }
        }
    }

    /// Whether the blocks next to a copy and to the best one of its text, before both or behind both, are a repeated
    /// one and the best one of another text.
    fn is_in_part(&self, number: usize, best: usize) -> bool {
        let is_pair = |copy: Option<usize>, best: Option<usize>| {
            let pair = copy.zip(best);
            pair.is_some_and(|(copy, best)| {
                copy != best && self.best[self.copies[copy].first as usize] as usize == best
            })
        };
        is_pair(self.before(number), self.before(best)) || is_pair(self.behind(number), self.behind(best))
    }

    /// The copy that is the block before a copy.
    fn before(&self, number: usize) -> Option<usize> {
        let before = number.checked_sub(1)?;
        (self.copies[before].block + 1 == self.copies[number].block).then_some(before)
    }

    /// The copy that is the block behind a copy.
    fn behind(&self, number: usize) -> Option<usize> {
        let behind = self.copies.get(number + 1)?;
        (behind.block == self.copies[number].block + 1).then_some(number + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn size(words: u32) -> BlockSize {
        BlockSize {
            words,
            with_before: false,
        }
    }

    proptest! {
        #[test]
        fn groups_go_towards_their_weighted_mean(
            blocks in prop::collection::vec((0u32..6, 0u32..40, -9f32..9.0), 6..60),
            share in 0f64..=1.0,
        ) {
            let groups: Vec<u32> = blocks.iter().map(|block| block.0).collect();
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.1)).collect();
            let mut scores: Vec<f32> = blocks.iter().map(|block| block.2).collect();
            Groups::default().pool(&groups, &sizes, share, &mut scores);
            for (&(group, _, own), found) in blocks.iter().zip(scores) {
                // A block as many times as it has words, and once more.
                let votes = blocks.iter().filter(|block| block.0 == group);
                let votes = votes.flat_map(|block| vec![f64::from(block.2); block.1 as usize + 1]);
                let (count, sum) = votes.fold((0.0, 0.0), |(count, sum), vote| (count + 1.0, sum + vote));
                let expected = (1.0 - share) * f64::from(own) + share * sum / count;
                prop_assert!((f64::from(found) - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
    }

    #[test]
    fn without_groups_every_block_stands_for_itself() {
        let mut scores = [1.0, -2.0, 0.5];
        Groups::default().pool(&[], &[1, 2, 3].map(size), 0.75, &mut scores);
        assert_eq!(scores, [1.0, -2.0, 0.5]);
    }

    proptest! {
        #[test]
        fn texts_gain_by_the_nearest_blocks_of_some_words(
            blocks in prop::collection::vec((0u32..3, any::<bool>(), 2u32..7, 0.01f32..0.99), 1..30),
        ) {
            // Blocks next to each other with the same number are lines of a text where that is not 0.
            let lines = || (0..blocks.len()).collect::<Vec<usize>>();
            let texts = lines();
            let texts = texts.chunk_by(|&one, &next| blocks[one].0 == blocks[next].0);
            let texts = texts.filter(|text| blocks[text[0]].0 != 0);
            let mut page = Columns::default();
            page.reset(blocks.len(), 0);
            page.set_preformatted(texts.map(|text| text[0] as u32..text[text.len() - 1] as u32 + 1));
            let sizes: Vec<BlockSize> =
                blocks.iter().map(|block| BlockSize { words: block.2, with_before: block.1 }).collect();
            let own: Vec<f32> = blocks.iter().map(|block| block.3).collect();
            let mut content = own.clone();
            Preformatted::default().lift(1.5, &page, &sizes, &mut content);
            for at in lines() {
                let is_text = |&other: &usize| blocks[other].0 == 0 && blocks[other].2 >= 4;
                let before = (0..at).rev().find(is_text).map_or(0.0, |other| own[other]);
                let behind = (at..blocks.len()).find(is_text).map_or(0.0, |other| own[other]);
                let gain = if blocks[at].0 == 0 { 0.0 } else { 1.5 * before * behind };
                let log_odds = |p: f32| (p / (1.0 - p)).ln();
                let found = log_odds(content[at]) - log_odds(own[at]);
                prop_assert!((found - gain).abs() < 1e-3, "{} {} {}", at, found, gain);
            }
        }
    }

    proptest! {
        #[test]
        fn captions_are_as_probable_as_the_words_they_are_about(
            blocks in prop::collection::vec((0u32..4, 0.01f32..0.99), 16),
            [outside, before, own, behind] in prop::array::uniform4(0usize..4),
        ) {
            let first = outside + before;
            let last = first + own;
            let end = last + behind.max(usize::from(before == 0));
            let mut page = Columns::default();
            page.reset(blocks.len(), 0);
            let range = |first: usize, last: usize| first as u32..last as u32 + 1;
            page.set_captions([Caption { blocks: range(first, last), whole: range(outside, end) }]);
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.0)).collect();
            let mut content: Vec<f32> = blocks.iter().map(|block| block.1).collect();
            lift_captions(&page, &sizes, &mut content);
            // Each block of the rest as many times as it has words.
            let rest = (outside..=end).filter(|at| !(first..=last).contains(at));
            let votes: Vec<f64> = rest
                .flat_map(|at| vec![f64::from(blocks[at].1); blocks[at].0 as usize])
                .collect();
            // No number where there are none.
            let mean = votes.iter().sum::<f64>() / votes.len() as f64;
            for (at, (&(_, own), found)) in blocks.iter().zip(content).enumerate() {
                let is_lifted = (first..=last).contains(&at) && mean >= EVEN_ODDS && mean > f64::from(own);
                let expected = if is_lifted { mean } else { f64::from(own) };
                let is_right = (f64::from(found) - expected).abs() < 1e-6;
                // Sums in another order may be on the other side of even odds.
                prop_assert!(is_right || (mean - EVEN_ODDS).abs() < 1e-9, "{} {} {}", at, found, expected);
            }
        }
    }

    proptest! {
        #[test]
        fn all_copies_but_the_best_lose(
            blocks in prop::collection::vec((0u32..4, 0u32..2, 2u32..7, 0i8..5), 1..20),
        ) {
            let first = |text: u32| blocks.iter().position(|block| block.0 == text).unwrap() as u32;
            let group = |group: u32| blocks.iter().position(|block| block.1 == group).unwrap() as u32;
            let mut page = Columns::default();
            page.reset(blocks.len(), 0);
            page.set_texts(blocks.iter().map(|block| first(block.0)));
            page.set_groups(blocks.iter().map(|block| group(block.1)));
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.2)).collect();
            let own: Vec<f32> = blocks.iter().map(|block| sigmoid(f64::from(block.3)) as f32).collect();
            let mut content = own.clone();
            let mut repeats = Repeats::default();
            repeats.find(&page);
            repeats.take(2.0, &sizes, &mut content);
            // Of equal ones the first.
            let best = |text: u32| {
                let copies = (0..blocks.len()).filter(|&at| blocks[at].0 == text);
                copies.max_by_key(|&at| (blocks[at].3, usize::MAX - at)).unwrap()
            };
            let pairs: Vec<(usize, usize)> = (0..blocks.len()).map(|at| (at, best(blocks[at].0))).collect();
            for &(at, best) in &pairs {
                let (text, group, words, score) = blocks[at];
                let is_beside = |&(other, of_other): &(usize, usize)| {
                    let is_next = (other + 1, of_other + 1) == (at, best) || (at + 1, best + 1) == (other, of_other);
                    other != of_other && is_next
                };
                let part = if pairs.iter().any(is_beside) { 2.0 } else { 1.0 };
                let list = if blocks[best].1 == group { 0.5 } else { 1.0 };
                let lost = if best == at || words < 4 { 0.0 } else { 2.0 * part * list };
                let expected = sigmoid(f64::from(score) - lost) as f32;
                prop_assert!((content[at] - expected).abs() < 1e-6, "{} {} {}", at, content[at], expected);
                let found = repeats.copies().iter().find(|copy| copy.block as usize == at);
                let is_copy = blocks.iter().filter(|block| block.0 == text).count() > 1;
                prop_assert_eq!(found.map(|copy| copy.content), is_copy.then_some(own[at]));
            }
            // What was found is all that has to be known.
            let mut again = Repeats::default();
            again.set(repeats.copies());
            let mut with_copies = own;
            again.take(2.0, &sizes, &mut with_copies);
            prop_assert_eq!(with_copies, content);
        }
    }
}
