//! The work that a page may take, counted: a machine that is busy reads the same as one that is not.

/// What is left of the work that one stage may spend on a page. A step is about what a tag costs; to look at one of
/// many, such as an open element while its end is searched for, is a small part of it.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// In looks.
    most: u64,
    left: u64,
}

/// Looks per step.
const LOOKS: u64 = 16;

impl Steps {
    /// A budget of `most` steps.
    pub fn new(most: u64) -> Steps {
        let most = most.saturating_mul(LOOKS);
        Steps { most, left: most }
    }

    /// Counts one step.
    #[inline]
    pub fn step(&mut self) {
        self.left = self.left.saturating_sub(LOOKS);
    }

    /// Counts looks at elements, entries or bytes.
    #[inline]
    pub fn look(&mut self, looks: usize) {
        self.left = self.left.saturating_sub(looks as u64);
    }

    /// How many steps have been counted.
    pub fn taken(&self) -> u64 {
        (self.most - self.left) / LOOKS
    }

    /// Whether nothing is left.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.left == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_parts_of_steps() {
        let mut steps = Steps::new(2);
        steps.step();
        steps.look(15);
        assert!(!steps.is_over());
        steps.look(1);
        assert!(steps.is_over() && steps.taken() == 2);
        steps.look(usize::MAX);
        assert!(steps.is_over() && !Steps::new(u64::MAX).is_over() && Steps::new(0).is_over());
    }
}
