//! What is noted of pages for the sake of their sites, kept by bucket of sites: the mine phase takes
//! some buckets at a time, and its memory is that of those.

use gleaner_site::{BlockNote, NO_TEXT, PageNotes};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::error::Error;
use crate::packing::{pack, unpack};
use crate::staging::{Extent, Kept, Staging};

/// What is noted of a page, but for its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Note<'a> {
    /// The site's name.
    pub(crate) site: &'a str,
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
}

/// Where a page waits: in which piece of its unit, and where in that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waits {
    pub(crate) piece: u32,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// A note as it is read: what is noted of the blocks is numbers of fixed length, which are read where
/// they are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted<'a> {
    pub(crate) note: Note<'a>,
    /// The site as a number.
    pub(crate) site: u64,
    texts: &'a [[u8; TEXT]],
    places: &'a [[u8; PLACE]],
    blocks: &'a [[u8; BLOCK]],
}

/// Bytes of the numbers: a text's hash; a place's; of a block its text, its place, its words with bits
/// for the title and for headings, and its logit.
const TEXT: usize = 16;
const PLACE: usize = 8;
const BLOCK: usize = 16;

/// Set in a block's words if it is the page's title.
const TITLE: u32 = 1 << 31;
/// Set if it is a heading.
const HEADING: u32 = 1 << 30;

impl<'a> Noted<'a> {
    /// Adds a note to bytes. Texts become those of the site ([`of_site`]).
    fn write(note: &Note<'_>, page: &PageNotes, bytes: &mut Vec<u8>) {
        let site = site_key(note.site);
        let counts = (page.texts.len(), page.places.len(), page.blocks.len());
        pack(&(note, counts), bytes);
        bytes.reserve(counts.0 * TEXT + counts.1 * PLACE + counts.2 * BLOCK);
        let apart = apart(site);
        for &text in &page.texts {
            bytes.extend_from_slice(&(apart ^ text).to_le_bytes());
        }
        for place in &page.places {
            bytes.extend_from_slice(&place.to_le_bytes());
        }
        for (block, logit) in page.blocks.iter().zip(&page.logits) {
            let title = if block.is_title { TITLE } else { 0 };
            let heading = if block.is_heading { HEADING } else { 0 };
            let words = block.words.min(HEADING - 1) | title | heading;
            let numbers = [block.text, block.place, words, logit.to_bits()];
            let mut block = [0; BLOCK];
            for (bytes, number) in block.chunks_exact_mut(4).zip(numbers) {
                bytes.copy_from_slice(&number.to_le_bytes());
            }
            bytes.extend_from_slice(&block);
        }
    }

    /// Takes the next note off bytes.
    fn take(bytes: &mut &'a [u8]) -> Result<Noted<'a>, Error> {
        let (note, counts): (Note<'a>, (usize, usize, usize)) = unpack(bytes)?;
        Ok(Noted {
            note,
            site: site_key(note.site),
            texts: numbers(counts.0, bytes)?,
            places: numbers(counts.1, bytes)?,
            blocks: numbers(counts.2, bytes)?,
        })
    }

    /// How many different texts the page has.
    pub(crate) fn text_count(&self) -> usize {
        self.texts.len()
    }

    /// The page's texts, each once, as those of its site.
    pub(crate) fn texts(&self) -> impl Iterator<Item = u128> {
        self.texts.iter().map(|text| u128::from_le_bytes(*text))
    }

    /// The page's places, each once, as those of its site.
    pub(crate) fn places(&self) -> impl Iterator<Item = u128> {
        let apart = apart(self.site);
        let places = self.places.iter().map(|place| u64::from_le_bytes(*place));
        places.map(move |place| apart ^ u128::from(place))
    }

    /// Reads what is noted of the blocks. The texts are those of the site.
    pub(crate) fn read(&self, page: &mut PageNotes) -> Result<(), Error> {
        page.clear();
        page.texts.extend(self.texts());
        let places = self.places.iter().map(|place| u64::from_le_bytes(*place));
        page.places.extend(places);
        let mut is_sound = true;
        let blocks = self.blocks.iter().map(|block| {
            let [text, place, words, _] = block_numbers(block);
            is_sound &= text == NO_TEXT || (text as usize) < self.texts.len();
            is_sound &= (place as usize) < self.places.len();
            BlockNote {
                text,
                place,
                words: words & !(TITLE | HEADING),
                is_title: words & TITLE != 0,
                is_heading: words & HEADING != 0,
            }
        });
        page.blocks.extend(blocks);
        let logits = self.blocks.iter().map(|block| block_numbers(block)[3]);
        page.logits.extend(logits.map(f32::from_bits));
        is_sound.then_some(()).ok_or(Error::Damaged)
    }
}

/// What is noted of a block, as numbers.
fn block_numbers(block: &[u8; BLOCK]) -> [u32; BLOCK / 4] {
    let mut numbers = [0; BLOCK / 4];
    for (number, bytes) in numbers.iter_mut().zip(block.as_chunks().0) {
        *number = u32::from_le_bytes(*bytes);
    }
    numbers
}

/// Takes so many numbers off bytes.
fn numbers<'a, const N: usize>(count: usize, bytes: &mut &'a [u8]) -> Result<&'a [[u8; N]], Error> {
    let length = count.checked_mul(N).ok_or(Error::Damaged)?;
    let (own, rest) = bytes.split_at_checked(length).ok_or(Error::Damaged)?;
    *bytes = rest;
    Ok(own.as_chunks().0)
}

/// A site as a number.
pub(crate) fn site_key(site: &str) -> u64 {
    xxh3_64(site.as_bytes())
}

/// The bucket of a site, of so many.
fn bucket(site: u64, buckets: usize) -> usize {
    (site % buckets as u64) as usize
}

/// What tells the hashes of a site from those of others.
fn apart(site: u64) -> u128 {
    xxh3_128(&site.to_le_bytes())
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

impl NoteBuffer {
    /// For so many buckets of sites.
    pub(crate) fn new(buckets: usize) -> NoteBuffer {
        NoteBuffer {
            buckets: vec![Vec::new(); buckets],
            blocks: vec![0; buckets],
            bytes: 0,
        }
    }

    pub(crate) fn push(&mut self, note: &Note<'_>, page: &PageNotes) {
        let bucket = bucket(site_key(note.site), self.buckets.len());
        let bytes = &mut self.buckets[bucket];
        let before = bytes.len();
        Noted::write(note, page, bytes);
        self.bytes += bytes.len() - before;
        self.blocks[bucket] += page.blocks.len() as u64 + 1;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Writes all notes, and forgets them.
    pub(crate) fn stage(&mut self, staging: &Staging, file: Kept) -> Result<NoteRun, Error> {
        let mut end = 0;
        let ends = self.buckets.iter().map(|bucket| {
            end += bucket.len() as u64;
            end
        });
        let ends = ends.collect();
        let mut all = self.take();
        let run = NoteRun {
            ends,
            blocks: std::mem::replace(&mut self.blocks, vec![0; self.buckets.len()]),
            extent: staging.append(file, &mut all)?,
        };
        self.bytes = 0;
        Ok(run)
    }

    /// Takes all notes, bucket after bucket: those of one bucket, as a unit of one site has them, as they are.
    fn take(&mut self) -> Vec<u8> {
        let mut filled = self.buckets.iter_mut().filter(|bucket| !bucket.is_empty());
        match (filled.next(), filled.next()) {
            (Some(bucket), None) => std::mem::replace(bucket, Vec::with_capacity(bucket.len())),
            _ => {
                let all = self.buckets.concat();
                self.buckets.iter_mut().for_each(Vec::clear);
                all
            }
        }
    }
}

impl NoteRun {
    /// Where they are.
    pub(crate) fn extent(&self) -> Extent {
        self.extent
    }

    /// Reads the notes of some buckets, into memory that is used again.
    pub(crate) fn read(
        &self,
        buckets: std::ops::Range<usize>,
        staging: &Staging,
        bytes: &mut Vec<u8>,
        mut each: impl FnMut(&Noted<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let end_of = |bucket: usize| self.ends.get(bucket).copied().ok_or(Error::Damaged);
        let start = buckets.start.checked_sub(1).map_or(Ok(0), end_of)?;
        let end = end_of(buckets.end - 1)?;
        if start == end {
            return Ok(());
        }
        let bytes = staging.read(self.extent.part(start..end), bytes)?;
        let mut rest = &*bytes;
        while !rest.is_empty() {
            each(&Noted::take(&mut rest)?)?;
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
        let mut buffer = NoteBuffer::new(64);
        let page = |number: u64| PageNotes {
            texts: (0..number % 3).map(u128::from).collect(),
            places: vec![number, 7],
            blocks: (0..number as u32 % 5)
                .map(|block| BlockNote {
                    text: if u64::from(block) < number % 3 {
                        block
                    } else {
                        NO_TEXT
                    },
                    place: block % 2,
                    words: block,
                    is_title: block == 3,
                    is_heading: block == 2,
                })
                .collect(),
            logits: (0..number as u32 % 5).map(|block| block as f32 - 1.5).collect(),
        };
        for number in 0..200 {
            let site = format!("s{}.example", number % 40);
            let note = Note {
                site: &site,
                url: number,
                ..Note::default()
            };
            buffer.push(&note, &page(number));
        }
        assert!(buffer.bytes() > 0);
        let run = buffer.stage(&staging, Kept::Pages(0, 0)).unwrap();
        let blocks: u64 = (0..200).map(|number| 1 + number % 5).sum();
        assert_eq!((buffer.bytes(), run.blocks.iter().sum::<u64>()), (0, blocks));
        let mut found = Vec::new();
        let mut read = PageNotes::default();
        for group in groups(&run.blocks, 30) {
            run.read(group.clone(), &staging, &mut Vec::new(), |noted| {
                assert!(group.contains(&bucket(noted.site, 64)));
                let number = noted.note.url;
                let mut expected = page(number);
                expected
                    .texts
                    .iter_mut()
                    .for_each(|text| *text ^= apart(noted.site));
                noted.read(&mut read)?;
                assert_eq!(
                    (noted.note.site, &read),
                    (format!("s{}.example", number % 40).as_str(), &expected)
                );
                assert!(noted.texts().eq(expected.texts));
                found.push(number);
                Ok(())
            })
            .unwrap();
        }
        found.sort_unstable();
        assert!(found.into_iter().eq(0..200));
    }

    #[test]
    fn notes_of_one_site_are_staged_more_than_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(folder.path().to_str().unwrap()).unwrap();
        let staging = Staging::new(&output);
        let mut buffer = NoteBuffer::new(8);
        for count in [3, 5] {
            for number in 0..count {
                let note = Note {
                    site: "a.example",
                    url: number,
                    ..Note::default()
                };
                buffer.push(&note, &PageNotes::default());
            }
            let run = buffer.stage(&staging, Kept::Pages(0, 0)).unwrap();
            let mut found = Vec::new();
            run.read(0..8, &staging, &mut Vec::new(), |noted| {
                found.push(noted.note.url);
                Ok(())
            })
            .unwrap();
            assert!(found.into_iter().eq(0..count));
        }
    }

    #[test]
    fn damaged_notes_are_told() {
        let page = PageNotes {
            texts: vec![1],
            places: vec![2],
            blocks: vec![BlockNote {
                text: 0,
                place: 0,
                words: 3,
                is_title: false,
                is_heading: false,
            }],
            logits: vec![0.5],
        };
        let mut bytes = Vec::new();
        Noted::write(&Note::default(), &page, &mut bytes);
        let mut read = PageNotes::default();
        Noted::take(&mut bytes.as_slice())
            .unwrap()
            .read(&mut read)
            .unwrap();
        for end in 0..bytes.len() {
            assert!(Noted::take(&mut &bytes[..end]).is_err(), "{end}");
        }
        let block = bytes.len() - BLOCK;
        for number in [block, block + 4] {
            let mut damaged = bytes.clone();
            damaged[number] = 9;
            assert!(
                Noted::take(&mut damaged.as_slice())
                    .unwrap()
                    .read(&mut read)
                    .is_err()
            );
        }
    }

    #[test]
    fn groups_are_as_large_as_may_be() {
        assert_eq!(groups(&[1, 2, 3, 10, 0, 1, 1], 5), [0..2, 2..3, 3..4, 4..7]);
        assert_eq!(groups(&[1, 2, 3, 4], 6), [0..3, 3..4]);
    }

    #[test]
    fn texts_of_sites_are_apart() {
        assert_ne!(apart(1) ^ 2, apart(2) ^ 1);
    }
}
