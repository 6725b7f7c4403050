//! Sorted runs: records by key, in staging.
//!
//! In: records, a key and a value of bytes each. Out: the same, by key, whichever run they are in: of one run
//! ([`RunWriter`], [`Run`]), or of many at a time ([`Merge`]).
//!
//! A run is a row of *frames*, and an index of them behind. A frame holds some records, in one run none that is smaller than
//! those of the frame before; it is compressed (zstd) where it is to be kept, and has a checksum. The index has the first key of
//! each frame, so that a range of keys is read by ranged reads, and a merge holds no frame in memory before its turn comes.
//! The index of a large run is read page by page, when a key of the page is wanted. It also has *landmarks*: some keys, chosen by
//! themselves alone, at which work can be cut.

mod buffer;
mod merge;

use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use buffer::RunBuffer;
pub(crate) use merge::{FAN_IN, Lookup, Merge, Record, Runs, merge_runs};

use crate::data::key::surt_of;
use crate::data::packing::{add_sum, check_sum, pack, unpack};
use crate::error::Error;
use crate::staging::staged_file::StagedFile;
use crate::staging::{Extent, Piece, Staging};

/// Frames of a page of an index.
pub(crate) const PAGE: usize = 64;

/// Keys per landmark, on average; captures of one URL count once.
pub(crate) const LANDMARK: u64 = 16;

/// The level of compression. Higher ones cost more time than they save bytes: pages are read once.
const LEVEL: i32 = 1;

/// How a run is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The level of compression; none where frames are read soon, on this machine.
    level: Option<i32>,
    /// Bytes of records in a frame, before it is compressed; a record that has more is a frame of its own.
    pub(crate) frame: usize,
    /// Landmarks per landmark that is kept; none are kept with 0.
    pub(crate) landmarks: u64,
}

impl Layout {
    /// Of runs that are merged soon.
    pub(crate) const SHORT: Layout = Layout {
        level: None,
        frame: 64 << 10,
        landmarks: 1,
    };
    /// Of runs that are kept.
    pub(crate) const KEPT: Layout = Layout {
        level: Some(LEVEL),
        ..Layout::SHORT
    };
    /// Of state, which is written once and read rarely. Nothing new begins between the landmarks of units.
    pub(crate) const STATE: Layout = Layout {
        level: Some(3),
        frame: 1 << 20,
        landmarks: 0,
    };
    /// Of runs in which nothing is cut.
    pub(crate) const SHORT_ENTRIES: Layout = Layout {
        landmarks: 0,
        ..Layout::SHORT
    };

    /// Of the runs of a large crawl, which has chunks of this number of pages: their indices are in memory side by side. The landmarks
    /// at which chunks may begin are kept.
    pub(crate) fn large(chunk: u64) -> Layout {
        let chunks = (chunk / LANDMARK).max(1);
        Layout {
            frame: 256 << 10,
            landmarks: 1 << chunks.trailing_zeros().min(6),
            ..Layout::KEPT
        }
    }
}

/// A run, by its index. It does not know the name of its file, which may follow from its bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    #[serde(skip)]
    file: StagedFile,
    is_packed: bool,
    pages: Vec<IndexPage>,
    landmarks: Vec<Landmark>,
    pub(crate) records: u64,
    /// Bytes of its records, before they are compressed.
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Frame {
    first: Box<[u8]>,
    piece: Piece,
}

/// Takes the frames of a run.
pub(crate) trait FrameSink {
    /// Adds bytes, and leaves none.
    fn append(&mut self, bytes: &mut Vec<u8>) -> Result<Piece, Error>;
}

/// A staging file that takes frames.
#[derive(Clone, Copy)]
pub(crate) struct StagedSink<'a> {
    pub(crate) staging: &'a Staging,
    pub(crate) file: StagedFile,
}

impl FrameSink for StagedSink<'_> {
    fn append(&mut self, bytes: &mut Vec<u8>) -> Result<Piece, Error> {
        Ok(self.staging.append(self.file, bytes)?.piece)
    }
}

/// Some frames of a run, one behind the other.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct IndexPage {
    first: Box<[u8]>,
    /// The frames; none where they stand in the file.
    here: Option<Vec<Frame>>,
    /// Where they stand.
    place: Piece,
    #[serde(skip)]
    read: OnceLock<Vec<Frame>>,
}

/// A frame, by its page and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FrameAt(usize, usize);

/// A key at which work can be cut.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Landmark {
    pub(crate) surt: Box<[u8]>,
    /// Bytes of the run's records before it.
    pub(crate) before: u64,
}

/// Where a run is: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunPlace {
    index: Extent,
}

impl Run {
    /// Reads the index of a run.
    pub(crate) fn open(place: RunPlace, staging: &Staging) -> Result<Run, Error> {
        let run = read_packed(place.index, staging)?;
        Ok(Run {
            file: place.index.file,
            ..run
        })
    }

    /// The smallest key; none where it has no record.
    pub(crate) fn first_key(&self) -> Option<&[u8]> {
        self.pages.first().map(|page| &*page.first)
    }

    /// Its landmarks, by key.
    pub(crate) fn landmarks(&self) -> &[Landmark] {
        &self.landmarks
    }

    /// Reads the records of a frame.
    fn frame(&self, at: FrameAt, staging: &Staging) -> Result<Vec<u8>, Error> {
        let frames = self.frames(at.0, staging)?;
        let mut bytes = staging.read(frames.get(at.1).ok_or(Error::Damaged)?.piece.of(self.file))?;
        let length = check_sum(&bytes)?.len();
        if self.is_packed {
            return unpacked(&bytes[..length]);
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    /// The first frame in which a key can be.
    fn frame_of(&self, key: &[u8], staging: &Staging) -> Result<FrameAt, Error> {
        let page = self.pages.partition_point(|page| &*page.first < key);
        let page = page.saturating_sub(1);
        if self.pages.is_empty() {
            return Ok(FrameAt(0, 0));
        }
        let after = self
            .frames(page, staging)?
            .partition_point(|frame| &*frame.first < key);
        Ok(FrameAt(page, after.saturating_sub(1)))
    }

    /// The frame behind one.
    fn next(&self, FrameAt(page, frame): FrameAt, staging: &Staging) -> Result<FrameAt, Error> {
        match frame + 1 < self.frames(page, staging)?.len() {
            true => Ok(FrameAt(page, frame + 1)),
            false => Ok(FrameAt(page + 1, 0)),
        }
    }

    /// The first key of a frame; none behind the last.
    fn first_of(&self, FrameAt(page, frame): FrameAt, staging: &Staging) -> Result<Option<&[u8]>, Error> {
        let Some(index) = self.pages.get(page) else {
            return Ok(None);
        };
        match frame {
            0 => Ok(Some(&index.first)),
            _ => Ok(self.frames(page, staging)?.get(frame).map(|frame| &*frame.first)),
        }
    }

    /// The frames of a page of the index, which is read if it is not here.
    fn frames(&self, page: usize, staging: &Staging) -> Result<&[Frame], Error> {
        let page = &self.pages[page];
        if let Some(frames) = page.here.as_ref().or_else(|| page.read.get()) {
            return Ok(frames);
        }
        let frames = read_packed(page.place.of(self.file), staging)?;
        Ok(page.read.get_or_init(|| frames))
    }
}

impl RunPlace {
    /// A run whose index is a piece of a file.
    pub(crate) fn of(index: Piece, file: StagedFile) -> RunPlace {
        RunPlace {
            index: index.of(file),
        }
    }

    /// The end of the run in its file.
    pub(crate) fn extent(self) -> Extent {
        self.index
    }
}

/// The key and the value of the record at a place of a frame, and where the next one begins.
fn record(frame: &[u8], at: usize) -> Result<(&[u8], &[u8], usize), Error> {
    match split_record(frame, at) {
        Some(record) => Ok(record),
        None => Err(Error::Damaged),
    }
}

fn split_record(frame: &[u8], at: usize) -> Option<(&[u8], &[u8], usize)> {
    let mut rest = frame.get(at..)?;
    let [key, value] = [take_length(&mut rest)?, take_length(&mut rest)?];
    let (key, rest) = rest.split_at_checked(key)?;
    let (value, rest) = rest.split_at_checked(value)?;
    Some((key, value, frame.len() - rest.len()))
}

/// Adds a length: seven bits a byte, the lowest first (LEB128).
fn put_length(mut length: usize, bytes: &mut Vec<u8>) {
    while length >= 0x80 {
        bytes.push(length as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
}

fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut length = 0;
    for shift in (0..usize::BITS - 7).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        length |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(length);
        }
    }
    None
}

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    zstd::decode_all(bytes).map_err(|_| Error::Damaged)
}

fn not_compressed(error: std::io::Error) -> Error {
    Error::System("compress the staged data", error)
}

/// Adds a value, compressed.
fn append_packed(value: &impl Serialize, sink: &mut dyn FrameSink) -> Result<Piece, Error> {
    let mut bytes = Vec::new();
    pack(value, &mut bytes);
    let mut bytes = zstd::bulk::compress(&bytes, LEVEL).map_err(not_compressed)?;
    add_sum(&mut bytes);
    sink.append(&mut bytes)
}

fn read_packed<T: DeserializeOwned>(place: Extent, staging: &Staging) -> Result<T, Error> {
    let bytes = staging.read(place)?;
    unpack(&mut &*unpacked(check_sum(&bytes)?)?)
}

/// Writes a run: its records come by key.
pub(crate) struct RunWriter<S> {
    sink: S,
    layout: Layout,
    compressor: Option<zstd::bulk::Compressor<'static>>,
    frame: Vec<u8>,
    first: Box<[u8]>,
    last_surt: Vec<u8>,
    frames: Vec<Frame>,
    run: Run,
}

impl<S: FrameSink> RunWriter<S> {
    pub(crate) fn new(sink: S, layout: Layout) -> RunWriter<S> {
        let compressor = |level| zstd::bulk::Compressor::new(level).expect("the level is one of zstd's");
        RunWriter {
            sink,
            layout,
            compressor: layout.level.map(compressor),
            frame: Vec::new(),
            first: Box::default(),
            last_surt: Vec::new(),
            frames: Vec::new(),
            run: Run {
                file: StagedFile::default(),
                is_packed: layout.level.is_some(),
                pages: Vec::new(),
                landmarks: Vec::new(),
                records: 0,
                bytes: 0,
            },
        }
    }

    /// Adds a record, whose key is not smaller than that of the one before.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let length = key.len() + value.len();
        if !self.frame.is_empty() && self.frame.len() + length > self.layout.frame {
            self.end_frame()?;
        }
        if self.frame.is_empty() {
            self.first = key.into();
        }
        if self.layout.landmarks > 0 {
            self.note_landmark(surt_of(key));
        }
        put_length(key.len(), &mut self.frame);
        put_length(value.len(), &mut self.frame);
        self.frame.extend_from_slice(key);
        self.frame.extend_from_slice(value);
        self.run.records += 1;
        self.run.bytes += length as u64;
        Ok(())
    }

    /// Ends it, with its index behind. Gives the sink and the place of the index.
    pub(crate) fn end_with_index(mut self) -> Result<(S, Piece), Error> {
        let mut frames = self.end_frames()?;
        // The last page is in the index itself: a small run has no other.
        while frames.len() > PAGE {
            let rest = frames.split_off(PAGE);
            let page = IndexPage::of(std::mem::replace(&mut frames, rest));
            let page = page.map(|page| page.put(&mut self.sink)).transpose()?;
            self.run.pages.extend(page);
        }
        self.run.pages.extend(IndexPage::of(frames));
        let index = append_packed(&self.run, &mut self.sink)?;
        Ok((self.sink, index))
    }

    fn end_frames(&mut self) -> Result<Vec<Frame>, Error> {
        if !self.frame.is_empty() {
            self.end_frame()?;
        }
        Ok(std::mem::take(&mut self.frames))
    }

    fn note_landmark(&mut self, surt: &[u8]) {
        if *surt == *self.last_surt {
            return;
        }
        self.last_surt.clear();
        self.last_surt.extend_from_slice(surt);
        if landmark(surt).is_some_and(|number| number.is_multiple_of(self.layout.landmarks)) {
            self.run.landmarks.push(Landmark {
                surt: surt.into(),
                before: self.run.bytes,
            });
        }
    }

    fn end_frame(&mut self) -> Result<(), Error> {
        let mut bytes = match &mut self.compressor {
            None => std::mem::take(&mut self.frame),
            Some(compressor) => {
                let bytes = compressor.compress(&self.frame).map_err(not_compressed)?;
                self.frame.clear();
                bytes
            }
        };
        add_sum(&mut bytes);
        let piece = self.sink.append(&mut bytes)?;
        let first = std::mem::take(&mut self.first);
        self.frames.push(Frame { first, piece });
        Ok(())
    }
}

impl IndexPage {
    /// A page of some frames, if there are any.
    fn of(frames: Vec<Frame>) -> Option<IndexPage> {
        let first = frames.first()?.first.clone();
        Some(IndexPage {
            first,
            here: Some(frames),
            place: Piece::default(),
            read: OnceLock::new(),
        })
    }

    /// Writes the page and keeps only its position.
    fn put(mut self, sink: &mut dyn FrameSink) -> Result<IndexPage, Error> {
        self.place = append_packed(&self.here.take().unwrap_or_default(), sink)?;
        Ok(self)
    }
}

/// The number of a landmark, if a SURT is one. It follows from the SURT alone.
pub(crate) fn landmark(surt: &[u8]) -> Option<u64> {
    let hash = xxh3_64(surt);
    hash.is_multiple_of(LANDMARK).then_some(hash / LANDMARK)
}

/// Whether a chunk of this number of pages, on average, begins at a SURT.
pub(crate) fn begins_chunk(surt: &[u8], pages: u64) -> bool {
    let every = (pages / LANDMARK).max(1);
    landmark(surt).is_some_and(|number| number.is_multiple_of(every))
}

impl RunWriter<StagedSink<'_>> {
    /// Ends it. Its index is in memory alone.
    pub(crate) fn end(mut self) -> Result<Run, Error> {
        let frames = self.end_frames()?;
        self.run.file = self.sink.file;
        self.run.pages.extend(IndexPage::of(frames));
        Ok(self.run)
    }

    /// Ends it, with its index behind.
    pub(crate) fn end_in_place(self) -> Result<RunPlace, Error> {
        let (sink, index) = self.end_with_index()?;
        Ok(RunPlace::of(index, sink.file))
    }
}
