//! The limit of the length of a page where the pages of a site are too long together.

/// The length at which pages of these lengths are cut, so that together they have at most `most` bytes. Short pages stay
/// whole; long ones share the rest equally.
pub(crate) fn page_share(lengths: &[usize], most: usize) -> usize {
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

/// The first bytes of a text, as whole characters.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_pages_share_what_short_ones_leave() {
        assert_eq!(page_share(&[10, 20, 90], 200), 90);
        assert_eq!(page_share(&[10, 80, 90], 100), 45);
        assert_eq!(page_share(&[], 100), 100);
    }

    #[test]
    fn a_beginning_has_whole_characters() {
        assert_eq!(
            [1, 2, 3].map(|bytes| beginning("a\u{e9}", bytes)),
            ["a", "a", "a\u{e9}"]
        );
    }

    proptest! {
        #[test]
        fn the_limit_uses_all_bytes(lengths in prop::collection::vec(0usize..100, 0..20), most in 0usize..1000) {
            let share = page_share(&lengths, most);
            let sum = |share: usize| -> usize { lengths.iter().map(|&length| length.min(share)).sum() };
            let is_whole = lengths.iter().all(|&length| length <= share);
            prop_assert!(sum(share) <= most || is_whole && lengths.is_empty());
            // A byte more for each page is more than there is.
            prop_assert!(is_whole || sum(share + 1) > most);
        }
    }
}
