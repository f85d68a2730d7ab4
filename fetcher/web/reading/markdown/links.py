"""The page's links made absolute (SRD FR-WF-13d)."""

import re

import ada_url

# What a Markdown link destination, or a table cell around it, would take for its own.
_UNSAFE = re.compile(r"[()<>\\`|\s]")
_LONGEST = 8192
"""No server takes longer URLs."""

# A long `<base>` and many short references would make much of little: what all targets of a page may take
# together grows with what the page spends on them. A link whose target finds no room keeps its text.
_ROOM = 20_000
_ROOM_A_LINK = 300
_ROOM_A_CHARACTER = 9
"""Of a reference: so long is one Japanese character once it is percent-encoded."""
_ROOM_A_CHARACTER_OF_THE_BASE = 40

# Most references are of characters that no rule of the URL Standard touches, without dot segments:
# these the parser would return as they are, or behind the origin, and it need not be asked.
_PATH = r"(?:/(?!\.|%2[eE])[\w~!$&*+,;=:@%.-]*+)++"
_REST = r"(?:\?[\w~!$&*+,;=:@%/?.-]*+)?+(?:#[\w~!$&*+,;=:@%/?.-]*+)?+"
_HOST = r"(?:(?!xn--)[a-z0-9-]++\.)++[a-z]{2,}+"  # a last label of letters alone is no IPv4 address
_ABSOLUTE = re.compile(rf"https?://{_HOST}{_PATH}{_REST}", re.ASCII)
_ROOTED = re.compile(rf"(?!//){_PATH}{_REST}", re.ASCII)


class Links:
    """Resolves references against one base, each only once."""

    def __init__(self, base: str) -> None:
        self._base = base if len(base) <= _LONGEST else ""
        self._origin = absolute(self._base, "/").removesuffix("/")
        self._known: dict[str, str] = {}
        self._room = _ROOM + _ROOM_A_CHARACTER_OF_THE_BASE * len(self._base)

    def resolve(self, reference: str) -> str:
        """The absolute http(s) URL, fit to stand inside `(...)`; empty where there is none, or no room."""
        self._room += _ROOM_A_LINK + _ROOM_A_CHARACTER * len(reference)
        if self._room <= 0:
            return ""
        known = self._known.get(reference)
        if known is None:
            known = self._known[reference] = self._join(reference)
        self._room -= len(known)
        return known

    def _join(self, reference: str) -> str:
        if len(reference) > _LONGEST:
            return ""
        if self._origin and _ABSOLUTE.fullmatch(reference):
            return reference
        if self._origin and _ROOTED.fullmatch(reference):
            url = self._origin + reference
        else:
            url = absolute(self._base, reference)
        return _safe(url) if len(url) <= _LONGEST else ""


def absolute(base: str, reference: str) -> str:
    """The http(s) URL that a reference means on a page at `base`; empty where it means none."""
    try:
        url = ada_url.join_url(base, reference)
    except (ValueError, UnicodeEncodeError):  # no URL, or lone surrogates in it
        return ""
    return url if url.startswith(("https://", "http://")) else ""


def _safe(url: str) -> str:
    return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", url)
