//! Texts that wait to be mined: in memory as far as there is room, the rest in a file without a name.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A text that waits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum KeptText {
    Memory(String),
    File { start: u64, bytes: usize },
}

/// Where texts wait.
#[derive(Debug)]
pub(super) struct Texts(Mutex<State>);

#[derive(Debug)]
struct State {
    /// Bytes for which there is room in memory.
    room: u64,
    file: Option<File>,
    end: u64,
}

impl Texts {
    /// With room in memory for so many bytes.
    pub(super) fn new(room: u64) -> Texts {
        Texts(Mutex::new(State {
            room,
            file: None,
            end: 0,
        }))
    }

    /// Has a text wait.
    pub(super) fn add(&self, text: &str) -> io::Result<KeptText> {
        let mut state = self.lock();
        let bytes = text.len() as u64;
        if bytes <= state.room {
            state.room -= bytes;
            drop(state);
            return Ok(KeptText::Memory(text.to_owned()));
        }
        let start = state.end;
        let file = match &mut state.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(start))?;
        file.write_all(text.as_bytes())?;
        state.end += bytes;
        Ok(KeptText::File {
            start,
            bytes: text.len(),
        })
    }

    /// Nobody asks for a text any more.
    pub(super) fn forget(&self, text: KeptText) {
        if let KeptText::Memory(text) = text {
            let mut state = self.lock();
            state.room = state.room.saturating_add(text.len() as u64);
        }
    }

    /// The beginning of a text, of at most so many bytes.
    pub(super) fn read<'a>(&self, text: &'a KeptText, most: usize) -> io::Result<Cow<'a, str>> {
        let (start, bytes) = match text {
            KeptText::Memory(text) => return Ok(text[..text.floor_char_boundary(most)].into()),
            KeptText::File { start, bytes } => (*start, *bytes),
        };
        let mut read = vec![0; bytes.min(most)];
        let mut state = self.lock();
        let file = state.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut read)?;
        drop(state);
        // A character may be cut at the end, and nowhere else.
        if let Err(error) = std::str::from_utf8(&read) {
            read.truncate(error.valid_up_to());
        }
        let text = String::from_utf8(read).map_err(io::Error::other)?;
        Ok(text.into())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptText {
    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        match self {
            KeptText::Memory(text) => text.len(),
            KeptText::File { bytes, .. } => *bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_from_memory_and_from_the_file() {
        let texts = Texts::new(10);
        let written = ["a\u{e9}b", "long \u{e9} text", "", "0123456789"];
        let waiting: Vec<KeptText> = written.iter().map(|text| texts.add(text).unwrap()).collect();
        let in_memory: Vec<bool> = waiting
            .iter()
            .map(|text| matches!(text, KeptText::Memory(_)))
            .collect();
        assert_eq!(in_memory, [true, false, true, false]);
        for (text, waiting) in written.iter().zip(&waiting) {
            assert_eq!(waiting.len(), text.len());
            for most in 0..20 {
                let beginning = &text[..text.floor_char_boundary(most)];
                assert_eq!(texts.read(waiting, most).unwrap(), beginning);
            }
        }
    }

    #[test]
    fn room_that_is_given_back_is_used_again() {
        let texts = Texts::new(5);
        let first = texts.add("12345").unwrap();
        texts.forget(first);
        assert_eq!(texts.add("abcde").unwrap(), KeptText::Memory("abcde".to_owned()));
    }
}
