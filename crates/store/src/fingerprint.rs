//! By what the bytes of files are known before they are read.
//!
//! The time of change of a local file says little: a copy has another one, and so has a file that was only touched. A
//! local file is known by its length, its beginning and its end. An archive that is longer, is cut, or holds other records has others of
//! these. A change in the middle alone is not seen here, but in the digest of all bytes, when they are read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use futures::{StreamExt, stream};

use crate::shard::Target;
use crate::{Error, Place, Shard, Store, local, probe};

/// Bytes of the beginning and of the end.
const EDGE: u64 = 64 << 10;

/// The fingerprints of `shards`, in their order.
pub(crate) async fn of_all(store: &Store, shards: &[Shard]) -> Vec<Result<Option<String>, Error>> {
    stream::iter(shards)
        .map(|shard| one(store, shard))
        .buffered(store.options().probes.max(1))
        .collect()
        .await
}

async fn one(store: &Store, shard: &Shard) -> Result<Option<String>, Error> {
    let target = shard.target();
    let path = match &shard.place {
        // What is copied has the digest of all its bytes as its version.
        Place::Local(path) if store.spooled(&shard.place).is_none() && target.end().is_some() => path.clone(),
        _ => return Ok(shard.version.clone()),
    };
    let reading = tokio::task::spawn_blocking(move || of_file(&path, &target));
    let failed = |error| Error::io("could not read", &shard.location)(io::Error::other(error));
    reading.await.unwrap_or_else(|error| Err(failed(error))).map(Some)
}

fn of_file(path: &Path, target: &Target) -> Result<String, Error> {
    let failed = || Error::io("could not read", &target.name);
    let mut file = File::open(path).map_err(failed())?;
    let meta = file.metadata().map_err(failed())?;
    local::check(&target.name, &target.found, &probe::local_version(&meta))?;
    let (start, end) = (target.start(), target.end().unwrap_or(meta.len()));
    edges(&mut file, start, end).map_err(failed())
}

/// BLAKE3 of the length, and of the first and the last bytes.
fn edges(file: &mut (impl Read + Seek), start: u64, end: u64) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(end - start).to_le_bytes());
    let first = end.min(start + EDGE);
    let last = first.max(end.saturating_sub(EDGE));
    for (from, to) in [(start, first), (last, end)] {
        file.seek(SeekFrom::Start(from))?;
        hasher.update_reader(file.take(to - from))?;
    }
    Ok(hasher.finalize().to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn the_length_and_the_edges_count() {
        let of = |bytes: &[u8]| edges(&mut Cursor::new(bytes), 0, bytes.len() as u64).unwrap();
        for length in [0, 1, 65_536, 65_537, 131_072, 200_000] {
            let bytes = vec![7; length];
            let longer = vec![7; length + 1];
            assert_ne!(of(&bytes), of(&longer), "{length}");
            for at in [0, length / 2, length.saturating_sub(1)] {
                let mut changed = bytes.clone();
                let Some(byte) = changed.get_mut(at) else { continue };
                *byte = 8;
                let is_edge = at < 65_536 || at >= length - 65_536;
                assert_eq!(of(&bytes) != of(&changed), is_edge, "{at} of {length}");
            }
        }
        let within = edges(&mut Cursor::new(b"--abc--"), 2, 5).unwrap();
        assert_eq!(within, of(b"abc"));
    }
}
