//! Work in a thread beside the interpreter, which stays free for other threads and for Ctrl-C.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::panics::{Panic, caught};

/// Between two looks at the work.
const LOOK: Duration = Duration::from_millis(100);

/// As much as the first thread of a program has on most systems.
const STACK: usize = 8 << 20;

/// What became of the work.
pub(crate) struct Ended<T> {
    pub(crate) result: T,
    /// Why it was stopped: Ctrl-C, or an exception of `look`.
    pub(crate) stopped_by: Option<PyErr>,
}

/// Does work in a thread of its own, and calls `look` in this one about ten times a second, and once at the end. A signal
/// (Ctrl-C) or an exception of `look` calls `stop`, and the work is waited for if that returns true.
///
/// # Errors
/// The work panics, or is not waited for: with a second signal it is left to end in its thread.
pub(crate) fn beside<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
    stop: impl Fn() -> bool,
) -> PyResult<Ended<T>> {
    let (send, mut receive) = channel();
    let work = move || drop(send.send(caught(work)));
    thread::Builder::new()
        .name("gleaner".to_owned())
        .stack_size(STACK)
        .spawn(work)?;
    let mut stopped_by = None;
    let done = loop {
        let receiver = &mut receive;
        match py.detach(move || receiver.recv_timeout(LOOK)) {
            Ok(done) => break done,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break Err(Panic::default()),
        }
        let looked = py.check_signals().and_then(|()| match &stopped_by {
            None => look(py),
            Some(_) => Ok(()),
        });
        if let Err(error) = looked {
            if stopped_by.is_some() || !stop() {
                return Err(error);
            }
            stopped_by = Some(error);
        }
    };
    let result = done?;
    if stopped_by.is_none() {
        look(py)?;
    }
    Ok(Ended { result, stopped_by })
}
