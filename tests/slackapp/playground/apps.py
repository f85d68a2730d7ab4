"""Apps that use the local Slack: one that answers from a script, and real Bolt."""

import json
from urllib.parse import parse_qsl

import pytest
from slack_bolt import App as Bolt
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from slackapp.playground.http import Reply, Request, RoutingServer
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App

TOKEN = "xoxb-local"
SECRET = "signing secret"
APP_TOKEN = "xapp-local"


class ScriptedApp:
    """Keeps its requests, and answers with the next reply of its script, or with 200."""

    def __init__(self, *replies: Reply) -> None:
        self.requests: list[Request] = []
        self._replies = list(replies)
        self._server = RoutingServer("127.0.0.1", 0, {"/": self._answer})

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.stop()

    @property
    def url(self) -> str:
        return f"{self._server.base_url}slack/events"

    @property
    def bodies(self):
        return [json.loads(request.body) for request in self.requests]

    @property
    def forms(self):
        return [dict(parse_qsl(request.body.decode())) for request in self.requests]

    def _answer(self, request: Request) -> Reply:
        self.requests.append(request)
        return self._replies.pop(0) if self._replies else Reply()


def install_app(slack: LocalSlack, request_url: str = "", **fields) -> App:
    return slack.install(
        App(
            bot_token=TOKEN,
            signing_secret=SECRET,
            app_token=APP_TOKEN,
            request_url=request_url,
            **fields,
        )
    )


def bolt_for(slack: LocalSlack) -> Bolt:
    client = WebClient(TOKEN, base_url=slack.api_url)
    return Bolt(client=client, signing_secret=SECRET, raise_error_for_unhandled_request=False)


def error_of(call, *arguments, **named) -> str:
    """The error with which Slack refuses a call of the client."""
    with pytest.raises(SlackApiError) as caught:
        call(*arguments, **named)
    return str(caught.value.response["error"])
