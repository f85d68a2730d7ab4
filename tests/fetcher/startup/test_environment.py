"""Variables of the environment that are nearly, but not quite, settings."""

import itertools

import pytest

from fetcher import configuration
from fetcher.a2a.settings import A2ASettings
from fetcher.agent.remote.agent import RemoteSettings
from fetcher.invoke.settings import InvokeSettings
from fetcher.settings import AgentSettings, ConfigurationError
from fetcher.startup import environment
from slackapp.settings import SlackSettings, load

MODELS = (SlackSettings, AgentSettings, RemoteSettings, A2ASettings, InvokeSettings)
NAMES = sorted({name.upper() for model in MODELS for name in environment.settable(model)})


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("ACCES_MODE", "ACCESS_MODE"),
        ("ACESS_MODE", "ACCESS_MODE"),
        ("ACCESSMODE", "ACCESS_MODE"),
        ("ACCESS_MDOE", "ACCESS_MODE"),
        ("access_mode", "ACCESS_MODE"),
        ("ACCESS-MODE", "ACCESS_MODE"),
        ("WHITELIST_TEAM_ID", "WHITELIST_TEAM_IDS"),
        ("WHITE_LIST_TEAM_IDS", "WHITELIST_TEAM_IDS"),
        ("WHITLIST_CHANEL_IDS", "WHITELIST_CHANNEL_IDS"),
        ("SLACK_BOT_TOKN", "SLACK_BOT_TOKEN"),
        ("SLAKC_BOT_TOKEN", "SLACK_BOT_TOKEN"),
        ("SLACK_BOT_TOKENS", "SLACK_BOT_TOKEN"),
        ("RATELIMIT_PER_MINUTE", "RATE_LIMIT_PER_MINUTE"),
        ("DAILY_TOKEN_TOTAL", "DAILY_TOKENS_TOTAL"),
        ("FOLLOWUPS", "FOLLOW_UPS"),
        ("Store", "STORE"),
    ],
)
def test_a_misspelt_setting_is_an_error_that_names_the_right_one(variable, meant):
    with pytest.raises(ConfigurationError, match=f"{variable} is not a setting. Did you mean {meant}\\?"):
        load({variable: "open"})


@pytest.mark.parametrize(
    "variable",
    [
        "SLACK_API_TOKEN",
        "SLACK_TOKEN",
        "SLACK_WEBHOOK_URL",
        "SLACK_CLIENT_ID",
        "SLACK_BOT_TOKEN_2",
        "WHITELIST",
        "TEAM_IDS",
        "SLACK_BOT_TOKEN_A",
        "X_SLACK_BOT_TOKEN",
        "ACCESS_TOKEN",
        "ACCESS_CODE",
        "APP_STATE",
        "AWS_STAGE",
        "STORES",
        "SCORE",
        "STORE_URL",
        "TIME_ZONE",
        "AWS_MAX_ATTEMPTS",
        "AWS_REGION",
        "RATE_LIMIT",
        "HEARTBEAT",
        "_",
        "S",
    ],
)
def test_a_variable_of_another_program_stops_nothing(variable):
    """Also if it begins or ends like one of ours."""
    assert load({variable: "x"}) == SlackSettings()


def test_an_address_without_its_scheme_is_told():
    """Else every call fails, as if the network were down."""
    with pytest.raises(ConfigurationError, match="ANTHROPIC_BASE_URL: must begin with https://"):
        configuration.load_agent({"ANTHROPIC_BASE_URL": "gateway.example/claude"})


def test_an_empty_variable_is_no_setting():
    assert load({"ACCES_MODE": " "}) == SlackSettings()


def test_every_mistake_is_told_without_its_value():
    with pytest.raises(ConfigurationError) as told:
        load({"SLACK_BOT_TOKN": "xoxb-secret", "ACCES_MODE": "open"})
    assert str(told.value).count("Did you mean") == 2
    assert "secret" not in str(told.value)


def test_no_setting_is_taken_for_another_one():
    """Each part of the program reads its own settings, in an environment with those of the others."""
    for name, other in itertools.permutations(NAMES, 2):
        environment.refuse_misspelt({name: "x"}, [other])


@pytest.mark.parametrize(
    ("read", "variable", "meant"),
    [
        (configuration.load_agent, "AGENT_ALLOWED_DOMAIN", "AGENT_ALLOWED_DOMAINS"),
        (configuration.load, "WEBFETCH_TIMEOUT_SECOND", "WEBFETCH_TIMEOUT_SECONDS"),
        (configuration.load, "WEBFETCH_SECURITY__ALLOWED_PORT", "WEBFETCH_SECURITY__ALLOWED_PORTS"),
    ],
)
def test_unknown_settings_of_the_engine_and_the_agent_name_the_nearest(read, variable, meant):
    with pytest.raises(ConfigurationError, match=rf"{variable} \(did you mean {meant}\?\)"):
        read({variable: "1"})
