"""The response of SRD FR-WF-03 as JSON text within a number of bytes (FR-WF-OUT-01, FR-WF-OUT-02).

The JSON is joined from parts that are serialised once: the fields before the chunks, each chunk, and the
fields after them. Their sizes say how many chunks fit. So no chunk is serialised twice, and chunks far beyond
the limit are not serialised at all.
"""

import json
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from typing import Self

from fetcher.codes import Note, TruncationReason
from fetcher.text import well_formed
from fetcher.web.errors import InternalError
from fetcher.web.output.tokens import count
from fetcher.web.values import Chunk, FetchedPage


@dataclass(slots=True)
class ToolContext:
    """The limits that a tool's caller sets; the tool itself turns `allow_truncation` off (FR-WF-03a)."""

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
        known = {"title": page.document.title, "language": page.document.language}
        before = {  # in the order of FR-WF-03
            "requested_url": page.requested_url,
            "final_url": str(page.final_url),
            "fetched_at": f"{page.fetched_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            **{name: value for name, value in known.items() if value},
        }
        reasons = [reason for reason in TruncationReason if reason in page.truncation]  # in the SRD's order
        after = {
            "rendering_method": page.rendering_method,
            "truncated": bool(reasons),
            **({"truncation_reason": reasons[0]} if reasons else {}),
            "notes": [note for note in Note if note in page.notes],
        }
        return cls(before=f'{_json(before)[:-1]},"chunks":[', after=f"],{_json(after)[1:]}")

    @property
    def size(self) -> int:
        return _size(self.before) + _size(self.after)

    def around(self, chunks: Iterable[str]) -> str:
        return f"{self.before}{','.join(chunks)}{self.after}"


def respond(page: FetchedPage, chunks: Sequence[Chunk], max_bytes: int) -> str:
    """The response with as many chunks as fit into `max_bytes` of UTF-8."""
    envelope = Envelope.of(page)
    serialised: list[str] = []
    sizes = [-1]  # of the joined chunks; commas are between them
    for chunk in chunks:
        serialised.append(_json(chunk.as_json()))
        sizes.append(sizes[-1] + _size(serialised[-1]) + 1)
        if sizes[-1] - len(serialised) + 1 > max_bytes:  # without commas; later chunks do not fit
            del serialised[-1], sizes[-1]
            break
    if len(serialised) == len(chunks) and envelope.size + max(sizes[-1], 0) <= max_bytes:
        return envelope.around(serialised)
    limited = Envelope.of(
        replace(
            page,
            notes=page.notes | {Note.TOOL_OUTPUT_LIMIT},
            truncation=page.truncation | {TruncationReason.TOOL_OUTPUT_LIMIT},
        )
    )
    fitting = bisect_right(sizes, max_bytes - limited.size, hi=min(len(chunks), len(sizes))) - 1
    if fitting >= 1:
        return limited.around(serialised[:fitting])
    # Not even the first chunk fits: it is shortened.
    room = max_bytes - limited.size
    for chunk in chunks[:1]:
        text = well_formed(chunk.text)
        frame = _size(_json(replace(chunk, text="", token_count=0).as_json()))
        lengths = range(min(len(text), max(room, 0)) + 1)  # a character is at least a byte
        # How much fits if `token_count` has one digit: too much by a few bytes, if it has more.
        longest = bisect_right(lengths, room - frame, key=lambda length: _size(_json(text[:length])) - 2) - 1
        for length in range(longest, -1, -1):
            shorter = replace(chunk, text=text[:length], token_count=count(text[:length]))
            if _size(_json(shorter.as_json())) <= room:
                return limited.around([_json(shorter.as_json())])
    raise InternalError("tool_output_limit", error="tool_output_limit", retryable=False)


def _json(value: object) -> str:
    return well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _size(text: str) -> int:
    return len(text.encode())
