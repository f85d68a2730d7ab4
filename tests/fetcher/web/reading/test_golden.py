"""Whole pages against golden Markdown, byte for byte (SRD T-WF-INFRA-06).

`UPDATE_GOLDENS=1` renews the golden files from what the code writes now.
"""

import os
from pathlib import Path

import pytest

from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.reading.markdown.writer import render
from tests.fetcher.web.reading.articles import article

GOLDEN = Path(__file__).parents[3] / "golden"
PAGES = sorted(GOLDEN.glob("*.html"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_t_wf_infra_06_a_page_matches_its_golden_markdown(page: Path):
    """T-WF-INFRA-06: a page's Markdown changes only on purpose, and is normalised already."""
    text = render(article(page.read_text(encoding="utf-8")))
    golden = page.with_suffix(".md")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        golden.write_bytes(text.encode())
    assert text.encode() == golden.read_bytes()
    assert normalise(text) == text


def test_there_are_golden_pages():
    """The comparison above compares something."""
    assert len(PAGES) >= 5
