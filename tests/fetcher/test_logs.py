"""What the log tells of a defect, and what it does not."""

import io
import json
import logging
import re

import pytest

from fetcher import logs

SECRET = "ひみつの質問"


@pytest.fixture
def told():
    """Everything that was logged, as objects."""
    stream = io.StringIO()
    logs.to_stream(logging.INFO, stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def _raise(error, cause=None):
    raise error from cause


def test_a_line_is_an_object_with_the_fields_that_came_with_it(told):
    logging.getLogger("fetcher.x").warning("fetch_failed", extra={"fields": {"error_code": "timeout"}})
    [line] = told()
    assert (line["level"], line["logger"], line["event"]) == ("warning", "fetcher.x", "fetch_failed")
    assert line["error_code"] == "timeout"


def test_a_sentence_may_have_a_name_of_its_own(told):
    logging.getLogger("fetcher").info("A sentence.", extra={"fields": {"event": "name"}})
    [line] = told()
    assert (line["event"], line["message"]) == ("name", "A sentence.")


def test_an_exception_is_told_by_kind_and_place_and_never_quoted(told):
    """S17: its text may be a person's message."""
    try:
        _raise(LookupError(SECRET), ValueError(SECRET))
    except LookupError:
        logging.getLogger("fetcher").exception("question_failed")
    [line] = told()
    assert line["exception"] == "LookupError"
    assert "test_logs.py:" in line["places"][-1]
    assert [cause["exception"] for cause in line["causes"]] == ["ValueError"]
    assert SECRET not in json.dumps(line, ensure_ascii=False)


def test_a_group_names_those_in_it():
    group = ExceptionGroup(SECRET, [KeyError(SECRET), OSError(SECRET)])
    assert [cause["exception"] for cause in logs.defect(group)["causes"]] == ["KeyError", "OSError"]


def test_a_defect_without_end_is_told_in_a_few_words():
    def deeper():
        deeper()

    with pytest.raises(RecursionError) as caught:
        deeper()
    caught.value.__cause__ = caught.value
    assert len(json.dumps(logs.defect(caught.value))) < 20_000


@pytest.mark.parametrize(("message", "line"), [(" a\n b ", "a b"), ("x" * 300, "x" * 300)])
def test_a_message_is_one_line(message, line):
    assert logs.shortened(message) == line


def test_a_long_message_is_cut():
    assert logs.shortened("x" * 301) == "x" * 299 + "…"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_lines_are_for_people():
    """Only there: what collects logs gets objects."""
    terminal = Terminal()
    logs.to_stream(logging.INFO, terminal)
    fields = {"error_code": "timeout", "url": None, "host": "店.example"}
    logging.getLogger("fetcher.x").warning("fetch_failed", extra={"fields": fields})
    assert re.fullmatch(
        r'\d\d:\d\d:\d\d warning fetch_failed error_code="timeout" host="店.example"\n', terminal.getvalue()
    )


def test_a_line_for_people_has_no_fields_for_programs():
    """Metrics stand in `_aws`, which is longer than all the rest."""
    terminal = Terminal()
    logs.to_stream(logging.INFO, terminal)
    logging.getLogger("fetcher").info("answered", extra={"fields": {"seconds": 1, "_aws": {"Timestamp": 1}}})
    assert terminal.getvalue().endswith(" answered seconds=1\n")


def test_a_line_for_people_stays_one_line():
    """A value with line ends in it cannot look like another line of the log."""
    terminal = Terminal()
    logs.to_stream(logging.INFO, terminal)
    logging.getLogger("fetcher.x").warning("fetch_failed", extra={"fields": {"error": "a\nb"}})
    assert terminal.getvalue().count("\n") == 1
