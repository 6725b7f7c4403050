//! Where the bytes of a file come from.

use std::io::{self, Read};

use bytes::Bytes;

/// What a [`Source`] has to give at this moment.
#[derive(Debug, Clone)]
pub enum Chunk {
    /// The next bytes of the file. An empty chunk is allowed and means nothing.
    Data(Bytes),
    /// No bytes have arrived yet: the reader returns and can be called again later.
    Pending,
    /// The file has ended.
    End,
}

/// A stream of bytes that may be waiting for a network.
///
/// It begins at the start of the reader's range ([`crate::Options::range`]) and continues to the end of
/// the file: the last record of a range usually ends after it. A source is not read again once the
/// reader has returned [`crate::Step::End`].
pub trait Source {
    /// The next chunk. Chunks of 64 KiB to 1 MiB are best.
    ///
    /// # Errors
    /// Whatever keeps the bytes from coming; the reader stops for good.
    fn next(&mut self) -> io::Result<Chunk>;
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn next(&mut self) -> io::Result<Chunk> {
        (**self).next()
    }
}

impl<S: Source + ?Sized> Source for &mut S {
    fn next(&mut self) -> io::Result<Chunk> {
        (**self).next()
    }
}

/// A [`Source`] over anything that can be read and may block, such as a file.
#[derive(Debug)]
pub struct ReadSource<R> {
    inner: R,
}

/// Bytes of one read of a file.
const READ_BYTES: usize = 256 << 10;

impl<R: Read> ReadSource<R> {
    /// Reads in pieces of 256 KiB. A buffered reader around `inner` would only copy once more.
    pub fn new(inner: R) -> Self {
        Self { inner }
    }
}

impl<R: Read> Source for ReadSource<R> {
    fn next(&mut self) -> io::Result<Chunk> {
        let mut chunk = vec![0; READ_BYTES];
        let got = loop {
            match self.inner.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        chunk.truncate(got);
        Ok(if got == 0 {
            Chunk::End
        } else {
            Chunk::Data(chunk.into())
        })
    }
}
