"""The page's links made absolute (SRD FR-WF-13d)."""

import re

import ada_url

# What a Markdown link destination, or a table cell around it, would take for its own.
_UNSAFE = re.compile(r"[()<>\\`|\s]")
_LONGEST = 8192
"""No server takes longer URLs; a hostile page could repeat one to fill the memory."""


class Links:
    """Resolves references against one base, each only once."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._known: dict[str, str] = {}

    def resolve(self, reference: str) -> str:
        """The absolute http(s) URL, fit to stand inside `(...)`; empty where there is none."""
        known = self._known.get(reference)
        if known is None:
            known = self._known[reference] = self._join(reference)
        return known

    def _join(self, reference: str) -> str:
        if len(reference) > _LONGEST:
            return ""
        try:
            url = ada_url.join_url(self._base, reference)
        except (ValueError, UnicodeEncodeError):  # no URL, or lone surrogates in it
            return ""
        if not url.startswith(("https://", "http://")) or len(url) > _LONGEST:
            return ""
        return _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", url)
