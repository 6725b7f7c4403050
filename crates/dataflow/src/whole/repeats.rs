//! Lines that stand on many sites.
//!
//! In: the lines of each unit, counted by site when it was labelled. Out: the table repeats, with a row for each line that stands on
//! as many sites as are asked for, or more.
//!
//! Counts are added up by the worker that has the hash of a line. Lines that stand on enough sites are looked up in the first text
//! that has them.
//!
//! Hashes of lines and of sites have 64 bits: two that share one count as one.

use gleaner_corpus::RepeatRow;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::Units;
use super::frequent::Frequent;
use super::sorter::{Record, Sorted};
use super::step::{NumberedPart, Step};
use crate::data::unit_lines::{PlaceInUnit, line_hash};
use crate::error::Error;
use crate::sorted_runs::begins_file;

/// On how many sites a line is at least.
pub const DEFAULT_REPEATS: u64 = 10;

/// About the lines of a page that its unit counts.
const LINES: u64 = 16;

/// Where a line stands: its unit, and the place there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct LinePlace {
    unit: u32,
    in_unit: PlaceInUnit,
}

/// On how many pages of a site a line is, and its first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct LineCount {
    hash: u64,
    /// A hash of the name of the site.
    site: u64,
    place: LinePlace,
    pages: u32,
}

impl Record for LineCount {
    fn join(&mut self, next: &LineCount) -> bool {
        let is_same = (self.hash, self.site) == (next.hash, next.site);
        self.pages += if is_same { next.pages } else { 0 };
        is_same
    }
}

/// A line that stands on enough sites, by its first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Repeat {
    place: LinePlace,
    hash: u64,
    sites: u64,
    pages: u64,
}

impl Record for Repeat {}

/// The lines of some documents that stand on `least` sites or more.
pub(crate) fn frequent_lines(least: u64, documents: u64) -> Frequent {
    Frequent {
        least,
        all: documents * LINES,
    }
}

impl<U: Units> Step<'_, U> {
    /// Writes the table: lines that stand on `least` sites or more. Gives the files of this worker.
    pub(super) fn write_repeats(&self, least: u64) -> Result<Vec<NumberedPart>, Error> {
        let repeats = self.repeats(self.counts(least)?, least)?;
        let starts = self.first_hashes(&repeats)?;
        self.write_rows(
            "lines",
            |_| None,
            |give| {
                let (mut repeats, mut ahead) = (repeats.read()?, repeats.read()?);
                self.each_unit(|unit| {
                    let mut rows = Vec::new();
                    while let Some(repeat) = ahead.next_if(|repeat| repeat.place.unit == unit)? {
                        if rows.last() != Some(&repeat.place.in_unit.row) {
                            rows.push(repeat.place.in_unit.row);
                        }
                    }
                    if rows.is_empty() {
                        return Ok(());
                    }
                    self.whole.units.texts(unit, &rows, &mut |row, text| {
                        let is_here =
                            |repeat: &Repeat| (repeat.place.unit, repeat.place.in_unit.row) == (unit, row);
                        while let Some(repeat) = repeats.next_if(is_here)? {
                            let file = starts.partition_point(|start| *start <= repeat.hash);
                            // The order of rows is that of their digests.
                            give(file as u32, (), repeat.row(text)?)?;
                        }
                        Ok(())
                    })?;
                    match repeats.peek().is_some_and(|repeat| repeat.place.unit == unit) {
                        true => Err(Error::Damaged),
                        false => Ok(()),
                    }
                })
            },
        )
    }

    /// The counts of lines, at the workers that have their hashes: of all that stand on enough sites, and of some others.
    fn counts(&self, least: u64) -> Result<Sorted<'_, LineCount>, Error> {
        let units = &self.whole.units;
        let frequent = frequent_lines(least, units.records());
        frequent.sorted(
            &self.peer,
            "counts of lines",
            |count: &LineCount| count.hash,
            |give| self.each_unit(|unit| units.line_hashes(unit)?.into_iter().try_for_each(&mut *give)),
            |give| {
                self.each_unit(|unit| {
                    let lines = units.lines(unit)?;
                    lines.lines().try_for_each(|(hash, site, pages, in_unit)| {
                        give(LineCount {
                            hash,
                            site,
                            place: LinePlace { unit, in_unit },
                            pages,
                        })
                    })
                })
            },
        )
    }

    /// Lines that stand on enough sites, at the workers that read the units of their first places.
    fn repeats(&self, counts: Sorted<'_, LineCount>, least: u64) -> Result<Sorted<'_, Repeat>, Error> {
        self.peer.sorted("repeats", |give| {
            let mut counts = counts.read()?;
            while let Some(&LineCount {
                hash, place, pages, ..
            }) = counts.next()?
            {
                let mut repeat = Repeat {
                    place,
                    hash,
                    sites: 1,
                    pages: pages.into(),
                };
                while let Some(count) = counts.next_if(|count| count.hash == hash)? {
                    repeat.place = repeat.place.min(count.place);
                    repeat.sites += 1;
                    repeat.pages += u64::from(count.pages);
                }
                if repeat.sites >= least {
                    give(repeat.place.unit.into(), repeat)?;
                }
            }
            Ok(())
        })
    }

    /// The hashes at which files begin, in order: all workers have all of them.
    fn first_hashes(&self, repeats: &Sorted<'_, Repeat>) -> Result<Vec<u64>, Error> {
        let is_first = |hash: u64| begins_file(&hash.to_be_bytes(), self.whole.chunk_size);
        let mut starts = self.peer.all("first hashes", |give| {
            repeats.each(|repeat| match is_first(repeat.hash) {
                true => give(repeat.hash),
                false => Ok(()),
            })
        })?;
        starts.sort_unstable();
        Ok(starts)
    }
}

impl Repeat {
    /// The row, from the text that has the line.
    fn row(&self, text: &str) -> Result<RepeatRow, Error> {
        let rest = text.get(self.place.in_unit.offset as usize..);
        let line = rest.ok_or(Error::Damaged)?.split('\n').next().unwrap_or_default();
        let digest = xxh3_128(line.as_bytes());
        match line_hash(digest) == self.hash {
            true => Ok(RepeatRow {
                digest: format!("{digest:032x}"),
                sites: self.sites,
                pages: self.pages,
                text: line.to_owned(),
            }),
            false => Err(Error::Damaged),
        }
    }
}
