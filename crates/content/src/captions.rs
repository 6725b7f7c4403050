//! Captions go with what they are about. That of a picture is noise to most golds, and so are captions to models; but a
//! listing, a quotation or a table that is kept needs its own, a table its head, and a definition its term.

use gleaner_columns::{Caption, Columns};

use crate::BlockSize;

/// What is less probable takes no caption with it.
const LEAST: f64 = 0.5;

/// Raises the probability of each caption to the mean of those of what it is about, a word a vote, where that is even odds
/// or more. Where there is no word, as in a picture, it stays.
pub(crate) fn lift(page: &Columns, blocks: &[BlockSize], content: &mut [f32]) {
    for Caption { blocks: own, whole } in page.captions() {
        let rest = (whole.start..own.start).chain(own.end..whole.end);
        let (words, sum) = rest.fold((0.0, 0.0), |(words, sum), at| {
            let votes = f64::from(blocks[at as usize].words);
            (words + votes, sum + votes * f64::from(content[at as usize]))
        });
        if words > 0.0 && sum >= LEAST * words {
            let least = (sum / words) as f32;
            for content in &mut content[own.start as usize..own.end as usize] {
                *content = content.max(least);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            let size = |words| BlockSize { words, same_pre: false };
            let sizes: Vec<BlockSize> = blocks.iter().map(|block| size(block.0)).collect();
            let mut content: Vec<f32> = blocks.iter().map(|block| block.1).collect();
            lift(&page, &sizes, &mut content);
            // Each block of the rest as many times as it has words.
            let rest = (outside..=end).filter(|at| !(first..=last).contains(at));
            let votes: Vec<f64> = rest
                .flat_map(|at| vec![f64::from(blocks[at].1); blocks[at].0 as usize])
                .collect();
            // No number where there are none.
            let mean = votes.iter().sum::<f64>() / votes.len() as f64;
            for (at, (&(_, own), found)) in blocks.iter().zip(content).enumerate() {
                let is_lifted = (first..=last).contains(&at) && mean >= LEAST && mean > f64::from(own);
                let expected = if is_lifted { mean } else { f64::from(own) };
                let is_right = (f64::from(found) - expected).abs() < 1e-6;
                // Sums in another order may be on the other side of even odds.
                prop_assert!(is_right || (mean - LEAST).abs() < 1e-9, "{} {} {}", at, found, expected);
            }
        }
    }
}
