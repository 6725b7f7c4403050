//! The last step, as a worker takes part in it.

use gleaner_corpus::{Crawl, Part, Row};
use serde::{Deserialize, Serialize};

use super::peer::Peer;
use super::sorter::{Record, Sent};
use super::{Counts, Units, Whole, Written};
use crate::data::key::begins_crawl;
use crate::error::Error;
use crate::sorted_runs::begins_chunk;

/// A worker, and what all work on.
pub(super) struct Step<'a, U> {
    pub(super) whole: &'a Whole<U>,
    pub(super) peer: Peer<'a>,
}

/// A file that a worker has written, with its number in the table.
pub(super) type NumberedPart = (u32, Part);

/// A row, by its file and its place there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct PlacedRow<P, R> {
    file: u32,
    place: P,
    row: R,
}

impl<P: Ord + Sent, R: Ord + Sent> Record for PlacedRow<P, R> {}

/// Gives a row, by its file and its place there, to the worker that writes the file.
type GiveRow<'a, P, R> = &'a mut dyn FnMut(u32, P, R) -> Result<(), Error>;

impl<U: Units> Step<'_, U> {
    /// Writes all tables. Gives the first worker the files of all.
    pub(super) fn write(&self) -> Result<Option<Written>, Error> {
        let sites = self.write_sites()?;
        let (duplicates, counts) = match &self.whole.duplicates {
            Some(config) => self.write_duplicates(config)?,
            None => Default::default(),
        };
        let repeats = match self.whole.repeats {
            Some(least) => self.write_repeats(least)?,
            None => Vec::new(),
        };
        self.gather([sites, duplicates, repeats], counts)
    }

    /// Works on the units of this worker, one after the other.
    pub(super) fn each_unit(&self, mut work: impl FnMut(u32) -> Result<(), Error>) -> Result<(), Error> {
        let all = 0..self.whole.units.count();
        let mut own = all.skip(self.peer.index).step_by(self.peer.count);
        own.try_for_each(|unit| {
            work(unit)?;
            (self.whole.step)();
            Ok(())
        })
    }

    /// Writes rows that workers give to each other by file. Gives the files of this worker.
    /// `crawl` is that of a file, for tables whose files are of crawls.
    pub(super) fn write_rows<P: Ord + Sent, R: Row + Ord + Sent>(
        &self,
        name: &str,
        crawl: impl Fn(u32) -> Option<Crawl>,
        give: impl FnOnce(GiveRow<'_, P, R>) -> Result<(), Error>,
    ) -> Result<Vec<NumberedPart>, Error> {
        let rows = self.peer.sorted(name, |to_file| {
            give(&mut |file, place, row| to_file(file.into(), PlacedRow { file, place, row }))
        })?;
        let (mut rows, mut files) = (rows.read()?, Vec::new());
        while let Some(first) = rows.next()? {
            let number = first.file;
            let mut table = self.whole.corpus.table(crawl(number).as_ref(), number)?;
            table.push(&first.row)?;
            while let Some(next) = rows.next_if(|next| next.file == number)? {
                table.push(&next.row)?;
            }
            files.push((number, table.finish()?.wait()?));
        }
        Ok(files)
    }

    /// The first SURTs of files of this number of pages, on the average: files begin where units do, and each crawl begins a file.
    pub(super) fn starts(&self, pages: u64) -> Vec<&[u8]> {
        let units = &self.whole.units;
        let starts = (0..units.count()).map(|unit| units.start(unit));
        let is_cut = |start: &&[u8]| begins_crawl(start) || begins_chunk(start, pages);
        starts.filter(is_cut).collect()
    }

    /// Gives the first worker what all have written.
    fn gather(&self, files: [Vec<NumberedPart>; 3], counts: Counts) -> Result<Option<Written>, Error> {
        let (mut all, mut total) = ([const { Vec::new() }; 3], Counts::default());
        self.peer.exchange(
            "files",
            |give| give(0, (files, counts)),
            |(files, counts): ([Vec<NumberedPart>; 3], Counts)| {
                all.iter_mut()
                    .zip(files)
                    .for_each(|(all, files)| all.extend(files));
                total.add(counts);
                Ok(())
            },
        )?;
        let [sites, duplicates, repeats] = all.map(|mut files| {
            files.sort_by_key(|(number, _)| *number);
            files.into_iter().map(|(_, file)| file).collect()
        });
        Ok((self.peer.index == 0).then_some(Written {
            sites,
            duplicates,
            repeats,
            counts: total,
        }))
    }
}

/// The number of the file in which a SURT is, by the first SURTs of files.
pub(super) fn file_of(starts: &[&[u8]], surt: &[u8]) -> u32 {
    starts.partition_point(|start| *start <= surt).saturating_sub(1) as u32
}
