//! `gleaner.export`: training data from a corpus. The classes of its results are in `python/gleaner/_types.py`.

use std::sync::Arc;

use gleaner_cli::library::{BuildStatus, ExportJob};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::beside::beside;
use crate::build::{check_callback, from_json, option_error, path, report, result};
use crate::errors::guarded;

/// Write the pages of a corpus that a recipe selects: training data.
///
/// ``corpus`` is the folder or URL that was ``out`` of its build. ``recipe`` is a TOML file, or the
/// name of a built-in recipe such as "fineweb2". ``out`` is an empty folder, or the URL of one; None
/// writes nothing, and counts what each filter leaves out.
///
/// ``format``, ``shard_size``, ``pii``, ``corpus_version`` and ``workers`` are options of ``gleaner
/// export``; None is the default. ``progress`` is called in this thread about ten times a second with
/// a ``Progress``, whose phase is "export"; an exception that it raises stops the export, and is
/// raised here. The same call continues an export that was stopped.
///
/// Returns an ``Exported``: what ``gleaner export --json`` prints.
///
/// Raises OptionError: the recipe cannot be read, or an option cannot have this value. InputError:
/// there is no corpus, or it cannot be read. IncompleteError: the corpus is not complete. BuildError:
/// the corpus lacks a table, or the files cannot be written.
#[pyfunction]
#[pyo3(signature = (
    corpus, recipe, out = None, *, format = None, shard_size = None, pii = None, corpus_version = None, workers = None,
    progress = None
))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub(crate) fn export<'py>(
    py: Python<'py>,
    corpus: &Bound<'py, PyAny>,
    recipe: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    format: Option<Bound<'py, PyString>>,
    shard_size: Option<Bound<'py, PyAny>>,
    pii: Option<Bound<'py, PyString>>,
    corpus_version: Option<Bound<'py, PyInt>>,
    workers: Option<Bound<'py, PyInt>>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    guarded(|| {
        check_callback(progress.as_ref())?;
        let given = [
            ("format", format.map(Bound::into_any)),
            ("shard-size", shard_size),
            ("pii", pii.map(Bound::into_any)),
            ("corpus-version", corpus_version.map(Bound::into_any)),
            ("workers", workers.map(Bound::into_any)),
        ];
        let given = given.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let options = given
            .map(|(name, value)| Ok((name, value.str()?.to_string())))
            .collect::<PyResult<Vec<_>>>()?;
        let out = out.map(|out| path(out, "out")).transpose()?;
        let (corpus, recipe) = (path(corpus, "corpus")?, path(recipe, "recipe")?);
        let job = ExportJob::new(&corpus, &recipe, out.as_deref(), &options)
            .map(Arc::new)
            .map_err(|fault| option_error(fault, None))?;
        let exporting = Arc::clone(&job);
        let look = |_: Python<'_>| {
            let status = BuildStatus {
                phase: Some("export"),
                number: 1,
                of: 1,
                share: Some(job.share()),
                pages: 0,
                documents: 0,
            };
            report(py, progress.as_ref(), &status)
        };
        let stop = || {
            job.stop();
            true
        };
        let ended = beside(py, move || exporting.run(), look, stop)?;
        from_json(py, &result(py, ended)?)
    })
}
