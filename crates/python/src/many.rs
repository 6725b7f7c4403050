//! `clean_many`: the pages of an iterable, cleaned on all cores.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

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
#[pyclass(module = "gleaner")]
pub(crate) struct CleanedPages {
    /// None at its end.
    pages: Option<Py<PyIterator>>,
    /// What the iterable raised at its end.
    raised: Option<PyErr>,
    /// (The lock makes it `Sync`; nothing waits for it.)
    pending: Mutex<VecDeque<Receiver<Cleaned>>>,
    ahead: usize,
    jobs: Sender<Job>,
    on_error: OnError,
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
        workers: Option<usize>,
        on_error: OnError,
    ) -> PyResult<CleanedPages> {
        let workers = workers.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
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
        Ok(CleanedPages {
            pages: Some(pages),
            raised: None,
            pending: Mutex::default(),
            ahead: AHEAD * workers,
            jobs,
            on_error,
        })
    }

    /// Takes pages from the iterable, as many as may be under way.
    fn fill(&mut self, py: Python<'_>) {
        let pending = self.pending.get_mut().unwrap_or_else(PoisonError::into_inner);
        while pending.len() < self.ahead {
            let Some(pages) = &self.pages else { return };
            let next = pages.bind(py).clone().next();
            let page = next.map(|next| next.and_then(|object| object.extract::<Input>()));
            match page {
                Some(Ok(page)) => {
                    let (done, result) = mpsc::channel();
                    pending.push_back(result);
                    // Without workers nothing comes back, which is reported there.
                    drop(self.jobs.send(Job { page, done }));
                }
                ended => {
                    self.raised = ended.and_then(Result::err);
                    self.pages = None;
                }
            }
        }
    }
}

#[pymethods]
impl CleanedPages {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        guarded(|| {
            self.fill(py);
            let pending = self.pending.get_mut().unwrap_or_else(PoisonError::into_inner);
            let Some(first) = pending.front_mut() else {
                return self.raised.take().map_or(Ok(None), Err);
            };
            let cleaned = wait(py, first)?;
            pending.pop_front();
            let exception = match cleaned.result {
                Ok(Ok(document)) => return Ok(Some(Bound::new(py, Document::new(document))?.into_any())),
                Ok(Err(error)) => failed(&error, None),
                Err(panic) => panic.into(),
            };
            match self.on_error {
                OnError::Raise => Err(exception),
                OnError::Return => Ok(Some(exception.into_value(py).into_bound(py).into_any())),
            }
        })
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
