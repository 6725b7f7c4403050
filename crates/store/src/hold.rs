//! An output belongs to one run at a time.
//!
//! The run writes a small file that identifies it into the output. In a local folder the file is locked,
//! and the system releases the lock when the run ends, even if it is killed. In a bucket the file is
//! created only if there is none. The file of a killed run is recognised by its process if that ran on the
//! same machine; otherwise the user has to decide.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use object_store::{PutMode, PutOptions, PutPayload, UpdateVersion};
use serde::{Deserialize, Serialize};

use crate::backend::get;
use crate::own;
use crate::purpose::Purpose;
use crate::retry::{retried, within};
use crate::{Error, Output, Place, system};

/// The name of the file that identifies the run that writes to an output.
pub(crate) const LOCK: &str = "gleaner.lock";

/// Number of tries to take a lock that other runs take and release, before that is an error.
const LOOKS: usize = 20;

/// An output that no other run can write to. It is released when this is dropped, or when the
/// process ends.
#[derive(Debug)]
pub struct Hold {
    kept: Kept,
}

#[derive(Debug)]
enum Kept {
    Local { path: PathBuf, locked: Option<File> },
    Remote { output: Output, holder: Holder },
}

/// Who holds an output: the contents of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    process: u32,
    host: String,
    /// Its identity on its machine: the time of its start, the machine's own since it was
    /// switched on, the name space of its number. Empty if the system does not provide it.
    start: String,
    machine: String,
    since: String,
}

impl Hold {
    /// Takes an output, which is created if it is a folder that does not exist.
    ///
    /// # Errors
    ///
    /// Another run holds it, or the file cannot be written.
    pub(crate) fn take(output: &Output) -> Result<Hold, Error> {
        let kept = match output.place_of(LOCK) {
            Place::Local(path) => take_local(output, path)?,
            _ => take_remote(output)?,
        };
        Ok(Hold { kept })
    }
}

impl Drop for Hold {
    /// Errors are ignored: the next run takes over a file that is left.
    fn drop(&mut self) {
        match &mut self.kept {
            // A run that opened it in between tries again.
            Kept::Local { path, locked } => drop(locked.take().map(|file| system::release(file, path))),
            Kept::Remote { output, holder } => {
                if matches!(read(output), Ok(Some((Some(now), _))) if now == *holder) {
                    drop(output.delete(LOCK));
                }
            }
        }
    }
}

fn take_local(output: &Output, path: PathBuf) -> Result<Kept, Error> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(Error::io("could not create the folder", folder))?;
    }
    for _ in 0..LOOKS {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = own::open(system::kept_in_place(&mut options), "could not write", &path)?;
        match file.try_lock() {
            Ok(()) if system::is_at(&file, &path) => {
                write(&mut file, &Holder::this()).map_err(Error::io("could not write", &path))?;
                let locked = Some(file);
                return Ok(Kept::Local { path, locked });
            }
            // The run that held it has just removed it.
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = Vec::new();
                drop(file.read_to_end(&mut text));
                let holder = serde_json::from_slice::<Holder>(&text).ok();
                return Err(held(
                    output,
                    holder.as_ref(),
                    "wait until it has ended, or choose another folder",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("could not lock", &path)(error)),
        }
    }
    Err(held(output, None, "try again"))
}

fn write(file: &mut File, holder: &Holder) -> std::io::Result<()> {
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(&holder.to_json())
}

fn take_remote(output: &Output) -> Result<Kept, Error> {
    let holder = Holder::this();
    let mut was_put = false;
    for _ in 0..LOOKS {
        let taken = match read(output)? {
            None => output.put_new(LOCK, &holder.to_json())?,
            // The answer was lost on its way, and the next try found what the first had done.
            Some((there, _)) if was_put && there.as_ref() == Some(&holder) => true,
            Some((there, version)) if there.as_ref().is_some_and(Holder::is_dead) => {
                was_put = true;
                put_over(output, &holder, version)?
            }
            Some((there, _)) => {
                let mend = format!(
                    "wait until it has ended; if it is dead, remove '{}' and begin again",
                    output.place_of(LOCK)
                );
                return Err(held(output, there.as_ref(), &mend));
            }
        };
        if taken {
            return Ok(Kept::Remote {
                output: output.clone(),
                holder,
            });
        }
    }
    Err(held(output, None, "try again"))
}

/// Replaces the holder that was read, unless another run was faster.
fn put_over(output: &Output, holder: &Holder, version: UpdateVersion) -> Result<bool, Error> {
    let object = output.object(LOCK, Purpose::Write)?;
    let options = PutOptions {
        mode: PutMode::Update(version),
        ..PutOptions::default()
    };
    let payload = PutPayload::from(holder.to_json());
    let put = async { object.store.put_opts(&object.path, payload, options).await };
    match output.store().handle().block_on(put) {
        Ok(_) => Ok(true),
        Err(
            object_store::Error::Precondition { .. }
            | object_store::Error::AlreadyExists { .. }
            | object_store::Error::NotFound { .. },
        ) => Ok(false),
        Err(error) => Err(object.error("could not write", error)),
    }
}

/// The file in a bucket, with its version; its holder is unknown where it cannot be read.
fn read(output: &Output) -> Result<Option<(Option<Holder>, UpdateVersion)>, Error> {
    let object = output.object(LOCK, Purpose::Read)?;
    let options = output.store().options();
    let read = || within(options.stall, &object.name, get(&object));
    match output.store().handle().block_on(retried(options, read)) {
        Ok((bytes, version)) => Ok(Some((serde_json::from_slice(&bytes).ok(), version))),
        Err(Error::Missing(..)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn held(output: &Output, holder: Option<&Holder>, mend: &str) -> Error {
    Error::Held {
        folder: output.place().to_string(),
        holder: holder.map_or_else(|| "another run".to_owned(), Holder::described),
        mend: mend.to_owned(),
    }
}

impl Holder {
    /// This run.
    fn this() -> Holder {
        let process = std::process::id();
        Holder {
            process,
            host: host(),
            start: start(process).unwrap_or_default(),
            machine: machine(),
            since: DateTime::<Utc>::from(SystemTime::now())
                .format("%Y-%m-%d %H:%M:%S UTC")
                .to_string(),
        }
    }

    /// Whether it ran on this machine and has ended. False if that is unknown.
    fn is_dead(&self) -> bool {
        !self.start.is_empty()
            && !self.machine.is_empty()
            && self.machine == machine()
            && start(self.process).is_none_or(|start| start != self.start)
    }

    fn described(&self) -> String {
        format!("process {} on {}, since {}", self.process, self.host, self.since)
    }

    fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("strings and numbers are JSON");
        bytes.push(b'\n');
        bytes
    }
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_| "this machine".to_owned(), |name| name.trim().to_owned())
}

/// The machine since it was switched on, and the name space of its processes' numbers.
fn machine() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let numbers = std::fs::read_link("/proc/self/ns/pid");
    match (boot, numbers) {
        (Ok(boot), Ok(numbers)) => format!("{} {}", boot.trim(), numbers.display()),
        _ => String::new(),
    }
}

/// When a process was started, in ticks of the machine; none if it does not run.
fn start(process: u32) -> Option<String> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold anything. The state is the first field behind it.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    (!matches!(state, "Z" | "X")).then(|| fields.nth(18).map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::ObjectStore;
    use object_store::memory::InMemory;

    use super::*;
    use crate::{Options, Store};

    fn bucket() -> Output {
        let store = Store::new(Options::default()).unwrap();
        store.set_bucket("s3://bucket", Arc::new(InMemory::new()) as Arc<dyn ObjectStore>);
        store.output("s3://bucket/out").unwrap()
    }

    fn folder() -> (tempfile::TempDir, Output) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(Options::default()).unwrap();
        let output = store.output(&format!("{}/out", folder.path().display())).unwrap();
        (folder, output)
    }

    #[test]
    fn one_run_at_a_time() {
        let (_folder, local) = folder();
        for output in [local, bucket()] {
            let hold = output.hold().unwrap();
            let error = output.hold().unwrap_err().to_string();
            let whole = format!(
                "'{}' is being written by process {} on ",
                output.place(),
                std::process::id()
            );
            assert!(error.starts_with(&whole), "{error}");
            assert!(error.contains(" UTC: wait until it has ended"), "{error}");
            drop(hold);
            assert_eq!(output.top().unwrap(), [""; 0], "nothing is left");
            drop(output.hold().unwrap());
        }
    }

    #[test]
    fn of_many_at_once_one_gets_it() {
        let (_folder, local) = folder();
        for output in [local, bucket()] {
            let got: Vec<Result<Hold, Error>> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| output.hold())).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(got.iter().filter(|hold| hold.is_ok()).count(), 1);
        }
    }

    #[test]
    fn what_a_killed_run_left_is_taken_over() {
        let (_folder, local) = folder();
        let dead = Holder {
            start: "1".to_owned(),
            ..Holder::this()
        };
        // Whatever the clock shows.
        for since in ["1970-01-01 00:00:00 UTC", "2999-12-31 23:59:59 UTC"] {
            let dead = Holder {
                since: since.to_owned(),
                ..dead.clone()
            };
            for output in [&local, &bucket()] {
                output.put(LOCK, &dead.to_json()).unwrap();
                drop(output.hold().unwrap());
            }
        }
    }

    #[test]
    fn what_may_be_alive_elsewhere_is_left_to_the_user() {
        let output = bucket();
        let elsewhere = Holder {
            process: 7,
            host: "other".to_owned(),
            machine: "another one".to_owned(),
            start: "1".to_owned(),
            since: "yesterday".to_owned(),
        };
        output.put(LOCK, &elsewhere.to_json()).unwrap();
        assert_eq!(
            output.hold().unwrap_err().to_string(),
            "'s3://bucket/out' is being written by process 7 on other, since yesterday: wait until it has ended; \
             if it is dead, remove 's3://bucket/out/gleaner.lock' and begin again"
        );
        output.put(LOCK, b"what is this?").unwrap();
        let error = output.hold().unwrap_err().to_string();
        assert!(
            error.starts_with("'s3://bucket/out' is being written by another run: wait"),
            "{error}"
        );
        output.delete(LOCK).unwrap();
        drop(output.hold().unwrap());
    }

    #[test]
    fn a_lock_is_put_over_only_as_it_was_read() {
        let output = bucket();
        output
            .put(
                LOCK,
                &Holder {
                    start: "1".to_owned(),
                    ..Holder::this()
                }
                .to_json(),
            )
            .unwrap();
        let (_, version) = read(&output).unwrap().unwrap();
        assert!(put_over(&output, &Holder::this(), version.clone()).unwrap());
        assert!(!put_over(&output, &Holder::this(), version).unwrap());
    }
}
