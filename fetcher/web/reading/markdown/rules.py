"""What a rule for an element gets and returns while an article is written (see `writer.py`)."""

from collections.abc import Callable
from typing import Protocol

from fetcher.web.reading.markdown.inline import InlineRun
from fetcher.web.reading.tree import Article

Close = Callable[[], None]
"""What is to be done where the element ends."""


class Writing(Protocol):
    """What rules know of the writer."""

    @property
    def article(self) -> Article: ...
    @property
    def run(self) -> InlineRun: ...


def done() -> None:
    """Returned by a rule that has dealt with an element's content itself."""
