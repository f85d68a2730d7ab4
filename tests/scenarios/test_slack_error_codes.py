"""Error codes of Slack's method pages: none loses an answer, and no thread is left with a sign of work."""

import pytest

from slackapp import wording
from slackapp.playground.webapi.faults import Fault
from slackapp.slack.message import mark_payload
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, USER, Stage

ANSWERED = "コーヒー豆は1,200円です。"
ALWAYS = 1000
PASSING = ["update_failed", "messaging_processing_failed"]
FINAL = [
    *PASSING,
    "block_mismatch",
    "cant_update_message",
    "edit_window_closed",
    "invalid_blocks",
    "metadata_too_large",
    "a_code_of_next_year",
]


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture
def stage(sqlite_settings, naps, clock):
    with Stage(sqlite_settings, clock=clock) as running:
        yield running
        assert running.settled().unfinished() == []


def texts(messages):
    return [message["text"] for message in messages]


def status(stage, channel, thread_ts):
    return stage.slack.workspace.sessions[channel, thread_ts]["status"]


def is_answer(arguments):
    """Whether an update would put the answer in its place."""
    return "answer" in str(arguments.get("metadata"))


@pytest.mark.parametrize("error", [*PASSING, "a_code_of_next_year"])
def test_an_error_that_passes_changes_nothing(stage, naps, error):
    """The placeholder becomes the answer; no second message is posted."""
    stage.slack.faults.next("chat.update", Fault(error=error), when=is_answer)
    ts = stage.mention()
    assert texts(stage.settled().replies(ts)) == [ANSWERED]
    assert len(stage.slack.calls_of("chat.postMessage")) == 1
    assert naps
    assert status(stage, CHANNEL, ts) == "active"


@pytest.mark.parametrize("error", FINAL)
def test_an_answer_that_may_not_replace_the_placeholder_is_posted_anew(stage, error):
    stage.slack.faults.next("chat.update", Fault(error=error), times=ALWAYS)
    ts = stage.mention()
    [reply] = stage.settled().replies(ts)
    assert reply["text"] == ANSWERED
    assert mark_payload(reply)["sort"] == "answer"
    assert status(stage, CHANNEL, ts) == "active"


def test_a_placeholder_that_may_not_be_deleted_says_that_the_answer_is_below(stage):
    stage.slack.faults.next("chat.update", Fault(error="update_failed"), times=ALWAYS, when=is_answer)
    stage.slack.faults.next("chat.delete", Fault(error="cant_delete_message"), times=ALWAYS)
    ts = stage.mention()
    assert texts(stage.settled().replies(ts)) == [wording.replaced_below(), ANSWERED]


def test_a_lost_response_is_read_back_before_anything_is_posted_anew(stage, clock):
    """The first update took effect, though its response was lost; then Slack refuses the next one."""
    stage.slack.faults.next("chat.update", Fault(drop=True, after=True), times=3, when=is_answer)
    ts = stage.mention()
    [before] = stage.settled().replies(ts)
    stage.slack.faults.next("chat.update", Fault(error="edit_window_closed"), times=ALWAYS)
    clock.advance(121)
    [after] = stage.swept().replies(ts)
    assert (after["ts"], after["text"]) == (before["ts"], ANSWERED)
    assert len(stage.slack.calls_of("chat.postMessage")) == 1


@pytest.mark.parametrize("method", ["chat.stopStream", "chat.appendStream", "chat.startStream"])
@pytest.mark.parametrize("error", ["messaging_processing_failed", "a_code_of_next_year"])
def test_a_stream_that_slack_refuses_loses_no_answer(stage, clock, method, error):
    stage.slack.faults.next(method, Fault(error=error), times=ALWAYS)
    where = stage.slack.direct(USER)
    ts = stage.slack.say(USER, where, "https://a.example/ は？")
    replies = texts(stage.settled().replies(ts, where))
    assert replies.count(ANSWERED) == 1
    assert len(replies) == (2 if method == "chat.stopStream" else 1)  # such a stream ends by itself
    assert status(stage, where, ts) == "active"


@pytest.mark.parametrize(
    "error", ["team_added_to_org", "external_channel_migrating", "message_limit_exceeded"]
)
def test_where_slack_refuses_for_a_time_the_answer_comes_later(stage, clock, error):
    stage.slack.faults.next("chat.update", Fault(error=error), times=ALWAYS)
    ts = stage.mention()
    assert len(stage.settled().unfinished()) == 1
    stage.slack.faults.clear()
    clock.advance(121)
    assert texts(stage.swept().replies(ts)) == [ANSWERED]
    assert status(stage, CHANNEL, ts) == "active"


@pytest.mark.parametrize("error", ["restricted_action_thread_locked", "is_inactive", "a_code_of_next_year"])
def test_where_nothing_can_be_posted_the_sign_of_work_ends_all_the_same(stage, error):
    stage.slack.faults.next("chat.update", Fault(error=error), times=ALWAYS)
    stage.slack.faults.next("chat.postMessage", Fault(error=error), times=ALWAYS, when=is_answer)
    ts = stage.mention()
    assert stage.settled().replies(ts) == []
    assert status(stage, CHANNEL, ts) == "active"


def test_a_status_that_is_refused_for_a_moment_is_set_back(stage, naps):
    stage.slack.faults.next(
        "agents.sessions.setStatus",
        Fault(status=429, retry_after=2),
        when=lambda arguments: arguments["status"] == "active",
    )
    ts = stage.mention()
    stage.settled()
    assert status(stage, CHANNEL, ts) == "active"
