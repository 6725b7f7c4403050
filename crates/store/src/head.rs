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
    let Place::Local(path) = shard.place.clone() else {
        return remote::head(store, &shard, bytes).await;
    };
    let reading = tokio::task::spawn_blocking(move || local(&path, bytes));
    let read = reading.await.unwrap_or_else(|error| Err(io::Error::other(error)));
    read.map_err(Error::io("could not read", &shard.name))
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
