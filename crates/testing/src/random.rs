//! Numbers that look random and are the same in every run.

/// A linear congruential generator (Knuth's MMIX).
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The numbers of a page.
    pub fn from_page(number: usize) -> Random {
        Random(number as u64 ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// `count` words, with a space between two.
    pub fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 12] = [
            "harbour", "the", "lamp", "tide", "of", "evening", "boats", "and", "net", "salt", "weather", "a",
        ];
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}

/// The number at this position of SplitMix64 (Steele, Lea and Flood 2014) with seed 0: the first is at 0.
pub fn split_mix(position: u64) -> u64 {
    let mut number = position.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
