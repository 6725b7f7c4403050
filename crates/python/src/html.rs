//! Pages as Python gives them.

use gleaner::{Day, Html, Origin};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyDate, PyDateAccess, PyString, PyTuple};

/// The body of a page. It can be read without the interpreter, and is not copied where Python cannot change it.
pub(crate) enum Body {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
    /// A text with surrogates that stand alone: Python has such texts, UTF-8 does not.
    Mended(String),
}

impl Body {
    pub(crate) fn html(&self) -> Html<'_> {
        match self {
            Body::Bytes(bytes) => (&**bytes).into(),
            Body::Text(text) => (&**text).into(),
            Body::Mended(text) => text.into(),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Body {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Body> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(match text.extract::<PyBackedStr>() {
                Ok(text) => Body::Text(text),
                Err(_) => Body::Mended(text.to_string_lossy().into_owned()),
            });
        }
        if object.is_instance_of::<PyBytes>() || object.is_instance_of::<PyByteArray>() {
            return Ok(Body::Bytes(object.extract()?));
        }
        let name = object.get_type().fully_qualified_name()?;
        Err(PyTypeError::new_err(format!(
            "a page must be str or bytes, not {name}"
        )))
    }
}

/// A page with what is known of it.
pub(crate) struct Input {
    pub(crate) body: Body,
    pub(crate) about: About,
}

/// What is known of a page beside its body.
#[derive(Default)]
pub(crate) struct About {
    pub(crate) url: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) captured: Option<Day>,
    pub(crate) plain_text: bool,
}

impl About {
    pub(crate) fn origin(&self) -> Origin<'_> {
        let mut origin = Origin::url(self.url.as_deref().unwrap_or_default()).plain_text(self.plain_text);
        if let Some(content_type) = &self.content_type {
            origin = origin.content_type(content_type);
        }
        match self.captured {
            Some(day) => origin.captured(day),
            None => origin,
        }
    }
}

/// A page of an iterable: its body, a pair of body and address, or a capture of [`read_warc`](crate::warc).
impl<'py> FromPyObject<'_, 'py> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Input> {
        if let Ok(pair) = object.cast::<PyTuple>() {
            let (body, url): (Body, Option<String>) = pair.extract().map_err(|error: PyErr| {
                PyTypeError::new_err(format!("a pair must be (html, url): {}", error.value(pair.py())))
            })?;
            let about = About {
                url,
                ..About::default()
            };
            return Ok(Input { body, about });
        }
        if object.hasattr("warc_offset")? {
            return capture(&object);
        }
        let body = object.extract()?;
        Ok(Input {
            body,
            about: About::default(),
        })
    }
}

fn capture(object: &Bound<'_, PyAny>) -> PyResult<Input> {
    let about = About {
        url: object.getattr("url")?.extract()?,
        content_type: object.getattr("content_type")?.extract()?,
        captured: day(object.getattr("captured")?)?,
        plain_text: object.getattr("plain_text")?.extract()?,
    };
    Ok(Input {
        body: object.getattr("body")?.extract()?,
        about,
    })
}

/// The day of a `datetime.date` or `datetime.datetime`; none where it is `None`, or out of the years that pages are of (1980 to 2099).
pub(crate) fn day(object: Bound<'_, PyAny>) -> PyResult<Option<Day>> {
    if object.is_none() {
        return Ok(None);
    }
    let date = object
        .cast_into::<PyDate>()
        .map_err(|error| PyTypeError::new_err(format!("captured must be datetime.date or None: {error}")))?;
    let year = u16::try_from(date.get_year()).unwrap_or_default();
    Ok(Day::new(year, date.get_month(), date.get_day()))
}
