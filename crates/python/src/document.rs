//! `gleaner.Document` and what it has.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch, StringArray, UInt32Array};
use arrow_schema::ArrowError;
use gleaner::{Day, Format};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDate, PyList, PyTuple};

use crate::arrow::{ArrowTable, broken};
use crate::cleaner::markdown_options;
use crate::errors::guarded;

/// A cleaned page. It owns all that it has; formats, blocks and posts are made when they are called for.
#[pyclass(frozen, module = "gleaner")]
pub(crate) struct Document {
    inner: gleaner::Document,
    blocks: PyOnceLock<Py<PyTuple>>,
    posts: PyOnceLock<Py<PyTuple>>,
}

/// A text block of a page.
#[pyclass(frozen, get_all, module = "gleaner")]
pub(crate) struct Block {
    block: usize,
    label: &'static str,
    confidence: f32,
    path: String,
    text: String,
    is_content: bool,
}

/// A post of a blog page.
#[pyclass(frozen, get_all, module = "gleaner")]
pub(crate) struct Post {
    title: Option<String>,
    published: Option<Py<PyDate>>,
    published_text: Option<String>,
    author: Option<String>,
    link: Option<String>,
    text: String,
    comments: Py<PyList>,
}

/// A comment on a post.
#[pyclass(frozen, get_all, module = "gleaner")]
pub(crate) struct Comment {
    author: Option<String>,
    published: Option<Py<PyDate>>,
    published_text: Option<String>,
    text: String,
}

impl Document {
    pub(crate) fn new(inner: gleaner::Document) -> Document {
        Document {
            inner,
            blocks: PyOnceLock::new(),
            posts: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl Document {
    /// The text: the main heading first, then all blocks but noise, in the order of the page. Empty where nothing is kept.
    #[getter]
    fn text(&self) -> &str {
        self.inner.text()
    }

    /// The address that the page was cleaned with; empty where none was given.
    #[getter]
    fn url(&self) -> &str {
        self.inner.url()
    }

    /// The charset that the bytes were decoded from, by its name in the Encoding Standard.
    #[getter]
    fn charset(&self) -> &'static str {
        self.inner.charset()
    }

    /// The title, without the name of the site; None where the page states none.
    #[getter]
    fn title(&self) -> Option<&str> {
        self.inner.metadata().title
    }

    /// The names of the authors, each once.
    #[getter]
    fn authors(&self) -> Vec<String> {
        self.inner.metadata().authors.to_vec()
    }

    /// The day of first publication, a datetime.date; None where the page states none.
    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDate>>> {
        self.inner
            .metadata()
            .published
            .map(|day| date(py, day))
            .transpose()
    }

    /// The language that the page declares, such as "en"; None where it declares none.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.inner.metadata().language
    }

    /// The most probable kind of the page, such as "article" or "forum"; None for a page without blocks.
    #[getter]
    fn page_kind(&self) -> Option<&'static str> {
        self.inner.kind().map(|kind| kind.name)
    }

    /// The probability of `page_kind`, from 0 to 1.
    #[getter]
    fn page_kind_probability(&self) -> Option<f32> {
        self.inner.kind().map(|kind| kind.probability)
    }

    /// The word F1 that the model expects of the text, from 0 to 1; None where nothing is kept.
    #[getter]
    fn confidence(&self) -> Option<f32> {
        self.inner.confidence()
    }

    /// The limits that the page met ("bytes", "depth", "blocks", "attributes", "steps"): what is beyond is cut off.
    #[getter]
    fn truncated(&self) -> Vec<&'static str> {
        self.inner.truncated().collect()
    }

    /// Where the text is from: "page", or the kind of structured data.
    #[getter]
    fn text_source(&self) -> &'static str {
        self.inner.text_source()
    }

    /// The kind of structured data that holds a text of the page, whether or not it was used; None where there is none.
    #[getter]
    fn structured_data(&self) -> Option<&'static str> {
        self.inner.structured_data()
    }

    /// How many words the text has.
    #[getter]
    fn word_count(&self) -> u32 {
        self.inner.word_count()
    }

    /// All text blocks of the page, kept and dropped, in its order: a list of Block.
    #[getter]
    fn blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let blocks = self.blocks.get_or_try_init(py, || {
            let blocks = guarded(|| Ok(self.inner.blocks()))?;
            let blocks = blocks.enumerate().map(|(number, block)| Block {
                block: number,
                label: block.label.name(),
                confidence: block.confidence,
                path: block.path,
                text: block.text.to_owned(),
                is_content: block.label.is_content(),
            });
            tuple(py, blocks)
        })?;
        Ok(blocks.bind(py).to_list())
    }

    /// The blocks as a table of Arrow: an ArrowTable with the columns `block`, `label`, `confidence`, `path`, `text`
    /// and `is_content`. pyarrow.table, polars.DataFrame and DuckDB read it without a copy.
    fn block_table(&self) -> PyResult<ArrowTable> {
        guarded(|| {
            block_rows(&self.inner)
                .map(ArrowTable::new)
                .map_err(|error| broken(&error))
        })
    }

    /// The posts of the page, as `gleaner posts` finds them: a list of Post. A page that is no blog may count as one post.
    #[getter]
    fn posts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let posts = self.posts.get_or_try_init(py, || {
            let found = guarded(|| Ok(py.detach(|| self.inner.posts())))?;
            let posts: PyResult<Vec<Post>> = found.into_iter().map(|post| Post::new(py, post)).collect();
            tuple(py, posts?)
        })?;
        Ok(posts.bind(py).to_list())
    }

    /// The text as Markdown: CommonMark with the tables of GitHub. `links` and `images` write addresses.
    #[pyo3(signature = (*, links=false, images=false))]
    fn to_markdown(&self, py: Python<'_>, links: bool, images: bool) -> PyResult<String> {
        self.write(py, Format::Markdown(markdown_options(links, images)))
    }

    /// The text as a simple HTML document.
    fn to_html(&self, py: Python<'_>) -> PyResult<String> {
        self.write(py, Format::Html)
    }

    /// Metadata and all blocks as a line of JSON, as `gleaner clean --format json` prints it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        self.write(py, Format::Json)
    }

    /// What `to_json` writes, as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json(py)?,))
    }

    fn __repr__(&self) -> String {
        let title = self.inner.metadata().title.unwrap_or_default();
        let (url, words) = (self.inner.url(), self.inner.word_count());
        format!("<gleaner.Document {title:?} url={url:?} words={words}>")
    }
}

impl Document {
    fn write(&self, py: Python<'_>, format: Format) -> PyResult<String> {
        guarded(|| Ok(py.detach(|| self.inner.write(format))))
    }
}

fn block_rows(document: &gleaner::Document) -> Result<RecordBatch, ArrowError> {
    let blocks: Vec<gleaner::Block<'_>> = document.blocks().collect();
    let numbers = UInt32Array::from_iter_values(0..blocks.len() as u32);
    let labels = StringArray::from_iter_values(blocks.iter().map(|block| block.label.name()));
    let confidences = Float32Array::from_iter_values(blocks.iter().map(|block| block.confidence));
    let paths = StringArray::from_iter_values(blocks.iter().map(|block| &block.path));
    let texts = StringArray::from_iter_values(blocks.iter().map(|block| block.text));
    let content: Vec<bool> = blocks.iter().map(|block| block.label.is_content()).collect();
    let columns: [(&str, ArrayRef); 6] = [
        ("block", Arc::new(numbers)),
        ("label", Arc::new(labels)),
        ("confidence", Arc::new(confidences)),
        ("path", Arc::new(paths)),
        ("text", Arc::new(texts)),
        ("is_content", Arc::new(BooleanArray::from(content))),
    ];
    RecordBatch::try_from_iter(columns)
}

#[pymethods]
impl Block {
    fn __repr__(&self) -> String {
        format!(
            "<gleaner.Block {} {} {:.2} {:?}>",
            self.block, self.label, self.confidence, self.text
        )
    }
}

impl Post {
    fn new(py: Python<'_>, post: gleaner::Post) -> PyResult<Post> {
        let comments: PyResult<Vec<Comment>> = post
            .comments
            .into_iter()
            .map(|comment| Comment::new(py, comment))
            .collect();
        let (published, published_text) = dated(py, post.published)?;
        Ok(Post {
            title: post.title,
            published,
            published_text,
            author: post.author,
            link: post.link,
            text: post.text,
            comments: tuple(py, comments?)?.bind(py).to_list().unbind(),
        })
    }
}

impl Comment {
    fn new(py: Python<'_>, comment: gleaner::Comment) -> PyResult<Comment> {
        let (published, published_text) = dated(py, comment.published)?;
        Ok(Comment {
            author: comment.author,
            published,
            published_text,
            text: comment.text,
        })
    }
}

type Dated = (Option<Py<PyDate>>, Option<String>);

/// The day of a date, and how the page prints it.
fn dated(py: Python<'_>, found: Option<gleaner::Dated>) -> PyResult<Dated> {
    let Some(found) = found else {
        return Ok((None, None));
    };
    let day = found.day.map(|day| date(py, day)).transpose()?;
    let text = Some(found.text).filter(|text| !text.is_empty());
    Ok((day.map(Bound::unbind), text))
}

fn date(py: Python<'_>, day: Day) -> PyResult<Bound<'_, PyDate>> {
    let (year, month, day) = day.parts();
    PyDate::new(py, i32::from(year), month, day)
}

fn tuple<T>(py: Python<'_>, items: impl IntoIterator<Item = T>) -> PyResult<Py<PyTuple>>
where
    T: pyo3::PyClass + Into<PyClassInitializer<T>>,
{
    let items: PyResult<Vec<Bound<'_, T>>> = items.into_iter().map(|item| Bound::new(py, item)).collect();
    Ok(PyTuple::new(py, items?)?.unbind())
}
