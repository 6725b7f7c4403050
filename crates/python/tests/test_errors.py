"""Exceptions, and panics of Rust."""

from __future__ import annotations

import subprocess
import sys
import threading

import gleaner
import pytest
from gleaner import _gleaner


def test_what_is_below_what() -> None:
    for kind, also in [
        (gleaner.PageError, ValueError),
        (gleaner.ModelError, ValueError),
        (gleaner.OptionError, ValueError),
        (gleaner.InputError, OSError),
        (gleaner.BuildError, Exception),
        (gleaner.IncompleteError, gleaner.BuildError),
        (gleaner.InternalError, RuntimeError),
    ]:
        assert issubclass(kind, gleaner.GleanerError) and issubclass(kind, also)
        assert (kind.__module__, kind.__doc__ is None) == ("gleaner", False)


def test_a_panic_is_an_internal_error_and_nothing_is_printed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    for message in ["one", "two"]:
        with pytest.raises(gleaner.InternalError) as caught:
            _gleaner._panic(message)
        sentence = str(caught.value)
        assert f"please report it with this message and the input: {message} (at " in sentence
        assert "errors.rs:" in sentence
    assert capfd.readouterr() == ("", "")


def test_a_panic_in_a_thread_leaves_the_thread_alive() -> None:
    caught: list[BaseException] = []

    def panic() -> None:
        for _ in range(100):
            try:
                _gleaner._panic("in a thread")
            except gleaner.InternalError as error:
                caught.append(error)

    threads = [threading.Thread(target=panic) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(caught) == 400


def test_threads_of_builds_panic_silently_and_others_as_ever(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert _gleaner._panic_in_thread("of a build", True) == "of a build"
    assert capfd.readouterr() == ("", "")
    assert _gleaner._panic_in_thread("of another", False) is None
    assert "of another" in capfd.readouterr().err


def test_a_panic_that_is_not_caught_is_an_exception_like_others() -> None:
    code = "from gleaner import _gleaner; _gleaner._panic('oh')"
    child = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert child.returncode == 1
    assert child.stderr.startswith("Traceback ") and "gleaner.InternalError: " in child.stderr
    assert "panicked" not in child.stderr
