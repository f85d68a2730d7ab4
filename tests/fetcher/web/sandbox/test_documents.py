"""Documents in reader processes: bombs end in a code, and nobody else notices."""

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import pytest

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable, FetchError
from fetcher.web.sandbox.limits import ReaderLimits
from tests.fetcher.web.reading.documents.bombs import BOMBS, far_cell_otherwise, forms_in_forms
from tests.fetcher.web.reading.documents.office_files import docx, paragraph, rows, workbook
from tests.fetcher.web.reading.documents.pdf_files import Page, pdf
from tests.fetcher.web.sandbox.readers import ask, pool_of

DOCUMENTS = ReaderLimits(documents=True, short=0)
SHARED = Path(__file__).parents[5] / "shared" / "data" / "documents"


@pytest.fixture(scope="module")
def pool():
    with pool_of(DOCUMENTS) as found:
        yield found


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (pdf(Page().text(50, 100, "決算短信")), "決算短信"),
        (workbook({"表": rows([["品", "数"], ["箱", 3]])}), "| 箱 | 3 |"),
        (docx(paragraph("議事録")), "議事録"),
    ],
    ids=["pdf", "xlsx", "docx"],
)
def test_documents_are_read_behind_the_walls(pool, body, part):
    """No library opens a file that it did not load at the start."""
    assert part in asyncio.run(ask(pool, body, content_type=None)).document.markdown


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
def test_a_bomb_ends_in_a_code_or_a_bounded_text(pool, bomb):
    """Not by running out of time, and another document is read next."""
    body = bomb()

    async def story():
        with suppress(DocumentUnreadable):
            reading = await ask(pool, body, content_type=None, seconds=120)
            assert len(reading.document.markdown) < 1_000_000
        after = await ask(pool, pdf(Page().text(50, 100, "次の文書")), content_type=None, seconds=60)
        return after.document.markdown

    assert "次の文書" in asyncio.run(story())


def test_a_document_that_kills_its_reader_takes_nothing_with_it():
    """The other reader goes on, the dead one is replaced, this process keeps its memory."""
    with pool_of(DOCUMENTS) as pool:

        async def story():
            honest = [ask(pool, pdf(Page().text(50, 100, "無事")), content_type=None) for _ in range(4)]
            hostile = [ask(pool, bomb(), content_type=None) for bomb in (far_cell_otherwise, forms_in_forms)]
            return await asyncio.gather(*hostile, *honest, return_exceptions=True)

        before = _resident()
        *failed, one, two, three, four = asyncio.run(story())
        assert {error.code for error in failed} == {DocumentCode.DOCUMENT_TOO_LARGE}
        assert {reading.document.markdown for reading in (one, two, three, four)} == {"無事\n"}
        assert _resident() - before < 50 * 1024 * 1024


def test_a_reader_of_pages_has_no_library_for_documents(pool):
    """So a plain page does not pay for them; a document among pages is refused, not misread."""
    with pool_of() as pages:
        with pytest.raises(FetchError) as caught:
            asyncio.run(ask(pages, pdf(Page().text(50, 100, "x")), content_type=None))
        assert caught.value.code == "unsupported_content_type"
        [mapped, *_] = [Path(f"/proc/{pid}/maps").read_text() for pid in pages.pids]
        assert "pdfium" not in mapped
        assert "calamine" not in mapped


def test_a_reader_of_documents_stays_within_its_memory(pool):
    """200 pages need a fraction of what a reader may take."""
    page = Page().lines(50, 60, ["これは長い文書の一行で、四十文字ほどの長さがあります。" * 1] * 40)
    reading = asyncio.run(ask(pool, pdf(*[page] * 200), content_type=None, seconds=30))
    assert len(reading.document.pages) == 200
    peaks = [
        int(line.split()[1])
        for pid in pool.pids
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        if line.startswith("VmHWM")
    ]
    assert max(peaks) < 300 * 1024


@pytest.mark.skipif(not SHARED.is_dir(), reason="the test suites of other projects are not here")
@pytest.mark.parametrize("suite", ["calamine", "pdf.js", "pdfminer", "pdfplumber"])
def test_every_file_of_other_suites_is_read_or_refused(pool, suite):
    async def outcome(file):
        kind = "application/pdf" if file.suffix == ".pdf" else None
        try:
            await ask(pool, file.read_bytes(), content_type=kind, url=f"https://files.example/{file.name}")
            told = "read"
        except FetchError as error:
            told = str(error.code)
        return told

    async def story():
        return [await outcome(file) for file in sorted((SHARED / suite).iterdir())]

    outcomes = asyncio.run(story())
    assert set(outcomes) <= {"read", "unsupported_content_type", *DocumentCode}
    assert DocumentCode.DOCUMENT_TOO_LARGE not in outcomes
    assert outcomes.count("read") > len(outcomes) / 2


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
