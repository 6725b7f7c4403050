"""Speed of `gleaner render`: pages a second of an archive of small applications that is made here.

    python3 benches/render.py [--pages 200] [--tabs N] [--gleaner target/release/gleaner]

Each page has an element that a script fills: the script is shared, loads two JSON files, draws ten paragraphs, and waits for a timer.
Prints what `gleaner render` prints, and the CPU time of gleaner and the browser.
"""

import argparse
import gzip
import json
import resource
import subprocess
import tempfile
from pathlib import Path

SCRIPT = """
const app = document.getElementById('app');
const read = (url) => fetch(url).then((answer) => answer.json());
Promise.all([read('/site.json'), read(location.pathname + '.json')]).then(([site, page]) => {
  document.title = `${page.title} - ${site.name}`;
  app.innerHTML = `<header>${site.name}</header><main><h1>${page.title}</h1></main>`;
  let drawn = 0;
  const timer = setInterval(() => {
    const line = document.createElement('p');
    line.textContent = page.lines[drawn++];
    document.querySelector('main').append(line);
    if (drawn === page.lines.length) clearInterval(timer);
  }, 20);
});
"""


def record(url: str, media_type: str, body: str) -> bytes:
    message = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n{body}".encode()
    number = sum(map(ord, url)) + len(url)
    head = (
        "WARC/1.1\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:06d}{len(body):06d}>\r\n"
        f"WARC-Date: 2024-05-14T06:30:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(message)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + message + b"\r\n\r\n")


def archive(pages: int) -> bytes:
    site = "https://harbour.example"
    records = [
        record(f"{site}/app.js", "text/javascript", SCRIPT),
        record(f"{site}/site.json", "application/json", json.dumps({"name": "Harbour notes"})),
    ]
    html = "<!doctype html><meta charset=utf-8><div id=app></div><script src=/app.js></script>"
    for number in range(pages):
        lines = [f"Line {line} of note {number}: the tide turned at the {line + 2}th hour." for line in range(10)]
        page = json.dumps({"title": f"Note {number}", "lines": lines})
        records.append(record(f"{site}/{number}", "text/html", html))
        records.append(record(f"{site}/{number}.json", "application/json", page))
    return b"".join(records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--tabs", type=int)
    parser.add_argument("--gleaner", default="target/release/gleaner")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        crawl = Path(folder) / "applications.warc.gz"
        crawl.write_bytes(archive(options.pages))
        command = [options.gleaner, "render", str(crawl), "--out", f"{folder}/drawn.warc.gz"]
        if options.tabs:
            command += ["--tabs", str(options.tabs)]
        subprocess.run(command, check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"CPU time: {used.ru_utime + used.ru_stime:.1f} s")


if __name__ == "__main__":
    main()
