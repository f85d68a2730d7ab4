"""The search results that a request of the Messages API carries, and citations of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]
Body = dict[str, Any]
"""A request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cite:
    """A search result of the request, by its source or its place, and which of its blocks."""

    source: str | int
    start: int
    end: int | None

    def located(self, body: Body) -> Block:
        place, result = self._found(list(search_results(body)))
        end = len(result["content"]) if self.end is None else self.end
        cited = [each["text"] for each in result["content"][self.start : end]]
        return {
            "type": "search_result_location",
            "cited_text": "".join(cited),
            "source": result["source"],
            "title": result["title"],
            "search_result_index": place,
            "start_block_index": self.start,
            "end_block_index": end,
        }

    def _found(self, results: list[Block]) -> tuple[int, Block]:
        for place, result in enumerate(results):
            if self.source in (place, result["source"]):
                return place, result
        raise LookupError(f"the request has no search result {self.source!r}")


Citation = Cite | Block


def cite(source: str | int, start: int = 0, end: int | None = None) -> Cite:
    """A citation of the first search result with this source, or of the one at this place.

    The blocks from `start` up to but without `end` are cited, all of them if nothing is said.
    """
    return Cite(source=source, start=start, end=end)


def search_results(body: Body) -> Iterator[Block]:
    """The search results of a request in the order in which the API numbers them."""
    for message in body["messages"]:
        for each in blocks(message["content"]):
            inner = blocks(each.get("content", "")) if each["type"] == "tool_result" else [each]
            yield from (found for found in inner if found["type"] == "search_result")


def blocks(content: str | list[Block]) -> list[Block]:
    """Content as blocks, however it was written."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content


def located(citation: Citation, body: Body) -> Block:
    return citation.located(body) if isinstance(citation, Cite) else citation
