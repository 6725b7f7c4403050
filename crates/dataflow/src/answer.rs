//! What a site says of one of its pages.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::packing::{add_sum, check_sum, pack, unpack};
use crate::staging::{Extent, Kept, Staging};

/// What a site says of one of its pages; what is by block has a value a block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The page's place in its unit.
    pub(crate) entry: u32,
    /// The site's pages.
    pub(crate) site_pages: u32,
    /// The site's pages that have the block's text; 0 for a text that is not counted.
    #[serde(with = "gleaner_document::packed::small")]
    pub(crate) pages: Vec<u32>,
    /// The log odds that the block is content, for all that is known of the site; no number where they are
    /// what they were, and empty where all are.
    #[serde(with = "gleaner_document::packed::bulk")]
    pub(crate) logits: Vec<f32>,
    /// The share of the block that the site's expressions match; empty where they match nothing, or
    /// where nobody asks.
    #[serde(with = "gleaner_document::packed::bulk")]
    pub(crate) coverage: Vec<f32>,
}

/// Bytes of answers that are written at a time, and that are read before the first page.
const PIECE: usize = 1 << 20;
const AT_ONCE: u64 = 8 << 20;

/// Bytes before the answers of a piece: the first of its pages.
const FIRST: usize = 4;

/// Answers to pages of a unit that are not written yet.
#[derive(Debug, Default)]
pub(crate) struct AnswerBuffer {
    first: u32,
    bytes: Vec<u8>,
}

impl AnswerBuffer {
    /// Adds an answer; says whether there is enough to be written.
    pub(crate) fn push(&mut self, answer: &Answer) -> bool {
        if self.bytes.is_empty() {
            self.first = answer.entry;
            self.bytes.extend_from_slice(&[0; FIRST]);
        }
        self.first = self.first.min(answer.entry);
        pack(answer, &mut self.bytes);
        self.bytes.len() >= PIECE
    }

    /// Writes what there is, if there is something.
    pub(crate) fn write(&mut self, staging: &Staging, file: Kept) -> Result<Option<Extent>, Error> {
        let Some(first) = self.bytes.first_chunk_mut::<FIRST>() else {
            return Ok(None);
        };
        *first = self.first.to_le_bytes();
        add_sum(&mut self.bytes);
        staging.append(file, &mut self.bytes).map(Some)
    }
}

/// The answers to the pages of a unit, which are asked for in the order of the pages.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    by_entry: FxHashMap<u32, Answer>,
    /// What is not read yet, by the first page, the last of these first.
    pieces: Vec<(u32, Extent)>,
    room: Vec<u8>,
}

impl Answers {
    /// Finds what the mine phase wrote for a unit.
    pub(crate) fn find(extents: &[Extent], staging: &Staging) -> Result<Answers, Error> {
        let mut answers = Answers::default();
        // Few are read as a whole, which is a request less for each where they are in a bucket.
        let is_much = extents.iter().map(|extent| extent.len()).sum::<u64>() > AT_ONCE;
        for &extent in extents {
            let first = match is_much {
                true => first_page(&staging.read(extent.part(0..FIRST as u64), &mut answers.room)?)?.0,
                false => 0,
            };
            answers.pieces.push((first, extent));
        }
        answers.pieces.sort_by_key(|piece| std::cmp::Reverse(*piece));
        Ok(answers)
    }

    /// The answer to a page, if its site has one. It is asked for once.
    pub(crate) fn take(&mut self, entry: u32, staging: &Staging) -> Result<Option<Answer>, Error> {
        while let Some((_, extent)) = self.pieces.pop_if(|(first, _)| *first <= entry) {
            self.read(extent, staging)?;
            staging.forget([extent]);
        }
        Ok(self.by_entry.remove(&entry))
    }

    fn read(&mut self, extent: Extent, staging: &Staging) -> Result<(), Error> {
        let bytes = staging.read(extent, &mut self.room)?;
        let (_, mut rest) = first_page(check_sum(&bytes)?)?;
        while !rest.is_empty() {
            let answer: Answer = unpack(&mut rest)?;
            self.by_entry.insert(answer.entry, answer);
        }
        Ok(())
    }
}

/// The first page of a piece, and its answers.
fn first_page(bytes: &[u8]) -> Result<(u32, &[u8]), Error> {
    let (first, rest) = bytes.split_first_chunk::<FIRST>().ok_or(Error::Damaged)?;
    Ok((u32::from_le_bytes(*first), rest))
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};

    use super::*;

    fn answer(entry: u32, blocks: usize) -> Answer {
        Answer {
            entry,
            site_pages: 7,
            pages: vec![entry; blocks],
            logits: vec![0.5; blocks],
            ..Answer::default()
        }
    }

    /// Writes answers, and takes them in the order of their pages; gives the most that were in memory.
    fn written(answers: &[Answer]) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let staging = Staging::new(&store.output(folder.path().to_str().unwrap()).unwrap());
        let (mut buffer, mut extents) = (AnswerBuffer::default(), Vec::new());
        for answer in answers {
            if buffer.push(answer) {
                extents.extend(buffer.write(&staging, Kept::Group(0)).unwrap());
            }
        }
        extents.extend(buffer.write(&staging, Kept::Group(0)).unwrap());
        assert_eq!(buffer.write(&staging, Kept::Group(0)).unwrap(), None);
        let mut read = Answers::find(&extents, &staging).unwrap();
        let mut most = 0;
        for entry in 0..2 * answers.len() as u32 {
            let expected = answers.iter().find(|answer| answer.entry == entry);
            assert_eq!(read.take(entry, &staging).unwrap().as_ref(), expected, "{entry}");
            most = most.max(read.by_entry.len());
        }
        most
    }

    #[test]
    fn answers_come_back_in_the_order_of_pages() {
        let mut answers: Vec<Answer> = (0..40).map(|page| answer(2 * page, 9)).collect();
        answers.swap(3, 30);
        assert_eq!(written(&answers), 39);
    }

    #[test]
    fn those_of_large_pages_are_read_when_their_pages_come() {
        let answers: Vec<Answer> = (0..40).map(|page| answer(2 * page, 100_000)).collect();
        assert!(written(&answers) <= 3);
    }
}
