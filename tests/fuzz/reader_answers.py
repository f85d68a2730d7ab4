"""What a reader process sends after a job, or a good answer changed in a few places."""

import json
import socket
import time
from typing import Any

from fetcher.codes import ReadingMode
from fetcher.web.errors import FetchError
from fetcher.web.net.media_types import Accept
from fetcher.web.sandbox import frames
from fetcher.web.sandbox.answers import BadAnswer, checked
from fetcher.web.sandbox.channel import ReaderChannel, ReaderEnded
from fetcher.web.values import Reading, ReadingContext
from tests.fuzz.bounds import at_most
from tests.fuzz.draws import Draws

BODY = 1000
CONTEXT = ReadingContext(url="https://page.example/", mode=ReadingMode.ARTICLE, accept=Accept.ALL_KINDS)
HEADS: tuple[dict[str, Any], ...] = (
    {"refusal": {"code": "extraction_failed", "reason": "more than 160000 tags"}},
    {
        "reading": {
            "document": {
                "markdown": "",
                "title": "t",
                "language": "ja",
                "tables": [
                    {"caption": "", "header": [], "rows": []},
                    {"caption": "c", "header": [], "rows": []},
                ],
            },
            "media_type": "text/html",
            "fallback": False,
            "unfilled": True,
        },
        "shapes": [[2, 1], [1, 2]],
    },
)
CELLS = ("a", "b", "1", "2", "c", "3", "4")


def check(data: bytes) -> None:
    """Whatever a reader sends is a sound reading, one of the engine's errors, or refused, and soon."""
    sent = data[1:] if data[:1] == b"\x00" else _changed(Draws(data[1:]))
    with at_most(1):
        try:
            reading = checked(_received(sent), CONTEXT)
        except (BadAnswer, ReaderEnded):
            return
        except FetchError as error:
            json.dumps(error.envelope(), ensure_ascii=False).encode()
            return
    _assert_sound(reading)


def _received(sent: bytes) -> frames.Frame:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            theirs.sendall(sent)
        return ReaderChannel(ours).receive(time.monotonic() + 5, body=BODY)


def _changed(draws: Draws) -> bytes:
    head = json.dumps(draws.edited(draws.pick(HEADS))).encode()
    cells = list(CELLS)
    for _ in range(draws.number(3)):
        cells.insert(draws.number(len(cells)), draws.text())
    joined = draws.pick(("\x1f", "\n")).join(cells[: draws.number(len(CELLS) + 3)] or cells)
    frame = (head, f"{draws.rest()}\n".encode(errors="replace"), joined.encode(errors="replace"))
    return frames.packed(frame) + b"".join(frame)


def _assert_sound(reading: Reading) -> None:
    document = reading.document
    assert Accept.ALL_KINDS.takes(reading.media_type)
    assert type(reading.fallback) is type(reading.unfilled) is bool
    texts = [document.markdown, document.title or "", document.language or ""]
    for table in document.tables:
        assert table.header
        assert all(len(row) == len(table.header) for row in table.rows)
        texts += [table.caption, *table.header, *(cell for row in table.rows for cell in row)]
    assert all(type(text) is str for text in texts)
    "".join(texts).encode()
