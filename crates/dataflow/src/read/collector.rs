//! What is read of the input, to sorted runs.

use std::sync::Arc;

use gleaner_corpus::{RejectRow, page_url};
use gleaner_site::{PageKind, PageNotes};
use gleaner_template::page_key;

use crate::data::message::{Extracted, Scored};
use crate::data::notes::{Note, Noted};
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::read::extract::PageExtractor;
use crate::read::unit_reader::Read;
use crate::settings::Settings;
use crate::sorted_runs::{Layout, RunBuffer};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;
use crate::state::waiting::PairedRuns;
use crate::work::running::Running;

/// Bytes of pages and notes that are put in order at a time.
const RUN_BYTES: usize = 4 << 20;

/// Extracts and scores what a worker reads, and has it wait.
pub(crate) struct Collector {
    staging: Arc<Staging>,
    has_notes: bool,
    extractor: PageExtractor,
    /// Pages and notes that are in no run yet.
    pages: RunBuffer,
    notes: RunBuffer,
    runs: PairedRuns,
}

impl Collector {
    pub(crate) fn new(settings: &Settings, staging: &Arc<Staging>, running: &Running) -> Collector {
        Collector {
            staging: Arc::clone(staging),
            has_notes: settings.site_sample.is_some(),
            extractor: PageExtractor::new(settings, running),
            pages: RunBuffer::default(),
            notes: RunBuffer::default(),
            runs: PairedRuns::default(),
        }
    }

    /// Takes the next of a unit. Gives how many bytes were put into a file.
    ///
    /// All pages are parsed before the first is scored: each of the two has tables that fill the processor's
    /// caches, and page by page they would drive each other out.
    pub(crate) fn push(
        &mut self,
        read: impl Iterator<Item = Read>,
        file: StagedFile,
    ) -> Result<usize, Error> {
        let parsed: Vec<Parsed> = read.map(|read| self.parse(read)).collect();
        let mut bytes = 0;
        for parsed in parsed {
            self.take(parsed);
            if self.pages.bytes() + self.notes.bytes() >= RUN_BYTES {
                bytes += self.write(file)?;
            }
        }
        Ok(bytes)
    }

    /// Ends a unit. Gives its runs, and how many bytes were put into a file.
    pub(crate) fn end(&mut self, file: StagedFile) -> Result<(PairedRuns, usize), Error> {
        let bytes = self.write(file)?;
        Ok((std::mem::take(&mut self.runs), bytes))
    }

    fn parse(&mut self, read: Read) -> Parsed {
        match read {
            Read::Reject(reject) => Parsed::Reject(reject),
            Read::Capture(capture) => match self.extractor.extract(*capture) {
                Ok(page) => Parsed::Page(Box::new(page)),
                Err(reject) => Parsed::Reject(reject),
            },
        }
    }

    fn take(&mut self, parsed: Parsed) {
        let (waiting, notes) = match parsed {
            Parsed::Reject(reject) => (StagedPage::Reject(reject), PageNotes::default()),
            Parsed::Page(page) => {
                let (scored, notes) = self.extractor.score(*page);
                (StagedPage::Page(Box::new(scored)), notes)
            }
        };
        let key = waiting.key();
        self.pages.push(&key, |bytes| waiting.write(bytes));
        match &waiting {
            // Nothing is noted of a page whose site is not known.
            StagedPage::Page(page) if self.has_notes && !page.document.site.is_empty() => {
                self.notes
                    .push(&key, |bytes| Noted::write(&note(page), &notes, bytes));
            }
            _ => {}
        }
        self.extractor.take_back(notes);
    }

    /// Makes runs of what there is.
    fn write(&mut self, file: StagedFile) -> Result<usize, Error> {
        let bytes = self.pages.bytes() + self.notes.bytes();
        if bytes > 0 {
            let pages = self.pages.run(&self.staging, file, Layout::SHORT)?;
            let notes = self.notes.run(&self.staging, file, Layout::SHORT)?;
            self.runs.push(pages, notes);
        }
        Ok(bytes)
    }
}

/// What was read, a page as its blocks.
enum Parsed {
    Page(Box<Extracted>),
    Reject(Box<RejectRow>),
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
