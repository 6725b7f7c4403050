#!/usr/bin/env python3
"""What changes cost, in CPU time against a build of the whole, with one worker (docs/living.md).

    python3 benches/changes.py [ARCHIVE...] [--sites 200] [--runs 3] [--no-signals]

Each archive counts as a site; sites of 60 made pages are added up to --sites. A build of all pages and changes take
turns; medians are printed. A change is of a copy of a corpus that lacks what it adds:

    sites     all pages of 1% of the sites
    crawl     1% of the pages of all sites, as a crawl with a label
    pages     the same without labels
    removal   the archive of `sites` again, which is removed
    page      a page of a made site with 10,000 pages, against a build of that site. One page in ten changes the sample of its
              site, and then all are labelled again
"""
import argparse
import gzip
import hashlib
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MADE_PAGES = 60
LARGE_SITE = 10_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("archives", nargs="*", type=Path, metavar="ARCHIVE", help="WARC files with a gzip member a record")
    parser.add_argument("--sites", type=int, default=200, help="how many sites there are (default 200)")
    parser.add_argument("--runs", type=int, default=3, help="turns (default 3)")
    parser.add_argument("--no-signals", action="store_true", help="without the table signals")
    parser.add_argument("--gleaner", type=Path, default=ROOT / "target/release/gleaner", help="the release binary")
    options = parser.parse_args()
    if not options.gleaner.is_file():
        parser.error(f"{options.gleaner}: no such program; run `cargo build --release` first")
    with tempfile.TemporaryDirectory(prefix="changes-") as folder:
        report(options, Path(folder))


def report(options, folder):
    few, many = parts(options, folder)
    large, page = [], []
    for number, member in enumerate(made_site("large", LARGE_SITE + 1)):
        (page if number == LARGE_SITE else large).append(member)
    large, page = archive(folder / "large.warc.gz", large), archive(folder / "page.warc.gz", page)
    cases = [
        Case("sites", [many["sites"]], few["sites"], []),
        Case("crawl", [many["pages"]], few["pages"], ["--crawl"]),
        Case("pages", [many["pages"]], few["pages"], []),
        Case("removal", [many["sites"], few["sites"]], few["sites"], [], "remove"),
        Case("page", [large], page, []),
    ]
    for case in cases:
        case.prepare(options, folder)
    for _ in range(options.runs):
        for case in cases:
            case.turn(options, folder)
    for case in cases:
        print(case)


def parts(options, folder):
    """Two divisions of all pages, as an archive of few and one of many: by sites, and by pages."""
    sites = [members(archive) for archive in options.archives]
    sites += [made_site(f"made{number}", MADE_PAGES) for number in range(len(sites), options.sites)]
    divided = {"sites": ([], []), "pages": ([], [])}
    for number, site in enumerate(sites):
        is_few = number % 100 == 30
        for member in site:
            divided["sites"][not is_few].append(member)
            digest = hashlib.blake2b(member, digest_size=8).digest()
            divided["pages"][int.from_bytes(digest, "big") % 100 != 0].append(member)
    few = {name: archive(folder / f"few-{name}.warc.gz", some) for name, (some, _) in divided.items()}
    many = {name: archive(folder / f"many-{name}.warc.gz", others) for name, (_, others) in divided.items()}
    return few, many


class Case:
    """A change of a corpus, and a build of all that the corpus has after it."""

    def __init__(self, name, before, changed, options, command="add"):
        self.name, self.before, self.changed, self.options, self.command = name, before, changed, options, command
        self.costs = []

    def prepare(self, options, folder):
        self.corpus = folder / f"corpus-{self.name}"
        run(options, "build", *self.before, "--out", self.corpus, *self.labelled("a"), *tables(options))

    def labelled(self, crawl):
        return [*self.options, crawl] if self.options else []

    def turn(self, options, folder):
        whole, copy = folder / "whole", folder / "copy"
        after = self.before if self.command == "remove" else [*self.before, self.changed]
        built = run(options, "build", *after, "--out", whole, *tables(options))
        shutil.copytree(self.corpus, copy)
        what = [self.changed, *self.labelled("b")]
        if self.command == "remove":
            what = ["--input", self.changed.name, "--reason", "bench"]
        changed = run(options, self.command, copy, *what)
        self.costs.append((built["cpu"], changed["cpu"], changed["wall"]))
        shutil.rmtree(whole)
        shutil.rmtree(copy)

    def __str__(self):
        built, cpu, wall = (statistics.median(costs) for costs in zip(*self.costs))
        return f"{self.name:8} {cpu:6.2f} CPU s of {built:6.2f} ({100 * cpu / built:4.1f}%)  {wall:6.2f} s"


def tables(options):
    return ["--no-signals"] if options.no_signals else []


def run(options, command, *arguments):
    """The CPU seconds of a command of gleaner, and how long it took."""
    measured = [sys.executable, Path(__file__).with_name("measured.py"), options.gleaner, command, *arguments, "--workers", "1"]
    done = subprocess.run(measured, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    cost = json.loads(done.stdout)
    if cost["status"] != 0:
        raise SystemExit(f"{done.stderr}gleaner failed")
    return cost


def archive(path, some):
    path.write_bytes(b"".join(some))
    return path


def members(path):
    """The records of an archive, each with its member of gzip, without what is before the first page."""
    data, found = path.read_bytes(), []
    while data:
        decoder = zlib.decompressobj(wbits=31)
        record = decoder.decompress(data) + decoder.flush()
        if b"WARC-Type: response" in record[:2000]:
            found.append(data[: len(data) - len(decoder.unused_data)])
        data = decoder.unused_data
    return found


def made_site(name, pages):
    """Pages with a menu, texts of a few hundred words, and a foot."""
    chance = random.Random(name)
    words = [f"{chance.choice(SYLLABLES)}{chance.choice(SYLLABLES)}{chance.choice(ENDS)}" for _ in range(4000)]
    menu = "".join(f"<li><a href='/{word}'>{word}</a></li>" for word in words[:40])
    found = []
    for number in range(pages):
        sentences = lambda count: " ".join(f"{' '.join(chance.choices(words, k=12)).capitalize()}." for _ in range(count))
        texts = "".join(f"<p>{sentences(chance.randint(2, 6))}</p>" for _ in range(chance.randint(4, 12)))
        html = (f"<!doctype html><html lang=en><title>{sentences(1)}</title><nav><ul>{menu}</ul></nav>"
                f"<main><h1>{sentences(1)}</h1>{texts}</main><footer>{name}, all rights reserved</footer></html>")
        found.append(made_page(f"http://{name}.example/{number}", number, html.encode()))
    return found


def made_page(url, number, html):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(html)}\r\n\r\n".encode()
    digest = hashlib.blake2b(url.encode(), digest_size=16).hexdigest()
    identity = "-".join(digest[begin:end] for begin, end in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
    day = f"2026-01-{1 + number % 28:02}T00:00:00Z"
    named = (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {day}\r\n"
             f"WARC-Record-ID: <urn:uuid:{identity}>\r\nContent-Type: application/http; msgtype=response\r\n"
             f"Content-Length: {len(head) + len(html)}\r\n\r\n")
    return gzip.compress(named.encode() + head + html + b"\r\n\r\n", mtime=0)


SYLLABLES = ["har", "bo", "ti", "de", "lan", "mer", "sto", "ven", "ka", "ri", "lo", "pen"]
ENDS = ["s", "ing", "ed", "er", "", "ly", "ness"]

if __name__ == "__main__":
    main()
