//! Numbers for keys, in the order in which the keys come.

/// A hash table that is emptied at no cost: each slot has the number of what it was filled for. It uses few slots for a short
/// text, whatever texts there were before: so its slots stay in the cache.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
    /// The slots that are used: the first ones, a power of two.
    used: usize,
    len: u32,
    filled_for: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    filled_for: u32,
    number: u32,
}

const LEAST: usize = 64;

impl Table {
    /// Empties the table, for about as many keys as expected. It grows for more.
    pub(super) fn clear(&mut self, expected: usize) {
        self.len = 0;
        self.fill_again();
        self.used = (2 * expected).next_power_of_two().max(LEAST);
        self.make_slots();
    }

    /// From now on all slots are empty.
    fn fill_again(&mut self) {
        self.filled_for = self.filled_for.wrapping_add(1);
        if self.filled_for == 0 {
            self.slots.fill(Slot::default());
            self.filled_for = 1;
        }
    }

    fn make_slots(&mut self) {
        if self.slots.len() < self.used {
            self.slots.resize(self.used, Slot::default());
        }
    }

    /// The number of a key, and whether it is new: then it is the next one.
    #[inline]
    pub(super) fn number(&mut self, key: u64) -> (u32, bool) {
        if 2 * (self.len as usize + 1) > self.used {
            self.grow();
        }
        let slot = self.slot(key);
        let slot = &mut self.slots[slot];
        if slot.filled_for == self.filled_for {
            return (slot.number, false);
        }
        *slot = Slot {
            key,
            filled_for: self.filled_for,
            number: self.len,
        };
        self.len += 1;
        (slot.number, true)
    }

    /// The slot of a key, or the one that it would get.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.used - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.filled_for != self.filled_for || slot.key == key {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let filled = self.slots[..self.used]
            .iter()
            .filter(|slot| slot.filled_for == self.filled_for);
        let filled: Vec<Slot> = filled.copied().collect();
        self.used = (2 * self.used).max(LEAST);
        self.make_slots();
        self.fill_again();
        for slot in filled {
            let at = self.slot(slot.key);
            self.slots[at] = Slot {
                filled_for: self.filled_for,
                ..slot
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_numbers_until_the_table_is_cleared() {
        let mut table = Table::default();
        for round in 0..3 {
            table.clear(10 * round);
            for key in 0..5000_u64 {
                assert_eq!(table.number(key << 32), (key as u32, true), "round {round}");
                assert_eq!(table.number((key / 2) << 32), ((key / 2) as u32, false));
            }
        }
    }
}
