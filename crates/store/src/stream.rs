//! The bytes of a shard, piece by piece, without waiting.

use std::io;
use std::ops::Range;

use bytes::Bytes;

use crate::inflate::Inflated;
use crate::local::LocalStream;
use crate::poll::{Poll, Wake};
use crate::remote::RemoteStream;
use crate::{Error, Place, Shard, Store};

/// The bytes of one shard from an offset to its end.
#[derive(Debug)]
pub struct Stream {
    source: Source,
    state: StreamState,
}

/// A [`Stream`] as a reader; see [`Stream::reader`].
#[derive(Debug)]
pub struct StreamReader {
    stream: Stream,
    /// What of the last piece is not read.
    chunk: Bytes,
}

impl io::Read for StreamReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chunk.is_empty() {
            self.chunk = self.stream.wait()?.unwrap_or_default();
        }
        let bytes = self.chunk.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&self.chunk.split_to(bytes));
        Ok(bytes)
    }
}

#[derive(Debug)]
enum StreamState {
    Open,
    Ended,
    /// The kind and text of the error, to be returned again.
    Failed(io::ErrorKind, String),
}

/// Where the bytes come from.
#[derive(Debug)]
pub(crate) enum Source {
    Local(LocalStream),
    Remote(RemoteStream),
    Inflated(Box<Inflated<Source>>),
}

impl Stream {
    pub(crate) fn open(
        store: &Store,
        shard: &Shard,
        range: Range<u64>,
        wake: Option<Wake>,
    ) -> Result<Stream, Error> {
        let source = match shard.member.as_ref().and_then(|member| member.deflated) {
            Some(crc) => {
                shard.check_offset(range.start)?;
                let inner = Source::open(store, shard, 0..u64::MAX, wake)?;
                Source::Inflated(Box::new(Inflated::new(inner, shard, crc, range.start)))
            }
            None => Source::open(store, shard, range, wake)?,
        };
        Ok(Stream {
            source,
            state: StreamState::Open,
        })
    }

    /// The next bytes if they are there. Never waits for the network, nor for a local file that is away for
    /// a moment; a local file is read by this call.
    ///
    /// # Errors
    ///
    /// The file is gone, changed, was cut, or could not be read, also not by later tries; the error names it
    /// (an [`Error`] is inside). The same error comes again from every later call.
    pub fn poll(&mut self) -> io::Result<Poll> {
        if let Some(known) = self.known() {
            return known;
        }
        let polled = self.source.poll();
        self.keep(polled)
    }

    /// The next bytes, waiting for them; `None` at the end. Not for worker threads.
    ///
    /// # Errors
    ///
    /// As [`Stream::poll`].
    pub fn wait(&mut self) -> io::Result<Option<Bytes>> {
        let polled = match self.known() {
            Some(known) => known?,
            None => {
                let polled = self.source.wait();
                self.keep(polled)?
            }
        };
        match polled {
            Poll::Data(bytes) => Ok(Some(bytes)),
            Poll::End | Poll::Pending => Ok(None),
        }
    }

    /// A reader of the bytes that waits for them. Not for worker threads.
    #[must_use]
    pub fn reader(self) -> StreamReader {
        StreamReader {
            stream: self,
            chunk: Bytes::new(),
        }
    }

    fn known(&self) -> Option<io::Result<Poll>> {
        match &self.state {
            StreamState::Open => None,
            StreamState::Ended => Some(Ok(Poll::End)),
            StreamState::Failed(kind, text) => Some(Err(io::Error::new(*kind, text.clone()))),
        }
    }

    /// Records that the stream ended, with or without an error.
    fn keep(&mut self, polled: Result<Poll, Error>) -> io::Result<Poll> {
        match polled {
            Ok(poll) => {
                if poll == Poll::End {
                    self.state = StreamState::Ended;
                }
                Ok(poll)
            }
            Err(error) => {
                let error = io::Error::from(error);
                self.state = StreamState::Failed(error.kind(), error.to_string());
                Err(error)
            }
        }
    }
}

impl Source {
    fn open(store: &Store, shard: &Shard, range: Range<u64>, wake: Option<Wake>) -> Result<Source, Error> {
        let target = shard.target();
        let copy = store.spooled(&shard.place);
        if copy.is_some() || shard.place.is_local() {
            shard.check_offset(range.start)?;
        }
        if let Some(copy) = copy {
            return Ok(Source::Local(LocalStream::of_copy(
                store,
                &copy,
                target,
                range.start,
                wake,
            )));
        }
        Ok(match &shard.place {
            Place::Local(path) => Source::Local(LocalStream::new(store, path, target, range.start, wake)),
            Place::Object { .. } | Place::Web { .. } => {
                Source::Remote(RemoteStream::open(store, &shard.place, target, range, wake)?)
            }
        })
    }

    pub(crate) fn poll(&mut self) -> Result<Poll, Error> {
        match self {
            Source::Local(stream) => stream.poll(),
            Source::Remote(stream) => stream.poll(),
            Source::Inflated(stream) => stream.next(Source::poll),
        }
    }

    /// As `poll`, but waits: it never gives [`Poll::Pending`].
    pub(crate) fn wait(&mut self) -> Result<Poll, Error> {
        match self {
            Source::Local(stream) => stream.wait(),
            Source::Remote(stream) => stream.wait(),
            Source::Inflated(stream) => stream.next(Source::wait),
        }
    }
}
