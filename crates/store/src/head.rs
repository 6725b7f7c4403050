//! The first bytes of shards, many at a time, each by one try.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bytes::Bytes;
use futures::{StreamExt, stream};

use crate::{Error, Place, Shard, Store, remote};

/// The first `bytes` of each of `shards`, in their order.
pub(crate) async fn of_all(store: &Store, shards: Vec<Shard>, bytes: u64) -> Vec<Result<Bytes, Error>> {
    stream::iter(shards)
        .map(|shard| one(store, shard, bytes))
        .buffered(store.options().probes.max(1))
        .collect()
        .await
}

async fn one(store: &Store, shard: Shard, bytes: u64) -> Result<Bytes, Error> {
    let is_copied = store.spooled(&shard.place).is_some();
    match &shard.place {
        Place::Local(path) if shard.member.is_none() && !is_copied => {
            let path = path.clone();
            let reading = tokio::task::spawn_blocking(move || local(&path, bytes));
            let read = reading.await.unwrap_or_else(|error| Err(io::Error::other(error)));
            read.map_err(Error::io("could not read", &shard.location))
        }
        place if !place.is_local() && shard.is_seekable() && !is_copied => {
            remote::head(store, place, shard.target(), bytes).await
        }
        _ => {
            let (store, name) = (store.clone(), shard.location.clone());
            let reading = tokio::task::spawn_blocking(move || streamed(&store, &shard, bytes));
            let read = reading.await.unwrap_or_else(|error| Err(io::Error::other(error)));
            read.map_err(|error| Error::of_stream(&name, error))
        }
    }
}

/// The head of a file within a file, or of what is spooled.
fn streamed(store: &Store, shard: &Shard, bytes: u64) -> io::Result<Bytes> {
    let mut stream = store.open_range(shard, 0..bytes, None)?;
    let mut head = Vec::new();
    while (head.len() as u64) < bytes {
        let Some(more) = stream.wait()? else { break };
        head.extend_from_slice(&more);
    }
    head.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
    Ok(head.into())
}

fn local(path: &Path, bytes: u64) -> io::Result<Bytes> {
    // What is read from a pipe cannot be read again.
    if !path.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut head = Vec::new();
    File::open(path)?.take(bytes).read_to_end(&mut head)?;
    Ok(head.into())
}
