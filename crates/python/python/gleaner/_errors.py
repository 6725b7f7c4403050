"""The exceptions of gleaner. ``gleaner.GleanerError`` is the base of all."""

from __future__ import annotations

from collections.abc import Sequence

from ._types import Missing, Summary

__all__ = [
    "BuildError",
    "GleanerError",
    "IncompleteError",
    "InputError",
    "InternalError",
    "ModelError",
    "OptionError",
    "PageError",
]


class GleanerError(Exception):
    """The base of all exceptions of gleaner."""


class PageError(GleanerError, ValueError):
    """The bytes are no page: an image, a PDF file, nothing at all."""


class ModelError(GleanerError, ValueError):
    """A model cannot be used. ``file`` is the path of its file, None for a model that is built in."""

    file: str | None

    def __init__(self, message: str, file: str | None = None) -> None:
        super().__init__(message)
        self.file = file


class OptionError(GleanerError, ValueError):
    """An option is not known, or cannot have this value. For options of a build
    the message has the nearest one."""


class InputError(GleanerError, OSError):
    """An input cannot be read. ``file`` is its path or URL, ``offset`` the byte in it; None where it has none."""

    file: str | None
    offset: int | None

    def __init__(self, message: str, file: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.file = file
        self.offset = offset


class BuildError(GleanerError):
    """A corpus could not be built, or is not as it should be.

    ``summary`` is what the build has done; None where it did not come so far.
    """

    summary: Summary | None = None


class IncompleteError(BuildError):
    """Inputs could not be read: they are in ``missing``, each with its cause. The same call reads them."""

    missing: list[Missing]

    def __init__(self, message: str, missing: Sequence[Missing] = ()) -> None:
        super().__init__(message)
        self.missing = list(missing)


class InternalError(GleanerError, RuntimeError):
    """gleaner has a fault. Please report it with the message and the input."""


for _name in __all__:
    # Users import them from the package.
    globals()[_name].__module__ = "gleaner"
