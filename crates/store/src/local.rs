//! Local files, read by the caller.
//!
//! A file can be missing for a moment: moved and put back, cut by a copy that begins again, hidden by a mount.
//! It is then read again from the byte reached, as a remote one is, and each time it must be the file that was
//! listed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::poll::Wake;
use crate::retry::Retry;
use crate::shard::Target;
use crate::spool::Spooled;
use crate::{Error, Poll, Store, probe, system};

/// Bytes of one read: large enough that the system call costs nothing beside decoding.
const READ: u64 = 1 << 20;

/// A local file from an offset on.
#[derive(Debug)]
pub(crate) struct LocalStream {
    path: PathBuf,
    target: Target,
    /// Open from the first read on, except during pauses.
    file: Option<File>,
    /// The next byte, counted from the beginning of the file.
    position: u64,
    retry: Retry,
    /// When the file is tried again.
    again: Option<Instant>,
    waker: Waker,
}

impl LocalStream {
    pub(crate) fn new(
        store: &Store,
        path: &Path,
        target: Target,
        offset: u64,
        wake: Option<Wake>,
    ) -> LocalStream {
        LocalStream {
            path: path.to_owned(),
            position: target.start() + offset,
            target,
            file: None,
            retry: Retry::new(store.options()),
            again: None,
            waker: Waker {
                store: store.clone(),
                wake,
            },
        }
    }

    /// The same for a copy of the file, which has a size and a version of its own.
    pub(crate) fn of_copy(
        store: &Store,
        copy: &Spooled,
        target: Target,
        offset: u64,
        wake: Option<Wake>,
    ) -> LocalStream {
        let found = copy.found.clone();
        LocalStream::new(store, copy.path(), Target { found, ..target }, offset, wake)
    }

    pub(crate) fn poll(&mut self) -> Result<Poll, Error> {
        if self.again.is_some_and(|again| Instant::now() < again) {
            return Ok(Poll::Pending);
        }
        self.again = None;
        match self.read() {
            Ok(poll) => {
                self.retry.progress();
                Ok(poll)
            }
            Err(error) => self.pause(error),
        }
    }

    pub(crate) fn wait(&mut self) -> Result<Poll, Error> {
        loop {
            match self.poll()? {
                Poll::Pending => {
                    let again = self.again.unwrap_or_else(Instant::now);
                    std::thread::sleep(again.saturating_duration_since(Instant::now()));
                }
                polled => return Ok(polled),
            }
        }
    }

    /// The next bytes. After an error the file is opened again.
    fn read(&mut self) -> Result<Poll, Error> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        let wanted = self.wanted();
        let mut bytes = Vec::with_capacity(usize::try_from(wanted + 1).expect("a read fits in memory"));
        let read = (&mut file)
            .take(wanted)
            .read_to_end(&mut bytes)
            .map_err(Error::io("could not read", &self.target.name))?;
        if read == 0 {
            self.check_end(&file)?;
            return Ok(Poll::End);
        }
        self.position += read as u64;
        if self.target.end().is_some_and(|end| self.position > end) {
            return Err(self.changed("it has more bytes than it had".to_owned()));
        }
        self.file = Some(file);
        Ok(Poll::Data(bytes.into()))
    }

    /// Reads the rest. At the end of a whole file a read of one more byte shows that it ends there.
    fn wanted(&self) -> u64 {
        let left = self.target.end().map(|end| end.saturating_sub(self.position));
        match (left, &self.target.within) {
            (Some(0), None) => 1,
            (left, _) => left.unwrap_or(READ).min(READ),
        }
    }

    /// The file, at the byte reached, if it is the one that was listed.
    fn open(&self) -> Result<File, Error> {
        let mut file = self
            .options()
            .open(&self.path)
            .map_err(|error| match error.kind() {
                io::ErrorKind::NotFound => Error::Missing(self.target.name.clone(), String::new()),
                _ => Error::io("could not open", &self.path)(error),
            })?;
        self.check(&file)?;
        self.skip(&mut file)?;
        Ok(file)
    }

    /// A pipe that stands where a file was must not be waited for.
    fn options(&self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.read(true);
        if !self.is_pipe() {
            system::without_waiting(&mut options);
        }
        options
    }

    /// What was no regular file when it was listed is read once, as it comes.
    fn is_pipe(&self) -> bool {
        self.target.found.0.is_none()
    }

    /// Whether an open file is as it was when it was listed.
    fn check(&self, file: &File) -> Result<(), Error> {
        let meta = file
            .metadata()
            .map_err(Error::io("could not read", &self.target.name))?;
        if !self.is_pipe() && !meta.is_file() {
            return Err(self.changed("it is no regular file any more".to_owned()));
        }
        check(
            &self.target.name,
            &self.target.found,
            &probe::local_version(&meta),
        )
    }

    fn skip(&self, file: &mut File) -> Result<(), Error> {
        let failed = Error::io("could not read", &self.target.name);
        if !self.is_pipe() {
            return file
                .seek(SeekFrom::Start(self.position))
                .map(drop)
                .map_err(failed);
        }
        let skipped = io::copy(&mut file.take(self.position), &mut io::sink()).map_err(failed)?;
        match skipped < self.position {
            true => Err(Error::Offset {
                input: self.target.name.clone(),
                size: skipped,
                offset: self.position,
            }),
            false => Ok(()),
        }
    }

    /// Checks that the file did not change while it was read, and was read whole.
    fn check_end(&self, file: &File) -> Result<(), Error> {
        self.check(file)?;
        match self.target.end() {
            Some(end) if end != self.position => {
                let (size, read) = (end - self.target.start(), self.position - self.target.start());
                Err(self.changed(format!("it had {size} bytes and ended after {read}")))
            }
            _ => Ok(()),
        }
    }

    fn changed(&self, detail: String) -> Error {
        Error::Changed(self.target.name.clone(), detail)
    }

    /// Delays the next try. Returns `error` if another try cannot help, or there were enough tries.
    fn pause(&mut self, error: Error) -> Result<Poll, Error> {
        self.file = None;
        if self.is_pipe() || !may_pass(&error) {
            return Err(error);
        }
        match self.retry.again(&error) {
            Some(pause) => {
                self.again = Some(Instant::now() + pause);
                self.waker.after(pause);
                Ok(Poll::Pending)
            }
            None => Err(error),
        }
    }
}

/// Whether a file may be there again a moment later. Permissions are not given while a build runs.
fn may_pass(error: &Error) -> bool {
    match error {
        Error::Io { source, .. } => source.kind() != io::ErrorKind::PermissionDenied,
        error => matches!(error, Error::Missing(..) | Error::Changed(..)),
    }
}

/// Calls the waker of the polling worker when a pause is over.
struct Waker {
    store: Store,
    wake: Option<Wake>,
}

impl Waker {
    fn after(&self, pause: Duration) {
        if let Some(wake) = self.wake.clone() {
            self.store.handle().spawn(async move {
                tokio::time::sleep(pause).await;
                wake();
            });
        }
    }
}

impl std::fmt::Debug for Waker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waker").finish_non_exhaustive()
    }
}

/// Compares size and version with those expected; what was not known before is not compared.
pub(crate) fn check(
    name: &str,
    expected: &(Option<u64>, Option<String>),
    found: &(Option<u64>, Option<String>),
) -> Result<(), Error> {
    let changed = |detail: String| Err(Error::Changed(name.to_owned(), detail));
    match (expected, found) {
        ((Some(old), _), (Some(new), _)) if old != new => {
            changed(format!("it had {old} bytes and has {new} now"))
        }
        ((_, Some(old)), (_, Some(new))) if old != new => changed("it was written again".to_owned()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{Options, Shard, Stream};

    fn store(retries: u32) -> Store {
        Store::new(Options {
            retries,
            backoff: Duration::from_millis(2),
            max_backoff: Duration::from_millis(5),
            ..Options::default()
        })
        .unwrap()
    }

    fn file(bytes: &[u8]) -> (tempfile::TempDir, PathBuf, Shard) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.warc");
        std::fs::write(&path, bytes).unwrap();
        let shard = probe::local(&path, "x.warc").unwrap();
        (folder, path, shard)
    }

    /// What a stream gives from now on; `at_pause` is called at each pause.
    fn read(stream: &mut Stream, mut at_pause: impl FnMut(usize)) -> io::Result<Vec<u8>> {
        let (mut all, mut pauses) = (Vec::new(), 0);
        let mut pending = false;
        loop {
            match stream.poll()? {
                Poll::Data(bytes) => all.extend_from_slice(&bytes),
                Poll::End => return Ok(all),
                Poll::Pending if pending => std::thread::yield_now(),
                Poll::Pending => {
                    at_pause(pauses);
                    pauses += 1;
                    pending = true;
                    continue;
                }
            }
        }
    }

    fn whole(store: &Store, shard: &Shard) -> io::Result<Vec<u8>> {
        read(&mut store.open(shard, 0, None).unwrap(), |_| ())
    }

    fn numbers(bytes: u32) -> Vec<u8> {
        (0..bytes).map(|at| (at % 251) as u8).collect()
    }

    #[test]
    fn from_any_offset_to_the_end() {
        let bytes = numbers(3_000_000);
        let (_folder, _, shard) = file(&bytes);
        let store = store(0);
        for offset in [0, 1, 1 << 20, 2_999_999, 3_000_000] {
            let mut stream = store.open(&shard, offset, None).unwrap();
            assert!(
                read(&mut stream, |_| ()).unwrap() == bytes[offset as usize..],
                "from {offset}"
            );
        }
        let error = store.open(&shard, 3_000_001, None).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'x.warc' has 3000000 bytes, byte 3000001 was asked for"
        );
    }

    #[test]
    fn a_file_cut_meanwhile_is_an_error() {
        let (_folder, path, shard) = file(&vec![7; 3 << 20]);
        let store = store(2);
        let mut stream = store.open(&shard, 0, None).unwrap();
        stream.poll().unwrap();
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(2 << 20)
            .unwrap();
        let error = read(&mut stream, |_| ()).unwrap_err();
        let expected = "'x.warc' changed while it was read: it had 3145728 bytes and has 2097152 now";
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(
            stream.poll().unwrap_err().to_string(),
            error.to_string(),
            "said again"
        );
        assert_eq!(store.options().counts.retries.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_file_that_grew_since_it_was_listed_is_an_error() {
        let (_folder, path, shard) = file(b"abc");
        let mut file = std::fs::File::options().append(true).open(path).unwrap();
        file.write_all(b"def").unwrap();
        let error = whole(&store(1), &shard).unwrap_err();
        assert!(
            error.to_string().contains("it had 3 bytes and has 6 now"),
            "{error}"
        );
    }

    /// A way of being away, and what is put in the file's place.
    type Away = (&'static str, fn(&Path));

    /// Every way of being away: moved, cut and written back, replaced by another file, by a folder and by a pipe.
    #[test]
    fn a_file_that_is_away_for_a_moment_is_read_on() {
        let bytes = numbers(2_500_000);
        let away: [Away; 5] = [
            ("moved", |_| ()),
            ("cut", |path| std::fs::write(path, b"begun again").unwrap()),
            ("replaced", |path| {
                std::fs::write(path, vec![0; 2_500_000]).unwrap()
            }),
            ("a folder", |path| std::fs::create_dir(path).unwrap()),
            ("a pipe", |path| {
                let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
                assert!(made.success());
            }),
        ];
        for (what, replace) in away {
            for begun in [false, true] {
                let (folder, path, shard) = file(&bytes);
                let store = store(200);
                let kept = folder.path().join("kept");
                let mut stream = store.open(&shard, 0, None).unwrap();
                let mut all = Vec::new();
                if begun {
                    let Poll::Data(first) = stream.poll().unwrap() else {
                        panic!()
                    };
                    all.extend_from_slice(&first);
                    // What is open would be read on.
                    std::fs::File::options()
                        .write(true)
                        .open(&path)
                        .unwrap()
                        .set_len(1 << 20)
                        .unwrap();
                }
                std::fs::rename(&path, &kept).unwrap();
                replace(&path);
                let rest = read(&mut stream, |_| {
                    std::fs::remove_file(&path)
                        .or_else(|_| std::fs::remove_dir(&path))
                        .ok();
                    std::fs::write(&kept, &bytes).unwrap();
                    let time = std::time::UNIX_EPOCH
                        + Duration::from_nanos(shard.version.as_ref().unwrap().parse().unwrap());
                    std::fs::File::options()
                        .write(true)
                        .open(&kept)
                        .unwrap()
                        .set_modified(time)
                        .unwrap();
                    std::fs::rename(&kept, &path).unwrap();
                });
                all.extend_from_slice(&rest.unwrap_or_else(|error| panic!("{what}: {error}")));
                assert!(all == bytes, "{what}, begun: {begun}");
                assert!(
                    store.options().counts.retries.load(Ordering::Relaxed) > 0,
                    "{what}"
                );
            }
        }
    }

    #[test]
    fn a_file_that_stays_away_is_an_error_from_poll() {
        let (_folder, path, shard) = file(b"abc");
        std::fs::remove_file(&path).unwrap();
        let store = store(3);
        assert_eq!(
            whole(&store, &shard).unwrap_err().to_string(),
            "no such file or folder: 'x.warc'"
        );
        assert_eq!(store.options().counts.retries.load(Ordering::Relaxed), 3);
        let mut stream = store.open(&shard, 0, None).unwrap();
        assert!(stream.wait().is_err(), "waiting sees the same");
        std::fs::write(&path, b"other bytes").unwrap();
        let error = whole(&store, &shard).unwrap_err();
        assert!(matches!(error.downcast::<Error>(), Ok(Error::Changed(..))));
    }

    #[test]
    fn the_caller_is_woken_when_a_pause_is_over() {
        let (_folder, path, shard) = file(b"abc");
        std::fs::remove_file(path).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let wake: Wake = Arc::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
            sender.send(()).unwrap();
        });
        let store = store(1);
        let mut stream = store.open(&shard, 0, Some(wake)).unwrap();
        assert_eq!(stream.poll().unwrap(), Poll::Pending);
        receiver.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }
}
