"""The command: in this process, as ``python -m gleaner``, and as the script."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import gleaner
import pytest

MODULE = [sys.executable, "-m", "gleaner"]
SCRIPT = [str(Path(sys.executable).with_name("gleaner"))]


def run(command: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("command", [MODULE, SCRIPT])
def test_the_command_runs_with_its_exit_statuses(
    command: list[str], sample: Path, tmp_path: Path
) -> None:
    version = run([*command, "--version"])
    assert (version.returncode, version.stdout) == (0, f"gleaner {gleaner.__version__}\n")
    built = run([*command, "build", sample, "-o", tmp_path / "out", "--json"])
    assert built.returncode == 0 and json.loads(built.stdout)["documents"] == 37
    assert "all accounted for" in built.stderr
    strict = run([*command, "build", sample, "-o", tmp_path / "out", "--strict"])
    assert strict.returncode == 1 and "--strict: 1 damaged place" in strict.stderr
    wrong = run([*command, "biuld"])
    assert wrong.returncode == 2
    assert wrong.stderr == "error: unknown command 'biuld': did you mean 'gleaner build'?\n"


def test_arguments_are_those_of_the_process_or_given(
    sample: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert gleaner.main(["clean", sample, "--format", "json"]) == 0
    printed, _ = capfd.readouterr()
    assert len(printed.splitlines()) > 20
    monkeypatch.setattr(sys, "argv", ["gleaner", "files", "nowhere", "documents"])
    assert gleaner.main() == 2
    printed, complaint = capfd.readouterr()
    assert printed == "" and complaint.startswith("error: no corpus in 'nowhere'")
    with pytest.raises(TypeError, match="a list of arguments"):
        gleaner.main("build")
    with pytest.raises(TypeError):
        gleaner.main([3])  # type: ignore[list-item]


def test_the_command_runs_twice_in_a_process(
    sample: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A log of the first run is none of the second, and the third has its own."""
    for number, options in enumerate([["--log=json"], [], ["--log=text", "--log-level=debug"]]):
        arguments = ["build", str(sample), "-o", str(tmp_path / str(number)), *options]
        assert gleaner.main(arguments) == 0
    _, complaint = capfd.readouterr()
    lines = complaint.splitlines()
    of_json = [line for line in lines if line.startswith("{")]
    of_text = [line for line in lines if " INFO  " in line]
    plain = lines[len(of_json) : -len(of_text)]
    assert json.loads(of_json[-1])["event"] == "build ended"
    assert plain[0].startswith("records ") and plain[-1].startswith("48 captures + 1 damaged")
    assert "build begun" in of_text[0] and "build ended" in of_text[-1]
    gleaner.build(sample, tmp_path / "quiet")
    assert capfd.readouterr() == ("", "")


def start(command: Sequence[str | Path]) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


def wait_for(file: Path, child: subprocess.Popen[str]) -> None:
    while not file.exists():
        assert child.poll() is None, "it ended before it had begun"
        time.sleep(0.002)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_build_cleanly(number: signal.Signals, crawl: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [*MODULE, "build", crawl, "-o", tmp_path / "out", "--workers=1"]
    child = start(command)
    wait_for(tmp_path / "out" / "gleaner.json", child)
    child.send_signal(number)
    printed, complaint = child.communicate()
    assert (child.returncode, printed) == (2, "")
    assert complaint == "error: interrupted: run the same command again to continue\n"
    assert run(command).returncode == 0
    assert gleaner.verify(tmp_path / "out")["as_written"]


def test_a_signal_ends_other_commands_as_it_ends_programs(tmp_path: Path) -> None:
    child = subprocess.Popen([*MODULE, "clean", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdin is not None and child.stderr is not None
    # It has begun to read when a pipe's worth is taken.
    child.stdin.write(b"<p>" + b"word " * (1 << 16))
    child.stdin.flush()
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == -signal.SIGINT
    assert child.stderr.read() == b""


def test_a_reader_that_is_gone_is_a_clean_end(sample: Path) -> None:
    child = subprocess.Popen(
        [*MODULE, "clean", sample, "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None and child.stderr is not None
    child.stdout.close()
    assert child.wait(timeout=60) == 0
    assert b"error" not in child.stderr.read()
