//! The search of files.

use std::collections::BTreeSet;

use super::strings::Strings;
use super::{WINDOW, Windows};

/// The bytes that are searched in one go.
const PIECE: usize = 1 << 16;

/// A search of the bytes of files.
#[derive(Debug)]
pub struct Search<'a> {
    windows: &'a Windows,
    strings: &'a Strings,
    /// The end of the last piece, which may begin a window; and the piece.
    text: Vec<u8>,
    /// The end of the last piece, which may begin a string; and the piece.
    bytes: Vec<u8>,
    places: Places,
    searched: u64,
}

/// Which windows and strings were found, without their texts: so they can be taken out as shared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub(super) windows: BTreeSet<usize>,
    pub(super) strings: BTreeSet<usize>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found<'a> {
    /// The passages of the texts that occur. All of their windows do, and each window is in one passage.
    pub passages: Vec<&'a str>,
    /// The strings that occur.
    pub strings: Vec<&'a str>,
    /// The bytes that were searched.
    pub searched: u64,
}

impl Found<'_> {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty() && self.strings.is_empty()
    }
}

impl<'a> Search<'a> {
    /// Begins a search.
    pub fn new(windows: &'a Windows, strings: &'a Strings) -> Search<'a> {
        Search {
            windows,
            strings,
            text: Vec::new(),
            bytes: Vec::new(),
            places: Places::default(),
            searched: 0,
        }
    }

    /// Searches the next bytes of the file. They need not be whole characters, or text.
    pub fn push(&mut self, bytes: &[u8]) {
        self.searched += bytes.len() as u64;
        for piece in bytes.chunks(PIECE) {
            self.push_text(piece);
            self.push_strings(piece);
        }
    }

    /// Ends a text or a file: what follows is not joined with what was before.
    pub fn end(&mut self) {
        self.text.clear();
        self.bytes.clear();
    }

    /// The places of what was found.
    pub fn into_places(self) -> Places {
        self.places
    }

    /// What was found up to here.
    pub fn found(&self) -> Found<'a> {
        let (windows, strings) = (self.windows, self.strings);
        Found {
            passages: windows.passages(self.places.windows.iter().copied()),
            strings: self
                .places
                .strings
                .iter()
                .map(|&string| strings.get(string))
                .collect(),
            searched: self.searched,
        }
    }

    fn push_text(&mut self, piece: &[u8]) {
        self.text.extend_from_slice(piece);
        let mut from = 0;
        let kept = loop {
            let rest = &self.text[from..];
            let (text, skipped) = match std::str::from_utf8(rest) {
                Ok(text) => (text, None),
                Err(error) => (valid(rest, error.valid_up_to()), error.error_len()),
            };
            let found = &mut self.places.windows;
            self.windows.each_in(text, |window| {
                found.insert(window);
            });
            match skipped {
                // No window has a byte that is no character.
                Some(skipped) => from += text.len() + skipped,
                None => break from + last_characters(text),
            }
        };
        self.text.drain(..kept);
    }

    fn push_strings(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        self.strings.find(&self.bytes, &mut self.places.strings);
        let kept = self.strings.longest().saturating_sub(1);
        self.bytes.drain(..self.bytes.len().saturating_sub(kept));
    }
}

/// The characters before the first that is none.
fn valid(bytes: &[u8], end: usize) -> &str {
    std::str::from_utf8(&bytes[..end]).expect("the bytes before a fault were found to be characters")
}

/// Where the characters begin that the first window of the next piece may have.
fn last_characters(text: &str) -> usize {
    let mut last = text.char_indices().rev();
    last.nth(WINDOW - 2).map_or(0, |(start, _)| start)
}
