//! Pieces of staging files that are in a bucket, near at hand: in one file without a name, in the folder for temporary files.
//!
//! A piece is what one request fetches: more than was asked for, because runs are read in order. There is room for a number of
//! pieces; a new one takes the place of the oldest. No two workers fetch the same piece, and none waits for another's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use gleaner_store::Output;
use parking_lot::{Condvar, Mutex, MutexGuard};

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
    /// The place of each piece in that, and its bytes.
    pieces: BTreeMap<Name, (u64, u64)>,
    /// The names of pieces by place.
    places: Vec<Name>,
    /// Where the next one goes, in place of the oldest.
    next: u64,
    /// Those that are being fetched.
    coming: BTreeSet<Name>,
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
        let mut piece = Vec::new();
        // Of a file for which there is no room the end would drive out the beginning.
        for number in 0..bytes.div_ceil(PIECE).min(self.room / 2) {
            let start = number * PIECE;
            piece.resize((bytes - start).min(PIECE) as usize, 0);
            let read = read_at(file, &mut piece, start);
            read.map_err(|source| Error::staging("read", &self.output, source))?;
            self.put(&mut self.state.lock(), (kept, number), &piece)?;
        }
        Ok(())
    }

    /// Forgets a file that is no more.
    pub(crate) fn forget(&self, kept: StagedFile) {
        self.state.lock().pieces.retain(|(file, _), _| *file != kept);
    }

    fn read_piece(&self, name: Name, range: Range<u64>, into: &mut Vec<u8>) -> Result<(), Error> {
        let mut state = self.state.lock();
        self.came
            .wait_while(&mut state, |state| state.coming.contains(&name));
        if self.copy(&state, name, range.clone(), into)? {
            return Ok(());
        }
        state.coming.insert(name);
        let (file, start) = (name.0.name(), name.1 * PIECE);
        let fetch = || self.output.get_range(&file, start..start + PIECE);
        let fetched = MutexGuard::unlocked(&mut state, fetch);
        state.coming.remove(&name);
        self.came.notify_all();
        let fetched = fetched?;
        self.put(&mut state, name, &fetched)?;
        let [start, end] = [range.start, range.end].map(|at| at as usize);
        into.extend_from_slice(fetched.get(start..end).ok_or(Error::Damaged)?);
        Ok(())
    }

    /// Reads bytes of a piece, if it is here.
    fn copy(
        &self,
        state: &NearState,
        name: Name,
        range: Range<u64>,
        into: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let (Some(file), Some(&(place, bytes))) = (&state.file, state.pieces.get(&name)) else {
            return Ok(false);
        };
        if range.end > bytes {
            return Err(Error::Damaged);
        }
        let before = into.len();
        into.resize(before + (range.end - range.start) as usize, 0);
        let read = read_at(file, &mut into[before..], place * PIECE + range.start);
        read.map_err(|source| Error::staging("read", &self.output, source))?;
        Ok(true)
    }

    /// Puts a piece in the place of the oldest.
    fn put(&self, state: &mut NearState, name: Name, bytes: &[u8]) -> Result<(), Error> {
        let file = match &mut state.file {
            Some(file) => file,
            none => none.insert(self.output.scratch()?),
        };
        let place = state.next;
        let written = write_at(file, bytes, place * PIECE);
        written.map_err(|source| Error::staging("write", &self.output, source))?;
        match state.places.get_mut(place as usize) {
            Some(oldest) => {
                // It may have come again since.
                if state.pieces.get(oldest).is_some_and(|(at, _)| *at == place) {
                    state.pieces.remove(oldest);
                }
                *oldest = name;
            }
            None => state.places.push(name),
        }
        state.pieces.insert(name, (place, bytes.len() as u64));
        state.next = (place + 1) % self.room;
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
    use proptest::prelude::*;

    use super::*;
    use crate::staging::for_test;

    const FILE: StagedFile = StagedFile::Pages(1, 0);

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Pieces that are put are read as long as there is room for them, and never as others.
        #[test]
        fn the_newest_pieces_are_here(
            room in 1u64..5, names in prop::collection::vec(0u64..6, 1..20), from in 0u64..9,
        ) {
            let (_folder, output, _) = for_test();
            let near = Near { room, ..Near::new(&output) };
            let mut state = NearState::default();
            for &name in &names {
                near.put(&mut state, (FILE, name), &[name as u8; 10]).unwrap();
            }
            for name in 0..6 {
                let last = names.iter().rev().position(|&other| other == name);
                let is_here = last.is_some_and(|behind| (behind as u64) < room);
                let mut read = Vec::new();
                let found = near.copy(&state, (FILE, name), from..9, &mut read).unwrap();
                prop_assert_eq!(found, is_here);
                prop_assert!(!found || read == vec![name as u8; 9 - from as usize]);
            }
        }
    }
}
