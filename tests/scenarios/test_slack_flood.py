"""One event delivered over and over, side by side: one reply."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from slackapp.listeners.incoming import message_key
from slackapp.playground.events.transports import HttpTransport, Kind, OutgoingRequest
from slackapp.playground.server import LocalSlack
from tests.slackapp.stage import CHANNEL, TEAM, USER, ScriptedAgent, Stage, ours

DELIVERIES, THREADS = 1000, 50


def _request(bodies, number):
    """Both events of the mention in turn, as first deliveries and as Slack's three retries."""
    retry = number // len(bodies) % 4
    reason = "http_timeout" if retry else ""
    return OutgoingRequest(
        kind=Kind.EVENT, payload=bodies[number % len(bodies)], retry_num=retry, retry_reason=reason
    )


def test_a_thousand_deliveries_of_one_event_end_in_one_reply(store):
    """Fifty at a time: each is acknowledged, one is answered."""
    agent, listeners = ScriptedAgent(), ThreadPoolExecutor(THREADS)
    with Stage(store, agent=agent, executor=listeners, slack=LocalSlack(own_events=False)) as stage:
        ts = stage.mention(deliver=False)
        bodies = stage.slack.bodies(CHANNEL, ts)
        assert [body["event"]["type"] for body in bodies] == ["app_mention", "message"]
        transport = HttpTransport(timeout=30)
        with ThreadPoolExecutor(THREADS) as threads:
            outcomes = list(
                threads.map(
                    lambda number: transport.deliver(stage.app, _request(bodies, number)), range(DELIVERIES)
                )
            )
        listeners.shutdown()  # when this returns, every delivery has been dealt with
        assert {outcome.status for outcome in outcomes} == {200}
        assert [message["text"] for message in ours(stage.slack, CHANNEL, ts)] == [
            "コーヒー豆は1,200円です。"
        ]
        assert stage.slack.ephemerals() == []
        assert len(agent.asked) == 1
        assert stage.store.unfinished_claim(message_key(TEAM, CHANNEL, ts), now=time.time()) is None


def test_a_command_is_acknowledged_while_every_thread_has_a_question(sqlite_settings):
    """Slack waits three seconds; questions take longer, and there may be many."""
    hold, questions = threading.Event(), ThreadPoolExecutor(2)
    agent = ScriptedAgent(hold=hold)
    with Stage(sqlite_settings, agent=agent, executor=questions, slack_workers=2) as stage:
        for _ in range(4):
            stage.mention()
        assert stage.slack.wait_until(lambda: len(stage.slack.calls_of("chat.postMessage")) == 2)
        assert stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/price").ok
        stage.settled()  # every delivery is acknowledged: the questions run in another pool
        hold.set()
        questions.shutdown()  # when this returns, every question has been answered
        assert len(agent.asked) == 5
        assert stage.unfinished() == []
