//! Matches turned into removed ranges: merging (section 3.4.1) and locality heuristics (section 6.1).
//!
//! Lengths are in characters that are not white space, so that they mean the same in a text and in
//! its HTML source. Lines are those of the text: a match on a line of its own is no small piece of a
//! longer text.

use std::ops::Range;

use crate::CleanConfig;

/// The ranges to remove for covered ranges, in order and separate from each other.
pub(crate) fn tidy(text: &str, covered: &[Range<usize>], config: &CleanConfig) -> Vec<Range<usize>> {
    let merged = merge(covered, |left, right| {
        // Without anything between, or with less than the gap.
        is_shorter(text, left.end..right.start, config.gap.max(1))
    });
    let lasting = drop_islands(text, &merged, config);
    merge(&lasting, |left, right| {
        is_shorter(text, left.end..right.start, config.remainder)
            && !is_shorter(text, left.clone(), config.long)
            && !is_shorter(text, right.clone(), config.long)
    })
}

/// Joins neighbouring ranges for which `join` is true.
fn merge(ranges: &[Range<usize>], join: impl Fn(&Range<usize>, &Range<usize>) -> bool) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if join(last, range) => last.end = range.end,
            _ => merged.push(range.clone()),
        }
    }
    merged
}

/// Drops the short ranges in lines where more text directly around them is kept than they have.
fn drop_islands(text: &str, ranges: &[Range<usize>], config: &CleanConfig) -> Vec<Range<usize>> {
    let lasts = |(place, range): &(usize, &Range<usize>)| {
        !is_shorter(text, (*range).clone(), config.island) || {
            let before = place.checked_sub(1).map_or(0, |before| ranges[before].end);
            let after = ranges.get(place + 1).map_or(text.len(), |after| after.start);
            !is_island(text, range, before..after)
        }
    };
    let kept = ranges.iter().enumerate().filter(lasts);
    kept.map(|(_, range)| range.clone()).collect()
}

/// Whether a range is in one line or two where more text around it is kept than it has. The text around it is within
/// `kept`.
pub(crate) fn is_island(text: &str, range: &Range<usize>, kept: Range<usize>) -> bool {
    // This many bytes suffice: only more text than the range has is needed.
    let from = text.ceil_char_boundary(kept.start.max(range.start.saturating_sub(LOOK)));
    let to = text.floor_char_boundary(kept.end.min(range.end + LOOK));
    let left = text[from.min(range.start)..range.start].rsplit('\n').next();
    let right = text[range.end..to.max(range.end)].split('\n').next();
    let sides = [left, right].map(Option::unwrap_or_default);
    let within = &text[range.clone()];
    let mut around = sides.iter().flat_map(|side| visible(side));
    // A range that continues on another line is a piece of a sentence if it is one on both.
    around.nth(letters(within)).is_some()
        && !(within.contains('\n') && sides.iter().any(|side| visible(side).next().is_none()))
}

/// Bytes to look at on each side of a range.
const LOOK: usize = 512;

/// Characters that are not white space.
fn visible(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| !letter.is_whitespace())
}

/// The number of characters that are not white space.
fn letters(text: &str) -> usize {
    visible(text).count()
}

/// Whether a range has fewer than `length` characters that are not white space.
pub(crate) fn is_shorter(text: &str, range: Range<usize>, length: usize) -> bool {
    length > 0 && visible(&text[range]).nth(length - 1).is_none()
}

/// The text without some ranges: the rest of each line without white space at its ends; empty lines are dropped.
///
/// ```
/// let text = "Home About\nOnce upon a time\nShare this by mail";
/// assert_eq!(gleaner_template::without(text, &[0..10, 28..46]), "Once upon a time\n");
/// ```
pub fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut kept = String::new();
    let mut at = 0;
    for range in removed
        .iter()
        .cloned()
        .chain(std::iter::once(text.len()..text.len()))
    {
        let piece = &text[at..range.start];
        // Texts before and after a range stay separate: by a line end if the range has one, else by a space.
        let parted = at > 0 && !kept.is_empty() && !kept.ends_with(char::is_whitespace);
        if parted && !piece.starts_with(char::is_whitespace) && !piece.is_empty() {
            kept.push(' ');
        }
        kept.push_str(piece);
        at = range.end;
    }
    let lines = kept.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The share of a piece of text, by characters that are not white space, that lies in `ranges`,
/// which are in order: a block's template coverage. 0 where it has none.
pub fn share_within(text: &str, piece: Range<usize>, ranges: &[Range<usize>]) -> f32 {
    let all = letters(&text[piece.clone()]);
    let first = ranges.partition_point(|range| range.end <= piece.start);
    let touching = ranges[first..].iter().take_while(|range| range.start < piece.end);
    let within: usize = touching
        .map(|range| letters(&text[range.start.max(piece.start)..range.end.min(piece.end)]))
        .sum();
    match all {
        0 => 0.0,
        all => within as f32 / all as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of a text of which the pieces in brackets are covered.
    fn left(marked: &str, config: &CleanConfig) -> String {
        let (mut text, mut ranges, mut start) = (String::new(), Vec::new(), 0);
        for letter in marked.chars() {
            match letter {
                '[' => start = text.len(),
                ']' => ranges.push(start..text.len()),
                letter => text.push(letter),
            }
        }
        without(&text, &tidy(&text, &ranges, config))
    }

    fn left_by_default(marked: &str) -> String {
        left(marked, &CleanConfig::default())
    }

    /// Section 6.1: "a few characters removed in the middle of a clean chunk of text".
    #[test]
    fn a_piece_of_a_sentence_is_drop_islands() {
        assert_eq!(
            left_by_default("she went [as much as] he did, they say"),
            "she went as much as he did, they say\n"
        );
        assert_eq!(left_by_default("a line\n[read more]\na line"), "a line\na line\n");
        assert_eq!(left_by_default("[Posted by] X"), "X\n");
        assert_eq!(
            left_by_default("a line that ends [as\nmuch as] one begins"),
            "a line that ends as\nmuch as one begins\n"
        );
        assert_eq!(
            left_by_default("a line that ends with [more\nread more]"),
            "a line that ends with\n"
        );
    }

    /// Section 6.1: "a little chunk of good text in between two large templated string".
    #[test]
    fn a_remainder_between_long_matches_goes_too() {
        let long = "[all of this is from the template of the site, of every page]";
        assert_eq!(
            left_by_default(&format!("a\n{long}\n12 new\n{long}\nb")),
            "a\nb\n"
        );
        assert_eq!(
            left_by_default(&format!("a\n{long}\nlonger than what is little\nb")),
            "a\nlonger than what is little\nb\n"
        );
        assert_eq!(
            left_by_default("a\n[short one]\n12 new\n[short one]\nb"),
            "a\n12 new\nb\n"
        );
    }

    /// Section 3.4.1: "separated by less than user-defined number of characters".
    #[test]
    fn near_matches_are_merged() {
        let config = CleanConfig {
            gap: 4,
            ..CleanConfig::default()
        };
        assert_eq!(
            left("[tags:]\nabc\n[comments:]\nabcd\n[links:]", &config),
            "abcd\n"
        );
        let config = CleanConfig { gap: 0, ..config };
        assert_eq!(left("[tags:]\na\n[comments:]", &config), "a\n");
    }

    #[test]
    fn what_was_parted_stays_apart() {
        assert_eq!(without("a bc d e", &[2..4, 7..8]), "a  d\n");
        assert_eq!(without("abcd e", &[1..3, 5..6]), "a d\n");
        assert_eq!(without("", &[]), "");
    }

    #[test]
    fn shares_are_of_what_is_visible() {
        let text = "ab cd\nef";
        assert_eq!(share_within(text, 0..5, &[0..1, 4..8]), 0.5);
        assert_eq!(share_within(text, 6..8, &[0..1, 4..8]), 1.0);
        assert_eq!(share_within(text, 5..6, &[0..1, 4..8]), 0.0);
        assert_eq!(share_within(text, 3..4, &[0..1, 4..8]), 0.0);
    }
}
