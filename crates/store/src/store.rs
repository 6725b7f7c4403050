//! The handle that owns the runtime and the connections.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
#[cfg(test)]
use object_store::ObjectStore;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::backend::{self, Client, Object};
use crate::poll::Wake;
use crate::purpose::Purpose;
use crate::spool::Spooled;
use crate::stream::Stream;
use crate::{Error, Expanded, Options, Output, Place, Shard, expand, fingerprint, head, probe};

/// Reads inputs and writes outputs. Cheap to clone and to share between threads; the threads
/// behind it end with the last clone.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    /// `Some` until drop: a runtime has to be given away to be ended without waiting for it.
    runtime: Option<Runtime>,
    options: Arc<Options>,
    /// One client a bucket and purpose: it holds the connections and the credentials.
    stores: Mutex<HashMap<(String, Purpose), Client>>,
    web: backend::WebClient,
    /// Copies on this disk of what cannot be read twice where it is.
    spooled: Mutex<HashMap<Place, Spooled>>,
}

impl Store {
    /// Starts the threads that talk to the network.
    ///
    /// # Errors
    ///
    /// [`Error::Runtime`] where the system allows no more threads.
    pub fn new(options: Options) -> Result<Store, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(options.threads.max(1))
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(Error::Runtime)?;
        let inner = Inner {
            runtime: Some(runtime),
            options: Arc::new(options),
            stores: Mutex::default(),
            web: backend::WebClient::default(),
            spooled: Mutex::default(),
        };
        Ok(Store {
            inner: Arc::new(inner),
        })
    }

    /// The shards of `inputs`, sorted by name, each file once, with notes about them.
    ///
    /// An input is a path or a `file://` URL, a folder (searched through for archives and HTML files), a pattern
    /// with `*`, `?`, `[...]` or `**`, the same in a bucket (`s3://`, `gs://`, `az://`), an
    /// `http(s)://` URL, or `@` before any of these: a list with an input a line, blank lines and
    /// those that begin with `#` left out, compressed by gzip or not. Relative lines are resolved
    /// against `base_url`, else against the folder of their list. `-` is standard input. A WACZ is replaced by the
    /// archives in it.
    ///
    /// Waits for the network: not for worker threads.
    ///
    /// # Errors
    ///
    /// Names the first input that cannot be used, and the remedy.
    pub fn expand(&self, inputs: &[String], base_url: Option<&str>) -> Result<Expanded, Error> {
        let mut found = self.expand_listed(inputs, base_url)?;
        match found.unlisted.is_empty() {
            true => Ok(found),
            false => Err(found.unlisted.swap_remove(0)),
        }
    }

    /// The same, where inputs may be out of reach for now: these are in [`Expanded::unlisted`].
    ///
    /// # Errors
    ///
    /// Names the first input that cannot be used at any time, and the remedy.
    pub fn expand_listed(&self, inputs: &[String], base_url: Option<&str>) -> Result<Expanded, Error> {
        expand::expand(self, inputs, base_url)
    }

    /// The shard at one place, with its size and version as they are now. Waits for the network.
    ///
    /// # Errors
    ///
    /// Where nothing is there, or it cannot be reached.
    pub fn shard(&self, place: &Place) -> Result<Shard, Error> {
        self.handle()
            .block_on(probe::shard(self, place, &place.to_string()))
    }

    /// Begins to read a shard at byte `offset`. `wake` is called, from another thread, whenever
    /// a remote stream has something new to poll.
    ///
    /// # Errors
    ///
    /// A file that is known to be shorter than `offset`; a store that cannot be set up. Whatever a server or a
    /// disk says comes later, from [`Stream::poll`].
    pub fn open(&self, shard: &Shard, offset: u64, wake: Option<Wake>) -> Result<Stream, Error> {
        Stream::open(self, shard, offset..u64::MAX, wake)
    }

    /// As [`Store::open`], for a caller that reads to about the end of a range, and not much further: of what is beyond it,
    /// little is fetched ahead.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn open_range(&self, shard: &Shard, range: Range<u64>, wake: Option<Wake>) -> Result<Stream, Error> {
        Stream::open(self, shard, range, wake)
    }

    /// The first `bytes` of each of `shards`, or all that there are, in their order. Each is requested once: a file
    /// that cannot be read now is an error, and a later try may succeed. Waits for the network.
    pub fn heads(&self, shards: Vec<Shard>, bytes: u64) -> Vec<Result<Bytes, Error>> {
        self.handle().block_on(head::of_all(self, shards, bytes))
    }

    /// By what the bytes of each of `shards` are known without reading them, in their order: of a local file BLAKE3 of its
    /// length and of its first and last 64 KiB, so that a copy has the same; of others their version. None of pipes. A file that
    /// cannot be read now is an error, and a later try may succeed. Waits for the disk.
    pub fn fingerprints(&self, shards: &[Shard]) -> Vec<Result<Option<String>, Error>> {
        self.handle().block_on(fingerprint::of_all(self, shards))
    }

    /// All bytes at a place, at most `limit` of them. Waits for the network.
    ///
    /// # Errors
    ///
    /// Where nothing is there, it cannot be reached, or is longer than `limit`.
    pub fn read(&self, place: &Place, limit: u64) -> Result<Bytes, Error> {
        let shard = self.shard(place)?;
        let too_long = || Error::BadUrl(shard.location.clone(), format!("more than {limit} bytes"));
        let mut stream = self.open(&shard, 0, None)?;
        let mut all = Vec::new();
        while let Some(bytes) = stream
            .wait()
            .map_err(|error| Error::of_stream(&shard.location, error))?
        {
            if (all.len() + bytes.len()) as u64 > limit {
                return Err(too_long());
            }
            all.extend_from_slice(&bytes);
        }
        Ok(all.into())
    }

    /// The folder or key prefix `place` as somewhere to write to. Nothing is created yet.
    ///
    /// # Errors
    ///
    /// A scheme that cannot be written to, or a store that cannot be set up.
    pub fn output(&self, place: &str) -> Result<Output, Error> {
        Output::open(self, place)
    }

    pub(crate) fn handle(&self) -> &Handle {
        self.inner
            .runtime
            .as_ref()
            .expect("there is a runtime until drop")
            .handle()
    }

    pub(crate) fn options(&self) -> &Arc<Options> {
        &self.inner.options
    }

    /// From now on the file at a place is read from its copy, which stays until the last clone of the store ends.
    pub(crate) fn keep(&self, place: Place, copy: Spooled) {
        self.inner.spooled.lock().insert(place, copy);
    }

    /// The copy of the file at a place, if there is one.
    pub(crate) fn spooled(&self, place: &Place) -> Option<Spooled> {
        self.inner.spooled.lock().get(place).cloned()
    }

    /// The object at a remote place, with a client that is shared by its whole bucket.
    pub(crate) fn object(&self, place: &Place, purpose: Purpose) -> Result<Object, Error> {
        match place {
            Place::Local(path) => {
                let detail = "a local path is not in a store".to_owned();
                Err(Error::BadUrl(path.display().to_string(), detail))
            }
            Place::Object { bucket, key } => {
                let client = self.bucket(bucket, purpose)?;
                Object::new(client, key, place, purpose)
            }
            Place::Web { url, secret } => {
                let client = self.inner.web.open(url, secret, self.options())?.into();
                let object = Object::new(client, "", place, purpose)?;
                Ok(Object {
                    secret: secret.clone(),
                    ..object
                })
            }
        }
    }

    fn bucket(&self, bucket: &str, purpose: Purpose) -> Result<Client, Error> {
        let mut stores = self.inner.stores.lock();
        let key = (bucket.to_owned(), purpose);
        if let Some(client) = stores.get(&key) {
            return Ok(client.clone());
        }
        let client = backend::bucket(bucket, purpose, self.options())?;
        stores.insert(key, client.clone());
        Ok(client)
    }

    /// Puts a store of the caller's own in the place of a bucket.
    #[cfg(test)]
    pub(crate) fn set_bucket(&self, bucket: &str, store: Arc<dyn ObjectStore>) {
        let mut stores = self.inner.stores.lock();
        for purpose in [Purpose::Read, Purpose::Write] {
            stores.insert((bucket.to_owned(), purpose), Arc::clone(&store).into());
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_millis(100));
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
