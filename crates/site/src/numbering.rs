//! Numbers for things that come again.

/// Numbers things in the order in which they are first seen, given a hash of each. Its memory is kept from
/// page to page: four bytes a slot, so that those of a page stay near the processor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    /// Numbers by hash, one more than they are; 0 where there is none.
    slots: Vec<u32>,
    /// How many things have a number at most.
    most: usize,
}

impl Numbers {
    /// Forgets all, and makes room for so many things.
    pub(crate) fn begin(&mut self, most: usize) {
        let slots = (2 * most).next_power_of_two();
        self.slots.clear();
        self.slots.resize(slots, 0);
        self.most = most;
    }

    /// The number of a thing: its place among all, to which it is added if it is new. None if it is new where
    /// there are as many as there may be.
    ///
    /// # Panics
    /// There are other things than those that were numbered.
    #[inline]
    pub(crate) fn number<T: Copy + Eq>(&mut self, thing: T, hash: u64, all: &mut Vec<T>) -> Option<u32> {
        assert!(all.len() < self.slots.len(), "room for all things");
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            match self.slots[slot] {
                0 => break,
                number if all[number as usize - 1] == thing => return Some(number - 1),
                _ => slot = (slot + 1) & last,
            }
        }
        if all.len() >= self.most {
            return None;
        }
        all.push(thing);
        self.slots[slot] = all.len() as u32;
        Some(all.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_thing_has_the_number_of_its_first(pages in prop::collection::vec(
            prop::collection::vec(0u16..40, 0..50), 1..4,
        ), bits in 0u64..64) {
            let mut numbers = Numbers::default();
            for page in pages {
                let mut all = Vec::new();
                numbers.begin(page.len());
                for thing in page {
                    // However bad the hash is.
                    let number = numbers.number(thing, u64::from(thing) & bits, &mut all);
                    let first = all.iter().position(|&known| known == thing);
                    prop_assert_eq!(first, number.map(|number| number as usize));
                }
            }
        }

        #[test]
        fn things_beyond_the_most_have_no_number(
            things in prop::collection::vec(0u16..40, 0..50), most in 0usize..20, bits in 0u64..64
        ) {
            let (mut numbers, mut all) = (Numbers::default(), Vec::new());
            numbers.begin(most);
            for thing in things {
                let is_new = !all.contains(&thing);
                let is_full = all.len() == most;
                let number = numbers.number(thing, u64::from(thing) & bits, &mut all);
                prop_assert_eq!(number.is_none(), is_new && is_full);
                prop_assert!(all.len() <= most);
            }
        }
    }
}
