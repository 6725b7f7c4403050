//! Sorted runs: records by key, in staging.
//!
//! In: records, a key and a value of bytes each. Out: the same, by key, whichever run they are in: of one run
//! ([`RunWriter`], [`Run`]), or of many at a time ([`Merge`]).
//!
//! A run is a row of *frames*, and an index of them behind. A frame holds some records, in one run none that is smaller than
//! those of the frame before; it is compressed (zstd) where it is to be kept, and has a checksum. The index has the first key of
//! each frame, so that a range of keys is read by ranged reads, and a merge holds no frame in memory before its turn comes.
//! It also has *landmarks*: some keys, chosen by themselves alone, at which work can be cut.

mod buffer;
mod merge;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use buffer::RunBuffer;
pub(crate) use merge::{FAN_IN, Lookup, Merge, Runs, merge_runs};

use crate::error::Error;
use crate::packing::{add_sum, check_sum, pack, unpack};
use crate::staging::{Bytes, Extent, Kept, Staging};

/// Bytes of records in a frame, before it is compressed; a record that has more is a frame of its own.
const FRAME: usize = 64 << 10;

/// Bytes of the lengths of a key and a value.
const LENGTHS: usize = 8;

/// One key in so many is a landmark, as far as captures of one URL count once.
pub(crate) const LANDMARK: u64 = 16;

/// The level of compression. Higher ones cost more time than they save bytes: pages are read once.
const LEVEL: i32 = 1;

/// Whether frames are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Packed {
    /// For what is read soon, on this machine.
    Plain,
    Zstd,
}

/// A run, by its index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    packed: Packed,
    frames: Vec<Frame>,
    landmarks: Vec<Landmark>,
    /// How many records it has.
    pub(crate) records: u64,
    /// Bytes of its records, before they are compressed.
    pub(crate) bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Frame {
    first: Box<[u8]>,
    extent: Extent,
}

/// A key at which work can be cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Landmark {
    /// The URL of the key, as a SURT.
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
        let bytes = staging.read(place.index)?;
        let index = unpacked(Packed::Zstd, check_sum(&bytes)?)?;
        unpack(&mut &*index)
    }

    /// The smallest key; none where it has no record.
    pub(crate) fn first_key(&self) -> Option<&[u8]> {
        self.frames.first().map(|frame| &*frame.first)
    }

    /// Its landmarks, by key.
    pub(crate) fn landmarks(&self) -> &[Landmark] {
        &self.landmarks
    }

    /// Reads a frame.
    fn frame(&self, number: usize, staging: &Staging) -> Result<FrameBytes, Error> {
        let bytes = staging.read(self.frames[number].extent)?;
        let length = check_sum(&bytes)?.len();
        Ok(match self.packed {
            Packed::Plain => FrameBytes::Stored(bytes, length),
            Packed::Zstd => FrameBytes::Unpacked(unpacked(Packed::Zstd, &bytes[..length])?.into_owned()),
        })
    }

    /// The first frame in which a key can be.
    fn frame_of(&self, key: &[u8]) -> usize {
        let after = self.frames.partition_point(|frame| &*frame.first < key);
        after.saturating_sub(1)
    }
}

impl RunPlace {
    /// The end of the run in its file.
    pub(crate) fn extent(self) -> Extent {
        self.index
    }
}

/// The records of a frame.
#[derive(Debug)]
enum FrameBytes {
    /// As they are in staging, the checksum behind.
    Stored(Bytes, usize),
    Unpacked(Vec<u8>),
}

impl FrameBytes {
    fn bytes(&self) -> &[u8] {
        match self {
            FrameBytes::Stored(bytes, length) => &bytes[..*length],
            FrameBytes::Unpacked(bytes) => bytes,
        }
    }
}

/// The key and the value of the record at a place of a frame, and where the next one begins.
fn record(frame: &[u8], at: usize) -> Result<(&[u8], &[u8], usize), Error> {
    let rest = frame.get(at..).ok_or(Error::Damaged)?;
    let (lengths, rest) = rest.split_first_chunk::<LENGTHS>().ok_or(Error::Damaged)?;
    let [key, value] = [0, 4].map(|half| {
        let bytes = [
            lengths[half],
            lengths[half + 1],
            lengths[half + 2],
            lengths[half + 3],
        ];
        u32::from_le_bytes(bytes) as usize
    });
    let (key, rest) = rest.split_at_checked(key).ok_or(Error::Damaged)?;
    let value = rest.get(..value).ok_or(Error::Damaged)?;
    Ok((key, value, at + LENGTHS + key.len() + value.len()))
}

fn unpacked(packed: Packed, bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    match packed {
        Packed::Plain => Ok(Cow::Borrowed(bytes)),
        Packed::Zstd => {
            let all = zstd::decode_all(bytes);
            all.map(Cow::Owned).map_err(|_| Error::Damaged)
        }
    }
}

/// Writes a run: its records come by key.
pub(crate) struct RunWriter<'a> {
    staging: &'a Staging,
    file: Kept,
    compressor: Option<zstd::bulk::Compressor<'static>>,
    frame: Vec<u8>,
    first: Box<[u8]>,
    last_surt: Vec<u8>,
    run: Run,
}

impl<'a> RunWriter<'a> {
    pub(crate) fn new(staging: &'a Staging, file: Kept, packed: Packed) -> RunWriter<'a> {
        let compressor = || zstd::bulk::Compressor::new(LEVEL).expect("the level is one of zstd's");
        RunWriter {
            staging,
            file,
            compressor: (packed == Packed::Zstd).then(compressor),
            frame: Vec::new(),
            first: Box::default(),
            last_surt: Vec::new(),
            run: Run {
                packed,
                frames: Vec::new(),
                landmarks: Vec::new(),
                records: 0,
                bytes: 0,
            },
        }
    }

    /// Adds a record, whose key is not smaller than that of the one before.
    pub(crate) fn push(&mut self, key: &[u8], value: &[u8]) -> Result<(), Error> {
        let length = LENGTHS + key.len() + value.len();
        if !self.frame.is_empty() && self.frame.len() + length > FRAME {
            self.end_frame()?;
        }
        if self.frame.is_empty() {
            self.first = key.into();
        }
        self.note_landmark(surt_of(key));
        for part in [key, value] {
            let length = u32::try_from(part.len()).map_err(|_| Error::Damaged)?;
            self.frame.extend_from_slice(&length.to_le_bytes());
        }
        self.frame.extend_from_slice(key);
        self.frame.extend_from_slice(value);
        self.run.records += 1;
        self.run.bytes += length as u64;
        Ok(())
    }

    /// Ends it. Its index is still in memory alone.
    pub(crate) fn end(mut self) -> Result<Run, Error> {
        if !self.frame.is_empty() {
            self.end_frame()?;
        }
        Ok(self.run)
    }

    /// Ends it, with its index behind.
    pub(crate) fn end_with_index(self) -> Result<RunPlace, Error> {
        let (staging, file) = (self.staging, self.file);
        let run = self.end()?;
        let mut index = Vec::new();
        pack(&run, &mut index);
        let mut index = zstd::bulk::compress(&index, LEVEL).map_err(|_| Error::Damaged)?;
        add_sum(&mut index);
        let index = staging.append(file, &mut index)?;
        Ok(RunPlace { index })
    }

    fn note_landmark(&mut self, surt: &[u8]) {
        if *surt == *self.last_surt {
            return;
        }
        self.last_surt.clear();
        self.last_surt.extend_from_slice(surt);
        if landmark(surt).is_some() {
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
                let bytes = compressor.compress(&self.frame).map_err(|_| Error::Damaged)?;
                self.frame.clear();
                bytes
            }
        };
        add_sum(&mut bytes);
        let extent = self.staging.append(self.file, &mut bytes)?;
        let first = std::mem::take(&mut self.first);
        self.run.frames.push(Frame { first, extent });
        Ok(())
    }
}

/// The number of a landmark, if a SURT is one. It follows from the SURT alone.
pub(crate) fn landmark(surt: &[u8]) -> Option<u64> {
    let hash = xxh3_64(surt);
    hash.is_multiple_of(LANDMARK).then_some(hash / LANDMARK)
}

/// Ends the SURT in a key. It sorts below all that a SURT can go on with.
pub(crate) const END: u8 = 0;

/// The SURT of a key.
pub(crate) fn surt_of(key: &[u8]) -> &[u8] {
    let end = key.iter().position(|&byte| byte == END).unwrap_or(key.len());
    &key[..end]
}
