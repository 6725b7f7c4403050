//! How much of each page is mined where the pages of a site are too much together.

/// Bytes of a page beyond which it is cut, so that pages of these lengths are at most `most` bytes together: short ones stay
/// whole, and the others share what is left.
///
/// ```
/// use gleaner_template::page_share;
///
/// assert_eq!(page_share(&[10, 20, 90], 200), 90);
/// assert_eq!(page_share(&[10, 80, 90], 100), 45);
/// assert_eq!(page_share(&[], 100), 100);
/// ```
pub fn page_share(lengths: &[usize], most: usize) -> usize {
    let mut lengths = lengths.to_vec();
    lengths.sort_unstable();
    let (mut left, mut pages) = (most, lengths.len());
    for &length in &lengths {
        if length > left / pages {
            return left / pages;
        }
        left -= length;
        pages -= 1;
    }
    lengths.last().copied().unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shares_use_what_there_is(lengths in prop::collection::vec(0usize..100, 0..20), most in 0usize..1000) {
            let share = page_share(&lengths, most);
            let sum = |share: usize| -> usize { lengths.iter().map(|&length| length.min(share)).sum() };
            let is_whole = lengths.iter().all(|&length| length <= share);
            prop_assert!(sum(share) <= most || is_whole && lengths.is_empty());
            // A byte more for each page is more than there is.
            prop_assert!(is_whole || sum(share + 1) > most);
        }
    }
}
