"""Pages without text of their own, each as a small PDF: a model may be able to see what stands on them."""

import ctypes
from collections.abc import Iterable
from typing import Any

import pypdfium2.raw as pdfium

from fetcher.web.values import ReadingContext, Scan


def scans_of(document: Any, numbers: Iterable[int], context: ReadingContext) -> tuple[Scan, ...]:
    """The first of these pages, as many as the caller takes; a page that is too large ends them."""
    scans: list[Scan] = []
    room = context.scan_bytes
    for number in numbers:
        if len(scans) == context.scan_pages:
            break
        content = _single_page(document, number, room)
        if not content:
            break
        room -= len(content)
        scans.append(Scan(page=number, content=content))
    return tuple(scans)


def _single_page(document: Any, number: int, most_bytes: int) -> bytes:
    """A PDF of one page; empty if it would be too large."""
    written = bytearray()

    def write(_: Any, data: Any, size: int) -> int:
        if len(written) + size > most_bytes:
            return 0  # pdfium gives up
        written.extend(ctypes.string_at(data, size))
        return 1

    single = pdfium.FPDF_CreateNewDocument()
    try:
        index = (ctypes.c_int * 1)(number - 1)
        if not pdfium.FPDF_ImportPagesByIndex(single, document, index, 1, 0):
            return b""
        sink = pdfium.FPDF_FILEWRITE(version=1)
        sink.WriteBlock = type(sink.WriteBlock)(write)
        return bytes(written) if pdfium.FPDF_SaveAsCopy(single, sink, 0) else b""
    finally:
        pdfium.FPDF_CloseDocument(single)
