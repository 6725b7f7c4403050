//! What is noted of pages for the sake of their sites, kept by bucket of sites: the mine phase takes
//! some buckets at a time, and its memory is that of those.

use gleaner_template::evidence::PageNotes;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::error::Error;
use crate::staging::{Extent, Kept, Staging, pack, unpack};

/// Sites are dealt into so many buckets.
pub(crate) const BUCKETS: usize = 64;

/// What is noted of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// The site's name.
    pub(crate) site: String,
    /// A hash of the URL: captures of one URL are one page.
    pub(crate) url: u64,
    /// When it was captured: of several captures the newest counts.
    pub(crate) captured: i64,
    /// The page's place in its unit.
    pub(crate) entry: u32,
    /// Whether it shows what other pages are about.
    pub(crate) is_listing: bool,
    /// Where the page waits.
    pub(crate) staged: Waits,
    /// Its blocks.
    pub(crate) page: PageNotes,
}

/// Where a page waits: in which piece of its unit, and where in that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waits {
    pub(crate) piece: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Note {
    /// The site as a number.
    pub(crate) fn site_key(&self) -> u64 {
        site_key(&self.site)
    }
}

/// A site as a number.
pub(crate) fn site_key(site: &str) -> u64 {
    xxh3_64(site.as_bytes())
}

/// A page of a site, or a text of one, as a number: of whatever the hash is.
pub(crate) fn of_site(site: u64, hash: u128) -> u128 {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&site.to_le_bytes());
    bytes[8..].copy_from_slice(&hash.to_le_bytes());
    xxh3_128(&bytes)
}

/// The notes of a unit while it is read.
#[derive(Debug)]
pub(crate) struct NoteBuffer {
    buckets: Vec<Vec<u8>>,
    blocks: Vec<u64>,
    bytes: usize,
}

/// Notes in staging, bucket after bucket.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NoteRun {
    extent: Extent,
    /// Where each bucket ends.
    ends: Vec<u64>,
    /// Blocks in each.
    pub(crate) blocks: Vec<u64>,
}

impl Default for NoteBuffer {
    fn default() -> Self {
        NoteBuffer {
            buckets: vec![Vec::new(); BUCKETS],
            blocks: vec![0; BUCKETS],
            bytes: 0,
        }
    }
}

impl NoteBuffer {
    pub(crate) fn push(&mut self, note: &Note) {
        let bucket = (note.site_key() % BUCKETS as u64) as usize;
        let bytes = &mut self.buckets[bucket];
        let before = bytes.len();
        pack(note, bytes);
        self.bytes += bytes.len() - before;
        self.blocks[bucket] += note.page.blocks.len() as u64 + 1;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes all notes, and forgets them.
    pub(crate) fn stage(&mut self, staging: &Staging, file: Kept) -> Result<NoteRun, Error> {
        let all = self.buckets.concat();
        let mut end = 0;
        let ends = self.buckets.iter_mut().map(|bucket| {
            end += bucket.len() as u64;
            bucket.clear();
            end
        });
        let run = NoteRun {
            ends: ends.collect(),
            blocks: std::mem::replace(&mut self.blocks, vec![0; BUCKETS]),
            extent: staging.append(file, &all)?,
        };
        self.bytes = 0;
        Ok(run)
    }
}

impl NoteRun {
    /// Reads the notes of some buckets.
    pub(crate) fn read(
        &self,
        buckets: std::ops::Range<usize>,
        staging: &Staging,
        mut each: impl FnMut(Note),
    ) -> Result<(), Error> {
        let end_of = |bucket: usize| self.ends.get(bucket).copied().ok_or(Error::Damaged);
        let start = buckets.start.checked_sub(1).map_or(Ok(0), end_of)?;
        let end = end_of(buckets.end - 1)?;
        if start == end {
            return Ok(());
        }
        let mut bytes = Vec::new();
        staging.read(self.extent.part(start..end), &mut bytes)?;
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            each(unpack(&mut rest)?);
        }
        Ok(())
    }
}

/// Buckets in groups of at most so many blocks, but one bucket at least.
pub(crate) fn groups(blocks: &[u64], most: u64) -> Vec<std::ops::Range<usize>> {
    let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
    let mut sum = 0;
    for (bucket, &count) in blocks.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if sum + count <= most => group.end = bucket + 1,
            _ => {
                groups.push(bucket..bucket + 1);
                sum = 0;
            }
        }
        sum += count;
    }
    groups
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;

    #[test]
    fn notes_are_read_by_bucket() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let staging = Staging::new(&output);
        let mut buffer = NoteBuffer::default();
        let notes: Vec<Note> = (0..200)
            .map(|number| Note {
                site: format!("s{}.example", number % 40),
                url: number,
                ..Note::default()
            })
            .collect();
        notes.iter().for_each(|note| buffer.push(note));
        assert!(buffer.bytes() > 0);
        let run = buffer.stage(&staging, Kept::Pages(0)).unwrap();
        assert_eq!((buffer.bytes(), run.blocks.iter().sum::<u64>()), (0, 200));
        let mut found = Vec::new();
        for group in groups(&run.blocks, 30) {
            let bucket = |note: &Note| (note.site_key() % BUCKETS as u64) as usize;
            run.read(group.clone(), &staging, |note| {
                assert!(group.contains(&bucket(&note)));
                found.push(note);
            })
            .unwrap();
        }
        found.sort_by_key(|note| note.url);
        assert_eq!(found, notes);
    }

    #[test]
    fn groups_are_as_large_as_may_be() {
        assert_eq!(groups(&[1, 2, 3, 10, 0, 1, 1], 5), [0..2, 2..3, 3..4, 4..7]);
        assert_eq!(groups(&[1, 2, 3, 4], 6), [0..3, 3..4]);
    }

    #[test]
    fn texts_of_sites_are_apart() {
        assert_ne!(of_site(1, 2), of_site(2, 1));
        assert_eq!(of_site(1, 2), of_site(1, 2));
    }
}
