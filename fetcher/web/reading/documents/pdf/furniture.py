"""Running heads, running feet and page numbers, which stand on every page and belong to none."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fetcher.web.reading.documents.pdf.layout import Line
from fetcher.web.reading.documents.wordlists import PAGE_NUMBER

if TYPE_CHECKING:
    from fetcher.web.reading.documents.pdf.reader import PdfPage

_MARGIN = 0.1
"""The share of a page's height at its top and its foot where they stand."""
_FEWEST_PAGES = 3
_SHARE = 0.5
_FIGURES = re.compile(r"[0-9０-９]+")


def without_furniture(pages: "Sequence[PdfPage]") -> "list[PdfPage]":
    """The pages without lines at the edges that most pages have, and without their numbers."""
    if len(pages) < 2:
        return list(pages)
    at_edges = [
        [
            line
            for group in page.groups
            for line in group
            if not line.table
            and (line.box[3] < _MARGIN * page.height or line.box[1] > (1 - _MARGIN) * page.height)
        ]
        for page in pages
    ]
    counts = Counter(key for edges in at_edges for key in {_key(line) for line in edges})
    needed = max(_FEWEST_PAGES, _SHARE * len(pages))
    kept = []
    for page, edges in zip(pages, at_edges, strict=True):
        dropped = {
            id(line)
            for line in edges
            if counts[_key(line)] >= needed or PAGE_NUMBER.fullmatch(line.text.strip())
        }
        groups = [[line for line in group if id(line) not in dropped] for group in page.groups]
        kept.append(replace(page, groups=[group for group in groups if group]))
    return kept


def _key(line: Line) -> str:
    """The line's text with its figures alike: numbers of pages and dates differ."""
    return _FIGURES.sub("0", line.text.strip())
