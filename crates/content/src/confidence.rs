//! How good the kept text of a page is expected to be.

use crate::{BlockSize, Label};

/// The expected word F1 of the blocks that `labels` keep, taken as `2 * expected words right / (words kept + expected words
/// of content)`, as [`Decoder::ExpectedF`](crate::Decoder::ExpectedF) has it. Blocks are taken for independent, which they are
/// not: see [`Calibration`]. None if nothing is kept.
///
/// `content` has the probability of each block to be content.
pub(crate) fn expected_f1(
    content: &[f32],
    labels: &[Label],
    blocks: impl IntoIterator<Item = BlockSize>,
) -> Option<f32> {
    let (mut right, mut kept, mut expected) = (0.0, 0.0, 0.0);
    for ((&probability, label), block) in content.iter().zip(labels).zip(blocks) {
        let words = f64::from(block.words);
        let of_content = words * f64::from(probability);
        expected += of_content;
        if label.is_content() {
            right += of_content;
            kept += words;
        }
    }
    (kept > 0.0).then(|| (2.0 * right / (kept + expected)) as f32)
}

/// What the expected word F1 of a page comes to: a function that never falls, straight between its points. Without points it
/// changes nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Pairs of an expected and an observed F1, both ascending, from 0 to 1.
    points: Vec<[f32; 2]>,
}

/// Maximum groups of pages, a point each, and minimum pages per group.
const GROUPS: usize = 50;
const LEAST_PAGES: usize = 20;
impl Calibration {
    /// A function through some points.
    ///
    /// # Errors
    /// Says what is wrong with them: they do not ascend, or leave the range from 0 to 1.
    pub fn new(points: Vec<[f32; 2]>) -> Result<Calibration, &'static str> {
        let in_range = |value: &f32| (0.0..=1.0).contains(value);
        if !points.as_flattened().iter().all(in_range) {
            return Err("a point of the confidence is not from 0 to 1");
        }
        let ascends = |pair: &[[f32; 2]]| pair[0][0] < pair[1][0] && pair[0][1] <= pair[1][1];
        match points.windows(2).all(ascends) {
            true => Ok(Calibration { points }),
            false => Err("the points of the confidence do not ascend"),
        }
    }

    /// Isotonic regression (Zadrozny and Elkan 2002) over the means of groups of pages with about the same expected F1. Each
    /// page is an expected and an observed F1, of a model that has not seen it.
    pub fn fit(pages: &[[f32; 2]]) -> Calibration {
        let mut pages = pages.to_vec();
        pages.sort_by(|one, other| one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])));
        let size = pages.len().div_ceil(GROUPS).max(LEAST_PAGES);
        let mut groups: Vec<Group> = Vec::new();
        for pages in pages.chunks(size) {
            let mut group = Group::new(pages);
            // Pool adjacent violators: of two groups the one expected to be better must not be observed to be worse. Where it
            // is, the difference is taken for chance and both become one.
            while let Some(before) = groups.pop_if(|before| !before.is_below(&group)) {
                group = before.with(group);
            }
            groups.push(group);
        }
        Calibration {
            points: groups.iter().map(Group::point).collect(),
        }
    }

    /// The points.
    pub fn points(&self) -> &[[f32; 2]] {
        &self.points
    }

    /// The F1 that is observed where this one is expected; that of the nearest point outside of all.
    pub fn observed(&self, expected: f32) -> f32 {
        let (Some(first), Some(last)) = (self.points.first(), self.points.last()) else {
            return expected;
        };
        let behind = self.points.partition_point(|point| point[0] < expected);
        let between = behind.checked_sub(1).zip(self.points.get(behind));
        match between {
            None if behind == 0 => first[1],
            None => last[1],
            Some((before, after)) => {
                let before = self.points[before];
                let share = (expected - before[0]) / (after[0] - before[0]);
                before[1] + share * (after[1] - before[1])
            }
        }
    }
}

/// Pages whose expected F1 is about the same.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    pages: f64,
    expected: f64,
    observed: f64,
}

impl Group {
    fn new(pages: &[[f32; 2]]) -> Group {
        let one = |page: &[f32; 2]| Group {
            pages: 1.0,
            expected: f64::from(page[0]),
            observed: f64::from(page[1]),
        };
        pages.iter().map(one).fold(Group::default(), Group::with)
    }

    fn with(self, other: Group) -> Group {
        Group {
            pages: self.pages + other.pages,
            expected: self.expected + other.expected,
            observed: self.observed + other.observed,
        }
    }

    fn point(&self) -> [f32; 2] {
        [self.expected, self.observed].map(|sum| (sum / self.pages) as f32)
    }

    /// Whether both means are below those of another group.
    fn is_below(&self, other: &Group) -> bool {
        let (own, other) = (self.point(), other.point());
        own[0] < other[0] && own[1] < other[1]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block(words: u32) -> BlockSize {
        BlockSize {
            words,
            with_before: false,
        }
    }

    #[test]
    fn kept_words_that_are_sure_are_right() {
        let f1 = |content: &[f32], labels: &[Label]| expected_f1(content, labels, [block(8), block(2)]);
        let (kept, dropped) = (Label::Paragraph, Label::Other);
        assert_eq!(f1(&[1.0, 0.0], &[kept, dropped]), Some(1.0));
        // Of 8 words 4 are right, and 5 are content.
        assert_eq!(f1(&[0.5, 0.5], &[kept, dropped]), Some(8.0 / 13.0));
        assert_eq!(f1(&[0.5, 0.5], &[dropped, dropped]), None);
        assert_eq!(expected_f1(&[], &[], []), None);
    }

    #[test]
    fn no_points_change_nothing() {
        assert_eq!(Calibration::default().observed(0.3), 0.3);
        assert_eq!(Calibration::fit(&[]), Calibration::default());
    }

    #[test]
    fn lines_lead_from_point_to_point() {
        let curve = Calibration::new(vec![[0.2, 0.1], [0.6, 0.5], [0.8, 0.5]]).unwrap();
        let observed = [0.0, 0.2, 0.4, 0.7, 0.8, 1.0].map(|expected| curve.observed(expected));
        for (observed, right) in observed.iter().zip([0.1, 0.1, 0.3, 0.5, 0.5, 0.5]) {
            assert!((observed - right).abs() < 1e-6, "{observed} {right}");
        }
    }

    #[test]
    fn points_that_do_not_ascend_are_refused() {
        for points in [
            vec![[0.5, 0.5], [0.5, 0.6]],
            vec![[0.2, 0.5], [0.5, 0.4]],
            vec![[0.2, 1.5]],
            vec![[f32::NAN, 0.5]],
        ] {
            assert!(Calibration::new(points).is_err());
        }
    }

    proptest! {
        #[test]
        fn what_was_fitted_ascends_and_has_the_mean_of_its_pages(
            pages in prop::collection::vec((0u8..=100, 0u8..=100), 1..300)
        ) {
            let pages: Vec<[f32; 2]> = pages
                .iter()
                .map(|&(expected, observed)| [f32::from(expected) / 100.0, f32::from(observed) / 100.0])
                .collect();
            let curve = Calibration::fit(&pages);
            prop_assert!(Calibration::new(curve.points().to_vec()).is_ok(), "{:?}", curve);
            if curve.points().len() == 1 {
                let mean = pages.iter().map(|page| page[1]).sum::<f32>() / pages.len() as f32;
                prop_assert!((curve.observed(0.5) - mean).abs() < 1e-4);
            }
        }
    }
}
