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

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use buffer::RunBuffer;
pub(crate) use merge::{FAN_IN, LeftOut, Lookup, Merge, Record, Runs, merge_runs};

use crate::data::key::{surt_of, without_crawl};
use crate::data::packing::{add_sum, check_sum, decompressed, pack_compressed, unpack_compressed};
use crate::error::Error;
use crate::staging::staged_file::StagedFile;
use crate::staging::{Extent, Piece, Staging};

/// Frames of a page of an index.
pub(crate) const PAGE: usize = 64;

/// Keys per landmark, on average; captures of one URL count once.
pub(crate) const LANDMARK: u64 = 16;

/// The level of compression. Higher ones cost more time than they save bytes.
pub(crate) const LEVEL: i32 = 1;

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
    /// Of state. Nothing new begins between the landmarks of units.
    pub(crate) const STATE: Layout = Layout {
        frame: 1 << 20,
        landmarks: 0,
        ..Layout::KEPT
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
    is_packed: bool,
    /// By key.
    pages: Vec<IndexPage>,
    /// By key.
    pub(crate) landmarks: Vec<Landmark>,
    pub(crate) records: u64,
    /// Bytes of its records, before they are compressed.
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Frame {
    first: Box<[u8]>,
    piece: Piece,
    /// Its file, if that is not the one of its page.
    #[serde(skip)]
    file: Option<StagedFile>,
}

/// Takes the frames of a run.
pub(crate) trait FrameSink {
    /// Adds bytes.
    fn append(&mut self, bytes: &[u8]) -> Result<Piece, Error>;
}

/// A staging file that takes frames.
#[derive(Clone, Copy)]
pub(crate) struct StagedSink<'a> {
    pub(crate) staging: &'a Staging,
    pub(crate) file: StagedFile,
}

impl FrameSink for StagedSink<'_> {
    fn append(&mut self, bytes: &[u8]) -> Result<Piece, Error> {
        self.staging.append(self.file, bytes)
    }
}

/// Frames of a run, one behind the other: [`PAGE`], or fewer at its end; or those of a run that is a piece of this one.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct IndexPage {
    /// No key of the page is smaller. It is the first key, unless the page is a run.
    first: Box<[u8]>,
    /// The frames; none where they stand in the file.
    here: Option<Vec<Frame>>,
    /// Where they stand.
    place: Piece,
    #[serde(skip)]
    file: StagedFile,
    /// Opens the run that the page is, if it is one.
    #[serde(skip)]
    opens: Option<RunOpener>,
    #[serde(skip)]
    read: OnceLock<Vec<Frame>>,
}

/// Finds where a run is that is opened when a key of it is wanted.
#[derive(Clone)]
pub(crate) struct RunOpener(Arc<dyn Fn() -> Result<RunPlace, Error> + Send + Sync>);

impl RunOpener {
    pub(crate) fn new(open: impl Fn() -> Result<RunPlace, Error> + Send + Sync + 'static) -> RunOpener {
        RunOpener(Arc::new(open))
    }
}

impl fmt::Debug for RunOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunOpener")
    }
}

/// A place in a run: the number of a page of its index, and of a frame there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct FramePlace {
    page: usize,
    frame: usize,
}

/// A key at which work can be cut.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Landmark {
    pub(crate) surt: Box<[u8]>,
    /// Bytes of the run's records before it.
    pub(crate) before: u64,
}

/// Where a run is: its index, which is the end of the run in its file.
pub(crate) type RunPlace = Extent;

impl Run {
    /// Reads the index of a run.
    pub(crate) fn open(place: RunPlace, staging: &Staging) -> Result<Run, Error> {
        let mut run: Run = unpack_compressed(&staging.read(place)?)?;
        run.set_file(place.file);
        Ok(run)
    }

    /// A run of runs that stand one behind the other: each with a key that none of its keys is smaller than, and that is larger than the
    /// keys of those before. They are opened when a key of them is wanted.
    pub(crate) fn of_runs(runs: impl Iterator<Item = (Box<[u8]>, RunOpener)>) -> Run {
        let page = |(first, opens)| IndexPage {
            first,
            here: None,
            place: Piece::default(),
            file: StagedFile::default(),
            opens: Some(opens),
            read: OnceLock::new(),
        };
        Run {
            is_packed: true,
            pages: runs.map(page).collect(),
            landmarks: Vec::new(),
            records: 0,
            bytes: 0,
        }
    }

    /// The same run with landmarks, and the bytes of its records.
    pub(crate) fn with_landmarks(&self, landmarks: Vec<Landmark>, bytes: u64) -> Run {
        Run {
            landmarks,
            bytes,
            ..self.clone()
        }
    }

    fn set_file(&mut self, file: StagedFile) {
        self.pages.iter_mut().for_each(|page| page.file = file);
    }

    /// Reads the records of a frame.
    fn frame(&self, place: FramePlace, staging: &Staging) -> Result<Vec<u8>, Error> {
        let frames = self.frames(place.page, staging)?;
        let Frame { piece, file, .. } = frames.get(place.frame).ok_or(Error::Damaged)?;
        let mut bytes = staging.read(piece.of(file.unwrap_or(self.pages[place.page].file)))?;
        if self.is_packed {
            return decompressed(&bytes);
        }
        bytes.truncate(check_sum(&bytes)?.len());
        Ok(bytes)
    }

    /// The first frame in which a key can be.
    fn first_frame_of(&self, key: &[u8], staging: &Staging) -> Result<FramePlace, Error> {
        // A frame may end with the key with which the next begins. But in a run of runs the keys of a page are in no other page.
        let page = self.last_page(|page| match &page.opens {
            Some(_) => *page.first <= *key,
            None => *page.first < *key,
        });
        self.last_frame(page, |frame| *frame.first < *key, staging)
    }

    /// The last frame in which a key can be.
    fn last_frame_of(&self, key: &[u8], staging: &Staging) -> Result<FramePlace, Error> {
        let page = self.last_page(|page| *page.first <= *key);
        self.last_frame(page, |frame| *frame.first <= *key, staging)
    }

    fn last_page(&self, is_before: impl Fn(&IndexPage) -> bool) -> usize {
        self.pages.partition_point(is_before).saturating_sub(1)
    }

    fn last_frame(
        &self,
        page: usize,
        is_before: impl Fn(&Frame) -> bool,
        staging: &Staging,
    ) -> Result<FramePlace, Error> {
        let after = self.frames(page, staging)?.partition_point(is_before);
        let frame = after.saturating_sub(1);
        Ok(FramePlace { page, frame })
    }

    /// The frame at a place, or the first of the next page that has one; none behind the last. Pages that begin at the key `end` or
    /// behind it are not read, unless it is empty.
    fn settle(&self, place: FramePlace, end: &[u8], staging: &Staging) -> Result<Option<FramePlace>, Error> {
        let mut place = place;
        while let Some(page) = self.pages.get(place.page) {
            if place.frame == 0 && !end.is_empty() && *page.first >= *end {
                return Ok(None);
            }
            if place.frame == 0 && page.opens.is_none()
                || place.frame < self.frames(place.page, staging)?.len()
            {
                return Ok(Some(place));
            }
            place = FramePlace {
                page: place.page + 1,
                frame: 0,
            };
        }
        Ok(None)
    }

    /// The first key of a frame that is there.
    fn first_of(&self, place: FramePlace, staging: &Staging) -> Result<&[u8], Error> {
        let page = self.pages.get(place.page).ok_or(Error::Damaged)?;
        if place.frame == 0 && page.opens.is_none() {
            return Ok(&page.first);
        }
        let frame = self.frames(place.page, staging)?.get(place.frame);
        Ok(&frame.ok_or(Error::Damaged)?.first)
    }

    /// The frames of a page of the index, which is read if it is not here; none behind the last page.
    fn frames(&self, page: usize, staging: &Staging) -> Result<&[Frame], Error> {
        let Some(page) = self.pages.get(page) else {
            return Ok(&[]);
        };
        if let Some(frames) = page.here.as_ref().or_else(|| page.read.get()) {
            return Ok(frames);
        }
        let frames = match &page.opens {
            Some(open) => Run::open((open.0)()?, staging)?.all_frames(staging)?,
            None => unpack_compressed(&staging.read(page.place.of(page.file))?)?,
        };
        Ok(page.read.get_or_init(|| frames))
    }

    /// The frames of all pages of the index, which know their file.
    fn all_frames(&self, staging: &Staging) -> Result<Vec<Frame>, Error> {
        let mut all = Vec::new();
        for (number, page) in self.pages.iter().enumerate() {
            let frames = self.frames(number, staging)?.iter().cloned();
            all.extend(frames.map(|frame| Frame {
                file: Some(page.file),
                ..frame
            }));
        }
        Ok(all)
    }
}

/// The key and the value of the record at a place of a frame, and where the next one begins.
fn record(frame: &[u8], at: usize) -> Result<(&[u8], &[u8], usize), Error> {
    let split = || {
        let mut rest = frame.get(at..)?;
        let [key, value] = [take_length(&mut rest)?, take_length(&mut rest)?];
        let (key, rest) = rest.split_at_checked(key)?;
        let (value, rest) = rest.split_at_checked(value)?;
        Some((key, value, frame.len() - rest.len()))
    };
    split().ok_or(Error::Damaged)
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

/// Writes a run: its records come by key.
pub(crate) struct RunWriter {
    layout: Layout,
    compressor: Option<zstd::bulk::Compressor<'static>>,
    /// The records of the last frame.
    frame: Vec<u8>,
    frames: Vec<Frame>,
    last_surt: Vec<u8>,
    run: Run,
}

impl RunWriter {
    pub(crate) fn new(layout: Layout) -> RunWriter {
        let compressor = |level| zstd::bulk::Compressor::new(level).expect("the level is one of zstd's");
        RunWriter {
            layout,
            compressor: layout.level.map(compressor),
            frame: Vec::new(),
            frames: Vec::new(),
            last_surt: Vec::new(),
            run: Run {
                is_packed: layout.level.is_some(),
                pages: Vec::new(),
                landmarks: Vec::new(),
                records: 0,
                bytes: 0,
            },
        }
    }

    /// Adds a record, whose key is not smaller than that of the one before. All of a run goes to one sink.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8], sink: &mut dyn FrameSink) -> Result<(), Error> {
        let length = key.len() + value.len();
        if self.frame.len() + length > self.layout.frame {
            self.end_frame(sink)?;
        }
        if self.frame.is_empty() {
            self.frames.push(Frame {
                first: key.into(),
                piece: Piece::default(),
                file: None,
            });
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

    /// Ends it. Its index is in memory alone.
    pub(crate) fn end(mut self, mut sink: StagedSink<'_>) -> Result<Run, Error> {
        self.end_pages(&mut sink, false)?;
        self.run.set_file(sink.file);
        Ok(self.run)
    }

    /// Ends it, with its index behind. Gives the place of that.
    pub(crate) fn end_with_index(mut self, sink: &mut dyn FrameSink) -> Result<Piece, Error> {
        self.end_pages(sink, true)?;
        sink.append(&pack_compressed(&self.run, LEVEL))
    }

    /// Ends the frames, and puts them in pages of the index.
    fn end_pages(&mut self, sink: &mut dyn FrameSink, are_written: bool) -> Result<(), Error> {
        self.end_frame(sink)?;
        let mut frames = std::mem::take(&mut self.frames).into_iter().peekable();
        while let Some(first) = frames.peek().map(|frame| frame.first.clone()) {
            let (mut here, mut place) = (Some(frames.by_ref().take(PAGE).collect()), Piece::default());
            // The last page is in the index itself: a small run has no other.
            if are_written && frames.peek().is_some() {
                let of_page: Option<Vec<Frame>> = here.take();
                place = sink.append(&pack_compressed(&of_page.unwrap_or_default(), LEVEL))?;
            }
            self.run.pages.push(IndexPage {
                first,
                here,
                place,
                file: StagedFile::default(),
                opens: None,
                read: OnceLock::new(),
            });
        }
        Ok(())
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

    fn end_frame(&mut self, sink: &mut dyn FrameSink) -> Result<(), Error> {
        let Some(last) = self.frames.last_mut().filter(|_| !self.frame.is_empty()) else {
            return Ok(());
        };
        let mut packed;
        let bytes = match &mut self.compressor {
            None => &mut self.frame,
            Some(compressor) => {
                packed = compressor
                    .compress(&self.frame)
                    .expect("there is room for what comes of it");
                &mut packed
            }
        };
        add_sum(bytes);
        last.piece = sink.append(bytes)?;
        self.frame.clear();
        Ok(())
    }
}

/// The number of a landmark, if a SURT is one. It follows from the SURT alone, and not from the name of a crawl before it: the same pages
/// are cut in the same way in all crawls.
fn landmark(surt: &[u8]) -> Option<u64> {
    number_of(xxh3_64(without_crawl(surt)))
}

fn number_of(hash: u64) -> Option<u64> {
    hash.is_multiple_of(LANDMARK).then_some(hash / LANDMARK)
}

/// Whether a chunk of this number of pages, on average, begins at a SURT.
pub(crate) fn begins_chunk(surt: &[u8], pages: u64) -> bool {
    is_nth(landmark(surt), pages)
}

/// Whether a file of this number of rows, on average, begins at a digest.
pub(crate) fn begins_file(digest: &[u8], rows: u64) -> bool {
    is_nth(number_of(xxh3_64(digest)), rows)
}

fn is_nth(landmark: Option<u64>, keys: u64) -> bool {
    let every = (keys / LANDMARK).max(1);
    landmark.is_some_and(|number| number.is_multiple_of(every))
}
