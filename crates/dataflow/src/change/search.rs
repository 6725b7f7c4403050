//! The check of a takedown: what was taken down is in no file that stays.
//!
//! In: the addresses of the pages that go, and the windows of 40 characters of their kept texts, but for what other pages have, too. All
//! files in the folder of the corpus are searched that stay there: those of the new version, and those that are not of gleaner. A file is
//! searched as it is, and each frame of zstd in it is searched as it is unpacked: so are the pages of Parquet files, and those of state.

use std::io::Read;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use gleaner_corpus::{DocumentRow, Row, Texts, VersionFiles};
use gleaner_curate::{Places, Search, Strings, Windows};
use gleaner_store::Output;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::change::base::Base;
use crate::change::removal::{Removal, Removed};
use crate::data::drawn::DrawnPages;
use crate::data::page_tables::DOCUMENTS;
use crate::data::staged_page::StagedPage;
use crate::error::Error;
use crate::sorted_runs::{LeftOut, Merge, Runs};
use crate::state::written::UnitPlace;
use crate::state::written::WrittenChunk;

/// How zstd begins a frame.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Bytes of texts that are searched for, at most: a search takes some 25 times as much memory.
const MOST_TEXT: usize = 64 << 20;

/// A larger file is searched as it is.
const LARGEST: u64 = 1 << 30;

/// Bytes that are read of it at a time.
const PIECE: u64 = 8 << 20;

/// A capture that goes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedPage {
    /// Its URL.
    pub url: String,
    /// Its row; none of a damaged place.
    pub row_id: Option<String>,
    /// Its record.
    pub record_id: Option<String>,
    /// The BLAKE3 digest of its kept text; none of a reject.
    pub text_digest: Option<String>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// Pages and rejects that go.
    pub pages: u64,
    /// Those of them whose texts were searched for: all, unless they are too many.
    pub texts: u64,
    /// Windows of their kept texts that no other page has.
    pub windows: u64,
    /// Windows and addresses that other pages have, too, so that they stay.
    pub shared: u64,
    /// The files that were searched, and their bytes as they are unpacked.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The files in which something was found.
    pub found: Vec<FoundInFile>,
}

/// A file in which something was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FoundInFile {
    /// Its name, within the corpus.
    pub file: String,
    /// Passages of texts in it.
    pub passages: u64,
    /// Addresses in it.
    pub addresses: u64,
}

/// What goes, as far as it is searched for.
pub(crate) struct Gone {
    pub(crate) pages: Vec<RemovedPage>,
    texts: Vec<String>,
    addresses: Vec<String>,
    bytes: usize,
}

impl Gone {
    /// Reads the captures that go. `runs` has the pages of the old version. Waits for the store.
    pub(crate) fn read(
        output: &Output,
        base: &Base,
        removal: &Removal,
        removed: &Removed,
        pages: &Runs,
    ) -> Result<Gone, Error> {
        let mut gone = Gone {
            pages: Vec::new(),
            texts: Vec::new(),
            addresses: Vec::new(),
            bytes: 0,
        };
        for &unit in &removed.units {
            let (keys, place) = (&base.units[unit].keys, base.units[unit].place);
            let (mut row, mut rows, mut of_rows) = (0, Vec::new(), Vec::new());
            let mut drawn = DrawnPages::default();
            let mut records = Merge::new(pages, &keys.start, &keys.end)?;
            while let Some(record) = records.next()? {
                let goes = removal.goes(record.key);
                let staged = StagedPage::take(record.value)?;
                if let StagedPage::DrawnMark(page) = &staged {
                    drawn.take(page);
                }
                let has_row =
                    matches!(staged, StagedPage::Page(_)) && drawn.in_place_of(record.key).is_none();
                if goes {
                    if has_row {
                        rows.push(row);
                        of_rows.push(gone.pages.len());
                    }
                    gone.push(&staged);
                }
                row += usize::from(has_row);
            }
            gone.read_texts(output, &base.chunks[place.chunk], place, &rows, &of_rows)?;
        }
        Ok(gone)
    }

    fn push(&mut self, staged: &StagedPage) {
        let (url, surt, row_id, record_id) = match staged {
            // Its capture is another record.
            StagedPage::SiteFile(_) | StagedPage::DrawnMark(_) => return,
            StagedPage::Page(page) => {
                let document = &page.document;
                let ids = (Some(document.row_id.clone()), Some(document.record_id.clone()));
                (document.url.clone(), document.surt.clone(), ids.0, ids.1)
            }
            StagedPage::Reject(reject) => {
                let text = |text: &Option<String>| text.clone().unwrap_or_default();
                (
                    text(&reject.url),
                    text(&reject.surt),
                    reject.row_id.clone(),
                    reject.record_id.clone(),
                )
            }
        };
        self.addresses.extend([url.clone(), surt]);
        self.pages.push(RemovedPage {
            url,
            row_id,
            record_id,
            text_digest: None,
        });
    }

    /// Reads the kept texts of some rows of a unit, each of which is one of the pages.
    fn read_texts(
        &mut self,
        output: &Output,
        chunk: &WrittenChunk,
        place: UnitPlace,
        rows: &[usize],
        pages: &[usize],
    ) -> Result<(), Error> {
        let groups = chunk.groups_of(place.unit)[DOCUMENTS].clone();
        let Some(file) = chunk.file(&DocumentRow::TABLE).filter(|_| !rows.is_empty()) else {
            return Ok(());
        };
        let texts = Texts::open(output, file, groups, Some(rows))?;
        for (text, &page) in texts.zip(pages) {
            let (_, text) = text?;
            self.pages[page].text_digest = Some(blake3::hash(text.as_bytes()).to_string());
            if self.bytes < MOST_TEXT {
                self.bytes += text.len();
                self.texts.push(text);
            }
        }
        Ok(())
    }

    /// Searches the files that stay. `left_out`: whether a record goes; `pages` are all pages of the old version, and
    /// `files` those of the new one. Files of `deleted` go with the commit.
    pub(crate) fn search(
        &self,
        output: &Output,
        pages: &Runs,
        left_out: &LeftOut,
        files: &VersionFiles,
        is_deleted: impl Fn(&str) -> bool,
    ) -> Result<Searched, Error> {
        let mut windows = Windows::new(self.texts.iter().map(String::as_str));
        let mut addresses = Strings::new(self.addresses.iter().map(String::as_str));
        let all = windows.len();
        let shared = self.shared(output, pages, left_out, files, Search::new(&windows, &addresses))?;
        windows.remove(&shared);
        addresses.remove(&shared);
        let names: Vec<(String, u64)> = {
            let there = output
                .list("")?
                .into_iter()
                .filter(|entry| !is_deleted(&entry.name));
            there.map(|entry| (entry.name, entry.size)).collect()
        };
        let found = Mutex::new((Vec::new(), 0));
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), Error> {
            while let Some((name, size)) = names.get(next.fetch_add(1, Relaxed)) {
                let mut search = Search::new(&windows, &addresses);
                search_file(output, name, *size, &mut search)?;
                let of_file = search.found();
                let mut found = found.lock();
                found.1 += of_file.searched;
                if !of_file.is_empty() {
                    found.0.push(FoundInFile {
                        file: name.clone(),
                        passages: of_file.passages.len() as u64,
                        addresses: of_file.strings.len() as u64,
                    });
                }
            }
            Ok(())
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let mut done = threads.into_iter().map(|thread| thread.join());
            done.try_for_each(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
        })?;
        let (mut found, bytes) = found.into_inner();
        found.sort();
        Ok(Searched {
            pages: self.pages.len() as u64,
            texts: self.texts.len() as u64,
            windows: windows.len() as u64,
            shared: (all - windows.len() + addresses.shared().count()) as u64,
            files: names.len() as u64,
            bytes,
            found,
        })
    }
}

impl Gone {
    /// What pages that stay have, too: in their records, and in their kept texts.
    fn shared(
        &self,
        output: &Output,
        pages: &Runs,
        left_out: &LeftOut,
        files: &VersionFiles,
        mut search: Search<'_>,
    ) -> Result<Places, Error> {
        let mut records = Merge::new(pages, &[], &[])?;
        while let Some(record) = records.next()? {
            if !left_out(record.key) {
                search.push(record.value);
                search.end();
            }
        }
        let rows: FxHashSet<&str> = self
            .pages
            .iter()
            .filter_map(|page| page.row_id.as_deref())
            .collect();
        for file in files.of(DocumentRow::TABLE.name) {
            for row in Texts::with_ids(output, file)? {
                let (row_id, text) = row?;
                // In the file texts stand one behind the other, so that what goes from one to the next is there, too.
                match rows.contains(&*row_id) {
                    true => search.end(),
                    false => search.push(text.as_bytes()),
                }
            }
            search.end();
        }
        Ok(search.into_places())
    }
}

/// Searches a file as it is, and each frame of zstd in it.
fn search_file(output: &Output, name: &str, size: u64, search: &mut Search<'_>) -> Result<(), Error> {
    if size > LARGEST {
        for start in (0..size).step_by(PIECE as usize) {
            search.push(&output.get_range(name, start..size.min(start + PIECE))?);
        }
        return Ok(());
    }
    let Some(bytes) = output.get(name)? else {
        return Ok(());
    };
    search.push(&bytes);
    let mut rest = &*bytes;
    while let Some(at) = rest.windows(FRAME.len()).position(|bytes| bytes == FRAME) {
        rest = &rest[at..];
        unpack(rest, search);
        rest = &rest[FRAME.len()..];
    }
    Ok(())
}

/// Searches a frame of zstd, as far as it is one.
fn unpack(frame: &[u8], search: &mut Search<'_>) {
    // The bytes before are not part of it.
    search.end();
    let Ok(decoder) = zstd::stream::read::Decoder::with_buffer(frame) else {
        return;
    };
    let mut decoder = decoder.single_frame();
    let mut piece = vec![0; 1 << 16];
    while let Ok(read @ 1..) = decoder.read(&mut piece) {
        search.push(&piece[..read]);
    }
    search.end();
}
