//! Suffix array and longest common prefixes of a text of symbols, in linear time (step 3 and 4).

use libsais::SuffixArrayConstruction;
use libsais::suffix_array::ExtraSpace;

use crate::collection::SEPARATOR;

/// The suffixes of `text` in lexicographic order, by SA-IS. Symbols are not negative, and the text
/// is shorter than 2^31; it is as before afterwards.
pub(crate) fn suffix_array(text: &mut [i32]) -> Vec<i32> {
    if text.is_empty() {
        return Vec::new();
    }
    SuffixArrayConstruction::for_text_mut(text)
        .in_owned_buffer32()
        .single_threaded()
        .with_extra_space_in_buffer(ExtraSpace::None)
        .run()
        .expect("the symbols are within the alphabet, and memory that is missing aborts")
        .into_vec()
}

/// By place in the text: how many symbols the suffix there has in common with the one before it in
/// the suffix array, up to the first separator (Kasai et al., with the array of predecessors in
/// place of the ranks, which the results replace one by one).
///
/// Separators never match each other, so that suffixes are compared up to the first one only. Suffixes with a common prefix
/// before a separator are adjacent in the array in any order after it, so that one symbol serves for all separators, and the
/// alphabet stays small.
pub(crate) fn common_prefixes(text: &[i32], suffixes: &[i32]) -> Vec<u32> {
    let mut common = vec![NONE; text.len()];
    for pair in suffixes.windows(2) {
        common[pair[1] as usize] = pair[0] as u32;
    }
    let mut length = 0usize;
    for place in 0..text.len() {
        let before = common[place];
        if before == NONE {
            length = 0;
        } else {
            let before = before as usize;
            length += text[place + length..]
                .iter()
                .zip(&text[before + length..])
                .take_while(|&(one, other)| one == other && *one != SEPARATOR)
                .count();
        }
        common[place] = length as u32;
        length = length.saturating_sub(1);
    }
    common
}

/// Before the first suffix there is none.
const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Figure 3.1.
    #[test]
    fn kingkong() {
        let mut text: Vec<i32> = "KINGKONG".bytes().map(i32::from).collect();
        assert_eq!(suffix_array(&mut text), [7, 3, 1, 0, 4, 6, 2, 5]);
    }

    proptest! {
        #[test]
        fn both_are_what_sorting_and_comparing_give(text in prop::collection::vec(0i32..4, 0..200)) {
            let mut copy = text.clone();
            let suffixes = suffix_array(&mut copy);
            prop_assert_eq!(&copy, &text);
            let mut sorted: Vec<i32> = (0..text.len() as i32).collect();
            sorted.sort_by_key(|&place| &text[place as usize..]);
            prop_assert_eq!(&suffixes, &sorted);
            let common = common_prefixes(&text, &suffixes);
            for pair in suffixes.windows(2) {
                let (one, other) = (&text[pair[0] as usize..], &text[pair[1] as usize..]);
                let same = one.iter().zip(other).take_while(|(a, b)| a == b && **a != SEPARATOR).count();
                prop_assert_eq!(common[pair[1] as usize], same as u32);
            }
        }
    }
}
