//! Document frequencies of all substrings (steps 5 and 6; Yamamoto and Church, 2001).
//!
//! Strings with the same occurrences form a class, which is an interval of the suffix array; there are fewer intervals than
//! suffixes. One pass over the array keeps the open
//! intervals on a stack. An interval's document frequency is its suffixes less the pairs of
//! neighbours of one page within it; each suffix makes one pair with the suffix of its page before
//! it, which counts in the innermost open interval that holds both, and from there outwards.

use crate::collection::SEPARATOR;

/// A string that occurs at least twice, and not always before the same token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeat {
    /// Its first suffix in the suffix array.
    pub(crate) rank: u32,
    /// Its number of occurrences.
    pub(crate) occurrences: u32,
    pub(crate) length: u32,
    /// Its document frequency: pages that have it.
    pub(crate) pages: u32,
    /// Whether it does not always occur after the same symbol: then it is maximal (step 6).
    pub(crate) maximal: bool,
}

/// A string whose suffixes are being read.
#[derive(Clone, Copy, Debug)]
struct OpenInterval {
    left: u32,
    length: u32,
    /// Pairs of suffixes of one page, next to each other among those of that page.
    pairs: u32,
    /// The symbol before all suffixes, [`SEPARATOR`] where they differ or it is one.
    before: i32,
}

impl OpenInterval {
    fn absorb(&mut self, inner: &OpenInterval) {
        self.pairs += inner.pairs;
        if self.before != inner.before {
            self.before = SEPARATOR;
        }
    }

    fn close(&self, end: usize) -> Repeat {
        let occurrences = end as u32 - self.left;
        Repeat {
            rank: self.left,
            occurrences,
            length: self.length,
            pages: occurrences - self.pairs,
            maximal: self.before == SEPARATOR,
        }
    }
}

/// Calls back with every repeated string of `text`, a prefix of another string after that string.
/// `starts` are the places where pages begin, and the end; `suffixes` and `common` are of
/// [`crate::suffix`].
pub(crate) fn repeats(
    text: &[i32],
    starts: &[u32],
    suffixes: &[i32],
    common: &[u32],
    mut give: impl FnMut(Repeat),
) {
    let pages = PageIndex::new(starts);
    let mut last_of_page = vec![NONE; pages.len()];
    let mut open = vec![OpenInterval {
        left: 0,
        length: 0,
        pairs: 0,
        before: SEPARATOR,
    }];
    let mut around = Vec::with_capacity(BATCH);
    for first in (0..suffixes.len()).step_by(BATCH) {
        let batch = first..suffixes.len().min(first + BATCH);
        look_around(text, &pages, suffixes, common, batch.clone(), &mut around);
        for (rank, &Around { page, before, next }) in batch.zip(&around) {
            let last = std::mem::replace(&mut last_of_page[page as usize], rank as u32);
            if last != NONE {
                innermost(&mut open, last).pairs += 1;
            }
            let mut inner = OpenInterval {
                left: rank as u32,
                length: 0,
                pairs: 0,
                before,
            };
            while let Some(mut outer) = open.pop_if(|outer| outer.length > next) {
                outer.absorb(&inner);
                give(outer.close(rank + 1));
                inner = outer;
            }
            match open.last_mut() {
                Some(outer) if outer.length == next => outer.absorb(&inner),
                _ => open.push(OpenInterval {
                    length: next,
                    ..inner
                }),
            }
        }
    }
}

/// Suffixes that are looked up at a time.
const BATCH: usize = 256;

/// The data of a suffix that the pass needs.
#[derive(Clone, Copy, Debug)]
struct Around {
    page: u32,
    before: i32,
    /// The length of its common prefix with the next suffix.
    next: u32,
}

/// Looks up a batch of suffixes. They lie all over the text; in a loop of their own the processor
/// waits for many of them at once. (The whole pass takes half the time of one that looks them up one
/// by one.)
fn look_around(
    text: &[i32],
    pages: &PageIndex,
    suffixes: &[i32],
    common: &[u32],
    ranks: std::ops::Range<usize>,
    around: &mut Vec<Around>,
) {
    around.clear();
    around.extend(ranks.map(|rank| {
        let place = suffixes[rank] as usize;
        Around {
            page: pages.page(place) as u32,
            before: if place == 0 { SEPARATOR } else { text[place - 1] },
            next: suffixes.get(rank + 1).map_or(0, |&next| common[next as usize]),
        }
    }));
}

/// The innermost open string that had begun at a rank. The outermost begins at the first.
fn innermost(open: &mut [OpenInterval], rank: u32) -> &mut OpenInterval {
    let inside = match open {
        // Most suffixes have a neighbour of their page right before them.
        [.., top] if top.left <= rank => open.len(),
        _ => open.partition_point(|open| open.left <= rank),
    };
    &mut open[inside - 1]
}

const NONE: u32 = u32::MAX;

/// Which page a place belongs to, in a fraction of a byte a place.
struct PageIndex {
    starts: Vec<u32>,
    /// The page at every 64th place.
    coarse: Vec<u32>,
}

/// Places between two of [`PageIndex::coarse`], as a power of two.
const COARSE: u32 = 6;

impl PageIndex {
    /// Pages without text are skipped: they have no suffix.
    fn new(starts: &[u32]) -> PageIndex {
        let mut starts = starts.to_vec();
        starts.dedup();
        let end = starts.last().copied().unwrap_or_default();
        let mut page = 0;
        let coarse = (0..=end >> COARSE).map(|at| {
            while starts.get(page + 1).is_some_and(|&next| next <= at << COARSE) {
                page += 1;
            }
            page as u32
        });
        PageIndex {
            coarse: coarse.collect(),
            starts,
        }
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    fn page(&self, place: usize) -> usize {
        let mut page = self.coarse[place >> COARSE] as usize;
        while self.starts[page + 1] as usize <= place {
            page += 1;
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::suffix::{common_prefixes, suffix_array};

    /// Of every string: where it occurs, as page and place.
    type Occurrences = BTreeMap<Vec<i32>, BTreeSet<(usize, usize)>>;

    fn by_brute_force(pages: &[Vec<i32>]) -> Occurrences {
        let mut found = Occurrences::new();
        for (number, page) in pages.iter().enumerate() {
            for start in 0..page.len() {
                for end in start + 1..=page.len() {
                    let string = &page[start..end];
                    if !string.contains(&SEPARATOR) {
                        found.entry(string.to_vec()).or_default().insert((number, start));
                    }
                }
            }
        }
        found
    }

    fn pages_of(occurrences: &BTreeSet<(usize, usize)>) -> u32 {
        occurrences
            .iter()
            .map(|(page, _)| page)
            .collect::<BTreeSet<_>>()
            .len() as u32
    }

    /// Whether a string is a part of a longer one wherever it occurs.
    fn is_always_prolonged(
        pages: &[Vec<i32>],
        occurrences: &BTreeSet<(usize, usize)>,
        length: usize,
    ) -> bool {
        let around = |at: &(usize, usize)| {
            let page = &pages[at.0];
            let before = at.1.checked_sub(1).map_or(SEPARATOR, |place| page[place]);
            (before, page.get(at.1 + length).copied().unwrap_or(SEPARATOR))
        };
        let (before, after): (BTreeSet<i32>, BTreeSet<i32>) = occurrences.iter().map(around).unzip();
        [before, after]
            .iter()
            .any(|one| one.len() == 1 && !one.contains(&SEPARATOR))
    }

    proptest! {
        /// Document frequencies of all substrings equal those of brute force, and exactly the
        /// maximal ones are called so.
        #[test]
        fn frequencies_are_those_of_brute_force(
            pages in prop::collection::vec(prop::collection::vec(0i32..4, 0..20), 0..8)
        ) {
            let mut text = Vec::new();
            let mut starts = vec![0];
            for page in &pages {
                text.extend_from_slice(page);
                text.push(SEPARATOR);
                starts.push(text.len() as u32);
            }
            let suffixes = suffix_array(&mut text);
            let common = common_prefixes(&text, &suffixes);
            let mut found = BTreeMap::new();
            repeats(&text, &starts, &suffixes, &common, |repeat| {
                let place = suffixes[repeat.rank as usize] as usize;
                let string = text[place..place + repeat.length as usize].to_vec();
                let again = found.insert(string, repeat);
                assert!(again.is_none());
            });
            let expected = by_brute_force(&pages);
            for (string, occurrences) in &expected {
                // The shortest repeated string that begins so stands for it, if it is repeated.
                let stands = found
                    .range(string.clone()..)
                    .take_while(|(longer, _)| longer.starts_with(string))
                    .map(|(_, repeat)| repeat)
                    .min_by_key(|repeat| repeat.length);
                if occurrences.len() < 2 {
                    prop_assert!(stands.is_none());
                    continue;
                }
                let repeat = stands.expect("it is repeated");
                prop_assert_eq!(repeat.occurrences as usize, occurrences.len());
                prop_assert_eq!(repeat.pages, pages_of(occurrences), "{:?}", string);
                let maximal = repeat.maximal && repeat.length as usize == string.len();
                prop_assert_eq!(maximal, !is_always_prolonged(&pages, occurrences, string.len()));
            }
            for string in found.keys() {
                prop_assert!(expected.contains_key(string));
            }
        }
    }
}
