//! Which units of a new version are those of the old one: the units with the same keys, the same records, and sites with the same
//! evidence.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::change::Change;
use crate::change::base::Base;
use crate::change::removal::{Removed, add_site};
use crate::data::key::{self, KeyRange, SiteOf, after};
use crate::error::Error;
use crate::label::cut::{Chunk, ChunkUnit, cut_crawls};
use crate::label::evidence::EvidenceFinder;
use crate::sorted_runs::{Merge, Runs};
use crate::staging::Staging;

/// The pages of a version, and what is noted of them.
pub(crate) type Records = [Runs; 2];

/// The records of the version before, those that are new, and those of the new version.
struct ChangedRecords<'a> {
    old: &'a Records,
    new: &'a Records,
    all: &'a Records,
}

/// The chunks of a new version.
pub(crate) struct Planned {
    /// The records of the new version.
    pub(crate) records: Records,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) removed: Removed,
}

/// Plans the chunks of a new version, from the records that are new, whose crawls are among `crawls`. Units that stay as they are are
/// marked. Waits for the store.
pub(crate) fn plan(
    change: &Change,
    staging: &Arc<Staging>,
    new: &Records,
    mut crawls: BTreeSet<Vec<u8>>,
    finder: Option<&EvidenceFinder>,
    (site, chunk_size): (SiteOf, u64),
) -> Result<Planned, Error> {
    let Change { base, removal, .. } = change;
    crawls.extend(base.prefixes());
    let old = base.runs().map(|run| Runs::new(staging, vec![Arc::new(run)]));
    let removed = removal.find(base, &old, site)?;
    let mut all = [0, 1].map(|kind| old[kind].with(&new[kind]));
    if !removal.is_empty() {
        all.iter_mut()
            .for_each(|runs| runs.left_out = Some(removal.takes()));
    }
    all[0] = base.with_landmarks(&all[0], &removed.without_start)?;
    let mut chunks = cut_crawls(crawls, &all[0], chunk_size)?;
    let records = ChangedRecords {
        old: &old,
        new,
        all: &all,
    };
    if change.keeps_units() {
        mark_kept(&mut chunks, base, &removed, &records, finder, site)?;
    }
    Ok(Planned {
        records: all,
        chunks,
        removed,
    })
}

/// Marks the units of a new version that are kept. Waits for the store.
fn mark_kept(
    chunks: &mut [Chunk],
    base: &Base,
    removed: &Removed,
    records: &ChangedRecords<'_>,
    finder: Option<&EvidenceFinder>,
    of: SiteOf,
) -> Result<(), Error> {
    let prefixes = base.prefixes();
    mark_same_records(chunks, base, removed, &records.new[0], &prefixes)?;
    let Some(finder) = finder else {
        return Ok(());
    };
    let mut units: Vec<&mut ChunkUnit> = chunks.iter_mut().flat_map(|chunk| &mut chunk.units).collect();
    for site in changed_sites(removed, &records.new[1], &prefixes, of)? {
        let of_site = units_of(&units, &site);
        let has_kept = units[of_site.clone()].iter().any(|unit| unit.kept.is_some());
        if has_kept && finder.digest(&records.old[1], &site)? != finder.digest(&records.all[1], &site)? {
            units[of_site].iter_mut().for_each(|unit| unit.kept = None);
        }
    }
    Ok(())
}

/// Marks the units with the keys of old ones in which no record is new and none goes.
fn mark_same_records(
    chunks: &mut [Chunk],
    base: &Base,
    removed: &Removed,
    new: &Runs,
    prefixes: &[Vec<u8>],
) -> Result<(), Error> {
    for prefix in prefixes {
        let mut new = Merge::new(new, prefix, &after(prefix))?;
        let mut changed = ChangedSiteFiles::new(&removed.site_files);
        let of_crawl = chunks.iter_mut().filter(|chunk| chunk.crawl == *prefix);
        for unit in of_crawl.flat_map(|chunk| &mut chunk.units) {
            let has_other_files = changed.are_before(&unit.keys.start, &mut new)?;
            new.skip_to(&unit.keys.start)?;
            let end = &unit.keys.end;
            let has_new = new.peek()?.is_some_and(|key| end.is_empty() || *key < **end);
            let same = base
                .unit_with(&unit.keys)
                .filter(|old| !has_new && !has_other_files && !removed.units.contains(old));
            unit.kept = same.map(|old| base.units[old].place);
        }
    }
    Ok(())
}

/// Whether files of sites about rights are new or go that stand before units with pages of their hosts.
struct ChangedSiteFiles<'r> {
    removed: &'r [KeyRange],
    /// Those that were looked at last.
    keys: KeyRange,
    are_changed: bool,
}

impl ChangedSiteFiles<'_> {
    fn new(removed: &[KeyRange]) -> ChangedSiteFiles<'_> {
        ChangedSiteFiles {
            removed,
            keys: KeyRange::default(),
            are_changed: false,
        }
    }

    /// Whether files of the site in which a unit begins are new or go. Units come by key; `new` stands where the one before
    /// begins.
    fn are_before(&mut self, start: &[u8], new: &mut Merge) -> Result<bool, Error> {
        let Some(keys) = key::site_files_before(start) else {
            return Ok(false);
        };
        if keys != self.keys {
            new.skip_to(&keys.start)?;
            let has_new = new.peek()?.is_some_and(|key| *key < *keys.end);
            self.are_changed = has_new || self.removed.contains(&keys);
            self.keys = keys;
        }
        Ok(self.are_changed)
    }
}

/// The keys of the sites with pages that are new or go.
fn changed_sites(
    removed: &Removed,
    new: &Runs,
    prefixes: &[Vec<u8>],
    of: SiteOf,
) -> Result<Vec<KeyRange>, Error> {
    let mut sites = removed.sites.clone();
    for prefix in prefixes {
        let mut notes = Merge::new(new, prefix, &after(prefix))?;
        while let Some(note) = notes.next()? {
            add_site(&mut sites, note.key, note.value, of)?;
        }
    }
    sites.sort_by(|one, other| (&one.start, &one.end).cmp(&(&other.start, &other.end)));
    sites.dedup();
    Ok(sites)
}

/// The numbers of the units that have keys of a range, of units by key.
fn units_of(units: &[&mut ChunkUnit], keys: &KeyRange) -> Range<usize> {
    let begin = units.partition_point(|unit| !unit.keys.end.is_empty() && unit.keys.end <= keys.start);
    let end = units.partition_point(|unit| unit.keys.start < keys.end);
    begin..end.max(begin)
}
