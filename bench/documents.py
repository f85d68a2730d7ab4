"""Documents beside other programs: printed pages, workbooks, and how long a reader takes to start."""

import gzip
import io
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

from fetcher.codes import ReadingMode
from fetcher.web.browser import command_line
from fetcher.web.errors import BrowserUnavailable
from fetcher.web.net.media_types import Accept
from fetcher.web.reading import readers
from fetcher.web.sandbox.process import ReaderProcess
from fetcher.web.values import Document, ReadingContext, Table

CORPUS = Path(__file__).parent.parent.parent / "shared" / "data" / "extraction-dev"
PRINTED = 50
EVERY = 8
"""Every eighth page of the corpus is printed."""
ROWS = 20_000
PLAIN = (
    "<style>img,svg,video,iframe,select,input,textarea,button,picture,object,canvas{display:none!important}"
    "*{list-style:none!important;color:black!important}*::before,*::after{content:none!important}</style>"
)
"""Leaves out what a print shows and a page's text lacks: texts of pictures, controls, marks of lists.

Without its pictures, white text on one could not be seen, and is black.
"""
_MARKS = re.compile(
    r"^#{1,6} |^\|(?:---\|)+$|(?<!\\)\]\((?:[^()\s]|\([^()]*\))*\)|(?<!\\)[\[|]|<br>|\\(?=[!-/:-@\[-`{-~])",
    re.MULTILINE,
)


def report() -> str:
    """Three tables: printed pages, workbooks, starting a reader."""
    return "\n\n".join([_printed_pages(), _workbooks(), _starting()])


def _read(body: bytes) -> Document:
    from fetcher.web.reading.documents.library_readers import DOCUMENT_READERS

    context = ReadingContext(url="https://a.example/x", mode=ReadingMode.ARTICLE, accept=Accept.ALL_KINDS)
    return readers.read(body, context, DOCUMENT_READERS).document


def _ours(body: bytes) -> str:
    return _MARKS.sub("", _read(body).markdown)


def _pypdf(body: bytes) -> str:
    import pypdf

    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(body)).pages)


def _pdfplumber(body: bytes) -> str:
    import pdfplumber

    with pdfplumber.open(io.BytesIO(body)) as document:
        return "\n".join(page.extract_text() or "" for page in document.pages)


def _printed_pages() -> str:
    try:
        chromium = command_line.find("")
    except BrowserUnavailable:
        chromium = ""
    if not CORPUS.exists() or not chromium:
        return "The pages or a Chromium to print them are not here: nothing was measured."
    printed = _print_pages(chromium)
    pages = sum(len(_read(body).pages) for body, _ in printed)
    size = sum(len(body) for body, _ in printed) / 1e6
    lines = []
    programs: dict[str, Callable[[bytes], str]] = {
        "this project": _ours,
        "pypdf": _pypdf,
        "pdfplumber": _pdfplumber,
    }
    for name, read in programs.items():
        begun = time.perf_counter()
        texts = [read(body) for body, _ in printed]
        spent = time.perf_counter() - begun
        single, triple = (
            mean(_agreement(text, wanted, length) for text, (_, wanted) in zip(texts, printed, strict=True))
            for length in (1, 3)
        )
        lines.append(f"| {name} | {single:.4f} | {triple:.4f} | {pages / spent:.0f} | {size / spent:.2f} |")
    what = f"{len(printed)} web pages printed by Chromium, {pages} pages"
    head = f"| {what} | character F1 | F1 of three characters | pages/s | MB/s |"
    return "\n".join([head, "|---|--:|--:|--:|--:|", *lines])


def _print_pages(chromium: str) -> list[tuple[bytes, str]]:
    """PDFs, and the text of the pages that they were printed from."""
    from playwright.sync_api import sync_playwright

    found = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for file in sorted(CORPUS.glob("*.html.gz"))[::EVERY]:
            context = browser.new_context(java_script_enabled=False, offline=True)
            page = context.new_page()
            page.route("**/*", lambda route: route.abort())
            html = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
            page.set_content(html + PLAIN, wait_until="domcontentloaded")
            page.emulate_media(media="print")
            text = page.locator("body").inner_text()
            if len(text) > 200:
                found.append((page.pdf(format="A4", print_background=True), text))
            context.close()
            if len(found) == PRINTED:
                break
        browser.close()
    return found


def _agreement(text: str, wanted: str, length: int) -> float:
    """F1 of the characters of two texts, or of their runs of so many, without white space."""
    counts = []
    for each in (text, wanted):
        plain = re.sub(r"[\s|]+", "", each)
        counts.append(Counter(plain[at : at + length] for at in range(len(plain) - length + 1)))
    return 2 * (counts[0] & counts[1]).total() / max(1, sum(count.total() for count in counts))


def _workbooks() -> str:
    import openpyxl

    from fetcher.agent.files.workbooks import workbook

    rows = tuple((f"品目{number}", str(number), f"{number * 1.5}", "2026-01-31") for number in range(ROWS))
    table = Table(caption="x", header=("品", "数", "値", "日"), rows=rows)
    begun = time.perf_counter()
    body = workbook({"x": table})
    written = time.perf_counter() - begun
    ours = min(_spent(lambda: _read(body)) for _ in range(3))
    theirs = _spent(
        lambda: [list(row) for row in openpyxl.load_workbook(io.BytesIO(body), read_only=True).active.values]
    )
    return "\n".join(
        [
            f"| a workbook of {ROWS:,} rows | seconds |",
            "|---|--:|",
            f"| read by this project, as a document | {ours:.2f} |",
            f"| read by openpyxl, cells alone | {theirs:.2f} |",
            f"| written by this project | {written:.2f} |",
        ]
    )


def _spent(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _starting() -> str:
    """How long a reader takes to be ready, and what it holds then."""
    lines = []
    for name, documents in (("pages", False), ("documents", True)):
        times, sizes = [], []
        for _ in range(5):
            begun = time.perf_counter()
            reader = ReaderProcess(400, documents=documents)
            reader.wait_until_ready(20)
            times.append(time.perf_counter() - begun)
            resident = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{reader.pid}/status").read_text())
            sizes.append(int(resident[1]) / 1024 if resident else 0.0)
            reader.close()
        lines.append(f"| {name} | {1000 * median(times):.0f} | {median(sizes):.0f} |")
    return "\n".join(["| a reader process for | ready after ms | resident MB |", "|---|--:|--:|", *lines])
