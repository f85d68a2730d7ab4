"""Whole pages against golden Markdown, byte for byte (SRD T-WF-INFRA-06).

Pages whose name begins with `ja_` are whole sites' pages in Japanese, of ten kinds: what is read of them is
their content. Two are in Shift_JIS. `UPDATE_GOLDENS=1` renews the golden files from what the code writes now.
"""

import os
import re
from pathlib import Path

import pytest

from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.readers import article_markdown
from tests.fetcher.web.reading.articles import article

GOLDEN = Path(__file__).parents[3] / "golden"
JAPANESE = sorted(GOLDEN.glob("ja_*.html"))
PAGES = sorted({*GOLDEN.glob("*.html")} - {*JAPANESE})
_ADDRESS = re.compile(rb'rel="canonical" href="([^"]++)"')


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_t_wf_infra_06_a_page_matches_its_golden_markdown(page: Path):
    """T-WF-INFRA-06: a page's Markdown changes only on purpose, and is normalised already."""
    text = render(article(page.read_text(encoding="utf-8")))
    _compare(text, page.with_suffix(".md"))


@pytest.mark.parametrize("page", JAPANESE, ids=lambda page: page.stem)
def test_the_content_of_a_japanese_page_matches_its_golden_markdown(page: Path):
    """Facts, tables and prose are read; menus, rankings, related pages and comments are not."""
    html = page.read_bytes()
    address = _ADDRESS.search(html)
    assert address is not None
    _compare(article_markdown(html, address[1].decode()), page.with_suffix(".md"))


def _compare(text: str, golden: Path) -> None:
    if os.environ.get("UPDATE_GOLDENS") == "1":
        golden.write_bytes(text.encode())
    assert text.encode() == golden.read_bytes()
    assert normalise(text) == text


def test_there_are_golden_pages():
    """The comparison above compares something."""
    assert len(PAGES) >= 5
    assert len(JAPANESE) == 20
    assert len({page.stem.split("_")[1] for page in JAPANESE}) == 10
