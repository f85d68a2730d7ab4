"""The response of SRD FR-WF-03 as JSON text within a number of bytes (FR-WF-OUT-01, FR-WF-OUT-02).

The JSON is put together from parts that are serialised once: what stands before the chunks, each chunk,
what stands after them. Their sizes say how many chunks fit, so none is serialised twice, and chunks far
beyond the budget never are.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import accumulate
from typing import Any, Self

from fetcher.codes import Note, TruncationReason
from fetcher.text import well_formed
from fetcher.web.errors import InternalError
from fetcher.web.output.tokens import count
from fetcher.web.values import Chunk, FetchedPage


@dataclass(slots=True)
class ToolContext:
    """What the caller of a tool grants it; the tool itself turns `allow_truncation` off (FR-WF-03a)."""

    max_output_bytes: int = 100_000
    available_capacity_bytes: int | None = None
    allow_truncation: bool = False

    @property
    def effective_max_bytes(self) -> int:
        if self.available_capacity_bytes is None:
            return self.max_output_bytes
        return min(self.max_output_bytes, self.available_capacity_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The response without its chunks."""

    before: str
    after: str

    @classmethod
    def of(cls, page: FetchedPage) -> Self:
        return cls(before=f'{_json(_opening(page))[:-1]},"chunks":[', after=f"],{_json(_closing(page))[1:]}")

    @property
    def size(self) -> int:
        return _size(self.before) + _size(self.after)

    def around(self, chunks: Iterable[str]) -> str:
        return f"{self.before}{','.join(chunks)}{self.after}"


def respond(page: FetchedPage, chunks: Sequence[Chunk], max_bytes: int) -> str:
    """The response with as many chunks as fit into `max_bytes` of UTF-8."""
    envelope = Envelope.of(page)
    serialised = list(_within(max_bytes, (_json(chunk.as_json()) for chunk in chunks)))
    sizes = list(accumulate((_size(chunk) + 1 for chunk in serialised), initial=-1))  # commas lie between
    if len(serialised) == len(chunks) and envelope.size + max(sizes[-1], 0) <= max_bytes:
        return envelope.around(serialised)
    limited = Envelope.of(_limited(page))
    kept = bisect_right(sizes, max_bytes - limited.size, hi=min(len(chunks), len(sizes))) - 1
    if kept >= 1:
        return limited.around(serialised[:kept])
    return limited.around(_cut(chunks[:1], max_bytes - limited.size))


def _within(max_bytes: int, serialised: Iterable[str]) -> Iterator[str]:
    """Serialised chunks up to the first that goes over the budget, without that one."""
    for chunk in serialised:
        max_bytes -= _size(chunk)
        if max_bytes < 0:
            return
        yield chunk


def _limited(page: FetchedPage) -> FetchedPage:
    return replace(
        page,
        notes=page.notes | {Note.TOOL_OUTPUT_LIMIT},
        truncation=page.truncation | {TruncationReason.TOOL_OUTPUT_LIMIT},
    )


def _opening(page: FetchedPage) -> dict[str, Any]:
    """The fields before `chunks`, in the order of FR-WF-03."""
    known = {"title": page.document.title, "language": page.document.language}
    return {
        "requested_url": page.requested_url,
        "final_url": str(page.final_url),
        "fetched_at": f"{page.fetched_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        **{name: value for name, value in known.items() if value},
    }


def _closing(page: FetchedPage) -> dict[str, Any]:
    """The fields after `chunks`; the enums' own order is the SRD's."""
    reasons = [reason for reason in TruncationReason if reason in page.truncation]
    return {
        "rendering_method": page.rendering_method,
        "truncated": bool(reasons),
        **({"truncation_reason": reasons[0]} if reasons else {}),
        "notes": [note for note in Note if note in page.notes],
    }


def _cut(chunks: Sequence[Chunk], room: int) -> list[str]:
    """The first chunk with as much of its text as fits into `room` bytes."""
    for chunk in chunks:
        text = well_formed(chunk.text)
        for length in range(_longest(chunk, text, room), -1, -1):
            shorter = replace(chunk, text=text[:length], token_count=count(text[:length]))
            serialised = _json(shorter.as_json())
            if _size(serialised) <= room:
                return [serialised]
    raise InternalError("tool_output_limit", error="tool_output_limit", retryable=False)


def _longest(chunk: Chunk, text: str, room: int) -> int:
    """How much of the text fits, should its `token_count` have one digit; that is too much by a few bytes."""
    frame = _size(_json(replace(chunk, text="", token_count=0).as_json()))
    lengths = range(min(len(text), max(room, 0)) + 1)  # a character is at least a byte
    return bisect_right(lengths, room - frame, key=lambda length: _size(_json(text[:length])) - 2) - 1


def _json(value: object) -> str:
    return well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _size(text: str) -> int:
    return len(text.encode())
