"""``gleaner.read_warc``: the captures and rejects of a build, one after the other."""

from __future__ import annotations

import copy
import datetime
import gc
import gzip
import http.server
import io
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import archives
import pytest

import gleaner

pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow reads the tables of builds")
pa = pytest.importorskip("pyarrow")

SAMPLE = Path(__file__).parents[3] / "tests/data/sample.warc.gz"


def rows(corpus: Path, table: str) -> list[dict[str, Any]]:
    files = gleaner.files(str(corpus), table)
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def lz4(data: bytes) -> bytes:
    return bytes(pa.Codec("lz4").compress(data, asbytes=True))


def zstd(data: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(data, asbytes=True))


INPUTS: dict[str, Any] = {
    "a.warc": lambda: b"".join(archives.records()),
    "a.warc.gz": archives.packed,
    "a.warc.zst": lambda: archives.packed(zstd),
    "a.warc.lz4": lambda: archives.packed(lz4),
    "damaged.warc.gz": archives.damaged,
    "old.arc": archives.arc,
    "a.wacz": archives.wacz,
    "page.html": lambda: archives.PAGE,
    "empty.warc": lambda: b"",
}


def folder(tmp_path: Path) -> Path:
    (tmp_path / "crawl/below").mkdir(parents=True)
    for name, content in INPUTS.items():
        (tmp_path / "crawl" / name).write_bytes(content())
    (tmp_path / "crawl/below/login.warc.gz").write_bytes(b"Please log in to continue")
    (tmp_path / "list.txt").write_text("crawl/a.warc\ncrawl/old.arc\n")
    return tmp_path


def written(input: str, out: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """The rows of documents, and of rejects but those of parsing; and the names of these."""
    gleaner.build([input], str(out))
    rejects = rows(out, "rejects")
    parsed = [row["row_id"] for row in rejects if row["stage"] == "extract"]
    return rows(out, "documents"), [row for row in rejects if row["stage"] != "extract"], parsed


@pytest.mark.parametrize(
    "input",
    ["sample", *(f"crawl/{name}" for name in INPUTS), "crawl/", "crawl/*.warc*", "@list.txt"],
)
def test_captures_and_rejects_are_those_of_a_build(input: str, tmp_path: Path) -> None:
    where = str(SAMPLE) if input == "sample" else None
    if where is None:
        place = folder(tmp_path)
        where = f"@{place}/{input[1:]}" if input.startswith("@") else f"{place}/{input}"
    documents, rejects, parsed = written(where, tmp_path / "corpus")
    found = list(gleaner.read_warc(where, rejects=True))
    captures = [item for item in found if isinstance(item, gleaner.Capture)]
    assert sorted(item.row_id for item in captures) == sorted(
        [row["row_id"] for row in documents] + parsed
    )
    by_id = {row["row_id"]: row for row in documents}
    for capture in captures:
        row = by_id.get(capture.row_id)
        columns = [
            "url",
            "surt",
            "host",
            "record_id",
            "warc_file",
            "warc_offset",
            "warc_length",
            "crawl_date",
        ]
        if row is not None:
            assert {name: row[name] for name in columns} == {
                name: getattr(capture, name) for name in columns
            }
            assert row["http_status"] == capture.http_status
            assert row["content_type"] == capture.media_type
            assert (row["truncated"] or "").startswith(capture.truncated or "")
    columns = list(gleaner.Reject.__dataclass_fields__)
    listed = [
        [str(getattr(item, name)) for name in columns]
        for item in found
        if isinstance(item, gleaner.Reject)
    ]
    assert sorted(listed) == sorted([str(row[name]) for name in columns] for row in rejects)


def test_counts_have_captures_and_rejects_by_reason() -> None:
    reader = gleaner.read_warc(SAMPLE)
    assert reader.counts == {"captures": 0}
    captures = list(reader)
    rejects = [
        item for item in gleaner.read_warc(SAMPLE, rejects=True) if isinstance(item, gleaner.Reject)
    ]
    reasons = Counter(reject.reason for reject in rejects)
    assert reader.counts == {"captures": len(captures), **reasons}
    assert all(isinstance(item, gleaner.Capture) for item in captures)
    assert reasons and next(reader, None) is None


def test_a_capture_has_its_provenance_and_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(archives.records()))
    by_url = {capture.url: capture for capture in gleaner.read_warc(path)}
    page = by_url["https://sea.example/"]
    assert page.body == by_url["https://sea.example/packed"].body == archives.PAGE
    assert (page.warc_file, page.http_status, page.truncated) == (path.name, 200, None)
    assert (page.media_type, page.content_type) == ("text/html", "text/html; charset=utf-8")
    assert page.crawl_date == datetime.datetime(
        2024, 5, 14, 6, 30, 0, 250_000, datetime.timezone.utc
    )
    assert page.captured == datetime.date(2024, 5, 14)
    stored = path.read_bytes()[page.warc_offset :][: page.warc_length]
    assert stored == archives.response("https://sea.example/")
    wet = by_url["https://sea.example/wet"]
    assert wet.plain_text and wet.http_status is None and not page.plain_text
    assert by_url["https://sea.example/cut"].truncated == "capture"
    assert pickle.loads(pickle.dumps(page)) == page == copy.deepcopy(page)
    assert "Tides" not in repr(page) and "https://sea.example/" in repr(page)


def test_an_open_file_is_read_like_a_path() -> None:
    named = list(gleaner.read_warc(SAMPLE))
    with open(SAMPLE, "rb") as file:
        assert list(gleaner.read_warc(file)) == named
    assert {capture.warc_file for capture in named} == {SAMPLE.name}
    captures = list(gleaner.read_warc(io.BytesIO(SAMPLE.read_bytes())))
    assert [capture.body for capture in captures] == [capture.body for capture in named]
    assert {capture.warc_file for capture in captures} == {"file object"}


def test_an_exception_of_an_open_file_comes_out() -> None:
    class Broken:
        def read(self, size: int, /) -> bytes:
            raise RuntimeError("the disk is gone")

    with pytest.raises(RuntimeError, match="the disk is gone"):
        next(gleaner.read_warc(Broken()))
    with pytest.raises(TypeError, match="mode"):
        next(gleaner.read_warc(io.StringIO("text")))  # type: ignore[call-overload]


class Reentrant(io.BytesIO):
    """A file that calls the reader which reads it."""

    def call(self) -> None:
        raise NotImplementedError

    def read(self, size: int | None = -1, /) -> bytes:
        self.call()
        return super().read(size)


def test_next_within_a_read_is_an_error_and_no_deadlock() -> None:
    file = Reentrant(SAMPLE.read_bytes())
    reader = gleaner.read_warc(file)
    file.call = lambda: print(next(reader))  # type: ignore[method-assign]
    with pytest.raises(RuntimeError, match="this reader is reading"):
        next(reader)
    assert next(reader, None) is None


def test_a_reader_that_is_closed_within_a_read_ends() -> None:
    file = Reentrant(SAMPLE.read_bytes())
    reader = gleaner.read_warc(file)
    file.call = reader.close  # type: ignore[method-assign]
    rest = list(reader)
    assert len(rest) <= 1 and reader.counts["captures"] == len(rest)
    references = weakref.ref(file)
    del file
    assert references() is None, "the reader has dropped the file"


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGALRM")
def test_a_signal_handler_can_close_a_reader_during_a_read() -> None:
    file = Reentrant(SAMPLE.read_bytes())
    reader = gleaner.read_warc(file)
    file.call = lambda: signal.raise_signal(signal.SIGALRM)  # type: ignore[method-assign]
    before = signal.signal(signal.SIGALRM, lambda *_: reader.close())
    try:
        assert len(list(reader)) <= 1
    finally:
        signal.signal(signal.SIGALRM, before)


def test_other_threads_wait_for_a_read_and_can_close_during_it() -> None:
    file = Reentrant(SAMPLE.read_bytes())
    reader = gleaner.read_warc(file)
    begun, go = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        assert go.wait(20)

    file.call = wait  # type: ignore[method-assign]
    found: list[list[gleaner.Capture]] = []
    threads = [threading.Thread(target=lambda: found.append(list(reader))) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert begun.wait(20)
    reader.close()
    assert all(thread.is_alive() for thread in threads)
    go.set()
    for thread in threads:
        thread.join(20)
    assert sorted(map(len, found)) in ([0, 0], [0, 1])


@pytest.mark.parametrize("wrong", [None, 5, b"a.warc", ["a.warc"], object()])
def test_other_types_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="read_warc takes a path"):
        gleaner.read_warc(wrong)
    with pytest.raises(TypeError):
        gleaner.read_warc()  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        gleaner.read_warc(SAMPLE, True)  # type: ignore[call-overload]


def test_the_source_has_a_name() -> None:
    assert next(gleaner.read_warc(source=SAMPLE)) == next(gleaner.read_warc(SAMPLE))


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are bytes elsewhere")
def test_a_path_that_cannot_be_encoded_is_refused_as_open_does() -> None:
    for read in (open, gleaner.read_warc):
        with pytest.raises(UnicodeEncodeError, match="surrogates"):
            read("a\ud800")


def command_says(*arguments: str) -> str:
    command = [sys.executable, "-m", "gleaner", *arguments]
    return subprocess.run(command, capture_output=True, text=True).stderr


@pytest.mark.parametrize("kind", ["missing", "pattern", "scheme", "text", "pdf", "folder", "list"])
def test_what_cannot_be_read_is_an_error_with_the_sentence_of_the_command(
    kind: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("Low tide is at six.")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n\0\1")
    (tmp_path / "none").mkdir()
    input = {
        "missing": f"{tmp_path}/a.warc.gz",
        "pattern": f"{tmp_path}/*.warc",
        "scheme": "ftp://sea.example/a.warc",
        "text": f"{tmp_path}/a.txt",
        "pdf": f"{tmp_path}/a.pdf",
        "folder": f"{tmp_path}/none",
        "list": f"@{tmp_path}/none.txt",
    }[kind]
    with pytest.raises(gleaner.InputError) as raised:
        list(gleaner.read_warc(input))
    assert isinstance(raised.value, OSError)
    assert raised.value.file == input.removeprefix("@")
    assert str(raised.value) in command_says("build", input, "--out", f"{tmp_path}/out")


class Forgetful(http.server.BaseHTTPRequestHandler):
    """Answers what it has with the archive of a page, and has no b.warc any more once it is read."""

    def do_HEAD(self) -> None:
        self.answer(b"" if self.path == "/none.warc" else self.archive())

    def do_GET(self) -> None:
        self.answer(b"" if self.path in ("/none.warc", "/b.warc") else self.archive())

    def archive(self) -> bytes:
        return archives.response(f"https://sea.example{self.path}")

    def answer(self, content: bytes) -> None:
        self.send_response(200 if content else 404)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forgetful) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_url_is_read_like_a_path(server: str) -> None:
    captures = list(gleaner.read_warc(f"{server}/a.warc"))
    assert [capture.url for capture in captures] == ["https://sea.example/a.warc"]
    assert captures[0].warc_file == "a.warc" and captures[0].body == archives.PAGE
    with pytest.raises(gleaner.InputError, match="no such file") as raised:
        list(gleaner.read_warc(f"{server}/none.warc"))
    assert raised.value.file == f"{server}/none.warc"


def test_a_reader_continues_behind_a_file_that_cannot_be_read(server: str, tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.txt"
    inputs.write_text("".join(f"{server}/{name}.warc\n" for name in "abc"))
    reader = gleaner.read_warc(f"@{inputs}")
    assert next(reader).url == "https://sea.example/a.warc"
    with pytest.raises(gleaner.InputError) as raised:
        next(reader)
    assert raised.value.file == f"{server}/b.warc" and raised.value.offset == 0
    assert next(reader).url == "https://sea.example/c.warc"
    assert next(reader, None) is None and reader.counts == {"captures": 2}


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="open files are counted in /proc")
def test_files_are_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(
        b"".join(
            archives.response(f"https://sea.example/{n}", archives.PAGE * 4000) for n in range(9)
        )
    )
    gc.collect()
    before = open_files()
    with gleaner.read_warc(path) as reader:
        next(reader)
        assert open_files() > before
    assert open_files() == before
    assert next(reader, None) is None and reader.counts == {"captures": 1}
    reader = gleaner.read_warc(path)
    next(reader)
    del reader
    assert open_files() == before
    reader = gleaner.read_warc(path)
    assert len(list(reader)) == 9 and open_files() == before
    reader.close()
    reader.close()


def test_threads_can_share_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(archives.packed() * 50)
    expected = Counter(capture.url for capture in gleaner.read_warc(path))
    reader = gleaner.read_warc(path)
    found: Counter[str] = Counter()

    def read() -> None:
        mine = Counter(capture.url for capture in reader)
        found.update(mine)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected and sum(found.values()) >= 300


class StalledServer:
    """A server that sends the beginning of an archive, and then nothing."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/a.warc"
        self.sent = threading.Semaphore(0)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n"
        connections = []
        while True:
            connection, _ = self.socket.accept()
            connections.append(connection)
            connection.recv(1 << 16)
            connection.sendall(head + archives.response("https://sea.example/"))
            self.sent.release()


def test_other_threads_run_while_a_reader_waits() -> None:
    server = StalledServer()
    reader = gleaner.read_warc(server.url)
    thread = threading.Thread(target=lambda: list(reader), daemon=True)
    thread.start()
    assert server.sent.acquire(timeout=20)
    begin, turns = time.monotonic(), 0
    while time.monotonic() - begin < 0.3:
        turns += 1
        time.sleep(0.001)
    assert turns > 50 and thread.is_alive()
    reader.close()
    thread.join(20)
    assert not thread.is_alive()


INTERRUPTED = """
import signal, sys, gleaner
# Also where the tests run in the background of a shell, which has SIGINT ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
reader = gleaner.read_warc(sys.argv[1])
try:
    print("ready", flush=True)
    list(reader)
except KeyboardInterrupt:
    print("interrupted", reader.counts, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
def test_ctrl_c_ends_a_wait() -> None:
    server = StalledServer()
    command = [sys.executable, "-c", INTERRUPTED, server.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().startswith("interrupted")
    # The server is silent for 30 seconds before it is asked again.
    assert time.monotonic() - begin < 10


mkfifo = getattr(os, "mkfifo", None)


@pytest.mark.skipif(mkfifo is None, reason="there are no named pipes")
def test_a_named_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "a.warc.gz"
    os.mkfifo(pipe)
    named = [(capture.url, capture.body) for capture in gleaner.read_warc(SAMPLE)]
    for source in (pipe, str(pipe)):
        writer = threading.Thread(target=lambda: pipe.write_bytes(SAMPLE.read_bytes()))
        with gleaner.read_warc(source) as captures:
            writer.start()
            found = list(captures)
        writer.join(20)
        assert [(capture.url, capture.body) for capture in found] == named
        assert {capture.warc_file for capture in found} == {pipe.name}


@pytest.mark.skipif(mkfifo is None, reason="there are no named pipes")
@pytest.mark.parametrize("has_writer", [False, True])
def test_ctrl_c_ends_the_wait_for_the_writer_of_a_pipe(has_writer: bool, tmp_path: Path) -> None:
    pipe = tmp_path / "a.warc"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", INTERRUPTED, str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        writer = pipe.open("wb") if has_writer else None
        time.sleep(0.3)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        finally:
            process.kill()
        assert process.stdout.read() == "interrupted {'captures': 0}\n"
        assert time.monotonic() - begin < 10
        if writer is not None:
            writer.close()


@pytest.mark.skipif(mkfifo is None, reason="there are no named pipes")
def test_a_pipe_that_cannot_be_opened_is_an_input_error(tmp_path: Path) -> None:
    pipe = tmp_path / "a.warc"
    os.mkfifo(pipe)
    reader = gleaner.read_warc(pipe)
    pipe.unlink()
    with pytest.raises(gleaner.InputError, match="could not read '.*a.warc': No such") as raised:
        next(reader)
    assert raised.value.file == str(pipe)


def test_records_that_share_a_member_have_their_own_row_ids(tmp_path: Path) -> None:
    path = tmp_path / "twice.arc.gz"
    head, *captures = archives.arc().split(b"\nhttp://")
    path.write_bytes(gzip.compress(b"\nhttp://".join([head, *captures, *captures])))
    found = list(gleaner.read_warc(path, rejects=True))
    assert {(item.warc_offset, item.record_id) for item in found} == {(0, f"{path.name}#0")}
    assert len({item.row_id for item in found}) == len(found) == 4
    assert {item.row_id for item in gleaner.read_warc(path, rejects=True)} == {
        item.row_id for item in found
    }


MEASURED = """
import resource, sys, gleaner
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for capture in gleaner.read_warc(sys.argv[1]):
    before = peak()
    break
read = sum(len(capture.body) for capture in gleaner.read_warc(sys.argv[1]))
print(read, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes")
def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    with path.open("wb") as file:
        for number in range(300):
            file.write(
                archives.response(f"https://sea.example/{number}", b"<p>" + os.urandom(500_000))
            )
    output = subprocess.run(
        [sys.executable, "-c", MEASURED, path], capture_output=True, text=True, check=True
    )
    read, grown = map(int, output.stdout.split())
    assert read > 140_000_000
    assert grown < 24_000, f"{grown} KiB for {read} bytes"
