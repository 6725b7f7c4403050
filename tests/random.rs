//! Numbers that look random and are the same in every run: made pages are filled by them.

/// A linear congruential generator (Knuth's MMIX).
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a page.
    pub(crate) fn of_page(number: usize) -> Random {
        Random(number as u64 ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    /// So many words, with a space between two.
    pub(crate) fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 12] = [
            "harbour", "the", "lamp", "tide", "of", "evening", "boats", "and", "net", "salt", "weather", "a",
        ];
        let words: Vec<&str> = (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect();
        words.join(" ")
    }
}
