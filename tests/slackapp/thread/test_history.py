"""Threads and names, read from a local Slack."""

import pytest

from slackapp.listeners.incoming import Kind
from slackapp.playground.server import LocalSlack
from slackapp.playground.webapi.faults import Fault
from slackapp.stores.contract import StoreUnavailable
from slackapp.thread.history import MOST_CALLS, History
from tests.slackapp.answers import CHANNEL, USER, request
from tests.slackapp.local import client_of, with_app


class Cache:
    """What is remembered, in a dict."""

    def __init__(self, *, down=False):
        self.kept = {}
        self.down = down

    def cached_values(self, names, *, now):
        if self.down:
            raise StoreUnavailable("down")
        return {name: self.kept[name][0] for name in names if name in self.kept and self.kept[name][1] > now}

    def cache_values(self, values, *, expires_at):
        if self.down:
            raise StoreUnavailable("down")
        self.kept |= {name: (value, expires_at) for name, value in values.items()}


@pytest.fixture
def slack():
    with LocalSlack() as server:
        yield with_app(server)


@pytest.fixture
def cache():
    return Cache()


def history_of(slack, clock, cache, messages=50):
    return History(client_of(slack), cache, clock=clock, messages=messages, cache_seconds=300)


def asked_in(slack, root, **fields):
    ts = slack.say(USER, CHANNEL, "続きは？", thread_ts=root)
    return request(ts, thread_ts=root, kind=Kind.FOLLOW_UP, **fields)


def test_a_thread_is_read_with_its_authors_names(slack, clock, cache):
    root = slack.say("U0SATO", CHANNEL, "<https://a.example/> です")
    thread = history_of(slack, clock, cache).thread(asked_in(slack, root))
    assert [message.text for message in thread.messages] == ["<https://a.example/> です", "続きは？"]
    assert thread.names == {USER: "田中 花子", "U0SATO": "佐藤 健"}


def test_our_answers_are_known_where_the_payload_does_not_name_us(slack, clock, cache):
    """A shortcut's does not."""
    root = slack.say(USER, CHANNEL, "https://a.example/price")
    client_of(slack).chat_postMessage(channel=CHANNEL, thread_ts=root, text="1,000円です。")
    thread = history_of(slack, clock, cache).thread(asked_in(slack, root, bot_user=""))
    assert [message.ours for message in thread.messages[:2]] == [False, True]


@pytest.mark.parametrize("thick", ["evenly", "at first", "at last", "at first and last"])
def test_a_thread_of_thousands_keeps_its_first_message_and_its_newest(slack, clock, cache, thick):
    """Within four calls, however its replies are spread over a month."""
    now, month = int(float(slack.say("U0SATO", CHANNEL, "今", deliver=False))), 30 * 24 * 3600
    root = f"{now - month}.000000"
    at_first = {"evenly": 0, "at first": 4_900, "at last": 50, "at first and last": 2_500}[thick]
    ends = month // 5_000 if thick == "evenly" else 3
    times = [now - month + 3 * number for number in range(1, at_first + 1)]
    times += [now - ends * number for number in range(5_000 - at_first, 0, -1)]
    messages = slack.workspace.messages
    messages.add(CHANNEL, {"type": "message", "ts": root, "user": "U0SATO", "text": "最初"})
    for number, ts in enumerate(times):
        reply = {"type": "message", "ts": f"{ts}.000001", "user": "U0SATO", "text": f"{number}"}
        messages.add(CHANNEL, reply | {"thread_ts": root})
    thread = history_of(slack, clock, cache, messages=50).thread(asked_in(slack, root))
    expected = ["最初", *map(str, range(4_951, 5_000)), "続きは？"]
    assert [message.text for message in thread.messages] == expected
    assert len(slack.calls_of("conversations.replies")) <= MOST_CALLS == 4


def test_names_are_remembered_for_a_while(slack, clock, cache):
    """Under the key that others use for plain names."""
    root = slack.say("U0SATO", CHANNEL, "最初")
    history = history_of(slack, clock, cache)
    incoming = asked_in(slack, root)
    history.thread(incoming)
    history.thread(incoming)
    assert len(slack.calls_of("users.info")) == 2
    assert cache.kept["name:T0LOCAL:U0SATO"] == ("佐藤 健", clock.now().timestamp() + 300)
    clock.advance(301)
    history.thread(incoming)
    assert len(slack.calls_of("users.info")) == 4


@pytest.mark.parametrize(
    "fault",
    [
        Fault(error="missing_scope"),
        Fault(error="thread_not_found"),
        Fault(status=404),
        Fault(error="ratelimited"),
    ],
)
def test_a_thread_that_cannot_be_read_is_no_reason_to_refuse(slack, clock, cache, caplog, fault):
    """The question is answered without it, and a line in the log says so."""
    root = slack.say("U0SATO", CHANNEL, "最初")
    incoming = asked_in(slack, root)
    slack.faults.next("conversations.replies", fault)
    thread = history_of(slack, clock, cache).thread(incoming)
    assert (thread.messages, thread.names) == ((), {USER: "田中 花子"})
    assert "history_unavailable" in caplog.text


def test_a_name_that_cannot_be_had_is_left_out(slack, clock, cache, caplog):
    incoming = request("1.1", user="U0NOBODY")
    assert history_of(slack, clock, cache).thread(incoming).names == {}
    assert "name_unavailable" in caplog.text
    assert cache.kept == {}


@pytest.mark.parametrize(("error", "calls"), [("ratelimited", 1), ("user_not_found", 2)])
def test_a_slack_that_does_not_answer_is_not_asked_for_every_name(slack, clock, cache, error, calls):
    """Each name would be tried for as long as a call may take, while the asker waits."""
    slack.faults.next("users.info", Fault(error=error), times=2)
    incoming = request("1.1", text="<@U0SATO> さんの資料は？")
    assert history_of(slack, clock, cache).thread(incoming).names == {}
    assert len(slack.calls_of("users.info")) == calls


def test_a_name_that_utf8_cannot_say_is_mended(slack, clock, cache):
    """Half of a surrogate pair: no model and no store would take it."""
    slack.workspace.users[USER].real_name = "田中\ud83d"
    assert history_of(slack, clock, cache).thread(request("1.1")).names == {USER: "田中?"}


def test_a_store_that_is_down_costs_calls_only(slack, clock, caplog):
    assert history_of(slack, clock, Cache(down=True)).thread(request("1.1")).names == {USER: "田中 花子"}
    assert "names_not_remembered" in caplog.text


@pytest.mark.parametrize("incoming", [request("1.1"), request(kind=Kind.COMMAND, thread_ts="")])
def test_where_nothing_was_said_before_nothing_is_read(slack, clock, cache, incoming):
    assert history_of(slack, clock, cache).thread(incoming).messages == ()
    assert slack.calls_of("conversations.replies") == ()


def test_no_history_is_read_where_none_is_wanted(slack, clock, cache):
    root = slack.say("U0SATO", CHANNEL, "最初")
    assert history_of(slack, clock, cache, messages=0).thread(asked_in(slack, root)).messages == ()


def test_a_deleted_first_message_says_nothing(slack, clock, cache):
    """Slack leaves a tombstone."""
    root = slack.say("U0SATO", CHANNEL, "最初")
    incoming = asked_in(slack, root)
    slack.delete(CHANNEL, root, "U0SATO")
    assert [message.text for message in history_of(slack, clock, cache).thread(incoming).messages] == [
        "続きは？"
    ]
