//! What is read of the input, to sorted runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_corpus::{DocumentRow, RejectRow, RuleCapture, page_url};
use gleaner_site::{PageKind, PageNotes};
use gleaner_template::page_key;

use crate::data::key;
use crate::data::message::{Extracted, Scored};
use crate::data::notes::{Note, Noted};
use crate::data::site_file::SiteFile;
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::plan::input::Input;
use crate::read::extract::PageExtractor;
use crate::read::unit_reader::{Read, WhatIsRead};
use crate::rules::{Fate, ReadRules};
use crate::settings::Settings;
use crate::sorted_runs::{Layout, RunBuffer};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;
use crate::state::waiting::PairedRuns;
use crate::work::running::Running;

/// Bytes of pages and notes that are put in order at a time.
const RUN_BYTES: usize = 4 << 20;

/// The SURT of what has no URL.
const NO_URL: &str = "))";

/// Extracts and scores what a worker reads, and has it wait.
pub(crate) struct Collector {
    staging: Arc<Staging>,
    input: Arc<Input>,
    has_notes: bool,
    extractor: PageExtractor,
    /// Pages and notes that are in no run yet.
    pages: RunBuffer,
    notes: RunBuffer,
    runs: PairedRuns,
    /// What rules leave out of the shards of the unit, by shard and rule.
    left_out: BTreeMap<usize, BTreeMap<String, u64>>,
}

/// A unit whose captures are all taken.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) runs: PairedRuns,
    /// Bytes that were put into a file at its end.
    pub(crate) bytes: usize,
    /// What rules leave out, by shard and rule.
    pub(crate) left_out: BTreeMap<usize, BTreeMap<String, u64>>,
}

impl Collector {
    pub(crate) fn new(
        input: &Arc<Input>,
        settings: &Settings,
        staging: &Arc<Staging>,
        running: &Running,
    ) -> Collector {
        Collector {
            staging: Arc::clone(staging),
            input: Arc::clone(input),
            has_notes: settings.site_sample.is_some(),
            extractor: PageExtractor::new(settings, running),
            pages: RunBuffer::default(),
            notes: RunBuffer::default(),
            runs: PairedRuns::default(),
            left_out: BTreeMap::new(),
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
        let parsed: Vec<(usize, Parsed, Option<Box<SiteFile>>)> =
            read.filter_map(|read| self.parse(read)).collect();
        let mut bytes = 0;
        for (shard, parsed, site_file) in parsed {
            self.take(shard, parsed, site_file);
            if self.pages.bytes() + self.notes.bytes() >= RUN_BYTES {
                bytes += self.write(file)?;
            }
        }
        Ok(bytes)
    }

    /// Ends a unit.
    pub(crate) fn end(&mut self, file: StagedFile) -> Result<Collected, Error> {
        Ok(Collected {
            bytes: self.write(file)?,
            runs: std::mem::take(&mut self.runs),
            left_out: std::mem::take(&mut self.left_out),
        })
    }

    /// Parses what was read, unless a rule leaves it out, or it is in the corpus.
    fn parse(&mut self, read: Read) -> Option<(usize, Parsed, Option<Box<SiteFile>>)> {
        let Read {
            shard,
            what,
            site_file,
        } = read;
        let input = Arc::clone(&self.input);
        if !input.takes(shard, what.surt(), site_file.is_some()) {
            return None;
        }
        let rules = &input.rules[shard];
        let by_names = rules.by_names(&what.names());
        if !self.takes(shard, by_names.unwrap_or(Fate::Taken)) {
            return None;
        }
        let parsed = match what {
            WhatIsRead::Reject(reject) => Parsed::Reject(reject),
            WhatIsRead::Capture(capture) => match self.extractor.extract(*capture) {
                Ok(page) => Parsed::Page(Box::new(page)),
                Err(reject) => Parsed::Reject(reject),
            },
        };
        let is_taken = by_names.is_some() || self.takes(shard, parsed.fate(rules));
        is_taken.then_some((shard, parsed, site_file))
    }

    /// Whether a capture is taken. Counts it if a rule leaves it out.
    fn takes(&mut self, shard: usize, fate: Fate<'_>) -> bool {
        if let Fate::LeftOut(rule) = fate {
            let counts = self.left_out.entry(shard).or_default();
            *counts.entry(rule.to_owned()).or_default() += 1;
        }
        fate == Fate::Taken
    }

    fn take(&mut self, shard: usize, parsed: Parsed, site_file: Option<Box<SiteFile>>) {
        let crawl = &self.input.prefixes[shard];
        let (waiting, key, notes) = match parsed {
            Parsed::Reject(reject) => {
                let key = key::of_reject(&reject, crawl);
                (StagedPage::Reject(reject), key, PageNotes::default())
            }
            Parsed::Page(page) => {
                let key = match &page.drawn_from {
                    Some(of) => key::of_drawn(&page.document, of, crawl),
                    None => key::of_document(&page.document, crawl),
                };
                let (scored, notes) = self.extractor.score(*page);
                (StagedPage::Page(Box::new(scored)), key, notes)
            }
        };
        self.pages.push(&key, |bytes| waiting.write(bytes));
        if let Some((site_file, key)) = site_file.zip(key::of_site_file(&key)) {
            let waiting = StagedPage::SiteFile(site_file);
            self.pages.push(&key, |bytes| waiting.write(bytes));
        }
        if let Some(mark) = key::of_mark(&key) {
            let waiting = StagedPage::DrawnMark(key.clone().into());
            self.pages.push(&mark, |bytes| waiting.write(bytes));
        }
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

impl Parsed {
    /// What becomes of it, now that its texts are known.
    fn fate<'r>(&self, rules: &'r ReadRules) -> Fate<'r> {
        match self {
            Parsed::Page(page) => {
                let names = names_of_document(&page.document, page.drawn_from.as_deref());
                rules.by_texts(&names, Some(page.page.layout.texts()))
            }
            Parsed::Reject(reject) => {
                rules.by_texts(&names_of_reject(reject), None::<std::iter::Empty<&str>>)
            }
        }
    }
}

impl WhatIsRead {
    /// The SURT in its key.
    fn surt(&self) -> &str {
        match self {
            WhatIsRead::Capture(capture) => &capture.document.surt,
            WhatIsRead::Reject(reject) => reject.surt.as_deref().unwrap_or(NO_URL),
        }
    }

    fn names(&self) -> RuleCapture<'_> {
        match self {
            WhatIsRead::Capture(capture) => {
                names_of_document(&capture.document, capture.drawn_from.as_deref())
            }
            WhatIsRead::Reject(reject) => names_of_reject(reject),
        }
    }
}

fn names_of_document<'a>(document: &'a DocumentRow, drawn_from: Option<&'a str>) -> RuleCapture<'a> {
    RuleCapture {
        url: &document.url,
        surt: &document.surt,
        record_id: &document.record_id,
        drawn_from: drawn_from.unwrap_or_default(),
    }
}

fn names_of_reject(reject: &RejectRow) -> RuleCapture<'_> {
    RuleCapture {
        url: reject.url.as_deref().unwrap_or_default(),
        surt: reject.surt.as_deref().unwrap_or_default(),
        record_id: reject.record_id.as_deref().unwrap_or_default(),
        drawn_from: "",
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
