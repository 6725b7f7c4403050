//! The table of sites: what units have for them, added up. The row of a site stands in the chunk of its first page.

use gleaner_corpus::{LanguagePages, SiteRow};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::peer::Peer;
use super::row_files::RowFiles;
use super::sorter::{Record, Sorter};
use super::{NumberedPart, Units, Work, file_of, owner};
use crate::data::key::surt_of;
use crate::data::sites::SiteSum;
use crate::error::Error;

impl Record for SiteSum {
    fn heap(&self) -> usize {
        self.site.len() + self.language.as_ref().map_or(0, String::len) + self.first.len()
    }

    fn join(&mut self, next: &SiteSum) -> bool {
        let is_same = self.site == next.site && self.language == next.language;
        if is_same {
            self.counts.add(&next.counts);
        }
        is_same
    }
}

/// The row of a site, by file and first page.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct PlacedRow {
    file: u32,
    first: Vec<u8>,
    row: SiteRow,
}

impl Record for PlacedRow {
    fn heap(&self) -> usize {
        self.first.len() + self.row.site.len() + 32 * self.row.languages.len()
    }
}

impl<U: Units> Work<U> {
    /// Writes the table. Gives the files of this worker.
    pub(super) fn write_sites(&self, peer: &mut Peer<'_>) -> Result<Vec<NumberedPart>, Error> {
        let (index, peers) = (peer.index(), peer.count());
        let mut sums = Sorter::new(&self.room);
        peer.exchange(
            "sums of sites",
            |give| {
                self.each_own(index, peers, |unit| {
                    let sums = self.whole.units.sites(unit)?;
                    let owner = |sum: &SiteSum| owner(xxh3_64(sum.site.as_bytes()), peers);
                    sums.into_iter().try_for_each(|sum| give(owner(&sum), sum))
                })
            },
            |sum| sums.push(sum),
        )?;
        let (sums, mut rows) = (sums.sorted()?, Sorter::new(&self.room));
        let starts = self.starts(self.whole.chunk_size);
        peer.exchange(
            "sites",
            |give| {
                let mut sums = sums.read()?;
                while let Some(sum) = sums.next()? {
                    let mut site = PlacedRow::of(sum);
                    while let Some(sum) = sums.next_if(|sum| sum.site == site.row.site)? {
                        site.add(sum);
                    }
                    site.file = file_of(&starts, surt_of(&site.first));
                    give(owner(site.file.into(), peers), site)?;
                }
                Ok(())
            },
            |row| rows.push(row),
        )?;
        let mut files = RowFiles::new(&self.whole.corpus);
        rows.sorted()?.each(|row| files.push(row.file, &row.row))?;
        files.end()
    }
}

impl PlacedRow {
    fn of(sum: &SiteSum) -> PlacedRow {
        let mut row = PlacedRow {
            first: sum.first.clone(),
            ..PlacedRow::default()
        };
        row.row.site.clone_from(&sum.site);
        row.add(sum);
        row
    }

    /// Adds the next language of the site.
    fn add(&mut self, sum: &SiteSum) {
        let SiteSum {
            language,
            first,
            counts,
            ..
        } = sum;
        if *first < self.first {
            self.first.clone_from(first);
        }
        self.row.pages += counts.pages;
        self.row.kept_words += counts.kept_words;
        self.row.dropped_words += counts.dropped_words;
        self.row.template_words += counts.template_words;
        let language = language.clone().map(|language| LanguagePages {
            language,
            pages: counts.pages,
        });
        self.row.languages.extend(language);
    }
}
