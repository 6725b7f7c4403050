"""gleaner turns web pages and web crawls into clean text corpora."""

import logging

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
from ._gleaner import (
    ArrowStream,
    ArrowTable,
    Block,
    CleanedPages,
    Cleaner,
    Comment,
    Document,
    Post,
    __version__,
    build,
    extract,
    files,
    to_arrow,
    verify,
)
from ._many import clean_many
from ._types import (
    BuildOptions,
    EmptyArchives,
    Fault,
    Missing,
    Plan,
    Progress,
    RejectExample,
    Sent,
    Step,
    Summary,
    Verified,
)
from ._warc import Capture, Reject, WarcReader, read_warc

__all__ = [
    "ArrowStream",
    "ArrowTable",
    "Block",
    "BuildError",
    "BuildOptions",
    "Capture",
    "CleanedPages",
    "Cleaner",
    "Comment",
    "Document",
    "EmptyArchives",
    "Fault",
    "GleanerError",
    "IncompleteError",
    "InputError",
    "InternalError",
    "Missing",
    "ModelError",
    "OptionError",
    "PageError",
    "Plan",
    "Post",
    "Progress",
    "Reject",
    "RejectExample",
    "Sent",
    "Step",
    "Summary",
    "Verified",
    "WarcReader",
    "__version__",
    "build",
    "clean_many",
    "extract",
    "files",
    "main",
    "read_warc",
    "to_arrow",
    "verify",
]

# Messages of builds are printed where a program asks for them, and nowhere else.
logging.getLogger(__name__).addHandler(logging.NullHandler())
