"""The page's events: a page misses none, gets none twice, or starts again from a snapshot."""

import contextlib
import http.client
import json
import threading

import pytest

from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.page.event_stream import HEARTBEAT, RESET, EventStream
from slackapp.playground.values import Capacity
from tests.slackapp.playground.pages import next_event, running_page


@pytest.fixture
def activity(clock):
    return ActivityLog(clock, Capacity())


def _page_record(record):
    return {"said": record["text"]} if record["type"] == "shown" else None


def _next_pieces(event_stream, position, count):
    """The next pieces of a stream after its first line."""
    pieces = event_stream.stream(position)
    assert next(pieces).startswith(b"retry:")
    return b"".join(next(pieces) for _ in range(count)).decode()


def test_a_listener_gets_what_came_after_its_position(activity):
    """Once, in order, each under its id."""
    event_stream = EventStream(activity, _page_record)
    before = event_stream.position
    for text in ("一", "二"):
        activity.record("shown", text=text)
    activity.record("secret", text="三")
    text = _next_pieces(event_stream, before, 1)
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data")]
    assert list(map(json.loads, lines)) == [{"said": "一"}, {"said": "二"}]
    assert f"id: {event_stream.position}" in text


def test_a_listener_in_the_middle_gets_the_rest(activity):
    event_stream = EventStream(activity, _page_record)
    activity.record("shown", text="一")
    middle = event_stream.position
    activity.record("shown", text="二")
    assert _next_pieces(event_stream, middle, 1).count("data:") == 1


def test_quiet_times_have_a_heartbeat(activity):
    """So that both sides notice when the other is gone."""
    event_stream = EventStream(activity, _page_record, heartbeat_seconds=0.01)
    assert _next_pieces(event_stream, event_stream.position, 1).encode() == HEARTBEAT


@pytest.mark.parametrize("position", ["", "nonsense", "other-1", "-1", "{run}-x", "{run}-", "{run}-99999999"])
def test_a_position_that_is_not_of_this_run_begins_anew(activity, position):
    """A restarted server, or something made up."""
    event_stream = EventStream(activity, _page_record, heartbeat_seconds=0.01)
    assert RESET in list(event_stream.stream(position.format(run=event_stream.run)))


def test_a_position_that_is_too_old_begins_anew(activity):
    event_stream = EventStream(activity, _page_record, max_events=2)
    oldest = event_stream.position
    for text in "一二三":
        activity.record("shown", text=text)
    assert list(event_stream.stream(oldest))[-1] == RESET


def test_the_oldest_that_is_kept_is_not_too_old(activity):
    event_stream = EventStream(activity, _page_record, max_events=2)
    activity.record("shown", text="一")
    oldest = event_stream.position
    for text in "二三":
        activity.record("shown", text=text)
    assert _next_pieces(event_stream, oldest, 1).count("data:") == 2


def test_a_stream_that_starts_late_has_only_later_events(activity):
    activity.record("shown", text="前")
    event_stream = EventStream(activity, _page_record)
    before = event_stream.position
    activity.record("shown", text="後")
    assert _next_pieces(event_stream, before, 1).count("data:") == 1


def test_closing_the_activity_log_ends_every_stream(activity):
    """Also of pages that wait for the next event."""
    event_stream = EventStream(activity, _page_record, heartbeat_seconds=30)
    ended = threading.Barrier(4)

    def listen():
        list(event_stream.stream(event_stream.position))
        ended.wait(60)

    for _ in range(3):
        threading.Thread(target=listen, daemon=True).start()
    activity.close()
    ended.wait(60)


def test_three_tabs_see_the_same(tmp_path):
    """Over HTTP, one of them from the middle of it."""
    with running_page(tmp_path) as page:
        position = page.read("/playground/state")["position"]
        with page.events(position) as one, page.events(position) as two:
            page.slack.say("U0SATO", "general", "一", deliver=False)
            first = next_event(one)
            assert first == next_event(two)
            page.slack.say("U0SATO", "general", "二", deliver=False)
            with page.events(first[0]) as three:
                assert next_event(one) == next_event(two) == (last := next_event(three))
            assert last[2]["message"]["text"] == "二"


def test_a_snapshot_and_its_events_make_the_present(tmp_path):
    """Every message is in exactly one of the two."""
    with running_page(tmp_path) as page:
        done = threading.Event()

        def say_many():
            for number in range(100):
                page.slack.say("U0SATO", "general", str(number), deliver=False)
            done.set()

        thread = threading.Thread(target=say_many)
        thread.start()
        state = page.read("/playground/state")
        done.wait(60)
        thread.join()
        texts = [message["text"] for message in state["messages"]["C0GENERAL"]]
        with page.events(state["position"]) as events:
            while len(texts) < 100:
                texts.append(next_event(events)[2]["message"]["text"])
    assert texts == [str(number) for number in range(100)]


def test_the_server_stops_while_pages_are_open(tmp_path):
    """Their streams end, and the stop does not wait for them."""
    with running_page(tmp_path) as page, page.events(page.read("/playground/state")["position"]) as events:
        page.slack.stop()
        assert b"data" not in events.read()


def test_a_browser_comes_back_with_the_last_id_it_saw(tmp_path):
    """The header that browsers send by themselves counts more than the address."""
    with running_page(tmp_path) as page:
        start = page.read("/playground/state")["position"]
        page.slack.say("U0SATO", "general", "一", deliver=False)
        seen = page.read("/playground/state")["position"]
        page.slack.say("U0SATO", "general", "二", deliver=False)
        with contextlib.closing(http.client.HTTPConnection(page.host, timeout=5)) as connection:
            connection.request("GET", f"/playground/events?after={start}", headers={"Last-Event-ID": seen})
            assert next_event(connection.getresponse())[2]["message"]["text"] == "二"
