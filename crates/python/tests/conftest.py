"""What the tests share: the bundled crawl, and a larger one that takes seconds to build."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import pytest

# Where Ctrl-C is ignored, as in a job in the background, programs that tests start would ignore it, too.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[3]
WORDS = [
    "tide",
    "harbour",
    "lantern",
    "keeper",
    "gravel",
    "orchard",
    "window",
    "ledger",
    "salt",
    "copper",
    "meadow",
]


@pytest.fixture(scope="session")
def sample() -> Path:
    return ROOT / "tests" / "data" / "sample.warc.gz"


@pytest.fixture(scope="session")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A WARC file of 1,000 pages."""
    file = tmp_path_factory.mktemp("crawl") / "crawl.warc"
    chance = random.Random(60)
    with file.open("wb") as out:
        for number in range(1000):
            out.write(record(f"https://site{number % 40}.example/{number}", page(chance)))
    return file


def page(chance: random.Random) -> bytes:
    paragraphs = (" ".join(chance.choices(WORDS, k=60)) for _ in range(30))
    text = "".join(f"<p>{paragraph}.</p>" for paragraph in paragraphs)
    return f"<html><body><nav>Home | About</nav><h1>Page</h1>{text}</body></html>".encode()


def record(url: str, body: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: 2024-05-14T06:30:02Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"
