//! `gleaner.read_warc`: the captures of inputs, one after the other, as `gleaner build` reads them.
//!
//! The classes of captures and rejects are in `python/gleaner/_warc.py`: plain data classes, so that they can be compared,
//! printed and sent to other processes.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

use gleaner_corpus::{Millis, RejectRow};
use gleaner_dataflow::{Capture, Captures, Found};
use gleaner_metadata::date::Day;
use gleaner_store::{Expanded, Options, Store, Wake};
use gleaner_training::typed_input;
use gleaner_warc::{Chunk, Source};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyUserWarning};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDate, PyDateTime, PyDict, PyType, PyTzInfo};

use crate::beside::beside;
use crate::errors::{Failure, guarded};

/// How long a wait is at most before Ctrl-C is looked for.
const PATIENCE: Duration = Duration::from_millis(100);

/// The count of captures among those of rejects, whose names have no capitals and are never this.
const CAPTURES: &str = "captures";

/// Why `next` fails: to wait for the read would never end.
const WITHIN_A_READ: &str = "this reader is reading: its next cannot be called by the read of its file, \
                             nor by a signal handler during the read";

#[pyfunction]
#[pyo3(name = "_read_warc")]
pub(crate) fn read_warc(py: Python<'_>, source: &Bound<'_, PyAny>, rejects: bool) -> PyResult<WarcReader> {
    guarded(|| {
        let (wake, woken) = sync_channel(1);
        let wake: Wake = Arc::new(move || {
            // One call is waiting: a second says nothing new.
            let _full = wake.try_send(());
        });
        let captures = match source.extract::<PathBuf>() {
            Ok(path) => {
                let (store, found) = listed(py, typed_input(path.as_os_str()))?;
                warn_of_notes(py, &found)?;
                Captures::new(store, found.shards, wake)
            }
            // A path that cannot be written in bytes.
            Err(error) if !error.is_instance_of::<PyTypeError>(py) => return Err(error),
            Err(_) => {
                let source = PythonFile::new(source)?;
                Captures::of_file(source.name.clone(), Box::new(source), wake)
            }
        };
        Ok(WarcReader {
            access: Mutex::new(Access {
                reading: Some(Box::new(Reading { captures, woken })),
                thread: None,
                is_closed: false,
            }),
            ended: Condvar::new(),
            counts: Mutex::new(BTreeMap::from([(CAPTURES.to_owned(), 0)])),
            rejects,
        })
    })
}

/// Looks an input up. Ctrl-C does not wait for a server.
fn listed(py: Python<'_>, input: String) -> PyResult<(Store, Expanded)> {
    let named = input.clone();
    let look = move || {
        let store = Store::new(Options::default())?;
        let found = store.expand(&[named], None)?;
        Ok((store, found))
    };
    let ended = beside(py, look, |_| Ok(()), || false)?;
    ended.result.map_err(|error| unlisted(&error, input))
}

fn warn_of_notes(py: Python<'_>, found: &Expanded) -> PyResult<()> {
    for note in &found.notes {
        let text = CString::new(note.to_string().replace('\0', "")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 2)?;
    }
    Ok(())
}

/// An iterator of captures.
#[pyclass(frozen, name = "_WarcReader")]
pub(crate) struct WarcReader {
    /// Not locked during a read: a read can call Python, and Python this reader.
    access: Mutex<Access>,
    /// A read ended.
    ended: Condvar,
    counts: Mutex<BTreeMap<String, u64>>,
    rejects: bool,
}

struct Access {
    /// Nothing during a read, and after the end.
    /// In a box: Python gives an object's memory no more than 16 bytes of alignment, and a reader needs 32.
    reading: Option<Box<Reading>>,
    /// The thread that reads.
    thread: Option<ThreadId>,
    is_closed: bool,
}

struct Reading {
    captures: Captures,
    /// There is something new to read.
    woken: Receiver<()>,
}

#[pymethods]
impl WarcReader {
    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            loop {
                py.check_signals()?;
                match py.detach(|| self.step())? {
                    Found::Capture(capture) => return capture_object(py, *capture).map(Some),
                    Found::Reject(reject) if self.rejects => return reject_object(py, *reject).map(Some),
                    Found::Reject(_) | Found::Pending => {}
                    Found::End => return Ok(None),
                }
            }
        })
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        locked(&self.counts).clone()
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        guarded(|| {
            let reading = self.end();
            // The streams end with it, which takes a moment.
            py.detach(|| drop(reading));
            Ok(())
        })
    }
}

impl WarcReader {
    /// The next capture or reject; [`Found::Pending`] after a short wait.
    fn step(&self) -> PyResult<Found> {
        let Some(mut read) = self.begin()? else {
            return Ok(Found::Pending);
        };
        let Some(open) = read.reading.as_mut() else {
            return Ok(Found::End);
        };
        let found = open.captures.step().map_err(unread)?;
        match &found {
            Found::Capture(_) => self.count(CAPTURES),
            Found::Reject(reject) => self.count(&reject.reason),
            Found::Pending => {
                let _woken = open.woken.recv_timeout(PATIENCE);
            }
            Found::End => read.reading = None,
        }
        Ok(found)
    }

    /// A read by this thread; nothing while another thread reads, after a short wait.
    fn begin(&self) -> PyResult<Option<Read<'_>>> {
        let mut access = locked(&self.access);
        let this = thread::current().id();
        match access.thread {
            None => {
                access.thread = Some(this);
                let reading = access.reading.take();
                Ok(Some(Read { of: self, reading }))
            }
            Some(thread) if thread == this => Err(PyRuntimeError::new_err(WITHIN_A_READ)),
            Some(_) => {
                drop(self.ended.wait_timeout(access, PATIENCE));
                Ok(None)
            }
        }
    }

    /// No read begins any more. A read that is under way drops what it reads from; otherwise the caller does.
    fn end(&self) -> Option<Box<Reading>> {
        let mut access = locked(&self.access);
        access.is_closed = true;
        access.reading.take()
    }

    fn count(&self, name: &str) {
        let mut counts = locked(&self.counts);
        match counts.get_mut(name) {
            Some(count) => *count += 1,
            None => drop(counts.insert(name.to_owned(), 1)),
        }
    }
}

/// A read that is under way. It ends when this is dropped, also after a panic.
struct Read<'r> {
    of: &'r WarcReader,
    reading: Option<Box<Reading>>,
}

impl Drop for Read<'_> {
    fn drop(&mut self) {
        let mut access = locked(&self.of.access);
        access.thread = None;
        if !access.is_closed {
            access.reading = self.reading.take();
        }
        self.of.ended.notify_all();
    }
}

/// An open file of Python.
struct PythonFile {
    name: String,
    read: Py<PyAny>,
}

/// Bytes of one read of it.
const READ_BYTES: usize = 1 << 20;

impl PythonFile {
    fn new(file: &Bound<'_, PyAny>) -> PyResult<PythonFile> {
        let py = file.py();
        let Ok(read) = file.getattr(intern!(py, "read")) else {
            let class = file.get_type().fully_qualified_name()?;
            return Err(PyTypeError::new_err(format!(
                "read_warc takes a path, a URL or a file that is open for reading bytes, not {class}"
            )));
        };
        // The name of a file is a path; that of a pipe is a number.
        let name = file
            .getattr(intern!(py, "name"))
            .and_then(|name| name.extract::<String>());
        Ok(PythonFile {
            name: name.unwrap_or_else(|_| "file object".to_owned()),
            read: read.unbind(),
        })
    }
}

impl Source for PythonFile {
    fn next(&mut self) -> io::Result<Chunk> {
        Python::attach(|py| {
            let read = self.read.bind(py).call1((READ_BYTES,))?;
            let Ok(bytes) = read.cast_into::<PyBytes>() else {
                let wrong = "a file for read_warc gives bytes: open it with mode \"rb\"";
                return Err(PyTypeError::new_err(wrong).into());
            };
            Ok(match bytes.as_bytes() {
                [] => Chunk::End,
                bytes => Chunk::Data(bytes.to_vec().into()),
            })
        })
    }
}

/// What a mutex guards is fit for use after a panic: a reader continues with the next input.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlisted(error: &gleaner_store::Error, input: String) -> PyErr {
    let file = match error.input() {
        "" => Some(input),
        file => Some(file.to_owned()),
    };
    Failure::Input { file, offset: None }.says(error.to_string())
}

fn unread(error: gleaner_warc::Error) -> PyErr {
    let sentence = error.to_string();
    let (file, offset) = match error {
        gleaner_warc::Error::Source { file, offset, source } => match source.downcast::<PyErr>() {
            Ok(raised) => return raised,
            Err(_) => (file, offset),
        },
        gleaner_warc::Error::NotAnArchive { file, .. } => (file, 0),
        gleaner_warc::Error::FormatNeeded(file, offset) => (file, offset),
    };
    let (file, offset) = (Some(file), Some(offset));
    Failure::Input { file, offset }.says(sentence)
}

fn capture_object(py: Python<'_>, capture: Capture) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let captured = capture.day().map(|day| date(py, day)).transpose()?;
    let document = capture.document;
    let crawl_date = document.crawl_date.map(|time| datetime(py, time)).transpose()?;
    let fields = PyDict::new(py);
    fields.set_item(intern!(py, "url"), document.url)?;
    fields.set_item(intern!(py, "surt"), document.surt)?;
    fields.set_item(intern!(py, "host"), document.host)?;
    fields.set_item(intern!(py, "row_id"), document.row_id)?;
    fields.set_item(intern!(py, "record_id"), document.record_id)?;
    fields.set_item(intern!(py, "warc_file"), document.warc_file)?;
    fields.set_item(intern!(py, "warc_offset"), document.warc_offset)?;
    fields.set_item(intern!(py, "warc_length"), document.warc_length)?;
    fields.set_item(intern!(py, "crawl_date"), crawl_date)?;
    fields.set_item(intern!(py, "captured"), captured)?;
    fields.set_item(intern!(py, "http_status"), document.http_status)?;
    fields.set_item(intern!(py, "media_type"), document.content_type)?;
    fields.set_item(intern!(py, "content_type"), capture.content_type)?;
    fields.set_item(intern!(py, "plain_text"), capture.plain_text)?;
    fields.set_item(intern!(py, "truncated"), document.truncated)?;
    fields.set_item(intern!(py, "body"), PyBytes::new(py, &capture.body))?;
    CLASS
        .import(py, "gleaner._warc", "Capture")?
        .call((), Some(&fields))
}

fn reject_object(py: Python<'_>, reject: RejectRow) -> PyResult<Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let RejectRow {
        row_id,
        url,
        surt,
        warc_file,
        warc_offset,
        record_id,
        stage,
        reason,
        detail,
    } = reject;
    let class = CLASS.import(py, "gleaner._warc", "Reject")?;
    class.call1((
        row_id,
        url,
        surt,
        warc_file,
        warc_offset,
        record_id,
        stage,
        reason,
        detail,
    ))
}

fn date(py: Python<'_>, day: Day) -> PyResult<Bound<'_, PyDate>> {
    let (year, month, number) = day.parts();
    PyDate::new(py, year.into(), month, number)
}

const MILLIS_OF_DAY: i64 = 24 * 60 * 60 * 1000;

/// Nothing where Python has no such year.
fn datetime(py: Python<'_>, time: Millis) -> PyResult<Option<Bound<'_, PyDateTime>>> {
    let days = i32::try_from(time.0.div_euclid(MILLIS_OF_DAY)).ok();
    let Some((year, month, day)) = days.and_then(Day::from_number).map(Day::parts) else {
        return Ok(None);
    };
    let millis = time.0.rem_euclid(MILLIS_OF_DAY) as u32;
    let (seconds, micros) = (millis / 1000, millis % 1000 * 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let utc = PyTzInfo::utc(py)?;
    let (hour, minute, second) = (hour as u8, minute as u8, second as u8);
    PyDateTime::new(
        py,
        year.into(),
        month,
        day,
        hour,
        minute,
        second,
        micros,
        Some(&utc),
    )
    .map(Some)
}
