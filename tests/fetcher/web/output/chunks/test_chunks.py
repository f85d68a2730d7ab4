"""A document becomes chunks within a token limit, and the chunks give it back."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fetcher.codes import ReadingMode
from fetcher.web.output import tokens
from fetcher.web.output.chunks import chunk
from fetcher.web.output.tokens import count
from fetcher.web.values import Chunk

PROSE = [
    "One. Two! Three?",
    "word " * 30,
    "日本語の文章です。続きます！",
    "x" * 90,
    "😀👨‍👩‍👧" * 9,
    "3.14 and a.b",
    "\u3000a",
]
ITEMS = ["- a", "  - b " + "c " * 9, "    deep", "1. 日本。語", "  ```\n  x\n  ```"]
ROWS = ["| a | b |", "| 日本 | " + "d " * 30 + "|"]
CODE = ["x = 1", "", "    # no heading", "- no item", "z " * 12]


def some(lines: list[str], separator: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(lines), min_size=1, max_size=20).map(separator.join)


BLOCKS = st.one_of(
    st.sampled_from(["# A", "## B b", "###### " + "long " * 30, "#no"]),
    some(PROSE, " "),
    some(PROSE, ""),
    some(ITEMS, "\n"),
    some(ROWS, "\n"),
    some(CODE, "\n").map("```py\n{}\n```".format),
    st.text(max_size=60),
)
DOCUMENTS = st.lists(st.tuples(BLOCKS, st.sampled_from(["\n", "\n\n", "\n\n\n"])), max_size=9).map(
    lambda pairs: "".join(block + gap for block, gap in pairs)
)
LIMITS = st.sampled_from([16, 24, 40, 128])


def assert_gives_back(document: str, chunks: tuple[Chunk, ...]) -> None:
    """Only white space lies between the chunks' texts, once repeated fences are taken off."""
    offset = 0
    for piece in chunks:
        found = next(filter(None, (place(document, offset, text) for text in without_fences(piece.text))), 0)
        assert found, f"{piece.text!r} is not next in {document[offset:]!r}"
        offset = found
    assert not document[offset:].strip()


def place(document: str, offset: int, text: str) -> int:
    start = document.find(text, offset)
    return start + len(text) if start >= 0 and not document[offset:start].strip() else 0


def without_fences(text: str) -> list[str]:
    lines = text.split("\n")
    return [text, *("\n".join(lines[first:last]) for first, last in ((1, None), (0, -1), (1, -1)))]


def is_one_line_of_code(text: str) -> bool:
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("```")]
    return "```" in text and len(lines) <= 1


@given(DOCUMENTS, LIMITS)
@settings(deadline=None, max_examples=150)
def test_chunks_give_the_document_back(document, limit):
    """Nothing but white space is lost, and nothing but fences is said twice."""
    assert_gives_back(document, chunk(document, limit))


@given(DOCUMENTS, LIMITS)
@settings(deadline=None, max_examples=150)
def test_t_wf_chk_01_no_chunk_is_over_the_limit(document, limit):
    """T-WF-CHK-01: only a single line of code may be."""
    for piece in chunk(document, limit):
        assert piece.token_count <= limit or is_one_line_of_code(piece.text)


@pytest.mark.parametrize("blocks", [["word"], ["# Title", "text"], ["- one\n- two", "日本語です。", "end"]])
def test_t_wf_chk_01_the_limit_itself_is_within_it(blocks):
    """T-WF-CHK-01, SRD FR-WF-15a.3: `current_tokens + block_tokens <= max_chunk_tokens`."""
    padded = [*blocks[:-1], blocks[-1] + " word" * 150]
    document = "\n\n".join(padded)
    limit = count(document)
    assert [piece.token_count for piece in chunk(document, limit)] == [limit]
    assert len(chunk(document, limit - 1)) > 1


@given(DOCUMENTS, LIMITS)
@settings(deadline=None, max_examples=60)
def test_t_wf_chk_04_token_count_is_that_of_the_text(document, limit):
    """T-WF-CHK-04: `token_count` counts the text alone."""
    for piece in chunk(document, limit):
        assert piece.token_count == count(piece.text)
        assert piece.text.strip()


@given(DOCUMENTS, LIMITS)
@settings(deadline=None, max_examples=40)
def test_t_wf_det_03_chunking_is_deterministic(document, limit):
    """T-WF-DET-03: the same document gives the same chunks."""
    assert chunk(document, limit) == chunk(document, limit)


def test_t_wf_chk_02_oversized_blocks_split_at_sentences():
    """T-WF-CHK-02: a paragraph over the limit ends its chunks with sentences, as many as fit."""
    sentence = "This is a sentence of some nine tokens."
    texts = [piece.text for piece in chunk(" ".join([sentence] * 40), 128)]
    assert len(texts) == 3
    assert all(text.endswith(".") and text.startswith("This") for text in texts)


def test_t_wf_chk_02_japanese_splits_at_its_own_stops():
    """T-WF-CHK-02: a Japanese paragraph without a single space does so too."""
    texts = [piece.text for piece in chunk("これは日本語の文です。「本当ですか？」と聞いた。" * 40, 128)]
    assert len(texts) > 5
    assert all(text.endswith(("。", "？」")) for text in texts)


def test_t_wf_chk_03_heading_tracked_across_chunks():
    """T-WF-CHK-03: a chunk carries its first block's heading, else the last one before it."""
    body = "word " * 100
    chunks = chunk(f"{body}\n\n# A #\n\n{body}\n\n{body}\n\n## B\n\n### C\n\n{body}", 128)
    assert [piece.heading for piece in chunks] == ["", "A #", "A #", "B"]
    assert [piece.text.split("\n")[0][:5] for piece in chunks] == ["word ", "# A #", "word ", "## B"]


def test_the_latest_heading_counts_whatever_its_level():
    """FR-WF-15c: trimmed, without its marks; a `#` inside code is none."""
    body = "word " * 100
    chunks = chunk(f"######   A  \n\n{body}\n\n# B\n\n### C\n\n{body}\n\n```\n# no\n```\n\n{body}", 128)
    assert [piece.heading for piece in chunks] == ["A", "B", "C"]


def test_t_wf_chk_07_oversized_list_splits_at_items():
    """T-WF-CHK-07: a list over the limit keeps its items whole."""
    items = [f"- item {number}. It has two sentences." for number in range(60)]
    chunks = chunk("\n".join(items), 128)
    assert len(chunks) > 3
    assert [line for piece in chunks for line in piece.text.split("\n")] == items


def test_an_empty_document_has_no_chunks():
    """White space alone is nothing to read."""
    assert chunk("", 128) == ()
    assert chunk(" \n\n\t\n", 128) == ()


def test_blocks_are_joined_as_they_stand():
    """A document within the limit is one chunk, to the letter."""
    document = "# A\ntext\n\n\n- b\n\n```\n\nc\n```\n\n| d |\n|---|"
    (only,) = chunk(f"\n{document}\n", 128)
    assert only == Chunk(heading="A", text=document, token_count=count(document), start=1)


@pytest.mark.parametrize("extra", [0, 1])
def test_the_limit_holds_for_the_joined_text(extra):
    """Two paragraphs share a chunk exactly as long as the text with the blank line between them fits."""
    document = "alpha beta\n\ngamma delta " + "x " * 20
    limit = count(document.strip()) - extra
    assert len(chunk(document.strip(), limit)) == 1 + extra


SHORT_BLOCKS = st.lists(
    st.sampled_from(
        ["# A", "## B b", "One. Two! Three?", "日本語の文章です。", "x", "1984", "word " * 8 + "end."]
    )
)


@given(SHORT_BLOCKS)
@settings(deadline=None, max_examples=150)
def test_the_srds_chunks_keep_to_the_sum_of_their_blocks(blocks):
    """FR-WF-15a to the letter; T-WF-CHK-01: where white space would be too much, a chunk ends before it."""
    expected, total = list[list[str]](), 0
    for block in blocks:
        total += count(block)
        if not expected or total > 24 or count("\n\n".join([*expected[-1], block])) > 24:
            expected, total = [*expected, []], count(block)
        expected[-1].append(block)
    chunks = chunk("\n\n".join(blocks), 24, ReadingMode.SRD)
    assert [piece.text for piece in chunks] == ["\n\n".join(texts) for texts in expected]


def test_by_the_srd_a_heading_may_end_a_chunk():
    """Only an article moves it to its text."""
    document = "word " * 110 + "\n\n# A\n\n" + "text " * 60
    assert chunk(document, 128, ReadingMode.SRD)[0].text.endswith("# A")
    assert chunk(document, 128)[1].text.startswith("# A")


def test_a_run_of_headings_moves_to_the_next_chunk():
    """No chunk ends with headings whose text is in the next one."""
    chunks = chunk("word " * 110 + "\n\n# A\n\n## B\n\n" + "text " * 60, 128)
    assert [piece.text.split()[-1] for piece in chunks] == ["word", "text"]
    assert chunks[1].text.startswith("# A\n\n## B\n\ntext")


def test_headings_stay_with_the_first_piece_of_a_split_block():
    """A heading is never left alone before a paragraph, whether this fits a chunk by itself or not."""
    for words in (125, 400):
        first, *_ = chunk("# A\n\n" + "word " * words, 128)
        assert first.text.startswith("# A\n\nword word")
        assert first.token_count > 100


def test_code_that_fits_a_chunk_is_never_split():
    """FR-WF-CHK-CODE-01: it rather leaves its heading behind."""
    code = "```py\n" + "x = 1\n" * 30 + "```"
    assert [piece.text for piece in chunk(f"# A\n\n{code}", count(code))] == ["# A", code]


def test_a_split_code_block_repeats_its_fence():
    """Every piece of an oversized code block is a code block in the same language."""
    lines = [f"value_{number} = {number}" for number in range(80)]
    chunks = chunk("# A\n\n" + "\n".join(["````py", *lines, "````"]), 128)
    assert len(chunks) > 3
    assert chunks[0].text.startswith("# A\n\n````py\nvalue_0")
    assert all(piece.text.startswith("````py\n") for piece in chunks[1:])
    assert all(piece.text.endswith("\n````") for piece in chunks)
    assert [line for piece in chunks for line in piece.text.split("\n") if "=" in line] == lines


def test_a_fence_as_long_as_a_chunk_is_not_repeated():
    """A hostile fence does not multiply the document."""
    fence = "`" * 4000
    document = f"{fence}\n" + "a\n" * 400 + fence
    assert sum(len(piece.text) for piece in chunk(document, 128)) <= len(document)


def test_a_line_of_code_stays_whole():
    """A single line over the limit is a chunk over the limit."""
    line = "x = 1; " * 100
    texts = [piece.text for piece in chunk(f"```\na\n{line}\nb\n```", 128)]
    assert texts == ["```\na\n```", f"```\n{line}\n```", "```\nb\n```"]


def test_a_fence_that_opens_at_the_end_is_kept():
    """Backticks with a long text behind them, on the last line, are code without lines; nothing is lost."""
    line = "```" + "word " * 200
    assert [piece.text for piece in chunk(f"before\n\n{line}\n", 128)] == ["before", line.rstrip()]


def test_code_inside_a_list_item_repeats_its_fence_too():
    """A list item with a long example gives code blocks, each indented as the item is."""
    code = "\n".join(f"  run {number}" for number in range(80))
    chunks = chunk(f"- step\n  ```sh\n{code}\n  ```\n- end", 128)
    assert chunks[0].text.startswith("- step\n  ```sh\n  run 0")
    assert chunks[1].text.startswith("  ```sh\n  run ")
    assert all(piece.text.endswith("\n  ```") for piece in chunks[:-1])


def test_a_table_splits_between_rows():
    """A row is never cut while it fits."""
    rows = [f"| {number} | one. two. three. |" for number in range(60)]
    chunks = chunk("\n".join(rows), 128)
    assert [row for piece in chunks for row in piece.text.split("\n")] == rows


def test_a_book_in_one_heading_is_not_repeated_with_every_chunk():
    """The heading of a chunk is cut after 500 characters."""
    assert {len(piece.heading) for piece in chunk("# " + "word " * 2000, 128)} == {500}


def test_split_pieces_are_chunks_of_their_own():
    """FR-WF-15b: what follows a split block starts a chunk."""
    assert chunk("word " * 130 + "\n\nnext", 128)[-1].text == "next"


SHAPES = {
    "english": lambda size: "The quick brown fox jumps over it. It runs.\n\n" * (size // 45),
    "japanese": lambda size: "これは日本語の文章です。次の文もあります。\n\n" * (size // 62),
    "one line": lambda size: "word " * (size // 5),
    "list": lambda size: "- an item of a list\n" * (size // 20),
    "table": lambda size: "| one | two | three |\n" * (size // 22),
    "code": lambda size: "```\n" + "    value = other + 1\n" * (size // 22) + "```",
    "no spaces": lambda size: "abcdefghij" * (size // 10),
    "short blocks": lambda size: "a\n\n" * (size // 3),
    "stops": lambda size: "." * size + "x",
    "marks": lambda size: "あ。**" * (size // 8),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_chunking_counts_each_character_a_few_times_only(shape, monkeypatch):
    """The tokeniser's work is linear: four times the text is four times the work, not sixteen."""
    for mode in ReadingMode:
        least = _counted(SHAPES[shape](50_000), mode, monkeypatch)
        assert _counted(SHAPES[shape](200_000), mode, monkeypatch) < 4.4 * least


def _counted(document: str, mode: ReadingMode, monkeypatch) -> int:
    """How many characters go through the tokeniser while a document is cut."""
    lengths = []

    class Counting:
        def encode_ordinary(self, text: str) -> list[int]:
            lengths.append(len(text))
            return honest.encode_ordinary(text)

    honest = tokens._tokenizer()
    monkeypatch.setattr(tokens, "_tokenizer", Counting)
    chunk(document, 600, mode)
    monkeypatch.undo()
    return sum(lengths)


def test_a_text_of_headings_takes_little_memory():
    """They are one unit, whose parts are looked at one by one."""
    text = "# a\n" * 50_000
    chunk(text, 500)
    tracemalloc.start()
    try:
        chunk(text, 500)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 90 * len(text)
