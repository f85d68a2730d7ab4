"""The server that the compatibility kit tests does what the kit's scenarios say."""

import base64

import pytest

from tests.fakes.a2a_sut import FILE, sut
from tests.fetcher.a2a.serving import Serving


@pytest.fixture(scope="module")
def server():
    with Serving(lambda: None, loading=lambda site, places, _: sut(site.port, places)) as serving:  # type: ignore[arg-type, return-value]
        yield serving


def _send(server, message_id):
    message = {"messageId": message_id, "role": "ROLE_USER", "parts": [{"text": "x"}]}
    return server.call("SendMessage", {"message": message})["result"]


@pytest.mark.parametrize(
    ("message_id", "state"),
    [
        ("tck-complete-task-1", "COMPLETED"),
        ("tck-artifact-text-1", "COMPLETED"),
        ("tck-input-required-1", "INPUT_REQUIRED"),
        ("tck-reject-task-1", "REJECTED"),
        ("tck-stream-artifact-chunked-1", "COMPLETED"),
        ("anything", "COMPLETED"),
    ],
)
def test_a_message_id_says_how_the_task_ends(server, message_id, state):
    assert _send(server, message_id)["task"]["status"]["state"] == f"TASK_STATE_{state}"


def test_a_file_is_a_file_and_a_link_is_a_link(server):
    [file] = _send(server, "tck-artifact-file-1")["task"]["artifacts"]
    [link] = _send(server, "tck-artifact-file-url-1")["task"]["artifacts"]
    [part] = file["parts"]
    assert (part["filename"], base64.b64decode(part["raw"])) == ("output.txt", FILE)
    assert link["parts"][0]["url"] == "https://example.com/output.txt"


def test_a_message_may_be_all_there_is(server):
    assert _send(server, "tck-message-response-1")["message"]["parts"] == [
        {"text": "Direct message response"}
    ]


def test_the_card_has_the_protocols_fields_and_no_others(server):
    card = server.request("GET", "/.well-known/agent-card.json").json
    assert {"url", "protocol", "preferredTransport"}.isdisjoint(card)
    assert [interface["protocolVersion"] for interface in card["supportedInterfaces"]] == ["1.0"]
