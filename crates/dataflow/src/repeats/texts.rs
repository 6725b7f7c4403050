//! The texts of documents, in the order of places.

use gleaner_corpus::Texts;
use gleaner_store::Output;

use super::lines::{LinePlace, WrittenLines};
use crate::error::Error;
use crate::sorted_runs::Merge;

/// Reads the texts of the documents of places that are asked for in order.
pub(super) struct TextsByPlace<'a> {
    output: &'a Output,
    chunks: &'a [WrittenLines],
    /// The places that are asked for, read ahead: so it is known which rows of a file are wanted.
    ahead: Merge,
    /// The chunk that is open, and the texts that are wanted of it.
    chunk: Option<(u32, Texts)>,
    /// The row that came last, and its text.
    row: Option<u32>,
    text: String,
}

impl<'a> TextsByPlace<'a> {
    pub(super) fn new(output: &'a Output, chunks: &'a [WrittenLines], ahead: Merge) -> TextsByPlace<'a> {
        TextsByPlace {
            output,
            chunks,
            ahead,
            chunk: None,
            row: None,
            text: String::new(),
        }
    }

    /// The text of the document at the next place.
    pub(super) fn get(&mut self, place: LinePlace) -> Result<&str, Error> {
        if self.chunk.as_ref().is_none_or(|(chunk, _)| *chunk != place.chunk) {
            let rows = self.rows(place.chunk)?;
            let written = self.chunks.get(place.chunk as usize).ok_or(Error::Damaged)?;
            let texts = Texts::open(self.output, &written.documents, None, Some(&rows))?;
            (self.chunk, self.row) = (Some((place.chunk, texts)), None);
        }
        if self.row != Some(place.row) {
            let (_, texts) = self.chunk.as_mut().ok_or(Error::Damaged)?;
            self.text = texts.next().ok_or(Error::Damaged)??.text;
            self.row = Some(place.row);
        }
        Ok(&self.text)
    }

    /// The rows of a chunk that are wanted, each once.
    fn rows(&mut self, chunk: u32) -> Result<Vec<usize>, Error> {
        let mut rows = Vec::new();
        while let Some(key) = self.ahead.peek()? {
            let place = LinePlace::read(key)?;
            if place.chunk != chunk {
                break;
            }
            let row = place.row as usize;
            if rows.last() != Some(&row) {
                rows.push(row);
            }
            self.ahead.next()?;
        }
        Ok(rows)
    }
}
