"""The Python extractors that compare.py measures gleaner against. Run by it, in its environment.

    rivals.py SYSTEM WORKERS WARC...

Reads the files, takes the main content of every HTML page and prints one JSON line: pages read,
characters of text, CPU seconds spent before the first page (interpreter and imports, which are not
held against a system) and the sum of the processes' peak memory.
"""
import json
import multiprocessing
import resource
import sys

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.parse.encoding import detect_encoding


def resiliparse(body):
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree
    tree = HTMLTree.parse_from_bytes(body, detect_encoding(body))
    return extract_plain_text(tree, main_content=True)


def trafilatura(body):
    from trafilatura import extract
    return extract(body)


SYSTEMS = {"resiliparse": resiliparse, "trafilatura": trafilatura}


def html_bodies(path):
    """The decoded bodies of a file's HTML responses, as FastWARC reads them."""
    with open(path, "rb") as file:
        records = ArchiveIterator(file, record_types=WarcRecordType.response, auto_decode="all")
        for record in records:
            if "html" in (record.http_content_type or "html"):
                yield record.reader.read()


def run(task):
    system, path = task
    extract = SYSTEMS[system]
    pages = characters = failed = 0
    for body in html_bodies(path):
        pages += 1
        try:
            characters += len(extract(body) or "")
        except Exception:  # a page that a rival can't do is counted, not a reason to stop
            failed += 1
    return pages, characters, failed, peak_rss()


def peak_rss():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    system, workers, paths = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    SYSTEMS[system](b"<p>imports what is imported on first use</p>")
    startup = cpu_seconds()
    tasks = [(system, path) for path in paths]
    if workers == 1:
        results = [run(task) for task in tasks]
        memory = peak_rss()
    else:
        # Forked after the imports, so that they are paid once. A file is a task, as a crawl's
        # files are for people who use these libraries.
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            results = pool.map(run, tasks, chunksize=1)
            pool.close()
            pool.join()
        largest = sorted((result[3] for result in results), reverse=True)
        memory = sum(largest[:workers])
    pages, characters, failed, _ = map(sum, zip(*results))
    print(json.dumps({"pages": pages, "characters": characters, "failed": failed,
                      "startup_cpu": startup, "peak_memory_bytes": memory}))


if __name__ == "__main__":
    main()
