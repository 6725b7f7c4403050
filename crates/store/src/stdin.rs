//! Standard input as an input.
//!
//! It is copied to the local disk first: a build reads an input in ranges and may read it twice, and it is
//! continued after an interruption only where the inputs are the same. The digest of the bytes is the version.

use std::io::{self, IsTerminal, Read, StdinLock};
use std::path::PathBuf;

use crate::{Error, Kind, Place, Shard, Store, spool, wacz};

/// The name of standard input, on the command line and in the tables.
pub(crate) const NAME: &str = "-";

/// Whether an input is standard input, or a list that is.
pub(crate) fn is_read_by(input: &str) -> bool {
    input.strip_prefix('@').unwrap_or(input) == NAME
}

/// All bytes of standard input, as far as a limit.
pub(crate) fn bytes(limit: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut input = of_process()?.take(limit + 1);
    input
        .read_to_end(&mut bytes)
        .map_err(Error::io("could not read", NAME))?;
    match bytes.len() as u64 > limit {
        true => Err(Error::StandardInput("it is too long")),
        false => Ok(bytes),
    }
}

/// Standard input, if it is no terminal.
fn of_process() -> Result<StdinLock<'static>, Error> {
    let input = io::stdin();
    match input.is_terminal() {
        true => Err(Error::StandardInput(
            "it is a terminal; redirect a file or pipe a program into it",
        )),
        false => Ok(input.lock()),
    }
}

/// The shard that standard input is. Waits for its end.
pub(crate) fn shard(store: &Store) -> Result<Shard, Error> {
    shard_of(store, of_process()?)
}

fn shard_of(store: &Store, from: impl Read) -> Result<Shard, Error> {
    let (copy, size, digest) = spool::copy(store, from)?;
    let place = Place::Local(PathBuf::from("/dev/stdin"));
    store.keep(place.clone(), copy);
    Ok(Shard {
        name: NAME.to_owned(),
        location: NAME.to_owned(),
        place,
        kind: Kind::Archive,
        size: Some(size),
        version: Some(digest),
        named: true,
        member: None,
    })
}

/// The shards of standard input: it has no name that could be that of a WACZ.
pub(crate) fn shards(store: &Store) -> Result<Vec<Shard>, Error> {
    let shard = shard(store)?;
    match wacz::is_zip(store, &shard)? {
        true => wacz::members(store, shard),
        false => Ok(vec![shard]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    fn read(store: &Store, shard: &Shard) -> Vec<u8> {
        let mut stream = store.open(shard, 0, None).unwrap();
        let mut all = Vec::new();
        while let Some(bytes) = stream.wait().unwrap() {
            all.extend_from_slice(&bytes);
        }
        all
    }

    #[test]
    fn the_same_bytes_are_the_same_input_and_can_be_read_twice() {
        let folder = tempfile::tempdir().unwrap();
        let spool = Some(folder.path().to_owned());
        let stores = [(); 2].map(|()| {
            Store::new(Options {
                spool: spool.clone(),
                ..Options::default()
            })
            .unwrap()
        });
        let bytes = b"WARC/1.0\r\n".repeat(100_000);
        let shards = stores
            .each_ref()
            .map(|store| shard_of(store, &bytes[..]).unwrap());
        assert_eq!(shards[0], shards[1]);
        assert_eq!(shards[0].size, Some(1_000_000));
        assert_ne!(
            shard_of(&stores[0], &bytes[1..]).unwrap().version,
            shards[0].version
        );
        let shard = shard_of(&stores[0], &bytes[..]).unwrap();
        for _ in 0..2 {
            assert!(read(&stores[0], &shard) == bytes);
        }
        drop(stores);
        let left = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 0, "copies are removed with their store");
    }
}
