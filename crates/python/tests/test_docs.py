"""docs/python.md names all that the package has. (`.ci/run-docs` runs its examples.)"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import gleaner
import pytest

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "python.md").read_text(encoding="utf-8")
# The words of all code on the page.
NAMED = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`]+`|```.*?```", PAGE, re.DOTALL))))


def test_all_names_are_documented() -> None:
    assert not set(gleaner.__all__) - NAMED


@pytest.mark.parametrize(
    "cls",
    [
        gleaner.Block,
        gleaner.Capture,
        gleaner.Cleaner,
        gleaner.Comment,
        gleaner.Document,
        gleaner.InputError,
        gleaner.ModelError,
        gleaner.IncompleteError,
        gleaner.Post,
        gleaner.Progress,
        gleaner.WarcReader,
    ],
)
def test_all_fields_are_documented(cls: type) -> None:
    fields = {name for name in dir(cls) if not name.startswith("_")}
    assert not fields - set(dir(OSError)) - set(dir(tuple)) - NAMED


@pytest.mark.parametrize(
    "function",
    [gleaner.extract, gleaner.Cleaner, gleaner.clean_many, gleaner.export, gleaner.read_warc],
)
def test_all_parameters_are_documented(function: object) -> None:
    assert callable(function)
    assert not set(inspect.signature(function).parameters) - NAMED
