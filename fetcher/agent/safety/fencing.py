"""What the model sees of the web: `search_result` blocks, without anything that people could not see.

The block is the fence: JSON separates a page's text from ours, and no text can end it. So nothing visible is
taken from the text. `Human:` or `<|im_start|>` in a page are words like any others.
"""

import re
from collections.abc import Iterable

from fetcher.agent.model.contract import Block
from fetcher.agent.safety.mentions import without_mentions
from fetcher.web.reading.markdown.escape import clean

# Fillers and the code points set aside for invisible characters, and joiners or variation selectors in
# a row: one or two belong to an emoji or to a rare kanji, more spell out hidden bytes.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2065\u3164\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]"
    "|[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]{3,}"
)


def visible(text: str) -> str:
    """The text without control, bidirectional, zero-width and tag characters."""
    return _INVISIBLE.sub("", clean(text))


def plain_label(text: str, *, longest: int = 200) -> str:
    """A title, link label, file name, author or error body as one short line."""
    line = " ".join(without_mentions(visible(text)).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def search_result(url: str, title: str, blocks: Iterable[str]) -> Block:
    """A page, or parts of it, as a block that the API cites from: each of `blocks` is one citable piece."""
    pieces = [piece for block in blocks if (piece := visible(block)).strip()]
    return {
        "type": "search_result",
        "source": url,
        "title": plain_label(title) or url,
        "content": [{"type": "text", "text": piece} for piece in pieces or ["(no text)"]],
        "citations": {"enabled": True},
    }
