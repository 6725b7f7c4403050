//! Captures by where they stand in the order of pages.

use crate::data::key::KeyRange;

/// Some ranges of captures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureRanges {
    /// By where they begin; none touches the next.
    ranges: Vec<KeyRange>,
}

impl CaptureRanges {
    pub(crate) fn new(mut ranges: Vec<KeyRange>) -> CaptureRanges {
        ranges.sort_by(|one, other| one.start.cmp(&other.start));
        let mut joined: Vec<KeyRange> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if last.end.is_empty() => break,
                Some(last) if range.start <= last.end => {
                    if range.end.is_empty() || range.end > last.end {
                        last.end = range.end;
                    }
                }
                _ => joined.push(range),
            }
        }
        CaptureRanges { ranges: joined }
    }

    pub(crate) fn ranges(&self) -> &[KeyRange] {
        &self.ranges
    }

    /// Whether captures with a SURT are among them; the name of the crawl stands before it.
    pub(crate) fn contain(&self, surt: &[u8]) -> bool {
        let behind = self.ranges.partition_point(|range| *range.start <= *surt);
        let range = behind.checked_sub(1).and_then(|range| self.ranges.get(range));
        range.is_some_and(|range| range.end.is_empty() || *surt < *range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(all: &[(&str, &str)]) -> CaptureRanges {
        let range = |(start, end): &(&str, &str)| start.as_bytes().to_vec()..end.as_bytes().to_vec();
        CaptureRanges::new(all.iter().map(range).collect())
    }

    #[test]
    fn ranges_that_meet_are_one() {
        let joined = ranges(&[("m", "n"), ("a", "c"), ("b", "d"), ("d", "e"), ("b", "bb")]);
        assert_eq!(joined, ranges(&[("a", "e"), ("m", "n")]));
        assert_eq!(ranges(&[("x", ""), ("y", "z"), ("w", "x")]), ranges(&[("w", "")]));
    }

    #[test]
    fn captures_are_found_by_their_surts() {
        let some = ranges(&[("b", "d"), ("m", "")]);
        let found = ["a", "b", "cz", "d", "l", "m", "z"].map(|surt| some.contain(surt.as_bytes()));
        assert_eq!(found, [false, true, true, false, false, true, true]);
        assert!(ranges(&[("", "")]).contain(b"a") && !CaptureRanges::default().contain(b"a"));
    }
}
