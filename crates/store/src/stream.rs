//! The bytes of a shard, piece by piece, without waiting.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::local::LocalStream;
use crate::remote::RemoteStream;
use crate::{Error, Place, Shard, Store};

/// Called from another thread when a stream has something new to poll.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// What a stream has at the moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Poll {
    /// The next bytes, at least one.
    Data(Bytes),
    /// Nothing yet; the stream's [`Wake`] will be called.
    Pending,
    /// Everything was read, and it was all that there should be.
    End,
}

/// The bytes of one shard from an offset to its end.
#[derive(Debug)]
pub struct Stream {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Local(LocalStream),
    Remote(RemoteStream),
}

impl Stream {
    pub(crate) fn open(
        store: &Store,
        shard: &Shard,
        range: Range<u64>,
        wake: Option<Wake>,
    ) -> Result<Stream, Error> {
        let source = match &shard.place {
            Place::Local(path) => Source::Local(LocalStream::open(path, shard, range.start)?),
            Place::Object { .. } | Place::Web { .. } => {
                Source::Remote(RemoteStream::open(store, shard, range, wake)?)
            }
        };
        Ok(Stream { source })
    }

    /// The next bytes if they are there. Never waits for the network; a local file is read by
    /// this call.
    ///
    /// # Errors
    ///
    /// The file changed, was cut, or could not be read; the error names it (an [`Error`] is
    /// inside). The same error comes again from every later call.
    pub fn poll(&mut self) -> io::Result<Poll> {
        match &mut self.source {
            Source::Local(stream) => stream.poll(),
            Source::Remote(stream) => stream.poll(),
        }
    }

    /// The next bytes, waiting for them; `None` at the end. Not for worker threads.
    ///
    /// # Errors
    ///
    /// As [`Stream::poll`].
    pub fn wait(&mut self) -> io::Result<Option<Bytes>> {
        let polled = match &mut self.source {
            Source::Local(stream) => stream.poll()?,
            Source::Remote(stream) => stream.wait()?,
        };
        match polled {
            Poll::Data(bytes) => Ok(Some(bytes)),
            Poll::End | Poll::Pending => Ok(None),
        }
    }
}
