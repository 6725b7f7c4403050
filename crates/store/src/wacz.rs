//! WACZ: archives in a ZIP file. Each of them becomes a shard of its own, a range of the file's bytes.
//!
//! The directory at the end of the file and the header of each archive are read, by ranges where the file is
//! elsewhere. Archives are mostly stored as they are, and are then read as if they were files by themselves.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use bytes::Bytes;
use zip::read::ZipFileEntry;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::shard::is_wacz;
use crate::{Error, Kind, Member, Place, Shard, Store, remote, spool};

/// Bytes from the end of the file that are read first. A comment after the directory has no more.
const TAIL: u64 = 66 << 10;

/// Bytes of the first read elsewhere; a read that begins where the last one ended is twice as long.
const FIRST_READ: u64 = 4 << 10;
const LONGEST_READ: u64 = 4 << 20;

/// Maximum bytes read of directory and headers: more than a million entries have.
const LIMIT: u64 = 256 << 20;

/// Whether a shard is a WACZ, by the name of its file.
pub(crate) fn is_named(shard: &Shard) -> bool {
    shard.member.is_none()
        && match &shard.place {
            Place::Local(path) => is_wacz(&path.to_string_lossy()),
            Place::Object { key, .. } => is_wacz(key),
            Place::Web { url, .. } => is_wacz(url.split('?').next().unwrap_or(url)),
        }
}

/// Whether a shard begins as a ZIP file does.
pub(crate) fn is_zip(store: &Store, shard: &Shard) -> Result<bool, Error> {
    let mut stream = store.open_range(shard, 0..4, None)?;
    let first = stream
        .wait()
        .map_err(|error| Error::of_stream(&shard.location, error))?;
    Ok(first.is_some_and(|bytes| bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")))
}

/// The archives in a WACZ. Waits for the network.
///
/// # Errors
///
/// No ZIP file, one without archives, or with archives that are encrypted or compressed in another way than by
/// deflate.
pub(crate) fn members(store: &Store, shard: Shard) -> Result<Vec<Shard>, Error> {
    if shard.size.is_none() {
        return members_of_copy(store, shard);
    }
    match directory(store, &shard) {
        // Whatever the reason: if the server serves the whole file, ranges were the trouble.
        Err(Error::Remote { .. } | Error::NoRanges(..)) if matches!(shard.place, Place::Web { .. }) => {
            members_of_copy(store, shard)
        }
        found => found,
    }
}

/// The same of a file that can be read from its first byte only.
fn members_of_copy(store: &Store, mut shard: Shard) -> Result<Vec<Shard>, Error> {
    let (copy, size, digest) = spool::download(store, &shard)?;
    store.keep(shard.place.clone(), copy);
    shard.size = Some(size);
    shard.version.get_or_insert(digest);
    directory(store, &shard)
}

fn directory(store: &Store, shard: &Shard) -> Result<Vec<Shard>, Error> {
    let failed = |error| explained(&shard.location, error);
    let mut zip = ZipArchive::new(Ranges::new(store, shard)).map_err(failed)?;
    let mut found = Vec::new();
    for index in 0..zip.len() {
        let entry = zip.by_index_data(index).map_err(failed)?;
        let name = entry.name().map_err(failed)?.into_owned();
        if entry.is_dir() || Kind::from_found(&name) != Some(Kind::Archive) {
            continue;
        }
        let deflated = packing(&shard.location, &name, &entry)?;
        let (size, stored) = (entry.size(), entry.compressed_size());
        // The header before the bytes has the place where they begin.
        let start = zip.by_index_raw(index).map_err(failed)?.data_start();
        let start = start.filter(|start| {
            let end = start.checked_add(stored);
            end.is_some_and(|end| Some(end) <= shard.size)
        });
        let Some(start) = start else {
            return Err(damaged(&shard.location, "a file that goes beyond its end"));
        };
        found.push(Shard {
            name: member_name(&shard.place, &shard.name, &name),
            location: member_name(&shard.place, &shard.location, &name),
            size: Some(size),
            kind: Kind::Archive,
            member: Some(Member {
                file_size: shard.size.unwrap_or_default(),
                start,
                stored,
                deflated,
            }),
            ..shard.clone()
        });
    }
    if found.is_empty() {
        let detail = "it holds no WARC file (archive/*.warc.gz): name the archives themselves".to_owned();
        return Err(wacz(&shard.location, detail));
    }
    Ok(found)
}

/// The checksum of a deflated member; nothing for one that is stored as it is.
fn packing(file: &str, name: &str, entry: &ZipFileEntry<'_>) -> Result<Option<u32>, Error> {
    if entry.encrypted() {
        let detail = format!("'{name}' in it is encrypted: pack it again without a password");
        return Err(wacz(file, detail));
    }
    match entry.compression() {
        CompressionMethod::Stored if entry.size() == entry.compressed_size() => Ok(None),
        CompressionMethod::Stored => Err(damaged(file, "two lengths of a stored file")),
        CompressionMethod::DEFLATE => Ok(Some(entry.crc32())),
        other => {
            let detail =
                format!("'{name}' in it is compressed by {other}: pack it again, stored or deflated");
            Err(wacz(file, detail))
        }
    }
}

/// `site.wacz/archive/data.warc.gz`; the query of a URL stays at the end.
fn member_name(place: &Place, file: &str, member: &str) -> String {
    match (place, file.split_once('?')) {
        (Place::Web { .. }, Some((file, query))) => format!("{file}/{member}?{query}"),
        _ => format!("{file}/{member}"),
    }
}

fn wacz(input: &str, detail: String) -> Error {
    Error::Wacz(input.to_owned(), detail)
}

fn damaged(input: &str, detail: &str) -> Error {
    wacz(
        input,
        format!("its ZIP directory is damaged or cut off ({detail}): copy or download the file again"),
    )
}

fn explained(input: &str, error: ZipError) -> Error {
    match error {
        ZipError::Io(error) => match error.downcast::<Error>() {
            Ok(error) => error,
            Err(error) => damaged(input, &error.to_string()),
        },
        ZipError::UnsupportedArchive(detail) => {
            wacz(input, format!("{detail}: pack it again as one plain ZIP file"))
        }
        other => damaged(input, &other.to_string()),
    }
}

/// The bytes of a shard at any place. Those at its end, where the directory is, are kept, and the
/// last ones from elsewhere.
struct Ranges<'a> {
    store: &'a Store,
    shard: &'a Shard,
    size: u64,
    position: u64,
    tail: Kept,
    last: Kept,
    next_read: u64,
    read: u64,
}

/// Bytes, and where they begin.
#[derive(Default)]
struct Kept {
    start: u64,
    bytes: Bytes,
}

impl Kept {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// What there is from a position on.
    fn from(&self, position: u64) -> Option<&[u8]> {
        let at = usize::try_from(position.checked_sub(self.start)?).ok()?;
        self.bytes.get(at..).filter(|bytes| !bytes.is_empty())
    }
}

impl<'a> Ranges<'a> {
    fn new(store: &'a Store, shard: &'a Shard) -> Ranges<'a> {
        Ranges {
            store,
            shard,
            size: shard.size.unwrap_or_default(),
            position: 0,
            tail: Kept::default(),
            last: Kept::default(),
            next_read: FIRST_READ,
            read: 0,
        }
    }

    fn kept(&self) -> Option<&[u8]> {
        self.tail
            .from(self.position)
            .or_else(|| self.last.from(self.position))
    }

    /// Keeps bytes that begin at the position, or before it where the file ends soon.
    fn fetch(&mut self) -> Result<(), Error> {
        let tail = self.size.saturating_sub(TAIL);
        if self.position >= tail {
            self.tail = self.get(tail..self.size)?;
            return Ok(());
        }
        self.next_read = match self.position == self.last.end() {
            true => (self.next_read * 2).min(LONGEST_READ),
            false => FIRST_READ,
        };
        let range = self.position..(self.position + self.next_read).min(self.size);
        self.read += range.end - range.start;
        if self.read > LIMIT {
            return Err(wacz(
                &self.shard.location,
                format!("its ZIP directory has more than {} MB", LIMIT >> 20),
            ));
        }
        self.last = self.get(range)?;
        Ok(())
    }

    fn get(&self, range: Range<u64>) -> Result<Kept, Error> {
        let start = range.start;
        let bytes = self.bytes(range)?;
        Ok(Kept { start, bytes })
    }

    fn bytes(&self, range: Range<u64>) -> Result<Bytes, Error> {
        let place = &self.shard.place;
        if !place.is_local() && self.store.spooled(place).is_none() {
            return remote::read_range(self.store, place, self.shard.target(), range);
        }
        let wanted = usize::try_from(range.end - range.start).expect("a read fits in memory");
        let mut stream = self.store.open_range(self.shard, range, None)?;
        let mut bytes = Vec::with_capacity(wanted);
        while bytes.len() < wanted {
            let next = stream.wait();
            let Some(next) = next.map_err(|error| Error::of_stream(&self.shard.location, error))? else {
                break;
            };
            bytes.extend_from_slice(&next[..next.len().min(wanted - bytes.len())]);
        }
        Ok(bytes.into())
    }
}

impl Read for Ranges<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.size || buffer.is_empty() {
            return Ok(0);
        }
        if self.kept().is_none() {
            self.fetch()?;
        }
        let bytes = self.kept().unwrap_or_default();
        let read = bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Ranges<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
