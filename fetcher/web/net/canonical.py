"""Text → CanonicalUrl: the one form of SRD Appendix A, or a named refusal.

The URL Standard's parser accepts many odd spellings: it drops tabs, takes backslashes for slashes and turns
`0x7f.1` into 127.0.0.1. Each of them can show one host to a person and another to a client. So each text is
read twice: as it is written, where the host must follow `http://` plainly, and by the parser. A URL is
refused if its two readings cannot be compared, or if only the parser finds an address in it (SRD FR-WF-04b1).

The checks run in one order: parse, scheme, userinfo, zone id, numeric host. `guard.py` checks ports and
addresses after them.
"""

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from string import ascii_letters, digits
from urllib.parse import unquote

import ada_url

from fetcher.web.errors import InvalidHost, InvalidScheme, InvalidUrl, UrlRejected
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl, IPAddress

MAX_URL_CHARS = 8_192
"""RFC 9110 asks servers to take request lines of 8,000 octets; few take many more."""

MAX_HOST_CHARS = 300
"""A name in DNS has 253 characters, and Unicode takes no more of them than the ASCII it stands for."""

MAX_SHOWN_CHARS = 200

_ASCII_NO_CASE = re.ASCII | re.IGNORECASE  # without ASCII, "s" would match U+017F too
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", _ASCII_NO_CASE)
_AUTHORITY = re.compile(r"https?://([^/?#]+)", _ASCII_NO_CASE)
_PARSED_HOST = re.compile(r"(?:(?:https?|wss?|ftp|file):[/\\]*+|[/\\]{2,}+)([^/\\?#]*+)", _ASCII_NO_CASE)
"""Where the URL Standard's parser finds a host that it would encode in ASCII."""
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]+)(?::[0-9]*)?")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?", _ASCII_NO_CASE)
_BEFORE_CREDENTIALS = re.compile(r"[^:/?#\\@]*+:[/\\]++")
_PERCENT_ENCODED = re.compile(r"(%[0-9A-Fa-f]?)?%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(ascii_letters + digits + "-._~")


def canonicalise(text: str) -> CanonicalUrl:
    """The canonical form of a URL; raises InvalidUrl, InvalidScheme or InvalidHost."""
    text = text.strip(" ")
    _require_plain(text)
    return _canonical_form(text)


@lru_cache(maxsize=512)  # each URL of a question is asked about ten times
def _canonical_form(text: str) -> CanonicalUrl:
    parsed = _parse(text)
    scheme = parsed.protocol.removesuffix(":") if parsed else ""
    if parsed and scheme not in DEFAULT_PORTS:
        raise InvalidScheme(scheme=_shown(scheme))
    written_host = _written_host(text)
    if parsed is None:
        # A number that is not an address makes the host invalid (256.1.1.1, 1.2.3.4.5).
        if _ENDS_IN_NUMBER.fullmatch(written_host) and _parse(f"http://{written_host}/") is None:
            raise InvalidHost("The host is a number that is not an IPv4 address", host=_shown(written_host))
        raise InvalidUrl("The URL is malformed", url=_shown(text))
    address: IPAddress | None = None
    if parsed.host_type is ada_url.HostType.IPV6:
        address = IPv6Address(parsed.hostname[1:-1])
    elif parsed.host_type is ada_url.HostType.IPV4:
        if written_host != parsed.hostname:  # SRD FR-WF-04b: only a.b.c.d in plain decimals is an address
            raise InvalidHost("IPv4 addresses must be written in dotted decimals", host=_shown(written_host))
        address = IPv4Address(parsed.hostname)
    _, question_mark, query = parsed.href.partition("#")[0].partition("?")
    url = CanonicalUrl(
        scheme=scheme,
        host=parsed.hostname,
        port=int(parsed.port or DEFAULT_PORTS[scheme]),
        path=_PERCENT_ENCODED.sub(_normal_escape, parsed.pathname),
        query=_PERCENT_ENCODED.sub(_normal_escape, query) if question_mark else None,
        address=address,
    )
    _require_plain(str(url))  # escapes make a text longer
    return url


def attempted(text: object) -> CanonicalUrl | None:
    """The URL that a value names, for logs; None if it names none."""
    try:
        return canonicalise(text) if isinstance(text, str) else None
    except UrlRejected:
        return None


def resolve(base: CanonicalUrl, location: str | None) -> CanonicalUrl:
    """Where a redirect leads from `base` (SRD FR-WF-07b), refused as any other URL would be."""
    location = (location or "").strip(" ")
    if not location:
        raise InvalidUrl("The redirect does not say where to", url=base.redacted)
    _require_plain(location)  # a header may be twelve times as long as a URL
    if _SCHEME.match(location):
        return canonicalise(location)
    if location.startswith("//"):
        return canonicalise(f"{base.scheme}:{location}")
    # The reference names no host. If the parser finds another one in it (`/\host`), it is refused.
    parsed = _parse(location, base)
    target = canonicalise(parsed.href) if parsed is not None else None
    if target is None or target.origin != base.origin:
        raise InvalidUrl("The redirect's location is not a usable URL", url=_shown(location))
    return target


def _require_plain(text: str) -> None:
    if len(text) > MAX_URL_CHARS:
        raise InvalidUrl(f"The URL is longer than {MAX_URL_CHARS} characters", url=_shown(text))
    if _CONTROL.search(text):
        raise InvalidUrl("The URL contains control characters", url=_shown(text))


def _parse(text: str, base: CanonicalUrl | None = None) -> ada_url.URL | None:
    # The parser takes a quarter of a second to encode a host of 5,000 different characters.
    host = _PARSED_HOST.match(text)
    if host is not None and len(unquote(host[1].rpartition("@")[2])) > MAX_HOST_CHARS:
        return None
    try:
        return ada_url.URL(text, None if base is None else str(base))
    except ValueError:  # also the UnicodeEncodeError of a lone surrogate
        return None


def _written_host(text: str) -> str:
    """The host as it is written in the text, an IPv6 address in its brackets (SRD FR-WF-04b1)."""
    found = _AUTHORITY.match(text)
    if found is None or "\\" in found[1]:
        raise InvalidUrl("The text is not a URL of the form http://host/path", url=_shown(text))
    if "@" in found[1]:  # SRD FR-WF-04c; an empty user name misleads too
        raise InvalidUrl("URLs with a user name or password are not fetched", url=_shown(text))
    if found[1].startswith("[") and "%" in found[1]:  # SRD FR-WF-IPV6-ZONE-01
        raise InvalidUrl("IPv6 addresses with a zone identifier are not fetched", url=_shown(text))
    parts = _HOST_AND_PORT.fullmatch(found[1])
    if parts is None:
        raise InvalidUrl("The URL's host or port is malformed", url=_shown(text))
    return parts[1]


def _normal_escape(escape: re.Match[str]) -> str:
    """An escape in upper case, or its character if that is unreserved (SRD FR-WF-NORM-06).

    After a stray `%` or `%4` it stays encoded: its character would complete a new escape.
    """
    stray, code = escape.groups(default="")
    character = chr(int(code, 16))
    if stray or character not in _UNRESERVED:
        return f"{stray}%{code.upper()}"
    return character


def _shown(text: str) -> str:
    """Short text for errors and logs, without credentials and invisible characters.

    Everything before the last `@` is left out: in a malformed URL a password may hold any character.
    """
    before, at, after = text.rpartition("@")
    if at:
        scheme = _BEFORE_CREDENTIALS.match(before)
        after = f"{scheme[0] if scheme else ''}[redacted]@{after}"
    return "".join(
        character if character.isprintable() else "\ufffd" for character in after[:MAX_SHOWN_CHARS]
    )
