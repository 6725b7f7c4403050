#!/usr/bin/env python3
"""What a build costs by module, in instructions a page, for one or two commits.

    python3 benches/instructions.py [BASE [NEW]] [--crawl CRAWL.warc.gz] [--every 10] [--depth 1]

BASE and NEW are commits; NEW is the working tree if it is not given, and BASE is HEAD. Each is built once,
without link-time optimisation, and builds every n-th response of CRAWL with one worker under callgrind. The
counts are kept in target/instructions, by commit and sample: a second run compares without building.

A row is a module: a file or folder of a crate's src, or of a path in it with --depth 2. Code that the compiler
put into another function counts where it is written. What libraries and the standard library do counts for the
module that calls them, in proportion to its calls. Rows below --least million instructions a page are summed.

Counts depend on the compiler and the processor that callgrind shows (it has AVX2, not AVX-512), not on what else
the machine does: two runs differ by less than a thousandth. Needs Python 3.10, git, cargo and valgrind.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import zlib
from collections import Counter, defaultdict
from pathlib import Path

from compare import DEFAULT_INPUT, ROOT, gzip_members

FOLDER = ROOT / "target/instructions"
# Lines alone: names and inlined code are all that is read, and all debug information is half a gigabyte.
SETTINGS = {"CARGO_PROFILE_PROFILING_DEBUG": "line-tables-only", "CARGO_TARGET_DIR": str(FOLDER / "target")}


def main():
    options = arguments()
    FOLDER.mkdir(parents=True, exist_ok=True)
    sample, pages = write_sample(options.crawl, options.every)
    counts = [count(commit, sample, options.depth) for commit in (options.base, options.new)]
    print(table(counts, pages, options))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("base", nargs="?", default="HEAD", help="the commit to compare with (default HEAD)")
    parser.add_argument("new", nargs="?", help="the commit that is compared (default the working tree)")
    parser.add_argument("--crawl", type=Path, default=DEFAULT_INPUT, help="the pages, a .warc.gz file")
    parser.add_argument("--every", type=int, default=10, help="take every n-th response (default 10)")
    parser.add_argument("--depth", type=int, default=1, help="parts of a module's path (default 1)")
    parser.add_argument("--least", type=float, default=0.1, help="million instructions a page of a row (default .1)")
    options = parser.parse_args()
    if not options.crawl.is_file():
        parser.error(f"{options.crawl}: no such file; name a .warc.gz file with --crawl")
    if not shutil.which("valgrind"):
        parser.error("no valgrind; install it with the system's packages")
    return options


def write_sample(crawl, every):
    """Every n-th response of a file as a file of its own, and how many there are."""
    responses = [member for member in gzip_members(crawl.read_bytes())
                 if b"\r\nwarc-type: response" in zlib.decompressobj(wbits=31).decompress(member, 2048).lower()]
    data = b"".join(responses[::every])
    path = FOLDER / f"{hashlib.sha256(data).hexdigest()[:12]}.warc.gz"
    path.write_bytes(data)
    return path, len(responses[::every])


def count(commit, sample, depth):
    """The instructions of a commit's build by module; of the working tree where there is no commit."""
    if commit is None:
        return by_module(measure(ROOT, sample, "tree"), depth)
    commit = subprocess.check_output(["git", "rev-parse", "--short=12", commit + "^{commit}"], cwd=ROOT, text=True).strip()
    kept = FOLDER / f"{commit}-{sample.name}.callgrind"
    if not kept.exists():
        tree = FOLDER / "source"
        run(["git", "worktree", "add", "--force", "--detach", tree, commit], ROOT)
        try:
            measure(tree, sample, commit)
        finally:
            run(["git", "worktree", "remove", "--force", tree], ROOT)
    return by_module(kept, depth)


def measure(tree, sample, name):
    run(["cargo", "build", "--quiet", "--profile", "profiling", "--bin", "gleaner"], tree)
    program, out = FOLDER / "target/profiling/gleaner", FOLDER / "corpus"
    counts = FOLDER / f"{name}-{sample.name}.callgrind"
    run(["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={counts}.part", "--quiet",
         program, "build", sample, "--out", out, "--workers", "1", "--json"], tree)
    shutil.rmtree(out)
    return counts.with_name(counts.name + ".part").rename(counts)


def run(command, folder):
    subprocess.run(command, cwd=folder, check=True, env=os.environ | SETTINGS, stdout=subprocess.DEVNULL)


def by_module(path, depth):
    own, calls = read(path, depth)
    modules = Counter()
    rest = Counter()
    for function, costs in own.items():
        for module, cost in costs.items():
            if module is None:
                rest[function] = cost
            else:
                modules[module] += cost
    # What libraries cost goes to their callers, whose libraries pass it on in the next round.
    for _ in range(100):
        passed = Counter()
        for function, cost in rest.items():
            callers = calls.get(function)
            if not callers:
                modules["(no caller)"] += cost
                continue
            total = sum(callers.values())
            for (caller, module), inclusive in callers.items():
                target, where = (modules, module) if module else (passed, caller)
                target[where] += cost * inclusive / total
        rest = passed
        if rest.total() < 1000:
            break
    modules["(no caller)"] += sum(rest.values())
    return modules


def read(path, depth):
    """Own cost by function and module, and cost of calls by function called, caller and its module.

    A module is None where the code is of a library and the function that has it is too."""
    files, names = {}, {}
    own = defaultdict(Counter)
    calls = defaultdict(Counter)
    function = called = home = module = None
    for line in path.open():
        if line[0] in "+-*0123456789":
            cost = int(line.split()[1])
            if called:
                # A function that calls itself passes nothing on.
                if called != function:
                    calls[called][function, module] += cost
                called = None
            else:
                own[function][module] += cost
        elif found := re.match(r"(c?f[nlie])=\((\d+)\)(?: (.*))?", line):
            kind, number, text = found.groups()
            table = names if kind.endswith("n") else files
            if text:
                table[number] = text
            if kind == "fl":
                home = module_of(table[number], depth)
            elif kind in ("fi", "fe"):
                module = module_of(table[number], depth) or home
            elif kind == "fn":
                function, module = number, home
            elif kind == "cfn":
                called = number
    return own, calls


def module_of(file, depth):
    found = re.search(r"crates/([^/]+)/src/(.+)\.rs$", file)
    if not found or "/library/" in file:
        return None
    crate, place = found.groups()
    return f"{crate}/" + "/".join(place.split("/")[:depth])


def table(counts, pages, options):
    base, new = counts
    least = options.least * 1e6 * pages
    large = [name for name in base.keys() | new.keys() if max(base[name], new[name]) >= least]
    rows = [(name, base[name], new[name]) for name in sorted(large)]
    small = [sum(cost for name, cost in one.items() if name not in large) for one in counts]
    rows += [("smaller rows", *small), ("all", base.total(), new.total())]
    width = max(len(name) for name, *_ in rows)
    lines = [f"million instructions a page, {pages} pages", f"{'':{width}} {'base':>8} {'new':>8} {'+-':>8}"]
    for name, one, other in rows:
        one, other = one / pages / 1e6, other / pages / 1e6
        lines.append(f"{name:{width}} {one:8.2f} {other:8.2f} {other - one:+8.2f}")
    share = new.total() / base.total()
    return "\n".join([*lines, f"new is {share:.3f} of base"])


if __name__ == "__main__":
    main()
