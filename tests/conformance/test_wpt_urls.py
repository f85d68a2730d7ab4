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


url_vectors = vectors(URLS)
name_vectors = vectors(NAMES)


def place_of(url: CanonicalUrl):
    path, query = unquote_to_bytes(url.path), unquote_to_bytes(url.query or "")
    return f"{url.scheme}:", url.host, url.port, path, query, "", ""


def place_by_the_standard(vector):
    """None where the standard has none."""
    if vector.get("failure"):
        return None
    port = int(vector["port"] or DEFAULT_PORTS.get(vector["protocol"].removesuffix(":"), 0))
    path = unquote_to_bytes(vector["pathname"])
    query = unquote_to_bytes(vector["search"].removeprefix("?"))
    user = vector["username"], vector["password"]
    return vector["protocol"], vector["hostname"], port, path, query, *user


@pytest.mark.skipif(not url_vectors, reason="needs ../shared/data/wpt-urltestdata.json")
def test_no_vector_is_fetched_from_another_place():
    """What is accepted has the standard's scheme, host, port, path and query, and no user."""
    assert len(url_vectors) > 800
    taken = [(vector, place_of(url)) for vector in url_vectors if (url := accepted(vector)) is not None]
    assert len(taken) > 80
    wrong = [(vector["input"], place) for vector, place in taken if place != place_by_the_standard(vector)]
    assert wrong == []


@pytest.mark.skipif(not url_vectors, reason="needs ../shared/data/wpt-urltestdata.json")
def test_plain_vectors_are_accepted():
    """Every http(s) vector that is plainly written is accepted: strictness costs no ordinary URL."""
    plain = [v for v in url_vectors if v.get("protocol") in ("http:", "https:") and is_plain(v)]
    assert len(plain) > 80
    assert [v["input"] for v in plain if accepted(v) is None] == []


@pytest.mark.skipif(not name_vectors, reason="needs ../shared/data/wpt-toascii.json")
def test_names_become_ascii_as_the_standard_has_it():
    """A name takes the standard's ASCII form, and one that has none is refused."""
    urls = [(row, accepted({"input": f"https://{row['input']}/x", "base": None})) for row in name_vectors]
    assert len(urls) > 80
    wrong = [(row["input"], url) for row, url in urls if (url.host if url else None) != row["output"]]
    assert wrong == []
