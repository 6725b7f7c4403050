//! Local files, read by the caller.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::{Error, Poll, Shard, probe};

/// Bytes of one read: large enough that the system call costs nothing beside decoding.
const READ: u64 = 1 << 20;

/// A local file from an offset on.
#[derive(Debug)]
pub(crate) struct LocalStream {
    name: String,
    file: File,
    /// Size and version at the start; `(None, None)` for a pipe.
    found: (Option<u64>, Option<String>),
    position: u64,
    ended: bool,
}

impl LocalStream {
    pub(crate) fn open(path: &Path, shard: &Shard, offset: u64) -> Result<LocalStream, Error> {
        let missing = || Error::Missing {
            input: shard.name.clone(),
            hint: String::new(),
        };
        let mut file = File::open(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(),
            _ => Error::io("could not open", path)(error),
        })?;
        let meta = file.metadata().map_err(Error::io("could not read", path))?;
        let found = probe::local_version(&meta);
        check(&shard.name, &(shard.size, shard.version.clone()), &found)?;
        skip(&mut file, &shard.name, &found, offset).map_err(|error| Error::of_stream(&shard.name, error))?;
        Ok(LocalStream {
            name: shard.name.clone(),
            file,
            found,
            position: offset,
            ended: false,
        })
    }

    pub(crate) fn poll(&mut self) -> io::Result<Poll> {
        if self.ended {
            return Ok(Poll::End);
        }
        let mut bytes = Vec::with_capacity(self.room());
        let read = (&mut self.file)
            .take(READ)
            .read_to_end(&mut bytes)
            .map_err(Error::io("could not read", &self.name))?;
        if read == 0 {
            self.check_end()?;
            self.ended = true;
            return Ok(Poll::End);
        }
        self.position += read as u64;
        Ok(Poll::Data(bytes.into()))
    }

    /// As much as is still to come, and a byte more so that the end shows without growing.
    fn room(&self) -> usize {
        let left = self
            .found
            .0
            .map_or(READ, |size| size.saturating_sub(self.position));
        usize::try_from(left.min(READ) + 1).expect("a read fits in memory")
    }

    /// Nobody wrote to the file meanwhile, and it was read whole.
    fn check_end(&self) -> Result<(), Error> {
        let meta = self
            .file
            .metadata()
            .map_err(Error::io("could not read", &self.name))?;
        check(&self.name, &self.found, &probe::local_version(&meta))?;
        match self.found.0 {
            Some(size) if size != self.position => {
                let detail = format!("it had {size} bytes and ended after {}", self.position);
                Err(Error::Changed {
                    input: self.name.clone(),
                    detail,
                })
            }
            _ => Ok(()),
        }
    }
}

/// Compares size and version with those expected; what was not known before is not compared.
pub(crate) fn check(
    name: &str,
    expected: &(Option<u64>, Option<String>),
    found: &(Option<u64>, Option<String>),
) -> Result<(), Error> {
    let changed = |detail: String| {
        Err(Error::Changed {
            input: name.to_owned(),
            detail,
        })
    };
    match (expected, found) {
        ((Some(old), _), (Some(new), _)) if old != new => {
            changed(format!("it had {old} bytes and has {new} now"))
        }
        ((_, Some(old)), (_, Some(new))) if old != new => changed("it was written again".to_owned()),
        _ => Ok(()),
    }
}

fn skip(file: &mut File, name: &str, found: &(Option<u64>, Option<String>), offset: u64) -> io::Result<()> {
    match found.0 {
        Some(size) if offset > size => Err(Error::Offset {
            input: name.to_owned(),
            size,
            offset,
        }
        .into()),
        Some(_) => file.seek(SeekFrom::Start(offset)).map(drop),
        None => {
            let skipped = io::copy(&mut file.take(offset), &mut io::sink())?;
            if skipped < offset {
                return Err(Error::Offset {
                    input: name.to_owned(),
                    size: skipped,
                    offset,
                }
                .into());
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(bytes: &[u8]) -> (tempfile::NamedTempFile, Shard) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let shard = probe::local(file.path(), "x.warc").unwrap();
        (file, shard)
    }

    fn read(stream: &mut LocalStream) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        loop {
            match stream.poll()? {
                Poll::Data(bytes) => all.extend_from_slice(&bytes),
                Poll::End => return Ok(all),
                Poll::Pending => unreachable!("a local file is never pending"),
            }
        }
    }

    #[test]
    fn from_any_offset_to_the_end() {
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        let (file, shard) = file(&bytes);
        for offset in [0, 1, 1 << 20, 2_999_999, 3_000_000] {
            let mut stream = LocalStream::open(file.path(), &shard, offset).unwrap();
            assert!(
                read(&mut stream).unwrap() == bytes[offset as usize..],
                "from {offset}"
            );
        }
        let error = LocalStream::open(file.path(), &shard, 3_000_001).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'x.warc' has 3000000 bytes, byte 3000001 was asked for"
        );
    }

    #[test]
    fn a_file_cut_meanwhile_is_an_error() {
        let (file, shard) = file(&vec![7; 3 << 20]);
        let mut stream = LocalStream::open(file.path(), &shard, 0).unwrap();
        stream.poll().unwrap();
        file.as_file().set_len(2 << 20).unwrap();
        let error = read(&mut stream).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("'x.warc' changed while it was read: it had 3145728 bytes and has 2097152 now"),
            "{error}"
        );
    }

    #[test]
    fn a_file_that_grew_since_it_was_listed_is_an_error() {
        let (mut file, shard) = file(b"abc");
        file.write_all(b"def").unwrap();
        let error = LocalStream::open(file.path(), &shard, 0).unwrap_err();
        assert!(
            error.to_string().contains("it had 3 bytes and has 6 now"),
            "{error}"
        );
    }
}
