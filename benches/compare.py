#!/usr/bin/env python3
"""gleaner beside FastWARC + resiliparse and trafilatura: the same WARC file, the same machine.

    python3 benches/compare.py CRAWL.warc.gz [--runs 3] [--sample 200] [--json]

Two rounds. The first gives all pages to gleaner, with and without site evidence, and to
FastWARC + resiliparse; the second gives every n-th page (about --sample of them, 0 for all) to all, because trafilatura takes minutes
for what the others do in seconds. Each round runs with one worker on one file, then with all cores
on the same pages split into four files a core, as a crawl's files are.

The systems take turns, --runs times, and medians are reported, so that a busy machine harms them
alike. CPU seconds are user and system time of the process and its children, from wait4; starting
Python is not counted, starting gleaner is. Megabytes are 10^6 bytes of decoded HTML, counted once
for all. Each system does its own work: the Python ones throw their text away, gleaner labels every
block and writes its Parquet tables.

Needs Python 3.10 and pip; the libraries go to target/venv-compare. Without CRAWL the
development pages in ../shared/data are taken, where they are.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["FastWARC==2.0.1", "Resiliparse==2.0.1", "trafilatura==2.3.1", "lxml_html_clean"]
DEFAULT_INPUT = ROOT.parent / "shared/data/pages/wcxb-dev.warc.gz"
NAMES = {"gleaner": "gleaner build", "one-pass": "gleaner, --no-templates",
         "resiliparse": "FastWARC + resiliparse", "trafilatura": "FastWARC + trafilatura"}

OURS = {"gleaner", "one-pass"}


def main():
    options = arguments()
    python = environment(ROOT / "target/venv-compare")
    folder = Path(tempfile.mkdtemp(prefix="compare-", dir=ROOT / "target"))
    try:
        rounds = list(compare(options, python, folder))
    finally:
        shutil.rmtree(folder)
    print(json.dumps(rounds, indent=1) if options.json else report(rounds))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("warc", nargs="?", type=Path, default=DEFAULT_INPUT, metavar="CRAWL.warc.gz")
    parser.add_argument("--runs", type=int, default=3, help="turns of every system (default 3)")
    parser.add_argument("--sample", type=int, default=200, help="pages of the second round, 0 for all")
    parser.add_argument("--systems", default="gleaner,one-pass,resiliparse,trafilatura", help="which of them, by comma")
    parser.add_argument("--gleaner", type=Path, default=ROOT / "target/release/gleaner", help="the release binary")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="all cores: how many")
    parser.add_argument("--json", action="store_true", help="print every run as JSON")
    options = parser.parse_args()
    options.systems = options.systems.split(",")
    if unknown := set(options.systems) - set(NAMES):
        parser.error(f"no system called {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if not options.warc.is_file():
        parser.error(f"{options.warc}: no such file; name a .warc.gz file to measure on")
    if OURS & set(options.systems) and not options.gleaner.is_file():
        parser.error(f"{options.gleaner}: no such program; run `cargo build --release` first")
    return options


def environment(folder):
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True, stdout=sys.stderr)
    return python


def compare(options, python, folder):
    """A round of measurements as a dictionary, for all pages and then for the sample."""
    members = list(gzip_members(options.warc.read_bytes()))
    fast = [name for name in options.systems if name != "trafilatura"]
    if fast:
        yield from one_round("all pages", members, fast, options, python, folder)
    if "trafilatura" in options.systems:
        step = max(1, len(members) // options.sample) if options.sample else 1
        title = f"every {step}th page" if step > 1 else "all pages"
        yield from one_round(title, members[::step], options.systems, options, python, folder)


def gzip_members(data):
    """The compressed records of a file, each a gzip member of its own."""
    while data:
        decoder = zlib.decompressobj(wbits=31)
        try:
            decoder.decompress(data)
        except zlib.error as error:
            raise SystemExit(f"a damaged record ({error}): the comparison needs a sound file") from None
        if not decoder.eof:
            raise SystemExit("the file ends inside a record: the comparison needs a whole one")
        yield data[: len(data) - len(decoder.unused_data)]
        data = decoder.unused_data


def one_round(title, members, systems, options, python, folder):
    pages, html_bytes = count_html(members)
    for workers in dict.fromkeys([1, options.cores]):
        files = write_parts(members, 1 if workers == 1 else 4 * workers, folder)
        runs = {name: [] for name in systems}
        for turn in range(options.runs):
            for name in systems:
                print(f"{title}, {workers} workers, turn {turn + 1}: {NAMES[name]}", file=sys.stderr)
                runs[name].append(measure(name, files, workers, options, python, folder))
        yield {"pages_of": title, "pages": pages, "html_bytes": html_bytes, "workers": workers,
               "systems": {name: summary(found, pages, html_bytes) for name, found in runs.items()}}


def count_html(members):
    """Pages, and bytes of HTML: bodies of responses, Content-Encoding undone."""
    pages = size = 0
    for member in members:
        head, _, rest = zlib.decompress(member, wbits=31).partition(b"\r\n\r\n")
        if b"warc-type: response" not in head.lower():
            continue
        http, _, body = rest[:-4].partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b":", 1) for line in http.split(b"\r\n")[1:] if b":" in line)
        if b"html" not in fields.get(b"content-type", b"html"):
            continue
        if b"gzip" in fields.get(b"content-encoding", b"") and body[:2] == b"\x1f\x8b":
            body = zlib.decompressobj(wbits=31).decompress(body)
        pages, size = pages + 1, size + len(body)
    return pages, size


def write_parts(members, count, folder):
    """The records dealt out to `count` files, in turn."""
    for old in folder.glob("*.warc.gz"):
        old.unlink()
    paths = []
    for part in range(count):
        paths.append(folder / f"part-{part:02}.warc.gz")
        paths[-1].write_bytes(b"".join(members[part::count]))
    return [path for path in paths if path.stat().st_size]


def measure(name, files, workers, options, python, folder):
    out = folder / "corpus"
    if name in OURS:
        command = [options.gleaner, "build", *files, "--out", out, "--workers", str(workers), "--json"]
        command += ["--no-templates"] if name == "one-pass" else []
    else:
        command = [python, Path(__file__).with_name("rivals.py"), name, str(workers), *files]
    run = timed(command)
    shutil.rmtree(out, ignore_errors=True)
    said = json.loads(run.pop("stdout"))
    run["cpu"] -= said.get("startup_cpu", 0)
    run["peak"] = max(run["peak"], said.get("peak_memory_bytes", 0) or 0)
    run["pages"] = said["captures"] if name in OURS else said["pages"]
    run["failed"] = said.get("failed", 0)
    return run


def timed(command):
    """Runs a command; its output, wall and CPU seconds and peak memory, children included."""
    measured = [sys.executable, Path(__file__).with_name("measured.py"), *command]
    done = subprocess.run(measured, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    run = json.loads(done.stdout)
    if run.pop("status") != 0:
        raise SystemExit(f"{done.stderr}{command[0]} failed")
    return run


def summary(runs, pages, html_bytes):
    cpu, wall = (statistics.median(run[key] for run in runs) for key in ("cpu", "wall"))
    spread = (max(run["cpu"] for run in runs) - min(run["cpu"] for run in runs)) / cpu
    return {"cpu_seconds": cpu, "wall_seconds": wall, "cpu_spread": spread,
            "pages_read": runs[0]["pages"], "pages_failed": runs[0]["failed"],
            "pages_per_cpu_second": pages / cpu, "megabytes_per_cpu_second": html_bytes / 1e6 / cpu,
            "pages_per_second": pages / wall, "megabytes_per_second": html_bytes / 1e6 / wall,
            "peak_memory_bytes": max(run["peak"] for run in runs), "runs": runs}


def report(rounds):
    lines = []
    for found in rounds:
        workers = found["workers"]
        lines.append(f"{found['pages_of']}: {found['pages']:,} pages, {found['html_bytes'] / 1e6:.1f} MB of HTML, "
                     f"{workers} worker{'s' if workers > 1 else ''}")
        lines.append(f"  {'':24}{'CPU s':>8}{'±':>6}{'wall s':>8}{'pages/CPU-s':>13}"
                     f"{'MB/CPU-s':>10}{'pages/s':>9}{'peak MB':>9}")
        lines += (row(NAMES[name], system) for name, system in found["systems"].items())
        lines += ratios(found["systems"])
        lines += remarks(found)
        lines.append("")
    return "\n".join(lines).rstrip()


def row(name, system):
    return (f"  {name:24}{system['cpu_seconds']:8.2f}{system['cpu_spread']:6.0%}{system['wall_seconds']:8.2f}"
            f"{system['pages_per_cpu_second']:13.1f}{system['megabytes_per_cpu_second']:10.1f}"
            f"{system['pages_per_second']:9.1f}{system['peak_memory_bytes'] / 1e6:9.0f}")


def ratios(systems):
    """gleaner against each of the others; without it, the first against the rest."""
    first, *others = systems
    for other in others:
        cpu = systems[other]["cpu_seconds"] / systems[first]["cpu_seconds"]
        wall = systems[other]["wall_seconds"] / systems[first]["wall_seconds"]
        yield f"  {NAMES[first]} : {NAMES[other]} = {cpu:.2f} by CPU seconds, {wall:.2f} by wall clock"


def remarks(found):
    """What stops the rows from being compared as they stand."""
    for name, system in found["systems"].items():
        if system["pages_read"] != found["pages"]:
            yield f"  {NAMES[name]} read {system['pages_read']:,} pages of {found['pages']:,}"
        if system["pages_failed"]:
            yield f"  {NAMES[name]} failed on {system['pages_failed']:,} pages"


if __name__ == "__main__":
    main()
