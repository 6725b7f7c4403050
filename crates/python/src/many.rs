//! `clean_many`: the pages of an iterable, cleaned on all cores.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::cleaner::{Pool, failed};
use crate::document::Document;
use crate::errors::{Failure, guarded};
use crate::html::Input;
use crate::panics::{Panic, caught};

/// Pages per worker that are taken from the iterable before they are asked for.
const AHEAD: usize = 8;
/// How often a wait looks whether the user has interrupted it.
const LOOK: Duration = Duration::from_millis(100);

/// What happens with an exception of one page.
#[derive(Clone, Copy)]
pub(crate) enum OnError {
    /// It is raised.
    Raise,
    /// It is the result in place of a document.
    Return,
}

/// Documents in the order of their pages. Pages are taken from the iterable as documents are asked for.
#[pyclass(frozen, module = "gleaner")]
pub(crate) struct CleanedPages {
    state: Mutex<State>,
}

struct State {
    /// None at its end.
    pages: Option<Py<PyIterator>>,
    pending: VecDeque<Pending>,
    ahead: usize,
    /// None when the iterator is no longer used.
    jobs: Option<Sender<Job>>,
    on_error: OnError,
}

/// What comes of a page, or of the iterable in its place.
enum Pending {
    Page(Receiver<Cleaned>),
    Raised(PyErr),
}

struct Job {
    page: Input,
    done: Sender<Cleaned>,
}

/// A page, which is freed where the interpreter is, and what it came to.
struct Cleaned {
    _page: Input,
    result: Result<Result<gleaner::Document, gleaner::Error>, Panic>,
}

impl CleanedPages {
    pub(crate) fn start(
        pages: Py<PyIterator>,
        pool: &Pool,
        workers: usize,
        on_error: OnError,
    ) -> PyResult<CleanedPages> {
        let (jobs, received) = mpsc::channel();
        let received = Arc::new(Mutex::new(received));
        for _ in 0..workers {
            let (received, cleaner) = (Arc::clone(&received), pool.cleaner());
            let started = thread::Builder::new()
                .name("gleaner".to_owned())
                .spawn(move || work(&received, cleaner));
            started.map_err(|error| {
                Failure::Option.says(format!("workers={workers}: could not start a thread: {error}"))
            })?;
        }
        let state = State {
            pages: Some(pages),
            pending: VecDeque::new(),
            ahead: AHEAD * workers,
            jobs: Some(jobs),
            on_error,
        };
        Ok(CleanedPages {
            state: Mutex::new(state),
        })
    }

    /// The state, if nothing else uses it: another thread, or the iterable whose page is taken.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyValueError::new_err(
                "the iterator of clean_many is in use already, by another thread or by its own iterable",
            )),
        }
    }
}

impl State {
    /// Takes a page from the iterable, if there is one and room for it.
    ///
    /// # Errors
    /// The iterable raised what is no error of a page, such as `KeyboardInterrupt`.
    fn take(&mut self, py: Python<'_>) -> PyResult<bool> {
        let Some(pages) = self.pages.as_ref().filter(|_| self.pending.len() < self.ahead) else {
            return Ok(false);
        };
        let pending = match pages.bind(py).clone().next() {
            Some(Ok(object)) => match object.extract::<Input>() {
                Ok(page) => self.start(page),
                Err(error) => Pending::Raised(error),
            },
            Some(Err(error)) if !error.is_instance_of::<PyException>(py) => return Err(error),
            ended => {
                self.pages = None;
                let Some(Err(error)) = ended else { return Ok(false) };
                Pending::Raised(error)
            }
        };
        self.pending.push_back(pending);
        Ok(true)
    }

    fn start(&self, page: Input) -> Pending {
        let (done, result) = mpsc::channel();
        if let Some(jobs) = &self.jobs {
            // Without workers nothing comes back, which is reported there.
            drop(jobs.send(Job { page, done }));
        }
        Pending::Page(result)
    }

    /// The result that is next, once it is there. Meanwhile pages are taken: one at least, to keep the workers busy.
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Cleaned>> {
        let mut takes = self.take(py)?;
        loop {
            let next = match self.pending.front_mut() {
                None => return Ok(None),
                Some(Pending::Raised(error)) => Err(error.clone_ref(py)),
                Some(Pending::Page(result)) if takes => match result.try_recv() {
                    Ok(cleaned) => Ok(cleaned),
                    Err(_) => {
                        takes = self.take(py)?;
                        continue;
                    }
                },
                Some(Pending::Page(result)) => Ok(wait(py, result)?),
            };
            self.pending.pop_front();
            return next.map(Some);
        }
    }
}

#[pymethods]
impl CleanedPages {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            let mut state = self.state()?;
            let Some(cleaned) = state.next(py)? else {
                return Ok(None);
            };
            let exception = match cleaned.result {
                Ok(Ok(document)) => return Ok(Some(Bound::new(py, Document::new(document))?.into_any())),
                Ok(Err(error)) => failed(&error, None),
                Err(panic) => panic.into(),
            };
            match state.on_error {
                OnError::Raise => Err(exception),
                OnError::Return => Ok(Some(exception.into_value(py).into_bound(py).into_any())),
            }
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.state.try_lock() {
            Ok(state) => visit.call(&state.pages),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.pages = None;
            state.jobs = None;
        }
    }
}

fn wait(py: Python<'_>, first: &mut Receiver<Cleaned>) -> PyResult<Cleaned> {
    loop {
        let first = &mut *first;
        match py.detach(move || first.recv_timeout(LOOK)) {
            Ok(cleaned) => return Ok(cleaned),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => panic!("a worker of clean_many is gone"),
        }
    }
}

/// Cleans pages until no more can come. A cleaner that a page panics in is not used again.
fn work(jobs: &Mutex<Receiver<Job>>, first: gleaner::Cleaner) {
    let mut cleaner = first.clone();
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Job { page, done }) = job else { return };
        let result = caught(|| cleaner.clean(page.body.html(), &page.about.origin()));
        if result.is_err() {
            cleaner = first.clone();
        }
        // The iterator may be gone.
        drop(done.send(Cleaned { _page: page, result }));
    }
}
