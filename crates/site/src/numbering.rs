//! Values of a page, numbered in the order in which they are first seen.

/// A hash table from values to their numbers; the values themselves are in a vector of the caller. Its memory is kept from
/// page to page: four bytes a slot, so that those of a page stay in the cache.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    /// By hash, the number of a value plus one; 0 in a free slot.
    slots: Vec<u32>,
    /// The largest number of values.
    limit: usize,
}

impl Numbering {
    /// Removes all values, and makes room for `limit` values.
    pub(crate) fn begin(&mut self, limit: usize) {
        let slots = (2 * limit).next_power_of_two();
        self.slots.clear();
        self.slots.resize(slots, 0);
        self.limit = limit;
    }

    /// The number of a value: its index in `values`. A new value is added, or has no number if the limit is reached.
    ///
    /// # Panics
    /// `values` has other values than those that were numbered.
    #[inline]
    pub(crate) fn number<T: Copy + Eq>(&mut self, value: T, hash: u64, values: &mut Vec<T>) -> Option<u32> {
        assert!(values.len() < self.slots.len(), "room for all values");
        let last = self.slots.len() - 1;
        let mut slot = hash as usize & last;
        loop {
            match self.slots[slot] {
                0 => break,
                number if values[number as usize - 1] == value => return Some(number - 1),
                _ => slot = (slot + 1) & last,
            }
        }
        if values.len() >= self.limit {
            return None;
        }
        values.push(value);
        self.slots[slot] = values.len() as u32;
        Some(values.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_value_has_the_index_of_its_first_occurrence(pages in prop::collection::vec(
            prop::collection::vec(0u16..40, 0..50), 1..4,
        ), bits in 0u64..64) {
            let mut numbers = Numbering::default();
            for page in pages {
                let mut all = Vec::new();
                numbers.begin(page.len());
                for value in page {
                    // Hashes collide when few bits are left.
                    let number = numbers.number(value, u64::from(value) & bits, &mut all);
                    let first = all.iter().position(|&known| known == value);
                    prop_assert_eq!(first, number.map(|number| number as usize));
                }
            }
        }

        #[test]
        fn new_values_beyond_the_limit_have_no_number(
            values in prop::collection::vec(0u16..40, 0..50), limit in 0usize..20, bits in 0u64..64
        ) {
            let (mut numbers, mut all) = (Numbering::default(), Vec::new());
            numbers.begin(limit);
            for value in values {
                let is_new = !all.contains(&value);
                let is_full = all.len() == limit;
                let number = numbers.number(value, u64::from(value) & bits, &mut all);
                prop_assert_eq!(number.is_none(), is_new && is_full);
                prop_assert!(all.len() <= limit);
            }
        }
    }
}
