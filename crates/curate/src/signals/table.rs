//! Numbers for keys, in the order in which the keys come.

/// A hash table that is emptied at no cost: each slot has the number of the text that it was filled for.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<Slot>,
    len: u32,
    filled_for: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    filled_for: u32,
    number: u32,
}

const LEAST: usize = 1024;

impl Table {
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.filled_for = self.filled_for.wrapping_add(1);
        if self.filled_for == 0 {
            self.slots.fill(Slot::default());
            self.filled_for = 1;
        }
    }

    /// The number of a key, and whether it is new: then it is the next one.
    #[inline]
    pub(super) fn number(&mut self, key: u64) -> (u32, bool) {
        if 2 * (self.len as usize + 1) > self.slots.len() {
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
        let mask = self.slots.len() - 1;
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
        let size = (2 * self.slots.len()).max(LEAST);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        // Nothing is filled for text 0.
        self.filled_for = self.filled_for.max(1);
        for slot in old.into_iter().filter(|slot| slot.filled_for == self.filled_for) {
            let at = self.slot(slot.key);
            self.slots[at] = slot;
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
            table.clear();
            for key in 0..5000_u64 {
                assert_eq!(table.number(key << 32), (key as u32, true), "round {round}");
                assert_eq!(table.number((key / 2) << 32), ((key / 2) as u32, false));
            }
        }
    }
}
