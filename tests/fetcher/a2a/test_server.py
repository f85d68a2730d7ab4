"""The server's life: being busy, being left, and stopping."""

import http.client
import json
import time

from fetcher.a2a.questions import Capacity
from tests.fetcher.a2a.serving import PATIENCE, Scripted, Serving

QUESTION = {"messages": [{"role": "user", "content": [{"type": "text", "text": "質問です"}]}]}
CALL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "execute_task", "params": QUESTION})
JSON = {"Content-Type": "application/json"}


def _asking(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("POST", "/", CALL, JSON)
    return connection


def test_ping_says_busy_while_a_question_is_answered():
    agent = Scripted(hold=True)
    with Serving(agent.opener) as server:
        assert server.ping()["status"] == "Healthy"
        asking = _asking(server)
        assert agent.has_begun()
        busy = server.ping()
        assert (busy["status"], type(busy["time_of_last_update"])) == ("HealthyBusy", int)
        agent.let_go()
        assert json.load(asking.getresponse())["result"]["messages"]
        asking.close()
        assert server.ping()["status"] == "Healthy"


def test_execute_task_stops_when_its_caller_hangs_up():
    """There is no other way to cancel it."""
    agent = Scripted(hold=True)
    with Serving(agent.opener) as server:
        asking = _asking(server)
        assert agent.has_begun()
        asking.close()
        assert agent.was_cancelled()
        while server.ping()["status"] == "HealthyBusy":
            time.sleep(0.001)


def test_what_is_being_answered_when_the_server_stops_is_still_answered():
    agent = Scripted(hold=True)
    with Serving(agent.opener, a2a_shutdown_seconds=10) as server:
        asking = _asking(server)
        assert agent.has_begun()
        server.stop()
        agent.let_go()
        assert json.load(asking.getresponse())["result"]["messages"]
        asking.close()
        assert server.ended()
    assert agent.closed.is_set()
    assert server.failure is None


def test_a_stream_that_runs_when_the_server_stops_comes_to_its_end():
    agent = Scripted(hold=True)
    with Serving(agent.opener, a2a_shutdown_seconds=10) as server:
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "質問"}]}
        with server.stream("SendStreamingMessage", {"message": message}) as events:
            next(events)
            assert agent.has_begun()
            server.stop()
            agent.let_go()
            *_, last = events
        assert last["result"]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"
        assert server.ended()


def test_what_takes_too_long_when_the_server_stops_is_cancelled():
    agent = Scripted(hold=True)
    with Serving(agent.opener, a2a_shutdown_seconds=0) as server:
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "質問"}]}
        server.call("SendMessage", {"message": message, "configuration": {"returnImmediately": True}})
        assert agent.has_begun()
        server.stop()
        assert agent.was_cancelled()
        assert server.ended()
    assert agent.closed.is_set()
    assert server.failure is None


def test_a_caller_that_waits_when_the_time_is_over_is_told(caplog):
    """A stop is not a defect: the caller gets a sentence, and the log no traceback."""
    agent = Scripted(hold=True)
    with Serving(agent.opener, a2a_shutdown_seconds=0) as server:
        asking = _asking(server)
        assert agent.has_begun()
        server.stop()
        reply = json.load(asking.getresponse())
        asking.close()
    assert (reply["id"], reply["error"]["code"]) == (1, -32603)
    assert reply["error"]["data"] == {"reason": "stopping", "retryable": True}
    assert "停止" in reply["error"]["message"]
    assert not [record for record in caplog.records if record.exc_info]


def test_a_task_without_a_waiting_caller_is_finished_before_the_server_ends():
    agent = Scripted(hold=True)
    with Serving(agent.opener, a2a_shutdown_seconds=10) as server:
        message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "質問"}]}
        server.call("SendMessage", {"message": message, "configuration": {"returnImmediately": True}})
        assert agent.has_begun()
        server.stop()
        agent.let_go()
        assert server.ended()
    assert not agent.cancelled.acquire(blocking=False)


def test_ping_tells_when_its_status_last_changed(clock):
    capacity = Capacity(2, clock)
    started = capacity.health["time_of_last_update"]
    clock.advance(5)
    with capacity.take():
        assert capacity.health == {"status": "HealthyBusy", "time_of_last_update": started + 5}
        clock.advance(5)
    assert capacity.health == {"status": "Healthy", "time_of_last_update": started + 10}
