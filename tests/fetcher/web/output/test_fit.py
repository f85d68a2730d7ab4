"""The response is the SRD's JSON and never longer than its budget."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fetcher.codes import Note, RenderingMethod, TruncationReason
from fetcher.web.errors import InternalError
from fetcher.web.output.fit import ToolContext, respond
from fetcher.web.output.tokens import count
from fetcher.web.values import CanonicalUrl, Chunk, Document, FetchedPage

PAGE = FetchedPage(
    requested_url="HTTP://Example.com#top",
    final_url=CanonicalUrl(scheme="http", host="example.com", port=80, path="/"),
    fetched_at=datetime(2026, 1, 10, 12, tzinfo=UTC),
    document=Document(markdown=""),
)
AMPLE = 1_000_000

TEXTS = st.text(st.sampled_from('ab "\\\n\x01é日😀\ud800'), max_size=40)
CHUNKS = st.lists(st.builds(lambda heading, text: made(text, heading), TEXTS, TEXTS), max_size=6)
PAGES = st.builds(
    lambda title, notes, truncation: replace(
        PAGE, document=Document(markdown="", title=title), notes=notes, truncation=truncation
    ),
    st.none() | TEXTS,
    st.frozensets(st.sampled_from([note for note in Note if note is not Note.TOOL_OUTPUT_LIMIT])),
    st.frozensets(st.sampled_from(list(TruncationReason)[1:])),
)


def made(text: str, heading: str = "") -> Chunk:
    return Chunk(heading=heading, text=text, token_count=count(text))


def size(response: str) -> int:
    return len(response.encode())


def one_by_one(page: FetchedPage, chunks: list[Chunk], max_bytes: int) -> str:
    """FR-WF-OUT-01 as it is written: serialise, drop, serialise again."""
    whole = respond(page, chunks, AMPLE)
    if size(whole) <= max_bytes:
        return whole
    page = replace(
        page,
        notes=page.notes | {Note.TOOL_OUTPUT_LIMIT},
        truncation=page.truncation | {TruncationReason.TOOL_OUTPUT_LIMIT},
    )
    while len(chunks) > 1:
        chunks = chunks[:-1]
        if size(respond(page, chunks, AMPLE)) <= max_bytes:
            return respond(page, chunks, AMPLE)
    for length in range(len(chunks[0].text) if chunks else -1, -1, -1):
        cut = respond(page, [made(chunks[0].text[:length], chunks[0].heading)], AMPLE)
        if size(cut) <= max_bytes:
            return cut
    return "error"


@given(PAGES, CHUNKS, st.integers(0, 900))
@settings(deadline=None, max_examples=300)
def test_t_wf_chk_05_output_fits_as_if_dropped_one_by_one(page, chunks, max_bytes):
    """T-WF-CHK-05: the output is within its bytes, and what dropping chunks one by one would leave."""
    expected = one_by_one(page, chunks, max_bytes)
    try:
        response = respond(page, chunks, max_bytes)
    except InternalError:
        response = "error"
    assert response == expected
    assert size(response) <= max_bytes or response == "error"


@pytest.mark.parametrize(
    "chunks",
    [[], [made("")], [made("日本" * 40)], [made("a" * 30, "h"), made(""), made("é" * 60), made("z")]],
)
def test_every_budget_is_used_to_its_last_byte(chunks):
    """SRD FR-WF-OUT-01: from one byte more than the whole down to the first error."""
    for budget in range(size(respond(PAGE, chunks, AMPLE)) + 1, 150, -1):
        expected = one_by_one(PAGE, chunks, budget)
        try:
            assert respond(PAGE, chunks, budget) == expected
        except InternalError:
            assert expected == "error"


@given(PAGES, CHUNKS, st.integers(400, 900))
@settings(deadline=None, max_examples=100)
def test_output_is_always_valid_json_with_ordered_notes(page, chunks, max_bytes):
    """Whatever was dropped, the JSON parses, its counts are exact and its notes are in order."""
    try:
        body = json.loads(respond(page, chunks, max_bytes))
    except InternalError:
        return
    assert body["notes"] == [note for note in Note if note in body["notes"]]
    assert body["truncated"] == ("truncation_reason" in body)
    assert all(piece["token_count"] == count(piece["text"]) for piece in body["chunks"])


def test_the_response_has_the_fields_of_the_srd_in_order():
    """FR-WF-03: every field under its name, compact, in UTF-8 without escapes."""
    page = replace(
        PAGE,
        document=Document(markdown="", title="題", language="ja"),
        rendering_method=RenderingMethod.BROWSER,
        notes=frozenset({Note.BROWSER_TIMEOUT_DOM_PARTIAL}),
        truncation=frozenset({TruncationReason.BROWSER_TIMEOUT_DOM_PARTIAL}),
    )
    assert respond(page, [made("本文", "節")], AMPLE) == (
        '{"requested_url":"HTTP://Example.com#top","final_url":"http://example.com/",'
        '"fetched_at":"2026-01-10T12:00:00Z","title":"題","language":"ja",'
        '"chunks":[{"heading":"節","text":"本文","token_count":2}],"rendering_method":"browser",'
        '"truncated":true,"truncation_reason":"browser_timeout_dom_partial",'
        '"notes":["browser_timeout_dom_partial"]}'
    )


def test_what_is_absent_is_omitted():
    """No title, no language, no reason: no fields; chunks may be none."""
    assert json.loads(respond(PAGE, [], AMPLE)) == {
        "requested_url": "HTTP://Example.com#top",
        "final_url": "http://example.com/",
        "fetched_at": "2026-01-10T12:00:00Z",
        "chunks": [],
        "rendering_method": "http",
        "truncated": False,
        "notes": [],
    }


def test_the_time_is_told_in_utc():
    """A moment from elsewhere is the same moment with a Z."""
    tokyo = datetime(2026, 1, 10, 21, tzinfo=timezone(timedelta(hours=9)))
    assert '"2026-01-10T12:00:00Z"' in respond(replace(PAGE, fetched_at=tokyo), [], AMPLE)


def test_t_wf_chk_06_first_chunk_over_budget_is_cut():
    """T-WF-CHK-06: one chunk remains, with as much of its text as fits."""
    body = json.loads(respond(PAGE, [made("x" * 900), made("y")], 500))
    (only,) = body["chunks"]
    assert 0 < len(only["text"]) < 500
    assert (body["truncated"], body["truncation_reason"]) == (True, "tool_output_limit")
    assert body["notes"] == ["tool_output_limit"]


def test_t_wf_out_01_notes_ordered_by_pipeline_stage():
    """T-WF-OUT-01: every note at once comes out in the order of the pipeline."""
    page = replace(PAGE, notes=frozenset(Note))
    assert json.loads(respond(page, [], AMPLE))["notes"] == [
        "cache_hit",
        "robots_unavailable_fail_open",
        "browser_unavailable_used_http",
        "browser_timeout_dom_partial",
        "browser_dom_truncated",
        "browser_blocked_non_get",
        "charset_fallback",
        "cache_write_failed",
        "tool_output_limit",
    ]


@pytest.mark.parametrize("letter", ["日", "😀", '"', "\x01", "é", "a"])
def test_t_wf_out_02_text_is_cut_at_a_character_and_counted_again(letter):
    """T-WF-OUT-02: for every budget the cut is between characters and uses the bytes that it has."""
    widest = len(json.dumps(letter, ensure_ascii=False).encode()) - 2
    for budget in range(400, 420):
        response = respond(PAGE, [made(letter * 500)], budget)
        (only,) = json.loads(response)["chunks"]
        assert only["text"] == letter * len(only["text"])
        assert only["token_count"] == count(only["text"])
        assert budget - widest - 1 <= size(response) <= budget


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (["browser_timeout_dom_partial"], "browser_timeout_dom_partial"),
        (["browser_timeout_dom_partial", "browser_dom_truncated"], "browser_dom_truncated"),
        (["browser_dom_truncated", "tool_output_limit"], "tool_output_limit"),
        (list(TruncationReason), "tool_output_limit"),
    ],
)
def test_t_wf_out_03_the_strongest_reason_is_told(reasons, told):
    """T-WF-OUT-03: of several reasons for truncation the one of highest precedence is given."""
    page = replace(PAGE, truncation=frozenset(map(TruncationReason, reasons)))
    assert json.loads(respond(page, [], AMPLE))["truncation_reason"] == told


def test_t_wf_out_04_notes_are_always_present():
    """T-WF-OUT-04: without notes the array is empty."""
    assert json.loads(respond(PAGE, [made("a")], AMPLE))["notes"] == []


@pytest.mark.parametrize("chunks", [[], [made("text")], [made("a"), made("b")]])
def test_a_budget_too_small_for_anything_is_an_error(chunks):
    """FR-WF-OUT-02: rather an error, not to be retried, than invalid JSON."""
    with pytest.raises(InternalError) as caught:
        respond(PAGE, chunks, 100)
    assert caught.value.envelope() == {
        "code": "internal",
        "message": "tool_output_limit",
        "retryable": False,
        "details": {"error": "tool_output_limit"},
    }


def test_lone_surrogates_are_replaced_in_every_field():
    """What UTF-8 cannot write becomes a replacement character."""
    page = replace(PAGE, requested_url="http://a/\ud800", document=Document(markdown="", title="\udfff"))
    body = json.loads(respond(page, [made("\ud800x", "\udc00")], AMPLE).encode())
    assert body["requested_url"] == "http://a/\ufffd"
    assert body["title"] == body["chunks"][0]["heading"] == "\ufffd"
    assert body["chunks"][0]["text"] == "\ufffdx"


@pytest.mark.parametrize(
    ("context", "effective"),
    [
        (ToolContext(), 100_000),
        (ToolContext(max_output_bytes=5), 5),
        (ToolContext(max_output_bytes=5, available_capacity_bytes=4), 4),
        (ToolContext(max_output_bytes=5, available_capacity_bytes=6), 5),
        (ToolContext(available_capacity_bytes=0), 0),
    ],
)
def test_the_smaller_of_two_budgets_holds(context, effective):
    """FR-WF-03a: `effective_max_bytes` is the lesser of what is allowed and what is free."""
    assert context.effective_max_bytes == effective


def test_nothing_may_be_cut_from_outside_unless_the_caller_says_so():
    """E24: `allow_truncation=False`."""
    assert not ToolContext().allow_truncation
