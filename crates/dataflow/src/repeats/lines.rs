//! Lines of the documents of a chunk, counted by site, as a run.

use std::sync::Arc;

use gleaner_corpus::{DocumentRow, Part, Row};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::error::Error;
use crate::sorted_runs::{Layout, RunPlace, RunWriter, Sorter};
use crate::staging::Staging;
use crate::staging::staged_file::StagedFile;

/// The lines of a text that are counted, each with the byte at which it begins: those with a letter.
pub(super) fn counted_lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut end = 0;
    let lines = text.split('\n').map(move |line| {
        let begin = end;
        end += line.len() + 1;
        (begin as u32, line)
    });
    lines.filter(|(_, line)| line.contains(char::is_alphabetic))
}

/// The digest of a line.
pub(super) fn digest(line: &str) -> u128 {
    xxh3_128(line.as_bytes())
}

/// Where a line stands: its document, by chunk and row, and the byte of the text at which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinePlace {
    pub(super) chunk: u32,
    pub(super) row: u32,
    pub(super) offset: u32,
}

impl LinePlace {
    /// In the order of places.
    pub(super) fn bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        for (bytes, number) in bytes.chunks_exact_mut(4).zip([self.chunk, self.row, self.offset]) {
            bytes.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    pub(super) fn read(mut bytes: &[u8]) -> Result<LinePlace, Error> {
        Ok(LinePlace {
            chunk: u32::from_be_bytes(take(&mut bytes)?),
            row: u32::from_be_bytes(take(&mut bytes)?),
            offset: u32::from_be_bytes(take(&mut bytes)?),
        })
    }

    /// The line that stands here in the text of the document.
    pub(super) fn line(self, text: &str) -> Result<&str, Error> {
        let rest = text.get(self.offset as usize..).ok_or(Error::Damaged)?;
        Ok(rest.split('\n').next().unwrap_or_default())
    }
}

/// What is known of a line on a site: on how many pages of a chunk it is, and the first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineCount {
    pub(super) digest: u128,
    /// A hash of the name of the site.
    pub(super) site: u64,
    pub(super) pages: u32,
    pub(super) place: LinePlace,
}

impl LineCount {
    fn key(&self) -> [u8; 24] {
        let mut key = [0; 24];
        key[..16].copy_from_slice(&self.digest.to_be_bytes());
        key[16..].copy_from_slice(&self.site.to_be_bytes());
        key
    }

    fn value(&self) -> [u8; 16] {
        let mut value = [0; 16];
        value[..12].copy_from_slice(&self.place.bytes());
        value[12..].copy_from_slice(&self.pages.to_be_bytes());
        value
    }

    pub(super) fn read(mut key: &[u8], value: &[u8]) -> Result<LineCount, Error> {
        let (place, mut pages) = value.split_at_checked(12).ok_or(Error::Damaged)?;
        Ok(LineCount {
            digest: u128::from_be_bytes(take(&mut key)?),
            site: u64::from_be_bytes(take(&mut key)?),
            pages: u32::from_be_bytes(take(&mut pages)?),
            place: LinePlace::read(place)?,
        })
    }

    fn is_like(&self, other: &LineCount) -> bool {
        (self.digest, self.site) == (other.digest, other.site)
    }
}

/// The next bytes.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Error> {
    let Some((taken, rest)) = bytes.split_first_chunk() else {
        return Err(Error::Damaged);
    };
    *bytes = rest;
    Ok(*taken)
}

/// Collects the lines of a chunk.
pub(crate) struct ChunkLines {
    staging: Arc<Staging>,
    chunk: u32,
    counts: Sorter,
    documents: u32,
    /// Digests of the lines of a document, and where these begin.
    lines: Vec<(u128, u32)>,
}

impl ChunkLines {
    pub(crate) fn new(staging: &Arc<Staging>, chunk: u32) -> ChunkLines {
        ChunkLines {
            staging: Arc::clone(staging),
            chunk,
            // The first ones are those of signatures.
            counts: Sorter::of_chunk(staging, StagedFile::Scratch(chunk, 3)),
            documents: 0,
            lines: Vec::new(),
        }
    }

    /// Takes the next document of the chunk.
    pub(crate) fn push(&mut self, document: &DocumentRow) -> Result<(), Error> {
        let lines = counted_lines(&document.text).map(|(offset, line)| (digest(line), offset));
        self.lines.clear();
        self.lines.extend(lines);
        // A page counts once.
        self.lines.sort_unstable();
        self.lines.dedup_by_key(|(digest, _)| *digest);
        let site = xxh3_64(document.site.as_bytes());
        for &(digest, offset) in &self.lines {
            let count = LineCount {
                digest,
                site,
                pages: 1,
                place: LinePlace {
                    chunk: self.chunk,
                    row: self.documents,
                    offset,
                },
            };
            self.counts
                .push(&count.key(), |bytes| bytes.extend_from_slice(&count.value()))?;
        }
        self.documents += 1;
        Ok(())
    }

    /// Has the run safe: lines by digest and site. Waits for the disk or the store.
    pub(crate) fn finish(self) -> Result<RunPlace, Error> {
        let file = StagedFile::Lines(self.chunk);
        let mut counts = RunWriter::new(&self.staging, file, Layout::ENTRIES);
        let sorted = self.counts.sorted()?;
        let (mut records, mut last) = (sorted.read()?, None::<LineCount>);
        while let Some(record) = records.next()? {
            let count = LineCount::read(record.key, record.value)?;
            match &mut last {
                // The first one has the first place.
                Some(same) if same.is_like(&count) => same.pages += count.pages,
                _ => put(last.replace(count), &mut counts)?,
            }
        }
        put(last, &mut counts)?;
        let run = counts.end_with_index()?;
        self.staging.seal(file)?;
        Ok(run)
    }
}

fn put(count: Option<LineCount>, counts: &mut RunWriter<'_>) -> Result<(), Error> {
    count.map_or(Ok(()), |count| counts.push(&count.key(), &count.value()))
}

/// The counted lines of a chunk that is written.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenLines {
    /// Their counts; none where the chunk has no document.
    pub(super) counts: Option<RunPlace>,
    /// The name of its file of documents.
    pub(super) documents: String,
}

impl WrittenLines {
    /// Of a chunk with these files.
    pub(crate) fn new(counts: Option<RunPlace>, files: &[Part]) -> WrittenLines {
        let is_of_documents = |file: &&Part| file.name.split('/').next() == Some(DocumentRow::TABLE.name);
        let documents = files.iter().find(is_of_documents);
        WrittenLines {
            counts,
            documents: documents.map(|file| file.name.clone()).unwrap_or_default(),
        }
    }
}
