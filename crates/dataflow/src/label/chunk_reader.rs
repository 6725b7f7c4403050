//! Reads the units of chunks: pages by key, each with the evidence of its site.

use std::ops::Range;
use std::sync::Arc;

use crate::data::key;
use crate::data::key::SiteOf;
use crate::data::key::surt_of;
use crate::data::message::{Entry, EntryPlace, Scored, SiteTemplateRows, Start};
use crate::data::notes::Noted;
use crate::data::staged_page::StagedPage;
use crate::epoch::Epoch;
use crate::error::Error;
use crate::label::chunks::KeyRange;
use crate::label::evidence::{EvidenceFinder, SiteAnswer, SiteEvidence};
use crate::label::labelling::Labelling;
use crate::sorted_runs::{Lookup, Merge};
use crate::watch::steps;
use crate::work::ledger::Assignment;
use crate::work::running::Running;
use crate::work::unit::{Step, UnitSteps};

/// A page with its evidence, or an entry that needs no labels.
pub(crate) enum Ready {
    Page(Box<Scored>, Option<SiteAnswer>),
    Entry(Entry),
}

/// Bytes of pages that are read at a time.
const STEP_BYTES: usize = 1 << 20;

/// Reads a unit.
pub(crate) struct ChunkReader {
    site: SiteOf,
    running: Arc<Running>,
    labelling: Arc<Labelling>,
    assignment: Assignment,
    open: Option<OpenUnit>,
    entry: u32,
}

/// A unit that is being read.
struct OpenUnit {
    pages: Merge,
    sites: Option<Sites>,
    /// Steps of progress that are left of it.
    steps: u64,
}

/// What is known of the sites of a unit.
struct Sites {
    /// What is noted of the sites that come next.
    notes: Merge,
    /// Looks up notes, and pages of samples.
    of_pages: Lookup,
    pages: Lookup,
    /// The site of the page that came last.
    keys: KeyRange,
    evidence: Option<Arc<SiteEvidence>>,
}

impl ChunkReader {
    pub(crate) fn new(
        site: SiteOf,
        running: &Arc<Running>,
        labelling: &Arc<Labelling>,
        assignment: Assignment,
    ) -> ChunkReader {
        ChunkReader {
            site,
            running: Arc::clone(running),
            labelling: Arc::clone(labelling),
            assignment,
            open: None,
            entry: 0,
        }
    }

    fn keys(&self) -> &KeyRange {
        let Assignment { epoch, unit, .. } = self.assignment;
        &self.labelling.chunks[epoch as usize].units[unit as usize].keys
    }

    fn advance(&mut self, give: &mut dyn FnMut(EntryPlace, Ready)) -> Result<Step, Error> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => {
                let open = self.begin()?;
                self.give(Ready::Entry(Entry::Start(Start { seam: None })), give);
                open
            }
        };
        let mut bytes = 0;
        while bytes < STEP_BYTES {
            let Some(record) = open.pages.next()? else {
                self.count(&mut open.steps, u64::MAX);
                self.give(Ready::Entry(Entry::End(Box::default())), give);
                return Ok(Step::End);
            };
            bytes += record.value.len();
            match StagedPage::take(record.value)? {
                StagedPage::Reject(reject) => self.give(Ready::Entry(Entry::Reject(reject)), give),
                StagedPage::Page(page) => {
                    let answer = match &mut open.sites {
                        Some(sites) if !page.document.site.is_empty() => {
                            self.ask(sites, record.key, record.run, &page, give)?
                        }
                        _ => None,
                    };
                    self.give(Ready::Page(page, answer), give);
                }
            }
        }
        self.count(&mut open.steps, bytes as u64);
        self.open = Some(open);
        Ok(Step::More)
    }

    fn begin(&self) -> Result<OpenUnit, Error> {
        let Labelling {
            pages, notes, chunks, ..
        } = &*self.labelling;
        let Assignment { epoch, unit, .. } = self.assignment;
        let Range { start, end } = self.keys();
        let sites = || -> Result<Sites, Error> {
            Ok(Sites {
                notes: Merge::new(notes, start, end)?,
                of_pages: Lookup::new(notes),
                pages: Lookup::new(pages),
                keys: KeyRange::default(),
                evidence: None,
            })
        };
        Ok(OpenUnit {
            pages: Merge::new(pages, start, end)?,
            sites: self.labelling.finder.is_some().then(sites).transpose()?,
            steps: chunks[epoch as usize].units[unit as usize].bytes.max(1),
        })
    }

    /// The evidence of its site for a page. Before the first page of a site come the rows of its templates.
    fn ask(
        &mut self,
        sites: &mut Sites,
        page_key: &[u8],
        run: usize,
        page: &Scored,
        give: &mut dyn FnMut(EntryPlace, Ready),
    ) -> Result<Option<SiteAnswer>, Error> {
        if !(*sites.keys.start <= *page_key && *page_key < *sites.keys.end) {
            sites.keys = key::of_site(surt_of(page_key), &page.document.site, self.site);
            sites.evidence = self.evidence(sites)?;
        }
        let Some(evidence) = &sites.evidence else {
            return Ok(None);
        };
        if *evidence.first == *page_key {
            let rows = SiteTemplateRows::of(&evidence.template);
            self.give(Ready::Entry(Entry::Site(Box::new(rows))), give);
        }
        let mut note = sites.of_pages.get(run, page_key)?;
        evidence
            .answer(page_key, &Noted::take(&mut note)?, page)
            .map(Some)
    }

    /// The evidence of the site whose keys these are.
    fn evidence(&self, sites: &mut Sites) -> Result<Option<Arc<SiteEvidence>>, Error> {
        let finder: &EvidenceFinder = self
            .labelling
            .finder
            .as_ref()
            .expect("sites are looked up with it");
        let (unit, site) = (self.keys(), &sites.keys);
        let is_within = unit.start <= site.start && (unit.end.is_empty() || site.end <= unit.end);
        if !is_within {
            let Labelling { shared, notes, .. } = &*self.labelling;
            return shared.of(finder, site, notes, &mut sites.pages);
        }
        sites.notes.skip_to(&site.start)?;
        let found = finder.find(&mut sites.notes, &site.end, &mut sites.pages)?;
        Ok(found.map(Arc::new))
    }

    /// Counts bytes that are read, as far as the unit is expected to have them.
    fn count(&self, left: &mut u64, bytes: u64) {
        let steps = bytes.min(*left);
        *left -= steps;
        if let Some(phase) = self.running.progress.watch.steps(steps::LABEL) {
            phase.add(steps);
        }
    }

    fn give(&mut self, ready: Ready, give: &mut dyn FnMut(EntryPlace, Ready)) {
        let Assignment { epoch, unit, .. } = self.assignment;
        let place = EntryPlace {
            epoch,
            unit,
            attempt: 0,
            entry: self.entry,
        };
        give(place, ready);
        self.entry += 1;
    }
}

impl UnitSteps for ChunkReader {
    type Item = Ready;

    fn epoch(&self) -> Epoch {
        self.assignment.epoch
    }

    fn unit(&self) -> u32 {
        self.assignment.unit
    }

    fn step(&mut self, give: &mut dyn FnMut(EntryPlace, Ready)) -> Step {
        self.advance(give).unwrap_or_else(|error| {
            self.running.fail(error);
            Step::End
        })
    }
}
