//! A sample of the units of a corpus, to be built again from the archives and compared with what the corpus has.
//!
//! The rows of a unit follow from its captures and from the notes of all pages of its sites. So the captures of a sample are those of
//! its units, those of their sites with their files about rights, and the first URL behind each unit: the second build then cuts where
//! the corpus was cut.
//! [`UnitSample::captures`] are these, for [`BuildConfig::only`](crate::BuildConfig::only); [`UnitSample::archives`] are the archives that have some.
//!
//! The cost: the archives are unpacked and their records parsed, and of the captures those of the sample are scored and labelled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gleaner_corpus::{Arguments, DifferentRow, RowGroups, RowsOf, compare_rows};
use gleaner_store::Output;
use xxhash_rust::xxh3::xxh3_64;

use crate::change::base::{Base, BaseUnit};
use crate::change::removal::{ArchiveName, add_site};
use crate::data::key::{
    CRAWL_END, KeyParts, KeyRange, SiteOf, after, prefix_of, site_files_before, without_crawl,
};
use crate::data::page_tables::{OfTables, PAGE_TABLES};
use crate::error::Error;
use crate::plan::capture_ranges::CaptureRanges;
use crate::sorted_runs::{Merge, Runs};
use crate::staging::Staging;

/// Some units of a corpus, and what has to be read to build them again.
pub struct UnitSample {
    output: Output,
    base: Base,
    is_labelled: bool,
    /// The numbers of the units.
    units: BTreeSet<usize>,
    captures: CaptureRanges,
    archives: BTreeSet<ArchiveName>,
}

/// What the comparison of a sample has come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparedUnits {
    /// Rows of the corpus that were compared, by table.
    pub rows: BTreeMap<&'static str, u64>,
    /// How many rows differ.
    pub different: u64,
    /// The first of them.
    pub differences: Vec<DifferentRow>,
}

impl UnitSample {
    /// Chooses units: those with the smallest hashes of where they begin, or all. `arguments` are those of the corpus. Waits for the
    /// store.
    ///
    /// # Errors
    /// The state of the corpus cannot be read.
    pub fn choose(
        output: &Output,
        arguments: &Arguments,
        is_labelled: bool,
        site: SiteOf,
        most: Option<usize>,
    ) -> Result<UnitSample, Error> {
        let base = Base::read(output, arguments)?;
        let mut units: Vec<usize> = (0..base.units.len()).collect();
        units.sort_by_key(|&unit| xxh3_64(&base.units[unit].keys.start));
        units.truncate(most.unwrap_or(usize::MAX));
        let mut sample = UnitSample {
            output: output.clone(),
            base,
            is_labelled,
            units: units.into_iter().collect(),
            captures: CaptureRanges::default(),
            archives: BTreeSet::new(),
        };
        let staging = Arc::new(Staging::new(output));
        let runs = sample
            .base
            .runs()
            .map(|run| Runs::new(&staging, vec![Arc::new(run)]));
        sample.captures = sample.captures_of_units(&runs[1], site)?;
        sample.archives = sample.archives_of_captures(&runs[0])?;
        Ok(sample)
    }

    /// How many units it has.
    pub fn units(&self) -> usize {
        self.units.len()
    }

    /// How many units the corpus has.
    pub fn all_units(&self) -> usize {
        self.base.units.len()
    }

    /// The captures that the rows of the units follow from.
    pub fn captures(&self) -> &CaptureRanges {
        &self.captures
    }

    /// The archives that have these captures, as the state of the corpus says: the name of the crawl, which is empty if that has
    /// none, and their own.
    pub fn archives(&self) -> &BTreeSet<(String, String)> {
        &self.archives
    }

    fn captures_of_units(&self, notes: &Runs, site: SiteOf) -> Result<CaptureRanges, Error> {
        let mut ranges = Vec::new();
        for &unit in &self.units {
            let keys = &self.base.units[unit].keys;
            ranges.push(keys.clone());
            if let Some(next) = self
                .base
                .units
                .get(unit + 1)
                .filter(|next| next.keys.start == keys.end)
            {
                ranges.push(next.keys.start.clone()..[&*next.keys.start, &[CRAWL_END]].concat());
            }
            ranges.extend(site_files_before(&keys.start));
            let mut notes = Merge::new(notes, &keys.start, &keys.end)?;
            while let Some(note) = notes.next()? {
                add_site(&mut ranges, note.key, note.value, site)?;
            }
        }
        Ok(CaptureRanges::new(ranges))
    }

    fn archives_of_captures(&self, pages: &Runs) -> Result<BTreeSet<ArchiveName>, Error> {
        let mut archives = BTreeSet::new();
        for keys in self.captures.ranges() {
            let mut pages = Merge::new(pages, &keys.start, &keys.end)?;
            while let Some(page) = pages.next()? {
                let parts = KeyParts::of(page.key, self.is_labelled).ok_or(Error::Damaged)?;
                archives.insert((
                    parts.crawl.unwrap_or_default().to_owned(),
                    parts.archive.to_owned(),
                ));
            }
        }
        Ok(archives)
    }

    /// Compares the rows of the units in the tables of pages with those of a corpus that was built from [`UnitSample::captures`]. Keeps the
    /// first `most` of those that differ. Waits for the store.
    ///
    /// # Errors
    /// One of the corpora cannot be read.
    pub fn compare(
        &self,
        rebuilt: &Output,
        arguments: &Arguments,
        most: usize,
    ) -> Result<ComparedUnits, Error> {
        let other = Base::read(rebuilt, arguments)?;
        let mut compared = ComparedUnits::default();
        for &unit in &self.units {
            let unit = &self.base.units[unit];
            let old = row_groups(&self.base, std::slice::from_ref(unit));
            let new = row_groups(&other, &other.units[other.units_of(&unit.keys)]);
            let surts = self.surts(&unit.keys);
            for (table, (old, new)) in PAGE_TABLES.iter().zip(old.iter().zip(&new)) {
                let pair = [(&self.output, old), (rebuilt, new)];
                let pair = pair.map(|(output, groups)| RowsOf { output, groups });
                let rows = compare_rows(table, pair, &surts, &mut |row| {
                    compared.different += 1;
                    if compared.differences.len() < most {
                        compared.differences.push(row);
                    }
                })?;
                *compared.rows.entry(table.name).or_default() += rows;
            }
        }
        Ok(compared)
    }

    /// The SURTs of keys, without the name of the crawl; the last unit of a crawl has no end.
    fn surts(&self, keys: &KeyRange) -> KeyRange {
        let is_last = keys.end == after(prefix_of(&keys.start, self.is_labelled));
        let end = if is_last {
            &[][..]
        } else {
            without_crawl(&keys.end)
        };
        without_crawl(&keys.start).to_vec()..end.to_vec()
    }
}

/// The row groups of units in each table of pages.
fn row_groups(base: &Base, units: &[BaseUnit]) -> OfTables<Vec<RowGroups>> {
    let mut of_tables: OfTables<Vec<RowGroups>> = Default::default();
    for BaseUnit { place, .. } in units {
        let chunk = &base.chunks[place.chunk];
        let of_unit = chunk.groups_of(place.unit).into_iter();
        for ((table, groups), all) in PAGE_TABLES.iter().zip(of_unit).zip(&mut of_tables) {
            all.extend(chunk.file(table).map(|file| RowGroups {
                file: file.clone(),
                groups: groups.clone(),
            }));
        }
    }
    of_tables
}
