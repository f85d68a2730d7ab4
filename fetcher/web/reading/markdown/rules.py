"""What a rule for an element gets and returns while an article is written (see `writer.py`)."""

from collections.abc import Callable
from typing import Protocol

from fetcher.web.reading.markdown.inline import InlineRun
from fetcher.web.reading.markdown.links import Links
from fetcher.web.reading.tree import Article

Close = Callable[[], None]
"""What is to be done where the element ends."""


class Writing(Protocol):
    """What rules know of the writer."""

    article: Article
    run: InlineRun
    links: Links


Rule = Callable[[Writing, int], Close | None]
"""Writes the beginning of an element, given by its node."""


def done() -> None:
    """Returned by a rule that has dealt with an element's content itself."""


def in_turn(*closings: Close | None) -> Close:
    """One closing that does several, in their order."""

    def close() -> None:
        for each in closings:
            if each:
                each()

    return close
