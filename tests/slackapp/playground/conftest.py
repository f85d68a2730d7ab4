"""A local Slack with a clock that does not move, one installed app, and its client."""

import pytest
from slack_sdk import WebClient

from slackapp.playground.server import LocalSlack
from tests.slackapp.playground.apps import TOKEN, ScriptedApp, install_app


@pytest.fixture
def slack(clock):
    """Deliveries fail until a test installs an app with an address."""
    with LocalSlack(clock=clock, own_events=False, ack_timeout=2.0) as running:
        install_app(running)
        yield running


@pytest.fixture
def client(slack):
    return WebClient(TOKEN, base_url=slack.api_url)


@pytest.fixture
def app(slack):
    """An app that says 200 to everything, with an address."""
    with ScriptedApp() as scripted:
        install_app(slack, scripted.url)
        yield scripted


@pytest.fixture
def root(slack):
    """A message of Tanaka's in #general."""
    return slack.say("U0TANAKA", "general", "こんにちは", deliver=False)
