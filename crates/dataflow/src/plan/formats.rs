//! In what format each shard is, as far as it is known.
//!
//! Who reads a range in the middle of a shard has to know. Of local shards it is looked up before anything runs;
//! of remote ones by the first that needs it, without waiting for the store.

use std::collections::BTreeMap;
use std::io;

use gleaner_store::{Poll, Shard, Store, Stream};
use gleaner_warc::{Container, Format, PROBE_BYTES, probe};
use parking_lot::Mutex;

/// Formats by shard.
#[derive(Debug)]
pub(crate) struct Formats {
    known: Vec<Option<Format>>,
    found: Mutex<BTreeMap<usize, Format>>,
}

impl Formats {
    pub(crate) fn new(known: Vec<Option<Format>>) -> Formats {
        Formats {
            known,
            found: Mutex::default(),
        }
    }

    pub(crate) fn of(&self, shard: usize) -> Option<Format> {
        let known = self.known.get(shard).copied().flatten();
        known.or_else(|| self.found.lock().get(&shard).copied())
    }

    pub(crate) fn set(&self, shard: usize, format: Format) {
        self.found.lock().insert(shard, format);
    }
}

/// A look at the beginning of a shard.
pub(crate) struct Look {
    stream: Stream,
    head: Vec<u8>,
}

impl Look {
    pub(crate) fn open(store: &Store, shard: &Shard) -> Result<Look, gleaner_store::Error> {
        Ok(Look {
            stream: store.open_range(shard, 0..PROBE_BYTES as u64, None)?,
            head: Vec::new(),
        })
    }

    /// The format, when enough has come. What can't be read at all belongs to the range at the beginning, which
    /// says so.
    pub(crate) fn step(&mut self, name: &str) -> io::Result<Option<Format>> {
        while self.head.len() < PROBE_BYTES {
            match self.stream.poll()? {
                Poll::Data(bytes) => self.head.extend_from_slice(&bytes),
                Poll::Pending => return Ok(None),
                Poll::End => break,
            }
        }
        self.head.truncate(PROBE_BYTES);
        let unreadable = Format {
            container: Container::Plain,
            page: false,
            splittable: false,
        };
        Ok(Some(probe(&self.head, name).unwrap_or(unreadable)))
    }
}

/// The format of a shard that may be split, from its first bytes; `None` where they can't be read
/// or are of no known format, which its reader reports.
pub(crate) fn look(store: &Store, shard: &Shard) -> Option<Format> {
    let mut stream = store.open(shard, 0, None).ok()?;
    let mut head: Vec<u8> = Vec::new();
    while head.len() < PROBE_BYTES {
        match stream.wait().ok()? {
            Some(bytes) => head.extend_from_slice(&bytes[..bytes.len().min(PROBE_BYTES - head.len())]),
            None => break,
        }
    }
    probe(&head, &shard.location).ok()
}
