//! The lines of the kept texts of a unit, counted by site. From them the last step finds the lines that stand on many sites, without
//! reading all texts.
//!
//! A line is known by its hash, the first half of its digest: two lines with the same hash count as one.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::data::packing::{pack, unpack};
use crate::data::signed::numbers;
use crate::error::Error;

/// Lines that are put in order together, at least.
const COUNTED: usize = 1 << 16;

/// On how many pages of a site a line of a unit is, and its first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct UnitLine {
    hash: u64,
    /// The number of its site.
    site: u32,
    place: PlaceInUnit,
    pages: u32,
}

/// The row of a document in its unit, and the byte of the text at which a line begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct PlaceInUnit {
    pub(crate) row: u32,
    pub(crate) offset: u32,
}

/// Counts the lines of a unit's documents.
#[derive(Debug, Default)]
pub(crate) struct LineCounter {
    rows: u32,
    lines: Vec<UnitLine>,
    of_page: Vec<UnitLine>,
    /// Hashes of the names of sites.
    sites: Vec<u64>,
    /// Lines that are counted before they are put in order.
    most: usize,
}

/// The lines of a unit, by hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitLines {
    hashes: Vec<u64>,
    counts: LineCounts,
}

/// What is known of each line beside its hash. In columns it is smaller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct LineCounts {
    sites: Vec<u64>,
    site: Vec<u32>,
    row: Vec<u32>,
    offset: Vec<u32>,
    pages: Vec<u32>,
}

/// The first half of the digest of a line.
pub(crate) fn line_hash(digest: u128) -> u64 {
    (digest >> 64) as u64
}

impl LineCounter {
    /// Takes the next document in. A line counts once a page.
    pub(crate) fn push(&mut self, site: &str, text: &str) {
        let site = xxh3_64(site.as_bytes());
        // Documents of a site follow each other.
        if self.sites.last() != Some(&site) {
            self.sites.push(site);
        }
        let (row, site) = (self.rows, self.sites.len() as u32 - 1);
        self.rows += 1;
        self.of_page
            .extend(counted_lines(text).map(|(offset, line)| UnitLine {
                hash: line_hash(xxh3_128(line.as_bytes())),
                site,
                place: PlaceInUnit { row, offset },
                pages: 1,
            }));
        self.of_page.sort_unstable();
        self.of_page.dedup_by_key(|line| line.hash);
        self.lines.append(&mut self.of_page);
        if self.lines.len() >= self.most {
            self.add_up();
            self.most = COUNTED.max(2 * self.lines.len());
        }
    }

    fn add_up(&mut self) {
        self.lines.sort_unstable();
        self.lines.dedup_by(|next, kept| {
            let is_same = (kept.hash, kept.site) == (next.hash, next.site);
            kept.pages += if is_same { next.pages } else { 0 };
            is_same
        });
    }

    /// The lines of all documents.
    pub(crate) fn end(mut self) -> UnitLines {
        self.add_up();
        let lines = &self.lines;
        let column = |value: fn(&UnitLine) -> u32| lines.iter().map(value).collect();
        UnitLines {
            hashes: lines.iter().map(|line| line.hash).collect(),
            counts: LineCounts {
                site: column(|line| line.site),
                row: column(|line| line.place.row),
                offset: column(|line| line.place.offset),
                pages: column(|line| line.pages),
                sites: self.sites,
            },
        }
    }
}

impl UnitLines {
    /// The hash of each line, and the hash, the pages and the first place of each of its sites.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, u64, u32, PlaceInUnit)> {
        let UnitLines { hashes, counts } = self;
        hashes.iter().enumerate().map(|(number, &hash)| {
            let place = PlaceInUnit {
                row: counts.row[number],
                offset: counts.offset[number],
            };
            let site = counts.sites[counts.site[number] as usize];
            (hash, site, counts.pages[number], place)
        })
    }

    /// Hashes, which are not compressed, for they have no pattern; and the rest.
    pub(crate) fn to_bytes(&self) -> [Vec<u8>; 2] {
        let mut counts = Vec::new();
        pack(&self.counts, &mut counts);
        [
            self.hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect(),
            counts,
        ]
    }

    /// What [`UnitLines::to_bytes`] gave.
    ///
    /// # Errors
    /// It did not give these bytes.
    pub(crate) fn of_bytes([hashes, counts]: [&[u8]; 2]) -> Result<UnitLines, Error> {
        let (hashes, counts) = (numbers(hashes)?, unpack::<LineCounts>(&mut &*counts)?);
        let LineCounts {
            sites,
            site,
            row,
            offset,
            pages,
        } = &counts;
        let is_whole = [site, row, offset, pages]
            .iter()
            .all(|column| column.len() == hashes.len());
        match is_whole && site.iter().all(|&site| (site as usize) < sites.len()) {
            true => Ok(UnitLines { hashes, counts }),
            false => Err(Error::Damaged),
        }
    }
}

/// The lines of a text that are counted, each with the byte at which it begins: those with a letter.
fn counted_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut end = 0;
    let lines = text.split('\n').map(move |line| {
        let begin = end;
        end += line.len() + 1;
        (begin as u32, line)
    });
    lines.filter(|(_, line)| line.contains(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_counted_once_a_page_and_come_back(
            pages in prop::collection::vec((0..3usize, "([ab1]{0,2}\n){0,6}"), 0..30), most in 0..40usize,
        ) {
            let mut pages = pages;
            pages.sort_by_key(|(site, _)| *site);
            let name = |site: usize| format!("{site}.example");
            let mut counter = LineCounter { most, ..LineCounter::default() };
            let mut expected = BTreeMap::new();
            for (row, (site, text)) in pages.iter().enumerate() {
                counter.push(&name(*site), text);
                let lines: BTreeSet<&str> = text.split('\n').collect();
                for line in lines.into_iter().filter(|line| line.contains(char::is_alphabetic)) {
                    let begins = |at: usize| text[..at].is_empty() || text[..at].ends_with('\n');
                    let mut places = text.match_indices(line).map(|(at, _)| at).filter(|at| begins(*at));
                    let is_line = |at: &usize| text[at + line.len()..].starts_with('\n');
                    let place = PlaceInUnit { row: row as u32, offset: places.find(is_line).unwrap() as u32 };
                    let hash = line_hash(xxh3_128(line.as_bytes()));
                    let count = expected.entry((hash, xxh3_64(name(*site).as_bytes()))).or_insert((0, place));
                    count.0 += 1;
                }
            }
            let lines = counter.end();
            let [hashes, counts] = lines.to_bytes();
            let read = UnitLines::of_bytes([&hashes, &counts]).unwrap();
            prop_assert_eq!(&read, &lines);
            prop_assert!(read.hashes.is_sorted());
            let found: BTreeMap<_, _> =
                read.lines().map(|(hash, site, pages, place)| ((hash, site), (pages, place))).collect();
            prop_assert_eq!(found.len(), read.hashes.len());
            prop_assert_eq!(found, expected);
            prop_assert!(hashes.is_empty() || UnitLines::of_bytes([&hashes[8..], &counts]).is_err());
        }
    }
}
