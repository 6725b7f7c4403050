//! A file on its way to an output: invisible until it is whole.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use object_store::buffered::BufWriter as ObjectWriter;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::sync::oneshot;

use crate::backend::Object;
use crate::options::spool_folder;
use crate::own;
use crate::purpose::Purpose;
use crate::{Error, Place, Store, system};

/// Bytes of one part of an upload. S3 allows 10,000 parts: files of 80 GB.
const PART: usize = 8 << 20;

/// Bytes of one read of a spooled file.
const READ: usize = 1 << 20;

/// Parts of one upload on their way at a time.
const PARTS_IN_FLIGHT: usize = 2;

/// The end of the names of files that are not whole yet. They begin with a dot.
pub(crate) const PARTIAL: &str = ".partial";

/// A file being written. It appears under its name when [`Upload::finish`] succeeds; dropped
/// before, it leaves nothing.
///
/// It is kept on a local disk until it is whole, beside its final place or, for a store, in the
/// folder for temporary files: writing never waits for the network.
#[derive(Debug)]
pub struct Upload {
    file: BufWriter<File>,
    bytes: u64,
    target: Target,
}

#[derive(Debug)]
enum Target {
    Local {
        partial: Partial,
        path: PathBuf,
    },
    Remote {
        spool: tempfile::TempPath,
        object: Object,
        store: Store,
    },
}

/// A local file that is removed unless it was renamed.
#[derive(Debug)]
struct Partial {
    path: PathBuf,
    name: String,
    done: bool,
}

impl Upload {
    pub(crate) fn create(store: &Store, place: &Place) -> Result<Upload, Error> {
        match place {
            Place::Local(path) => Upload::local(path),
            other => Upload::remote(store, other),
        }
    }

    fn new(file: File, target: Target) -> Upload {
        Upload {
            file: BufWriter::with_capacity(1 << 16, file),
            bytes: 0,
            target,
        }
    }

    fn local(path: &Path) -> Result<Upload, Error> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io("could not create the folder", folder))?;
        }
        let partial = partial_path(path);
        let file = own::create(&partial)?;
        let partial = Partial {
            path: partial,
            name: path.display().to_string(),
            done: false,
        };
        Ok(Upload::new(
            file,
            Target::Local {
                partial,
                path: path.to_owned(),
            },
        ))
    }

    fn remote(store: &Store, place: &Place) -> Result<Upload, Error> {
        let object = store.object(place, Purpose::Write)?;
        let folder = spool_folder(store.options());
        let (file, spool) = tempfile::Builder::new()
            .prefix("gleaner-")
            .suffix(PARTIAL)
            .tempfile_in(&folder)
            .map_err(Error::io("could not create a temporary file in", &folder))?
            .into_parts();
        let target = Target::Remote {
            spool,
            object,
            store: store.clone(),
        };
        Ok(Upload::new(file, target))
    }

    /// The name the file will have.
    pub fn name(&self) -> &str {
        match &self.target {
            Target::Local { partial, .. } => &partial.name,
            Target::Remote { object, .. } => &object.name,
        }
    }

    /// Changes the name it will have, within its folder.
    pub fn rename(&mut self, file: &str) {
        match &mut self.target {
            Target::Local { partial, path } => {
                path.set_file_name(file);
                partial.name = path.display().to_string();
            }
            Target::Remote { object, .. } => object.rename(file),
        }
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes the file appear. A local file is on the disk when this returns; one for a store is
    /// on its way, and the [`Commit`] reports when it is complete.
    ///
    /// # Errors
    ///
    /// The disk is full or broken; nothing appears.
    pub fn finish(self) -> Result<Commit, Error> {
        let name = self.name().to_owned();
        let file = self
            .file
            .into_inner()
            .map_err(|error| Error::io("could not write", &name)(error.into_error()))?;
        match self.target {
            Target::Local { partial, path } => {
                partial.publish(&file, &path)?;
                Ok(Commit {
                    name,
                    state: CommitState::Done,
                })
            }
            Target::Remote { spool, object, store } => {
                drop(file);
                let (sender, receiver) = oneshot::channel();
                store.handle().spawn(async move {
                    let outcome = send(&spool, &object).await;
                    // There is no receiver if the run was given up.
                    drop(sender.send(outcome));
                });
                Ok(Commit {
                    name,
                    state: CommitState::Waiting(receiver, store),
                })
            }
        }
    }
}

impl Write for Upload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Partial {
    /// Bytes to the disk, then the name, then the folder: in this order a crash leaves either
    /// nothing or all of it.
    fn publish(mut self, file: &File, path: &Path) -> Result<(), Error> {
        file.sync_all().map_err(Error::io("could not write", path))?;
        std::fs::rename(&self.path, path).map_err(Error::io("could not rename a file to", path))?;
        self.done = true;
        sync_folder(path)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.done {
            // There is no caller to report an error to; the next run cleans up.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// The name that a local file has until it is whole.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}{PARTIAL}"))
}

/// Makes the names in the folder of `path` durable.
pub(crate) fn sync_folder(path: &Path) -> Result<(), Error> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    system::sync_folder(folder).map_err(Error::io("could not write", folder))
}

/// Sends a spooled file: at once if it is small, else in parts that become one object at the end.
async fn send(spool: &Path, object: &Object) -> Result<(), Error> {
    let file = tokio::fs::File::open(spool).await;
    let mut file = BufReader::with_capacity(READ, file.map_err(Error::io("could not read", spool))?);
    let mut writer = ObjectWriter::with_capacity(Arc::clone(&object.store), object.path.clone(), PART)
        .with_max_concurrency(PARTS_IN_FLIGHT);
    let sent = match tokio::io::copy_buf(&mut file, &mut writer).await {
        Ok(_) => writer.shutdown().await,
        Err(error) => {
            // The first error is the cause of the others.
            drop(writer.abort().await);
            Err(error)
        }
    };
    sent.map_err(|error| match error.downcast::<object_store::Error>() {
        Ok(error) => object.error("could not write", error),
        Err(error) => Error::io("could not read", spool)(error),
    })
}

/// A finished file on its way to its store. Dropped before the file is there, the upload
/// continues as long as there is a [`Store`].
#[derive(Debug)]
pub struct Commit {
    name: String,
    state: CommitState,
}

#[derive(Debug)]
enum CommitState {
    Done,
    /// The store keeps the runtime alive until the file is there.
    Waiting(oneshot::Receiver<Result<(), Error>>, Store),
}

impl Commit {
    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the file is there by now. Returns at once.
    ///
    /// # Errors
    ///
    /// The store refused it, after retries; it did not appear.
    pub fn poll(&mut self) -> Result<bool, Error> {
        let CommitState::Waiting(receiver, _) = &mut self.state else {
            return Ok(true);
        };
        let outcome = match receiver.try_recv() {
            Err(oneshot::error::TryRecvError::Empty) => return Ok(false),
            Err(oneshot::error::TryRecvError::Closed) => Err(stopped(&self.name)),
            Ok(outcome) => outcome,
        };
        self.state = CommitState::Done;
        outcome.map(|()| true)
    }

    /// Waits until the file is there. Not for worker threads.
    ///
    /// # Errors
    ///
    /// As [`Commit::poll`].
    pub fn wait(self) -> Result<(), Error> {
        match self.state {
            CommitState::Done => Ok(()),
            CommitState::Waiting(receiver, _store) => receiver
                .blocking_recv()
                .unwrap_or_else(|_| Err(stopped(&self.name))),
        }
    }
}

fn stopped(name: &str) -> Error {
    Error::remote("could not write", name, "the upload was stopped".to_owned())
}
