"""Tables by Arrow's C data interface, read by the libraries that users have."""

from __future__ import annotations

import datetime
import gc
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import archives
import pytest

import gleaner

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")


@dataclass
class Made:
    """What ``to_arrow`` reads of a document."""

    url: str | None = "https://sea.example/"
    charset: str = "UTF-8"
    language: str | None = "en"
    title: str | None = "Tides"
    authors: list[str] = field(default_factory=lambda: ["A. Vik", "B. Bay"])
    published: datetime.date | None = datetime.date(2024, 5, 14)
    text: str = "Ebbe und Flut — zweimal"
    text_source: str = "page"
    structured_data: str | None = None
    word_count: int = 4
    confidence: float | None = 0.75
    page_kind: str | None = "article"
    page_kind_probability: float | None = 0.5
    truncated: list[str] = field(default_factory=list)


EMPTY: Any = Made(
    url=None,
    language=None,
    title=None,
    authors=[],
    published=None,
    text="",
    confidence=None,
    page_kind=None,
    page_kind_probability=None,
    truncated=["bytes", "depth"],
)


def expected(document: Made) -> dict[str, Any]:
    return {**document.__dict__, "truncated": ",".join(document.truncated) or None}


def test_documents_become_the_columns_of_the_table_documents() -> None:
    documents: list[Any] = [Made(), EMPTY, Made(published=datetime.date(1969, 12, 31))]
    table = pa.table(gleaner.to_arrow(documents))
    assert table.to_pylist() == [expected(document) for document in documents]
    assert [
        str(table.schema.field(name).type)
        for name in ("published", "authors", "word_count", "confidence")
    ] == [
        "date32[day]",
        "list<item: string>",
        "uint32",
        "float",
    ]
    assert table.schema == pa.schema(gleaner.to_arrow([]))
    assert table.column_names == gleaner.to_arrow([]).column_names


def test_polars_and_duckdb_read_the_stream() -> None:
    documents: list[Any] = [Made(word_count=number) for number in range(3000)]
    frame = pl.DataFrame(gleaner.to_arrow(documents, batch_size=1000))
    assert frame["word_count"].to_list() == list(range(3000))
    assert frame["authors"][7].to_list() == ["A. Vik", "B. Bay"]
    stream = gleaner.to_arrow(documents)  # noqa: F841
    assert duckdb.sql("select sum(word_count), min(published) from stream").fetchall() == [
        (3000 * 2999 // 2, datetime.date(2024, 5, 14))
    ]


def test_batches_are_made_as_they_are_read() -> None:
    made: list[int] = []

    def documents() -> Iterator[Any]:
        for number in range(1000):
            made.append(number)
            yield Made(word_count=number)

    reader = pa.RecordBatchReader.from_stream(gleaner.to_arrow(documents(), batch_size=10))
    assert made == []
    assert reader.read_next_batch().num_rows == 10 and len(made) == 10
    assert reader.read_next_batch()["word_count"].to_pylist() == list(range(10, 20))
    del reader
    gc.collect()
    assert len(made) == 20


def test_a_batch_ends_before_its_column_is_too_large() -> None:
    documents: list[Any] = [Made(text="x" * (30 << 20))] * 7
    batches = list(pa.RecordBatchReader.from_stream(gleaner.to_arrow(documents)))
    assert [batch.num_rows for batch in batches] == [3, 3, 1]


def test_a_stream_is_read_once() -> None:
    documents: list[Any] = [Made()]
    stream = gleaner.to_arrow(documents)
    assert len(pa.table(stream)) == 1
    with pytest.raises(ValueError, match="was read"):
        pa.table(stream)
    # One that is not read is released.
    capsule = gleaner.to_arrow(documents).__arrow_c_stream__()
    del capsule
    gc.collect()


def test_what_fails_is_an_error_of_the_reader() -> None:
    def documents() -> Iterator[Any]:
        yield Made()
        raise KeyError("the shelf is empty")

    reader = pa.RecordBatchReader.from_stream(gleaner.to_arrow(documents(), batch_size=1))
    assert reader.read_next_batch().num_rows == 1
    with pytest.raises(pa.ArrowException, match="KeyError: 'the shelf is empty'"):
        reader.read_next_batch()
    with pytest.raises(pa.ArrowException, match="'str' object has no attribute 'url'"):
        pa.table(gleaner.to_arrow(["no document"]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="not iterable"):
        gleaner.to_arrow(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="batch_size"):
        gleaner.to_arrow([], batch_size=0)


def test_errors_that_clean_many_returns_have_no_row() -> None:
    pages: list[Any] = [archives.PAGE, b"%PDF-1.7\n\0\1", archives.PAGE, b"\x89PNG\r\n\x1a\n"]
    results = list(gleaner.clean_many(pages, errors="return"))
    assert [isinstance(result, gleaner.PageError) for result in results] == [
        False,
        True,
        False,
        True,
    ]
    table = pa.table(gleaner.to_arrow(documents=results, batch_size=2))
    assert len(table) == 2 and [batch.num_rows for batch in table.to_batches()] == [2]
    assert len(pa.table(gleaner.to_arrow([gleaner.PageError("no page")] * 3, batch_size=1))) == 0
    with pytest.raises(pa.ArrowException, match="'ValueError' object has no attribute 'url'"):
        pa.table(gleaner.to_arrow([ValueError()]))  # type: ignore[list-item]


def test_ctrl_c_is_a_keyboard_interrupt_behind_the_error_of_the_reader() -> None:
    def documents() -> Iterator[Any]:
        yield Made()
        signal.raise_signal(signal.SIGINT)
        yield Made()

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            with pytest.raises(pa.ArrowException, match="KeyboardInterrupt"):
                pa.table(gleaner.to_arrow(documents()))
            time.sleep(0)
    finally:
        signal.signal(signal.SIGINT, before)


def cleaned() -> list[gleaner.Document]:
    cleaner = gleaner.Cleaner()
    pages = [archives.PAGE, b"<p>x", b"", b"<html lang=fr><ul><li><a href=/>Home</a></ul>"]
    return [cleaner.clean(page, "https://sea.example/") for page in pages]


def test_cleaned_pages_have_these_columns() -> None:
    documents = cleaned()
    rows = pa.table(gleaner.to_arrow(iter(documents))).to_pylist()
    for document, row in zip(documents, rows, strict=True):
        of_document = {name: getattr(document, name) for name in row}
        assert row == {**of_document, "truncated": ",".join(document.truncated) or None}


def test_the_blocks_of_a_page_are_a_table() -> None:
    for document in cleaned():
        blocks = document.block_table()
        names = ["block", "label", "confidence", "path", "text", "is_content"]
        assert blocks.column_names == names == pa.schema(blocks).names
        expected = [{name: getattr(block, name) for name in names} for block in document.blocks]
        # It can be read by several, and after the document is gone.
        assert pa.table(blocks).to_pylist() == pl.DataFrame(blocks).to_dicts() == expected
        assert len(blocks) == len(expected) == duckdb.sql("from blocks").shape[0]
        assert f"{len(expected)} rows" in repr(blocks)


def test_no_bytes_are_copied() -> None:
    table = cleaned()[0].block_table()
    first, second = (pa.table(table)["text"].chunk(0).buffers() for _ in range(2))
    assert [buffer and buffer.address for buffer in first] == [
        buffer and buffer.address for buffer in second
    ]
