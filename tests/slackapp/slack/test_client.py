"""A token that changes while the app runs; what else the clients do is in `test_poster.py`."""

from dataclasses import replace

import pytest
from slack_sdk.errors import SlackApiError

from slackapp.playground.server import LocalSlack
from slackapp.slack.client import NoFence, fenced
from tests.slackapp.local import TOKEN, client_of, with_app


@pytest.fixture
def slack():
    with LocalSlack() as local:
        yield with_app(local)


def test_a_token_that_is_refused_is_renewed_once_for_all(slack):
    """A file is downloaded with the first client's token, so that has to be the new one too."""
    asked = []

    def renew() -> str:
        asked.append(True)
        return "xoxb-new"

    client = client_of(slack, renew)
    early = fenced(client, NoFence())
    slack.install(replace(slack.app, bot_token="xoxb-new"))
    assert early.auth_test()["ok"]
    assert fenced(client, NoFence()).auth_test()["ok"]
    assert (client.token, len(asked)) == ("xoxb-new", 1)


def test_a_token_that_is_refused_and_has_no_successor_is_an_error(slack):
    client = client_of(slack, lambda: TOKEN)
    slack.install(replace(slack.app, bot_token="xoxb-new"))
    for each in (client, fenced(client, NoFence())):
        with pytest.raises(SlackApiError, match="invalid_auth"):
            each.auth_test()
