//! The table of sites: what units have for them, added up. The row of a site stands in the chunk of its first page.

use gleaner_corpus::{LanguagePages, SiteRow};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::Units;
use super::sorter::Record;
use super::step::{NumberedPart, Step, file_of};
use crate::data::key::{crawl_of, prefix_of, surt_of};
use crate::data::sites::SiteSum;
use crate::error::Error;

/// What some documents of a crawl add to their site.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct CrawlSum {
    /// How the keys of the crawl begin.
    crawl: Vec<u8>,
    sum: SiteSum,
}

impl CrawlSum {
    fn site(&self) -> (&[u8], &str) {
        (&self.crawl, &self.sum.site)
    }
}

impl Record for CrawlSum {
    fn join(&mut self, next: &CrawlSum) -> bool {
        let is_same = self.site() == next.site() && self.sum.language == next.sum.language;
        if is_same {
            self.sum.counts.add(&next.sum.counts);
        }
        is_same
    }
}

impl<U: Units> Step<'_, U> {
    /// Writes the table. Gives the files of this worker.
    pub(super) fn write_sites(&self) -> Result<Vec<NumberedPart>, Error> {
        let is_labelled = self.whole.corpus.is_labelled();
        let sums = self.peer.sorted("sums of sites", |give| {
            self.each_unit(|unit| {
                let mut sums = self.whole.units.sites(unit)?.into_iter();
                sums.try_for_each(|sum| {
                    let crawl = prefix_of(&sum.first, is_labelled).to_vec();
                    give(xxh3_64(sum.site.as_bytes()), CrawlSum { crawl, sum })
                })
            })
        })?;
        let starts = self.starts(self.whole.chunk_size);
        let crawl = |file: u32| crawl_of(prefix_of(starts[file as usize], is_labelled));
        self.write_rows("sites", crawl, |give| {
            let mut sums = sums.read()?;
            while let Some(sum) = sums.next()?.cloned() {
                let (mut first, mut row) = (sum.sum.first.clone(), SiteRow::default());
                row.site.clone_from(&sum.sum.site);
                add(&mut row, &sum.sum);
                while let Some(next) = sums.next_if(|next| next.site() == sum.site())? {
                    first = first.min(next.sum.first.clone());
                    add(&mut row, &next.sum);
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
    row.languages.push(LanguagePages {
        language: language.clone(),
        pages: counts.pages,
    });
}
