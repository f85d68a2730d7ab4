"""A budget in bytes, and a page's title, address and chunks."""

import json
from datetime import UTC, datetime

from fetcher.codes import Note, RenderingMethod, TruncationReason
from fetcher.text import well_formed
from fetcher.web.errors import InternalError
from fetcher.web.output.fit import respond
from fetcher.web.output.tokens import count
from fetcher.web.values import CanonicalUrl, Chunk, Document, FetchedPage
from tests.fuzz.bounds import at_most
from tests.fuzz.draws import Draws

ORDER = [
    "requested_url", "final_url", "fetched_at", "title", "language", "chunks", "rendering_method",
    "truncated", "truncation_reason", "notes",
]  # fmt: skip
SMALLEST = 1_500
"""A budget that holds whatever stands around the chunks, and an empty one with its heading."""


def check(data: bytes) -> None:
    """The response is JSON with the fields in their order, within its budget, and says what it left out."""
    draws = Draws(data)
    budget = draws.number(4_000)
    page = _page(draws)
    chunks = [_chunk(draws) for _ in range(draws.number(7))]
    try:
        with at_most(1):
            text = respond(page, chunks, budget)
    except InternalError as error:
        error.envelope()
        assert budget < SMALLEST or not chunks
        return
    assert len(text.encode()) <= budget
    _assert_told(json.loads(text), page, chunks)


def _page(draws: Draws) -> FetchedPage:
    return FetchedPage(
        requested_url=draws.text(63),
        final_url=CanonicalUrl(scheme="https", host="a.example", port=443, path="/"),
        fetched_at=datetime(2026, 1, 10, 12, tzinfo=UTC),
        document=Document(markdown="", title=draws.text(63) or None, language=draws.pick((None, "ja"))),
        rendering_method=draws.pick(list(RenderingMethod)),
        notes=frozenset(note for note in Note if note is not Note.TOOL_OUTPUT_LIMIT and draws.number(1)),
        truncation=frozenset({draws.pick(list(TruncationReason)[1:])}) if draws.number(1) else frozenset(),
    )


def _chunk(draws: Draws) -> Chunk:
    heading, text = draws.text(63), draws.text(1_023)
    return Chunk(heading=heading, text=text, token_count=count(text))


def _assert_told(response: dict[str, object], page: FetchedPage, chunks: list[Chunk]) -> None:
    assert list(response) == [name for name in ORDER if name in response]
    told = response["chunks"]
    assert isinstance(told, list)
    whole = [{**piece.as_json(), "heading": well_formed(piece.heading)} for piece in chunks]
    whole = [{**piece, "text": well_formed(str(piece["text"]))} for piece in whole]
    if told == whole:
        assert bool(response["truncated"]) == bool(page.truncation)
        return
    assert response["truncation_reason"] == TruncationReason.TOOL_OUTPUT_LIMIT
    assert told[:-1] == whole[: len(told) - 1]
    assert whole[len(told) - 1]["text"].startswith(told[-1]["text"])
    assert told[-1]["token_count"] == count(told[-1]["text"])
