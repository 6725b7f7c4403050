//! Gold text to a label for each block of its page.

use std::ops::Range;

use gleaner_content::Label;
use gleaner_page::Page;

use crate::Segment;
use crate::lcs::common_subsequence;
use crate::markup::Markup;
use crate::symbols::Symbols;

/// Maximum words of a block that, alone in the gold's order, is not taken as a match.
const SHORT: usize = 2;

/// How often what is left over is aligned again, each time finding one more part of the gold that
/// stands elsewhere on the page.
const MORE_ROUNDS: usize = 4;

/// The fewest words a block has to have to be found out of order.
const MOVED_WORDS: usize = 3;

/// Labels the blocks of a page by the text that an annotator would keep.
///
/// The words of the gold (of its segments, where it has any) are aligned to the words of all
/// blocks by a longest common subsequence. A block is content when half of its words or more are
/// on it, and near each other in the gold. What is left over of both is aligned again, to find
/// what the gold has in another order. A content block is a header, paragraph or list item as its
/// segment has, or its markup where there are no segments; the rest of the same paragraph is
/// continuation.
pub fn align(page: &Page, gold: &str, segments: Option<&[Segment]>) -> Vec<Label> {
    let segments = segments.filter(|segments| !segments.is_empty());
    let text = AlignedWords::new(page, gold, segments);
    let found = text.find();
    match segments {
        Some(segments) => text.label_by_segments(&found, segments, page),
        None => label_by_markup(&found, page),
    }
}

/// The words of a page and of its gold as symbols, equal for equal words.
struct AlignedWords {
    page: Vec<u32>,
    blocks: Vec<Range<usize>>,
    gold: Vec<u32>,
    /// The segment of each gold word; without segments all are in the first.
    segment: Vec<u32>,
}

impl AlignedWords {
    fn new(page: &Page, gold: &str, segments: Option<&[Segment]>) -> AlignedWords {
        let mut symbols = Symbols::default();
        let mut words = AlignedWords {
            page: Vec::new(),
            blocks: Vec::new(),
            gold: Vec::new(),
            segment: Vec::new(),
        };
        let whole = [gold];
        let texts: Vec<&str> = match segments {
            Some(segments) => segments.iter().map(|segment| segment.text.as_str()).collect(),
            None => whole.to_vec(),
        };
        for (number, text) in texts.into_iter().enumerate() {
            symbols.read(text, &mut words.gold);
            words.segment.resize(words.gold.len(), number as u32);
        }
        for block in &page.blocks {
            let start = words.page.len();
            symbols.read(page.text(block), &mut words.page);
            words.blocks.push(start..words.page.len());
        }
        words
    }

    /// The range of gold words that each content block covers; nothing for the others.
    fn find(&self) -> Vec<Option<Range<usize>>> {
        let mut found = vec![None; self.blocks.len()];
        let mut free = vec![true; self.gold.len()];
        self.find_in_order(&mut found, &mut free);
        for _ in 0..MORE_ROUNDS {
            if !self.find_moved(&mut found, &mut free) {
                break;
            }
        }
        found
    }

    fn find_in_order(&self, found: &mut [Option<Range<usize>>], free: &mut [bool]) {
        let mut gold_of = vec![None; self.page.len()];
        let mut pairs = common_subsequence(&self.page, &self.gold);
        draw_together(&mut pairs, &self.page, &self.gold);
        for (at, gold) in pairs {
            gold_of[at] = Some(gold);
        }
        for (block, words) in self.blocks.iter().enumerate() {
            let matched: Vec<usize> = gold_of[words.clone()].iter().flatten().copied().collect();
            if believable(&matched, words.len()) {
                matched.iter().for_each(|&at| free[at] = false);
                found[block] = span(&matched);
            }
        }
    }

    /// Aligns the blocks not yet found to the gold not yet used.
    fn find_moved(&self, found: &mut [Option<Range<usize>>], free: &mut [bool]) -> bool {
        let gold: Vec<usize> = (0..self.gold.len()).filter(|&at| free[at]).collect();
        let open = |block: &usize| found[*block].is_none() && self.blocks[*block].len() >= MOVED_WORDS;
        let blocks: Vec<usize> = (0..self.blocks.len()).filter(open).collect();
        if gold.len() < MOVED_WORDS || blocks.is_empty() {
            return false;
        }
        let left: Vec<u32> = blocks
            .iter()
            .flat_map(|&block| &self.page[self.blocks[block].clone()])
            .copied()
            .collect();
        let right: Vec<u32> = gold.iter().map(|&at| self.gold[at]).collect();
        let mut pairs = common_subsequence(&left, &right).into_iter().peekable();
        let (mut end, mut any) = (0, false);
        for block in blocks {
            let count = self.blocks[block].len();
            end += count;
            let mut matched = Vec::new();
            while let Some((_, at)) = pairs.next_if(|&(at, _)| at < end) {
                matched.push(gold[at]);
            }
            if believable_moved(&matched, count) {
                matched.iter().for_each(|&at| free[at] = false);
                found[block] = span(&matched);
                any = true;
            }
        }
        any
    }

    fn label_by_segments(
        &self,
        found: &[Option<Range<usize>>],
        segments: &[Segment],
        page: &Page,
    ) -> Vec<Label> {
        let mut last = None;
        let markup = Markup::new(page);
        let label = |(block, found): (usize, &Option<Range<usize>>)| {
            let Some(gold) = found else { return Label::Other };
            let segment = self.segment[gold.start];
            let continues = last == Some(segment)
                || (last.is_some() && markup.joins_inline(block) && !self.starts_segment(gold));
            last = Some(self.segment[gold.end - 1]);
            if continues {
                Label::Continuation
            } else {
                segments[segment as usize].label
            }
        };
        found.iter().enumerate().map(label).collect()
    }

    fn starts_segment(&self, gold: &Range<usize>) -> bool {
        gold.start == 0 || self.segment[gold.start - 1] != self.segment[gold.start]
    }
}

/// Of several longest common subsequences takes one of fewer pieces: a run of words that stands
/// apart from the words that the gold has behind it, or before it, moves up to them where the page
/// has the same words there. A title whose first word is in the menu too is whole again.
fn draw_together(pairs: &mut [(usize, usize)], page: &[u32], gold: &[u32]) {
    let is_gap = |one: (usize, usize), next: (usize, usize)| next.1 == one.1 + 1 && next.0 > one.0 + 1;
    for start in (1..pairs.len()).rev() {
        let next = pairs[start];
        if is_gap(pairs[start - 1], next) {
            let before = pairs[..start].windows(2).rev();
            let length = 1 + before.take_while(|pair| follows(pair[0], pair[1])).count();
            if page[next.0 - length..next.0] == gold[next.1 - length..next.1] {
                move_run(&mut pairs[start - length..start], next.0 - length);
            }
        }
    }
    for start in 1..pairs.len() {
        let before = pairs[start - 1];
        if is_gap(before, pairs[start]) {
            let behind = pairs[start..].windows(2);
            let length = 1 + behind.take_while(|pair| follows(pair[0], pair[1])).count();
            if page[before.0 + 1..=before.0 + length] == gold[before.1 + 1..=before.1 + length] {
                move_run(&mut pairs[start..start + length], before.0 + 1);
            }
        }
    }
}

fn move_run(run: &mut [(usize, usize)], to: usize) {
    run.iter_mut().zip(to..).for_each(|(pair, at)| pair.0 = at);
}

/// Whether two pairs are next to each other on both sides.
fn follows(one: (usize, usize), next: (usize, usize)) -> bool {
    next == (one.0 + 1, one.1 + 1)
}

/// Half of the words, and near each other.
fn believable(matched: &[usize], words: usize) -> bool {
    let Some(span) = span(matched) else { return false };
    if matched.len() * 2 < words {
        return false;
    }
    if words <= SHORT {
        span.len() == matched.len()
    } else {
        span.len() <= 4 * words + 10
    }
}

/// Most of the words, and nearer each other: there is no order to bear it out.
fn believable_moved(matched: &[usize], words: usize) -> bool {
    let close = span(matched).is_some_and(|span| span.len() <= 2 * words + 2);
    matched.len() >= MOVED_WORDS && matched.len() * 5 >= words * 3 && close
}

fn span(matched: &[usize]) -> Option<Range<usize>> {
    Some(*matched.first()?..matched.last()? + 1)
}

fn label_by_markup(found: &[Option<Range<usize>>], page: &Page) -> Vec<Label> {
    let mut markup = Markup::new(page);
    let mut before = false;
    let label = |(block, found): (usize, &Option<Range<usize>>)| {
        let content = found.is_some();
        let continues = before && content && markup.continues(block);
        before = content;
        match (content, continues) {
            (false, _) => Label::Other,
            (true, true) => Label::Continuation,
            (true, false) => markup.label(block),
        }
    };
    found.iter().enumerate().map(label).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(pairs: &[(usize, usize)]) -> usize {
        pairs.windows(2).filter(|pair| !follows(pair[0], pair[1])).count()
    }

    #[test]
    fn a_run_moves_to_the_words_that_it_belongs_to() {
        // A menu has the first word of the title, and the end of the page its last one.
        let (page, gold) = ([7, 1, 5, 1, 2, 3, 5, 3], [1, 2, 3]);
        let mut pairs = [(1, 0), (4, 1), (7, 2)];
        draw_together(&mut pairs, &page, &gold);
        assert_eq!(pairs, [(3, 0), (4, 1), (5, 2)]);
    }

    proptest! {
        #[test]
        fn fewer_pieces_and_as_many_words(
            page in prop::collection::vec(0u32..4, 0..60),
            gold in prop::collection::vec(0u32..4, 0..60),
        ) {
            let before = common_subsequence(&page, &gold);
            let mut pairs = before.clone();
            draw_together(&mut pairs, &page, &gold);
            prop_assert!(pairs.is_sorted_by(|one, two| one.0 < two.0 && one.1 < two.1));
            prop_assert!(pairs.iter().all(|&(at, gold_at)| page[at] == gold[gold_at]));
            prop_assert!(pieces(&pairs) <= pieces(&before));
        }
    }
}
