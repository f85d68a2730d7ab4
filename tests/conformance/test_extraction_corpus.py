"""Reading quality on a sample of real pages whose main content people have marked."""

import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from fetcher.web.reading.readers import article_markdown, srd_markdown

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data" / "extraction-dev"
STEP = 10

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")


def _words(text: str) -> Counter[str]:
    without_targets = re.sub(r"\]\([^)\s]*\)", "] ", text)
    return Counter(re.findall(r"\w+", without_targets.lower()))


def _f1(found: str, wanted: str) -> float:
    have, want = _words(found), _words(wanted)
    return 2 * (have & want).total() / ((have.total() + want.total()) or 1)


def _mean_f1(read) -> float:
    truth = json.loads((CORPUS / "truth.json").read_text("utf-8"))
    pages = sorted(truth)[::STEP]
    scores = []
    for page in pages:
        html = gzip.decompress((CORPUS / f"{page}.html.gz").read_bytes())
        scores.append(_f1(read(html, truth[page]["url"]), truth[page]["main_content"]))
    return sum(scores) / len(scores)


def test_article_mode_finds_the_main_content():
    """On every tenth page, most words kept are wanted and most wanted words are kept."""
    assert _mean_f1(article_markdown) > 0.86


def test_the_fixed_rules_are_well_behind():
    """What the SRD's lists keep is the floor that `article` mode has to beat."""
    assert 0.55 < _mean_f1(srd_markdown) < _mean_f1(article_markdown)
