//! The table of sites: what units have for them, added up. The row of a site stands in the chunk of its first page.

use gleaner_corpus::{LanguagePages, SiteRow};
use xxhash_rust::xxh3::xxh3_64;

use super::Units;
use super::sorter::Record;
use super::step::{NumberedPart, Step, file_of};
use crate::data::key::surt_of;
use crate::data::sites::SiteSum;
use crate::error::Error;

impl Record for SiteSum {
    fn join(&mut self, next: &SiteSum) -> bool {
        let is_same = self.site == next.site && self.language == next.language;
        if is_same {
            self.counts.add(&next.counts);
        }
        is_same
    }
}

impl<U: Units> Step<'_, U> {
    /// Writes the table. Gives the files of this worker.
    pub(super) fn write_sites(&self) -> Result<Vec<NumberedPart>, Error> {
        let sums = self.peer.sorted("sums of sites", |give| {
            self.each_unit(|unit| {
                let mut sums = self.whole.units.sites(unit)?.into_iter();
                sums.try_for_each(|sum| give(xxh3_64(sum.site.as_bytes()), sum))
            })
        })?;
        let starts = self.starts(self.whole.chunk_size);
        self.write_rows("sites", |give| {
            let mut sums = sums.read()?;
            while let Some(sum) = sums.next()? {
                let (mut first, mut row) = (sum.first.clone(), SiteRow::default());
                row.site.clone_from(&sum.site);
                add(&mut row, sum);
                while let Some(sum) = sums.next_if(|sum| sum.site == row.site)? {
                    first = first.min(sum.first.clone());
                    add(&mut row, sum);
                }
                give(file_of(&starts, surt_of(&first)), first, row)?;
            }
            Ok(())
        })
    }
}

/// Adds the next language of a site.
fn add(row: &mut SiteRow, SiteSum { language, counts, .. }: &SiteSum) {
    row.pages += counts.pages;
    row.kept_words += counts.kept_words;
    row.dropped_words += counts.dropped_words;
    row.template_words += counts.template_words;
    let language = language.clone().map(|language| LanguagePages {
        language,
        pages: counts.pages,
    });
    row.languages.extend(language);
}
