//! Numbers of tokens: an open-addressing table keyed by 64-bit hashes of tokens.
//!
//! Tokens with equal hashes count as equal: among sites with a million different tokens, two tokens collide in one of 37
//! million sites. The numbers follow the order of first occurrences.

use xxhash_rust::xxh3::xxh3_64;

/// The first occurrence of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct First {
    pub(crate) page: u32,
    pub(crate) start: u32,
    pub(crate) length: u32,
}

/// A slot: 16 bytes, four a cache line. Vacant while `id` is [`VACANT`].
#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u64,
    id: u32,
    last_page: u32,
}

const VACANT: u32 = u32::MAX;
const EMPTY: Slot = Slot {
    hash: 0,
    id: VACANT,
    last_page: 0,
};

/// The different tokens of a site, with the number of pages that have each.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    slots: Vec<Slot>,
    firsts: Vec<First>,
    pages: Vec<u32>,
}

impl Vocabulary {
    pub(crate) fn new() -> Vocabulary {
        Vocabulary {
            slots: vec![EMPTY; 1 << 12],
            firsts: Vec::new(),
            pages: Vec::new(),
        }
    }

    /// The hash of a token.
    #[inline]
    pub(crate) fn hash(token: &[u8]) -> u64 {
        xxh3_64(token)
    }

    /// The numbers here of the tokens of a vocabulary of later pages, in the order of their numbers
    /// there. All of them are then those of one vocabulary of all pages.
    pub(crate) fn take_in(&mut self, later: Vocabulary) -> Vec<u32> {
        let Vocabulary { slots, firsts, pages } = later;
        let mut hashes = vec![0; firsts.len()];
        for slot in slots.iter().filter(|slot| slot.id != VACANT) {
            hashes[slot.id as usize] = slot.hash;
        }
        drop(slots);
        let tokens = hashes.into_iter().zip(firsts).zip(pages);
        let numbers = tokens.map(|((hash, first), pages)| {
            let number = self.number(hash, first);
            // The first of the pages is counted already.
            self.pages[number as usize] += pages - 1;
            number
        });
        numbers.collect()
    }

    /// The number of a token. Pages come one after the other.
    #[inline]
    pub(crate) fn number(&mut self, hash: u64, first: First) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.id == VACANT {
                return self.add(at, hash, first);
            }
            if slot.hash == hash {
                if slot.last_page != first.page {
                    slot.last_page = first.page;
                    self.pages[slot.id as usize] += 1;
                }
                return slot.id;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn add(&mut self, at: usize, hash: u64, first: First) -> u32 {
        let id = self.firsts.len() as u32;
        self.slots[at] = Slot {
            hash,
            id,
            last_page: first.page,
        };
        self.firsts.push(first);
        self.pages.push(1);
        // At most three of four slots are used.
        if self.firsts.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.id != VACANT) {
            let mut at = slot.hash as usize & mask;
            while self.slots[at].id != VACANT {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }

    /// By number: where each token came first, and how many pages have it.
    pub(crate) fn into_parts(self) -> (Vec<First>, Vec<u32>) {
        (self.firsts, self.pages)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_and_pages_are_those_of_maps(pages in prop::collection::vec(
            prop::collection::vec(0u32..6000, 0..900), 1..9,
        )) {
            let mut vocabulary = Vocabulary::new();
            let mut numbers = BTreeMap::new();
            let mut seen: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
            for (page, tokens) in pages.iter().enumerate() {
                for token in tokens.iter().map(u32::to_string) {
                    let next = numbers.len() as u32;
                    let expected = *numbers.entry(token.clone()).or_insert(next);
                    let first = First { page: page as u32, start: 0, length: 1 };
                    let number = vocabulary.number(Vocabulary::hash(token.as_bytes()), first);
                    prop_assert_eq!(number, expected);
                    seen.entry(expected).or_default().insert(page);
                }
            }
            let (firsts, counts) = vocabulary.into_parts();
            prop_assert_eq!(firsts.len(), numbers.len());
            let expected: Vec<u32> = seen.values().map(|pages| pages.len() as u32).collect();
            prop_assert_eq!(counts, expected);
        }
    }
}
