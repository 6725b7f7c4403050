"""Pages one by one and many at a time."""

from __future__ import annotations

import datetime
import gc
import inspect
import json
import random
import resource
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import gleaner
import pytest

URL = "https://river.example/2024/tide-mill"
TEXT = "The mill at the mouth of the river has ground corn for three hundred years, twice a day."
ARTICLE = f"""<html lang=en><title>The tide mill – River News</title><meta name=author content="Ada Ek">
<meta property=article:published_time content=2024-03-01><body>
<nav><ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul></nav>
<article><h1>The tide mill</h1><p>{TEXT} Its <a href=/wheel>wheel</a> is of oak, and was last renewed
in the year of the great storm.<ul><li>one stone<li>two sluices</ul></article>
<footer><a href=/terms>Terms of use</a></footer>"""
IMAGE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def page(number: int) -> str:
    return ARTICLE.replace("three hundred", f"{number}")


def test_a_page_in_every_format() -> None:
    text = gleaner.extract(ARTICLE, URL)
    assert text.startswith(f"The tide mill\n\n{TEXT}")
    assert "Terms of use" not in text
    assert gleaner.extract(ARTICLE.encode(), URL) == text
    assert gleaner.extract(bytearray(ARTICLE.encode()), URL) == text
    markdown = gleaner.extract(ARTICLE, URL, format="markdown", links=True)
    assert "[wheel](https://river.example/wheel)" in markdown
    assert "](" not in gleaner.extract(ARTICLE, URL, format="markdown")
    html = gleaner.extract(ARTICLE, URL, format="html", with_metadata=True)
    assert html.startswith("<!DOCTYPE html>") and '<meta name="author" content="Ada Ek">' in html
    fields = json.loads(gleaner.extract(ARTICLE, URL, format="json"))
    assert (fields["title"], fields["text"]) == ("The tide mill", text)
    front = gleaner.extract(ARTICLE, URL, with_metadata=True)
    assert front.startswith('---\ntitle: "The tide mill"\n') and front.endswith(text)
    assert not gleaner.extract(ARTICLE, title=False).startswith("The tide mill")


def test_a_document_has_all_that_is_known() -> None:
    document = gleaner.Cleaner().clean(ARTICLE, URL)
    assert document.text == gleaner.extract(ARTICLE, URL)
    assert (document.title, document.authors, document.language) == (
        "The tide mill",
        ["Ada Ek"],
        "en",
    )
    assert document.published == datetime.date(2024, 3, 1)
    assert (document.url, document.charset, document.truncated) == (URL, "UTF-8", [])
    assert (document.text_source, document.structured_data) == ("page", None)
    assert document.confidence is not None and 0.3 < document.confidence <= 1
    assert document.page_kind is not None and document.page_kind_probability is not None
    assert document.word_count == len(document.text.split())
    heading = next(block for block in document.blocks if block.text == "The tide mill")
    assert (heading.label, heading.path, heading.is_content) == (
        "header",
        "html/body/article/h1",
        True,
    )
    assert [block.block for block in document.blocks] == list(range(len(document.blocks)))
    assert not document.blocks[-1].is_content
    assert document.to_dict()["blocks"][heading.block]["text"] == "The tide mill"
    assert document.to_markdown(links=True) == gleaner.extract(
        ARTICLE, URL, format="markdown", links=True
    )
    assert document.to_html() == gleaner.extract(ARTICLE, URL, format="html")
    assert document.to_json() == gleaner.extract(ARTICLE, URL, format="json")
    assert "The tide mill" in repr(document) and "header" in repr(heading)


def test_posts_of_a_blog() -> None:
    blog = """<div class="post hentry"><h2 class=entry-title>On lamps</h2><p class=date>8 July 2016</p>
    <div class=entry-content><p>They burn.</div></div>"""
    [post] = gleaner.Cleaner().clean(blog).posts
    assert (post.title, post.text, post.comments) == ("On lamps", "They burn.", [])
    assert (post.published, post.published_text) == (datetime.date(2016, 7, 8), "8 July 2016")


def test_texts_that_utf8_does_not_have() -> None:
    assert "corn" in gleaner.extract(ARTICLE + "\ud800")
    declared = '<meta charset="utf-16">' + ARTICLE
    assert gleaner.extract(declared) == gleaner.extract(ARTICLE)


def test_charsets_are_found_or_given() -> None:
    russian = (
        "Прилив и отлив сменяют друг друга дважды в день, потому что Луна притягивает море. " * 3
    )
    body = f"<p>{russian}".encode("koi8-r")
    text = gleaner.extract(body, content_type="text/html; charset=koi8-r")
    assert text.strip() == russian.strip()


def test_plain_texts_and_days() -> None:
    cleaner = gleaner.Cleaner()
    lines = f"Home\nNews\nThe tide mill\n{TEXT}\n{TEXT}\nPrivacy\n"
    assert TEXT in cleaner.clean(lines, plain_text=True).text
    later = ARTICLE.replace("2024-03-01", "2031-03-01")
    assert cleaner.clean(later).published == datetime.date(2031, 3, 1)
    assert cleaner.clean(later, captured=datetime.date(2024, 4, 1)).published is None
    assert cleaner.clean(later, captured=datetime.datetime(2024, 4, 1, 12)).published is None


def test_settings_change_what_is_kept() -> None:
    short = "<h1>Tides</h1><p>The sea rises and falls."
    assert gleaner.extract(short) == ""
    assert gleaner.extract(short, favor="recall") == "Tides\n\nThe sea rises and falls.\n"
    assert gleaner.Cleaner(byte_limit=100).clean(ARTICLE).truncated == ["bytes"]
    assert gleaner.Cleaner(step_limit=20).clean(ARTICLE).truncated == ["steps"]
    same = gleaner.Cleaner(parser="html5ever").clean(ARTICLE, URL)
    assert same.text == gleaner.extract(ARTICLE, URL)


def test_wrong_values_are_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a page must be str or bytes, not int"):
        gleaner.extract(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="url"):
        gleaner.extract("", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="captured must be datetime.date"):
        gleaner.Cleaner().clean("", captured="2024")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="colour"):
        gleaner.extract("", colour=1)  # type: ignore[call-arg]
    with pytest.raises(gleaner.OptionError, match="format=\"xml\" .* 'text', 'markdown'"):
        gleaner.extract("", format="xml")  # type: ignore[arg-type]
    with pytest.raises(gleaner.OptionError, match="favor"):
        gleaner.Cleaner(favor="all")  # type: ignore[arg-type]
    with pytest.raises(gleaner.PageError, match="PNG image"):
        gleaner.extract(IMAGE)
    with pytest.raises(gleaner.ModelError, match="no-such.gcrf") as missing:
        gleaner.Cleaner(model=tmp_path / "no-such.gcrf")
    assert missing.value.file == str(tmp_path / "no-such.gcrf")
    (tmp_path / "page.html").write_text(ARTICLE)
    with pytest.raises(gleaner.ModelError, match="not a gleaner model") as foreign:
        gleaner.Cleaner(text_model=tmp_path / "page.html")
    assert foreign.value.file == str(tmp_path / "page.html")


def test_many_pages_come_in_their_order() -> None:
    expected = [gleaner.extract(page(number), URL) for number in range(200)]
    for workers in (1, 2, 5, None):
        pages = ((page(number), URL) for number in range(200))
        documents = gleaner.clean_many(pages, workers=workers)
        assert [document.text for document in documents] == expected
    assert list(gleaner.clean_many([])) == []


def test_pages_are_taken_as_they_are_needed() -> None:
    taken = 0

    def pages() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield page(taken)

    documents = gleaner.clean_many(pages(), workers=2)
    assert taken == 0
    assert "1" in next(documents).text
    assert 1 <= taken <= 16
    next(documents)
    assert 2 <= taken <= 17
    del documents


def test_exceptions_of_many_pages_stand_in_their_places() -> None:
    pages: list[str | bytes] = [page(0), IMAGE, page(2)]
    documents = gleaner.clean_many(pages)
    next(documents)
    with pytest.raises(gleaner.PageError):
        next(documents)
    assert "2" in next(documents).text
    kinds = [type(result) for result in gleaner.clean_many(pages, errors="return")]
    assert kinds == [gleaner.Document, gleaner.PageError, gleaner.Document]

    def broken() -> Iterator[str]:
        yield page(0)
        raise KeyError("of the iterable")

    documents = gleaner.clean_many(broken())
    next(documents)
    with pytest.raises(KeyError, match="of the iterable"):
        next(documents)
    with pytest.raises(StopIteration):
        next(documents)


def test_wrong_pages_of_an_iterable_are_named() -> None:
    with pytest.raises(TypeError, match="not int"):
        list(gleaner.clean_many([5]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"a pair must be \(html, url\)"):
        list(gleaner.clean_many([("a", "b", "c")]))  # type: ignore[list-item]
    with pytest.raises(TypeError, match="iterable"):
        gleaner.clean_many(5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="not a single one"):
        gleaner.clean_many(ARTICLE)
    for workers in (0, -1, 10**6):
        with pytest.raises(gleaner.OptionError, match=f"workers={workers} is out of range"):
            gleaner.clean_many([], workers=workers)
    with pytest.raises(gleaner.OptionError, match="byte_limit=-1"):
        gleaner.Cleaner(byte_limit=-1)
    with pytest.raises(gleaner.OptionError, match="'raise', 'return'"):
        gleaner.clean_many([], errors="ignore")  # type: ignore[call-overload]


def test_pages_behind_a_wrong_one_are_cleaned() -> None:
    documents = gleaner.clean_many([page(0), None, page(2)])  # type: ignore[list-item]
    assert "0" in next(documents).text
    with pytest.raises(TypeError, match="NoneType"):
        next(documents)
    assert "2" in next(documents).text


def test_a_document_comes_when_it_is_done() -> None:
    taken = 0

    def slow() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield page(taken)
            time.sleep(0.1)

    next(gleaner.clean_many(slow(), workers=2))
    assert taken < 10


def test_an_interrupt_within_the_iterable_is_raised_at_once() -> None:
    def interrupted() -> Iterator[str]:
        yield page(0)
        yield page(1)
        raise KeyboardInterrupt

    documents = gleaner.clean_many(interrupted(), workers=8)
    texts = []
    with pytest.raises(KeyboardInterrupt):
        for document in documents:
            texts.append(document.text)
    # What was taken before is not lost.
    texts.extend(document.text for document in documents)
    assert texts == [gleaner.extract(page(0)), gleaner.extract(page(1))]


def test_an_iterator_is_used_by_one_at_a_time() -> None:
    documents: Iterator[gleaner.Document]

    def within() -> Iterator[str]:
        next(documents)
        yield page(0)

    documents = gleaner.clean_many(within())
    with pytest.raises(ValueError, match="in use already"):
        next(documents)


def test_an_iterator_in_a_circle_is_collected() -> None:
    class Job:
        def __init__(self) -> None:
            self.documents = gleaner.clean_many(self.pages(), workers=2)

        def pages(self) -> Iterator[str]:
            yield page(id(self))

    def threads() -> int:
        return len(list(Path("/proc/self/task").iterdir()))

    if not Path("/proc/self/task").exists():
        pytest.skip("reads /proc")
    before = threads()
    for _ in range(20):
        Job()
    gc.collect()
    deadline = time.monotonic() + 10
    while threads() > before + 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert threads() <= before + 4


def test_memory_of_a_large_page_is_given_back() -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("reads /proc")
    large = "<p>a b c" * 100_000

    def work() -> None:
        gleaner.extract(large)

    work()
    before = resident()
    for _ in range(4):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert resident() - before < 150_000_000


def test_lists_of_a_document_are_copies() -> None:
    document = gleaner.Cleaner().clean(ARTICLE)
    count = len(document.blocks)
    document.blocks.clear()
    assert len(document.blocks) == count > 3


def test_threads_of_python_run_beside_it() -> None:
    big = "<p>" + " ".join(f"<b>{TEXT}</b>" for _ in range(30_000))
    counted = 0
    is_over = False

    def count() -> None:
        nonlocal counted
        while not is_over:
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begin = time.monotonic()
    while time.monotonic() - begin < 1:
        gleaner.extract(big)
    counted_beside = counted
    is_over = True
    thread.join()
    # With the lock held for the time of a page it would be about ten.
    assert counted_beside > 100


def test_threads_may_share_a_cleaner() -> None:
    cleaner = gleaner.Cleaner()
    expected = {number: gleaner.extract(page(number)) for number in range(40)}
    texts: dict[int, str] = {}

    def clean(numbers: range) -> None:
        for number in numbers:
            texts[number] = cleaner.clean(page(number)).text

    threads = [threading.Thread(target=clean, args=(range(part, 40, 4),)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == expected


def resident() -> int:
    """Bytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads /proc")
def test_memory_stays_flat() -> None:
    big = "<article>" + f"<p>{TEXT}" * 60
    for _ in range(1000):
        gleaner.extract(big)
    before = resident()
    for _ in range(10_000):
        gleaner.extract(big)
    for document in gleaner.clean_many(big for _ in range(1000)):
        assert document.blocks
    assert resident() - before < 20_000_000


def test_broken_pages_raise_nothing_else() -> None:
    randomness = random.Random(60)
    whole = ARTICLE.encode() * 3
    outcomes: dict[str, int] = {}
    for _ in range(1000):
        broken = bytearray(whole[randomness.randrange(len(whole)) :])
        for _ in range(randomness.choice([1, 10, 500])):
            broken[randomness.randrange(len(broken))] = randomness.randrange(256)
        if randomness.random() < 0.2:
            broken[: randomness.randrange(100)] = randomness.randbytes(200)
        try:
            gleaner.extract(
                bytes(broken), format=randomness.choice(["text", "markdown", "json", "html"])
            )
            name = "a text"
        except gleaner.PageError:
            name = "PageError"
        outcomes[name] = outcomes.get(name, 0) + 1
    assert outcomes["a text"] > 500 and outcomes["PageError"] > 10


def test_everything_is_documented() -> None:
    for name in gleaner.__all__:
        value = getattr(gleaner, name)
        if callable(value):
            assert inspect.getdoc(value), name
    for member in ("text", "blocks", "to_markdown", "published"):
        assert inspect.getdoc(getattr(gleaner.Document, member)), member
