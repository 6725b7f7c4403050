"""Builds, files and verify."""

from __future__ import annotations

import logging
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import gleaner
import pytest


def check(value: Any, kind: Any) -> None:
    """Fail where a value is not of the type that the stubs give it."""
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        assert set(value) == set(hints), kind.__name__
        for key, hint in hints.items():
            check(value[key], hint)
    elif get_origin(kind) is list:
        for item in value:
            check(item, get_args(kind)[0])
    elif get_origin(kind) is dict:
        for key, item in value.items():
            check(key, get_args(kind)[0])
            check(item, get_args(kind)[1])
    elif get_origin(kind) is Literal:
        assert value in get_args(kind)
    elif get_origin(kind) in (Union, UnionType):
        [inner] = [kind for kind in get_args(kind) if kind is not NoneType]
        if value is not None:
            check(value, inner)
    else:
        assert type(value) is kind, (value, kind)


def names(corpus: Path) -> dict[str, list[str]]:
    """The files of the tables, whose names are the digests of their bytes."""
    tables = ["documents", "captures", "rejects", "duplicates", "repeats", "sites", "templates"]
    return {table: [Path(file).name for file in gleaner.files(corpus, table)] for table in tables}


def test_the_summary_has_the_keys_and_types_of_its_class(sample: Path, tmp_path: Path) -> None:
    summary = gleaner.build(sample, tmp_path / "out")
    check(summary, gleaner.Summary)
    assert (summary["complete"], summary["captures"], summary["documents"]) == (True, 48, 37)
    assert summary["reject_examples"]["http-status"]["detail"] == "the server answered 404"
    assert summary["out"] == str(tmp_path / "out")
    # A second call finds all done, and gives the same counts.
    again = gleaner.build([str(sample)], str(tmp_path / "out"))
    check(again, gleaner.Summary)
    assert again["rejects"] == summary["rejects"]


def test_a_plan_writes_nothing(sample: Path, tmp_path: Path) -> None:
    plan = gleaner.build(sample, tmp_path / "out", dry_run=True, workers=2, blocks=True)
    check(plan, gleaner.Plan)
    assert plan["output"] == "new" and plan["workers"] == 2 and "blocks" in plan["tables"]
    assert not (tmp_path / "out").exists()


def test_all_options_are_taken(sample: Path, tmp_path: Path) -> None:
    summary = gleaner.build(
        [sample],
        tmp_path / "out",
        crawl="spring",
        blocks=True,
        posts=False,
        markdown=True,
        links="inline",
        images=None,
        site="domain",
        site_sample=64,
        shingle=4,
        verify_duplicates=0.8,
        repeats=2,
        favor="precision",
        structured_data="fallback",
        parser="html5ever",
        limit=40,
        max_page=8,
        store_timeout=5,
        workers=1,
        memory="1GiB",
        part_size=1 << 26,
        chunk_size=16,
    )
    assert summary["limit"] == 40 == summary["captures"]
    assert summary["blocks"] > 0
    [file, *_] = gleaner.files(tmp_path / "out", "blocks")
    assert "crawl=spring" in file and Path(file).is_file()


def test_nothing_is_printed_and_messages_are_logged(
    sample: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    gleaner.build(sample, tmp_path / "out")
    with caplog.at_level(logging.INFO, "gleaner"):
        gleaner.build(sample, tmp_path / "out")
    with pytest.raises(gleaner.InputError):
        gleaner.build(tmp_path / "nosuch.warc", tmp_path / "other")
    gleaner.verify(tmp_path / "out")
    assert capfd.readouterr() == ("", "")
    [message] = caplog.messages
    assert message.endswith("nothing to do (force=True builds it again)")


def test_progress_is_called_in_this_thread(crawl: Path, tmp_path: Path) -> None:
    calls: list[gleaner.Progress] = []
    threads = set()

    def progress(at: gleaner.Progress) -> None:
        calls.append(at)
        threads.add(threading.get_ident())

    gleaner.build(crawl, tmp_path / "out", progress=progress, workers=1)
    assert threads == {threading.get_ident()}
    assert calls[-1][:3] == ("finish", 3, 3) and calls[-1].documents == 1000
    assert any(at.phase == "read" for at in calls)
    pages = [at.pages for at in calls]
    assert pages == sorted(pages) and len(set(pages)) > 1
    assert all(at.share is None or 0 <= at.share <= 1 for at in calls)


def test_other_threads_run_beside_a_build(crawl: Path, tmp_path: Path) -> None:
    done = threading.Event()
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.monotonic()
    gleaner.build(crawl, tmp_path / "out", workers=1)
    lasted = time.monotonic() - begin
    done.set()
    thread.join()
    assert ticks > 50 * lasted


def test_two_builds_at_a_time(sample: Path, tmp_path: Path) -> None:
    def build(name: str) -> dict[str, list[str]]:
        gleaner.build(sample, tmp_path / name, workers=2)
        return names(tmp_path / name)

    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(build, ["one", "other"])
    assert one == other


def test_an_exception_of_the_callback_stops_the_build_and_the_same_call_continues(
    crawl: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Enough(Exception):
        pass

    def progress(at: gleaner.Progress) -> None:
        if at.phase == "label":
            raise Enough(at)

    with pytest.raises(Enough):
        gleaner.build(crawl, tmp_path / "out", progress=progress, workers=1, part_size=1 << 22)
    with pytest.raises(gleaner.IncompleteError, match="is not complete") as caught:
        gleaner.files(tmp_path / "out", "documents")
    assert caught.value.missing == [] and "the same call" not in str(caught.value)
    with caplog.at_level(logging.INFO, "gleaner"):
        summary = gleaner.build(crawl, tmp_path / "out", workers=1, part_size=1 << 22)
    assert caplog.messages[0].startswith("continues an interrupted build: ")
    assert summary["complete"] and summary["documents"] == 1000
    gleaner.build(crawl, tmp_path / "whole")
    assert names(tmp_path / "out") == names(tmp_path / "whole")


BUILD = """
import sys, gleaner

def progress(at):
    if at.pages > 0:
        print("reads", flush=True)

try:
    gleaner.build(sys.argv[1], sys.argv[2], workers=1, progress=progress)
except KeyboardInterrupt:
    print("stopped", flush=True)
    # The interpreter is as before.
    import signal
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print(gleaner.verify(sys.argv[3])["as_written"])
else:
    print("done")
"""


def test_ctrl_c_stops_a_build_and_the_same_call_continues(
    sample: Path, crawl: Path, tmp_path: Path
) -> None:
    gleaner.build(sample, tmp_path / "small")
    arguments = [crawl, tmp_path / "out", tmp_path / "small"]
    child = subprocess.Popen(
        [sys.executable, "-c", BUILD, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "reads\n"
    child.send_signal(signal.SIGINT)
    printed, complaints = child.communicate()
    assert [line for line in printed.split() if line != "reads"] == ["stopped", "True"]
    assert (child.returncode, complaints) == (0, "")
    summary = gleaner.build(crawl, tmp_path / "out")
    assert summary["complete"] and summary["documents"] == 1000


def test_an_input_out_of_reach_is_an_incomplete_build(sample: Path, tmp_path: Path) -> None:
    # Nothing listens there.
    inputs: list[Path | str] = [sample, "http://127.0.0.1:9/b.warc.gz"]
    with pytest.raises(gleaner.IncompleteError) as caught:
        gleaner.build(inputs, tmp_path / "out", store_retries=0)
    error = caught.value
    [missing] = error.missing
    check(missing, gleaner.Missing)
    assert missing["input"] == "http://127.0.0.1:9/b.warc.gz" and not missing["changed"]
    assert "could not read 1 input:\n" in str(error) and "allow_missing=True" in str(error)
    check(error.summary, gleaner.Summary)
    assert isinstance(error, gleaner.BuildError)
    summary = gleaner.build(inputs, tmp_path / "out", store_retries=0, allow_missing=True)
    assert summary["complete"] and [entry["input"] for entry in summary["missing"]] == [
        "http://127.0.0.1:9/b.warc.gz"
    ]


def test_strict_forbids_damage(sample: Path, tmp_path: Path) -> None:
    with pytest.raises(gleaner.BuildError, match="^strict=True: 1 damaged place") as caught:
        gleaner.build(sample, tmp_path / "out", strict=True)
    assert caught.value.summary is not None and caught.value.summary["complete"]


def test_files_that_were_changed_are_faults(sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    gleaner.build(sample, out)
    calls: list[gleaner.Progress] = []
    whole = gleaner.verify(out, progress=calls.append)
    check(whole, gleaner.Verified)
    assert whole["as_written"] and whole["files"] == 10 and whole["corpus"] == str(out)
    assert calls[-1] == ("verify", 1, 1, 1.0, 0, 0)
    [documents] = gleaner.files(out, "documents")
    data = bytearray(Path(documents).read_bytes())
    data[100] ^= 1
    Path(documents).write_bytes(data)
    broken = gleaner.verify(out)
    check(broken, gleaner.Verified)
    assert [fault["kind"] for fault in broken["faults"]] == ["digest"] and not broken["as_written"]
    Path(documents).unlink()
    with pytest.raises(gleaner.BuildError, match="1 file differs .* use force=True") as caught:
        gleaner.build(sample, out)
    assert caught.value.summary is not None and len(caught.value.summary["faulty_files"]) == 1


def test_an_exception_of_the_callback_ends_a_check(sample: Path, tmp_path: Path) -> None:
    gleaner.build(sample, tmp_path / "out")
    with pytest.raises(ZeroDivisionError):
        gleaner.verify(tmp_path / "out", progress=lambda at: 1 // at.pages)


Bad = Callable[[Path, Path], object]
BAD: list[tuple[Bad, type[Exception], str]] = [
    (lambda a, b: gleaner.build(b / "no.warc", b), gleaner.InputError, "no such file or folder"),
    (lambda a, b: gleaner.build(b / "*.warc", b), gleaner.InputError, "no input matches"),
    (
        lambda a, b: gleaner.build(__file__, b),
        gleaner.InputError,
        "is not a WARC, ARC, WET or HTML",
    ),
    (lambda a, b: gleaner.build([], b), gleaner.OptionError, "'inputs' is empty"),
    (lambda a, b: gleaner.build(a, __file__), gleaner.BuildError, "it is a file"),
    (
        lambda a, b: gleaner.build(a, b, model="no"),
        gleaner.ModelError,
        "there is no model file 'no'",
    ),
    (lambda a, b: gleaner.build(a, b, model=a), gleaner.ModelError, "sample.warc.gz"),
    (lambda a, b: gleaner.build(a, b, text_model=a), gleaner.ModelError, "sample.warc.gz"),
    (
        lambda a, b: gleaner.build(a, b, workers=0),
        gleaner.OptionError,
        "whole number from 1 to 512",
    ),
    (lambda a, b: gleaner.build(a, b, limit=-1), gleaner.OptionError, "'limit' cannot be '-1'"),
    (lambda a, b: gleaner.build(a, b, memory="1MiB"), gleaner.OptionError, "memory is too small"),
    (lambda a, b: gleaner.build(a, b, memory="much"), gleaner.OptionError, "'memory' cannot be"),
    (lambda a, b: gleaner.build(a, b, crawl="a/b"), gleaner.OptionError, "'crawl' cannot be 'a/b'"),
    (lambda a, b: gleaner.build(a, b, links="inline"), gleaner.OptionError, "markdown=True"),
    (
        lambda a, b: gleaner.build(a, b, no_clusters=True, bands=3),
        gleaner.OptionError,
        "'no_clusters=True' cannot be used with 'bands'",
    ),
    (lambda a, b: gleaner.build(a, b, base_url="http://a/"), gleaner.OptionError, "has no effect"),
    (lambda a, b: gleaner.build(a, b, process=1), gleaner.OptionError, "hosts"),
    (lambda a, b: gleaner.files(b, "documents"), gleaner.InputError, "no corpus in"),
    (lambda a, b: gleaner.verify(b / "no"), gleaner.InputError, "no corpus in"),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), BAD)
def test_bad_input(
    call: Bad, kind: type[Exception], sentence: str, sample: Path, tmp_path: Path
) -> None:
    with pytest.raises(kind) as caught:
        call(sample, tmp_path / "out" if kind is not gleaner.InputError else tmp_path)
    assert sentence in str(caught.value) and "--" not in str(caught.value)
    assert isinstance(caught.value, gleaner.GleanerError)


def test_errors_have_their_file(tmp_path: Path) -> None:
    with pytest.raises(OSError) as caught:
        gleaner.build(tmp_path / "no.warc", tmp_path / "out")
    assert isinstance(caught.value, gleaner.InputError)
    assert (caught.value.file, caught.value.offset) == (str(tmp_path / "no.warc"), None)
    with pytest.raises(ValueError) as of_model:
        gleaner.build(__file__, tmp_path / "out", model=tmp_path / "no.gcrf")
    assert isinstance(of_model.value, gleaner.ModelError)
    assert of_model.value.file == str(tmp_path / "no.gcrf")


def test_unknown_names(sample: Path, tmp_path: Path) -> None:
    build: Any = gleaner.build
    with pytest.raises(gleaner.OptionError, match="'wrokers' of a build: did you mean 'workers'"):
        build(sample, tmp_path / "out", wrokers=2)
    with pytest.raises(gleaner.OptionError, match="its options are memory|its options are workers"):
        build(sample, tmp_path / "out", frobnicate=2)
    with pytest.raises(gleaner.OptionError, match="'json' is an option of the command alone"):
        build(sample, tmp_path / "out", json=True)
    with pytest.raises(gleaner.OptionError, match="host, domain, not 'hots': did you mean 'host'"):
        build(sample, tmp_path / "out", site="hots")
    gleaner.build(sample, tmp_path / "out")
    with pytest.raises(gleaner.OptionError, match="no table 'document' in .*: its tables are"):
        gleaner.files(tmp_path / "out", "document")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"workers": "2"}, "'workers' takes an int, not str"),
        ({"workers": 2.0}, "'workers' takes an int, not float"),
        ({"workers": True}, "'workers' takes an int, not bool"),
        ({"blocks": 1}, "'blocks' takes True or False, not int"),
        ({"verify_duplicates": "0.5"}, "'verify_duplicates' takes an int or a float, not str"),
        ({"memory": 1.5}, "'memory' takes a size: an int, or a string such as '64MiB', not float"),
        ({"crawl": 7}, "'crawl' takes a string or a path, not int"),
        ({"crawl": b"a"}, "'crawl' takes strings, paths or a list of them, not bytes"),
        ({"site": ["host"]}, "'site' takes one of the strings host, domain, not list"),
        ({"progress": 7}, "'progress' takes a function, not int"),
        ({"inputs": 7}, "'inputs' takes strings, paths or a list of them, not int"),
        ({"inputs": ["a", None]}, "'inputs' takes strings, paths or a list of them, not NoneType"),
        ({"out": None}, "'out' takes a string or a path, not NoneType"),
    ],
)
def test_values_of_wrong_types(
    options: dict[str, Any], sentence: str, sample: Path, tmp_path: Path
) -> None:
    build: Any = gleaner.build
    with pytest.raises(TypeError) as caught:
        build(**{"inputs": sample, "out": tmp_path / "out", **options})
    assert str(caught.value) == sentence


def test_exceptions_of_iterables_and_paths_are_raised(tmp_path: Path) -> None:
    def inputs() -> Any:
        yield "a"
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        gleaner.build(inputs(), tmp_path / "out")


def test_exceptions_travel_between_processes(tmp_path: Path) -> None:
    with pytest.raises(gleaner.InputError) as caught:
        gleaner.build(tmp_path / "no.warc", tmp_path / "out")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.file) == (str(caught.value), caught.value.file)
    missing: list[gleaner.Missing] = [{"input": "a", "cause": "b", "changed": False}]
    copy = pickle.loads(pickle.dumps(gleaner.IncompleteError("c", missing)))
    assert (str(copy), copy.missing) == ("c", missing)
