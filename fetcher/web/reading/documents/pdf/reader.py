"""A PDF as Markdown: pages in order, headings by their size, tables, links; each page's place is kept."""

import ctypes
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape as as_html
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

import pypdfium2.raw as pdfium

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable
from fetcher.web.reading.documents.pdf.characters import page_text
from fetcher.web.reading.documents.pdf.drawings import Box, Frame, drawings_of
from fetcher.web.reading.documents.pdf.furniture import without_furniture
from fetcher.web.reading.documents.pdf.grids import RuledTable, ruled_tables
from fetcher.web.reading.documents.pdf.layout import Line, lines_in_order, paragraphs, pieces, rows_of
from fetcher.web.reading.documents.pdf.scans import scans_of
from fetcher.web.reading.documents.pdf.viewer_font import use_own_font
from fetcher.web.reading.documents.wordlists import MADE_UP_TITLE
from fetcher.web.reading.documents.written_html import written
from fetcher.web.values import Document, Reading, ReadingContext, Table
from fetcher.wording import fixed_ja

MOST_PAGES = 1000
MOST_CHARACTERS = 4_000_000
READING_SECONDS = 18.0
"""After so long, the pages that were read are the document: a part is better than a deadline."""
_MOST_LINKS = 500
"""Of a page."""
_LONGEST_TITLE = 300
_HEADING = 1.18
"""How many times as large as the text a heading is."""
_LONGEST_HEADING = 120
_MOST_UNMAPPED = 0.5
_DATE = re.compile(r"D:([0-9]{4})([0-9]{2})?([0-9]{2})?")


@dataclass(slots=True)
class PdfPage:
    """What one page has to say, before the document is known as a whole."""

    height: float
    groups: list[list[Line]]
    characters: int
    unmapped: int
    empty: bool = False
    """Whether nothing at all is drawn on it."""

    @property
    def is_scan(self) -> bool:
        """Whether something is drawn on it that cannot be read as text."""
        return not self.empty and _is_unreadable(self.characters, self.unmapped)


def read_pdf(body: bytes, context: ReadingContext) -> Reading:
    use_own_font()
    document = pdfium.FPDF_LoadMemDocument64(body, len(body), None)
    if not document:
        error = pdfium.FPDF_GetLastError()
        if error in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
            raise DocumentUnreadable(DocumentCode.DOCUMENT_ENCRYPTED, error="a password is needed")
        raise DocumentUnreadable(DocumentCode.DOCUMENT_DAMAGED, error=f"pdfium's error {error}")
    try:
        count = pdfium.FPDF_GetPageCount(document)
        if count <= 0:
            raise DocumentUnreadable(DocumentCode.DOCUMENT_DAMAGED, error="it has no pages")
        pages = _read_pages(document, count)
        title = _metadata(document, b"Title")
        dated = {name: _DATE.match(_metadata(document, name)) for name in (b"CreationDate", b"ModDate")}
        drawn = [number for number, page in enumerate(pages, start=1) if page.is_scan]
        scans = scans_of(document, drawn, context) if context.scan_pages else ()
    finally:
        pdfium.FPDF_CloseDocument(document)
    if not title or MADE_UP_TITLE.match(title):
        title = unquote(urlsplit(context.url).path.rpartition("/")[2]) or title
    characters, unmapped = sum(page.characters for page in pages), sum(page.unmapped for page in pages)
    if unmapped and not scans and _is_unreadable(characters, unmapped):
        error = "its fonts have no Unicode map"
        raise DocumentUnreadable(DocumentCode.DOCUMENT_FONTS_UNREADABLE, error=error)
    if characters < 1 and not scans:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_HAS_NO_TEXT, error="it has no text, perhaps scans")
    markdown, tables, starts = _written(without_furniture(pages), context.url)
    if len(pages) < count:
        note = fixed_ja.pages_left_out(len(pages), count) + "\n\n"
        markdown, starts = note + markdown, [start + len(note) for start in starts]
    dates = {name.decode(): "-".join(filter(None, date.groups())) for name, date in dated.items() if date}
    beside = "\n\n".join(fixed_ja.document_date(name, date) for name, date in dates.items())
    found = Document(markdown=markdown, title=title, tables=tuple(tables), beside=beside, pages=tuple(starts))
    return Reading(document=found, media_type=context.media_type, scans=scans)


def _read_pages(document: Any, count: int) -> list[PdfPage]:
    """Each page, until there is enough text or time is up; a page that cannot be loaded is empty."""
    until = monotonic() + READING_SECONDS
    pages: list[PdfPage] = []
    characters = 0
    for number in range(min(count, MOST_PAGES)):
        page = pdfium.FPDF_LoadPage(document, number)
        if not page:
            pages.append(PdfPage(0.0, [], 0, 0, empty=True))
            continue
        try:
            frame = Frame(page)
            drawings = drawings_of(page, frame)
            text = page_text(page, frame, drawings, _links(document, page, frame))
            if text.upright:
                groups = lines_in_order(text.runs, ruled_tables(drawings, text.runs))
            else:
                groups = [[Line(run.box, run.size, [run])] for run in text.runs]
            size = sum(len(run.text) for run in text.runs)
            is_empty = not size and pdfium.FPDFPage_CountObjects(page) <= 0
            pages.append(PdfPage(frame.height, groups, size, text.unmapped, is_empty))
        finally:
            pdfium.FPDF_ClosePage(page)
        characters += size
        if characters > MOST_CHARACTERS or monotonic() > until:
            break
    return pages


def _links(document: Any, page: Any, frame: Frame) -> list[tuple[Box, str]]:
    """The links of a page that lead elsewhere on the web."""
    found: list[tuple[Box, str]] = []
    position, link, rect = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    while len(found) < _MOST_LINKS and pdfium.FPDFLink_Enumerate(page, position, link):
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        size = pdfium.FPDFAction_GetURIPath(document, action, None, 0)
        if not 1 < size <= 4096 or not pdfium.FPDFLink_GetAnnotRect(link, rect):
            continue
        buffer = ctypes.create_string_buffer(size)
        pdfium.FPDFAction_GetURIPath(document, action, buffer, size)
        target = buffer.value.decode("utf-8", "replace")
        found.append((frame.box(rect.left, rect.bottom, rect.right, rect.top), target))
    return found


def _is_unreadable(characters: int, unmapped: int) -> bool:
    return characters < 1 or unmapped > _MOST_UNMAPPED * (characters + unmapped)


def _metadata(document: Any, name: bytes) -> str:
    size = pdfium.FPDF_GetMetaText(document, name, None, 0)
    if not 2 < size <= 8192:
        return ""
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_GetMetaText(document, name, buffer, size)
    text = buffer.raw[: size - 2].decode("utf-16-le", "replace")
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())[:_LONGEST_TITLE]


def _written(pages: Sequence[PdfPage], url: str) -> tuple[str, list[Table], list[int]]:
    """The Markdown, its tables with the numbers of their pages, and where each page begins."""
    sizes: Counter[float] = Counter()
    lines = [line for page in pages for group in page.groups for line in group if not line.table]
    for line in lines:
        sizes[round(line.size, 0)] += len(line.text)
    body = max(sizes, key=sizes.__getitem__, default=0)
    large = sorted({round(line.size, 0) for line in lines if line.size >= _HEADING * body}, reverse=True)
    levels = {size: min(level, 4) for level, size in enumerate(large, start=1)}
    markdown, tables, starts = list[str](), list[Table](), list[int]()
    length = 0
    for number, page in enumerate(pages, start=1):
        html = ""
        for paragraph in (each for group in page.groups for each in paragraphs(group)):
            if table := paragraph[0].table:
                html += _table_html(table)
                continue
            level = levels.get(round(paragraph[0].size, 0), 0)
            short = sum(len(line.text) for line in paragraph) <= _LONGEST_HEADING
            tag = f"h{level}" if level and short else "p"
            html += f"<{tag}>{_linked(paragraph)}</{tag}>"
        told, found = written(html, url) if html else ("\n", ())
        starts.append(length)
        tables += [replace(table, page=number) for table in found]
        if told.strip():
            markdown.append(told + "\n")
            length += len(markdown[-1])
    return "".join(markdown).rstrip("\n") + "\n", tables, starts


def _linked(lines: Sequence[Line]) -> str:
    told = []
    for text, link in pieces(lines):
        plain = as_html(text)
        told.append(f'<a href="{as_html(link)}">{plain}</a>' if link else plain)
    return "".join(told)


def _table_html(table: RuledTable) -> str:
    rows: dict[int, list[str]] = {}
    for cell in sorted(table.cells, key=lambda each: (each.row, each.column)):
        lines = rows_of([Line(run.box, run.size, [run]) for run in cell.runs])
        text = "<br>".join(_linked(paragraph) for paragraph in paragraphs(lines))
        spans = f' rowspan="{cell.down}"' * (cell.down > 1) + f' colspan="{cell.across}"' * (cell.across > 1)
        rows.setdefault(cell.row, []).append(f"<td{spans}>{text}</td>")
    return "<table>" + "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows.values()) + "</table>"


pdfium.FPDF_InitLibrary()
