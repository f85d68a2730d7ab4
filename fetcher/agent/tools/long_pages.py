"""Notes of a page that does not fit: its parts, and what the model is told of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from fetcher.agent.errors import ToolRefused
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.fencing import search_result
from fetcher.agent.tools.open_page import OpenPage
from fetcher.agent.tools.results import passages_from, text_block, warning_blocks
from fetcher.codes import AgentCode


class MakesNotes(Protocol):
    """Makes notes of texts, each with a call of the model."""

    async def make(self, parts: Sequence[Sequence[str]], page: OpenPage, focus: str) -> list[str | None]:
        """The notes of each part; None where there are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedPage:
    """What was noted of a page."""

    blocks: tuple[Block, ...]
    percent: int
    """How much of the page the notes cover."""


def parts_of(page: OpenPage, most_chars: int) -> list[list[int]]:
    """The numbers of the passages of each part, from the beginning to the end."""
    parts: list[list[int]] = []
    first = 0
    while chosen := passages_from(page, first, most_chars):
        parts.append(chosen)
        first = chosen[-1] + 1
    return parts


async def noted(
    page: OpenPage, parts: Sequence[Sequence[int]], notes: MakesNotes, *, focus: str, most_parts: int
) -> NotedPage:
    """Make notes of the parts, as many as are allowed; raises ToolRefused where there are none."""
    texts = [page.texts_of(part) for part in parts[:most_parts]]
    made = await notes.make(texts, page, focus)
    made += [None] * (len(parts) - len(made))
    if not any(made):
        raise ToolRefused(AgentCode.MODEL_UNAVAILABLE, "No notes could be made")
    starts = [*(page.passages[part[0]].start for part in parts), page.length]
    places = list(zip(pairwise(starts), made, strict=True))
    found = [f"({start} to {end})\n{note}" for (start, end), note in places if note]
    missing = [f"{start} to {end}" for (start, end), note in places if not note]
    covered = sum(end - start for (start, end), note in places if note)
    told = f"These notes miss the characters {', '.join(missing)}: say so." if missing else "The whole page."
    return NotedPage(
        blocks=(search_result(str(page.url), page.title, found), text_block(told), *warning_blocks(page)),
        percent=100 * covered // (page.length or 1),
    )
