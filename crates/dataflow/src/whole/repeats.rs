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
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::peer::Peer;
use super::row_files::RowFiles;
use super::sorter::{Record, Sorted, Sorter};
use super::{NumberedPart, Units, Work, owner};
use crate::error::Error;
use crate::sorted_runs::begins_chunk;

/// On how many sites a line is at least.
pub const DEFAULT_REPEATS: u64 = 10;

/// Lines of a site that are counted before they are sent.
const COUNTED: usize = 1 << 16;

/// Gives a count to the worker that has the digest.
type GiveCount<'a> = &'a mut dyn FnMut(LineCount) -> Result<(), Error>;

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

/// A row, by its file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct FileRow(u32, RepeatRow);

impl Record for FileRow {
    fn heap(&self) -> usize {
        self.1.digest.len() + self.1.text.len()
    }
}

impl<U: Units> Work<U> {
    /// Writes the table: lines that stand on `least` sites or more. Gives the files of this worker.
    pub(super) fn write_repeats(&self, peer: &mut Peer<'_>, least: u64) -> Result<Vec<NumberedPart>, Error> {
        let counts = self.counts(peer)?;
        let repeats = self.repeats(peer, &counts, least)?;
        drop(counts);
        let starts = self.first_digests(peer, &repeats)?;
        let (index, peers) = (peer.index(), peer.count());
        let mut rows = Sorter::new(&self.room);
        peer.exchange(
            "lines",
            |give| {
                let mut repeats = repeats.read()?;
                self.each_own(index, peers, |unit| {
                    let mut of_unit = Vec::new();
                    while let Some(repeat) = repeats.next_if(|repeat| repeat.place.unit == unit)? {
                        of_unit.push(*repeat);
                    }
                    self.look_up(unit, &of_unit, |digest, row| {
                        let file = starts.partition_point(|start| *start <= digest) as u32;
                        give(owner(file.into(), peers), FileRow(file, row))
                    })
                })
            },
            |row| rows.push(row),
        )?;
        let mut files = RowFiles::new(&self.whole.corpus);
        rows.sorted()?.each(|FileRow(file, row)| files.push(*file, row))?;
        files.end()
    }

    /// The digests at which files begin, in order: all workers have all of them.
    fn first_digests(&self, peer: &mut Peer<'_>, repeats: &Sorted<'_, Repeat>) -> Result<Vec<u128>, Error> {
        let (mut starts, peers) = (Vec::new(), peer.count());
        peer.exchange(
            "first digests",
            |give| {
                repeats.each(|&Repeat { digest, .. }| {
                    match begins_chunk(&digest.to_be_bytes(), self.whole.chunk_size) {
                        true => (0..peers).try_for_each(|peer| give(peer, digest)),
                        false => Ok(()),
                    }
                })
            },
            |digest| {
                starts.push(digest);
                Ok(())
            },
        )?;
        starts.sort_unstable();
        Ok(starts)
    }

    /// The lines of all documents, at the workers that have their digests.
    fn counts(&self, peer: &mut Peer<'_>) -> Result<Sorted<'_, LineCount>, Error> {
        let (index, peers) = (peer.index(), peer.count());
        let mut counts = Sorter::new(&self.room);
        peer.exchange(
            "counts of lines",
            |give| {
                let give: GiveCount<'_> = &mut |count| give(owner(count.digest as u64, peers), count);
                self.each_own(index, peers, |unit| {
                    let mut lines = SiteLines::default();
                    self.whole.units.texts(unit, None, &mut |row, site, text| {
                        lines.begin(xxh3_64(site.as_bytes()), give)?;
                        lines.count(unit, row, text);
                        Ok(())
                    })?;
                    lines.end(give)
                })
            },
            |count| counts.push(count),
        )?;
        counts.sorted()
    }

    /// Lines that stand on enough sites, at the workers that read the units of their first places.
    fn repeats(
        &self,
        peer: &mut Peer<'_>,
        counts: &Sorted<'_, LineCount>,
        least: u64,
    ) -> Result<Sorted<'_, Repeat>, Error> {
        let (mut repeats, peers) = (Sorter::new(&self.room), peer.count());
        peer.exchange(
            "repeats",
            |give| {
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
                        give(owner(repeat.place.unit.into(), peers), repeat)?;
                    }
                }
                Ok(())
            },
            |repeat| repeats.push(repeat),
        )?;
        repeats.sorted()
    }

    /// Looks up lines of a unit, which come by place.
    fn look_up(
        &self,
        unit: u32,
        repeats: &[Repeat],
        mut take: impl FnMut(u128, RepeatRow) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut rows: Vec<u32> = repeats.iter().map(|repeat| repeat.place.row).collect();
        rows.dedup();
        if rows.is_empty() {
            return Ok(());
        }
        let mut repeats = repeats.iter().peekable();
        self.whole.units.texts(unit, Some(&rows), &mut |row, _, text| {
            while let Some(repeat) = repeats.next_if(|repeat| repeat.place.row == row) {
                take(repeat.digest, repeat.row(text)?)?;
            }
            Ok(())
        })?;
        repeats.next().map_or(Ok(()), |_| Err(Error::Damaged))
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

/// The lines of a site, as far as they have come. A page counts once.
#[derive(Default)]
struct SiteLines {
    site: u64,
    /// By digest: the pages, the last of them, and the first place.
    lines: FxHashMap<u128, (u32, u32, LinePlace)>,
}

impl SiteLines {
    /// A page of a site begins. Gives what is counted of the site before.
    fn begin(&mut self, site: u64, give: GiveCount<'_>) -> Result<(), Error> {
        if site != self.site || self.lines.len() >= COUNTED {
            self.end(give)?;
            self.site = site;
        }
        Ok(())
    }

    fn count(&mut self, unit: u32, row: u32, text: &str) {
        for (offset, line) in counted_lines(text) {
            let place = LinePlace { unit, row, offset };
            let (pages, last, _) = (self.lines.entry(xxh3_128(line.as_bytes()))).or_insert((1, row, place));
            *pages += u32::from(*last != row);
            *last = row;
        }
    }

    fn end(&mut self, give: GiveCount<'_>) -> Result<(), Error> {
        let site = self.site;
        self.lines.drain().try_for_each(|(digest, (pages, _, place))| {
            give(LineCount {
                digest,
                site,
                place,
                pages,
            })
        })
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
