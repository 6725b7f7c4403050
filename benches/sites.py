#!/usr/bin/env python3
"""What sites cost a build: CPU time with one worker, with and without --no-templates.

    python3 benches/sites.py INPUT... [--runs 5] [--most 15]

The two take turns, so that a busy machine harms them alike. CPU seconds are user and system time, peak memory is
that of the process; medians are printed. With --most, the status is 1 if sites cost more than this percentage.
"""
import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="what gleaner build takes")
    parser.add_argument("--runs", type=int, default=5, help="turns (default 5)")
    parser.add_argument("--most", type=float, help="percent that sites may cost")
    parser.add_argument("--gleaner", type=Path, default=ROOT / "target/release/gleaner", help="the release binary")
    options = parser.parse_args()
    if not options.gleaner.is_file():
        parser.error(f"{options.gleaner}: no such program; run `cargo build --release` first")
    folder = Path(tempfile.mkdtemp(prefix="sites-"))
    try:
        runs = [(measure(options, folder), measure(options, folder, "--no-templates")) for _ in range(options.runs)]
    finally:
        shutil.rmtree(folder)
    sites, alone = ([statistics.median(run[field] for run in side) for field in ("cpu", "peak")] for side in zip(*runs))
    cost = 100 * (sites[0] / alone[0] - 1)
    print(f"with sites     {sites[0]:6.2f} CPU s  {sites[1] / 1e6:4.0f} MB")
    print(f"without        {alone[0]:6.2f} CPU s  {alone[1] / 1e6:4.0f} MB")
    turns = sorted(100 * (own["cpu"] / other["cpu"] - 1) for own, other in runs)
    half = [turns[len(turns) * place // 4] for place in (1, 3)]
    print(f"sites cost     {cost:6.1f} %  (half of the turns: {half[0]:.1f} to {half[1]:.1f} %)")
    return int(options.most is not None and cost > options.most)


def measure(options, folder, *more):
    """A build's CPU seconds and its peak memory in bytes."""
    out = folder / "corpus"
    command = [options.gleaner, "build", *options.inputs, "--out", out, "--workers", "1", *more]
    measured = [sys.executable, Path(__file__).with_name("measured.py"), *command]
    done = subprocess.run(measured, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    shutil.rmtree(out, ignore_errors=True)
    run = json.loads(done.stdout)
    if run["status"] != 0:
        raise SystemExit(f"{done.stderr}gleaner failed")
    return run


if __name__ == "__main__":
    sys.exit(main())
