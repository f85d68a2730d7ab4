"""Our URLs against the web platform's own vectors: stricter than the URL Standard, never different.

A vector is either refused or taken to the host, port, path and query that the standard gives it.
"""

import json
import re
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from fetcher.web.errors import UrlRejected
from fetcher.web.net.canonical import canonicalise, resolve
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl

DATA = Path(__file__).parents[3] / "shared" / "data"
URLS = DATA / "wpt-urltestdata.json"
NAMES = DATA / "wpt-toascii.json"


def vectors(path):
    """The vectors of a file, without its comments; none where it is missing."""
    rows = json.loads(path.read_text("utf-8")) if path.exists() else []
    return [row for row in rows if isinstance(row, dict)]


def accepted(vector) -> CanonicalUrl | None:
    """What we would fetch for a vector, or None when it is refused."""
    try:
        if vector["base"] is None:
            return canonicalise(vector["input"])
        return resolve(canonicalise(vector["base"]), vector["input"])
    except UrlRejected:
        return None


NUMERIC_END = re.compile(r"(?:.*\.)?(?:0x[0-9a-f]*|[0-9]+)\.?(?::[0-9]*)?", re.IGNORECASE)


def is_plain(vector) -> bool:
    """Whether a vector is an http(s) URL with nothing about it that we refuse on purpose."""
    authority = re.match(r"https?://([^/?#]*)", vector["input"])
    if authority is None or re.search(r"[\x00-\x1f\x7f]", vector["input"]):
        return False
    return not (re.search(r"[@\\]", authority[1]) or NUMERIC_END.fullmatch(vector["host"]))


def labels(rows):
    return [ascii(row["input"])[:60] for row in rows]


url_vectors = vectors(URLS)
name_vectors = vectors(NAMES)


@pytest.mark.skipif(not url_vectors, reason="needs ../shared/data/wpt-urltestdata.json")
@pytest.mark.parametrize("vector", url_vectors, ids=labels(url_vectors))
def test_no_vector_is_fetched_from_another_place(vector):
    """What is accepted has the standard's scheme, host, port, path and query."""
    url = accepted(vector)
    if url is None:
        return
    assert not vector.get("failure")
    assert (f"{url.scheme}:", url.host) == (vector["protocol"], vector["hostname"])
    assert url.port == int(vector["port"] or DEFAULT_PORTS[url.scheme])
    assert unquote_to_bytes(url.path) == unquote_to_bytes(vector["pathname"])
    assert unquote_to_bytes(url.query or "") == unquote_to_bytes(vector["search"].removeprefix("?"))
    assert (vector["username"], vector["password"]) == ("", "")


@pytest.mark.skipif(not url_vectors, reason="needs ../shared/data/wpt-urltestdata.json")
def test_plain_vectors_are_accepted():
    """Every http(s) vector that is plainly written is accepted: strictness costs no ordinary URL."""
    plain = [v for v in url_vectors if v.get("protocol") in ("http:", "https:") and is_plain(v)]
    assert len(plain) > 80
    assert [v["input"] for v in plain if accepted(v) is None] == []


@pytest.mark.skipif(not name_vectors, reason="needs ../shared/data/wpt-toascii.json")
@pytest.mark.parametrize("vector", name_vectors, ids=labels(name_vectors))
def test_names_become_ascii_as_the_standard_has_it(vector):
    """A name takes the standard's ASCII form, and one that has none is refused."""
    url = accepted({"input": f"https://{vector['input']}/x", "base": None})
    assert (url.host if url else None) == vector["output"]
