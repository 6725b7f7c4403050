//! Numbers, strings and arrays of a model file: little endian.

use std::io::{ErrorKind, Read};

use super::FastTextError;

/// What is read at once of an array: a size that is wrong asks for no more memory than the file has bytes.
const PIECE: usize = 1 << 20;

/// The longest word of a dictionary, in bytes.
const WORD: usize = 1 << 16;

pub(super) struct Reader<R> {
    bytes: R,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(bytes: R) -> Reader<R> {
        Reader { bytes }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FastTextError> {
        let mut array = [0; N];
        self.bytes.read_exact(&mut array).map_err(early_end)?;
        Ok(array)
    }

    /// Whether the next four bytes are a number. A file that ends before is not a model.
    pub(super) fn begins_with(&mut self, number: i32) -> Result<bool, FastTextError> {
        match self.int() {
            Ok(first) => Ok(first == number),
            Err(FastTextError::Damaged(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn int(&mut self) -> Result<i32, FastTextError> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn long(&mut self) -> Result<i64, FastTextError> {
        self.array().map(i64::from_le_bytes)
    }

    pub(super) fn skip_ints(&mut self, count: usize) -> Result<(), FastTextError> {
        (0..count).try_for_each(|_| self.int().map(drop))
    }

    /// A size of four bytes.
    pub(super) fn size(&mut self) -> Result<usize, FastTextError> {
        usize::try_from(self.int()?).map_err(|_| FastTextError::Damaged("a size is negative"))
    }

    /// A size of eight bytes.
    pub(super) fn long_size(&mut self) -> Result<usize, FastTextError> {
        usize::try_from(self.long()?).map_err(|_| FastTextError::Damaged("a size is negative"))
    }

    pub(super) fn byte(&mut self) -> Result<u8, FastTextError> {
        self.array().map(|[byte]| byte)
    }

    pub(super) fn flag(&mut self) -> Result<bool, FastTextError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(FastTextError::Damaged("a flag is neither 0 nor 1")),
        }
    }

    /// A string, which ends with a zero.
    pub(super) fn word(&mut self) -> Result<Box<[u8]>, FastTextError> {
        let mut word = Vec::new();
        loop {
            match self.byte()? {
                0 => return Ok(word.into()),
                _ if word.len() == WORD => return Err(FastTextError::Damaged("a word has no end")),
                byte => word.push(byte),
            }
        }
    }

    pub(super) fn codes(&mut self, count: usize) -> Result<Vec<u8>, FastTextError> {
        let mut codes = Vec::new();
        while codes.len() < count {
            let begun = codes.len();
            codes.resize(count.min(begun + PIECE), 0);
            self.bytes.read_exact(&mut codes[begun..]).map_err(early_end)?;
        }
        Ok(codes)
    }

    pub(super) fn floats(&mut self, count: usize) -> Result<Vec<f32>, FastTextError> {
        let mut floats = Vec::new();
        while floats.len() < count {
            let piece = self.codes((count - floats.len()).min(PIECE) * 4)?;
            let (fours, _) = piece.as_chunks();
            floats.extend(fours.iter().map(|four| f32::from_le_bytes(*four)));
        }
        Ok(floats)
    }
}

fn early_end(error: std::io::Error) -> FastTextError {
    match error.kind() {
        ErrorKind::UnexpectedEof => FastTextError::Damaged("the file ends early"),
        _ => FastTextError::Read(error),
    }
}
