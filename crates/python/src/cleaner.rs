//! `gleaner.Cleaner` and `gleaner.extract`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use gleaner::{ErrorKind, Favor, Format, Images, Links, MarkdownOptions, Model};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::document::Document;
use crate::errors::{Failure, guarded};
use crate::html::{About, Body, day};
use crate::many::{CleanedPages, OnError};

/// Cleans pages with a model and settings of one's own. Threads may share one.
///
/// `model` and `text_model` are paths of model files, for pages and for plain texts (default: the models that are built in).
/// `favor` is "precision", "recall" or "balanced". `title=False` leaves the main heading out of the text. `structured_data`
/// takes the text of JSON-LD where the page shows fewer than 20 words. `parser` is "gleaner" or "html5ever". `byte_limit` and
/// `step_limit` are the most bytes and steps of work for a page (default: 16 MiB and 500 million); what is beyond is cut off.
///
/// Raises ModelError for a model that cannot be used, OptionError for an unknown value.
#[pyclass(frozen, module = "gleaner")]
pub(crate) struct Cleaner {
    // Python aligns its objects to 16 bytes, a cleaner has buffers that are aligned to 64.
    pool: Box<Pool>,
}

/// Cleaners of the same settings, as many as were needed at a time. One that a page panics in is not used again.
pub(crate) struct Pool {
    first: gleaner::Cleaner,
    idle: Mutex<Vec<gleaner::Cleaner>>,
}

impl Pool {
    fn new(first: gleaner::Cleaner) -> Pool {
        Pool {
            first,
            idle: Mutex::default(),
        }
    }

    /// A new cleaner of these settings.
    pub(crate) fn cleaner(&self) -> gleaner::Cleaner {
        self.first.clone()
    }

    /// Works with an idle cleaner, or a new one. Nothing waits for the lock: in a forked process a thread that had it is gone.
    fn with<T>(&self, work: impl FnOnce(&mut gleaner::Cleaner) -> T) -> T {
        let taken = self.idle.try_lock().ok().and_then(|mut idle| idle.pop());
        let mut cleaner = taken.unwrap_or_else(|| self.cleaner());
        let done = work(&mut cleaner);
        if let Ok(mut idle) = self.idle.try_lock() {
            idle.push(cleaner);
        }
        done
    }
}

#[pymethods]
impl Cleaner {
    #[new]
    #[pyo3(signature = (*, model=None, text_model=None, favor="balanced", title=true, structured_data=false,
        parser="gleaner", byte_limit=None, step_limit=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn new(
        py: Python<'_>,
        model: Option<PathBuf>,
        text_model: Option<PathBuf>,
        favor: &str,
        title: bool,
        structured_data: bool,
        parser: &str,
        byte_limit: Option<i64>,
        step_limit: Option<i64>,
    ) -> PyResult<Cleaner> {
        let byte_limit = byte_limit
            .map(|limit| number("byte_limit", limit, MOST_BYTES))
            .transpose()?;
        let step_limit = step_limit
            .map(|limit| number("step_limit", limit, i64::MAX))
            .transpose()?;
        let favor = named("favor", favor, FAVORS)?;
        let uses_html5ever = named("parser", parser, PARSERS)?;
        guarded(|| {
            py.detach(|| {
                let mut builder = gleaner::Cleaner::builder()
                    .favor(favor)
                    .title(title)
                    .structured_data(structured_data)
                    .html5ever(uses_html5ever);
                if let Some(file) = &model {
                    builder = builder.model(read_model(file)?);
                }
                if let Some(file) = &text_model {
                    builder = builder.text_model(read_model(file)?);
                }
                if let Some(limit) = byte_limit {
                    builder = builder.byte_limit(limit as usize);
                }
                if let Some(limit) = step_limit {
                    builder = builder.step_limit(limit);
                }
                let cleaner = builder.build().map_err(|error| {
                    let file = text_model.as_deref().or(model.as_deref());
                    failed(&error, file)
                })?;
                Ok(Cleaner {
                    pool: Box::new(Pool::new(cleaner)),
                })
            })
        })
    }

    /// Cleans a page.
    ///
    /// `html` is `bytes` or `str`, `url` its address, `content_type` the value of the HTTP header, `captured` the day of the
    /// capture: no page is published later than a day after it. With `plain_text` each line is a block.
    ///
    /// Returns a Document. Raises PageError if the bytes are no page.
    #[pyo3(signature = (html, url=None, *, content_type=None, captured=None, plain_text=false))]
    fn clean(
        &self,
        py: Python<'_>,
        html: Body,
        url: Option<String>,
        content_type: Option<String>,
        captured: Option<Bound<'_, PyAny>>,
        plain_text: bool,
    ) -> PyResult<Document> {
        let about = About {
            url,
            content_type,
            captured: captured.map(day).transpose()?.flatten(),
            plain_text,
        };
        guarded(|| {
            py.detach(|| {
                self.pool.with(|cleaner| {
                    let document = cleaner.clean(html.html(), &about.origin());
                    document.map(Document::new).map_err(|error| failed(&error, None))
                })
            })
        })
    }

    /// Cleans the pages of an iterable on several cores, without the interpreter lock.
    ///
    /// A page is `bytes` or `str`, a pair `(html, url)`, or a Capture of `read_warc`. `workers` is the number of threads
    /// (default: all cores). Returns an iterator of Documents in the order of the pages; at most eight pages a worker are taken
    /// from the iterable ahead of it. With `errors="return"` a page that cannot be cleaned gives its exception in place of a
    /// Document; with "raise" it is raised, and `next` continues with the page behind it.
    #[pyo3(signature = (pages, *, workers=None, errors="raise"))]
    fn clean_many(
        &self,
        pages: &Bound<'_, PyAny>,
        workers: Option<i64>,
        errors: &str,
    ) -> PyResult<CleanedPages> {
        let on_error = named("errors", errors, ON_ERROR)?;
        let workers = match workers {
            Some(workers) => number("workers", workers, MOST_WORKERS)? as usize,
            None => thread::available_parallelism().map_or(1, usize::from),
        };
        if pages.is_instance_of::<PyString>() || pages.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err(
                "pages must be an iterable of pages, not a single one",
            ));
        }
        let pages = pages.try_iter()?.unbind();
        guarded(|| CleanedPages::start(pages, &self.pool, workers, on_error))
    }
}

/// Extracts the text of a page, without menus, notices and lists of links.
///
/// `html` is `bytes`, whose charset is found as browsers find it, or `str`. `url` is the address of the page: features use
/// it, and links are resolved with it. `format` is "text", "markdown" (CommonMark with tables), "json" (metadata and all
/// blocks, in one line) or "html" (a simple document). `favor` is "precision" (keep less noise), "recall" (lose less content) or
/// "balanced". `with_metadata` writes title, authors, date, language and URL before text and Markdown as front matter of
/// YAML, and in HTML authors and date as `<meta>`; JSON always has them. `links` and `images` write addresses in Markdown. `title=False` leaves
/// the main heading out. `structured_data` takes the text of JSON-LD where the page shows fewer than 20 words.
/// `content_type` is the value of the HTTP header.
///
/// Returns the text, which is empty where nothing is kept. Threads may call it at the same time; models are parsed once.
///
/// Raises PageError if the bytes are no page, OptionError for an unknown value, TypeError for a wrong type.
#[pyfunction]
#[pyo3(signature = (html, url=None, *, format="text", favor="balanced", with_metadata=false, links=false, images=false,
    title=true, structured_data=false, content_type=None))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn extract(
    py: Python<'_>,
    html: Body,
    url: Option<String>,
    format: &str,
    favor: &str,
    with_metadata: bool,
    links: bool,
    images: bool,
    title: bool,
    structured_data: bool,
    content_type: Option<String>,
) -> PyResult<String> {
    let formats = [
        ("text", Format::Text),
        ("markdown", Format::Markdown(markdown_options(links, images))),
        ("json", Format::Json),
        ("html", Format::Html),
    ];
    let output = named("format", format, &formats)?.with_metadata(with_metadata);
    let settings = Settings {
        favor: named("favor", favor, FAVORS)?,
        title,
        structured_data,
    };
    let about = About {
        url,
        content_type,
        ..About::default()
    };
    guarded(|| {
        py.detach(|| {
            settings.with(|cleaner| {
                let text = cleaner.extract(html.html(), &about.origin(), output);
                text.map_err(|error| failed(&error, None))
            })
        })
    })
}

/// The settings of `extract` that a cleaner is made with.
#[derive(Clone, Copy, PartialEq)]
struct Settings {
    favor: Favor,
    title: bool,
    structured_data: bool,
}

impl Settings {
    /// Works with the cleaner of these settings that this thread has. One that a page panics in is not used again.
    fn with<T>(self, work: impl FnOnce(&mut gleaner::Cleaner) -> PyResult<T>) -> PyResult<T> {
        thread_local! {
            static CLEANERS: RefCell<Vec<(Settings, Box<gleaner::Cleaner>)>> = const { RefCell::new(Vec::new()) };
        }
        let known = CLEANERS.with_borrow_mut(|all| {
            let at = all.iter().position(|(settings, _)| *settings == self)?;
            Some(all.swap_remove(at).1)
        });
        let mut cleaner = match known {
            Some(cleaner) => cleaner,
            None => Box::new(self.cleaner()?),
        };
        let done = work(&mut cleaner);
        CLEANERS.with_borrow_mut(|all| all.push((self, cleaner)));
        done
    }

    fn cleaner(self) -> PyResult<gleaner::Cleaner> {
        let builder = gleaner::Cleaner::builder()
            .favor(self.favor)
            .title(self.title)
            .structured_data(self.structured_data);
        builder.build().map_err(|error| failed(&error, None))
    }
}

pub(crate) fn markdown_options(links: bool, images: bool) -> MarkdownOptions {
    let links = if links { Links::Inline } else { Links::None };
    let images = if images { Images::Inline } else { Images::None };
    MarkdownOptions::default().links(links).images(images)
}

const FAVORS: &[(&str, Favor)] = &[
    ("precision", Favor::Precision),
    ("balanced", Favor::Balanced),
    ("recall", Favor::Recall),
];

/// The parsers, and whether each is html5ever.
const PARSERS: &[(&str, bool)] = &[("gleaner", false), ("html5ever", true)];

const ON_ERROR: &[(&str, OnError)] = &[("raise", OnError::Raise), ("return", OnError::Return)];

/// Maximum worker threads, as for builds.
const MOST_WORKERS: i64 = 512;

/// Maximum bytes of a page, as for builds: 1 GiB.
const MOST_BYTES: i64 = 1 << 30;

/// A number from 1 on.
fn number(option: &str, number: i64, most: i64) -> PyResult<u64> {
    match number {
        1.. if number <= most => Ok(number.unsigned_abs()),
        _ => Err(Failure::Option.says(format!(
            "{option}={number} is out of range: give a number from 1 to {most}, or None"
        ))),
    }
}

/// The value of this name.
fn named<T: Copy>(option: &str, name: &str, values: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
        return Ok(*value);
    }
    let known: Vec<String> = values.iter().map(|(known, _)| format!("'{known}'")).collect();
    let known = known.join(", ");
    Err(Failure::Option.says(format!("{option}={name:?} is not known: give one of {known}")))
}

fn read_model(file: &Path) -> PyResult<Model> {
    Model::from_path(file).map_err(|error| failed(&error, Some(file)))
}

/// The exception for an error, whose model is from this file.
pub(crate) fn failed(error: &gleaner::Error, file: Option<&Path>) -> PyErr {
    let failure = match error.kind() {
        ErrorKind::Page => Failure::Page,
        _ => Failure::Model {
            file: file.map(|file| file.display().to_string()),
        },
    };
    failure.says(error.to_string())
}
