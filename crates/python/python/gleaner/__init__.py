"""gleaner turns web crawls into clean text corpora."""

from ._command import main
from ._errors import (
    BuildError,
    GleanerError,
    IncompleteError,
    InputError,
    InternalError,
    ModelError,
    OptionError,
    PageError,
)
from ._gleaner import Block, Cleaner, Comment, Document, Post, __version__, extract

__all__ = [
    "Block",
    "Cleaner",
    "Comment",
    "Document",
    "Post",
    "extract",
    "BuildError",
    "GleanerError",
    "IncompleteError",
    "InputError",
    "InternalError",
    "ModelError",
    "OptionError",
    "PageError",
    "__version__",
    "main",
]
