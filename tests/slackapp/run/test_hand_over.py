"""Every request that is accepted fits into a message of SQS, and comes out of it as it was."""

import base64
import json
import zlib

import pytest

from slackapp.run import hand_over
from slackapp.run.hand_over import queued_request
from slackapp.run.signed_requests import MAX_BODY_BYTES, ReceivedRequest, RequestRejected
from tests.fakes.dynamodb import CREDENTIALS
from tests.fakes.sqs import LARGEST, Queues

EDITED = {"text": "\u3042" * 40_000, "blocks": [{"elements": [{"text": "\u3042" * 40_000}]}]}
BODIES = {
    "short": '{"type": "event_callback"}',
    # Slack has the text twice in each message, and both messages in an edit; it writes Japanese as \\u3042.
    "an edit of the longest message": json.dumps({"message": EDITED, "previous_message": EDITED}),
    "what grows most": '"' * MAX_BODY_BYTES,
    "controls": "\x00" * MAX_BODY_BYTES,
}


@pytest.fixture
def queues(monkeypatch):
    running = Queues()
    for name, value in (CREDENTIALS | running.environ).items():
        monkeypatch.setenv(name, value)
    yield running
    running.close()


def test_every_accepted_request_fits_into_a_message(queues):
    sender = hand_over.Queues(queues.environ)
    for body in BODIES.values():
        received = ReceivedRequest(body=body.encode(), headers={"x-slack-signature": "v0=1"})
        assert len(received.body) <= MAX_BODY_BYTES
        sender.send(received, "note_edit")
        name, message = queues.sent[-1]
        assert (name, len(message) <= LARGEST) == ("requests", True)
        found = queued_request(message)
        assert found.body == received.body
        assert found.headers["x-slack-bolt-lazy-function-name"] == "note_edit"
    assert json.loads(queues.sent[0][1])["body"] == BODIES["short"]  # operators read it as it is


def _packed(content):
    return base64.b64encode(zlib.compress(content, wbits=hand_over.GZIP)).decode()


@pytest.mark.parametrize(
    "message",
    [
        "",
        "[]",
        "{}",
        "not base64",
        "bm90IGd6aXA=",
        _packed(b"\xff"),
        _packed(b'{"body": ')[:-8],
        _packed(b'{"headers": {}, "body": "' + b" " * hand_over.LARGEST_UNPACKED + b'"}'),
    ],
    ids=range(8),
)
def test_a_message_that_is_no_request_is_rejected(message):
    with pytest.raises(RequestRejected, match="unreadable"):
        queued_request(message)
