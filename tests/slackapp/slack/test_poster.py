"""What we say, said once, to a local Slack through the real SDK."""

import json

import pytest
from slack_sdk import WebClient

from slackapp import wording
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from slackapp.slack.client import LONGEST_WAIT, NOT_IDEMPOTENT
from slackapp.slack.errors import (
    SLACK_FAILURES,
    BlocksRefused,
    ChannelClosed,
    MessageGone,
    NotAuthorised,
    NotInChannel,
    PostError,
    RateLimited,
    SlackDown,
    StreamOver,
    TooLong,
)
from slackapp.slack.message import Mark, Message, MessageKind, Place, StreamIdentity
from slackapp.slack.poster import Poster
from tests.slackapp.answers import BOT, CHANNEL, TEAM, USER
from tests.slackapp.local import client_of, with_app

MARK = Mark(key="k1", part="0")
HELLO = Message(text="こんにちは", kind=MessageKind.ANSWER)
ORIGIN = StreamIdentity(bot_user=BOT, name="abc")

LOST = [
    pytest.param(Fault(status=500), id="500"),
    pytest.param(Fault(status=503, after=True), id="503 after the work"),
    pytest.param(Fault(drop=True), id="dropped"),
    pytest.param(Fault(drop=True, after=True), id="answer lost"),
    pytest.param(Fault(error="internal_error", after=True), id="internal error after the work"),
]


@pytest.fixture
def slack():
    with LocalSlack() as server:
        yield with_app(server)


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def poster(slack, pauses):
    return Poster(client_of(slack), sleep=pauses.append)


@pytest.fixture
def asked(slack):
    return slack.say(USER, CHANNEL, "質問")


@pytest.fixture
def place(asked):
    return Place(channel=CHANNEL, thread_ts=asked, since=asked)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """What the SDK waits between its own tries is not what is tested here."""
    monkeypatch.setattr("slack_sdk.http_retry.handler.time.sleep", lambda _: None)


def replies(slack, asked):
    return slack.thread(CHANNEL, asked)[1:]


def test_a_message_is_marked_and_unfurls_nothing(slack, poster, place, asked):
    ts = poster.post(place, HELLO, MARK)
    (message,) = replies(slack, asked)
    assert (message["ts"], message["text"]) == (ts, "こんにちは")
    assert message["metadata"] == {
        "event_type": "web_reader_reply",
        "event_payload": {"key": "k1", "part": "0", "sort": "answer", "run": "", "digest": HELLO.digest},
    }
    arguments = slack.calls_of("chat.postMessage")[-1].arguments
    assert [arguments[name] for name in ("unfurl_links", "unfurl_media")] == [False, False]


@pytest.mark.parametrize("fault", LOST)
def test_a_message_whose_answer_was_lost_is_not_said_twice(slack, poster, place, asked, fault):
    """The thread is searched for our mark before anything is said again."""
    slack.faults.next("chat.postMessage", fault, times=2)
    ts = poster.post(place, HELLO, MARK)
    assert [message["ts"] for message in replies(slack, asked)] == [ts]


@pytest.mark.parametrize("fault", LOST)
def test_a_command_s_root_is_not_said_twice_either(slack, poster, asked, fault):
    """There the channel itself is searched."""
    slack.faults.next("chat.postMessage", fault)
    ts = poster.post(Place(channel=CHANNEL, since=asked), HELLO, MARK)
    assert [message["ts"] for message in slack.timeline(CHANNEL)] == [asked, ts]


def test_nothing_is_said_again_before_the_thread_could_be_read(slack, poster, place, asked):
    """While Slack does not tell what stands there, saying it again might say it twice."""
    slack.faults.next("chat.postMessage", Fault(drop=True, after=True))
    slack.faults.next("conversations.replies", Fault(status=500), times=4)
    ts = poster.post(place, HELLO, MARK)
    assert [message["ts"] for message in replies(slack, asked)] == [ts]


def test_a_slack_that_stays_down_is_an_error_in_the_end(slack, poster, place, pauses):
    slack.faults.next("*", Fault(status=500), times=100)
    with pytest.raises(SlackDown) as failed:
        poster.post(place, HELLO, MARK)
    assert failed.value.retryable
    assert pauses == [0.5, 1.5, 4.0]


def test_waiting_when_slack_says_so_is_left_to_the_sdk(slack, poster, place, asked, monkeypatch):
    """A 429 says that nothing was done."""
    waited: list[float] = []
    monkeypatch.setattr("slack_sdk.http_retry.builtin_handlers.time.sleep", waited.append)
    slack.faults.next("chat.postMessage", Fault(status=429, retry_after=7), times=2)
    poster.post(place, HELLO, MARK)
    assert len(replies(slack, asked)) == 1
    assert [int(seconds) for seconds in waited] == [7, 7]


def test_nobody_waits_for_minutes(slack, poster, place):
    slack.faults.next("chat.postMessage", Fault(status=429, retry_after=LONGEST_WAIT + 1))
    with pytest.raises(RateLimited) as failed:
        poster.post(place, HELLO, MARK)
    assert (failed.value.retryable, failed.value.retry_after) == (True, LONGEST_WAIT + 1)


@pytest.mark.parametrize(("code", "tries"), [("something_new", 2), ("update_failed", 3), ("no_text", 1)])
def test_a_refusal_that_may_pass_is_tried_again_and_an_unknown_one_once(slack, poster, place, code, tries):
    slack.faults.next("chat.postMessage", Fault(error=code), times=10)
    with pytest.raises(PostError):
        poster.post(place, HELLO, MARK)
    assert len(slack.calls_of("chat.postMessage")) == tries


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("channel_not_found", ChannelClosed),
        ("is_archived", ChannelClosed),
        ("not_in_channel", NotInChannel),
        ("invalid_auth", NotAuthorised),
        ("missing_scope", NotAuthorised),
        ("msg_too_long", TooLong),
        ("msg_blocks_too_long", TooLong),
        ("invalid_blocks", BlocksRefused),
    ],
)
def test_slacks_errors_have_names(slack, poster, place, asked, code, kind):
    """Each is told apart, and none is tried again."""
    slack.faults.next("chat.postMessage", Fault(error=code))
    with pytest.raises(PostError) as failed:
        poster.post(place, HELLO, MARK)
    assert type(failed.value) is kind
    assert (failed.value.code, failed.value.retryable) == (code, False)
    assert replies(slack, asked) == []


def test_an_update_replaces_text_and_blocks(slack, poster, place, asked):
    """And the mark says what it is now."""
    blocks = ({"type": "markdown", "text": "x"},)
    ts = poster.post(place, Message(text="前", blocks=blocks, kind=MessageKind.PROGRESS), MARK)
    poster.update(CHANNEL, ts, HELLO, MARK)
    (message,) = replies(slack, asked)
    assert (message["text"], message["blocks"]) == ("こんにちは", [])
    assert message["metadata"]["event_payload"]["sort"] == "answer"


def test_an_update_is_tried_again(slack, poster, place, asked):
    """It does no harm twice."""
    ts = poster.post(place, Message(text="前"), MARK)
    slack.faults.next("chat.update", Fault(status=500), times=2)
    poster.update(CHANNEL, ts, HELLO, MARK)
    assert replies(slack, asked)[0]["text"] == "こんにちは"


def test_a_hint_is_not_tried_again(slack, poster, place):
    ts = poster.post(place, Message(text="前"), MARK)
    slack.faults.next("chat.update", Fault(status=429, retry_after=30))
    with pytest.raises(RateLimited):
        poster.update(CHANNEL, ts, HELLO, MARK, once=True)
    assert len(slack.calls_of("chat.update")) == 1


def test_what_is_gone_cannot_be_changed(poster, asked):
    with pytest.raises(MessageGone):
        poster.update(CHANNEL, "1.1", HELLO, MARK)
    with pytest.raises(MessageGone):
        poster.delete(CHANNEL, asked)


@pytest.mark.parametrize("fault", LOST)
def test_what_one_person_is_told_is_told_once_at_most(slack, poster, fault):
    """The app cannot see whether it arrived, so it does not try again."""
    slack.faults.next("chat.postEphemeral", fault)
    with pytest.raises(SlackDown):
        poster.post_ephemeral(CHANNEL, USER, "ひとこと")
    assert len(slack.ephemerals(USER)) == int(fault.after)


def test_one_person_is_told(slack, poster):
    poster.post_ephemeral(CHANNEL, USER, "ひとこと")
    assert [told["text"] for told in slack.ephemerals(USER)] == ["ひとこと"]
    assert slack.ephemerals("U0SATO") == []


def test_a_home_is_shown(slack, poster):
    section = {"type": "section", "text": {"type": "mrkdwn", "text": wording.app_home()}}
    poster.show_home(USER, [section])
    (view,) = slack.workspace.homes.values()
    assert view["blocks"] == [section]


def test_a_status_that_cannot_be_set_is_a_line_in_the_log(slack, poster, place, caplog):
    """Nothing depends on it."""
    slack.faults.next("agents.sessions.setStatus", Fault(error="not_allowed"))
    with caplog.at_level("INFO"):
        poster.set_status(place, "processing", USER)
    assert "status_not_set" in caplog.text


@pytest.mark.parametrize("fault", LOST)
def test_a_stream_is_not_opened_twice(slack, poster, fault):
    """A stream has no mark: it is known by its place and by its tasks."""
    channel = slack.direct(USER)
    asked = slack.say(USER, channel, "質問")
    place = Place(channel=channel, thread_ts=asked, since=asked)
    task = {"type": "task_update", "id": "abc-begin", "title": "t", "status": "in_progress"}
    slack.faults.next("chat.startStream", fault)
    ts = poster.start_stream(place, [task], user=USER, team=TEAM, identity=ORIGIN)
    assert [message["ts"] for message in slack.thread(channel, asked)[1:]] == [ts]


def test_somebody_elses_stream_is_not_taken_for_ours(slack, poster):
    """Two questions in one thread have two streams; a file is none."""
    channel = slack.direct(USER)
    asked = slack.say(USER, channel, "質問")
    place = Place(channel=channel, thread_ts=asked, since=asked)
    other = {"type": "task_update", "id": "xyz-begin", "title": "t", "status": "in_progress"}
    poster.start_stream(
        place, [other], user=USER, team=TEAM, identity=StreamIdentity(bot_user=BOT, name="xyz")
    )
    ticket = poster.uploads.begin_upload("a.csv", 3)
    poster.uploads.send_content(ticket, b"a,b", "text/csv")
    poster.uploads.share(ticket, "a.csv", place)
    assert poster.find_stream(place, ORIGIN) is None


def test_a_stream_is_marked_when_it_ends(slack, poster):
    channel = slack.direct(USER)
    asked = slack.say(USER, channel, "質問")
    place = Place(channel=channel, thread_ts=asked, since=asked)
    ts = poster.start_stream(place, [], user=USER, team=TEAM, identity=ORIGIN)
    poster.append_to_stream(channel, ts, [{"type": "markdown_text", "text": "途中"}])
    poster.stop_stream(channel, ts, MARK)
    assert [(found.ts, found.part) for found in poster.posted_messages(place, "k1")] == [(ts, "0")]
    assert poster.find_stream(place, ORIGIN) is None
    with pytest.raises(StreamOver):
        poster.append_to_stream(channel, ts, [{"type": "markdown_text", "text": "もう遅い"}])


def test_only_marks_of_the_claim_are_found(slack, poster, place):
    """However many messages stand between them."""
    first = poster.post(place, HELLO, MARK)
    poster.post(place, HELLO, Mark(key="other", part="0"))
    for number in range(205):
        slack.say("U0SATO", CHANNEL, str(number), thread_ts=place.thread_ts)
    second = poster.post(place, HELLO, Mark(key="k1", part="1"))
    assert [(found.ts, found.part) for found in poster.posted_messages(place, "k1")] == [
        (first, "0"),
        (second, "1"),
    ]


def test_marks_of_another_app_are_not_believed(slack, poster, place):
    """Metadata is there for every app of the workspace to read, and to copy."""
    other = App(bot_token="xoxb-other", app_id="A0OTHER", bot_id="B0OTHER", bot_user="U0OTHER", name="other")
    slack.install(other)
    WebClient("xoxb-other", base_url=slack.api_url).chat_postMessage(
        channel=CHANNEL, thread_ts=place.thread_ts, text="forged", metadata=MARK.metadata(HELLO.kind)
    )
    assert poster.posted_messages(place, MARK.key) == ()


def test_logs_hold_no_words_and_no_token(slack, poster, place, caplog):
    """Not even at the lowest level."""
    with caplog.at_level("DEBUG"):
        slack.faults.next("chat.postMessage", Fault(status=500))
        ts = poster.post(place, HELLO, MARK)
        slack.faults.next("chat.update", Fault(page='{"ok": true, "text": "こんにちは'))  # cut off
        with pytest.raises(SlackDown):
            poster.update(place.channel, ts, HELLO, MARK, once=True)
    assert "こんにちは" not in caplog.text
    assert json.dumps("こんにちは") not in caplog.text
    assert "xoxb" not in caplog.text


@pytest.mark.parametrize("fault", [Fault(status=502), Fault(drop=True)], ids=["502", "dropped"])
@pytest.mark.parametrize(
    ("method", "calls"), [*((method, 1) for method in sorted(NOT_IDEMPOTENT)), ("chat.update", 3)]
)
def test_the_sdk_tries_again_only_what_makes_nothing(slack, method, calls, fault):
    """What makes something may have been done though its answer was lost."""
    slack.faults.next(method, fault, times=5)
    with pytest.raises(SLACK_FAILURES):
        client_of(slack).api_call(method, json={})
    assert len(slack.calls_of(method)) == calls
