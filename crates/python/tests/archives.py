"""Archives for tests, as crawlers write them."""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable

SENTENCE = "The sea rises and falls twice a day, because the moon and the sun pull at the water."
PAGE = f"<html lang=en><title>Tides</title><h1>Tides</h1><p>{SENTENCE}</p><p>{SENTENCE}</p></html>".encode()


def record(kind: str, url: str, content_type: str, block: bytes, fields: str = "") -> bytes:
    """A record of a WARC file."""
    header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{kind}:{url}>\r\n"
        f"WARC-Date: 2024-05-14T06:30:00.250Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: {content_type}\r\n{fields}Content-Length: {len(block)}\r\n\r\n"
    )
    return header.encode() + block + b"\r\n\r\n"


def response(
    url: str,
    body: bytes = PAGE,
    headers: str = "Content-Type: text/html; charset=utf-8",
    status: int = 200,
) -> bytes:
    """What a server answered."""
    message = f"HTTP/1.1 {status} X\r\n{headers}\r\n\r\n".encode() + body
    return record("response", url, "application/http; msgtype=response", message)


def records() -> list[bytes]:
    """Captures of all kinds, and what is none."""
    site = "https://sea.example"
    return [
        record("warcinfo", "", "application/warc-fields", b"software: test\r\n"),
        record(
            "request", f"{site}/", "application/http; msgtype=request", b"GET / HTTP/1.1\r\n\r\n"
        ),
        response(f"{site}/"),
        response(
            f"{site}/latin",
            "<p>Söderköping är en stad.".encode("latin-1"),
            "Content-Type: text/html; charset=latin1",
        ),
        response(f"{site}/gone", status=404),
        response(f"{site}/moved", b"", "Location: /", 301),
        response(f"{site}/sea.png", b"\x89PNG\r\n\x1a\n\0\0", "Content-Type: image/png"),
        response(f"{site}/pdf", b"%PDF-1.7\n\0\1\2\3", "Content-Type: text/html"),
        response(f"{site}/robots.txt", b"User-agent: *", "Content-Type: text/plain"),
        response(
            f"{site}/packed",
            gzip.compress(PAGE),
            "Content-Type: text/html\r\nContent-Encoding: gzip",
        ),
        record("response", f"{site}/no-http", "application/http; msgtype=response", b"not HTTP"),
        record("resource", f"urn:text:{site}/", "text/html", PAGE),
        record("resource", "metadata://crawl/log", "text/plain", b"fetched 3 pages"),
        record("conversion", f"{site}/wet", "text/plain", SENTENCE.encode() * 3),
        record("continuation", f"{site}/", "text/html", b"rest", "WARC-Segment-Number: 2\r\n"),
        record("resource", f"{site}/cut", "text/html", PAGE, "WARC-Truncated: length\r\n"),
        record("metadata", f"{site}/", "application/warc-fields", b"a: b\r\n"),
    ]


def packed(compress: Callable[[bytes], bytes] = gzip.compress) -> bytes:
    """All records, each in a member of its own."""
    return b"".join(compress(record) for record in records())


def damaged() -> bytes:
    """An archive with garbage, a broken member and a cut at its end."""
    members = [gzip.compress(record) for record in records()]
    broken = bytearray(members[2])
    broken[len(broken) // 2] ^= 0xFF
    return members[0] + b"garbage" * 9 + bytes(broken) + b"".join(members[3:]) + members[2][:-20]


def arc() -> bytes:
    """An ARC file of two captures."""
    head = b"filedesc://old.arc 0.0.0.0 19970616061332 text/plain 3\n1 0\n"
    page = b"HTTP/1.0 200 OK\nContent-type: text/html\n\n" + PAGE
    gone = b"HTTP/1.0 404 Gone\nContent-type: text/html\n\n" + PAGE
    captures = (
        f"\nhttp://old.example/{name} 1.2.3.4 19970616061332 text/html {len(block)}\n".encode()
        + block
        + b"\n"
        for name, block in [("a", page), ("b", gone)]
    )
    return head + b"".join(captures)


def wacz() -> bytes:
    """Two archives in a ZIP file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/a.warc.gz", packed())
        archive.writestr("archive/b.warc", response("https://other.example/"))
        archive.writestr("datapackage.json", "{}")
    return file.getvalue()
