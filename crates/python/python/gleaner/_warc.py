"""``gleaner.read_warc``: the captures and rejects of archives, one after the other."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from types import TracebackType
from typing import Literal, Protocol, TypeVar, cast, overload

from . import _gleaner
from ._errors import InputError
from ._types import StrPath

__all__ = ["Capture", "Reject", "WarcReader", "read_warc"]


class BinaryFile(Protocol):
    """A file that is open for reading bytes."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Capture:
    """A page or a plain text in an archive, as ``gleaner build`` would clean it.

    ``url``, ``surt``, ``host``, ``row_id``, ``record_id``, ``warc_file``, ``warc_offset``,
    ``warc_length``, ``crawl_date`` and ``http_status`` are the columns of the same name in the
    table ``documents``. ``url`` is empty if the page is a file without an address.

    To clean a capture as a build does, give it to ``gleaner.clean_many``, or its fields to
    ``Cleaner.clean``::

        cleaner.clean(
            capture.body,
            capture.url,
            content_type=capture.content_type,
            captured=capture.captured,
            plain_text=capture.plain_text,
        )
    """

    url: str
    """The URL of the page, as the archive has it."""
    surt: str
    """The URL as a SURT: captures with the same value are captures of one page."""
    host: str
    """The host of the URL; empty if it has none."""
    row_id: str
    """The name of the capture: 32 hexadecimal digits. No other capture has it."""
    record_id: str
    """``WARC-Record-ID`` with its brackets, or ``warc_file#warc_offset``."""
    warc_file: str
    """The name of the archive in the tables: its path below the input."""
    warc_offset: int
    """Where the record begins in the archive: bytes as stored (compressed)."""
    warc_length: int
    """Bytes of the record as stored; 0 where several records share one compressed member."""
    crawl_date: datetime | None
    """The time of the capture, in UTC; None if the record has no valid date."""
    captured: date | None
    """The day of the capture, for ``Cleaner.clean``; None if it is not known."""
    http_status: int | None
    """The status of the HTTP response; None if the record has no HTTP header."""
    media_type: str | None
    """The column ``content_type`` of ``documents``: the media type without parameters."""
    content_type: str | None
    """The header ``Content-Type`` with its parameters (``text/html; charset=utf-8``)."""
    plain_text: bool
    """Whether the capture is a plain text (as in WET files), and no HTML."""
    truncated: str | None
    """``"capture"`` if the crawler cut the page or the record is damaged."""
    body: bytes = field(repr=False)
    """The bytes of the page, with all codings of HTTP undone."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A record without a page, or a damaged place: a row of the table ``rejects``."""

    row_id: str | None
    """The name of the capture; None for a damaged place or a whole file."""
    url: str | None
    """The URL of the capture; None if it could not be read."""
    surt: str | None
    """The URL as a SURT."""
    warc_file: str
    """The name of the archive in the tables: its path below the input."""
    warc_offset: int
    """Where the record or the damage begins in the archive: bytes as stored (compressed)."""
    record_id: str | None
    """The identifier of the record; None if it could not be read."""
    stage: str
    """``"warc"``: a part of the file gave no record. ``"read"``: the record holds no page."""
    reason: str
    """The reason, a fixed name to count by, such as ``http-status``."""
    detail: str
    """The reason in this case, a sentence to read."""


Found = TypeVar("Found", bound=Capture | Reject, covariant=True)


class WarcReader(Iterator[Found]):
    """An iterator of captures: what ``read_warc`` returns. A context manager, which closes files.

    It reads as you pull: one record is in memory. Other threads of Python run while it reads, and
    may pull, too. After an InputError, ``next`` continues with the next file. The ``read`` of an
    open file can close its reader; to call ``next`` there raises RuntimeError.
    """

    __slots__ = ("_reader",)

    def __init__(self, reader: _gleaner._WarcReader) -> None:
        self._reader = reader

    def __iter__(self) -> WarcReader[Found]:
        return self

    def __next__(self) -> Found:
        return cast(Found, next(self._reader))

    @property
    def counts(self) -> dict[str, int]:
        """What was read so far: ``captures``, and rejects by reason, also if they are not given."""
        return self._reader.counts()

    def close(self) -> None:
        """Close the files, during a read as soon as it ends. The reader then ends."""
        self._reader.close()

    def __enter__(self) -> WarcReader[Found]:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Pipe:
    """A named pipe: Ctrl-C ends a wait of Python for the writer, but not one of the extension."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._file: io.FileIO | None = None

    def read(self, size: int, /) -> bytes:
        try:
            if self._file is None:
                self._file = io.FileIO(self.name)
            return self._file.read(size)
        except OSError as error:
            raise InputError(
                f"could not read '{self.name}': {error.strerror}", self.name
            ) from error

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()


def _opened(source: StrPath | BinaryFile) -> StrPath | BinaryFile:
    """``source``, a named pipe as a file."""
    if isinstance(source, (str, os.PathLike)):
        try:
            if stat.S_ISFIFO(os.stat(source).st_mode):
                return _Pipe(os.fspath(source))
        except (OSError, ValueError):
            # The extension says what is wrong, if anything is.
            pass
    return source


@overload
def read_warc(
    source: StrPath | BinaryFile, *, rejects: Literal[False] = False
) -> WarcReader[Capture]: ...
@overload
def read_warc(source: StrPath | BinaryFile, *, rejects: bool) -> WarcReader[Capture | Reject]: ...
def read_warc(
    source: StrPath | BinaryFile, *, rejects: bool = False
) -> WarcReader[Capture | Reject]:
    """Read the captures of archives, one after the other, in the order of the archive.

    ``source`` is an input of ``gleaner build``: the path of a WARC, ARC, WET, WACZ or HTML file
    (plain, gzip, Zstandard, LZ4), a folder, a pattern, a URL (file, s3, gs, az, https), an @LIST
    file. It can also be a file that is open for reading bytes, such as ``io.BytesIO(data)`` or a
    file of fsspec; a WACZ cannot.

    Yields a ``Capture`` for each page and plain text that a build would clean. Some of these are no
    pages, which ``Cleaner.clean`` finds out: it raises PageError. With ``rejects=True`` also a
    ``Reject`` for each record and each damaged place that a build would reject; ``counts`` counts
    them in any case.

    Raises InputError (an OSError, with ``file`` and ``offset``): ``source`` does not exist, cannot
    be read, or is no archive and no page. A file of a folder, a pattern or a list that is no
    archive is a ``Reject``. TypeError: ``source`` is neither a path nor an open file.
    UnicodeEncodeError: no file can have the path. An exception of an open file comes as it is.

    >>> with gleaner.read_warc("crawl/a.warc.gz") as captures:
    ...     for capture in captures:
    ...         print(capture.url, len(capture.body))
    """
    return WarcReader(_gleaner._read_warc(_opened(source), rejects))


for _class in (Capture, Reject, WarcReader, read_warc):
    # Users import them from the package.
    _class.__module__ = "gleaner"
