"""The page's events: nothing is missed, nothing is invented, and who cannot be helped begins anew."""

import contextlib
import http.client
import json
import threading

import pytest

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.page.event_stream import HEARTBEAT, RESET, EventStream
from slackapp.playground.values import Capacity
from tests.slackapp.playground.pages import next_event, opened


@pytest.fixture
def activity(clock):
    return ActivityLog(clock, Capacity())


def _shown(record):
    return {"said": record["text"]} if record["type"] == "told" else None


def _told(feed, position, count):
    """The next pieces of a stream, its greeting passed over."""
    stream = feed.stream(position)
    assert next(stream).startswith(b"retry:")
    return b"".join(next(stream) for _ in range(count)).decode()


def test_a_listener_gets_what_came_after_its_position(activity):
    """Once, in order, each under its id."""
    feed = EventStream(activity, _shown)
    before = feed.position
    for text in ("一", "二"):
        activity.record("told", text=text)
    activity.record("secret", text="三")
    told = _told(feed, before, 1)
    lines = [line.removeprefix("data: ") for line in told.splitlines() if line.startswith("data")]
    assert list(map(json.loads, lines)) == [{"said": "一"}, {"said": "二"}]
    assert f"id: {feed.position}" in told


def test_a_listener_in_the_middle_gets_the_rest(activity):
    feed = EventStream(activity, _shown)
    activity.record("told", text="一")
    middle = feed.position
    activity.record("told", text="二")
    assert _told(feed, middle, 1).count("data:") == 1


def test_quiet_times_have_a_heartbeat(activity):
    """So that both sides notice when the other is gone."""
    feed = EventStream(activity, _shown, heartbeat_seconds=0.01)
    assert _told(feed, feed.position, 1).encode() == HEARTBEAT


@pytest.mark.parametrize("position", ["", "nonsense", "other-1", "-1", "{run}-x", "{run}-", "{run}-99999999"])
def test_a_position_that_is_not_of_this_run_begins_anew(activity, position):
    """A restarted server, or something made up."""
    feed = EventStream(activity, _shown, heartbeat_seconds=0.01)
    assert RESET in list(feed.stream(position.format(run=feed.run)))


def test_a_position_that_is_too_old_begins_anew(activity):
    feed = EventStream(activity, _shown, max_events=2)
    oldest = feed.position
    for text in "一二三":
        activity.record("told", text=text)
    assert list(feed.stream(oldest))[-1] == RESET


def test_the_oldest_that_is_kept_is_not_too_old(activity):
    feed = EventStream(activity, _shown, max_events=2)
    activity.record("told", text="一")
    oldest = feed.position
    for text in "二三":
        activity.record("told", text=text)
    assert _told(feed, oldest, 1).count("data:") == 2


def test_a_feed_that_starts_late_knows_only_what_comes(activity):
    activity.record("told", text="前")
    feed = EventStream(activity, _shown)
    before = feed.position
    activity.record("told", text="後")
    assert _told(feed, before, 1).count("data:") == 1


def test_the_end_of_the_journal_ends_every_stream(activity):
    """Also of those who wait."""
    feed = EventStream(activity, _shown, heartbeat_seconds=30)
    ended = threading.Barrier(4)

    def listen():
        list(feed.stream(feed.position))
        ended.wait(5)

    for _ in range(3):
        threading.Thread(target=listen, daemon=True).start()
    activity.close()
    ended.wait(5)


def test_three_tabs_see_the_same(tmp_path):
    """Over HTTP, one of them from the middle of it."""
    with opened(tmp_path) as bench:
        position = bench.read("/playground/state")["position"]
        with bench.events(position) as one, bench.events(position) as two:
            bench.slack.say("U0SATO", "general", "一", deliver=False)
            first = next_event(one)
            assert first == next_event(two)
            bench.slack.say("U0SATO", "general", "二", deliver=False)
            with bench.events(first[0]) as three:
                assert next_event(one) == next_event(two) == (last := next_event(three))
            assert last[2]["message"]["text"] == "二"


def test_a_snapshot_and_its_events_make_the_present(tmp_path):
    """Whatever happens between the two is in one of them, and only in one."""
    with opened(tmp_path) as bench:
        done = threading.Event()

        def chatter():
            for number in range(100):
                bench.slack.say("U0SATO", "general", str(number), deliver=False)
            done.set()

        thread = threading.Thread(target=chatter)
        thread.start()
        state = bench.read("/playground/state")
        done.wait(10)
        thread.join()
        texts = [message["text"] for message in state["messages"]["C0GENERAL"]]
        with bench.events(state["position"]) as events:
            while len(texts) < 100:
                texts.append(next_event(events)[2]["message"]["text"])
    assert texts == [str(number) for number in range(100)]


def test_the_server_stops_while_pages_are_open(tmp_path):
    """Their streams end, and the stop waits for nobody."""
    with opened(tmp_path) as bench, bench.events(bench.read("/playground/state")["position"]) as events:
        bench.slack.stop()
        assert b"data" not in events.read()


def test_a_browser_comes_back_with_the_last_id_it_saw(tmp_path):
    """The header that browsers send by themselves counts more than the address."""
    with opened(tmp_path) as bench:
        start = bench.read("/playground/state")["position"]
        bench.slack.say("U0SATO", "general", "一", deliver=False)
        seen = bench.read("/playground/state")["position"]
        bench.slack.say("U0SATO", "general", "二", deliver=False)
        with contextlib.closing(http.client.HTTPConnection(bench.host, timeout=5)) as connection:
            connection.request("GET", f"/playground/events?after={start}", headers={"Last-Event-ID": seen})
            assert next_event(connection.getresponse())[2]["message"]["text"] == "二"
