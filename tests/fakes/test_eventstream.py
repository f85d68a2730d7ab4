"""Bedrock's frames, read by AWS's own decoder."""

import base64
import json

import pytest
from botocore.eventstream import ChecksumMismatch, EventStreamBuffer  # type: ignore[import-untyped]

from tests.fakes import eventstream


def decoded(content):
    buffer = EventStreamBuffer()
    buffer.add_data(content)
    return [message.to_response_dict() for message in buffer]


def test_an_event_arrives_in_its_envelope():
    """The payload holds the event's JSON in base64, beside the headers that name it."""
    (message,) = decoded(eventstream.event({"type": "ping", "text": "日本"}))
    assert message["headers"][":event-type"] == "chunk"
    assert json.loads(base64.b64decode(json.loads(message["body"])["bytes"])) == {
        "type": "ping",
        "text": "日本",
    }


def test_frames_follow_one_another():
    """A stream is frames without anything between them."""
    assert len(decoded(eventstream.event(1) + eventstream.event(2) + eventstream.event(3))) == 3


def test_an_exception_is_no_success():
    """An exception frame has its kind and its message, and a status that is an error's."""
    (message,) = decoded(eventstream.exception("throttlingException", "Too many"))
    assert message["status_code"] == 400
    assert message["headers"][":exception-type"] == "throttlingException"
    assert json.loads(message["body"]) == {"message": "Too many"}


def test_a_corrupted_frame_is_noticed():
    """One turned bit is enough."""
    with pytest.raises(ChecksumMismatch):
        decoded(eventstream.corrupted(eventstream.event({"type": "ping"})))
