"""The steps for DataTrove, in pipelines of DataTrove."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import archives
import pytest

import gleaner

pytest.importorskip(
    "datatrove", reason="datatrove is not installed: pip install 'gleaner[datatrove]'"
)

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.base import PipelineStep

from gleaner.datatrove import Extractor, WarcReader

SAMPLE = Path(__file__).parents[3] / "tests/data/sample.warc.gz"


class Lines(PipelineStep):
    """Writes documents as JSON lines, a file a task. (DataTrove's writer needs one more package.)"""

    name = "lines"
    type = "writer"

    def __init__(self, folder: Path) -> None:
        super().__init__()
        folder.mkdir()
        self.folder = folder

    def run(
        self, data: Iterator[Document], rank: int = 0, world_size: int = 1
    ) -> Iterator[Document]:
        with (self.folder / f"{rank}.jsonl").open("w") as lines:
            for document in data:
                lines.write(json.dumps(asdict(document)) + "\n")
                yield document


def documents(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def cleaned(archive: Path) -> dict[str, gleaner.Document]:
    """Documents with a text by the offsets of their records."""
    cleaner = gleaner.Cleaner()
    found = {}
    for capture in gleaner.read_warc(archive):
        try:
            document = cleaner.clean(
                capture.body,
                capture.url,
                content_type=capture.content_type,
                captured=capture.captured,
                plain_text=capture.plain_text,
            )
        except gleaner.PageError:
            continue
        if document.text:
            found[f"{archive}:{capture.warc_offset}"] = document
    return found


def crawl(tmp_path: Path, files: int = 3) -> Path:
    folder = tmp_path / "crawl"
    folder.mkdir()
    for number in range(files):
        (folder / f"{number}.warc.gz").write_bytes(SAMPLE.read_bytes())
    return folder


@pytest.mark.parametrize(("tasks", "workers"), [(1, 1), (3, 2)])
def test_a_reader_gives_the_documents_of_all_tasks(
    tasks: int, workers: int, tmp_path: Path
) -> None:
    folder = crawl(tmp_path)
    (folder / "damaged.warc.gz").write_bytes(archives.damaged())
    executor = LocalPipelineExecutor(
        pipeline=[
            WarcReader(str(folder), glob_pattern="*.warc.gz"),
            Lines(tmp_path / "texts"),
        ],
        tasks=tasks,
        workers=workers,
        logging_dir=str(tmp_path / "logs"),
    )
    stats = executor.run()
    expected = {
        place: document for file in folder.iterdir() for place, document in cleaned(file).items()
    }
    found = documents(tmp_path / "texts")
    by_place = {
        f"{row['metadata']['warc_file']}:{row['metadata']['warc_offset']}": row for row in found
    }
    assert len(found) == len(by_place) and by_place.keys() == expected.keys()
    for place, document in expected.items():
        row = by_place[place]
        assert row["text"] == document.text
        assert row["metadata"]["title"] == document.title
        assert row["metadata"]["language"] == document.language
        assert row["metadata"]["page_kind"] == document.page_kind
        assert row["metadata"]["url"] == document.url
    first = next(row for row in found if row["metadata"]["url"] == "https://sea.example/wet")
    assert first["id"] == "<urn:test:conversion:https://sea.example/wet>"
    assert first["metadata"]["date"].startswith("2024-05-14T06:30:00")
    assert first["metadata"]["file_path"] == first["metadata"]["warc_file"]
    counts = reader_counts(stats)
    assert counts == expected_counts(folder)
    assert counts["captures"] - counts.get("empty", 0) - counts["rejected_page"] == len(found)


def reader_counts(stats: Any) -> dict[str, int]:
    of_reader = stats.stats[0].stats
    names = [
        name for name in of_reader if name in ("captures", "empty") or name.startswith("rejected")
    ]
    return {name: of_reader[name].total for name in names}


def expected_counts(folder: Path) -> dict[str, int]:
    counts: Counter[str] = Counter()
    cleaner = gleaner.Cleaner()
    for file in folder.iterdir():
        reader = gleaner.read_warc(file)
        for capture in reader:
            try:
                text = cleaner.clean(
                    capture.body,
                    capture.url,
                    content_type=capture.content_type,
                    plain_text=capture.plain_text,
                ).text
                counts["empty"] += text == ""
            except gleaner.PageError:
                counts["rejected_page"] += 1
        for reason, count in reader.counts.items():
            counts["captures" if reason == "captures" else f"rejected_{reason}"] += count
    counts["rejected"] = sum(
        count for name, count in counts.items() if name.startswith("rejected_")
    )
    return {name: count for name, count in counts.items() if count}


def test_limit_skip_and_default_metadata_are_those_of_datatrove(tmp_path: Path) -> None:
    every = list(WarcReader(str(SAMPLE.parent), glob_pattern="*.warc.gz")())
    some = list(
        WarcReader(
            str(SAMPLE.parent),
            glob_pattern="*.warc.gz",
            limit=3,
            skip=2,
            default_metadata={"crawl": "a"},
        )()
    )
    assert [document.id for document in some] == [document.id for document in every[2:5]]
    assert {document.metadata["crawl"] for document in some} == {"a"}
    paths = tmp_path / "paths.txt"
    paths.write_text(f"{SAMPLE.name}\n")
    listed = WarcReader(str(SAMPLE.parent), paths_file=str(paths))()
    assert [document.id for document in listed] == [document.id for document in every]


def test_a_reader_reads_by_the_file_system_of_datatrove() -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/crawl/a.warc.gz", SAMPLE.read_bytes())
    found = list(WarcReader("memory://crawl")())
    local = list(WarcReader(str(SAMPLE.parent), glob_pattern="*.warc.gz")())
    assert [document.text for document in found] == [document.text for document in local]
    assert {document.metadata["warc_file"] for document in found} == {"memory:///crawl/a.warc.gz"}


def test_an_adapter_gets_what_is_known(tmp_path: Path) -> None:
    def adapter(
        self: WarcReader, data: dict[str, Any], path: str, id_in_file: int
    ) -> dict[str, Any]:
        return {
            "text": data["text"].upper(),
            "id": f"{path}#{id_in_file}",
            "metadata": {"title": data["title"]},
        }

    reader = WarcReader(str(SAMPLE.parent), glob_pattern="*.warc.gz", adapter=adapter, limit=1)
    (document,) = reader()
    assert document.text == document.text.upper()
    assert document.id.startswith("sample.warc.gz#")
    assert document.metadata.keys() == {"title", "file_path"}


def test_a_file_that_is_no_archive_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(b"%PDF-1.7\n\0\1")
    with pytest.raises(gleaner.InputError, match="PDF"):
        list(WarcReader(str(tmp_path))())


def html_documents() -> list[Document]:
    return [
        Document(
            text=archives.PAGE.decode(),
            id="1",
            metadata={"url": "https://sea.example/", "title": "mine"},
        ),
        Document(text="%PDF-1.7\n\0\1\2", id="2"),
        Document(text="", id="3"),
        Document(text=archives.PAGE.decode(), id="4"),
    ]


def test_an_extractor_replaces_html_by_its_text() -> None:
    extractor = Extractor(metadata=True)
    found = list(extractor.run(iter(html_documents())))
    text = gleaner.extract(archives.PAGE, "https://sea.example/")
    assert [(document.id, document.text) for document in found] == [("1", text), ("4", text)]
    assert found[0].metadata["title"] == "mine" and found[1].metadata["title"] == "Tides"
    assert found[0].metadata["language"] == "en"
    counts = {
        name: extractor.stats[name].total
        for name in ("total", "forwarded", "dropped", "page_error")
    }
    assert counts == {"total": 4, "forwarded": 2, "dropped": 2, "page_error": 1}
    assert extractor.extract(archives.PAGE.decode()) == text


def test_an_extractor_works_in_other_processes(tmp_path: Path) -> None:
    pipeline = [
        html_documents(),
        Extractor(format="markdown", favor="recall"),
        Lines(tmp_path / "texts"),
    ]
    LocalPipelineExecutor(
        pipeline=pipeline, tasks=2, workers=2, logging_dir=str(tmp_path / "logs")
    ).run()
    found = documents(tmp_path / "texts")
    assert {row["id"] for row in found} == {"1", "4"}
    assert {row["text"].splitlines()[0] for row in found} == {"# Tides"}


def test_steps_are_sent_to_other_processes_with_their_options() -> None:
    for step in (Extractor(favor="recall"), WarcReader(str(SAMPLE.parent), favor="recall")):
        copied = pickle.loads(pickle.dumps(step))
        assert copied._cleaning.cleaner is None and step._cleaning.cleaner is not None
        assert copied._cleaning.options == step._cleaning.options
        assert copied._cleaning.options["favor"] == "recall"


def test_wrong_options_are_errors_where_the_step_is_made(tmp_path: Path) -> None:
    with pytest.raises(gleaner.OptionError):
        Extractor(favor="speed")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format is 'text' or 'markdown', not 'json'"):
        WarcReader(str(tmp_path), format="json")  # type: ignore[arg-type]
    with pytest.raises(gleaner.ModelError):
        Extractor(model=tmp_path / "none.gcrf")


def test_without_datatrove_the_error_says_what_to_install() -> None:
    script = "import sys; sys.modules['datatrove'] = None; import gleaner.datatrove"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert output.returncode == 1
    assert (
        "ImportError: gleaner.datatrove needs the package datatrove: pip install 'gleaner[datatrove]'"
        in output.stderr
    )
