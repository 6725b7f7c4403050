"""The pages of an iterable, cleaned on all cores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, overload

from ._gleaner import CleanedPages, Cleaner, Document

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._errors import GleanerError
    from ._types import CleanerOptions, Page


@overload
def clean_many(
    pages: Iterable[Page],
    *,
    workers: int | None = None,
    errors: Literal["raise"] = "raise",
    **options: Unpack[CleanerOptions],
) -> CleanedPages[Document]: ...
@overload
def clean_many(
    pages: Iterable[Page],
    *,
    workers: int | None = None,
    errors: Literal["return"],
    **options: Unpack[CleanerOptions],
) -> CleanedPages[Document | GleanerError]: ...
def clean_many(
    pages: Iterable[Page],
    *,
    workers: int | None = None,
    errors: Literal["raise", "return"] = "raise",
    **options: Unpack[CleanerOptions],
) -> CleanedPages[Document] | CleanedPages[Document | GleanerError]:
    """Clean the pages of an iterable on several cores, without the interpreter lock.

    A page is ``bytes`` or ``str``, a pair ``(html, url)``, or a ``Capture`` of ``read_warc``.
    ``workers`` is the number of threads (default: all cores). ``options`` are those of ``Cleaner``.

    Returns an iterator of ``Document`` in the order of the pages, which are taken from the iterable
    as documents are asked for: at most eight a worker ahead. With ``errors="return"`` a page that
    cannot be cleaned gives its exception in place of a document.

    Raises what ``Cleaner`` and ``Cleaner.clean`` raise; after an exception of one page, ``next``
    continues with the page behind it.
    """
    return Cleaner(**options).clean_many(pages, workers=workers, errors=errors)
