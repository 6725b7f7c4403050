from collections.abc import Callable, Iterable
from typing import Literal, overload

from typing_extensions import Unpack

from ._command import main as main
from ._errors import BuildError as BuildError
from ._errors import GleanerError as GleanerError
from ._errors import IncompleteError as IncompleteError
from ._errors import InputError as InputError
from ._errors import InternalError as InternalError
from ._errors import ModelError as ModelError
from ._errors import OptionError as OptionError
from ._errors import PageError as PageError
from ._gleaner import ArrowStream as ArrowStream
from ._gleaner import ArrowTable as ArrowTable
from ._gleaner import Block as Block
from ._gleaner import CleanedPages as CleanedPages
from ._gleaner import Cleaner as Cleaner
from ._gleaner import Comment as Comment
from ._gleaner import Document as Document
from ._gleaner import Post as Post
from ._gleaner import __version__ as __version__
from ._gleaner import extract as extract
from ._gleaner import to_arrow as to_arrow
from ._many import clean_many as clean_many
from ._types import BuildOptions as BuildOptions
from ._types import Count as Count
from ._types import EmptyArchives as EmptyArchives
from ._types import Exported as Exported
from ._types import ExportFormat
from ._types import Fault as Fault
from ._types import Funnel as Funnel
from ._types import FunnelStep as FunnelStep
from ._types import Missing as Missing
from ._types import Plan as Plan
from ._types import Progress as Progress
from ._types import RejectExample as RejectExample
from ._types import Sent as Sent
from ._types import ShardFile as ShardFile
from ._types import Step as Step
from ._types import StrPath
from ._types import Summary as Summary
from ._types import Verified as Verified
from ._warc import Capture as Capture
from ._warc import Reject as Reject
from ._warc import WarcReader as WarcReader
from ._warc import read_warc as read_warc

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
    "Count",
    "Document",
    "EmptyArchives",
    "Exported",
    "Fault",
    "Funnel",
    "FunnelStep",
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
    "ShardFile",
    "Step",
    "Summary",
    "Verified",
    "WarcReader",
    "__version__",
    "build",
    "clean_many",
    "export",
    "extract",
    "files",
    "main",
    "read_warc",
    "to_arrow",
    "verify",
]

@overload
def build(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    dry_run: Literal[True],
    progress: Callable[[Progress], object] | None = None,
    **options: Unpack[BuildOptions],
) -> Plan: ...
@overload
def build(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    dry_run: Literal[False] | None = None,
    progress: Callable[[Progress], object] | None = None,
    **options: Unpack[BuildOptions],
) -> Summary:
    """Build a corpus: web archives in, Parquet tables out.

    ``inputs`` is one input or several: WARC, ARC, WET, WACZ or HTML files, folders, patterns, URLs
    (file, s3, gs, az, https), @LIST files. ``out`` is the folder or URL that receives the tables.
    The other options are those of ``gleaner build``, with _ for -: True for a flag, else a number,
    a string or a path. None is the default. ``BuildOptions`` lists them.

    The build runs on all cores, without the lock of the interpreter. ``progress`` is called in this
    thread about ten times a second with a ``Progress``; an exception that it raises stops the build,
    and is raised here. Ctrl-C stops the build and raises KeyboardInterrupt. The same call continues a
    build that was stopped. Nothing is printed: messages go to the logger ``gleaner``, at level INFO.

    Returns the ``Summary``: what ``gleaner build --json`` prints. With ``dry_run=True`` nothing is
    written, and the ``Plan`` is returned.

    Raises OptionError: an option is not known, or cannot have this value. TypeError: a value is of
    another type. InputError: an input does not exist, or is no archive and no page. ModelError: a
    model cannot be used. IncompleteError: inputs could not be read; the same call reads them.
    BuildError: the corpus cannot be written, or ``strict=True`` forbids what was found.
    """

@overload
def build(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    dry_run: bool | None,
    progress: Callable[[Progress], object] | None = None,
    **options: Unpack[BuildOptions],
) -> Summary | Plan: ...
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
) -> Exported:
    """Write the pages of a corpus that a recipe selects: training data.

    ``corpus`` is the folder or URL that was ``out`` of its build. ``recipe`` is a TOML file, or the
    name of a built-in recipe such as "fineweb2". ``out`` is an empty folder, or the URL of one; None
    writes nothing, and counts what each filter leaves out.

    ``format``, ``shard_size``, ``pii``, ``corpus_version`` and ``workers`` are options of ``gleaner
    export``; None is the default. ``progress`` is called in this thread about ten times a second with
    a ``Progress``, whose phase is "export"; an exception that it raises stops the export, and is
    raised here. The same call continues an export that was stopped.

    Returns an ``Exported``: what ``gleaner export --json`` prints.

    Raises OptionError: the recipe cannot be read, or an option cannot have this value. InputError:
    there is no corpus, or it cannot be read. IncompleteError: the corpus is not complete. BuildError:
    the corpus lacks a table, or the files cannot be written.
    """

def files(corpus: StrPath, table: str) -> list[str]:
    """List the files of a table of a corpus: paths or URLs, in the order of the table's log.

    ``corpus`` is the folder or URL that was ``out`` of its build, ``table`` a name such as
    "documents". The files are those of the version that gleaner.json names.

    Raises InputError: there is no corpus, or it cannot be read. IncompleteError: the corpus is not
    complete. OptionError: the corpus has no such table; the message lists its tables.
    """

def verify(corpus: StrPath, *, progress: Callable[[Progress], object] | None = None) -> Verified:
    """Check that the files of a corpus are what was written: read them to the last byte.

    ``progress`` is called in this thread about ten times a second with a ``Progress``, whose phase is
    "verify"; an exception that it raises ends the check, and is raised here.

    Returns a ``Verified``: what ``gleaner verify --json`` prints. ``as_written`` is False and
    ``faults`` names each file where something is wrong; that is no exception.

    Raises InputError: there is no corpus, or it cannot be read. IncompleteError: the corpus is not
    complete. BuildError: gleaner.json is damaged.
    """
