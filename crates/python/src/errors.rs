//! The exceptions of the package. Their classes are in `python/gleaner/_errors.py`; here they are raised.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::panics::{Panic, Silence, caught};

/// What is raised, by the name of its class.
pub(crate) enum Failure {
    /// The bytes are no page.
    Page,
    /// A model that cannot be used, and its file if it is from one.
    Model {
        file: Option<String>,
    },
    /// An option that is not known, or a value that it cannot have.
    Option,
    /// An input that cannot be read.
    Input {
        file: Option<String>,
        offset: Option<u64>,
    },
    Build,
    /// A corpus without some of its inputs.
    Incomplete {
        missing: Py<PyAny>,
    },
    /// gleaner has a fault.
    Internal,
}

impl Failure {
    /// The exception, with a sentence that says what failed, where, and what to do.
    pub(crate) fn says(self, sentence: impl Into<String>) -> PyErr {
        Python::attach(|py| self.exception(py, sentence.into()).unwrap_or_else(|error| error))
    }

    fn exception(self, py: Python<'_>, sentence: String) -> PyResult<PyErr> {
        match self {
            Failure::Page => exception(py, "PageError", sentence, None),
            Failure::Model { file } => {
                let attributes = [("file", file)].into_py_dict(py)?;
                exception(py, "ModelError", sentence, Some(attributes))
            }
            Failure::Option => exception(py, "OptionError", sentence, None),
            Failure::Input { file, offset } => {
                let attributes = [("file", file)].into_py_dict(py)?;
                attributes.set_item("offset", offset)?;
                exception(py, "InputError", sentence, Some(attributes))
            }
            Failure::Build => exception(py, "BuildError", sentence, None),
            Failure::Internal => exception(py, "InternalError", sentence, None),
            Failure::Incomplete { missing } => {
                let attributes = [("missing", missing)].into_py_dict(py)?;
                exception(py, "IncompleteError", sentence, Some(attributes))
            }
        }
    }
}

impl From<Panic> for PyErr {
    fn from(panic: Panic) -> PyErr {
        let Panic { message, place } = panic;
        let sentence = format!(
            "gleaner has a fault: please report it with this message and the input: {message} (at {place})"
        );
        Python::attach(|py| exception(py, "InternalError", sentence, None).unwrap_or_else(|error| error))
    }
}

fn exception(
    py: Python<'_>,
    name: &str,
    sentence: String,
    attributes: Option<Bound<'_, PyDict>>,
) -> PyResult<PyErr> {
    let class = class(py, name)?;
    Ok(PyErr::from_value(class.call((sentence,), attributes.as_ref())?))
}

pub(crate) fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("gleaner._errors")?.getattr(name)
}

/// What every function that Python calls does its work in: a panic is an `InternalError`, and nothing is printed.
pub(crate) fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    caught(work)?
}

/// For the tests of the package: a panic as any function may have one.
#[pyfunction]
pub(crate) fn _panic(message: String) -> PyResult<()> {
    guarded(|| panic!("{message}"))
}

/// For the tests of the package: a panic of a thread such as a build starts, and its message where there is [`Silence`].
#[pyfunction]
pub(crate) fn _panic_in_thread(message: String, is_silent: bool) -> Option<String> {
    let silence = is_silent.then(Silence::begin);
    let joined = std::thread::spawn(move || panic!("{message}")).join();
    let caught = silence.and_then(|silence| silence.last());
    caught.filter(|_| joined.is_err()).map(|panic| panic.message)
}
