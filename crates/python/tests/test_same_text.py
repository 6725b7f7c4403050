"""Python, the command and a build give the same text for the same page and options."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Literal, TypedDict

import gleaner
import pyarrow.parquet
import pytest

DATA = os.environ.get("GLEANER_DATA")
PAGES = 200


class Options(TypedDict, total=False):
    """Options that the command, a build and ``Cleaner`` have."""

    favor: Literal["precision", "balanced", "recall"]
    title: bool
    structured_data: bool


@pytest.mark.skipif(DATA is None, reason="reads the data sets: set GLEANER_DATA")
@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (Options(), []),
        (
            Options(favor="recall", title=False, structured_data=True),
            ["--favor", "recall", "--no-title", "--structured-data", "fallback"],
        ),
    ],
    ids=["default", "other"],
)
def test_every_way_gives_the_same_text(
    tmp_path: Path, options: Options, arguments: list[str]
) -> None:
    archive = f"{DATA}/pages/dragnet-dev.warc.gz"
    captures = list(itertools.islice(gleaner.read_warc(archive), PAGES))
    documents = gleaner.clean_many(captures, **options)
    texts = {capture.url: document.text for capture, document in zip(captures, documents)}
    assert len(texts) == PAGES and sum(map(bool, texts.values())) > PAGES / 2

    command = [sys.executable, "-m", "gleaner", "clean", archive, "--format", "json", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        lines = [json.loads(line) for line in itertools.islice(process.stdout, PAGES)]
        process.kill()
    assert {line["url"]: line["text"] for line in lines} == texts

    gleaner.build(
        archive,
        tmp_path / "corpus",
        limit=PAGES,
        no_site_evidence=True,
        favor=options.get("favor"),
        no_title=not options.get("title", True),
        structured_data="fallback" if options.get("structured_data") else None,
    )
    table = pyarrow.parquet.read_table(tmp_path / "corpus" / "documents")
    rows = table.select(["url", "text"]).to_pylist()
    assert {row["url"]: row["text"] for row in rows} == texts

    for capture in captures[:50]:
        extracted = gleaner.extract(
            capture.body, capture.url, content_type=capture.content_type, **options
        )
        assert extracted == texts[capture.url]
