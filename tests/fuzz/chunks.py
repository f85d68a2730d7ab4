"""A byte that says how large chunks may be, and after it a document."""

from fetcher.web.output.chunks import chunk
from fetcher.web.output.tokens import count
from fetcher.web.values import Chunk
from tests.fetcher.web.output.chunks.test_chunks import is_one_line_of_code, place, without_fences
from tests.fuzz.bounds import at_most, is_multiplied, multiplied

LIMITS = (16, 24, 40, 128)


def check(data: bytes) -> None:
    """Chunks give the document back, each within its limit and counted right."""
    how, document = data[:1] or b"\0", data[1:]
    limit = LIMITS[how[0] & 3]
    if is_multiplied(data):
        with at_most(5):
            chunk(multiplied(document).decode("utf-8", "replace"), limit)
    text = document.decode("utf-8", "replace")
    with at_most(1):
        chunks = chunk(text, limit)
    _assert_gives_back(text, chunks)
    for piece in chunks:
        assert piece.text.strip()
        assert piece.token_count == count(piece.text)
        assert piece.token_count <= limit or _is_line_of_code(piece.text, text)


def _assert_gives_back(text: str, chunks: tuple[Chunk, ...]) -> None:
    """Only white space lies between chunks, whichever of the fences at their edges are repeated ones."""
    offsets = {0}
    for piece in chunks:
        found = {place(text, at, shown) for at in offsets for shown in without_fences(piece.text)}
        assert found != {0}, f"{piece.text!r} is not next in {text[min(offsets) :]!r}"
        offsets = found - {0}
    assert any(not text[at:].strip() for at in offsets)


def _is_line_of_code(piece: str, text: str) -> bool:
    """Fences that are long for the limit are not repeated, so that a line of code may stand alone."""
    return is_one_line_of_code(piece) or ("```" in text and "\n" not in piece)
