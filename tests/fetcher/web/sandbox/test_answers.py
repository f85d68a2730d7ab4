"""What a reader answers is checked like anything from outside; what ours answer comes back whole."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.codes import ErrorCode
from fetcher.web.errors import ExtractionFailed, InternalError, UnsupportedContentType
from fetcher.web.net.media_types import Accept
from fetcher.web.sandbox import messages
from fetcher.web.sandbox.answers import BadAnswer, checked, require_sizes
from fetcher.web.values import Document, Reading, Table
from tests.fetcher.web.sandbox.readers import context

words = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)


@st.composite
def tables(draw):
    columns = draw(st.integers(1, 4))
    rows = st.tuples(*[words] * columns)
    return Table(caption=draw(words), header=draw(rows), rows=tuple(draw(st.lists(rows, max_size=4))))


readings = st.builds(
    Reading,
    document=st.builds(
        Document,
        markdown=words.map(lambda text: f"{text}\n"),
        title=st.none() | words,
        language=st.none() | words,
        tables=st.lists(tables(), max_size=3).map(tuple),
    ),
    media_type=st.sampled_from(["text/html", "text/plain", "application/json"]),
    fallback=st.booleans(),
    unfilled=st.booleans(),
)


@given(readings)
def test_a_reading_comes_back_as_it_was(reading):
    """Through JSON and UTF-8, and nothing of it is lost."""
    assert checked(messages.answer(reading, body=100), context()) == reading


@pytest.mark.parametrize("accept", Accept)
def test_a_job_says_all_that_is_known(accept):
    job = context(url="https://例え.example/?a=\u3042", accept=accept, cut=True, unfilled_below=400)
    head, body, rest = messages.job(b"\xff\x00", job)
    assert (messages.context_of(head), body, rest) == (job, b"\xff\x00", b"")


@pytest.mark.parametrize(
    ("code", "kind", "details"),
    [
        (ErrorCode.UNSUPPORTED_CONTENT_TYPE, UnsupportedContentType, {"content_type": "x"}),
        (ErrorCode.EXTRACTION_FAILED, ExtractionFailed, {"error": "x"}),
        (ErrorCode.INTERNAL, InternalError, {"error": "x"}),
    ],
)
def test_a_refusal_is_its_error(code, kind, details):
    with pytest.raises(kind) as refused:
        checked(messages.refusal(code, "x"), context())
    assert refused.value.details == details


def test_a_refusal_quotes_in_ascii():
    """What a header or a page said is never more than that."""
    with pytest.raises(UnsupportedContentType) as refused:
        checked(messages.refusal(ErrorCode.UNSUPPORTED_CONTENT_TYPE, "a/\u3042\n" + "x" * 400), context())
    assert refused.value.details == {"content_type": "a/??" + "x" * 296}


GOOD = {
    "reading": {
        "document": {
            "markdown": "",
            "title": "t",
            "language": None,
            "tables": [{"caption": "c", "header": [], "rows": []}],
        },
        "media_type": "text/html",
        "fallback": False,
        "unfilled": False,
    },
    "shapes": [[2, 1]],
}
MARKDOWN, CELLS = b"text\n", b"a\x1fb\x1f1\x1f2"


def head(**changes):
    """A good answer's head with other values at dotted places."""
    document = json.loads(json.dumps(GOOD))
    for place, value in changes.items():
        *way, last = place.split("__")
        at = document
        for step in way:
            at = at[int(step)] if step.isdecimal() else at[step]
        at[int(last) if last.isdecimal() else last] = value
    return json.dumps(document).encode()


def test_the_model_answer_is_good():
    reading = checked((head(), MARKDOWN, CELLS), context())
    assert reading.document.markdown == "text\n"
    # Before the first page of a long document stands that others are left out.
    paged = checked((head(reading__document__pages=[1, 2, 2, 6]), MARKDOWN, CELLS), context())
    assert [part for _, part in paged.document.parts] == ["e", "", "xt\n", ""]
    assert reading.document.tables == (Table(caption="c", header=("a", "b"), rows=(("1", "2"),)),)


REFUSAL = {"code": "extraction_failed", "reason": "x"}
FORGED = {
    "nothing": (b"", b"", b""),
    "an empty object": (b"{}", b"", b""),
    "a list": (b"[]", MARKDOWN, b""),
    "a number": (b"1", MARKDOWN, b""),
    "deep JSON": (b"[" * 100_000, MARKDOWN, b""),
    "deep JSON in place": (head().replace(b'"t"', b"[" * 10_000 + b"]" * 10_000), MARKDOWN, CELLS),
    "bytes that are no UTF-8": (head(), b"\xff\n", CELLS),
    "surrogates in UTF-8": (head(), b"\xed\xa0\x80\n", CELLS),
    "lone surrogates in JSON": (head(reading__document__title="\ud800"), MARKDOWN, CELLS),
    "cells that are no UTF-8": (head(), MARKDOWN, CELLS + b"\xff"),
    "a title that is none": (head(reading__document__title=1), MARKDOWN, CELLS),
    "no document": (head(reading__document=None), MARKDOWN, CELLS),
    "an unknown field": (head(other=1), MARKDOWN, CELLS),
    "a word for a switch": (head(reading__fallback="yes"), MARKDOWN, CELLS),
    "a number for a switch": (head(reading__unfilled=1), MARKDOWN, CELLS),
    "Markdown in two places": (head(reading__document__markdown="x"), MARKDOWN, CELLS),
    "Markdown without its end": (head(), b"text", CELLS),
    "a type that is not read": (head(reading__media_type="image/png"), MARKDOWN, CELLS),
    "a type that is none": (head(reading__media_type="text/html\r\nx: y"), MARKDOWN, CELLS),
    "a refusal and a reading": (head(refusal=REFUSAL), MARKDOWN, CELLS),
    "a refusal with a text": (json.dumps({"refusal": REFUSAL}).encode(), MARKDOWN, b""),
    "a refusal that is not the reader's": (b'{"refusal": {"code": "ssrf_blocked", "reason": "x"}}', b"", b""),
    "a refusal in the page's words": (b'{"refusal": {"code": "internal", "reason": "a\\nb"}}', b"", b""),
    "a refusal of any length": (
        b'{"refusal": {"code": "internal", "reason": "%b"}}' % (b"x" * 301),
        b"",
        b"",
    ),
    "too few cells": (head(), MARKDOWN, b"a\x1fb\x1f1"),
    "too many cells": (head(), MARKDOWN, CELLS + b"\x1f3"),
    "cells without a table": (head(shapes=[], reading__document__tables=[]), MARKDOWN, CELLS),
    "a table without a shape": (head(shapes=[]), MARKDOWN, CELLS),
    "a shape without a table": (head(reading__document__tables=[]), MARKDOWN, CELLS),
    "a table without columns": (head(shapes=[[0, 3]]), MARKDOWN, b""),
    "a negative shape": (head(shapes=[[-2, -3]]), MARKDOWN, CELLS),
    "a shape of halves": (head(shapes=[[2.0, 1.0]]), MARKDOWN, CELLS),
    "more cells than memory": (head(shapes=[[500_000, 500_000]]), MARKDOWN, CELLS),
    "a shape beyond all numbers": (head(shapes=[[10**30, 1]]), MARKDOWN, CELLS),
    "text on every page": (head(reading__document__pages=[0, 4] * 9), MARKDOWN, CELLS),
    "pages from the end": (head(reading__document__pages=[-4, -2]), MARKDOWN, CELLS),
    "names without pages": (head(reading__document__page_names=["a"]), MARKDOWN, CELLS),
    "fewer names than pages": (
        head(reading__document__pages=[0, 2], reading__document__page_names=["a"]),
        MARKDOWN,
        CELLS,
    ),
    "a table on no page": (head(reading__document__tables__0__page=10**400), MARKDOWN, CELLS),
    "a table before all pages": (head(reading__document__tables__0__page=-1), MARKDOWN, CELLS),
    "cells in two places": (head(reading__document__tables__0__header=["a"]), MARKDOWN, CELLS),
}


@pytest.mark.parametrize("frame", FORGED.values(), ids=FORGED)
def test_a_forged_answer_is_refused(frame):
    """A parser that was taken over sends anything."""
    with pytest.raises(BadAnswer):
        checked(frame, context())


def test_why_an_answer_is_refused_quotes_nothing_of_it():
    """The reason is logged."""
    with pytest.raises(BadAnswer) as refused:
        checked((head(reading__document__title={"words": "of the page"}), MARKDOWN, CELLS), context())
    assert set(str(refused.value)) <= set(string.ascii_letters + " ")
    assert refused.value.__suppress_context__


def test_an_answer_has_a_length_before_it_is_read():
    """So much for a short page, more for a long one; the head is short whatever the page."""
    most = messages.most_answer(1000)
    require_sizes((10, most - 10, 0), 1000)
    for sizes in ((10, most - 9, 0), (10, 0, most - 9), (messages.MOST_HEAD + 1, 0, 0), (2**32 - 1,) * 3):
        with pytest.raises(BadAnswer):
            require_sizes(sizes, 1000)
    assert messages.most_answer(10_000_000) > most


TOO_MUCH = {
    "Markdown": Document(markdown="x" * 17 * 1024 * 1024 + "\n"),
    "a title": Document(markdown="\n", title="x" * 1024 * 1024),
    "cells": Document(
        markdown="\n", tables=(Table(caption="", header=("",) * 1000, rows=(("",) * 1000,) * 500),)
    ),
}


@pytest.mark.parametrize("document", TOO_MUCH.values(), ids=TOO_MUCH)
def test_a_reader_does_not_send_what_would_be_refused(document):
    """What is too much to send is the page's fault, and no forgery."""
    with pytest.raises(ExtractionFailed):
        messages.answer(Reading(document=document, media_type="text/html"), body=100)
