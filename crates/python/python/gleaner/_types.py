"""The types of results and options. Users import them from the package."""

from __future__ import annotations

import datetime
import os
from typing import Literal, NamedTuple, Protocol, TypedDict

__all__ = [
    "BuildOptions",
    "CapturedPage",
    "CleanerOptions",
    "Count",
    "EmptyArchives",
    "Exported",
    "Fault",
    "Funnel",
    "FunnelStep",
    "Missing",
    "Plan",
    "Progress",
    "RejectExample",
    "Sent",
    "ShardFile",
    "Step",
    "Summary",
    "Verified",
]


StrPath = str | os.PathLike[str]

Html = str | bytes | bytearray
"""A page: bytes, or a text that is decoded already."""

Favor = Literal["precision", "balanced", "recall"]
Format = Literal["text", "markdown", "json", "html"]


class CapturedPage(Protocol):
    """A page of an archive, such as a ``Capture``."""

    @property
    def body(self) -> bytes: ...
    @property
    def url(self) -> str: ...
    @property
    def content_type(self) -> str | None: ...
    @property
    def captured(self) -> datetime.date | None: ...
    @property
    def plain_text(self) -> bool: ...
    @property
    def warc_offset(self) -> int: ...


Page = Html | tuple[Html, str | None] | CapturedPage
"""What ``clean_many`` takes: a page, a page with its URL, or a capture."""


class CleanerOptions(TypedDict, total=False):
    """The options of ``Cleaner``."""

    model: StrPath | None
    text_model: StrPath | None
    favor: Favor
    title: bool
    structured_data: bool
    parser: Literal["gleaner", "html5ever"]
    byte_limit: int | None
    step_limit: int | None


class Progress(NamedTuple):
    """How far a build, a check of a corpus or an export is."""

    phase: Literal["read", "sort", "label", "finish", "verify", "export"] | None
    """The phase that runs; None before the first."""
    number: int
    """The number of the phase among the phases of the run, from 1; 0 before the first."""
    of: int
    """How many phases the run has; 0 before the first."""
    share: float | None
    """How much of the phase is done, from 0 to 1; None where that is not known."""
    pages: int
    """Captures that this run has read; 0 in a check and in an export."""
    documents: int
    """Documents that this run has written; 0 in a check and in an export."""


class Missing(TypedDict):
    """An input that could not be read."""

    input: str
    cause: str
    changed: bool
    """Whether the input is another file than it was when it was listed."""


class RejectExample(TypedDict):
    """A reject: where it is in its file, and what is wrong with it."""

    warc_file: str
    warc_offset: int
    detail: str


class EmptyArchives(TypedDict):
    """Archives without records: how many, and the first names."""

    count: int
    names: list[str]


class Sent(TypedDict):
    """Bytes sent to other processes."""

    records: int
    progress: int
    heartbeats: int


class Summary(TypedDict):
    """What a build has done. The counts are those of the corpus, or of what is written of it.

    docs/json.md describes each key: it is what ``gleaner build --json`` prints.
    """

    complete: bool
    limit: int | None
    records: dict[str, int]
    captures: int
    damage: int
    documents: int
    truncated: int
    rejects: dict[str, int]
    left_out: dict[str, int]
    reject_examples: dict[str, RejectExample]
    blocks: int
    posts: int
    rights: int
    contamination: int
    clusters: int
    clustered_documents: int
    copied_words: int
    repeats: int
    mined_sites: int
    templates: int
    kept_words: int
    dropped_words: int
    page_bytes: int
    shards: int
    empty_archives: EmptyArchives
    refused_inputs: int
    files: int
    missing: list[Missing]
    adds_up: bool
    faulty_files: list[str]
    seconds: float
    cpu_seconds: float
    pages_per_second: float
    megabytes_per_second: float
    read_bytes: int
    peak_memory_bytes: int | None
    out: str
    process: int
    processes: int
    sent: Sent


class Step(TypedDict):
    """An estimate of the cost of a step of a build: docs/json.md."""

    step: str
    reads: int
    writes: int
    deletes: int
    files: int
    read_bytes: int
    written_bytes: int
    network_bytes: int
    memory_bytes: int
    scratch_bytes: int
    core_seconds: int
    seconds: int
    alone_seconds: int


class Plan(TypedDict):
    """What a build would do: ``dry_run=True``. docs/json.md describes each key."""

    refused: str | None
    output: Literal["new", "continues", "complete", "replaced", "taken"]
    out: str
    inputs: int
    shards: int
    bytes: int
    unknown_sizes: int
    missing: list[Missing]
    limit: int | None
    parts: int
    units: int
    workers: int
    processes: int
    memory_bytes: int | None
    model: str
    tables: list[str]
    crawl: str | None
    phases: list[str]
    steps: list[Step]


class Fault(TypedDict):
    """Something that is wrong with a corpus."""

    file: str
    kind: Literal[
        "missing", "size", "unreadable", "unknown", "unused", "digest", "rows", "total", "sum"
    ]
    problem: str
    mend: str


class Verified(TypedDict):
    """What was checked, and what is wrong."""

    corpus: str
    as_written: bool
    tables: int
    files: int
    kept: int
    bytes: int
    faults: list[Fault]
    against: None


ExportFormat = Literal[
    "jsonl",
    "jsonl.gz",
    "jsonl.zst",
    "dolma",
    "dolma.gz",
    "dolma.zst",
    "datatrove",
    "datatrove.gz",
    "datatrove.zst",
    "parquet",
    "markdown",
    "text",
]


class Count(TypedDict):
    """Documents and their words."""

    documents: int
    words: int


class FunnelStep(TypedDict):
    """What a step of a recipe left out."""

    name: str
    removed: Count
    by_language: dict[str, Count]
    examples: list[str]
    """URLs of documents that the step left out: ten, from all parts of the corpus."""


class Funnel(TypedDict):
    """What all steps of a recipe left out, in their order."""

    read: Count
    steps: list[FunnelStep]
    written: Count
    written_by_language: dict[str, Count]
    masked: dict[str, int]
    """By kind of personal data, the number of places that were masked."""


class ShardFile(TypedDict):
    """A file of an export, or a folder of the formats "markdown" and "text"."""

    name: str
    documents: int
    bytes: int
    blake3: str


class Exported(TypedDict):
    """What an export has written, and what the recipe left out. docs/json.md describes each key."""

    corpus: str
    corpus_version: int
    dry_run: bool
    funnel: Funnel
    files: list[ShardFile]


class BuildOptions(TypedDict, total=False):
    """The options of ``gleaner.build``: those of ``gleaner build``, with _ for -.

    ``gleaner build --help`` describes each one. One that is left out, or None, has its default.
    """

    # Tables
    crawl: str | None
    blocks: bool | None
    block_languages: bool | None
    posts: bool | None
    no_signals: bool | None
    pii_spans: bool | None
    no_rights: bool | None
    agents: str | None
    url_list: str | list[str] | None
    benchmarks: StrPath | None
    markdown: bool | None
    links: Literal["none", "inline"] | None
    images: Literal["none", "inline"] | None

    # Sites
    no_site_evidence: bool | None
    site: Literal["host", "domain"] | None
    site_sample: int | None

    # Duplicates
    no_clusters: bool | None
    shingle: int | None
    bands: int | None
    band_rows: int | None
    verify_duplicates: float | None
    repeats: int | None

    # Labels
    method: Literal["model", "density", "tree"] | None
    model: StrPath | None
    text_model: StrPath | None
    language_model: StrPath | None
    favor: Literal["precision", "balanced", "recall"] | None
    structured_data: Literal["off", "fallback"] | None
    no_title: bool | None
    parser: Literal["gleaner", "html5ever"] | None
    query: StrPath | None
    no_query: bool | None

    # Inputs
    spec: StrPath | None
    limit: int | None
    allow_missing: bool | None
    base_url: str | None
    strict: bool | None
    max_record: int | None
    max_page: int | None
    max_steps: int | None
    store_retries: int | None
    store_timeout: float | None
    store_pause: float | None

    # The run
    workers: int | None
    memory: int | str | None
    part_size: int | str | None
    chunk_size: int | None
    no_state: bool | None
    phase: Literal["read", "label"] | None
    force: bool | None
    metrics: str | None
    hosts: StrPath | None
    process: int | None
    secret_file: StrPath | None
    connect_timeout: float | None
    peer_timeout: float | None
