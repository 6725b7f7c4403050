//! Which tests of the rules each element of a page passes: a bit a test.

use aho_corasick::AhoCorasick;
use gleaner_html::{Attr, Tag};
use gleaner_page::Page;
use rustc_hash::FxHashMap;

use crate::rules::{MOST_TESTS, Rules};

/// A bit for each test.
pub(crate) type Bits = u128;

/// The tests of a rule file, and the answers for attribute values seen so far: the pages of a site
/// repeat them.
#[derive(Debug)]
pub(crate) struct Marker {
    rules: Rules,
    candidates: Candidates,
    /// By tag: tests without patterns that it passes, and those with patterns that it may pass.
    plain: [Bits; Tag::COUNT],
    named: [Bits; Tag::COUNT],
    /// Attributes that any test with patterns looks at, a bit each.
    attributes: u64,
    seen: Vec<FxHashMap<Box<str>, Bits>>,
    low: String,
}

/// Values kept for each attribute.
const MOST_SEEN: usize = 4096;

/// Longer values are no names.
const LONGEST: usize = 1024;

impl Marker {
    pub(crate) fn new(rules: Rules) -> Marker {
        let mut marker = Marker {
            candidates: Candidates::new(&rules),
            plain: [0; Tag::COUNT],
            named: [0; Tag::COUNT],
            attributes: 0,
            seen: vec![FxHashMap::default(); u64::BITS as usize],
            low: String::new(),
            rules,
        };
        for (number, test) in marker.rules.tests.iter().enumerate().take(MOST_TESTS) {
            let table = if test.like.is_empty() {
                &mut marker.plain
            } else {
                marker.attributes |= test.attributes;
                &mut marker.named
            };
            for tag in Tag::ALL {
                if test.tags.is_empty() || test.tags.contains(&tag) {
                    table[tag as usize] |= 1 << number;
                }
            }
        }
        marker
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Fills in the tests that each element passes; returns whether the names of all classes and ids were looked at.
    pub(crate) fn mark(&mut self, page: &Page, marks: &mut Vec<Bits>) -> bool {
        let mut has_all_names = true;
        marks.clear();
        marks.reserve(page.elements.len());
        for element in &page.elements {
            let possible = self.named[element.tag as usize];
            let mut bits = self.plain[element.tag as usize];
            let own = &element.attributes;
            for (name, value) in &page.attributes[own.start as usize..own.end as usize] {
                if possible != 0 && self.attributes & (1u64 << *name as u8) != 0 {
                    let value = &page.values[value.start as usize..value.end as usize];
                    has_all_names &= value.len() <= LONGEST || !matches!(name, Attr::Class | Attr::Id);
                    bits |= possible & self.answer(*name, value);
                }
            }
            marks.push(bits);
        }
        has_all_names
    }

    fn answer(&mut self, name: Attr, value: &str) -> Bits {
        if value.len() > LONGEST {
            return 0;
        }
        let seen = &mut self.seen[name as usize];
        if let Some(&bits) = seen.get(value) {
            return bits;
        }
        if seen.len() >= MOST_SEEN {
            seen.clear();
        }
        self.low.clear();
        self.low.push_str(value.trim());
        self.low.make_ascii_lowercase();
        let candidates = self.candidates.of(&self.low);
        let bits = tests_passed(&self.rules, candidates, name, &self.low);
        self.seen[name as usize].insert(value.into(), bits);
        bits
    }
}

/// Which tests a value may pass, by what their patterns have between the stars.
#[derive(Debug)]
struct Candidates {
    finder: AhoCorasick,
    /// The test of each pattern.
    tests: Vec<Bits>,
}

impl Candidates {
    fn new(rules: &Rules) -> Candidates {
        let tests = rules.tests.iter().enumerate().take(MOST_TESTS);
        let patterns = tests.flat_map(|(number, test)| test.like.iter().map(move |like| (1 << number, like)));
        let (tests, parts): (Vec<Bits>, Vec<&str>) =
            patterns.map(|(test, like)| (test, like.longest_part())).unzip();
        Candidates {
            finder: AhoCorasick::new(parts).expect("rules are few"),
            tests,
        }
    }

    /// The tests of the patterns that have a part in a value.
    fn of(&self, value: &str) -> Bits {
        let parts = self.finder.find_overlapping_iter(value);
        parts.fold(0, |tests, part| tests | self.tests[part.pattern().as_usize()])
    }
}

/// Those of some tests that a value passes.
fn tests_passed(rules: &Rules, candidates: Bits, name: Attr, value: &str) -> Bits {
    let mut bits = 0;
    let mut rest = candidates;
    while rest != 0 {
        let test = &rules.tests[rest.trailing_zeros() as usize];
        let bit = rest & rest.wrapping_neg();
        rest ^= bit;
        let fits = |text: &str| test.like.iter().any(|like| like.fits(text));
        let passes = match test.whole {
            true => fits(value),
            false => value.split_ascii_whitespace().any(fits),
        };
        if passes && test.attributes & (1u64 << name as u8) != 0 {
            bits |= bit;
        }
    }
    bits
}
