//! What the state of a corpus holds of a page, and what is known of it from its site.
//!
//! The evidence of the site is found as a build finds it: from the notes in the states of all units that the site meets.

use std::ops::Range;
use std::sync::Arc;

use gleaner_corpus::{ChunkEntry, Corpus, Crawl, DocumentRow, KeptKind, Manifest, ManifestChunk, UnitEntry};
use gleaner_document::ScoredBlocks;
use gleaner_site::KindShares;
use gleaner_store::Output;

use crate::data::key::{self, SiteOf};
use crate::data::message::Scored;
use crate::data::notes::Noted;
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::label::evidence::{EvidenceFinder, SiteAnswer};
use crate::sorted_runs::{Lookup, Merge, Run, Runs};
use crate::staging::staged_file::{StagedFile, UnitFile};
use crate::staging::{Piece, Staging};
use crate::state::unit_state::UnitState;

/// A page as its state has it.
#[derive(Clone, Debug)]
pub struct KeptPage {
    /// Its blocks as they waited for the evidence of the site.
    pub blocks: ScoredBlocks,
    /// The names of the elements around each block; empty unless the corpus has a table of blocks.
    pub paths: Vec<String>,
    /// What is known from its site; none where pages are labelled by themselves, or the site has too few.
    pub site: Option<SiteView>,
}

/// What is known of a page from its site. Vectors have a value a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteView {
    /// Pages of the site's sample.
    pub sampled_pages: u32,
    /// How many of them have the text of the block; 0 if it is not counted.
    pub pages: Vec<u32>,
    /// Log odds that the block is content, adjusted by the evidence; not a number if they are as before, empty if all are.
    pub logits: Vec<f32>,
    /// The probabilities of the page's kinds, if pages with such an address change them.
    pub kinds: Option<KindShares>,
    /// The share of the block that the site's expressions match; empty if they match nothing.
    pub coverage: Vec<f32>,
}

/// The settings by which a corpus finds the evidence of sites.
#[derive(Clone, Copy, Debug)]
pub struct SiteSettings {
    /// Which pages are of one site.
    pub site: SiteOf,
    /// Pages of a sample; none where pages are labelled by themselves.
    pub sample: Option<usize>,
}

/// The state of a document, in the crawl of this name; none if the state has no such page. `manifest` is the digest that the
/// marker of the corpus names. Waits for the store.
///
/// # Errors
/// The state cannot be read, or is damaged.
pub fn kept_page(
    output: &Output,
    manifest: &str,
    crawl: Option<&str>,
    document: &DocumentRow,
    settings: SiteSettings,
) -> Result<Option<KeptPage>, Error> {
    let key = key::of_document(document, &[]);
    let site = match document.site.is_empty() {
        // It is of no site.
        true => key.clone()..[&*key, &[0]].concat(),
        false => key::of_site(document.surt.as_bytes(), &document.site, settings.site),
    };
    let units = units(output, manifest, crawl, &site)?;
    let Some(records) = Records::open(output, &units)? else {
        return Ok(None);
    };
    // In the records keys begin with the crawl; in the lists of units they do not.
    let crawl = crawl.map(Crawl::new).transpose().map_err(|_| Error::Damaged)?;
    let in_crawl = |key: &[u8]| [&*key::crawl_prefix(crawl.as_ref()), key].concat();
    let site = in_crawl(&site.start)..in_crawl(&site.end);
    records.page(&in_crawl(&key), &site, document, settings)
}

/// The units of a crawl that meet a range of keys.
fn units(
    output: &Output,
    manifest: &str,
    crawl: Option<&str>,
    range: &Range<Vec<u8>>,
) -> Result<Vec<UnitEntry>, Error> {
    let manifest: Manifest = kept(output, KeptKind::Manifest, manifest)?;
    let is_of_crawl = |chunk: &&ManifestChunk| chunk.crawl.as_deref() == crawl;
    let chunks: Vec<&ManifestChunk> = manifest.chunks.iter().filter(is_of_crawl).collect();
    let mut units = Vec::new();
    for chunk in meeting(&chunks, |chunk| &chunk.start, range) {
        let entry: ChunkEntry = kept(output, KeptKind::Chunks, &chunk.entry)?;
        units.extend(entry.units);
    }
    Ok(meeting(&units, |unit| &unit.start, range).cloned().collect())
}

/// Those of some ranges, given where each begins, that meet a range of keys: each ends where the next begins.
fn meeting<'a, T>(
    all: &'a [T],
    start: impl Fn(&T) -> &str,
    range: &Range<Vec<u8>>,
) -> impl Iterator<Item = &'a T> {
    let first = all.partition_point(|one| start(one).as_bytes() <= &*range.start);
    let end = all.partition_point(|one| start(one).as_bytes() < &*range.end);
    all[first.saturating_sub(1)..end.max(first)].iter()
}

fn kept<T: serde::de::DeserializeOwned>(output: &Output, kind: KeptKind, digest: &str) -> Result<T, Error> {
    let bytes = Corpus::kept(output, kind, digest)?;
    serde_json::from_slice(&bytes).map_err(|_| damaged(&kind.file(digest)))
}

fn damaged(file: &str) -> Error {
    Error::DamagedState(file.to_owned())
}

/// The records of some units, side by side.
struct Records {
    pages: Runs,
    notes: Runs,
    /// The names of their files.
    files: Vec<String>,
}

impl Records {
    /// None if the units have no records.
    fn open(output: &Output, units: &[UnitEntry]) -> Result<Option<Records>, Error> {
        let staging = Arc::new(Staging::new(output));
        let (mut pages, mut notes, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for unit in units {
            let name = KeptKind::Units.file(&unit.state);
            let digest = unit.state.clone().try_into().map_err(|_| damaged(&name))?;
            let file = UnitFile {
                digest,
                is_kept: true,
            };
            let of_file = |error| in_file(error, &name);
            let Some(records) = UnitState::open(output, file, unit.bytes)
                .map_err(of_file)?
                .records()
            else {
                return Ok(None);
            };
            let open = |index: Piece| Run::open(index.of(StagedFile::Unit(file)), &staging);
            let [of_pages, of_notes] = records.map(open);
            pages.push(Arc::new(of_pages.map_err(of_file)?));
            notes.push(Arc::new(of_notes.map_err(of_file)?));
            files.push(name);
        }
        let runs = |runs| Runs::new(&staging, runs);
        let is_there = !files.is_empty();
        Ok(is_there.then(|| Records {
            pages: runs(pages),
            notes: runs(notes),
            files,
        }))
    }

    /// The unit whose range has a key, and the value there.
    fn value(runs: &Runs, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let mut merge = Merge::new(runs, key, &[key, &[0]].concat())?;
        let record = merge.next()?.filter(|record| record.key == key);
        Ok(record.map(|record| record.value.to_vec()))
    }

    /// The key of a page by that which it would have if it was not drawn: in the tables these two are the same.
    fn key_of(&self, key: &[u8]) -> Result<Vec<u8>, Error> {
        let marks = key::marks(key);
        let mut marks = Merge::new(&self.pages, &marks.start, &marks.end)?;
        while let Some(mark) = marks.next()? {
            let StagedPage::DrawnMark(page) = StagedPage::take(mark.value)? else {
                return Err(Error::Damaged);
            };
            if key::without_drawn(&page) == key {
                return Ok(page.into());
            }
        }
        Ok(key.to_vec())
    }

    fn page(
        &self,
        key: &[u8],
        site: &Range<Vec<u8>>,
        document: &DocumentRow,
        settings: SiteSettings,
    ) -> Result<Option<KeptPage>, Error> {
        let all = || self.files.join("', '");
        let read = || {
            let key = &*self.key_of(key)?;
            let Some(value) = Records::value(&self.pages, key)? else {
                return Ok(None);
            };
            let StagedPage::Page(page) = StagedPage::take(&value)? else {
                return Ok(None);
            };
            let is_asked = !document.site.is_empty();
            let sample = settings.sample.filter(|_| is_asked);
            let site = sample.map(|sample| self.site(key, site, &page, sample));
            let site = site.transpose()?.flatten();
            let Scored { blocks, parts, .. } = *page;
            Ok(Some(KeptPage {
                blocks,
                paths: parts.paths,
                site,
            }))
        };
        read().map_err(|error| in_file(error, &all()))
    }

    /// What is known of a page from its site.
    fn site(
        &self,
        key: &[u8],
        site: &Range<Vec<u8>>,
        page: &Scored,
        sample: usize,
    ) -> Result<Option<SiteView>, Error> {
        let finder = EvidenceFinder::new(sample, true);
        let mut notes = Merge::new(&self.notes, &site.start, &site.end)?;
        let evidence = finder.find(&mut notes, &site.end, &mut Lookup::new(&self.pages))?;
        let Some(evidence) = evidence else {
            return Ok(None);
        };
        let note = Records::value(&self.notes, key)?.ok_or(Error::Damaged)?;
        let noted = Noted::take(&mut &*note)?;
        let SiteAnswer {
            site_pages,
            pages,
            logits,
            kinds,
            coverage,
        } = evidence.answer(key, &noted, page)?;
        Ok(Some(SiteView {
            sampled_pages: site_pages,
            pages,
            logits,
            kinds,
            coverage,
        }))
    }
}

/// An error of state, with the name of the file.
fn in_file(error: Error, file: &str) -> Error {
    match error {
        Error::Damaged => damaged(file),
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_keys_are_found_by_where_they_begin() {
        let all = ["", "b", "d", "f"];
        let met = |start: &str, end: &str| {
            let range = start.as_bytes().to_vec()..end.as_bytes().to_vec();
            meeting(&all, |start| start, &range)
                .copied()
                .collect::<Vec<&str>>()
        };
        assert_eq!(met("a", "a1"), [""]);
        assert_eq!(met("a", "b"), [""]);
        assert_eq!(met("a", "b1"), ["", "b"]);
        assert_eq!(met("b", "c"), ["b"]);
        assert_eq!(met("c", "f"), ["b", "d"]);
        assert_eq!(met("x", "y"), ["f"]);
    }
}
