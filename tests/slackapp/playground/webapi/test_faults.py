"""Planned faults, and how the real SDK takes them."""

import threading
from http.client import RemoteDisconnected
from urllib.error import HTTPError

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler, ServerErrorRetryHandler
from slack_sdk.http_retry.builtin_interval_calculators import FixedValueRetryIntervalCalculator

from slackapp.playground.webapi.faults import Fault


def _post(client):
    return client.chat_postMessage(channel="C0GENERAL", text="x")


def test_a_fault_happens_to_the_next_calls_only(slack, client):
    """As often as it was planned."""
    slack.faults.next("chat.postMessage", Fault(error="channel_not_found"), times=2)
    for _ in range(2):
        with pytest.raises(SlackApiError, match="channel_not_found"):
            _post(client)
    assert _post(client)["ok"]
    assert len(slack.timeline("general")) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(429, "ratelimited"), (500, "internal_error"), (503, "service_unavailable")]
)
def test_a_status_comes_with_its_error(slack, client, status, error):
    slack.faults.next("*", Fault(status=status, retry_after=7 if status == 429 else None))
    with pytest.raises(SlackApiError) as caught:
        _post(client)
    response = caught.value.response
    assert (response.status_code, response["error"]) == (status, error)
    assert response.headers.get("Retry-After") == ("7" if status == 429 else None)


@pytest.mark.parametrize("fault", [Fault(status=429, retry_after=0), Fault(status=500)], ids=["429", "500"])
def test_the_sdks_own_retries_get_through(slack, client, fault):
    """One message, two calls."""
    quickly = FixedValueRetryIntervalCalculator(fixed_internal=0.01)
    client.retry_handlers.append(RateLimitErrorRetryHandler())
    client.retry_handlers.append(ServerErrorRetryHandler(interval_calculator=quickly))
    slack.faults.next("chat.postMessage", fault)
    assert _post(client)["ok"]
    assert [call.status for call in slack.calls] == [fault.status, 200]
    assert len(slack.timeline("general")) == 1


@pytest.mark.parametrize(("after", "posted"), [(False, 0), (True, 1)])
def test_a_dropped_connection_loses_the_call_or_only_its_answer(slack, client, after, posted):
    """With `after` the message is posted although the caller sees a failure."""
    client.retry_handlers = []
    slack.faults.next("chat.postMessage", Fault(drop=True, after=after))
    with pytest.raises((RemoteDisconnected, OSError)):
        _post(client)
    assert len(slack.timeline("general")) == posted
    assert slack.calls[-1].status == 0


def test_an_answer_can_be_lost_behind_a_500(slack, client):
    """The message is posted nevertheless."""
    slack.faults.next("chat.postMessage", Fault(status=500, after=True))
    with pytest.raises(SlackApiError):
        _post(client)
    assert len(slack.timeline("general")) == 1


def test_a_call_is_held_until_it_is_let_go(slack, client):
    """Before its work, or after it."""
    gate = threading.Event()
    slack.faults.next("chat.postMessage", Fault(hold=gate, after=True))
    caller = threading.Thread(target=_post, args=[client])
    caller.start()
    assert slack.wait_until(lambda: slack.faults.held == 1)
    assert len(slack.timeline("general")) == 1
    gate.set()
    caller.join()
    assert slack.faults.held == 0


def test_a_fault_can_choose_its_calls(slack, client):
    """By their arguments."""
    slack.faults.next(
        "chat.postMessage", Fault(error="fatal_error"), when=lambda given: given["text"] == "二"
    )
    client.chat_postMessage(channel="C0GENERAL", text="一")
    with pytest.raises(SlackApiError):
        client.chat_postMessage(channel="C0GENERAL", text="二")


def test_cleared_faults_do_not_happen(slack, client):
    slack.faults.next("*", Fault(status=500))
    slack.faults.clear()
    assert _post(client)["ok"]


def test_an_upload_can_fail_in_its_second_step(slack, client):
    """The SDK says so, and nothing is shared."""
    slack.faults.next("upload", Fault(status=500))
    with pytest.raises(HTTPError, match="500") as caught:
        client.files_upload_v2(channel="C0GENERAL", filename="a.csv", content="x")
    caught.value.close()
    assert slack.timeline("general") == []


def test_a_delay_takes_its_time(slack, client):
    slack.faults.next("auth.test", Fault(delay=0.05))
    client.auth_test()
    assert slack.calls[-1].seconds >= 0.05
