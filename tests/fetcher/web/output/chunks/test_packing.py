"""Parts are joined while the joined text fits."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from fetcher.web.output.chunks.outline import Part, PartKind
from fetcher.web.output.chunks.packing import measure, pack
from fetcher.web.output.chunks.sentences import words
from fetcher.web.output.tokens import count

WORDS = st.sampled_from(["a", "hello", "1234", "日本", "...", "😀"])


def packed(text: str, limit: int) -> list[str]:
    parts = [Part(PartKind.WORD, *span) for span in words(text, 0, len(text))]
    pieces = list(pack(measure(text, parts, limit), limit, lambda start, end: text[start:end]))
    assert all(piece.tokens == count(piece.text) for piece in pieces)
    return [piece.text for piece in pieces]


def greedy(text: str, limit: int) -> list[str]:
    """The rule itself: join the next part if the joined text fits, counting every time."""
    pieces: list[tuple[int, int]] = []
    for start, end in words(text, 0, len(text)):
        if pieces and count(text[pieces[-1][0] : end]) <= limit:
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
    return [text[start:end] for start, end in pieces]


@given(st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n"])), max_size=60), st.integers(4, 40))
@settings(deadline=None, max_examples=200)
def test_packing_is_the_greedy_rule(pairs, limit):
    """SRD FR-WF-15a: guessing from sums gives the pieces that counting every join would give."""
    text = "".join(word + gap for word, gap in pairs)
    assert packed(text, limit) == greedy(text, limit)


@given(st.lists(WORDS | st.sampled_from(["\n", "  "]), max_size=60).map(" ".join), st.integers(4, 40))
@example("a a    1234 1234 \n a", 5)
@settings(deadline=None, max_examples=200)
def test_pieces_fit_and_lose_nothing_whatever_stands_between_the_parts(text, limit):
    """Long white space misleads the sums: a piece may then be smaller than it could be, never larger."""
    pieces = packed(text, limit)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(count(piece) <= limit or len(piece.split()) == 1 for piece in pieces)


def test_a_part_over_the_limit_is_a_piece():
    """What does not fit by itself is not lost and takes nothing with it."""
    assert packed("a b " + "x" * 500 + " c d", 8) == ["a b", "x" * 500, "c d"]


def test_nothing_packs_into_nothing():
    """No parts, no pieces."""
    assert packed("", 8) == []
