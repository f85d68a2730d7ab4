"""The page's links made absolute (SRD FR-WF-13d)."""

import re

import ada_url

# Characters that have a meaning in a Markdown link destination, or in a table cell around it.
_UNSAFE = re.compile(r"[()<>\\`|\s]")
_LONGEST = 8192
"""Servers do not take longer URLs."""

# A long `<base>` and many short references would make a small page very long. So all targets of a page share
# a budget of characters, which grows with what the page itself writes. A link over the budget becomes text.
_BUDGET = 20_000
_BUDGET_PER_LINK = 300
_BUDGET_PER_CHARACTER = 9
"""Of a reference: one Japanese character is so long when it is percent-encoded."""
_BUDGET_PER_CHARACTER_OF_THE_BASE = 40

# Most references have only characters that the URL Standard does not change, and no dot segments. The parser
# would return them unchanged, or after the origin, so it is not called for them.
_PATH = r"(?>/(?!\.|%2[eE])[\w~!$&*+,;=:@%.-]*+)++"
_REST = r"(?>\?[\w~!$&*+,;=:@%/?.-]*+)?+(?>#[\w~!$&*+,;=:@%/?.-]*+)?+"
_HOST = r"(?>(?!xn--)[a-z0-9-]++\.)++[a-z]{2,}+"  # with a last label of letters it cannot be an IPv4 address
_ABSOLUTE = re.compile(rf"https?://{_HOST}{_PATH}{_REST}", re.ASCII)
_ROOTED = re.compile(rf"(?!//){_PATH}{_REST}", re.ASCII)


class Links:
    """Resolves references against one base, each only once."""

    def __init__(self, base: str) -> None:
        self._base = base if len(base) <= _LONGEST else ""
        self._origin = absolute(self._base, "/").removesuffix("/")
        self._known: dict[str, str] = {}
        self._budget = _BUDGET + _BUDGET_PER_CHARACTER_OF_THE_BASE * len(self._base)

    def resolve(self, reference: str) -> str:
        """The absolute http(s) URL, safe inside `(...)`; empty for other URLs, or over the budget."""
        self._budget += _BUDGET_PER_LINK + _BUDGET_PER_CHARACTER * len(reference)
        if self._budget <= 0:
            return ""
        url = self._known.get(reference)
        if url is None:
            if len(reference) > _LONGEST:
                url = ""
            elif self._origin and _ABSOLUTE.fullmatch(reference):
                url = reference
            elif self._origin and _ROOTED.fullmatch(reference):
                url = self._origin + reference
            else:
                url = absolute(self._base, reference)
            url = _UNSAFE.sub(lambda unsafe: f"%{ord(unsafe[0]):02X}", url) if len(url) <= _LONGEST else ""
            self._known[reference] = url
        self._budget -= len(url)
        return url


def absolute(base: str, reference: str) -> str:
    """The http(s) URL of a reference on a page at `base`; empty if it has none."""
    try:
        url = ada_url.join_url(base, reference)
    except (ValueError, UnicodeEncodeError):  # not a URL, or one with lone surrogates
        return ""
    return url if url.startswith(("https://", "http://")) else ""
