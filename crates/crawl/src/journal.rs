//! The journal of a crawl: what it found and what it did, a JSON object a line, beside the archive.
//!
//! It is the queue, too: a URL that waits is known by the place of its line. A page's line comes after its records are in the
//! archive and says how long the archive is then. So a crawl that was killed continues at the last whole line: the archive is cut
//! to that length, and nothing is in it twice.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::summary::{Limit, LinkReason, Outcome, Reason};

/// The form of the lines; another is refused.
const VERSION: u32 = 1;
/// Bytes that are read for one line at once: most lines are shorter.
const LINE_BYTES: usize = 1024;

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Line {
    Begin(Begin),
    Url(Found),
    Done(Done),
    /// A file of the archive is whole: it gets its name now.
    Cut(u32),
    /// The crawl is over; the last file gets its name now.
    End(End),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Begin {
    version: u32,
    pub(crate) identity: String,
    /// By which hashes of URLs differ from those of other crawls, so that no page can be made to look like another.
    pub(crate) salt: u64,
}

/// A URL that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) url: String,
    pub(crate) depth: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) redirects: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seed: Option<Seed>,
    /// Where the URL is on whose page it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) via: Option<u64>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Who named a URL where a crawl begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Seed {
    Typed,
    /// A seed leads there.
    Redirected,
}

/// A request that is over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Done {
    /// The place of its URL; none for a robots.txt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<u64>,
    /// Bytes of the archive's file after it.
    pub(crate) length: u64,
    pub(crate) outcome: Outcome,
    /// Bytes of the body.
    pub(crate) bytes: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) links: BTreeMap<LinkReason, u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) robots: Option<RobotsLine>,
}

/// The rules of an origin.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RobotsLine {
    pub(crate) origin: String,
    pub(crate) verdict: RobotsVerdict,
    /// When they were fetched: milliseconds since 1970.
    pub(crate) time: i64,
}

/// What an origin allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RobotsVerdict {
    /// The text of its robots.txt.
    Rules(String),
    All,
    /// It is not known, for this reason, of which the text says more: nothing is fetched.
    Unknown(Reason, String),
}

/// The end of a crawl.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct End {
    /// The number of the last file.
    pub(crate) number: u32,
    pub(crate) limit: Option<Limit>,
    pub(crate) waiting: u64,
}

/// A journal that lines are added to.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    batch: Vec<u8>,
}

impl Journal {
    /// A new journal.
    pub(crate) fn create(path: &Path, identity: String, salt: u64) -> Result<Journal, Error> {
        let mut journal = Journal::open(path, true)?;
        journal.add(&Line::Begin(Begin {
            version: VERSION,
            identity,
            salt,
        }));
        journal.write()?;
        Ok(journal)
    }

    fn open(path: &Path, is_new: bool) -> Result<Journal, Error> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(is_new);
        let file = options.open(path).map_err(Error::write(path))?;
        if file.try_lock().is_err() {
            return Err(Error::Locked(path.to_owned()));
        }
        Ok(Journal {
            path: path.to_owned(),
            file,
            length: 0,
            batch: Vec::new(),
        })
    }

    /// Opens a journal and gives each of its lines to `take`, with its place. A line that is not whole is cut off. Nothing if there
    /// is not even a first line.
    pub(crate) fn resume(
        path: &Path,
        mut take: impl FnMut(u64, Line) -> Result<(), Error>,
    ) -> Result<Option<Journal>, Error> {
        let mut journal = Journal::open(path, false)?;
        let mut reader = BufReader::with_capacity(1 << 20, &journal.file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = reader.read_until(b'\n', &mut line).map_err(Error::read(path))?;
            if !line.ends_with(b"\n") {
                break;
            }
            let parsed = serde_json::from_slice(&line).map_err(|_| Error::Journal(path.to_owned()))?;
            if !is_readable(&parsed, journal.length) {
                return Err(Error::Journal(path.to_owned()));
            }
            take(journal.length, parsed)?;
            journal.length += read as u64;
        }
        journal.file.set_len(journal.length).map_err(Error::write(path))?;
        Ok((journal.length > 0).then_some(journal))
    }

    /// Adds a line to the next that are written. Returns its place.
    pub(crate) fn add(&mut self, line: &Line) -> u64 {
        let place = self.length + self.batch.len() as u64;
        serde_json::to_writer(&mut self.batch, line).expect("lines are JSON, and memory takes all");
        self.batch.push(b'\n');
        place
    }

    /// Writes the lines that were added. If that fails, none of them is there.
    pub(crate) fn write(&mut self) -> Result<(), Error> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let end = self.file.seek(SeekFrom::Start(self.length));
        if let Err(error) = end.and_then(|_| self.file.write_all(&self.batch)) {
            // (What is left of the lines is cut off at the latest when the crawl continues.)
            let _is_cut = self.file.set_len(self.length);
            return Err(Error::write(&self.path)(error));
        }
        self.length += self.batch.len() as u64;
        self.batch.clear();
        Ok(())
    }

    /// The line at a place.
    pub(crate) fn line(&mut self, place: u64) -> Result<Line, Error> {
        let bytes = self.bytes(place).map_err(Error::read(&self.path))?;
        serde_json::from_slice(&bytes).map_err(|_| Error::Journal(self.path.clone()))
    }

    fn bytes(&mut self, place: u64) -> std::io::Result<Vec<u8>> {
        let mut line = Vec::with_capacity(LINE_BYTES);
        self.file.seek(SeekFrom::Start(place))?;
        loop {
            let from = line.len();
            line.resize(from + from.max(LINE_BYTES), 0);
            let read = self.file.read(&mut line[from..])?;
            line.truncate(from + read);
            if let Some(end) = line[from..].iter().position(|&byte| byte == b'\n') {
                line.truncate(from + end);
                return Ok(line);
            }
            if read == 0 {
                return Ok(line);
            }
        }
    }

    /// The URL at a place.
    pub(crate) fn found(&mut self, place: u64) -> Result<Found, Error> {
        match self.line(place)? {
            Line::Url(found) => Ok(found),
            _ => Err(Error::Journal(self.path.clone())),
        }
    }

    /// The rules of an origin at a place.
    pub(crate) fn robots(&mut self, place: u64) -> Result<RobotsLine, Error> {
        match self.line(place)? {
            Line::Done(Done {
                robots: Some(robots), ..
            }) => Ok(robots),
            _ => Err(Error::Journal(self.path.clone())),
        }
    }

    /// Removes it: the crawl is over.
    pub(crate) fn remove(self) -> Result<(), Error> {
        drop(self.file);
        std::fs::remove_file(&self.path).map_err(Error::write(&self.path))
    }
}

/// Whether a line may stand at a place: the first is the beginning of a journal of this version, and no other.
fn is_readable(line: &Line, place: u64) -> bool {
    match line {
        Line::Begin(begin) => place == 0 && begin.version == VERSION,
        _ => place > 0,
    }
}
