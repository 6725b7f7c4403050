//! What is known of the sites of a unit, page by page.

use std::sync::Arc;

use crate::data::key::KeyRange;
use crate::data::key::{self, SiteOf, surt_of};
use crate::data::message::Scored;
use crate::data::notes::Noted;
use crate::error::Error;
use crate::label::evidence::{EvidenceFinder, Found, SiteAnswer, SiteEvidence};
use crate::label::labelling::Labelling;
use crate::sorted_runs::{Lookup, Merge, Record};

/// The sites of a unit. Its pages ask in the order of their keys.
pub(crate) struct UnitSites<'a> {
    labelling: &'a Labelling,
    finder: &'a EvidenceFinder,
    of: SiteOf,
    unit: &'a KeyRange,
    /// What is noted of the pages that come next, and of the sites that come next.
    notes: Merge,
    notes_ahead: Merge,
    /// Looks up pages of samples.
    pages: Lookup,
    /// The site of the page that came last.
    keys: KeyRange,
    evidence: Option<Arc<SiteEvidence>>,
    shared: Option<Arc<Found>>,
    /// Digests of the evidence of all sites so far.
    digests: Vec<u128>,
}

/// What a unit leaves to the one behind it.
#[derive(Default)]
pub(crate) struct LeftOfUnit {
    notes: [Option<Merge>; 2],
    /// What is known of the last site that lies in more than one unit.
    shared: Option<Arc<Found>>,
}

/// What is known of a page from its site.
#[derive(Default)]
pub(crate) struct OfSite {
    /// Its evidence, at its first page.
    pub(crate) begun: Option<Arc<SiteEvidence>>,
    pub(crate) answer: Option<SiteAnswer>,
}

impl<'a> UnitSites<'a> {
    /// None where pages are labelled by themselves. `before` has what the unit before has left.
    pub(crate) fn new(
        labelling: &'a Labelling,
        of: SiteOf,
        unit: &'a KeyRange,
        before: &mut LeftOfUnit,
    ) -> Result<Option<UnitSites<'a>>, Error> {
        let Some(finder) = &labelling.finder else {
            return Ok(None);
        };
        let [notes, notes_ahead] = before
            .notes
            .each_mut()
            .map(|before| Merge::after(before.take(), &labelling.notes, &unit.start, &unit.end));
        Ok(Some(UnitSites {
            labelling,
            finder,
            of,
            unit,
            notes: notes?,
            notes_ahead: notes_ahead?,
            pages: Lookup::new(&labelling.pages),
            keys: KeyRange::default(),
            evidence: None,
            shared: before.shared.take(),
            digests: Vec::new(),
        }))
    }

    /// What is known of the next page from its site. `keep` is given the note of the page.
    pub(crate) fn ask(
        &mut self,
        page_key: &[u8],
        page: &Scored,
        keep: impl FnOnce(&Record<'_>) -> Result<(), Error>,
    ) -> Result<OfSite, Error> {
        let site = &page.document.site;
        // Nothing is noted of a page whose site is not known.
        if site.is_empty() {
            return Ok(OfSite::default());
        }
        if !(*self.keys.start <= *page_key && *page_key < *self.keys.end) {
            self.keys = key::of_site(surt_of(page_key), site, self.of);
            self.evidence = self.find()?;
            self.digests
                .extend(self.evidence.as_ref().map(|evidence| evidence.digest));
        }
        self.notes.skip_to(page_key)?;
        let note = self.notes.next()?.filter(|note| note.key == page_key);
        let note = note.ok_or(Error::Damaged)?;
        keep(&note)?;
        let Some(evidence) = &self.evidence else {
            return Ok(OfSite::default());
        };
        let is_first = *evidence.first == *page_key;
        let noted = Noted::take(&mut &*note.value)?;
        Ok(OfSite {
            begun: is_first.then(|| Arc::clone(evidence)),
            answer: Some(evidence.answer(page_key, &noted, page)?),
        })
    }

    /// Digests of the evidence of all sites, in their order, and what is left to the unit behind.
    pub(crate) fn end(self) -> (Vec<u128>, LeftOfUnit) {
        let left = LeftOfUnit {
            notes: [Some(self.notes), Some(self.notes_ahead)],
            shared: self.shared,
        };
        (self.digests, left)
    }

    /// The evidence of the site whose keys these are.
    fn find(&mut self) -> Result<Option<Arc<SiteEvidence>>, Error> {
        let UnitSites { unit, keys, .. } = self;
        let is_within = unit.start <= keys.start && (unit.end.is_empty() || keys.end <= unit.end);
        if !is_within {
            let Labelling { shared, notes, .. } = self.labelling;
            return shared.of(self.finder, &self.keys, notes, &mut self.pages, &mut self.shared);
        }
        self.notes_ahead.skip_to(&self.keys.start)?;
        let found = self
            .finder
            .find(&mut self.notes_ahead, &self.keys.end, &mut self.pages)?;
        Ok(found.map(Arc::new))
    }
}
