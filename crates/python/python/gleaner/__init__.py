"""gleaner turns web crawls into clean text corpora."""

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
from ._gleaner import __version__

__all__ = [
    "BuildError",
    "GleanerError",
    "IncompleteError",
    "InputError",
    "InternalError",
    "ModelError",
    "OptionError",
    "PageError",
    "__version__",
]
