"""Steps for pipelines of DataTrove: ``pip install 'gleaner[datatrove]'``.

``WarcReader`` reads archives and gives the text of their pages::

    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter
    from gleaner.datatrove import WarcReader

    LocalPipelineExecutor(
        pipeline=[WarcReader("crawl/", glob_pattern="*.warc.gz"), JsonlWriter("texts/")],
        tasks=8,
        workers=4,
    ).run()

``Extractor`` takes the place of ``Trafilatura`` in a pipeline that reads HTML in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from datetime import datetime
from importlib.util import find_spec
from typing import Any, Literal

from . import Capture, Cleaner, Document, PageError, Reject, read_warc
from ._types import Favor, StrPath

if find_spec("datatrove") is None:
    raise ImportError(
        "gleaner.datatrove needs the package datatrove: pip install 'gleaner[datatrove]'"
    )

from datatrove.data import Document as DataTroveDocument
from datatrove.io import DataFileLike, DataFolderLike
from datatrove.pipeline.extractors.base import BaseExtractor
from datatrove.pipeline.readers.base import BaseDiskReader
from datatrove.utils.typeshelper import StatHints

__all__ = ["Extractor", "WarcReader"]

Documents = Generator[DataTroveDocument, None, None]


class _Cleaning:
    """A cleaner that each process makes for itself: a step is sent to other processes without
    it."""

    def __init__(self, format: Literal["text", "markdown"], **options: Any) -> None:
        if format not in ("text", "markdown"):
            raise ValueError(f"format is 'text' or 'markdown', not {format!r}")
        self.format = format
        self.options = options
        # What is wrong with an option is an error here, and not later in each task.
        self.cleaner: Cleaner | None = Cleaner(**options)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "cleaner": None}

    def clean(self, html: str | bytes, url: str | None, **origin: Any) -> Document:
        if self.cleaner is None:
            self.cleaner = Cleaner(**self.options)
        return self.cleaner.clean(html, url, **origin)

    def text(self, document: Document) -> str:
        return document.text if self.format == "text" else document.to_markdown()


def _metadata(document: Document) -> dict[str, Any]:
    """What JSON can hold of a page's metadata."""
    return {
        "title": document.title,
        "authors": document.authors,
        "published": document.published.isoformat() if document.published else None,
        "language": document.language,
        "page_kind": document.page_kind,
        "confidence": document.confidence,
        "truncated": document.truncated,
    }


class Extractor(BaseExtractor):
    """The text of HTML pages, for pipelines whose documents have HTML in ``text``.

    ``text`` becomes the text of the page. The address in ``metadata["url"]`` is used if there is
    one. Documents without text, and those that are no pages, are dropped and counted (``dropped``,
    ``page_error``).

    There is no timeout and no process beside the pipeline: limits on bytes and on steps of work
    bound the time of a page.

    Args:
        favor: ``"precision"`` keeps less, ``"recall"`` keeps more
        format: the text as ``"text"`` or ``"markdown"``
        metadata: add ``title``, ``authors``, ``published``, ``language``, ``page_kind``,
            ``confidence`` and ``truncated`` to ``metadata``, where it has no such key
        title: begin the text with the main heading of the page
        structured_data: use the text of JSON-LD or of a framework's state on pages with little
            visible text
        model: the file of a model for pages, in place of the one that is built in

    Raises:
        OptionError: an option has a value that is not allowed
        ModelError: a model cannot be used
    """

    name = "🌾 gleaner"

    def __init__(
        self,
        favor: Favor = "balanced",
        format: Literal["text", "markdown"] = "text",
        metadata: bool = False,
        *,
        title: bool = True,
        structured_data: bool = False,
        model: StrPath | None = None,
    ) -> None:
        super().__init__()
        self.metadata = metadata
        self._cleaning = _Cleaning(
            format,
            favor=favor,
            title=title,
            structured_data=structured_data,
            model=model,
        )

    def extract(self, text: str) -> str:
        """Return the text of a page.

        Raises:
            PageError: ``text`` is no page
        """
        return self._cleaning.text(self._cleaning.clean(text, None))

    def run(
        self, data: Iterator[DataTroveDocument] | None, rank: int = 0, world_size: int = 1
    ) -> Documents:
        """Replace the HTML of documents by their text."""
        for document in data or ():
            self.stat_update(StatHints.total)
            with self.track_time():
                is_page = self._extract_into(document)
            if is_page and document.text:
                self.stat_update(StatHints.forwarded)
                self.update_doc_stats(document)
                yield document
            else:
                self.stat_update(StatHints.dropped)

    def _extract_into(self, document: DataTroveDocument) -> bool:
        try:
            cleaned = self._cleaning.clean(document.text, document.metadata.get("url"))
        except PageError:
            self.stat_update("page_error")
            return False
        self.stat_update("extracted")
        document.text = self._cleaning.text(cleaned)
        if self.metadata:
            document.metadata = _metadata(cleaned) | document.metadata
        return True


class WarcReader(BaseDiskReader):
    """Reads WARC, ARC and WET archives (gzip, Zstandard, LZ4), and gives the text of their pages.

    The captures are those that ``gleaner build`` would clean. A file belongs to one task, as with
    all readers of DataTrove.

    ``id`` is the ``WARC-Record-ID``. ``metadata`` has ``url``, ``date`` (the time of the capture:
    ISO 8601, UTC), ``title``, ``authors``, ``published``, ``language``, ``page_kind``,
    ``confidence``, ``truncated``, ``warc_file``, ``warc_offset``, ``warc_length`` and
    ``file_path``; what a page does not have is None.

    Statistics: ``captures``; ``rejected``, and ``rejected_REASON`` for each reason of the table
    ``rejects`` (``rejected_page`` for captures that turn out to be no pages); ``empty`` for pages
    without a text, which are left out.

    Args:
        data_folder: where the archives are: a path or URL, or what else DataTrove takes
        paths_file: a file with one path per line, below ``data_folder``
        limit: maximum number of documents per task
        skip: number of documents per task that are left out at the beginning
        file_progress: show a progress bar of files
        doc_progress: show a progress bar of documents
        adapter: a function of (reader, data, path, id_in_file) that returns a dictionary with
            ``text``, ``id`` and ``metadata``
        default_metadata: keys that all documents get
        recursive: read subfolders, too
        glob_pattern: read only files that match
        shuffle_files: read the files of a task in random order
        favor, format, title, structured_data, model: as for ``Extractor``
        text_model: the file of a model for plain texts

    Raises:
        OptionError: an option has a value that is not allowed
        ModelError: a model cannot be used
        InputError: a file cannot be read, or is no archive
    """

    name = "🌾 gleaner"

    def __init__(
        self,
        data_folder: DataFolderLike,
        paths_file: DataFileLike | None = None,
        limit: int = -1,
        skip: int = 0,
        file_progress: bool = False,
        doc_progress: bool = False,
        adapter: Callable[..., dict[str, Any]] | None = None,
        default_metadata: dict[str, Any] | None = None,
        recursive: bool = True,
        glob_pattern: str | None = None,
        shuffle_files: bool = False,
        *,
        favor: Favor = "balanced",
        format: Literal["text", "markdown"] = "text",
        title: bool = True,
        structured_data: bool = False,
        model: StrPath | None = None,
        text_model: StrPath | None = None,
    ) -> None:
        super().__init__(
            data_folder,
            paths_file,
            limit=limit,
            skip=skip,
            file_progress=file_progress,
            doc_progress=doc_progress,
            # None is their default, but their types do not say so.
            adapter=adapter,  # pyright: ignore[reportArgumentType]
            default_metadata=default_metadata,  # pyright: ignore[reportArgumentType]
            recursive=recursive,
            glob_pattern=glob_pattern,
            shuffle_files=shuffle_files,
        )
        self._cleaning = _Cleaning(
            format,
            favor=favor,
            title=title,
            structured_data=structured_data,
            model=model,
            text_model=text_model,
        )

    def read_file(self, filepath: str) -> Documents:
        """Read an archive, and yield a document for each page with a text."""
        name = str(self.data_folder.resolve_paths(filepath))
        with ExitStack() as files:
            source: Any = name
            if not self.data_folder.is_local():
                # With the file system and the credentials that DataTrove was given.
                source = files.enter_context(self.data_folder.open(filepath, "rb"))
            captures = files.enter_context(read_warc(source, rejects=True))
            for number, capture in enumerate(captures):
                document: DataTroveDocument | None = None
                with self.track_time():
                    data = self._read(capture, name)
                    if data is not None:
                        document = self.get_document_from_dict(data, filepath, number)
                if document is not None:
                    yield document

    def _read(self, capture: Capture | Reject, name: str) -> dict[str, Any] | None:
        """What is known of a page; None if there is none, or no text."""
        if isinstance(capture, Reject):
            self._reject(capture.reason)
            return None
        self.stat_update("captures")
        try:
            cleaned = self._cleaning.clean(
                capture.body,
                capture.url,
                content_type=capture.content_type,
                captured=capture.captured,
                plain_text=capture.plain_text,
            )
        except PageError:
            self._reject("page")
            return None
        text = self._cleaning.text(cleaned)
        if not text:
            self.stat_update("empty")
            return None
        return {
            "text": text,
            "id": capture.record_id,
            "url": capture.url,
            "date": capture.crawl_date and _iso(capture.crawl_date),
            **_metadata(cleaned),
            "warc_file": name,
            "warc_offset": capture.warc_offset,
            "warc_length": capture.warc_length,
        }

    def _reject(self, reason: str) -> None:
        self.stat_update("rejected", f"rejected_{reason}")


def _iso(time: datetime) -> str:
    """As WARC has it: 2024-05-14T06:30:00Z."""
    return time.isoformat().replace("+00:00", "Z")
