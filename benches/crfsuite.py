#!/usr/bin/env python3
"""gleaner's labeller beside CRFsuite and the crate crfs: the same columns, one thread each.

    python3 benches/crfsuite.py [--iterations 20]

The example `tagging` of gleaner-content makes the columns (47 of 12 codes, five labels), times gleaner and
crfs on them and writes them down; python-crfsuite then gets every code at five offsets as an
attribute, as the Victor papers do. All train by L-BFGS with the same L2. Times are CPU seconds, for a
block; the time of an iteration is from CRFsuite's own log, and tagging is timed on items that are laid
out already, so that Python costs it nothing.

Needs Python 3.9 and pip; python-crfsuite goes to target/venv-crfsuite.
"""
import argparse
import re
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["python-crfsuite==0.9.12"]
OFFSETS = range(-2, 3)


def main():
    options = arguments()
    if options.columns:
        return measure(options)
    python = environment(ROOT / "target/venv-crfsuite")
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as folder:
        columns = Path(folder) / "columns"
        speed = ["cargo", "run", "--release", "--quiet", "-p", "gleaner-content", "--example", "tagging", "--"]
        ours = run([*speed, "--columns", columns])
        theirs = run([python, __file__, "--columns", columns, "--iterations", str(options.iterations)])
    print(report(parsed(ours + theirs)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--iterations", type=int, default=20, help="iterations of CRFsuite (default 20)")
    parser.add_argument("--columns", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def environment(folder):
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True, stdout=sys.stderr)
    return python


def run(command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def parsed(text):
    """Seconds a block by task and program."""
    times = {}
    for line in text.splitlines():
        program, task, blocks, seconds, _ = line.split("\t")
        times.setdefault(task, {})[program] = float(seconds.split()[0]) / int(blocks.split()[0])
    return times


def report(times):
    lines = [f"{'':24}{'program':12}{'us a block':>12}{'gleaner is':>16}"]
    for task, programs in times.items():
        for program, seconds in programs.items():
            ratio = seconds / programs["gleaner"]
            faster = "" if program == "gleaner" else f"{ratio:.1f} times as fast"
            lines.append(f"{task:24}{program:12}{seconds * 1e6:12.3f}{faster:>24}")
    return "\n".join(lines)


def measure(options):
    """Times CRFsuite on columns of a file. (Runs in the environment that has it.)"""
    import pycrfsuite

    pages = list(read(options.columns))
    blocks = sum(len(labels) for _, labels in pages)
    trainer = pycrfsuite.Trainer(verbose=True)
    trainer.select("lbfgs")
    trainer.set_params({"c2": 1.0, "max_iterations": options.iterations, "epsilon": 0.0, "period": 1000})
    log = []
    trainer.message = log.append
    sequences = []
    for items, labels in pages:
        sequence = pycrfsuite.ItemSequence(items)
        trainer.append(sequence, labels)
        sequences.append(sequence)
    with tempfile.NamedTemporaryFile() as model:
        trainer.train(model.name)
        tagger = pycrfsuite.Tagger()
        tagger.open(model.name)
        start = time.process_time()
        for sequence in sequences:
            tagger.tag(sequence)
        tagging = time.process_time() - start
    seconds = [float(found) for found in re.findall(r"Seconds required for this iteration: ([\d.]+)", "".join(log))]
    say("train, an iteration", blocks, statistics.median(seconds))
    say("tag", blocks, tagging)


def say(task, blocks, seconds):
    rate = blocks / seconds / 1e6
    print(f"CRFsuite\t{task}\t{blocks} blocks\t{seconds:.4f} s\t{rate:.3f} million blocks a second")


def read(path):
    """Each page as attributes of its blocks, and labels."""
    data = path.read_bytes()
    pages, columns = struct.unpack_from("<II", data)
    place = 8
    for _ in range(pages):
        (rows,) = struct.unpack_from("<I", data, place)
        codes = data[place + 4 : place + 4 + rows * columns]
        labels = data[place + 4 + rows * columns : place + 4 + rows * (columns + 1)]
        place += 4 + rows * (columns + 1)
        yield [attributes(codes, rows, columns, block) for block in range(rows)], [str(label) for label in labels]


def attributes(codes, rows, columns, block):
    return [f"c{column}@{offset}={codes[column * rows + block + offset]}"
            for column in range(columns) for offset in OFFSETS if 0 <= block + offset < rows]


if __name__ == "__main__":
    main()
