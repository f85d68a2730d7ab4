"""Whether a quote repeats a URL of our own answers.

An answer is the model's text, and a URL in it may spell the thread out. A person who quotes the answer, or an
app that repeats it, must not make that URL one that may be fetched.
"""

import re
from collections.abc import Iterable
from html import unescape
from itertools import islice
from urllib.parse import unquote

from fetcher.agent.safety.links import find_links, unescaped
from fetcher.agent.safety.provenance import canonical_forms
from fetcher.bare_urls import with_schemes

MOST_QUOTED_LINKS = 100
"""How many links in quotes are compared with our answers; those beyond count as quoted from them."""
_WHITE_SPACE = re.compile(r"\s+")
_SCHEME = re.compile(r"^https?:/+")
_SLASHES = re.compile(r"\.?/+")
_BEGINS = re.compile(r"^|https?:/")
_ENDS = re.compile(r"[^\w/%.-]|$")
"""Where a URL within a longer one may end: an app has added something, and it is not another page's path."""
_MOST_WITHIN = 5


class AnswerUrls:
    """What our answers say, for comparison with quotes."""

    def __init__(self, answers: Iterable[str]) -> None:
        written = "\n".join(answers)
        self._urls = {form for link in find_links(written, typed=True) for form in _forms(link)}
        # Links are found without the backslashes of Markdown, and with the schemes that were meant.
        texts = (written, unescaped(written), with_schemes(unescaped(written)))
        self._written = "\n".join((*map(_plain, texts), *self._urls)) if written.strip() else ""
        self._room = MOST_QUOTED_LINKS

    def repeated_in(self, quote: str) -> bool:
        """Whether a URL in a quote stands in an answer or has one in it, however it is spelled."""
        if not self._written or self._room < 0:
            return bool(self._written)
        links = find_links(quote, typed=True)
        self._room -= len(links)
        return self._room < 0 or any(self._repeats(form) for link in links for form in _forms(link))

    def _repeats(self, link: str) -> bool:
        begins = [found.end() for found in islice(_BEGINS.finditer(link), _MOST_WITHIN)]
        within = (link[at : end.start()] for at in begins for end in _ENDS.finditer(link, at))
        return link in self._written or not self._urls.isdisjoint(within)


def _forms(link: str) -> set[str]:
    """A link as it is written and as it is asked for, without scheme and encoding."""
    return {_SCHEME.sub("", _plain(form)).rstrip("/") for form in (link, *canonical_forms([link]))}


def _plain(text: str) -> str:
    """Text without white space and encoding, also where an app has encoded it once more."""
    plain = unquote(unquote(_WHITE_SPACE.sub("", text)))
    return _SLASHES.sub("/", unescape(plain)).casefold()
