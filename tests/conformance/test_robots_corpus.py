"""Real robots.txt files."""

import base64
import gzip
import json
from pathlib import Path

import pytest

from fetcher.web.net.robots import parse

CORPUS = Path(__file__).parents[2] / "../shared/data/robots-corpus.json.gz"

pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the corpus is not here")


def corpus() -> dict[str, bytes]:
    return {
        host: base64.b64decode(text)
        for host, text in json.loads(gzip.decompress(CORPUS.read_bytes())).items()
    }


def test_every_real_file_is_parsed():
    """300 files of real sites are parsed and asked without exception."""
    files = corpus()
    verdicts = [parse(text).allows("forge-webfetch", "/a/b.html?c=d") for text in files.values()]
    assert len(verdicts) == 300


def test_real_files_speak():
    """Most real files have groups, and the sites that forbid everything to everybody are few."""
    rules = [parse(text) for text in corpus().values()]
    assert sum(bool(file.groups) for file in rules) > 250
    assert sum(not file.allows("forge-webfetch", "/") for file in rules) < 30
