"""Text → CanonicalUrl: the one form of SRD Appendix A, or a named refusal.

The URL Standard's parser forgives much: it drops tabs, takes backslashes for slashes and turns
`0x7f.1` into 127.0.0.1. Whatever it forgives is a way to show one host to a reader and another
to a client. So each text is read twice: as it is written, where the authority must stand plainly
after `http://`, and by the parser. A URL whose two readings cannot be compared, or that only the
parser turns into an address, is refused (SRD FR-WF-04b1).

The checks run in one order: parse, scheme, userinfo, zone id, numeric host. Ports and addresses
come after them, in `guard.py`.
"""

import re
from ipaddress import IPv4Address, IPv6Address
from string import ascii_letters, digits

import ada_url

from fetcher.web.errors import InvalidHost, InvalidScheme, InvalidUrl, UrlRejected
from fetcher.web.values import DEFAULT_PORTS, CanonicalUrl, IPAddress

MAX_URL_CHARS = 8_192
"""RFC 9110 asks servers to take request lines of 8,000 octets; few take many more."""

MAX_SHOWN_CHARS = 200

_ASCII_NO_CASE = re.ASCII | re.IGNORECASE  # without ASCII, "s" would match U+017F too
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", _ASCII_NO_CASE)
_AUTHORITY = re.compile(r"https?://([^/?#]+)", _ASCII_NO_CASE)
_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]+)(?::[0-9]*)?")
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)\.?", _ASCII_NO_CASE)
_BEFORE_CREDENTIALS = re.compile(r"[^:/?#\\@]*+:[/\\]++")
_PERCENT_ENCODED = re.compile(r"(%[0-9A-Fa-f]?)?%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset(ascii_letters + digits + "-._~")


def canonicalise(text: str) -> CanonicalUrl:
    """The canonical form of a URL; raises InvalidUrl, InvalidScheme or InvalidHost."""
    text = text.strip(" ")
    _require_plain(text)
    parsed = _parse(text)
    if parsed is not None and _scheme(parsed) not in DEFAULT_PORTS:
        raise InvalidScheme(scheme=_shown(_scheme(parsed)))
    written_host = _written_host(text)
    if parsed is None:
        raise _unparsable(text, written_host)
    url = _canonical(parsed, written_host)
    _require_plain(str(url))  # escapes make a text longer
    return url


def attempted(text: object) -> CanonicalUrl | None:
    """The URL that something stands for, for logs; None where it stands for none."""
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
    return _within_origin(base, location)


def _within_origin(base: CanonicalUrl, location: str) -> CanonicalUrl:
    """Resolve a reference that names no host; where the parser finds one (`/\\host`), refuse it."""
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
    try:
        return ada_url.URL(text, None if base is None else str(base))
    except ValueError:  # among them the UnicodeEncodeError of a lone surrogate
        return None


def _scheme(parsed: ada_url.URL) -> str:
    return parsed.protocol.removesuffix(":")


def _written_host(text: str) -> str:
    """The host as the text has it, an IPv6 literal in its brackets (SRD FR-WF-04b1)."""
    found = _AUTHORITY.match(text)
    if found is None or "\\" in found[1]:
        raise InvalidUrl("The text is not a URL of the form http://host/path", url=_shown(text))
    if "@" in found[1]:  # SRD FR-WF-04c; an empty user name misleads as well as a full one
        raise InvalidUrl("URLs with a user name or password are not fetched", url=_shown(text))
    if found[1].startswith("[") and "%" in found[1]:  # SRD FR-WF-IPV6-ZONE-01
        raise InvalidUrl("IPv6 addresses with a zone identifier are not fetched", url=_shown(text))
    parts = _HOST_AND_PORT.fullmatch(found[1])
    if parts is None:
        raise InvalidUrl("The URL's host or port is malformed", url=_shown(text))
    return parts[1]


def _unparsable(text: str, written_host: str) -> InvalidUrl | InvalidHost:
    """Why the parser refused: a number that is no address is the host's fault (256.1.1.1, 1.2.3.4.5)."""
    if _ENDS_IN_NUMBER.fullmatch(written_host) and _parse(f"http://{written_host}/") is None:
        return InvalidHost("The host is a number that is not an IPv4 address", host=_shown(written_host))
    return InvalidUrl("The URL is malformed", url=_shown(text))


def _canonical(parsed: ada_url.URL, written_host: str) -> CanonicalUrl:
    scheme = _scheme(parsed)
    without_fragment = parsed.href.partition("#")[0]
    _, question_mark, query = without_fragment.partition("?")
    return CanonicalUrl(
        scheme=scheme,
        host=parsed.hostname,
        port=int(parsed.port or DEFAULT_PORTS[scheme]),
        path=_normalise_escapes(parsed.pathname),
        query=_normalise_escapes(query) if question_mark else None,
        address=_address(parsed, written_host),
    )


def _address(parsed: ada_url.URL, written_host: str) -> IPAddress | None:
    if parsed.host_type is ada_url.HostType.IPV6:
        return IPv6Address(parsed.hostname[1:-1])
    if parsed.host_type is not ada_url.HostType.IPV4:
        return None
    if written_host != parsed.hostname:  # SRD FR-WF-04b: only a.b.c.d in plain decimals is an address
        raise InvalidHost("IPv4 addresses must be written in dotted decimals", host=_shown(written_host))
    return IPv4Address(parsed.hostname)


def _normalise_escapes(text: str) -> str:
    """Upper-case the hex digits and decode the unreserved characters (SRD FR-WF-NORM-06)."""
    return _PERCENT_ENCODED.sub(_normal_escape, text)


def _normal_escape(escape: re.Match[str]) -> str:
    """One escape, left encoded after a stray `%` or `%4`, with which its character would make a new one."""
    stray, code = escape.groups(default="")
    character = chr(int(code, 16))
    if stray or character not in _UNRESERVED:
        return f"{stray}%{code.upper()}"
    return character


def _shown(text: str) -> str:
    """Text fit for an error and a log line: no credentials, nothing invisible, not long.

    Everything before the last `@` goes: in a malformed URL a password may hold any character.
    """
    before, at, after = text.rpartition("@")
    if at:
        scheme = _BEFORE_CREDENTIALS.match(before)
        after = f"{scheme[0] if scheme else ''}[redacted]@{after}"
    return "".join(
        character if character.isprintable() else "\ufffd" for character in after[:MAX_SHOWN_CHARS]
    )
