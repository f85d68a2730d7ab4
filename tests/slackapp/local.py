"""A local Slack with our app in it, for tests of what we say there."""

from pydantic import SecretStr

from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.settings import SlackSettings
from slackapp.slack.client import make_client
from tests.slackapp.answers import BOT

TOKEN = "xoxb-test"


def with_app(slack: LocalSlack) -> LocalSlack:
    """The server with our app installed."""
    slack.install(
        App(
            bot_token=TOKEN,
            signing_secret="s",
            app_token="xapp-test",
            bot_user=BOT,
            subscriptions=frozenset(),
        )
    )
    return slack


def client_of(slack: LocalSlack, renew_token=None):
    settings = SlackSettings(slack_bot_token=SecretStr(TOKEN), slack_api_url=slack.api_url)
    return make_client(settings, renew_token)
