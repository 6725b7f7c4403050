//! The captures of files, one after the other, for programs that read pages without a build.

use std::io;

use gleaner_corpus::RejectRow;
use gleaner_store::{Place, Poll, Shard, Store, Stream, Wake};
use gleaner_warc::{Chunk, Error, Options, Reader, Source, Step, Wanted, http};

use crate::data::key::SiteOf;
use crate::data::message::Capture;
use crate::read::capture::{self, NamedFile};

/// Bytes of a file, as stored, behind which [`Captures::step`] returns if it has found nothing.
const TURN_BYTES: usize = 4 << 20;

/// Reads the captures of files as a build does, in the order of the files and of their records. One record is in memory.
pub struct Captures {
    files: Box<dyn Iterator<Item = Result<OpenFile, Error>> + Send>,
    open: Option<OpenFile>,
    scratch: http::Scratch,
}

/// What a step of [`Captures`] leads to.
#[derive(Debug)]
pub enum Found {
    /// A page or a plain text, which a build parses.
    Capture(Box<Capture>),
    /// A capture that is neither, or a damaged place.
    Reject(Box<RejectRow>),
    /// Nothing yet. The wake is called when there is more.
    Pending,
    /// All is read.
    End,
}

/// A file that is read.
struct OpenFile {
    name: String,
    place: Place,
    /// Whether the user named it.
    named: bool,
    reader: Reader<Turns>,
}

impl Captures {
    /// Reads `shards`. `wake` is called from other threads, and from [`Self::step`].
    pub fn new(store: Store, shards: Vec<Shard>, wake: Wake) -> Captures {
        let open = move |shard: Shard| match store.open(&shard, 0, Some(wake.clone())) {
            Ok(stream) => Ok(OpenFile {
                name: shard.name,
                named: shard.named,
                ..OpenFile::new(
                    shard.location,
                    shard.place,
                    Box::new(StreamSource(stream)),
                    wake.clone(),
                )
            }),
            Err(error) => Err(Error::Source {
                file: shard.location,
                offset: 0,
                source: error.into(),
            }),
        };
        Captures::of_files(Box::new(shards.into_iter().map(open)))
    }

    /// Reads the bytes of one file that the user named, by a path or URL or by any words. `wake` is called from
    /// [`Self::step`].
    pub fn of_file(location: String, source: Box<dyn Source + Send>, wake: Wake) -> Captures {
        let place = Place::parse(&location).unwrap_or_else(|_| Place::Local((&*location).into()));
        let file = OpenFile::new(location, place, source, wake);
        Captures::of_files(Box::new(std::iter::once(Ok(file))))
    }

    fn of_files(files: Box<dyn Iterator<Item = Result<OpenFile, Error>> + Send>) -> Captures {
        Captures {
            files,
            open: None,
            scratch: http::Scratch::default(),
        }
    }

    /// The next capture or reject. Does not wait for the network.
    ///
    /// # Errors
    /// A file cannot be read (to its end), or the user named it and it is neither an archive nor a page. The next step
    /// begins with the next file.
    pub fn step(&mut self) -> Result<Found, Error> {
        loop {
            let Some(mut file) = self.open.take() else {
                let Some(next) = self.files.next() else {
                    return Ok(Found::End);
                };
                self.open = Some(next?);
                continue;
            };
            let named = NamedFile {
                name: &file.name,
                place: &file.place,
            };
            let found = match file.reader.step() {
                Ok(Step::Record(record)) => {
                    let limits = http::Limits::default();
                    let read = capture::read(named, &record, &mut self.scratch, &limits, SiteOf::Host);
                    read.map_or_else(Found::Reject, |capture| Found::Capture(Box::new(capture)))
                }
                Ok(Step::Reject(reject)) => Found::Reject(Box::new(capture::damage(&file.name, &reject))),
                Ok(Step::Pending) => Found::Pending,
                Ok(Step::End) => continue,
                Err(error @ Error::NotAnArchive { .. }) if !file.named => {
                    let reject = capture::unreadable(&file.name, 0, &error);
                    return Ok(Found::Reject(Box::new(reject)));
                }
                Err(error) => return Err(error),
            };
            self.open = Some(file);
            return Ok(found);
        }
    }
}

impl OpenFile {
    /// A file that the user named.
    fn new(location: String, place: Place, source: Box<dyn Source + Send>, wake: Wake) -> OpenFile {
        let source = Turns {
            source,
            wake,
            left: TURN_BYTES,
        };
        let options = Options {
            wanted: Wanted::CAPTURES,
            ..Options::default()
        };
        OpenFile {
            name: place.file_name(),
            place,
            named: true,
            reader: Reader::new(source, location, options),
        }
    }
}

/// The bytes of a file, with a pause now and then: where an archive holds nothing that is wanted, the caller gets its turn.
struct Turns {
    source: Box<dyn Source + Send>,
    wake: Wake,
    left: usize,
}

impl Source for Turns {
    fn next(&mut self) -> io::Result<Chunk> {
        if self.left == 0 {
            self.left = TURN_BYTES;
            (self.wake)();
            return Ok(Chunk::Pending);
        }
        let chunk = self.source.next()?;
        if let Chunk::Data(bytes) = &chunk {
            self.left = self.left.saturating_sub(bytes.len());
        }
        Ok(chunk)
    }
}

struct StreamSource(Stream);

impl Source for StreamSource {
    fn next(&mut self) -> io::Result<Chunk> {
        Ok(match self.0.poll()? {
            Poll::Data(bytes) => Chunk::Data(bytes),
            Poll::Pending => Chunk::Pending,
            Poll::End => Chunk::End,
        })
    }
}
