//! What is noted of pages for the evidence of their sites: it waits apart from the pages, and is a fifth as large.

use gleaner_site::{BlockNote, KindNote, MAX_KINDS, NO_TEXT, PageNotes};
use serde::{Deserialize, Serialize};

use crate::data::packing::{pack, unpack};
use crate::error::Error;

/// What is noted of a page, but for its blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Note<'a> {
    pub(crate) site: &'a str,
    /// A hash of the URL: captures of one URL are one page.
    pub(crate) url: u64,
    /// Whether it shows what other pages are about.
    pub(crate) is_listing: bool,
}

/// A note as it is read: what is noted of the blocks is numbers of fixed length, which are read where
/// they are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noted<'a> {
    pub(crate) note: Note<'a>,
    kind: KindNote,
    counts: Counts,
    numbers: &'a [u8],
}

/// How many texts, places and blocks there are.
type Counts = (usize, usize, usize);

/// Bytes of half of a text's hash, which is enough to distinguish the texts of a site, and of a place's.
const HASH: usize = 8;

/// The note of a block, as this number of integers: its text, its place, its words with bits for the title and for headings, and
/// its logit. They stand number by number, not block by block: numbers of a kind are compressed better.
const NUMBERS: usize = 4;
/// Bytes of a number.
const NUMBER: usize = 4;

/// Set in a block's words if it is the page's title.
const TITLE: u32 = 1 << 31;
/// Set if it is a heading.
const HEADING: u32 = 1 << 30;

impl<'a> Noted<'a> {
    /// Adds a note to bytes.
    pub(crate) fn write(note: &Note<'_>, page: &PageNotes, bytes: &mut Vec<u8>) {
        let counts = (page.texts.len(), page.places.len(), page.blocks.len());
        pack(&(note, counts, (page.kind.address, page.kind.logs)), bytes);
        bytes.reserve(length(counts));
        for text in &page.texts {
            bytes.extend_from_slice(&(*text as u64).to_le_bytes());
        }
        for place in &page.places {
            bytes.extend_from_slice(&place.to_le_bytes());
        }
        let mut write = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
        page.blocks.iter().for_each(|block| write(block.text));
        page.blocks.iter().for_each(|block| write(block.place));
        for block in &page.blocks {
            let title = if block.is_title { TITLE } else { 0 };
            let heading = if block.is_heading { HEADING } else { 0 };
            write(block.words.min(HEADING - 1) | title | heading);
        }
        page.logits.iter().for_each(|logit| write(logit.to_bits()));
    }

    /// Takes a note off bytes.
    pub(crate) fn take(bytes: &mut &'a [u8]) -> Result<Noted<'a>, Error> {
        let (note, counts, (address, logs)): (Note<'a>, Counts, (u64, [i16; MAX_KINDS])) = unpack(bytes)?;
        let (numbers, rest) = bytes.split_at_checked(length(counts)).ok_or(Error::Damaged)?;
        *bytes = rest;
        Ok(Noted {
            note,
            kind: KindNote { address, logs },
            counts,
            numbers,
        })
    }

    /// How many blocks the page has.
    pub(crate) fn blocks(&self) -> usize {
        self.counts.2
    }

    /// Reads what is noted of the blocks.
    pub(crate) fn read(&self, page: &mut PageNotes) -> Result<(), Error> {
        page.clear();
        page.kind = self.kind;
        let (texts, places, blocks) = self.counts;
        let (hashes, numbers) = self.numbers.split_at(HASH * (texts + places));
        let hashes = hashes.as_chunks().0.iter();
        let mut hashes = hashes.map(|hash| u64::from_le_bytes(*hash));
        page.texts.extend(hashes.by_ref().take(texts).map(u128::from));
        page.places.extend(hashes);
        let numbers = numbers.as_chunks().0;
        let of_kind = |kind: usize| {
            let numbers = numbers[kind * blocks..][..blocks].iter();
            numbers.map(|number| u32::from_le_bytes(*number))
        };
        let mut is_sound = true;
        let notes = of_kind(0).zip(of_kind(1)).zip(of_kind(2));
        page.blocks.extend(notes.map(|((text, place), words)| {
            is_sound &= text == NO_TEXT || (text as usize) < texts;
            is_sound &= (place as usize) < places;
            BlockNote {
                text,
                place,
                words: words & !(TITLE | HEADING),
                is_title: words & TITLE != 0,
                is_heading: words & HEADING != 0,
            }
        }));
        page.logits.extend(of_kind(3).map(f32::from_bits));
        is_sound.then_some(()).ok_or(Error::Damaged)
    }
}

/// Bytes of all numbers of a note.
fn length((texts, places, blocks): Counts) -> usize {
    let hashes = texts.saturating_add(places).saturating_mul(HASH);
    hashes.saturating_add(blocks.saturating_mul(NUMBERS * NUMBER))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page() -> impl Strategy<Value = PageNotes> {
        let note = |seed: &u32| BlockNote {
            text: [0, 1, 2, NO_TEXT][*seed as usize % 4],
            place: seed / 4 % 3,
            words: seed >> 8,
            is_title: seed & 16 != 0,
            is_heading: seed & 32 != 0,
        };
        let seeds = (
            prop::collection::vec(any::<u32>(), 0..20),
            any::<u64>(),
            any::<u64>(),
        );
        seeds.prop_map(move |(blocks, text, place)| PageNotes {
            texts: vec![u128::from(text), 1, 2],
            places: vec![place, 3, 4],
            logits: blocks.iter().map(|seed| *seed as f32).collect(),
            blocks: blocks.iter().map(note).collect(),
            kind: KindNote {
                address: place,
                logs: std::array::from_fn(|kind| -(text as i16 >> kind)),
            },
        })
    }

    proptest! {
        #[test]
        fn notes_come_back(
            page in page(), site in ".{0,20}", url: u64, is_listing: bool, end: prop::sample::Index,
        ) {
            let note = Note { site: &site, url, is_listing };
            let mut bytes = Vec::new();
            Noted::write(&note, &page, &mut bytes);
            let noted = Noted::take(&mut bytes.as_slice()).unwrap();
            let mut read = PageNotes::default();
            noted.read(&mut read).unwrap();
            prop_assert_eq!((noted.note, noted.blocks(), read), (note, page.blocks.len(), page));
            prop_assert!(Noted::take(&mut &bytes[..end.index(bytes.len())]).is_err());
        }
    }

    #[test]
    fn blocks_of_texts_and_places_that_are_not_there_are_errors() {
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
            kind: KindNote::default(),
        };
        let mut bytes = Vec::new();
        Noted::write(&Note::default(), &page, &mut bytes);
        let mut read = PageNotes::default();
        let block = bytes.len() - NUMBERS * NUMBER;
        for number in [block, block + NUMBER] {
            let mut damaged = bytes.clone();
            damaged[number] = 9;
            let noted = Noted::take(&mut damaged.as_slice()).unwrap();
            assert!(noted.read(&mut read).is_err());
        }
    }
}
