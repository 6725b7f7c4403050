#!/usr/bin/env python3
"""Writes sample.warc.gz, the small crawl that the README and the tests run on.

    python3 tests/data/make_sample.py            write tests/data/sample.warc.gz and sample.gold.jsonl
    python3 tests/data/make_sample.py --check    fail if they are not what this script would write

The sites, their people and their pages are invented. A page is a file in sample/SITE/: fields, a
line `---`, then its content in HTML, which the templates in sample/templates/ surround with what
sites surround their content with. The gold file says what the content was.

The crawl is as a crawler would have left it, trouble included: besides whole pages there are a
redirect, an error page, an image, a page without text, chunked and compressed bodies, old
charsets, a record that has rotted on the disk, and a file that ends in the middle of a record.

The same bytes come out everywhere: dates are fixed, nothing is random, gzip headers carry no time.
(Only a Python built with another compressor than zlib would compress differently.)
"""
import base64
import gzip
import hashlib
import json
import sys
import uuid
import zlib
from datetime import datetime, timedelta
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from string import Template

HERE = Path(__file__).resolve().parent
CONTENT = HERE / "sample"
CRAWL_START = datetime(2024, 5, 14, 6, 30, 2)
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://gleaner.example/sample")
AGENT = "sample-crawler/1.0 (+https://crawler.example/about)"
HOSTS = {
    "courier": ("www.marrowbaycourier.example", "192.0.2.10"),
    "slowsalt": ("slowsalt.example", "192.0.2.23"),
    "halden": ("haldenfrost.example", "192.0.2.41"),
    "lanterna": ("www.lanterna-walks.example", "198.51.100.7"),
}
SERVERS = {"courier": "nginx", "slowsalt": "Apache/2.4.57 (Debian)", "halden": "nginx/1.24.0", "lanterna": "Apache"}
# What the sites say of rights, behind the rules of all robots.txt.
RIGHTS = {
    "lanterna": b"\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n",
    "halden": b"Content-Signal: search=yes, ai-train=no\n",
}
FIELDS = "application/warc-fields"
TINY_GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


# Pages: content files into the HTML of a site.

class Page:
    """A content file: its fields, and the content in HTML that follows them."""

    def __init__(self, path):
        head, _, self.content = path.read_text(encoding="utf-8").partition("\n---\n")
        self.fields = dict(line.split(": ", 1) for line in head.splitlines())
        self.site, self.name = path.parent.name, path.stem

    def __getattr__(self, name):
        return self.fields.get(name, "")

    @property
    def url(self):
        return f"https://{HOSTS[self.site][0]}{self.path}"


def read_site(site):
    return [Page(path) for path in sorted((CONTENT / site).glob("*.html"))]


def template(name):
    return Template((CONTENT / "templates" / f"{name}.html").read_text(encoding="utf-8"))


def render(page, pages):
    """A page in its site's template. Lists of links come from the other pages of the site."""
    others = [other for other in articles(pages) if other is not page]
    start = pages.index(page)
    related = [others[(start + step) % len(others)] for step in range(1, 4)] if others else []
    slots = {name: escape(value, quote=False) for name, value in page.fields.items()}
    slots |= {
        "content": content(page, pages),
        "url": page.url,
        "day": day(page.date) if page.date else "",
        "related": links(related),
        "popular": links(sorted(others, key=lambda other: other.path)[:5]),
        "recent": links(sorted(others, key=lambda other: other.date, reverse=True)[:5]),
        "charset": page.charset or "utf-8",
        "direction": ' dir="rtl"' if page.language == "ar" else "",
    }
    return template(page.template).substitute(slots)


def articles(pages):
    return [page for page in pages if page.date and not page.lists]


def content(page, pages):
    """What the page is there for: its text, its posts, or a list of the site's other pages."""
    if page.lists:
        entry = template(page.lists)
        listed = [other for other in articles(pages) if not page.only or other.section == page.only]
        newest_first = sorted(listed, key=lambda other: other.date, reverse=True)
        return "".join(entry.substitute(listing(other)) for other in newest_first)
    if page.posts:
        return "".join(template(page.posts).substitute(post) for post in posts(page.content))
    return page.content


def listing(page):
    fields = {name: escape(value, quote=False) for name, value in page.fields.items()}
    opening = page.content.partition("</p>")[0] + "</p>"
    return fields | {"day": day(page.date), "opening": opening}


def posts(text):
    """Posts of a thread: each begins with a line `== author, time`."""
    for number, part in enumerate(text.split("== ")[1:], start=1):
        heading, _, body = part.partition("\n")
        author, _, when = heading.partition(", ")
        count = 17 * len(author) + number
        yield {"number": number, "author": author, "when": when, "body": body.strip(), "count": count}


def links(pages):
    return "".join(f'<li><a href="{page.path}">{escape(page.title, quote=False)}</a></li>' for page in pages)


def day(date):
    return datetime.fromisoformat(date).strftime("%-d %B %Y")


# Records: pages into WARC records.

class Crawl:
    """Records as they are written, a gzip member each, with a clock that moves on."""

    def __init__(self):
        self.members, self.now = [], CRAWL_START

    def record(self, kind, target, content_type, block, **fields):
        time = f"{self.now:%Y-%m-%dT%H:%M:%SZ}"
        headers = {"WARC-Type": kind, "WARC-Record-ID": record_id(kind, target), "WARC-Date": time}
        if not target.startswith("warcinfo:"):
            headers["WARC-Target-URI"] = target
        headers |= {name.replace("_", "-"): value for name, value in fields.items()}
        headers |= {"WARC-Block-Digest": sha1(block), "Content-Type": content_type, "Content-Length": str(len(block))}
        head = http_head("WARC/1.1", headers.items())
        self.members.append(gzip.compress(head + block + b"\r\n\r\n", 9, mtime=0))

    def start(self):
        about = fields_block({"software": "make_sample.py", "format": "WARC File Format 1.1", "robots": "obey",
                              "http-header-user-agent": AGENT, "description": "invented sites"})
        self.record("warcinfo", "warcinfo:sample", FIELDS, about, WARC_Filename="sample.warc.gz")

    def fetch(self, url, ip, status, headers, body, kind="response", milliseconds=180, **fields):
        """The three records of one fetch: request, response, and the crawler's metadata."""
        host, _, path = url.removeprefix("https://").partition("/")
        asked = [("Host", host), ("User-Agent", AGENT), ("Accept", "text/html,*/*;q=0.8")]
        request = http_head(f"GET /{path} HTTP/1.1", asked)
        response = http_head(f"HTTP/1.1 {status}", headers)
        main = record_id(kind, url)
        self.record("request", url, "application/http; msgtype=request", request,
                    WARC_IP_Address=ip, WARC_Concurrent_To=main)
        self.record(kind, url, "application/http; msgtype=response", response + body, WARC_IP_Address=ip,
                    WARC_Payload_Digest=sha1(body), **fields)
        about = {"fetchTimeMs": milliseconds, "via": f"https://{host}/"}
        self.record("metadata", url, FIELDS, fields_block(about), WARC_Concurrent_To=main)
        self.now += timedelta(seconds=2, milliseconds=milliseconds)

    def file(self, site, path, content_type, body, status="200 OK", headers=()):
        """Something that is fetched and is not one of the pages."""
        host, ip = HOSTS[site]
        length = [("Content-Type", content_type), ("Content-Length", str(len(body)))]
        self.fetch(f"https://{host}{path}", ip, status, with_server([*length, *headers], site), body)

    def page(self, page, html, ip):
        body, headers = html.encode(page.charset or "utf-8", "xmlcharrefreplace"), []
        headers.append(("Content-Type", page.content_type or "text/html; charset=utf-8"))
        body, headers = encoded(body, headers, page.encoding.split())
        self.fetch(page.url, ip, page.status or "200 OK", with_server(headers, page.site), body,
                   milliseconds=90 + len(body) % 400)
        if page.damage == "rotten":
            self.members[-2] = rot(self.members[-2])


def http_head(first, headers):
    return "\r\n".join([first, *(f"{name}: {value}" for name, value in headers), "", ""]).encode()


def record_id(kind, target):
    return f"<urn:uuid:{uuid.uuid5(NAMESPACE, f'{kind} {target}')}>"


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def fields_block(fields):
    return "".join(f"{name}: {value}\r\n" for name, value in fields.items()).encode()


def with_server(headers, site):
    date = ("Date", "Tue, 14 May 2024 06:30:00 GMT")
    return [date, ("Server", SERVERS[site]), *headers, ("Vary", "Accept-Encoding")]


def encoded(body, headers, codings):
    """The body as it went over the wire: compressed, in chunks, or both."""
    if "gzip" in codings:
        body, headers = gzip.compress(body, 9, mtime=0), [*headers, ("Content-Encoding", "gzip")]
    if "deflate" in codings:
        body, headers = zlib.compress(body, 9), [*headers, ("Content-Encoding", "deflate")]
    if "chunked" in codings:
        size = 1400
        chunks = [body[start : start + size] for start in range(0, len(body), size)]
        body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
        return body, [*headers, ("Transfer-Encoding", "chunked")]
    return body, [*headers, ("Content-Length", str(len(body)))]


def rot(member):
    """A record whose middle was overwritten, as a bad disk or an interrupted copy leaves it."""
    middle = len(member) // 2
    return member[:middle] + b"\xde\xad\xbe\xef" * 24 + member[middle + 96 :]


# The crawl.

def crawl():
    """All records in the order of the crawl, the file's bytes."""
    made = Crawl()
    made.start()
    for site, (host, ip) in HOSTS.items():
        address = f"{made.now:%Y%m%d%H%M%S}\r\n{host}.\t300\tIN\tA\t{ip}\r\n".encode()
        made.record("response", f"dns:{host}", "text/dns", address, WARC_IP_Address="192.0.2.1")
        robots = b"User-agent: *\nDisallow: /search\nCrawl-delay: 2\n" + RIGHTS.get(site, b"")
        made.file(site, "/robots.txt", "text/plain", robots)
        pages = read_site(site)
        for page in pages:
            made.page(page, render(page, pages), ip)
        if site == "courier":
            oddities(made, site, pages[1])
    *whole, response, _metadata = made.members
    return b"".join(whole) + response[: len(response) // 2]


def oddities(made, site, seen):
    """What a crawl meets besides pages."""
    host, ip = HOSTS[site]
    moved = b"<html><head><title>301</title></head><body><h1>Moved Permanently</h1></body></html>"
    made.file(site, "/index.php", "text/html", moved, "301 Moved Permanently", [("Location", f"https://{host}/")])
    made.file(site, "/static/pixel.gif", "image/gif", TINY_GIF)
    made.file(site, "/healthz", "text/html", b"")
    made.fetch(f"{seen.url}?from=newsletter", ip, "200 OK", with_server([("Content-Type", "text/html")], site), b"",
               kind="revisit", WARC_Profile="http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
               WARC_Refers_To=record_id("response", seen.url), WARC_Refers_To_Target_URI=seen.url)


# The gold.

class Text(HTMLParser):
    """The text of a fragment, a line a block."""

    BLOCKS = {"p", "li", "h2", "h3", "pre", "blockquote", "div", "dt", "dd", "tr", "figcaption"}

    def __init__(self):
        super().__init__()
        self.lines, self.raw = [""], False

    def handle_starttag(self, tag, _attributes):
        self.raw = self.raw or tag == "pre"
        self.lines += [""] if tag in self.BLOCKS or tag == "br" else []

    def handle_endtag(self, tag):
        self.raw = self.raw and tag != "pre"
        self.lines += [""] if tag in self.BLOCKS else []

    def handle_data(self, data):
        first, *more = data.split("\n") if self.raw else [data]
        self.lines[-1] += first
        self.lines += more


def text_of(fragment):
    parser = Text()
    parser.feed(fragment)
    parser.close()
    return "\n".join(line for line in (" ".join(line.split()) for line in parser.lines) if line)


def gold():
    """A line a page with content of its own: its title and its text."""
    for site in HOSTS:
        for page in read_site(site):
            if page.content.strip() and not (page.lists or page.status or page.damage):
                parts = [post["body"] for post in posts(page.content)] if page.posts else [page.content]
                text = "\n".join([page.title, *map(text_of, parts)])
                yield {"record_id": record_id("response", page.url), "url": page.url, "title": page.title, "text": text}


def main():
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in gold())
    files = {HERE / "sample.warc.gz": crawl(), HERE / "sample.gold.jsonl": lines.encode()}
    for path, data in files.items():
        if "--check" not in sys.argv[1:]:
            path.write_bytes(data)
        elif not path.exists() or path.read_bytes() != data:
            sys.exit(f"{path.name} is not what make_sample.py writes: run it, and commit what it wrote")


if __name__ == "__main__":
    main()
