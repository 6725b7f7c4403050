//! Pieces of staging files that are in a bucket, near at hand: in one file without a name, in the folder for temporary files.
//!
//! A piece is what one request fetches: more than was asked for, because runs are read in order. There is room for a number of
//! pieces; a new one takes the place of the oldest. No two workers fetch the same piece, and none waits for another's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use gleaner_store::Output;
use parking_lot::{Condvar, Mutex};

use crate::error::Error;
use crate::staging::Piece;
use crate::staging::staged_file::StagedFile;

/// Bytes of a piece that is fetched.
pub(crate) const PIECE: u64 = 8 << 20;

/// Pieces that there is room for: of a month of Common Crawl, what 32 workers have open of all runs.
pub(crate) const ROOM: u64 = 8192;

/// What is near at hand.
#[derive(Debug)]
pub(crate) struct Near {
    output: Output,
    /// Pieces that there is room for.
    room: u64,
    state: Mutex<NearState>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct NearState {
    file: Option<File>,
    /// The number of each piece, among all that came.
    pieces: BTreeMap<Name, u64>,
    /// Those that are being fetched.
    coming: BTreeSet<Name>,
    /// The names of pieces by the places that they take.
    places: Vec<Name>,
    came: u64,
    sizes: BTreeMap<StagedFile, u64>,
}

/// A file, and the number of the piece in it.
type Name = (StagedFile, u64);

impl Near {
    pub(crate) fn new(output: &Output) -> Near {
        Near {
            output: output.clone(),
            room: ROOM,
            state: Mutex::default(),
            came: Condvar::new(),
        }
    }

    /// Reads some bytes of a file.
    pub(crate) fn read(&self, file: StagedFile, Piece { offset, bytes }: Piece) -> Result<Vec<u8>, Error> {
        let end = offset.checked_add(bytes).ok_or(Error::Damaged)?;
        let mut read = Vec::new();
        for number in offset / PIECE..end.div_ceil(PIECE) {
            let start = number * PIECE;
            let range = offset.saturating_sub(start)..(end - start).min(PIECE);
            self.read_piece((file, number), range, &mut read)?;
        }
        Ok(read)
    }

    /// Takes in a file that was just sent to the bucket.
    pub(crate) fn add(&self, kept: StagedFile, file: &File, bytes: u64) -> Result<(), Error> {
        self.state.lock().sizes.insert(kept, bytes);
        let mut piece = Vec::new();
        // Of a file for which there is no room the end would drive out the beginning.
        for number in 0..bytes.div_ceil(PIECE).min(self.room / 2) {
            let start = number * PIECE;
            piece.resize((bytes - start).min(PIECE) as usize, 0);
            let read = read_at(file, &mut piece, start);
            read.map_err(|source| self.error("read", source))?;
            self.state.lock().put((kept, number), &piece, self)?;
        }
        Ok(())
    }

    /// Forgets a file that is no more.
    pub(crate) fn forget(&self, kept: StagedFile) {
        let mut state = self.state.lock();
        state.sizes.remove(&kept);
        state.pieces.retain(|(file, _), _| *file != kept);
    }

    fn read_piece(&self, name: Name, range: std::ops::Range<u64>, into: &mut Vec<u8>) -> Result<(), Error> {
        let mut state = self.state.lock();
        while state.coming.contains(&name) {
            self.came.wait(&mut state);
        }
        if state.read(name, range.clone(), self, into)? {
            return Ok(());
        }
        state.coming.insert(name);
        drop(state);
        let fetched = self.fetch(name);
        let mut state = self.state.lock();
        state.coming.remove(&name);
        self.came.notify_all();
        let fetched = fetched?;
        state.put(name, &fetched, self)?;
        let [start, end] = [range.start, range.end].map(|at| at as usize);
        into.extend_from_slice(fetched.get(start..end).ok_or(Error::Damaged)?);
        Ok(())
    }

    fn fetch(&self, (file, number): Name) -> Result<Vec<u8>, Error> {
        let name = file.name();
        let known = self.state.lock().sizes.get(&file).copied();
        let size = match known {
            Some(size) => size,
            None => self.output.size(&name)?.ok_or(Error::Damaged)?,
        };
        self.state.lock().sizes.insert(file, size);
        let start = number * PIECE;
        if start >= size {
            return Err(Error::Damaged);
        }
        let range = start..(start + PIECE).min(size);
        Ok(self.output.get_range(&name, range)?.into())
    }

    fn error(&self, what: &'static str, source: io::Error) -> Error {
        Error::Staging {
            what,
            place: self.output.place().to_string(),
            source,
        }
    }
}

impl NearState {
    /// Reads bytes of a piece, if it is here.
    fn read(
        &self,
        name: Name,
        range: std::ops::Range<u64>,
        near: &Near,
        into: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let (Some(file), Some(number)) = (&self.file, self.pieces.get(&name)) else {
            return Ok(false);
        };
        // The last piece of a file ends before its place does.
        let bytes = self.sizes.get(&name.0).map_or(0, |size| size - name.1 * PIECE);
        if range.end > bytes.min(PIECE) {
            return Err(Error::Damaged);
        }
        let before = into.len();
        into.resize(before + (range.end - range.start) as usize, 0);
        let place = number % near.room * PIECE + range.start;
        let read = read_at(file, &mut into[before..], place);
        read.map_err(|source| near.error("read", source))?;
        Ok(true)
    }

    /// Puts a piece in the place of the oldest.
    fn put(&mut self, name: Name, bytes: &[u8], near: &Near) -> Result<(), Error> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(near.output.scratch()?),
        };
        let place = self.came % near.room;
        let written = write_at(file, bytes, place * PIECE);
        written.map_err(|source| near.error("write", source))?;
        match self.places.get_mut(place as usize) {
            Some(oldest) => {
                // It may have come again since.
                if self.pieces.get(oldest) == Some(&(self.came - near.room)) {
                    self.pieces.remove(oldest);
                }
                *oldest = name;
            }
            None => self.places.push(name),
        }
        self.pieces.insert(name, self.came);
        self.came += 1;
        Ok(())
    }
}

fn read_at(mut file: &File, into: &mut [u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(into)
}

fn write_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use gleaner_store::{Options, Store};
    use proptest::prelude::*;

    use super::*;

    const FILE: StagedFile = StagedFile::Pages(1, 0);

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Pieces that are put are read as long as there is room for them, and never as others.
        #[test]
        fn the_newest_pieces_are_here(
            room in 1u64..5, names in prop::collection::vec(0u64..6, 1..20), from in 0u64..9,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::new(Options::default()).unwrap();
            let output = store.output(folder.path().to_str().unwrap()).unwrap();
            let near = Near { room, ..Near::new(&output) };
            let mut state = NearState::default();
            state.sizes.insert(FILE, 6 * PIECE);
            for &name in &names {
                state.put((FILE, name), &[name as u8; 10], &near).unwrap();
            }
            for name in 0..6 {
                let last = names.iter().rev().position(|&other| other == name);
                let is_here = last.is_some_and(|behind| (behind as u64) < room);
                let mut read = Vec::new();
                let found = state.read((FILE, name), from..9, &near, &mut read).unwrap();
                prop_assert_eq!(found, is_here);
                prop_assert!(!found || read == vec![name as u8; 9 - from as usize]);
            }
        }
    }
}
