"""Japanese charsets against the web platform tests' vectors."""

import json
from pathlib import Path

import pytest

from fetcher.web.reading.charsets import decode_as

VECTORS = Path(__file__).parents[2] / "../shared/data/wpt-japanese-encodings.json"
MINUS_SIGN = 0x2212
"""Written as U+FF0D by every encoder of the standard, and read back as that: it has vectors of both."""

pytestmark = pytest.mark.skipif(not VECTORS.exists(), reason="the vectors are not here")


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "iso-2022-jp"])
def test_every_vector_decodes(encoding):
    """Every character of the Japanese charsets is decoded as browsers do."""
    vectors = [vector for vector in json.loads(VECTORS.read_text())[encoding] if vector[1] != MINUS_SIGN]
    wrong = [code for code, point in vectors if decode_as(encoding, bytes.fromhex(code)) != chr(point)]
    assert len(vectors) > 7000
    assert wrong == []


@pytest.mark.parametrize("encoding", ["shift_jis", "euc-jp", "iso-2022-jp"])
def test_all_characters_decode_in_one_text(encoding):
    """Characters read the same among others as alone."""
    vectors = [vector for vector in json.loads(VECTORS.read_text())[encoding] if vector[1] != MINUS_SIGN]
    data = b" ".join(bytes.fromhex(code) for code, _ in vectors)
    assert decode_as(encoding, data) == " ".join(chr(point) for _, point in vectors)
