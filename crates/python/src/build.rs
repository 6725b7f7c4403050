//! `gleaner.build`, `gleaner.files` and `gleaner.verify`: corpora. The classes of their results are in
//! `python/gleaner/_types.py`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use gleaner_cli::library::{
    self, BuildJob, BuildStatus, BuildWatch, Built, CorpusCheck, Failed, FailedKind, OptionFault, OptionKind,
    Value,
};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString};

use crate::beside::{Ended, beside};
use crate::errors::{Failure, guarded};
use crate::panics::{Panic, Silence};

/// Build a corpus: web archives in, Parquet tables out.
///
/// ``inputs`` is one input or several: WARC, ARC, WET, WACZ or HTML files, folders, patterns, URLs
/// (file, s3, gs, az, https), @LIST files. ``out`` is the folder or URL that receives the tables.
/// The other options are those of ``gleaner build``, with _ for -: True for a flag, else a number,
/// a string or a path. None is the default. ``BuildOptions`` lists them.
///
/// The build runs on all cores, without the lock of the interpreter. ``progress`` is called in this
/// thread about ten times a second with a ``Progress``; an exception that it raises stops the build,
/// and is raised here. Ctrl-C stops the build and raises KeyboardInterrupt. The same call continues a
/// build that was stopped. Nothing is printed: messages go to the logger ``gleaner``, at level INFO.
///
/// Returns the ``Summary``: what ``gleaner build --json`` prints. With ``dry_run=True`` nothing is
/// written, and the ``Plan`` is returned.
///
/// Raises OptionError: an option is not known, or cannot have this value. TypeError: a value is of
/// another type. InputError: an input does not exist, or is no archive and no page. ModelError: a
/// model cannot be used. IncompleteError: inputs could not be read; the same call reads them.
/// BuildError: the corpus cannot be written, or ``strict=True`` forbids what was found.
#[pyfunction]
#[pyo3(signature = (inputs, out, *, progress = None, **options))]
pub(crate) fn build<'py>(
    py: Python<'py>,
    inputs: &Bound<'py, PyAny>,
    out: &Bound<'py, PyAny>,
    progress: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        check_callback(progress.as_ref())?;
        let job = job(inputs, path(out, "out")?, options)?;
        let watch = Arc::new(BuildWatch::default());
        let logger = py.import("logging")?.call_method1("getLogger", ("gleaner",))?;
        let log = || -> PyResult<()> {
            let mut messages = watch.messages().into_iter();
            messages.try_for_each(|message| logger.call_method1("info", ("%s", message)).map(drop))
        };
        let look = |_: Python<'_>| {
            log()?;
            report(py, progress.as_ref(), &watch.status())
        };
        let building = Arc::clone(&watch);
        let run = move || {
            let silence = Silence::begin();
            let built = building.run(&job);
            built.map_err(|failed| with_panic(failed, &silence))
        };
        let ended = beside(py, run, look, || watch.stop())?;
        log()?;
        let Built(summary) = result(py, ended)?;
        from_json(py, &summary)
    })
}

/// Of a fault of gleaner the message and the place.
fn with_panic(mut failed: Failed, silence: &Silence) -> Failed {
    if let (FailedKind::Internal, Some(Panic { message, place })) = (&failed.kind, silence.last()) {
        failed.sentence += &format!(" with the message: {message} (at {place})");
    }
    failed
}

/// The options of a build, by name, each with what it takes: for the tests of the stubs.
#[pyfunction]
pub(crate) fn _build_options() -> Vec<(String, String)> {
    let options = library::build_options().into_iter();
    options
        .map(|option| (option.name, wanted(&option.kind)))
        .collect()
}

/// List the files of a table of a corpus: paths or URLs, in the order of the table's log.
///
/// ``corpus`` is the folder or URL that was ``out`` of its build, ``table`` a name such as
/// "documents". The files are those of the version that gleaner.json names.
///
/// Raises InputError: there is no corpus, or it cannot be read. IncompleteError: the corpus is not
/// complete. OptionError: the corpus has no such table; the message lists its tables.
#[pyfunction]
pub(crate) fn files(py: Python<'_>, corpus: &Bound<'_, PyAny>, table: String) -> PyResult<Vec<String>> {
    guarded(|| {
        let corpus = text_of(path(corpus, "corpus")?)?;
        let work = move || library::files(&corpus, &table);
        // Nothing is written: it is not waited for.
        let ended = beside(py, work, |_| Ok(()), || false)?;
        result(py, ended)
    })
}

/// Check that the files of a corpus are what was written: read them to the last byte.
///
/// ``progress`` is called in this thread about ten times a second with a ``Progress``, whose phase is
/// "verify"; an exception that it raises ends the check, and is raised here.
///
/// Returns a ``Verified``: what ``gleaner verify --json`` prints. ``as_written`` is False and
/// ``faults`` names each file where something is wrong; that is no exception.
///
/// Raises InputError: there is no corpus, or it cannot be read. IncompleteError: the corpus is not
/// complete. BuildError: gleaner.json is damaged.
#[pyfunction]
#[pyo3(signature = (corpus, *, progress = None))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    corpus: &Bound<'py, PyAny>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        check_callback(progress.as_ref())?;
        let corpus = text_of(path(corpus, "corpus")?)?;
        let check = Arc::new(CorpusCheck::default());
        let checking = Arc::clone(&check);
        let look = |_: Python<'_>| {
            let status = BuildStatus {
                phase: Some("verify"),
                number: 1,
                of: 1,
                share: check.share(),
                pages: 0,
                documents: 0,
            };
            report(py, progress.as_ref(), &status)
        };
        let stop = || {
            check.stop();
            true
        };
        let ended = beside(py, move || checking.run(&corpus), look, stop)?;
        from_json(py, &result(py, ended)?)
    })
}

fn job(inputs: &Bound<'_, PyAny>, out: OsString, options: Option<&Bound<'_, PyDict>>) -> PyResult<BuildJob> {
    let inputs = match text(inputs)? {
        Some(input) => vec![input],
        None => texts(inputs, "inputs")?,
    };
    if inputs.is_empty() {
        return Err(Failure::Option.says("'inputs' is empty: name a file, a folder, a pattern or a URL"));
    }
    let mut given = Vec::new();
    for (name, value) in options.into_iter().flatten() {
        let name: String = name.extract()?;
        if let Some(value) = self::value(&name, &value)? {
            given.push((name, value));
        }
    }
    BuildJob::new(inputs, &out, given).map_err(|fault| option_error(fault, options))
}

/// What is wrong with options. They are those that were given.
pub(crate) fn option_error(fault: OptionFault, options: Option<&Bound<'_, PyDict>>) -> PyErr {
    match fault {
        OptionFault::Value(sentence) => Failure::Option.says(sentence),
        OptionFault::Type { name, kind } => {
            let found = options.and_then(|options| options.get_item(&name).ok().flatten());
            let found = found.map_or_else(String::new, |value| format!(", not {}", type_name(&value)));
            PyTypeError::new_err(format!("'{name}' takes {}{found}", wanted(&kind)))
        }
    }
}

/// A value of an option; nothing for None, which is the default.
fn value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    if value.is_none() {
        return Ok(None);
    }
    // (A bool is an int.)
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Some(Value::Flag(flag.is_true())));
    }
    if value.is_instance_of::<PyInt>() {
        return Ok(Some(Value::Whole(value.str()?.to_string())));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(Value::Real(value.extract()?)));
    }
    match text(value)? {
        Some(text) => Ok(Some(Value::Text(text))),
        None => texts(value, name).map(|texts| Some(Value::Texts(texts))),
    }
}

/// A string or a path; nothing for what is neither.
fn text(value: &Bound<'_, PyAny>) -> PyResult<Option<OsString>> {
    let is_path = || value.hasattr("__fspath__");
    match value.is_instance_of::<PyString>() || is_path()? {
        true => Ok(Some(value.extract::<PathBuf>()?.into_os_string())),
        false => Ok(None),
    }
}

pub(crate) fn path(value: &Bound<'_, PyAny>, name: &str) -> PyResult<OsString> {
    text(value)?.ok_or_else(|| {
        let found = type_name(value);
        PyTypeError::new_err(format!("'{name}' takes a string or a path, not {found}"))
    })
}

pub(crate) fn check_callback(progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match progress.filter(|progress| !progress.is_callable()) {
        None => Ok(()),
        Some(other) => {
            let found = type_name(other);
            Err(PyTypeError::new_err(format!(
                "'progress' takes a function, not {found}"
            )))
        }
    }
}

fn texts(values: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<OsString>> {
    let wrong = |found: &Bound<'_, PyAny>| {
        let found = type_name(found);
        PyTypeError::new_err(format!(
            "'{name}' takes strings, paths or a list of them, not {found}"
        ))
    };
    if values.is_instance_of::<PyBytes>() {
        return Err(wrong(values));
    }
    let mut texts = Vec::new();
    for value in values.try_iter().map_err(|_| wrong(values))? {
        let value = value?;
        texts.push(text(&value)?.ok_or_else(|| wrong(&value))?);
    }
    Ok(texts)
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().qualname();
    name.map_or_else(|_| "this".to_owned(), |name| name.to_string())
}

fn wanted(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Flag => "True or False".to_owned(),
        OptionKind::Whole => "an int".to_owned(),
        OptionKind::Real => "an int or a float".to_owned(),
        OptionKind::Size => "a size: an int, or a string such as '64MiB'".to_owned(),
        OptionKind::Choice(choices) => format!("one of the strings {}", choices.join(", ")),
        OptionKind::Text => "a string or a path".to_owned(),
        OptionKind::Texts => "a list of strings".to_owned(),
    }
}

/// The name of a corpus, as the command has names that are not UTF-8.
fn text_of(corpus: OsString) -> PyResult<String> {
    corpus.into_string().map_err(|corpus| {
        let sentence = format!("'{}' is not UTF-8: give it another name", corpus.display());
        Failure::Input {
            file: None,
            offset: None,
        }
        .says(sentence)
    })
}

/// Calls the callback.
pub(crate) fn report(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    status: &BuildStatus,
) -> PyResult<()> {
    let Some(progress) = progress else {
        return Ok(());
    };
    let BuildStatus {
        phase,
        number,
        of,
        share,
        pages,
        documents,
    } = *status;
    let class = py.import("gleaner._types")?.getattr("Progress")?;
    progress.call1((class.call1((phase, number, of, share, pages, documents))?,))?;
    Ok(())
}

/// What a call gives, or raises.
pub(crate) fn result<T>(py: Python<'_>, ended: Ended<Result<T, Failed>>) -> PyResult<T> {
    match (ended.stopped_by, ended.result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(failed)) => Err(raised(py, failed)?),
    }
}

fn raised(py: Python<'_>, failed: Failed) -> PyResult<PyErr> {
    let Failed {
        kind,
        sentence,
        summary,
    } = failed;
    let failure = match kind {
        FailedKind::Option => Failure::Option,
        FailedKind::Model(file) => Failure::Model {
            file: file.map(|file| file.display().to_string()),
        },
        FailedKind::Input(file) => Failure::Input { file, offset: None },
        FailedKind::Incomplete(missing) => {
            let missing = serde_json::to_string(&missing).unwrap_or_default();
            Failure::Incomplete {
                missing: from_json(py, &missing)?.unbind(),
            }
        }
        FailedKind::Interrupted => return Ok(PyKeyboardInterrupt::new_err(sentence)),
        FailedKind::Internal => Failure::Internal,
        FailedKind::Build => Failure::Build,
    };
    let error = failure.says(sentence);
    if let Some(summary) = summary {
        error.value(py).setattr("summary", from_json(py, &summary)?)?;
    }
    Ok(error)
}

pub(crate) fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}
