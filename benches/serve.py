"""Requests per second that the service answers: /clean with pages of about 100 KB.

    serve.py [--program PROGRAM] [--format FORMAT] [--seconds SECONDS] [--cores CORES] [CRAWL.warc.gz...]

Pages of 90 to 110 KB are taken from the archives, by default from those in GLEANER_DATA. `wrk` sends them in turn over 8 connections.
The service gets the cores that `--cores` names (as for taskset, default 0,1), with a worker for each; wrk runs on the same machine.
"""
import argparse
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("GLEANER_DATA", ROOT.parent / "shared/data"))
SIZES = range(90_000, 110_001)
MOST = 200

SCRIPT = """
local bodies = {}
for name in io.popen("ls '%s'"):lines() do
  local file = io.open('%s/' .. name, "rb")
  bodies[#bodies + 1] = file:read("*a")
  file:close()
end
local next = 0
request = function()
  next = next %% #bodies + 1
  return wrk.format("POST", "/clean?format=%s", {["Content-Type"] = "text/html"}, bodies[next])
end
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=ROOT / "target/release/gleaner")
    parser.add_argument("--format", default="text")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--cores", default="0,1")
    parser.add_argument("archives", nargs="*", type=Path)
    arguments = parser.parse_args()
    archives = arguments.archives or sorted((DATA / "pages").glob("*.warc.gz"))
    with tempfile.TemporaryDirectory() as folder:
        pages = [page for archive in archives for page in pages_of(archive) if len(page) in SIZES][:MOST]
        if not pages:
            sys.exit(f"no page of 90 to 110 KB in {', '.join(map(str, archives))}")
        for number, page in enumerate(pages):
            Path(folder, f"{number}.html").write_bytes(page)
        print(f"{len(pages)} pages of {sum(map(len, pages)) / len(pages):,.0f} bytes in the mean", flush=True)
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(SCRIPT % (folder, folder, arguments.format))
            script.flush()
            measure(arguments, script.name)


def measure(arguments, script):
    workers = str(len(arguments.cores.split(",")))
    command = ["taskset", "-c", arguments.cores, arguments.program, "serve", "--port", "0", "--workers", workers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as service:
        try:
            url = service.stdout.readline().strip()
            wrk = ["wrk", "--latency", "-t1", "-c8", "--timeout", "30s", "-s", script]
            subprocess.run([*wrk, "-d2s", url], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([*wrk, f"-d{arguments.seconds}s", url], check=True)
            used = os.sysconf("SC_CLK_TCK")
            fields = Path(f"/proc/{service.pid}/stat").read_text().rsplit(")", 1)[1].split()
            print(f"{(int(fields[11]) + int(fields[12])) / used:.1f} s of CPU time of the service")
        finally:
            service.terminate()


def pages_of(archive):
    """The bodies of responses that are HTML without a coding."""
    with gzip.open(archive, "rb") as file:
        while line := file.readline():
            if not line.startswith(b"WARC/"):
                continue
            head = fields(file)
            block = file.read(int(head[b"content-length"]))
            if head.get(b"warc-type") != b"response":
                continue
            http, _, body = block.partition(b"\r\n\r\n")
            if b"content-encoding:" not in http.lower() and b"transfer-encoding:" not in http.lower():
                yield body


def fields(file):
    head = {}
    while (line := file.readline().strip()):
        name, _, value = line.partition(b":")
        head[name.lower()] = value.strip()
    return head


if __name__ == "__main__":
    main()
