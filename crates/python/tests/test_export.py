"""Exports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gleaner
import pytest
from test_build import check


@pytest.fixture(scope="module")
def corpus(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("export") / "corpus"
    gleaner.build(sample, out)
    return out


def test_an_export_is_that_of_the_command(corpus: Path, tmp_path: Path) -> None:
    calls: list[gleaner.Progress] = []
    exported = gleaner.export(
        corpus,
        "everything",
        tmp_path / "a",
        format="jsonl",
        shard_size="20kB",
        workers=2,
        progress=calls.append,
    )
    check(exported, gleaner.Exported)
    assert calls[-1] == ("export", 1, 1, 1.0, 0, 0)
    options = ["--recipe", "everything", "--format", "jsonl", "--shard-size", "20kB", "--out"]
    assert gleaner.main(["export", str(corpus), *options, str(tmp_path / "b")]) == 0
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert len(files) > 2
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    lines = [line for file in exported["files"] for line in (tmp_path / "a" / file["name"]).open()]
    assert len(lines) == exported["funnel"]["written"]["documents"] == 37
    assert json.loads(lines[0])["text"]


def test_without_an_output_pages_are_counted(corpus: Path) -> None:
    counted = gleaner.export(str(corpus), "fineweb2")
    check(counted, gleaner.Exported)
    assert (counted["dry_run"], counted["files"]) == (True, [])
    assert counted["funnel"]["read"]["documents"] == 37
    assert counted["funnel"]["steps"][-1]["name"] == "fineweb2"


def test_an_exception_of_progress_stops_it(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        gleaner.export(corpus, "gopher", tmp_path / "out", progress=lambda at: 1 // at.pages)
    if not (tmp_path / "out" / "manifest.json").exists():
        gleaner.export(corpus, "gopher", tmp_path / "out")
    assert (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"recipe": "finweb"}, gleaner.OptionError, "did you mean 'fineweb'"),
        ({"format": "jsnl"}, gleaner.OptionError, "did you mean jsonl"),
        ({"pii": "masks"}, gleaner.OptionError, "'pii'"),
        ({"workers": 0}, gleaner.OptionError, "'workers'"),
        ({"workers": "2"}, TypeError, "workers"),
        ({"corpus_version": 9}, gleaner.GleanerError, "version"),
        ({"corpus": "no/corpus"}, gleaner.InputError, "no corpus in"),
        ({"progress": 1}, TypeError, "'progress' takes a function"),
    ],
)
def test_what_is_wrong_is_said(
    corpus: Path, tmp_path: Path, options: dict[str, Any], error: type[Exception], says: str
) -> None:
    arguments = {"corpus": corpus, "recipe": "everything", "out": tmp_path / "out", **options}
    with pytest.raises(error, match=says):
        gleaner.export(**arguments)
    assert not (tmp_path / "out").exists()


def test_an_output_with_other_files_is_refused(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(gleaner.BuildError, match="holds other files"):
        gleaner.export(corpus, "everything", tmp_path)
