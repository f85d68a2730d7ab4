"""Slack's signature holds for five minutes, by the system's clock."""

import time
from datetime import timedelta

import pytest
from freezegun import freeze_time
from slack_sdk.signature import SignatureVerifier

from slackapp.run.signed_requests import (
    SIGNATURE,
    TIMESTAMP,
    ReceivedRequest,
    RequestRejected,
    verified_request,
)

SECRET = "secret"
BODY = '{"type": "event_callback"}'


def signed_now(body: str = BODY) -> ReceivedRequest:
    timestamp = str(int(time.time()))
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=timestamp, body=body)
    return ReceivedRequest(body=body.encode(), headers={TIMESTAMP: timestamp, SIGNATURE: str(signature)})


@pytest.mark.parametrize("late", [-300, 0, 300])
def test_a_request_is_let_in_within_five_minutes(late):
    """Before and after: clocks differ."""
    with freeze_time("2026-01-10 12:00:00") as moment:
        received = signed_now()
        moment.tick(timedelta(seconds=late))
        assert verified_request(received, lambda: SECRET).body == {"type": "event_callback"}


@pytest.mark.parametrize("late", [-301, 301, 86_400])
def test_a_recorded_request_is_refused_later(late):
    with freeze_time("2026-01-10 12:00:00") as moment:
        received = signed_now()
        moment.tick(timedelta(seconds=late))
        with pytest.raises(RequestRejected) as refused:
            verified_request(received, lambda: SECRET)
    assert (refused.value.status, refused.value.reason) == (401, "wrong_signature")


@pytest.mark.parametrize(
    "body",
    [
        '{"type": ["x"]}',
        '{"type": "event_callback", "event": [1]}',
        '{"command": 5}',
        '{"actions": "x"}',
        '{"event": []}',
    ],
)
def test_a_body_that_bolt_could_not_handle_is_refused(body):
    """Signed or not: a 4xx, and no traceback."""
    with pytest.raises(RequestRejected) as refused:
        verified_request(signed_now(body), lambda: SECRET)
    assert refused.value.status == 400
