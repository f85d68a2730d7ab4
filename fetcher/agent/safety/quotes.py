"""Whether a quote repeats a URL of our own answers.

An answer is the model's text, and a URL in it may spell the thread out. A person who quotes the answer, or an
app that repeats it, must not make that URL one that may be fetched.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from fetcher.agent.safety.links import find_links, unescaped
from fetcher.bare_urls import with_schemes

MOST_QUOTED_LINKS = 100
"""How many links in quotes are compared with our answers; those beyond count as quoted from them."""
_WHITE_SPACE = re.compile(r"\s+")
_SCHEME = re.compile(r"^https?://")


class AnswerUrls:
    """What our answers say, for comparison with quotes."""

    def __init__(self, answers: Iterable[str]) -> None:
        written = "\n".join(answers)
        # Links are found without the backslashes of Markdown, and with the schemes that were meant.
        forms = (written, unescaped(written), with_schemes(unescaped(written)))
        self._written = "\n".join(_plain(form) for form in forms) if written.strip() else ""
        self._room = MOST_QUOTED_LINKS

    def repeated_in(self, quote: str) -> bool:
        """Whether a URL in a quote stands in an answer, with either scheme and however it is encoded."""
        if not self._written or self._room < 0:
            return bool(self._written)
        links = find_links(quote, typed=True)
        self._room -= len(links)
        return self._room < 0 or any(_SCHEME.sub("", _plain(link)) in self._written for link in links)


def _plain(text: str) -> str:
    return unquote(_WHITE_SPACE.sub("", text)).casefold()
