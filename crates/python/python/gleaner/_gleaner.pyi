# What the extension has. What users import from the package has its types there.

import datetime
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, Literal, TypeVar, final, overload

from ._errors import GleanerError
from ._types import Exported, ExportFormat, Favor, Format, Html, Page, Progress, StrPath, Verified
from ._warc import BinaryFile, Capture, Reject

__version__: str

_Result = TypeVar("_Result", covariant=True)

def extract(
    html: Html,
    url: str | None = None,
    *,
    format: Format = "text",
    favor: Favor = "balanced",
    with_metadata: bool = False,
    links: bool = False,
    images: bool = False,
    title: bool = True,
    structured_data: bool = False,
    content_type: str | None = None,
) -> str:
    """Extract the text of a page, without menus, notices and lists of links.

    ``html`` is bytes, whose charset is found as browsers find it, or str. ``url`` is the address of
    the page: features use it, and links are resolved with it. ``format`` is "text", "markdown"
    (CommonMark with tables), "json" (metadata and all blocks, in one line) or "html" (a simple
    document). ``favor`` is "precision" (keep less noise), "recall" (lose less content) or
    "balanced". ``with_metadata`` writes title, authors, date, language and URL before text and
    Markdown as front matter of YAML, and in HTML authors and date as <meta>; JSON always has them.
    ``links`` and ``images`` write addresses in Markdown. ``title=False`` leaves the main heading
    out. ``structured_data`` takes the text of JSON-LD where the page shows fewer than 20 words.
    ``content_type`` is the value of the HTTP header.

    Returns the text, which is empty where nothing is kept. Threads may call it at the same time.

    Raises PageError if the bytes are no page, OptionError for an unknown value, TypeError for a
    wrong type.
    """

@final
class Cleaner:
    """Clean pages with a model and settings of one's own. Threads may share one.

    ``model`` and ``text_model`` are paths of model files, for pages and for plain texts (default:
    the models that are built in). ``favor`` is "precision", "recall" or "balanced". ``title=False``
    leaves the main heading out of the text. ``structured_data`` takes the text of JSON-LD where the
    page shows fewer than 20 words. ``parser`` is "gleaner" or "html5ever". ``byte_limit`` and
    ``step_limit`` are the most bytes and steps of work for a page (default: 16 MiB and 500
    million); what is beyond is cut off.

    Raises ModelError for a model that cannot be used, OptionError for an unknown value.
    """

    def __new__(
        cls,
        *,
        model: StrPath | None = None,
        text_model: StrPath | None = None,
        favor: Favor = "balanced",
        title: bool = True,
        structured_data: bool = False,
        parser: Literal["gleaner", "html5ever"] = "gleaner",
        byte_limit: int | None = None,
        step_limit: int | None = None,
    ) -> Cleaner: ...
    def clean(
        self,
        html: Html,
        url: str | None = None,
        *,
        content_type: str | None = None,
        captured: datetime.date | None = None,
        plain_text: bool = False,
    ) -> Document:
        """Clean a page.

        ``html`` is bytes or str, ``url`` its address, ``content_type`` the value of the HTTP
        header, ``captured`` the day of the capture: no page is published later than a day after it.
        With ``plain_text`` each line is a block.

        Returns a Document. Raises PageError if the bytes are no page.
        """
    @overload
    def clean_many(
        self,
        pages: Iterable[Page],
        *,
        workers: int | None = None,
        errors: Literal["raise"] = "raise",
    ) -> CleanedPages[Document]:
        """Clean the pages of an iterable on several cores, without the interpreter lock.

        A page is bytes or str, a pair ``(html, url)``, or a Capture of ``read_warc``. ``workers``
        is the number of threads (default: all cores). Returns an iterator of Documents in the order
        of the pages; at most eight pages a worker are taken from the iterable ahead of it. With
        ``errors="return"`` a page that cannot be cleaned gives its exception in place of a
        Document; with "raise" it is raised, and ``next`` continues with the page behind it.
        """
    @overload
    def clean_many(
        self,
        pages: Iterable[Page],
        *,
        workers: int | None = None,
        errors: Literal["return"],
    ) -> CleanedPages[Document | GleanerError]: ...

@final
class CleanedPages(Iterator[_Result], Generic[_Result]):
    """Documents in the order of their pages, which are taken from the iterable step by step.

    An iterator is for one thread: a second thread that uses it at the same time gets an exception.
    """

    def __iter__(self) -> CleanedPages[_Result]: ...
    def __next__(self) -> _Result: ...

@final
class Document:
    """A cleaned page. It owns all that it has; formats, blocks and posts are made when they are
    called for.
    """

    @property
    def text(self) -> str:
        """The text: the main heading first, then all blocks but noise, in the order of the page.
        Empty where nothing is kept.
        """
    @property
    def url(self) -> str:
        """The address that the page was cleaned with; empty where none was given."""
    @property
    def charset(self) -> str:
        """The charset that the bytes were decoded from, by its name in the Encoding Standard."""
    @property
    def title(self) -> str | None:
        """The title, without the name of the site; None where the page states none."""
    @property
    def authors(self) -> list[str]:
        """The names of the authors, each once."""
    @property
    def published(self) -> datetime.date | None:
        """The day of first publication; None where the page states none."""
    @property
    def language(self) -> str | None:
        """The language that the page declares, such as "en"; None where it declares none."""
    @property
    def page_kind(self) -> str | None:
        """The most probable kind of the page, such as "article" or "forum"; None for a page without
        blocks.
        """
    @property
    def page_kind_probability(self) -> float | None:
        """The probability of ``page_kind``, from 0 to 1."""
    @property
    def confidence(self) -> float | None:
        """The word F1 that the model expects of the text, from 0 to 1; None if nothing is kept."""
    @property
    def truncated(self) -> list[str]:
        """The limits that the page met ("bytes", "depth", "blocks", "attributes", "steps"): what is
        beyond is cut off.
        """
    @property
    def text_source(self) -> str:
        """Where the text is from: "page", or the kind of structured data."""
    @property
    def structured_data(self) -> str | None:
        """The kind of structured data that holds a text of the page, whether or not it was used;
        None where there is none.
        """
    @property
    def word_count(self) -> int:
        """How many words the text has."""
    @property
    def blocks(self) -> list[Block]:
        """All text blocks of the page, kept and dropped, in its order."""
    def block_table(self) -> ArrowTable:
        """The blocks as a table of Arrow, with the columns ``block``, ``label``, ``confidence``,
        ``path``, ``text`` and ``is_content``. pyarrow.table, polars.DataFrame and DuckDB read it
        without a copy.
        """
    @property
    def posts(self) -> list[Post]:
        """The posts of the page, as ``gleaner posts`` finds them. A page that is no blog may count
        as one post.
        """
    def to_markdown(self, *, links: bool = False, images: bool = False) -> str:
        """The text as Markdown: CommonMark with the tables of GitHub. ``links`` and ``images``
        write addresses.
        """
    def to_html(self) -> str:
        """The text as a simple HTML document."""
    def to_json(self) -> str:
        """Metadata, text and all blocks as a line of JSON, as ``gleaner clean --format json``
        prints it, without ``file``.
        """
    def to_dict(self) -> dict[str, Any]:
        """What ``to_json`` writes, as a dict."""

@final
class Block:
    """A text block of a page."""

    @property
    def block(self) -> int:
        """The number of the block on the page, from 0."""
    @property
    def label(self) -> Literal["header", "paragraph", "list", "continuation", "other"]:
        """The kind of the block; "other" is noise."""
    @property
    def confidence(self) -> float:
        """The probability of ``label``, from 0 to 1."""
    @property
    def path(self) -> str:
        """The elements that the block is in, such as "html/body/p"."""
    @property
    def text(self) -> str:
        """The text of the block."""
    @property
    def is_content(self) -> bool:
        """Whether the block is kept in the text of the document."""

@final
class Post:
    """A post of a blog page."""

    @property
    def title(self) -> str | None:
        """The title of the post; None where it has none."""
    @property
    def published(self) -> datetime.date | None:
        """The day of publication; None where it is not known."""
    @property
    def published_text(self) -> str | None:
        """The date as the page prints it; None where it prints none."""
    @property
    def author(self) -> str | None:
        """The name of the author; None where it is not known."""
    @property
    def link(self) -> str | None:
        """The address of the page of the post; None where it is not known."""
    @property
    def text(self) -> str:
        """The text of the post: a line for each paragraph and table row."""
    @property
    def comments(self) -> list[Comment]:
        """The comments on the post, where the page is the page of the post."""

@final
class Comment:
    """A comment on a post."""

    @property
    def author(self) -> str | None:
        """The name of the author; None where it is not known."""
    @property
    def published(self) -> datetime.date | None:
        """The day of the comment; None where it is not known."""
    @property
    def published_text(self) -> str | None:
        """The date as the page prints it; None where it prints none."""
    @property
    def text(self) -> str:
        """The text of the comment: a line for each paragraph and table row."""

def _build_options() -> list[tuple[str, str]]: ...
def _main(arguments: list[str]) -> int: ...
def _panic(message: str) -> None: ...
def _panic_in_thread(message: str, is_silent: bool) -> str | None: ...
def _read_warc(source: StrPath | BinaryFile, rejects: bool) -> _WarcReader: ...
def build(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: object,
) -> object: ...
def export(
    corpus: StrPath,
    recipe: StrPath,
    out: StrPath | None = None,
    *,
    format: ExportFormat | None = None,
    shard_size: int | str | None = None,
    pii: Literal["mask", "drop", "keep"] | None = None,
    corpus_version: int | None = None,
    workers: int | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Exported: ...
def files(corpus: StrPath, table: str) -> list[str]: ...
def verify(
    corpus: StrPath, *, progress: Callable[[Progress], object] | None = None
) -> Verified: ...

@final
class _WarcReader:
    def __iter__(self) -> _WarcReader: ...
    def __next__(self) -> Capture | Reject: ...
    def close(self) -> None: ...
    def counts(self) -> dict[str, int]: ...

@final
class ArrowTable:
    """A table in memory. All libraries that know Arrow's PyCapsules read it, without a copy and as
    often as you like: pyarrow.table(blocks), polars.DataFrame(blocks), duckdb.sql("select * from
    blocks").
    """

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in their order."""
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class ArrowStream:
    """Batches of rows that are made as they are read: once, by
    pyarrow.RecordBatchReader.from_stream(stream), polars.DataFrame(stream) or DuckDB. To read it
    a second time raises ValueError.
    """

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in their order."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def to_arrow(
    documents: Iterable[Document | GleanerError], *, batch_size: int = 1024
) -> ArrowStream:
    """Documents as rows of Arrow, an ArrowStream: for Parquet files, DuckDB, Polars or pandas.

    The columns are those of the table ``documents`` that a Document has: url, charset, language,
    title, authors (a list of strings), published (date32), text, text_source, structured_data,
    word_count (uint32), confidence (float32), page_kind, page_kind_probability (float32), truncated
    (names joined by commas). Documents are taken from the iterable as batches are read. A batch has
    ``batch_size`` rows, or fewer where their strings exceed 64 MiB.

    Exceptions that ``clean_many(errors="return")`` gives are left out. An exception of the iterable
    ends the stream: the reader raises an error of its own with the text of it. Raises ValueError for a ``batch_size`` of 0, TypeError for what is not iterable.
    """
