//! What is read of the input, to sorted runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_corpus::page_url;
use gleaner_site::{PageKind, PageNotes};
use gleaner_template::page_key;

use crate::data::message::{End, Entry, EntryPlace, Extracted, Scored};
use crate::data::notes::{Note, Noted};
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::read::extract::{ExtractConfig, PageExtractor};
use crate::read::unit_reader::Read;
use crate::settings::Settings;
use crate::sorted_runs::{Layout, RunBuffer};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;
use crate::state::Durable;
use crate::state::parts::{Attempt, UnitRuns};
use crate::work::running::Running;

/// Bytes of pages and notes that are put in order at a time.
const RUN_BYTES: usize = 4 << 20;

/// Extracts and scores what a worker reads, and has it wait.
pub(crate) struct Collector {
    durable: Arc<Durable>,
    running: Arc<Running>,
    has_notes: bool,
    extractor: PageExtractor,
    /// Units that have begun and not ended. A worker reads one at a time, but what it has read of
    /// different parts may come here in another order.
    open: BTreeMap<Attempt, OpenUnit>,
}

/// A unit that is read.
#[derive(Debug, Default)]
struct OpenUnit {
    /// Pages and notes that are in no run yet.
    pages: RunBuffer,
    notes: RunBuffer,
    unit: UnitRuns,
}

impl Collector {
    pub(crate) fn new(settings: &Settings, durable: &Arc<Durable>, running: &Arc<Running>) -> Collector {
        Collector {
            durable: Arc::clone(durable),
            running: Arc::clone(running),
            has_notes: settings.site_sample.is_some(),
            extractor: PageExtractor::new(ExtractConfig::new(settings, running)),
            open: BTreeMap::new(),
        }
    }

    /// Takes the next entries of a unit. Gives what its part has to know: where units begin and end.
    ///
    /// All pages are parsed before the first is scored: each of the two has tables that fill the processor's
    /// caches, and page by page they would drive each other out.
    pub(crate) fn push(
        &mut self,
        entries: impl Iterator<Item = (EntryPlace, Read)>,
        mut give: impl FnMut((EntryPlace, Entry)),
    ) {
        let parsed: Vec<(EntryPlace, Parsed)> =
            entries.map(|(place, read)| (place, self.parse(read))).collect();
        for (place, parsed) in parsed {
            match self.take(place, parsed) {
                Ok(entry) => entry.into_iter().for_each(&mut give),
                Err(error) => return self.running.fail(error),
            }
        }
    }

    fn parse(&mut self, read: Read) -> Parsed {
        match read {
            Read::Entry(entry) => Parsed::Entry(entry),
            Read::Capture(capture) => match self.extractor.extract(*capture) {
                Ok(page) => Parsed::Page(Box::new(page)),
                Err(reject) => Parsed::Entry(Entry::Reject(reject)),
            },
        }
    }

    fn take(&mut self, place: EntryPlace, parsed: Parsed) -> Result<Option<(EntryPlace, Entry)>, Error> {
        let seam = |number: u32, entry| {
            Ok(Some((
                EntryPlace {
                    entry: number,
                    ..place
                },
                entry,
            )))
        };
        let attempt = (place.epoch, place.unit, place.attempt);
        let (waiting, notes) = match parsed {
            Parsed::Entry(Entry::Start(start)) => return seam(0, Entry::Start(start)),
            Parsed::Entry(Entry::End(mut end)) => {
                self.end(attempt, &mut end)?;
                return seam(1, Entry::End(end));
            }
            Parsed::Entry(Entry::Reject(reject)) => (StagedPage::Reject(reject), PageNotes::default()),
            Parsed::Page(page) => {
                let (scored, notes) = self.extractor.score(*page);
                (StagedPage::Page(Box::new(scored)), notes)
            }
        };
        let open = self.open.entry(attempt).or_default();
        open.push(&waiting, &notes, self.has_notes);
        self.extractor.take_back(notes);
        if open.pages.bytes() + open.notes.bytes() >= RUN_BYTES {
            self.write(attempt)?;
        }
        Ok(None)
    }

    fn end(&mut self, attempt: Attempt, end: &mut End) -> Result<(), Error> {
        self.write(attempt)?;
        let mut unit = self.open.remove(&attempt).unwrap_or_default().unit;
        unit.end = End {
            seam: None,
            pieces: std::mem::take(&mut end.pieces),
            ..end.clone()
        };
        self.durable.parts.collected(attempt, unit);
        Ok(())
    }

    /// Makes runs of what there is.
    fn write(&mut self, attempt: Attempt) -> Result<(), Error> {
        let file = self.durable.parts.units_of(attempt.0);
        let Some(open) = self.open.get_mut(&attempt) else {
            return Ok(());
        };
        let bytes = open.write(&self.durable.parts.staging, file)?;
        self.running.progress.watch.staged(bytes);
        Ok(())
    }
}

/// What was read, a page as its blocks.
enum Parsed {
    Page(Box<Extracted>),
    Entry(Entry),
}

impl OpenUnit {
    fn push(&mut self, waiting: &StagedPage, notes: &PageNotes, are_wanted: bool) {
        let key = waiting.key();
        self.pages.push(&key, |bytes| waiting.write(bytes));
        match waiting {
            // Nothing is noted of a page whose site is not known.
            StagedPage::Page(page) if are_wanted && !page.document.site.is_empty() => {
                self.notes
                    .push(&key, |bytes| Noted::write(&note(page), notes, bytes));
            }
            _ => {}
        }
    }

    /// Gives how many bytes it was.
    fn write(&mut self, staging: &Staging, file: StagedFile) -> Result<usize, Error> {
        let bytes = self.pages.bytes() + self.notes.bytes();
        if bytes > 0 {
            let pages = self.pages.run(staging, file, Layout::SHORT)?;
            self.unit
                .runs
                .push(pages, self.notes.run(staging, file, Layout::SHORT)?);
        }
        Ok(bytes)
    }
}

fn note(page: &Scored) -> Note<'_> {
    let document = &page.document;
    let kind = document.page_kind.as_deref().unwrap_or_default();
    Note {
        site: &document.site,
        url: page_key(&page_url(&document.url)),
        is_listing: PageKind::of(kind) == PageKind::Listing,
    }
}
