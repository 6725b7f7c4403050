//! What the blocks before and behind a block are like, and how many of its words have a capital.

use std::ops::{Add, Sub};

use gleaner_page::Page;

use super::{BlockFacts, Facts, share};

/// How many blocks to either side the windows have.
const RADII: [usize; 3] = [4, 10, 25];

/// Minimum words of a block that is not short.
const SHORT: u32 = 6;

/// What is counted of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WindowCounts {
    blocks: u32,
    pub(crate) words: u32,
    /// Words of those that are long.
    long: u32,
    /// Blocks that end in the end of a sentence.
    ends: u32,
    /// Blocks whose letters are elsewhere, too.
    repeated: u32,
    /// Tokens with a letter.
    lettered: u32,
    /// Those of them whose first letter is a capital.
    capital: u32,
}

/// A window of some blocks to either side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// The block and those to either side.
    pub(crate) all: WindowCounts,
    pub(crate) before: WindowCounts,
    pub(crate) behind: WindowCounts,
    /// Words of long blocks in it, by the most that a window of its size has.
    pub(crate) mass: f32,
}

/// What stands around a block.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Surroundings {
    /// The block alone.
    pub(crate) own: WindowCounts,
    /// A window each of the [`RADII`].
    pub(crate) windows: [Window; RADII.len()],
    /// Blocks in the run of short ones that it is in, and how many of them are before it.
    pub(crate) short_run: u32,
    pub(crate) short_place: u32,
    /// See [`Facts::compare_with_title`].
    pub(crate) title: super::TitleFacts,
}

impl WindowCounts {
    fn new(block: &BlockFacts, text: &str) -> WindowCounts {
        let words = block.text.words;
        let first_letters = text
            .split_ascii_whitespace()
            .filter_map(|token| token.chars().find(|c| c.is_alphabetic()));
        let (mut lettered, mut capital) = (0, 0);
        for letter in first_letters {
            lettered += 1;
            capital += u32::from(letter.is_uppercase());
        }
        WindowCounts {
            blocks: 1,
            words,
            long: if block.is_long() { words } else { 0 },
            ends: u32::from(block.text.ends_sentence),
            repeated: u32::from(block.duplicates > 1),
            lettered,
            capital,
        }
    }

    pub(crate) fn words_a_block(&self) -> f32 {
        share(self.words, self.blocks)
    }

    pub(crate) fn long_share(&self) -> f32 {
        share(self.long, self.words)
    }

    pub(crate) fn end_share(&self) -> f32 {
        share(self.ends, self.blocks)
    }

    pub(crate) fn repeated_share(&self) -> f32 {
        share(self.repeated, self.blocks)
    }

    pub(crate) fn capital_share(&self) -> f32 {
        share(self.capital, self.lettered)
    }
}

impl Add for WindowCounts {
    type Output = WindowCounts;

    fn add(self, other: WindowCounts) -> WindowCounts {
        WindowCounts {
            blocks: self.blocks + other.blocks,
            words: self.words + other.words,
            long: self.long + other.long,
            ends: self.ends + other.ends,
            repeated: self.repeated + other.repeated,
            lettered: self.lettered + other.lettered,
            capital: self.capital + other.capital,
        }
    }
}

impl Sub for WindowCounts {
    type Output = WindowCounts;

    fn sub(self, other: WindowCounts) -> WindowCounts {
        WindowCounts {
            blocks: self.blocks - other.blocks,
            words: self.words - other.words,
            long: self.long - other.long,
            ends: self.ends - other.ends,
            repeated: self.repeated - other.repeated,
            lettered: self.lettered - other.lettered,
            capital: self.capital - other.capital,
        }
    }
}

impl Facts {
    pub(super) fn measure_surroundings(&mut self, page: &Page) {
        // What is counted of the blocks before each, and of all.
        let mut sums = vec![WindowCounts::default()];
        for (block, place) in self.blocks.iter().zip(&page.blocks) {
            let own = WindowCounts::new(block, page.text(place));
            sums.push(sums[sums.len() - 1] + own);
        }
        let count = self.blocks.len();
        self.surroundings.extend((0..count).map(|at| Surroundings {
            own: sums[at + 1] - sums[at],
            windows: RADII.map(|radius| {
                let (first, end) = (at.saturating_sub(radius), (at + radius + 1).min(count));
                Window {
                    all: sums[end] - sums[first],
                    before: sums[at] - sums[first],
                    behind: sums[end] - sums[at + 1],
                    mass: 0.0,
                }
            }),
            ..Surroundings::default()
        }));
        self.compare_windows();
        self.count_short_runs();
    }

    fn compare_windows(&mut self) {
        for window in 0..RADII.len() {
            let long = |block: &Surroundings| block.windows[window].all.long;
            let most = self.surroundings.iter().map(long).max().unwrap_or(0);
            for block in &mut self.surroundings {
                block.windows[window].mass = share(long(block), most);
            }
        }
    }

    fn count_short_runs(&mut self) {
        let is_short = |block: &Surroundings| block.own.words < SHORT;
        for run in self
            .surroundings
            .chunk_by_mut(|block, next| is_short(block) && is_short(next))
            .filter(|run| is_short(&run[0]))
        {
            let count = run.len() as u32;
            for (place, block) in (0..).zip(run) {
                (block.short_run, block.short_place) = (count, place);
            }
        }
    }

    pub(crate) fn around(&self, block: &BlockFacts) -> &Surroundings {
        &self.surroundings[block.index as usize]
    }

    /// The counts of the block this many places behind, or before; nothing beyond the ends.
    pub(crate) fn near(&self, block: &BlockFacts, places: isize) -> WindowCounts {
        let at = (block.index as usize).checked_add_signed(places);
        at.and_then(|at| self.surroundings.get(at))
            .map_or_else(WindowCounts::default, |block| block.own)
    }
}

#[cfg(test)]
mod tests {
    use gleaner_page::{PageConfig, Parser};
    use proptest::prelude::*;

    use super::*;
    use crate::Module;
    use crate::config::FeatureConfig;

    const LINES: [&str; 8] = [
        "Home",
        "About Us",
        "(Čtvrtek) 12 Května",
        "2024 - 2025",
        "A long line that runs on and on, with more than fifteen words in it, as an article has them.",
        "So it ended.",
        "the rest of a sentence, without a capital",
        "灯台までの道は二つある。",
    ];

    /// A block's counts, from the text.
    fn count(facts: &Facts, texts: &[&str], blocks: &[usize]) -> [u32; 7] {
        let sum = |of: &dyn Fn(usize) -> u32| blocks.iter().map(|&block| of(block)).sum::<u32>();
        let words = |block: usize| facts.blocks[block].text.words;
        let first = |token: &str| token.chars().find(|c| c.is_alphabetic());
        let tokens = |block: usize, wanted: &dyn Fn(char) -> bool| {
            let letters = texts[block].split(' ').filter_map(first);
            letters.filter(|&letter| wanted(letter)).count() as u32
        };
        [
            blocks.len() as u32,
            sum(&words),
            sum(&|block| if words(block) >= 15 { words(block) } else { 0 }),
            sum(&|block| u32::from(texts[block].ends_with(['.', '。']))),
            sum(&|block| u32::from(texts.iter().filter(|text| **text == texts[block]).count() > 1)),
            sum(&|block| tokens(block, &|_| true)),
            sum(&|block| tokens(block, &char::is_uppercase)),
        ]
    }

    fn numbers(counts: &WindowCounts) -> [u32; 7] {
        let WindowCounts {
            blocks,
            words,
            long,
            ends,
            repeated,
            lettered,
            capital,
        } = *counts;
        [blocks, words, long, ends, repeated, lettered, capital]
    }

    proptest! {
        // The twin takes the square of the lines.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn windows_are_the_twins(lines in prop::collection::vec(prop::sample::select(&LINES[..]), 0..70)) {
            let mut parser = Parser::new(PageConfig::default());
            let page = parser.parse_text(lines.join("\n").as_bytes(), None).unwrap();
            let config = FeatureConfig { modules: vec![Module::Window], ..FeatureConfig::default() };
            let mut facts = Facts::default();
            config.measurer().unwrap().measure(page, "", None, &mut facts);
            prop_assert_eq!(facts.surroundings.len(), lines.len());
            let of = |from: usize, end: usize| {
                count(&facts, &lines, &(from..end.min(lines.len())).collect::<Vec<_>>())
            };
            for (at, found) in facts.surroundings.iter().enumerate() {
                prop_assert_eq!(numbers(&found.own), of(at, at + 1));
                for (radius, window) in RADII.iter().zip(&found.windows) {
                    let first = at.saturating_sub(*radius);
                    prop_assert_eq!(numbers(&window.all), of(first, at + radius + 1));
                    prop_assert_eq!(numbers(&window.before), of(first, at));
                    prop_assert_eq!(numbers(&window.behind), of(at + 1, at + radius + 1));
                    let most = (0..lines.len()).map(|at| of(at.saturating_sub(*radius), at + radius + 1)[2]).max();
                    prop_assert_eq!(window.mass, share(window.all.long, most.unwrap()));
                }
                let is_short = |place: &usize| facts.blocks[*place].text.words < SHORT;
                let before = (0..at).rev().take_while(is_short).count() as u32;
                let behind = (at + 1..lines.len()).take_while(is_short).count() as u32;
                let run = if is_short(&at) { (before + 1 + behind, before) } else { (0, 0) };
                prop_assert_eq!((found.short_run, found.short_place), run);
            }
        }
    }
}
