//! The records of a version that go: those of archives that are taken out, and those that new rules leave out.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

use gleaner_corpus::surt;
use rustc_hash::FxHashMap;

use crate::change::base::Base;
use crate::data::key::KeyRange;
use crate::data::key::after;
use crate::data::key::{self, KeyParts, SiteOf, surt_of};
use crate::data::notes::Noted;
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::rules::NewRules;
use crate::sorted_runs::{LeftOut, Merge, Runs};

/// An archive: the name of its crawl, which is empty if that has none, and its own.
pub(crate) type ArchiveName = (String, String);

/// What goes of a version.
#[derive(Debug)]
pub(crate) struct Removal {
    pub(crate) is_labelled: bool,
    /// Archives, by crawl.
    pub(crate) archives: BTreeMap<String, HashSet<String>>,
    pub(crate) rules: NewRules,
    /// The pages that rules leave out by their texts, as soon as they are found.
    by_texts: OnceLock<FxHashMap<Box<[u8]>, String>>,
}

/// Why a record goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause<'a> {
    Archive,
    /// The identifier of the rule.
    Rule(&'a str),
}

/// What is found to go.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    /// The numbers of the units that lose records.
    pub(crate) units: BTreeSet<usize>,
    /// Those of them that lose all records of the SURT at which they begin.
    pub(crate) without_start: BTreeSet<usize>,
    /// The keys of the sites that lose pages.
    pub(crate) sites: Vec<KeyRange>,
    /// The keys of the files of the sites that lose some.
    pub(crate) site_files: Vec<KeyRange>,
    /// Captures that rules leave out of each archive, by rule.
    pub(crate) left_out: BTreeMap<ArchiveName, BTreeMap<String, u64>>,
}

impl Removal {
    pub(crate) fn new(
        is_labelled: bool,
        archives: BTreeMap<String, HashSet<String>>,
        rules: NewRules,
    ) -> Removal {
        Removal {
            is_labelled,
            archives,
            rules,
            by_texts: OnceLock::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.archives.is_empty() && self.rules.is_empty()
    }

    /// Whether a record goes.
    pub(crate) fn goes(&self, key: &[u8]) -> bool {
        self.parts(key)
            .is_some_and(|parts| self.cause(key, &parts).is_some())
    }

    /// Whether a record goes, by its key.
    pub(crate) fn takes(self: &Arc<Removal>) -> Arc<LeftOut> {
        let removal = Arc::clone(self);
        Arc::new(move |key| removal.goes(key))
    }

    fn parts<'k>(&self, key: &'k [u8]) -> Option<KeyParts<'k>> {
        KeyParts::of(key, self.is_labelled)
    }

    fn cause(&self, key: &[u8], parts: &KeyParts<'_>) -> Option<Cause<'_>> {
        let of_crawl = self.archives.get(parts.crawl.unwrap_or_default());
        match of_crawl.is_some_and(|archives| archives.contains(parts.archive)) {
            true => Some(Cause::Archive),
            false => self
                .by_names(key, parts)
                .or_else(|| self.by_texts(key))
                .map(Cause::Rule),
        }
    }

    /// The rule that leaves out a record by its names. A file of a site goes with its capture.
    fn by_names(&self, key: &[u8], parts: &KeyParts<'_>) -> Option<&str> {
        if !key::is_site_file(key) {
            return self.rules.by_names(parts);
        }
        let surt = surt(parts.url);
        self.rules.by_names(&KeyParts {
            surt: &surt,
            ..*parts
        })
    }

    /// The rule that leaves out a page by its texts.
    fn by_texts(&self, key: &[u8]) -> Option<&str> {
        let rule = self.by_texts.get()?.get(key)?;
        Some(rule)
    }

    /// Finds what goes. `runs` has the pages and the notes of the version. Waits for the store.
    pub(crate) fn find(&self, base: &Base, runs: &[Runs; 2], of: SiteOf) -> Result<Removed, Error> {
        if self.rules.needs_texts() {
            let found = self.find_by_texts(&runs[0])?;
            self.by_texts.get_or_init(|| found);
        }
        let mut removed = Removed::default();
        for unit in self.candidates(base) {
            self.look(unit, &base.units[unit].keys, runs, of, &mut removed)?;
        }
        Ok(removed)
    }

    /// Reads the texts of all pages.
    fn find_by_texts(&self, pages: &Runs) -> Result<FxHashMap<Box<[u8]>, String>, Error> {
        let mut found = FxHashMap::default();
        let mut pages = Merge::new(pages, &[], &[])?;
        while let Some(record) = pages.next()? {
            let parts = self.parts(record.key).ok_or(Error::Damaged)?;
            if key::is_site_file(record.key) {
                continue;
            }
            if let Some(rule) = self.rules.by_texts(&parts, &StagedPage::take(record.value)?) {
                // What waits beside the page goes with it.
                let beside = [key::of_site_file(record.key), key::of_mark(record.key)];
                let beside = beside.into_iter().flatten();
                found.extend(beside.map(|key| (key.into(), rule.to_owned())));
                found.insert(record.key.into(), rule.to_owned());
            }
        }
        Ok(found)
    }

    /// The units in which something can go.
    fn candidates(&self, base: &Base) -> BTreeSet<usize> {
        let all = 0..base.units.len();
        match self.rules.ranges() {
            _ if self.is_empty() => BTreeSet::new(),
            Some(ranges) if self.archives.is_empty() => {
                let of_crawl = |prefix: Vec<u8>| {
                    ranges.iter().map(move |range| {
                        let with = |surt: &[u8]| [&prefix, surt].concat();
                        let end = match range.end.is_empty() {
                            true => after(&prefix),
                            false => with(&range.end),
                        };
                        with(&range.start)..end
                    })
                };
                let ranges = base.prefixes().into_iter().flat_map(of_crawl);
                let ranges = ranges.flat_map(|range| key::site_files_of(&range).into_iter().chain([range]));
                ranges.flat_map(|range| base.units_of(&range)).collect()
            }
            _ => all.collect(),
        }
    }

    fn look(
        &self,
        unit: usize,
        keys: &KeyRange,
        [pages, notes]: &[Runs; 2],
        of: SiteOf,
        removed: &mut Removed,
    ) -> Result<(), Error> {
        let (mut takes_some, mut has_start) = (false, false);
        let mut records = Merge::new(pages, &keys.start, &keys.end)?;
        while let Some(record) = records.next()? {
            let parts = self.parts(record.key).ok_or(Error::Damaged)?;
            let Some(cause) = self.cause(record.key, &parts) else {
                has_start |= *surt_of(record.key) == *keys.start;
                continue;
            };
            takes_some = true;
            if key::is_site_file(record.key) {
                // Its capture is another record, and counts.
                let keys = key::site_files(record.key);
                removed.site_files.push(keys);
                continue;
            }
            if let Cause::Rule(rule) = cause
                && !key::is_mark(record.key)
            {
                let archive = (
                    parts.crawl.unwrap_or_default().to_owned(),
                    parts.archive.to_owned(),
                );
                let counts = removed.left_out.entry(archive).or_default();
                *counts.entry(rule.to_owned()).or_default() += 1;
            }
        }
        if !takes_some {
            return Ok(());
        }
        removed.units.insert(unit);
        if !has_start {
            removed.without_start.insert(unit);
        }
        let mut notes = Merge::new(notes, &keys.start, &keys.end)?;
        while let Some(note) = notes.next()? {
            let parts = self.parts(note.key).ok_or(Error::Damaged)?;
            if self.cause(note.key, &parts).is_some() {
                add_site(&mut removed.sites, note.key, note.value, of)?;
            }
        }
        Ok(())
    }
}

/// Adds the keys of the site of a page, whose note comes by key.
pub(crate) fn add_site(sites: &mut Vec<KeyRange>, key: &[u8], note: &[u8], of: SiteOf) -> Result<(), Error> {
    let is_known = |last: &KeyRange| *last.start <= *key && *key < *last.end;
    if !sites.last().is_some_and(is_known) {
        let site = Noted::take(&mut &*note)?.note.site;
        sites.push(key::of_site(surt_of(key), site, of));
    }
    Ok(())
}
