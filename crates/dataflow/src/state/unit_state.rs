//! The state of a unit: what is kept of its pages, in one file that is named by the digest of its bytes.
//!
//! The file has the records of the unit as runs (pages and rejects as they wait, and what is noted of them), and what the last step
//! reads: facts and keys of its documents, their lines, and what they add to their sites. So a later version of the corpus can label the unit without its
//! archives. All of it follows from the records of the unit and the evidence of its sites: there are no times, and no numbers of
//! this run. Without state, the file has no records, and is removed when the corpus is complete.
//!
//! Behind the sections stands where they are ([`Sections`]), and behind that the place of these, and [`MAGIC`].

use std::io::Write;

use gleaner_store::{Commit, Output, Upload};
use serde::{Deserialize, Serialize};

use crate::data::packing::{
    add_sum, check_sum, compressed, decompressed, pack, pack_compressed, packed, unpack, unpack_compressed,
};
use crate::data::signed::{Facts, UnitKeys, numbers};
use crate::data::sites::SiteSum;
use crate::data::summary::Summary;
use crate::data::unit_lines::UnitLines;
use crate::error::Error;
use crate::sorted_runs::{FrameSink, LEVEL, Layout, RunWriter};
use crate::staging::Piece;
use crate::staging::staged_file::{Digest, UnitFile};

/// The last bytes of each file: what it is, and the version of its form.
const MAGIC: [u8; 8] = *b"gleaner1";

/// Bytes of the end that says where the sections are.
const END: u64 = 16 + MAGIC.len() as u64;

/// Bytes of documents that are compressed together.
const FRAME: usize = 256 << 10;

/// Bytes that are read first: nearly always all that the last step needs of all units.
pub(crate) const TAIL: u64 = 512 << 10;

/// Where the sections of a file are.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Sections {
    /// The indices of the runs of records; none without state.
    records: Option<[Piece; 2]>,
    documents: Vec<Piece>,
    /// The hashes of lines, and what is known of them; none if lines are not counted.
    lines: Option<[Piece; 2]>,
    keys: Option<Piece>,
    sites: Vec<Piece>,
    /// What was counted in the unit.
    summary: Summary,
}

/// Writes the state of a unit.
pub(crate) struct StateWriter {
    sink: StateSink,
    /// Pages and rejects, and notes.
    records: Option<[RunWriter; 2]>,
    documents: Frames,
    keys: UnitKeys,
}

/// The file of a unit whose state is written, and on its way to its store.
pub(crate) struct WrittenState {
    pub(crate) file: UnitFile,
    pub(crate) bytes: u64,
    pub(crate) commit: Commit,
}

/// Values that are compressed some at a time.
#[derive(Default)]
struct Frames {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

/// The file.
struct StateSink {
    output: Output,
    upload: Upload,
    hasher: blake3::Hasher,
}

impl FrameSink for StateSink {
    fn append(&mut self, bytes: &[u8]) -> Result<Piece, Error> {
        let piece = Piece {
            offset: self.upload.bytes(),
            bytes: bytes.len() as u64,
        };
        let written = self.upload.write_all(bytes);
        written.map_err(|source| Error::staging("write", &self.output, source))?;
        self.hasher.update(bytes);
        Ok(piece)
    }
}

impl StateSink {
    /// Appends bytes that are not compressed.
    fn append_sealed(&mut self, mut bytes: Vec<u8>) -> Result<Piece, Error> {
        add_sum(&mut bytes);
        self.append(&bytes)
    }
}

impl Frames {
    fn push(&mut self, value: &impl Serialize, sink: &mut StateSink) -> Result<(), Error> {
        pack(value, &mut self.bytes);
        match self.bytes.len() >= FRAME {
            true => self.end_frame(sink),
            false => Ok(()),
        }
    }

    fn end_frame(&mut self, sink: &mut StateSink) -> Result<(), Error> {
        if !self.bytes.is_empty() {
            self.pieces.push(sink.append(&compressed(&self.bytes, LEVEL))?);
            self.bytes.clear();
        }
        Ok(())
    }
}

impl StateWriter {
    /// Begins the file of a unit; `number` distinguishes it from others that are being written. Records are part of it if they
    /// are kept.
    pub(crate) fn new(output: &Output, number: (u64, u32), is_kept: bool) -> Result<StateWriter, Error> {
        let (folder, (chunk, unit)) = (UnitFile::folder(is_kept), number);
        let run = || RunWriter::new(Layout::STATE);
        Ok(StateWriter {
            sink: StateSink {
                upload: output.create(&format!("{folder}/unit-{chunk:05}-{unit:05}"))?,
                output: output.clone(),
                hasher: blake3::Hasher::new(),
            },
            records: is_kept.then(|| [run(), run()]),
            documents: Frames::default(),
            keys: UnitKeys::default(),
        })
    }

    /// Adds the next page or reject, as it waited.
    pub(crate) fn page(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let pages = self.records.as_mut().map(|[pages, _]| pages);
        pages.map_or(Ok(()), |pages| pages.push(key, value, &mut self.sink))
    }

    /// Adds what is noted of a page.
    pub(crate) fn note(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let notes = self.records.as_mut().map(|[_, notes]| notes);
        notes.map_or(Ok(()), |notes| notes.push(key, value, &mut self.sink))
    }

    /// Adds what the last step needs of the next document, and the keys of its signature.
    pub(crate) fn document(&mut self, facts: &Facts, keys: &[u64]) -> Result<(), Error> {
        self.keys.push(keys);
        self.documents.push(facts, &mut self.sink)
    }

    /// Ends the file, with the lines of its documents, if they are counted, what these add to their sites, and what was counted.
    pub(crate) fn end(
        self,
        lines: Option<&UnitLines>,
        sums: &[SiteSum],
        summary: &Summary,
    ) -> Result<WrittenState, Error> {
        let (mut sink, mut documents, mut sites) = (self.sink, self.documents, Frames::default());
        let mut sections = Sections {
            summary: summary.clone(),
            ..Sections::default()
        };
        let is_kept = self.records.is_some();
        if let Some([pages, notes]) = self.records {
            let pages = pages.end_with_index(&mut sink)?;
            sections.records = Some([pages, notes.end_with_index(&mut sink)?]);
        }
        documents.end_frame(&mut sink)?;
        sections.documents = documents.pieces;
        if let Some([hashes, counts]) = lines.map(UnitLines::to_bytes) {
            sections.lines = Some([
                sink.append_sealed(hashes)?,
                sink.append(&compressed(&counts, LEVEL))?,
            ]);
        }
        sections.keys = Some(sink.append_sealed(self.keys.to_bytes())?);
        sums.iter().try_for_each(|sum| sites.push(sum, &mut sink))?;
        sites.end_frame(&mut sink)?;
        sections.sites = sites.pieces;
        let place = sink.append(&pack_compressed(&sections, LEVEL))?;
        sink.append(&[place.offset.to_le_bytes(), place.bytes.to_le_bytes(), MAGIC].concat())?;
        let file = UnitFile {
            digest: Digest(*sink.hasher.finalize().as_bytes()),
            is_kept,
        };
        let mut upload = sink.upload;
        upload.rename(&file.file_name());
        Ok(WrittenState {
            file,
            bytes: upload.bytes(),
            commit: upload.finish()?,
        })
    }
}

/// The state of a unit, to be read.
pub(crate) struct UnitState<'a> {
    output: &'a Output,
    file: UnitFile,
    /// The last bytes of the file, and where they begin.
    tail: Vec<u8>,
    begin: u64,
    sections: Sections,
}

impl<'a> UnitState<'a> {
    /// Opens a file of this size.
    ///
    /// # Errors
    /// It cannot be read, or is not what was written.
    pub(crate) fn open(output: &'a Output, file: UnitFile, size: u64) -> Result<UnitState<'a>, Error> {
        let begin = size.saturating_sub(TAIL);
        let mut state = UnitState {
            tail: output.get_range(&file.name(), begin..size)?.into(),
            output,
            file,
            begin,
            sections: Sections::default(),
        };
        let end = state.read(Piece {
            offset: size.checked_sub(END).ok_or(Error::Damaged)?,
            bytes: END,
        })?;
        let (place, magic) = end.split_at(END as usize - MAGIC.len());
        if magic != MAGIC {
            return Err(Error::Damaged);
        }
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("it is half of 16 bytes"));
        let sections = state.read(Piece {
            offset: number(&place[..8]),
            bytes: number(&place[8..]),
        })?;
        state.sections = unpack_compressed(&sections)?;
        Ok(state)
    }

    /// What was counted in the unit.
    pub(crate) fn summary(&self) -> &Summary {
        &self.sections.summary
    }

    /// The indices of the runs of pages and of notes; none where the corpus keeps no state.
    pub(crate) fn records(&self) -> Option<[Piece; 2]> {
        self.sections.records
    }

    /// Gives what the last step needs of documents, by key, each with its number in the unit: those that are wanted.
    pub(crate) fn documents(
        &self,
        mut is_wanted: impl FnMut(u32) -> bool,
        mut take: impl FnMut(u32, Facts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut number = 0;
        self.each(&self.sections.documents, |facts| {
            let wanted = is_wanted(number);
            number += 1;
            match wanted {
                true => take(number - 1, unpack(facts)?),
                false => packed(facts).map(drop),
            }
        })
    }

    /// The keys of the signature of each document.
    pub(crate) fn keys(&self) -> Result<UnitKeys, Error> {
        let keys = self.sections.keys.ok_or(Error::Damaged)?;
        UnitKeys::of_bytes(check_sum(&self.read(keys)?)?)
    }

    /// The hashes of the lines of its documents, in order; one for each site that has the line.
    pub(crate) fn line_hashes(&self) -> Result<Vec<u64>, Error> {
        let [hashes, _] = self.sections.lines.ok_or(Error::Damaged)?;
        numbers(check_sum(&self.read(hashes)?)?)
    }

    /// The lines of its documents.
    pub(crate) fn lines(&self) -> Result<UnitLines, Error> {
        let pieces = self.sections.lines.ok_or(Error::Damaged)?;
        let [hashes, counts] = pieces.map(|piece| self.read(piece));
        UnitLines::of_bytes([check_sum(&hashes?)?, &decompressed(&counts?)?])
    }

    /// What the documents add to their sites.
    pub(crate) fn sites(&self) -> Result<Vec<SiteSum>, Error> {
        let mut sums = Vec::new();
        self.each(&self.sections.sites, |sum| {
            sums.push(unpack(sum)?);
            Ok(())
        })?;
        Ok(sums)
    }

    /// Gives the bytes from each value on.
    fn each(
        &self,
        pieces: &[Piece],
        mut take: impl FnMut(&mut &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for &piece in pieces {
            let bytes = decompressed(&self.read(piece)?)?;
            let mut rest = &*bytes;
            while !rest.is_empty() {
                take(&mut rest)?;
            }
        }
        Ok(())
    }

    fn read(&self, piece: Piece) -> Result<Vec<u8>, Error> {
        let end = piece.offset.checked_add(piece.bytes).ok_or(Error::Damaged)?;
        if piece.offset < self.begin {
            return Ok(self
                .output
                .get_range(&self.file.name(), piece.offset..end)?
                .into());
        }
        let [start, end] = [piece.offset, end].map(|at| (at - self.begin) as usize);
        Ok(self.tail.get(start..end).ok_or(Error::Damaged)?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::sites::SiteCounts;
    use crate::data::unit_lines::LineCounter;
    use crate::sorted_runs::{Merge, Run, Runs};
    use crate::staging::for_test;
    use crate::staging::staged_file::StagedFile;

    fn facts(number: usize) -> Facts {
        Facts {
            key: format!("example,a)/{number:05}").into_bytes(),
            words: number as u32,
            sketch: vec![number as u8; 200],
            ..Facts::default()
        }
    }

    fn sum(number: usize) -> SiteSum {
        SiteSum {
            site: format!("{number}.example"),
            counts: SiteCounts {
                pages: number as u64,
                ..SiteCounts::default()
            },
            ..SiteSum::default()
        }
    }

    fn lines(count: usize) -> UnitLines {
        let mut counter = LineCounter::default();
        (0..count).for_each(|number| counter.push("a.example", &format!("tides\nline {number}")));
        counter.end()
    }

    fn written(output: &Output, is_kept: bool, count: usize) -> WrittenState {
        let mut writer = StateWriter::new(output, (0, 0), is_kept).unwrap();
        for number in 0..count {
            let facts = facts(number);
            writer.page(&facts.key, &[number as u8; 300]).unwrap();
            writer.note(&facts.key, &[7]).unwrap();
            writer.document(&facts, &[number as u64; 15]).unwrap();
        }
        let sums: Vec<SiteSum> = (0..count / 100).map(sum).collect();
        let summary = Summary {
            documents: count as u64,
            ..Summary::default()
        };
        let mut written = writer.end(Some(&lines(count)), &sums, &summary).unwrap();
        while !written.commit.poll().unwrap() {}
        written
    }

    #[test]
    fn what_is_written_is_read() {
        let (_folder, output, staging) = for_test();
        // Of many documents the file is longer than what is read first.
        for (is_kept, count) in [(true, 0), (true, 9000), (false, 50)] {
            let WrittenState { file, bytes, .. } = written(&output, is_kept, count);
            assert_eq!(output.size(&file.name()).unwrap(), Some(bytes));
            let digest = blake3::hash(&output.get(&file.name()).unwrap().unwrap());
            assert_eq!(file.digest, Digest(*digest.as_bytes()));
            let state = UnitState::open(&output, file, bytes).unwrap();
            let mut documents = Vec::new();
            let take = |number: u32, facts: Facts| {
                documents.push((number as usize, facts));
                Ok(())
            };
            state.documents(|number| number % 3 == 1, take).unwrap();
            let wanted = (1..count).step_by(3);
            assert!(
                documents
                    .into_iter()
                    .eq(wanted.map(|number| (number, facts(number))))
            );
            let keys = state.keys().unwrap();
            assert!(keys.documents().eq((0..count).map(|number| [number as u64; 15])));
            assert_eq!(state.lines().unwrap(), lines(count));
            assert!(
                state
                    .line_hashes()
                    .unwrap()
                    .into_iter()
                    .eq(lines(count).lines().map(|line| line.0))
            );
            assert!(state.sites().unwrap().into_iter().eq((0..count / 100).map(sum)));
            assert_eq!(state.summary().documents, count as u64);
            let records = state.sections.records;
            assert_eq!(records.is_some(), is_kept);
            for (run, length) in records.into_iter().flatten().zip([300, 1]) {
                let run = Run::open(run.of(StagedFile::Unit(file)), &staging).unwrap();
                let runs = Runs::new(&staging, vec![Arc::new(run)]);
                let mut records = Merge::new(&runs, &[], &[]).unwrap();
                for number in 0..count {
                    let record = records.next().unwrap().unwrap();
                    assert_eq!((record.key, record.value.len()), (&*facts(number).key, length));
                }
                assert!(records.next().unwrap().is_none());
            }
        }
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let (_folder, output, _) = for_test();
        let WrittenState { file, bytes, .. } = written(&output, true, 10);
        let whole = output.get(&file.name()).unwrap().unwrap();
        let read = |size: u64| -> Result<(), Error> {
            let state = UnitState::open(&output, file, size)?;
            state.documents(|_| true, |_, _| Ok(()))?;
            state.keys()?;
            state.lines()?;
            state.sites().map(drop)
        };
        read(bytes).unwrap();
        assert!(read(bytes - 1).is_err() && read(bytes + 9).is_err() && read(3).is_err());
        // Behind the records, which are not read here.
        for at in (bytes as usize - 200..bytes as usize).step_by(7) {
            let mut other = whole.to_vec();
            other[at] ^= 1;
            output.put(&file.name(), &other).unwrap();
            assert!(read(bytes).is_err(), "{at} of {bytes}");
        }
    }
}
