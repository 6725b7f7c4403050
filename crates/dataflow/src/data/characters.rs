//! Places of a text as readers of tables count them: in characters (Unicode code points).

use std::ops::Range;

/// The spans of a text in characters, from those in bytes, in the same order.
pub(crate) fn in_characters(text: &str, spans: &[Range<usize>]) -> Vec<Range<u32>> {
    let mut bytes: Vec<usize> = spans.iter().flat_map(|span| [span.start, span.end]).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let (mut begin, mut count) = (0, 0);
    let counted = bytes.iter().map(|&end| {
        count += text[begin..end].chars().count() as u32;
        begin = end;
        count
    });
    let characters: Vec<u32> = counted.collect();
    let character = |byte: usize| characters[bytes.partition_point(|other| *other < byte)];
    spans
        .iter()
        .map(|span| character(span.start)..character(span.end))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn characters_are_those_before_a_place(text in "[aé水😀]{0,30}", picks in proptest::collection::vec((0..31_usize, 0..31_usize), 0..6)) {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let place = |pick: usize| places[pick % places.len()];
            let spans: Vec<Range<usize>> = picks
                .iter()
                .map(|&(one, other)| place(one).min(place(other))..place(one).max(place(other)))
                .collect();
            let slow = |byte: usize| text[..byte].chars().count() as u32;
            let expected: Vec<Range<u32>> = spans.iter().map(|span| slow(span.start)..slow(span.end)).collect();
            prop_assert_eq!(in_characters(&text, &spans), expected);
        }
    }
}
