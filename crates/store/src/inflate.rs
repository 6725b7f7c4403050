//! A deflated member of a ZIP file, inflated as it is read.

use bytes::{Buf, Bytes};
use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::poll::Poll;
use crate::{Error, Shard};

/// Bytes of one piece.
const PIECE: usize = 1 << 18;

/// The inflated bytes of a source. Never more than the length in the ZIP file's directory, and one piece at a time: a
/// small member that inflates to very many bytes takes little memory.
#[derive(Debug)]
pub(crate) struct Inflated<S> {
    name: String,
    source: S,
    inflate: Decompress,
    input: Bytes,
    /// Bytes that the caller has already.
    skip: u64,
    size: u64,
    checksum: u32,
    crc: Crc,
    ended: bool,
}

impl<S> Inflated<S> {
    /// What comes after `skip` bytes of a member whose checksum is known.
    pub(crate) fn new(source: S, shard: &Shard, checksum: u32, skip: u64) -> Inflated<S> {
        Inflated {
            name: shard.location.clone(),
            source,
            inflate: Decompress::new(false),
            input: Bytes::new(),
            skip,
            size: shard.size.unwrap_or(u64::MAX),
            checksum,
            crc: Crc::new(),
            ended: false,
        }
    }

    /// The next piece; `take` polls the source or waits for it.
    pub(crate) fn next(&mut self, take: impl Fn(&mut S) -> Result<Poll, Error>) -> Result<Poll, Error> {
        while !self.ended {
            if self.input.is_empty() {
                match take(&mut self.source)? {
                    Poll::Data(bytes) => self.input = bytes,
                    Poll::Pending => return Ok(Poll::Pending),
                    Poll::End => return Err(self.damaged("it ends in the middle of its deflated bytes")),
                }
            }
            let piece = self.piece()?;
            if !piece.is_empty() {
                return Ok(Poll::Data(piece));
            }
        }
        Ok(Poll::End)
    }

    /// Inflates the available bytes; none if they give no byte, or none that is wanted.
    fn piece(&mut self) -> Result<Bytes, Error> {
        let mut piece = Vec::with_capacity(PIECE);
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let status = self
            .inflate
            .decompress_vec(&self.input, &mut piece, FlushDecompress::None)
            .map_err(|_| self.damaged("its deflated bytes are damaged"))?;
        self.input.advance((self.inflate.total_in() - read) as usize);
        self.crc.update(&piece);
        if self.inflate.total_out() > self.size {
            return Err(self.damaged("it holds more bytes than its directory says"));
        }
        if status == Status::StreamEnd {
            self.check_end()?;
            self.ended = true;
        } else if piece.is_empty() && self.inflate.total_in() == read {
            return Err(self.damaged("its deflated bytes are damaged"));
        }
        let known = self.skip.saturating_sub(written).min(piece.len() as u64);
        Ok(Bytes::from(piece).split_off(known as usize))
    }

    fn check_end(&self) -> Result<(), Error> {
        match self.inflate.total_out() == self.size && self.crc.sum() == self.checksum {
            true => Ok(()),
            false => Err(self.damaged("its length or checksum is not that of its directory")),
        }
    }

    fn damaged(&self, detail: &str) -> Error {
        Error::Wacz(
            self.name.clone(),
            format!("{detail}; copy or download the file again"),
        )
    }
}
