"""What the agent says of itself is the document's, the protocol's, and true."""

import pytest
from a2a.client.card_resolver import parse_agent_card

from fetcher.a2a.card import agent_card, card_body

URL = "http://localhost:9000"
FILES = ("text/csv", "application/json", "text/plain")


def _body(authentication="none"):
    return card_body(agent_card(URL, authentication, FILES), authentication)


def test_the_documents_fields_are_there():
    body = _body("sigv4")
    assert body["name"] == "SlackAI-WebFetchAgent"
    assert body["description"].startswith("指定URLのWebコンテンツをテキストとして取得する専用エージェント。")
    assert (body["url"], body["version"]) == (URL, "1.0.0")
    assert (body["protocol"], body["protocolVersion"]) == ("A2A", "1.0")
    assert body["authentication"] == {"type": "SIGV4", "service": "bedrock-agentcore"}
    [skill] = body["skills"]
    assert (skill["id"], skill["name"]) == ("fetch_url", "Fetch URL")
    assert skill["description"] == (
        "指定URLのWebコンテンツをテキストとして取得する。SSRFセキュリティ対策済み。"
    )
    assert "text" in body["defaultInputModes"]
    assert "text" in body["defaultOutputModes"]


def test_capabilities_are_true():
    """A1: this agent streams, works in the background and makes files; it sends no notifications."""
    assert _body()["capabilities"] == {
        "streaming": True,
        "pushNotifications": False,
        "extendedAgentCard": False,
        "asyncProcessing": True,
        "attachments": True,
    }
    assert {"text/csv", "application/json", "text/plain"} <= set(_body()["defaultOutputModes"])


def test_both_versions_are_on_one_address():
    interfaces = [
        (i["url"], i["protocolBinding"], i["protocolVersion"]) for i in _body()["supportedInterfaces"]
    ]
    assert interfaces == [(URL, "JSONRPC", "1.0"), (URL, "JSONRPC", "0.3")]
    assert _body()["preferredTransport"] == "JSONRPC"


@pytest.mark.parametrize("authentication", ["none", "api_key", "sigv4"])
def test_the_sdks_client_reads_it(authentication):
    card = parse_agent_card(_body(authentication))
    assert card.supported_interfaces[0].protocol_version == "1.0"
    assert ("apiKey" in card.security_schemes) is (authentication == "api_key")


@pytest.mark.parametrize("authentication", ["none", "api_key"])
def test_signatures_are_asked_for_only_where_the_platform_checks_them(authentication):
    assert "authentication" not in _body(authentication)
