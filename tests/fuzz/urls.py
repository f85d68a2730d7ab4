"""A URL, and on the next line the location of a redirect from there."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from fetcher.web.errors import InvalidHost, InvalidScheme, InvalidUrl
from fetcher.web.net.canonical import MAX_URL_CHARS, canonicalise, resolve
from fetcher.web.values import CanonicalUrl
from tests.fuzz.bounds import at_most

REFUSALS = (InvalidHost, InvalidScheme, InvalidUrl)
BASE = canonicalise("https://base.example/dir/page?query")


def check(data: bytes) -> None:
    """Every text is a canonical URL or refused, and what is fetched is what was written."""
    text, _, location = data.decode("utf-8", "surrogateescape").partition("\n")
    with at_most(1):
        url = _canonical(text)
        base = url or BASE
        target = _resolved(base, location)
    if url:
        _assert_sound(url)
        _assert_as_written(text, url)
    if target:
        _assert_sound(target)
        _assert_where_it_leads(base, location, target)


def _canonical(text: str) -> CanonicalUrl | None:
    try:
        return canonicalise(text)
    except REFUSALS as error:
        error.envelope()
        return None


def _resolved(base: CanonicalUrl, location: str) -> CanonicalUrl | None:
    try:
        return resolve(base, location)
    except REFUSALS as error:
        error.envelope()
        return None


def _assert_sound(url: CanonicalUrl) -> None:
    """Canonical once and for all, and the same to another parser."""
    text = str(url)
    assert canonicalise(text) == url
    assert text.isascii()
    assert text.isprintable()
    assert " " not in text
    assert len(text) <= MAX_URL_CHARS
    other = urlsplit(text)
    assert (other.scheme, other.hostname) == (url.scheme, url.host.strip("[]"))
    assert other.port is None or other.port == url.port
    assert other.username is None
    assert not set("/?#@\\%<>^| ") & set(url.host)
    assert url.address == _address(url.host)


def _address(host: str) -> object:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None


def _assert_as_written(text: str, url: CanonicalUrl) -> None:
    """A host in ASCII is the host that a reader sees: nothing decoded, dropped or turned into a number."""
    written = text.strip(" ").partition("://")[2]
    for end in "/?#":
        written = written.partition(end)[0]
    host = written.rpartition("]")[0] + "]" if written.startswith("[") else written.partition(":")[0]
    if host.isascii() and "%" not in host and not host.startswith("["):
        assert url.host == host.lower()
    if url.address and not host.startswith("["):
        assert host == url.host


def _assert_where_it_leads(base: CanonicalUrl, location: str, target: CanonicalUrl) -> None:
    """Only a location that names a host leads to another one."""
    location = location.strip(" ")
    if "//" not in location:
        assert target.origin == base.origin
