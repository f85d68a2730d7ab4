"""How the server may be reached, and by whom."""

import pytest

from fetcher.a2a.settings import A2ASettings, load
from fetcher.settings import ConfigurationError


def test_the_defaults_are_the_documents():
    settings = load({})
    assert (settings.authentication, settings.card_url(9000)) == ("none", "http://localhost:9000")


def test_the_card_has_the_address_that_the_platform_gives():
    url = "https://bedrock-agentcore.ap-northeast-1.amazonaws.com/runtimes/x/invocations/"
    assert load({"AGENTCORE_RUNTIME_URL": url}).card_url(9000) == url


@pytest.mark.parametrize(
    ("environ", "how"),
    [
        ({}, "none"),
        ({"A2A_API_KEY": "k"}, "api_key"),
        ({"A2A_API_KEY": " "}, "none"),
        ({"A2A_API_KEY": "k", "A2A_AUTHENTICATION": "api_key"}, "api_key"),
        ({"A2A_AUTHENTICATION": "sigv4"}, "sigv4"),
        ({"A2A_AUTHENTICATION": "none"}, "none"),
    ],
)
def test_authentication_is_what_was_said_or_the_key(environ, how):
    assert load(environ).authentication == how


@pytest.mark.parametrize(
    "environ",
    [
        {"A2A_AUTHENTICATION": "api_key"},
        {"A2A_AUTHENTICATION": "none", "A2A_API_KEY": "k"},
        {"A2A_AUTHENTICATION": "basic"},
        {"A2A_API_KEY": "鍵"},
        {"A2A_MAX_TASKS": "0"},
        {"A2A_MAX_TASKS": "many"},
        {"A2A_API_KEYS": "k"},
        {"AGENTCORE_RUNTIME_URL": "localhost:9000"},
        {"AGENTCORE_RUNTIME_URL": "ftp://a.example/"},
    ],
)
def test_settings_that_make_no_sense_are_refused_and_no_key_is_shown(environ):
    with pytest.raises(ConfigurationError) as refused:
        load(environ)
    assert "鍵" not in str(refused.value)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.5", "example.com", "", "8.8.8.8"])
@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        ({}, True),
        ({"a2a_api_key": "k"}, False),
        ({"a2a_authentication": "sigv4"}, False),
        ({"a2a_authentication": "none"}, False),
    ],
)
def test_a_public_address_needs_authentication_or_the_word_that_none_is_wanted(host, settings, refused):
    chosen = A2ASettings.model_validate(settings)
    if refused:
        with pytest.raises(ConfigurationError, match="can be reached from outside"):
            chosen.check_binding(host)
    else:
        chosen.check_binding(host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_none(host):
    A2ASettings().check_binding(host)
