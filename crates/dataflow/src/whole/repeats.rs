//! Lines that stand on many sites.
//!
//! In: the kept text of each document. Out: the table repeats, with a row for each line that stands on as many sites as are asked
//! for, or more.
//!
//! Lines are counted by site where texts are read, and added up by the worker that has their digest. Those that stand on enough
//! sites are looked up in the first text that has them.
//!
//! Hashes of sites have 64 bits: two sites that share one count as one.

use gleaner_corpus::RepeatRow;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::Units;
use super::peer::Give;
use super::sorter::{Record, Sorted};
use super::step::{NumberedPart, Step};
use crate::error::Error;
use crate::sorted_runs::begins_file;

/// On how many sites a line is at least.
pub const DEFAULT_REPEATS: u64 = 10;

/// Lines that are counted before they are sent.
const COUNTED: usize = 1 << 16;

/// Where a line stands: the unit and the row of its document, and the byte of the text at which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct LinePlace {
    unit: u32,
    row: u32,
    offset: u32,
}

/// On how many pages of a site a line is, and its first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct LineCount {
    digest: u128,
    /// A hash of the name of the site.
    site: u64,
    place: LinePlace,
    pages: u32,
}

impl Record for LineCount {
    fn join(&mut self, next: &LineCount) -> bool {
        let is_same = (self.digest, self.site) == (next.digest, next.site);
        self.pages += if is_same { next.pages } else { 0 };
        is_same
    }
}

/// A line that stands on enough sites, by its first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Repeat {
    place: LinePlace,
    digest: u128,
    sites: u64,
    pages: u64,
}

impl Record for Repeat {}

impl<U: Units> Step<'_, U> {
    /// Writes the table: lines that stand on `least` sites or more. Gives the files of this worker.
    pub(super) fn write_repeats(&self, least: u64) -> Result<Vec<NumberedPart>, Error> {
        let repeats = self.repeats(self.counts()?, least)?;
        let starts = self.first_digests(&repeats)?;
        self.write_rows(
            "lines",
            |_| None,
            |give| {
                let (mut repeats, mut ahead) = (repeats.read()?, repeats.read()?);
                self.each_unit(|unit| {
                    let mut rows = Vec::new();
                    while let Some(repeat) = ahead.next_if(|repeat| repeat.place.unit == unit)? {
                        if rows.last() != Some(&repeat.place.row) {
                            rows.push(repeat.place.row);
                        }
                    }
                    if rows.is_empty() {
                        return Ok(());
                    }
                    self.whole.units.texts(unit, Some(&rows), &mut |row, _, text| {
                        let is_here = |repeat: &Repeat| (repeat.place.unit, repeat.place.row) == (unit, row);
                        while let Some(repeat) = repeats.next_if(is_here)? {
                            let file = starts.partition_point(|start| *start <= repeat.digest);
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

    /// The lines of all documents, at the workers that have their digests.
    fn counts(&self) -> Result<Sorted<'_, LineCount>, Error> {
        self.peer.sorted("counts of lines", |give| {
            self.each_unit(|unit| {
                let mut lines = Vec::new();
                self.whole.units.texts(unit, None, &mut |row, site, text| {
                    let site = xxh3_64(site.as_bytes());
                    lines.extend(counted_lines(text).map(|(offset, line)| LineCount {
                        digest: xxh3_128(line.as_bytes()),
                        site,
                        place: LinePlace { unit, row, offset },
                        pages: 1,
                    }));
                    match lines.len() >= COUNTED {
                        true => give_counts(&mut lines, give),
                        false => Ok(()),
                    }
                })?;
                give_counts(&mut lines, give)
            })
        })
    }

    /// Lines that stand on enough sites, at the workers that read the units of their first places.
    fn repeats(&self, counts: Sorted<'_, LineCount>, least: u64) -> Result<Sorted<'_, Repeat>, Error> {
        self.peer.sorted("repeats", |give| {
            let mut counts = counts.read()?;
            while let Some(&LineCount {
                digest, place, pages, ..
            }) = counts.next()?
            {
                let mut repeat = Repeat {
                    place,
                    digest,
                    sites: 1,
                    pages: pages.into(),
                };
                while let Some(count) = counts.next_if(|count| count.digest == digest)? {
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

    /// The digests at which files begin, in order: all workers have all of them.
    fn first_digests(&self, repeats: &Sorted<'_, Repeat>) -> Result<Vec<u128>, Error> {
        let is_first = |digest: u128| begins_file(&digest.to_be_bytes(), self.whole.chunk_size);
        let mut starts = self.peer.all("first digests", |give| {
            repeats.each(|repeat| match is_first(repeat.digest) {
                true => give(repeat.digest),
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
        let rest = text.get(self.place.offset as usize..).ok_or(Error::Damaged)?;
        let line = rest.split('\n').next().unwrap_or_default();
        match xxh3_128(line.as_bytes()) == self.digest {
            true => Ok(RepeatRow {
                digest: format!("{:032x}", self.digest),
                sites: self.sites,
                pages: self.pages,
                text: line.to_owned(),
            }),
            false => Err(Error::Damaged),
        }
    }
}

/// Gives the lines of some pages of a unit, added up. A line counts once a page.
fn give_counts(lines: &mut Vec<LineCount>, give: Give<'_, LineCount>) -> Result<(), Error> {
    lines.sort_unstable();
    lines.dedup_by_key(|line| (line.digest, line.place.row));
    lines.dedup_by(|next, kept| kept.join(next));
    let mut lines = lines.drain(..);
    lines.try_for_each(|line| give(line.digest as u64, line))
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
