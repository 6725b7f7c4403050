//! Which texts, or places, may be on more than one page, in two bits each.
//!
//! Most texts of a crawl are on one page only, and nobody asks how many pages have those: they need no place in
//! a collection. A text that is told to be on one page is; one in sixteen of those, at most, is not told so.
//! The same goes for places: what one page alone has in one says nothing of another page.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Slots by block of the notes: few texts share one.
const SLOTS_PER_BLOCK: u64 = 16;

/// Slots at least and at most: 16 KiB, and 32 MiB.
const SLOTS: (u64, u64) = (1 << 16, 1 << 27);

/// Texts that were seen, by all workers at the same time.
#[derive(Debug)]
pub(super) struct Seen {
    /// By slot a bit for what was seen, and one for what was seen again.
    slots: Vec<[AtomicU64; 2]>,
}

impl Seen {
    /// With room for the texts of so many blocks.
    pub(super) fn new(blocks: u64) -> Seen {
        let slots = blocks.saturating_mul(SLOTS_PER_BLOCK).clamp(SLOTS.0, SLOTS.1);
        let words = slots.next_power_of_two() / u64::from(u64::BITS);
        Seen {
            slots: (0..words).map(|_| Default::default()).collect(),
        }
    }

    /// A page has a text.
    pub(super) fn add(&self, text: u128) {
        let (word, bit) = self.slot(text);
        let [once, again] = &self.slots[word];
        let set = |bits: &AtomicU64| bits.load(Relaxed) & bit != 0 || bits.fetch_or(bit, Relaxed) & bit != 0;
        if set(once) {
            set(again);
        }
    }

    /// Whether more than one page may have it.
    pub(super) fn again(&self, text: u128) -> bool {
        let (word, bit) = self.slot(text);
        self.slots[word][1].load(Relaxed) & bit != 0
    }

    fn slot(&self, text: u128) -> (usize, u64) {
        let bits = text as u64;
        let word = (bits >> 6) as usize & (self.slots.len() - 1);
        (word, 1 << (bits % 64))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_seen_again_is_told(texts in prop::collection::vec(0u128..40, 0..60)) {
            let seen = Seen::new(40);
            texts.iter().for_each(|&text| seen.add(text));
            for text in 0..40 {
                let times = texts.iter().filter(|&&other| other == text).count();
                // So few texts have a slot each.
                prop_assert_eq!(seen.again(text), times > 1);
            }
        }
    }

    #[test]
    fn few_texts_share_a_slot() {
        let text = |number: u64| xxhash_rust::xxh3::xxh3_128(&number.to_le_bytes());
        let seen = Seen::new(1 << 16);
        (0..1 << 16).for_each(|number| seen.add(text(number)));
        let wrong = (0..1 << 16).filter(|&number| seen.again(text(number))).count();
        assert!(wrong < (1 << 16) / 10, "{wrong}");
    }

    #[test]
    fn what_two_workers_see_is_seen_again() {
        let seen = Seen::new(1);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..1 << 14).for_each(|text| seen.add(text)));
            }
        });
        assert!((0..1 << 14).all(|text| seen.again(text)));
    }
}
