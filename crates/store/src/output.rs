//! Somewhere to write to: a local folder or a prefix of a bucket.
//!
//! Within a local folder no symbolic link is followed, see [`own`].

use std::fs::OpenOptions;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;

use futures::stream::{self, StreamExt};
use object_store::{ListResult, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::backend::{Object, get};
use crate::hold::{Hold, LOCK};
use crate::listing::{self, Depth};
use crate::options::spool_folder;
use crate::own;
use crate::purpose::Purpose;
use crate::retry::{Retry, retried, within};
use crate::upload::{PARTIAL, Upload, partial_path, sync_folder};
use crate::{Error, Options, Place, Store, system};

/// Files of a bucket that are removed in one go: some requests, side by side.
const REMOVED: usize = 10_000;

/// A folder of files that appear only when they are whole. Names are relative, with `/` between
/// folder and file. Cheap to clone and to share.
///
/// All but [`Output::create`] wait for the store.
#[derive(Clone, Debug)]
pub struct Output {
    store: Store,
    root: Place,
}

/// A file of an output.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name within the output.
    pub name: String,
    /// Its length in bytes.
    pub size: u64,
}

/// No name, and the name of a file, are no folder to write to.
fn refuse_file(root: &Place) -> Result<(), Error> {
    let Place::Local(path) = root else {
        return Ok(());
    };
    let detail = match path {
        _ if path.as_os_str().is_empty() => "the name of the output folder is empty",
        _ if path.exists() && !path.is_dir() => {
            "it is a file, and the output is a folder: choose another name"
        }
        _ => return Ok(()),
    };
    Err(Error::BadUrl(root.to_string(), detail.to_owned()))
}

impl Output {
    pub(crate) fn open(store: &Store, place: &str) -> Result<Output, Error> {
        let root = Place::parse_folder(place)?;
        refuse_file(&root)?;
        if let Place::Web { url, .. } = &root {
            let detail = "a web server cannot be written to; use a folder, s3://, gs:// or az://".to_owned();
            return Err(Error::BadUrl(url.clone(), detail));
        }
        let output = Output {
            store: store.clone(),
            root,
        };
        if !output.root.is_local() {
            output.object("", Purpose::Write)?;
        }
        Ok(output)
    }

    /// The folder, as a path or URL.
    pub fn place(&self) -> &Place {
        &self.root
    }

    /// The path or URL of a file.
    pub fn place_of(&self, name: &str) -> Place {
        self.root.join(name)
    }

    /// Takes the output for this run, until the [`Hold`] is dropped or the process ends. Waits for
    /// the store.
    ///
    /// # Errors
    ///
    /// Another run holds it, or it cannot be written to.
    pub fn hold(&self) -> Result<Hold, Error> {
        Hold::take(self)
    }

    /// Whether a name is that of the file by which a run holds an output.
    pub fn is_lock(name: &str) -> bool {
        name == LOCK
    }

    /// Begins a file. An older one of that name stays until the new one is whole.
    ///
    /// # Errors
    ///
    /// The folder, or the folder for temporary files, cannot be written to.
    pub fn create(&self, name: &str) -> Result<Upload, Error> {
        self.check_folders(name)?;
        Upload::create(&self.store, &self.root.join(name))
    }

    /// Refuses a name that is a symbolic link, or leads through one, from the output on. All other operations look
    /// by themselves; this is for those that come late.
    ///
    /// # Errors
    ///
    /// It does.
    pub fn check_links(&self, name: &str) -> Result<(), Error> {
        match &self.root {
            Place::Local(root) => own::check(root, name),
            _ => Ok(()),
        }
    }

    /// A file of a local output that is written piece by piece and can be seen meanwhile, in the place of an older one.
    ///
    /// # Errors
    ///
    /// It cannot be created, or the output is not local.
    pub fn create_local(&self, name: &str) -> Result<std::fs::File, Error> {
        let path = self.local(name)?;
        self.check_folders(name)?;
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(Error::io("could not create the folder", folder))?;
        }
        own::create(&path)
    }

    /// A file of a local output, to be read.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or the output is not local.
    pub fn open_local(&self, name: &str) -> Result<std::fs::File, Error> {
        let path = self.local(name)?;
        self.check_folders(name)?;
        own::open(OpenOptions::new().read(true), "could not open", &path)
    }

    /// The same for the folders of a name alone.
    fn check_folders(&self, name: &str) -> Result<(), Error> {
        match &self.root {
            Place::Local(root) => own::check_folders(root, name),
            _ => Ok(()),
        }
    }

    fn local(&self, name: &str) -> Result<PathBuf, Error> {
        match self.root.join(name) {
            Place::Local(path) => Ok(path),
            place => Err(Error::BadUrl(
                place.to_string(),
                "it is not on this machine".to_owned(),
            )),
        }
    }

    /// A file without a name, for what is needed only while a process runs: in the output's folder
    /// where that is local, else in the folder for temporary files. It goes when it is closed, even
    /// if the process is killed.
    ///
    /// # Errors
    ///
    /// The folder cannot be written to.
    pub fn scratch(&self) -> Result<std::fs::File, Error> {
        let folder = match &self.root {
            Place::Local(path) => path.clone(),
            _ => spool_folder(self.store.options()),
        };
        std::fs::create_dir_all(&folder).map_err(Error::io("could not create the folder", &folder))?;
        tempfile::tempfile_in(&folder).map_err(Error::io("could not create a temporary file in", &folder))
    }

    /// Writes a small file, in the place of an older one.
    ///
    /// # Errors
    ///
    /// It could not be written; an older one is still there.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let mut upload = self.create(name)?;
        upload
            .write_all(bytes)
            .map_err(Error::io("could not write", upload.name()))?;
        upload.finish()?.wait()
    }

    /// Writes a small file unless there is one of that name; returns whether it did. Of several
    /// callers at the same time exactly one does.
    ///
    /// # Errors
    ///
    /// It could not be written, for another reason than that it exists.
    pub fn put_new(&self, name: &str, bytes: &[u8]) -> Result<bool, Error> {
        match self.root.join(name) {
            Place::Local(path) => {
                self.check_links(name)?;
                put_new_local(&path, bytes)
            }
            _ => self.store.handle().block_on(put_new_remote(
                &self.object(name, Purpose::Read)?,
                bytes,
                self.store.options(),
            )),
        }
    }

    /// The bytes of a small file; `None` where there is none.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read.
    pub fn get(&self, name: &str) -> Result<Option<Bytes>, Error> {
        if let Place::Local(path) = self.root.join(name) {
            return self.get_local(&path, name);
        }
        let object = self.object(name, Purpose::Read)?;
        let options = self.store.options();
        let read = || within(options.stall, &object.name, get(&object));
        match self.store.handle().block_on(retried(options, read)) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(Error::Missing(..)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn get_local(&self, path: &Path, name: &str) -> Result<Option<Bytes>, Error> {
        self.check_folders(name)?;
        let mut file = match own::open(OpenOptions::new().read(true), "could not read", path) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened?,
        };
        let mut bytes = Vec::new();
        let read = file.read_to_end(&mut bytes);
        read.map_err(Error::io("could not read", path))?;
        Ok(Some(bytes.into()))
    }

    /// Some bytes of a file, of a bucket in one request; fewer where it ends before.
    ///
    /// # Errors
    ///
    /// It is not there, or cannot be read.
    pub fn get_range(&self, name: &str, range: std::ops::Range<u64>) -> Result<Bytes, Error> {
        if let Place::Local(path) = self.root.join(name) {
            let mut file = self.open_local(name)?;
            let length = range.end.saturating_sub(range.start);
            let size = file.metadata().map_err(Error::io("could not read", &path))?.len();
            // A vector that grows is in memory twice.
            let mut bytes = Vec::with_capacity(length.min(size) as usize);
            let read = file.seek(io::SeekFrom::Start(range.start));
            let read = read.and_then(|_| file.take(length).read_to_end(&mut bytes));
            read.map_err(Error::io("could not read", &path))?;
            return Ok(bytes.into());
        }
        let object = self.object(name, Purpose::Read)?;
        let read = || async {
            let read = object.store.get_range(&object.path, range.clone()).await;
            read.map_err(|error| object.error("could not read", error))
        };
        self.store.handle().block_on(retried(self.store.options(), read))
    }

    /// The length of a file.
    ///
    /// # Errors
    ///
    /// It does not exist, or the store cannot be reached.
    pub fn size(&self, name: &str) -> Result<Option<u64>, Error> {
        Ok(self.store.shard(&self.root.join(name))?.size)
    }

    /// The names of files and folders directly in the output, sorted.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn top(&self) -> Result<Vec<String>, Error> {
        let mut names = match &self.root {
            Place::Local(path) => {
                let entries = read_dir(path)?.into_iter();
                entries
                    .map(|entry| entry.file_name().to_string_lossy().into_owned())
                    .collect()
            }
            _ => self.top_remote()?,
        };
        names.sort();
        Ok(names)
    }

    /// All files under a folder of the output (`""` for all of it), sorted, those that are not
    /// whole included (see [`Output::is_partial`]). Nothing where the folder does not exist. Of what others write or
    /// remove meanwhile some may be missing; it is no error.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn list(&self, folder: &str) -> Result<Vec<Entry>, Error> {
        self.check_links(folder)?;
        let mut entries = match self.root.join(folder) {
            Place::Local(path) => list_local(&path, folder)?,
            _ => self.list_remote(folder)?,
        };
        entries.sort();
        Ok(entries)
    }

    /// Removes a file. It is no error if there is none.
    ///
    /// # Errors
    ///
    /// It is there and cannot be removed.
    pub fn delete(&self, name: &str) -> Result<(), Error> {
        self.check_folders(name)?;
        if let Place::Local(path) = self.root.join(name) {
            return match std::fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(Error::io("could not remove", &path)(error))
                }
                _ => Ok(()),
            };
        }
        let object = self.object(name, Purpose::Read)?;
        let options = self.store.options();
        let remove = || async {
            let removed = object.store.delete(&object.path);
            let removed = async {
                removed
                    .await
                    .map_err(|error| object.error("could not remove", error))
            };
            within(options.stall, &object.name, removed).await
        };
        match self.store.handle().block_on(retried(options, remove)) {
            Ok(()) | Err(Error::Missing(..)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes a folder with all that is in it. It is no error if there is none.
    ///
    /// # Errors
    ///
    /// Something is there and cannot be removed.
    pub fn remove(&self, folder: &str) -> Result<(), Error> {
        self.check_links(folder)?;
        match self.root.join(folder) {
            Place::Local(path) => match std::fs::remove_dir_all(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(Error::io("could not remove", &path)(error))
                }
                _ => Ok(()),
            },
            _ => {
                let files = self.list(folder)?.into_iter().map(|file| file.name);
                self.delete_all(&files.collect::<Vec<_>>())
            }
        }
    }

    /// Removes files, many at a time where the store can. It is no error if one is not there.
    ///
    /// # Errors
    ///
    /// One is there and cannot be removed.
    pub fn delete_all(&self, names: &[String]) -> Result<(), Error> {
        if let Place::Local(_) = &self.root {
            return names.iter().try_for_each(|name| self.delete(name));
        }
        names
            .chunks(REMOVED)
            .try_for_each(|names| self.delete_remote(names))
    }

    fn delete_remote(&self, names: &[String]) -> Result<(), Error> {
        let objects = names.iter().map(|name| self.object(name, Purpose::Read));
        let objects: Vec<Object> = objects.collect::<Result<_, _>>()?;
        let Some(first) = objects.first() else {
            return Ok(());
        };
        let options = self.store.options();
        let remove = || async {
            let paths: Vec<_> = objects.iter().map(|object| Ok(object.path.clone())).collect();
            let mut removed = first.store.delete_stream(stream::iter(paths).boxed());
            let all = async {
                while let Some(removed) = removed.next().await {
                    match removed {
                        Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                        Err(error) => return Err(first.error("could not remove", error)),
                    }
                }
                Ok(())
            };
            within(options.stall, &first.name, all).await
        };
        self.store.handle().block_on(retried(options, remove))
    }

    /// Copies the bytes of a file, of any length.
    ///
    /// # Errors
    ///
    /// It cannot be read, or the copy cannot be written.
    pub fn fetch(&self, name: &str, into: &mut dyn Write) -> Result<(), Error> {
        self.fetch_from(name, 0, into)
    }

    /// The same for the bytes from an offset on.
    ///
    /// # Errors
    ///
    /// As [`Output::fetch`]; or the file ends before the offset.
    pub fn fetch_from(&self, name: &str, offset: u64, into: &mut dyn Write) -> Result<(), Error> {
        self.check_links(name)?;
        let shard = self.store.shard(&self.root.join(name))?;
        let mut stream = self.store.open(&shard, offset, None)?;
        let failed = |error| Error::of_stream(&shard.name, error);
        while let Some(bytes) = stream.wait().map_err(failed)? {
            let written = into.write_all(&bytes);
            written.map_err(Error::io("could not write a copy of", &shard.name))?;
        }
        Ok(())
    }

    /// Whether a name is that of a file that is not whole.
    pub fn is_partial(name: &str) -> bool {
        let file = name.rsplit('/').next().unwrap_or(name);
        file.starts_with('.') && file.ends_with(PARTIAL)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn object(&self, name: &str, purpose: Purpose) -> Result<Object, Error> {
        self.store.object(&self.root.join(name), purpose)
    }

    fn top_remote(&self) -> Result<Vec<String>, Error> {
        let listed = self.listed("", Depth::One)?;
        let objects = listed.objects.into_iter().map(|meta| meta.location);
        let names = objects.chain(listed.common_prefixes);
        Ok(names
            .filter_map(|path| path.filename().map(str::to_owned))
            .collect())
    }

    fn list_remote(&self, folder: &str) -> Result<Vec<Entry>, Error> {
        let root = self.object("", Purpose::Read)?;
        let entry = |meta: object_store::ObjectMeta| {
            let parts: Vec<_> = meta.location.prefix_match(&root.path)?.collect();
            let name = parts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("/");
            Some(Entry {
                name,
                size: meta.size,
            })
        };
        let found = self.listed(folder, Depth::All)?;
        Ok(found.objects.into_iter().filter_map(entry).collect())
    }

    /// What is in a folder of a bucket.
    fn listed(&self, folder: &str, depth: Depth) -> Result<ListResult, Error> {
        let object = self.object(folder, Purpose::Read)?;
        let prefix = match self.root.join(folder) {
            Place::Object { key, .. } if !key.is_empty() => format!("{}/", key.trim_end_matches('/')),
            _ => String::new(),
        };
        let list = listing::list(&object, &prefix, depth, self.store.options());
        self.store.handle().block_on(list)
    }
}

fn list_local(root: &Path, folder: &str) -> Result<Vec<Entry>, Error> {
    let mut found = Vec::new();
    for entry in read_dir(root)? {
        let meta = match entry.metadata() {
            // It was renamed or removed meanwhile, as files that become whole are, by another process perhaps.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            meta => meta.map_err(Error::io("could not read", entry.path()))?,
        };
        let file = entry.file_name().to_string_lossy().into_owned();
        let name = if folder.is_empty() {
            file
        } else {
            format!("{}/{file}", folder.trim_end_matches('/'))
        };
        match meta.is_dir() {
            true => found.extend(list_local(&entry.path(), &name)?),
            false => found.push(Entry {
                name,
                size: meta.len(),
            }),
        }
    }
    Ok(found)
}

/// The entries of a folder; none where it does not exist.
fn read_dir(folder: &Path) -> Result<Vec<std::fs::DirEntry>, Error> {
    match std::fs::read_dir(folder).and_then(Iterator::collect) {
        Ok(entries) => Ok(entries),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Error::io("could not read", folder)(error)),
    }
}

/// A link to a whole file either appears or finds the name taken.
fn put_new_local(path: &Path, bytes: &[u8]) -> Result<bool, Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::io("could not create the folder", folder))?;
    }
    let folder = partial_path(path)
        .parent()
        .map_or_else(|| ".".into(), Path::to_owned);
    let folder = if folder.as_os_str().is_empty() {
        ".".into()
    } else {
        folder
    };
    let mut file = system::readable_by_all(&mut tempfile::Builder::new())
        .prefix(".")
        .suffix(PARTIAL)
        .tempfile_in(&folder)
        .map_err(Error::io("could not create a temporary file in", &folder))?;
    file.write_all(bytes)
        .map_err(Error::io("could not write", path))?;
    file.as_file()
        .sync_all()
        .map_err(Error::io("could not write", path))?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_folder(path).map(|()| true),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(Error::io("could not write", path)(error.error)),
    }
}

/// If it is unknown whether a failed try has written the file, its contents are compared.
async fn put_new_remote(object: &Object, bytes: &[u8], options: &Arc<Options>) -> Result<bool, Error> {
    let mut retry = Retry::new(options);
    let mut is_first = true;
    loop {
        let error = match within(options.stall, &object.name, put_if_none(object, bytes)).await {
            Ok(false) if !is_first => {
                let read = || within(options.stall, &object.name, get(object));
                return Ok(retried(options, read).await?.0 == bytes);
            }
            Ok(is_new) => return Ok(is_new),
            Err(error) => error,
        };
        retry.pause(error).await?;
        is_first = false;
    }
}

async fn put_if_none(object: &Object, bytes: &[u8]) -> Result<bool, Error> {
    let payload = PutPayload::from(bytes.to_vec());
    let options = PutOptions {
        mode: PutMode::Create,
        ..PutOptions::default()
    };
    match object.store.put_opts(&object.path, payload, options).await {
        Ok(_) => Ok(true),
        Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
            Ok(false)
        }
        Err(error) => Err(object.error("could not write", error)),
    }
}
