//! Sums over the pages of a site for one place, in integers.

use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// Number of classes of repetition: text on 2 pages, on 3 or 4, on 5 to 8, and so on; the last class is open.
pub const REPEAT_CLASSES: usize = 14;

/// Binary places of logits in fixed point.
const UNITS: f32 = 65_536.0;

/// Maximum absolute logit, so that a few extreme ones do not outweigh many.
const LARGEST_LOGIT: f32 = 3.0;

/// A logit in fixed point, cut to -3 to 3, so that sums are exact. NaN is 0.
pub fn fixed_point(logit: f32) -> i64 {
    // The cast truncates, and turns NaN into zero. Adding a half before rounds; in f64 that is exact.
    let units = f64::from(logit.clamp(-LARGEST_LOGIT, LARGEST_LOGIT) * UNITS);
    (units + 0.5f64.copysign(units)) as i64
}

/// Sums over the blocks that pages have in one place. They are added and subtracted exactly and in any order; the default is
/// zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PathSums {
    /// Number of pages with such a block.
    pub pages: i64,
    /// Number of such blocks.
    pub blocks: i64,
    /// Sum of their logits in [fixed point](fixed_point), each weighted by its number of words plus one.
    pub logit: i64,
    /// Number of their words.
    pub words: i64,
    /// Number of words whose text is on several pages, by the number of these pages: 2, 3 to 4, 5 to 8, 9 to 16, and so
    /// on.
    pub repeated: [i64; REPEAT_CLASSES],
}

impl PathSums {
    /// Sums of words in this place whose text is on `pages` pages of the site, anywhere on them; zero if that is one page.
    /// Only this part of the sums depends on other pages.
    pub fn repeated(pages: u32, words: i64) -> PathSums {
        let mut sums = PathSums::default();
        sums.add_repeated(pages, words);
        sums
    }

    /// Adds [`PathSums::repeated`].
    pub(crate) fn add_repeated(&mut self, pages: u32, words: i64) {
        if let Some(class) = repeat_class(pages) {
            self.repeated[class] = self.repeated[class].wrapping_add(words);
        }
    }

    /// Whether all sums are zero.
    pub fn is_zero(&self) -> bool {
        *self == PathSums::default()
    }

    /// Adds a block, without repetition and without counting its page.
    pub(crate) fn add_block(&mut self, logit: f32, words: u32) {
        let words = i64::from(words);
        self.blocks += 1;
        self.logit = self
            .logit
            .wrapping_add(fixed_point(logit).wrapping_mul(words + 1));
        self.words += words;
    }

    /// The mean logit of the blocks, each weighted by its number of words plus one; 0 without blocks.
    pub fn mean_logit(&self) -> f32 {
        match self.words.saturating_add(self.blocks) {
            ..=0 => 0.0,
            weight => (self.logit as f64 / weight as f64 / f64::from(UNITS)) as f32,
        }
    }

    /// The share of words whose text is on other pages, each word weighted by `weight(number of other pages)`.
    pub fn repeated_share(&self, weight: impl Fn(f32) -> f32) -> f32 {
        if self.words <= 0 {
            return 0.0;
        }
        let classes = self.repeated.iter().enumerate();
        let sum: f32 = classes
            .map(|(class, &words)| words as f32 * weight(other_pages(class)))
            .sum();
        sum / self.words as f32
    }

    fn combine(self, other: &PathSums, with: impl Fn(i64, i64) -> i64) -> PathSums {
        PathSums {
            pages: with(self.pages, other.pages),
            blocks: with(self.blocks, other.blocks),
            logit: with(self.logit, other.logit),
            words: with(self.words, other.words),
            repeated: std::array::from_fn(|class| with(self.repeated[class], other.repeated[class])),
        }
    }
}

/// The class of a text on `pages` pages; none if it is not repeated.
pub(crate) fn repeat_class(pages: u32) -> Option<usize> {
    let pages = pages.checked_sub(1).filter(|&others| others > 0)?;
    Some((pages.ilog2() as usize).min(REPEAT_CLASSES - 1))
}

/// The typical number of other pages of a class: the geometric mean of 2^class and 2^(class + 1), or 1.
fn other_pages(class: usize) -> f32 {
    match class {
        0 => 1.0,
        class => (1u32 << class) as f32 * std::f32::consts::SQRT_2,
    }
}

impl Add for PathSums {
    type Output = PathSums;

    fn add(self, other: PathSums) -> PathSums {
        self.combine(&other, i64::wrapping_add)
    }
}

impl Sub for PathSums {
    type Output = PathSums;

    fn sub(self, other: PathSums) -> PathSums {
        self.combine(&other, i64::wrapping_sub)
    }
}

impl Neg for PathSums {
    type Output = PathSums;

    fn neg(self) -> PathSums {
        PathSums::default() - self
    }
}

impl AddAssign for PathSums {
    fn add_assign(&mut self, other: PathSums) {
        *self = *self + other;
    }
}

impl SubAssign for PathSums {
    fn sub_assign(&mut self, other: PathSums) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn repetition_classes_double() {
        let classes: Vec<_> = [0, 1, 2, 3, 4, 5, 8, 9, 16, 17].map(repeat_class).into();
        assert_eq!(
            classes,
            [
                None,
                None,
                Some(0),
                Some(1),
                Some(1),
                Some(2),
                Some(2),
                Some(3),
                Some(3),
                Some(4)
            ]
        );
        assert_eq!(repeat_class(u32::MAX), Some(REPEAT_CLASSES - 1));
        for class in 1..REPEAT_CLASSES {
            assert_eq!(repeat_class(other_pages(class) as u32 + 1), Some(class));
        }
    }

    proptest! {
        #[test]
        fn logits_are_rounded(logit in prop_oneof![any::<f32>(), -3.5f32..3.5, (-200_000i32..200_000).prop_map(|half| half as f32 / 131_072.0)]) {
            let units = logit.clamp(-LARGEST_LOGIT, LARGEST_LOGIT) * UNITS;
            prop_assert_eq!(fixed_point(logit), units.round() as i64);
        }
    }

    #[test]
    fn shares_are_weighted_by_pages() {
        let words = PathSums {
            words: 10,
            ..PathSums::default()
        };
        let sums = words + PathSums::repeated(2, 3) + PathSums::repeated(4, 2) + PathSums::repeated(1, 5);
        let from = |pages: f32| sums.repeated_share(|others| f32::from(u8::from(others >= pages)));
        assert_eq!([0.0, 1.0, 1.1, 3.0].map(from), [0.5, 0.5, 0.2, 0.0]);
        assert_eq!(PathSums::repeated(2, 3).repeated_share(|_| 1.0), 0.0);
    }

    #[test]
    fn logits_are_cut_and_weighted_by_words() {
        assert_eq!(fixed_point(1.0), 65_536);
        assert_eq!(fixed_point(f32::NEG_INFINITY), fixed_point(-3.0));
        assert_eq!(fixed_point(f32::NAN), 0);
        let mut sums = PathSums::default();
        sums.add_block(1.5, 2);
        sums.add_block(-0.5, 0);
        assert_eq!((sums.mean_logit(), PathSums::default().mean_logit()), (1.0, 0.0));
        assert_eq!((sums.blocks, sums.words, sums.pages), (2, 2, 0));
    }
}
