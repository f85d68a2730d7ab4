"""For every page, the exported tables are those of the HTML Standard's table model."""

import csv
import io
import json
import re
from random import Random

import pytest

from fetcher.agent.files import csv_text
from fetcher.agent.files.answer_files import FilePolicy, table_file
from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.extract.page_kinds import PageKind, kind_of
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.tables.rows import tables
from fetcher.web.reading.tree import parse
from tests.fetcher.web.reading.articles import article
from tests.fetcher.web.reading.tables.generated_tables import Generated, generated

TABLES = 10_000
TABLES_A_PAGE = 50
POLICY = FilePolicy(max_bytes=5 * 1024 * 1024, types=("text/csv", "application/json"))
PROSE = "送料と納期、支払い方法についてご説明します。ご不明な点は、お電話または窓口でお尋ねください。" * 3

_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")

KINDS = {
    PageKind.FORUM: ("https://example.jp/forum/topic-12", ""),
    PageKind.COLLECTION: ("https://example.jp/collections/tea", ""),
    PageKind.PRODUCT: ("https://example.jp/tea", "<meta property=og:type content=product>"),
    PageKind.ARTICLE: ("https://example.jp/tea", "<meta property=og:type content=article>"),
    PageKind.DOCUMENTATION: ("https://docs.example.jp/tea", ""),
    PageKind.HOME: ("https://example.jp/", ""),
    PageKind.OTHER: ("https://example.jp/company/prices", ""),
}


def _page(kind: PageKind, shown: list[Generated]) -> tuple[str, str]:
    url, meta = KINDS[kind]
    sections = "".join(
        f"<h2>第{at}表</h2><p>{at}番の説明です。</p>{table.html}" for at, table in enumerate(shown)
    )
    html = (
        f"<!doctype html><html lang=ja><head><title>料金表</title>{meta}</head><body>"
        "<header><a href=/>表紙</a></header><nav><a href=/a>案内</a><a href=/b>会社</a></nav>"
        f"<main><h1>料金表</h1><p>{PROSE}</p>{sections}<p>{PROSE}</p></main><footer>奥付</footer></body></html>"
    )
    return html, url


@pytest.mark.parametrize("kind", PageKind)
def test_each_page_is_of_its_kind(kind):
    html, url = _page(kind, [])
    assert kind_of(html.encode(), url, parse(html)) is kind


def _all(shown: list[Generated]) -> list[Generated]:
    return [each for table in shown for each in (table, *table.nested)]


def test_tables_are_formed_as_the_html_standard_does():
    """Nothing is left out of the page here, unlike in either reading mode."""
    random = Random("tables of no page")
    shown = [generated(random) for _ in range(1_000)]
    found = tables(article("".join(table.html for table in shown[:500])))
    found += tables(article("".join(table.html for table in shown[500:])))
    assert [(table.header, list(table.rows)) for table in found] == [each.expected() for each in _all(shown)]


@pytest.mark.parametrize("kind", PageKind)
def test_exports_have_exactly_the_cells_of_the_html_standards_table_model(kind):
    """No cell and no row is lost, repeated or moved, in CSV and in JSON."""
    random = Random(f"tables of a {kind} page")
    for _ in range(TABLES // len(PageKind) // TABLES_A_PAGE + 1):
        shown = [generated(random) for _ in range(TABLES_A_PAGE)]
        html, url = _page(kind, shown)
        found = tables(extract(html, url, mode=ReadingMode.ARTICLE))
        expected = [table.expected() for table in _all(shown)]
        assert [(table.header, list(table.rows)) for table in found] == expected
        for table, (header, rows) in zip(found, expected, strict=True):
            written = table_file(table, kind="csv", name="t", policy=POLICY).content.decode("utf-8-sig")
            named = (header, *rows) if any(header) else rows
            safe = [[csv_text.safe(cell) for cell in row] for row in named]
            assert list(csv.reader(io.StringIO(written, newline=""))) == safe
            records = json.loads(table_file(table, kind="json", name="t", policy=POLICY).content)
            if table.named_rows:  # one object; a name that is repeated is numbered
                values = [tuple(value) if isinstance(value, list) else (value,) for value in records.values()]
                assert values == [row[1:] for row in rows]
                assert all(
                    name.startswith(" ".join(row[0].split("\n")))
                    for name, row in zip(records, rows, strict=True)
                )
                continue
            assert [tuple(record.values() if any(header) else record) for record in records] == rows


@pytest.mark.parametrize("kind", PageKind)
def test_the_markdown_of_an_article_has_the_same_cells(kind):
    """The model reads them in the same columns; rows without text are left out, and one cell stands once."""
    random = Random(f"Markdown of a {kind} page")
    for _ in range(4):
        shown = [table for table in (generated(random) for _ in range(TABLES_A_PAGE)) if not table.nested]
        html, url = _page(kind, shown)
        lines = iter(render(extract(html, url, mode=ReadingMode.ARTICLE)).split("\n"))
        for table in shown:
            header, rows = table.expected()
            written = _pipe_table(lines)
            assert written[0] == [cell.replace("\n", "<br>") for cell in header]
            assert [row for row in written[2:] if len({*row}) > 2] == [
                [cell.replace("\n", "<br>") for cell in row] for row in rows if len({*row}) > 2
            ]
            assert len(written) - 2 == len([row for row in rows if any(row)])


def _pipe_table(lines):
    """The cells of the next pipe table, line by line, without emphasis and links' targets."""
    found = []
    for line in lines:
        if line.startswith("|"):
            plain = _LINK.sub(r"\1", line).replace("**", "")
            found.append([cell.strip() for cell in plain[1:-1].split("|")])
        elif found:
            break
    return found
