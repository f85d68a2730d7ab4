"""A page on a local Slack, and requests to it as a browser sends them."""

import contextlib
import http.client
import json
from urllib.parse import urlsplit

from slackapp.playground.page.conditions import Conditions
from slackapp.playground.page.developer_controls import DeveloperControls
from slackapp.playground.page.page import AgentDescription, Page
from slackapp.playground.page.redaction import Redaction
from slackapp.playground.server import LocalSlack
from slackapp.settings import SlackSettings
from slackapp.stores.sqlite import SQLiteStore
from tests.slackapp.playground.apps import SECRET, TOKEN, ScriptedApp, install_app


class RunningPage:
    """The page with its local Slack, its store and a scripted app; asks as the page's own scripts do."""

    def __init__(self, slack: LocalSlack, store: SQLiteStore, app: ScriptedApp) -> None:
        self.slack, self.store, self.app = slack, store, app

    @property
    def host(self) -> str:
        return urlsplit(self.slack.base_url).netloc

    def ask(self, path, verb="GET", body=b"", **headers):
        """The status, the headers and the body of an answer."""
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=5)) as connection:
            connection.request(
                verb, path, body, {name.replace("_", "-"): value for name, value in headers.items()}
            )
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def read(self, path):
        status, _, body = self.ask(path)
        assert status == 200, body
        return json.loads(body)

    def act(self, action, /, **fields):
        """The status and the body of the answer to an action."""
        sent = json.dumps(fields).encode()
        path = f"/playground/act/{action}"
        status, _, body = self.ask(
            path, "POST", sent, Content_Type="application/json", Origin=f"http://{self.host}"
        )
        return status, json.loads(body)

    @contextlib.contextmanager
    def events(self, position):
        """The lines of the page's events after a position."""
        with contextlib.closing(http.client.HTTPConnection(self.host, timeout=5)) as connection:
            connection.request("GET", f"/playground/events?after={position}")
            yield connection.getresponse()


@contextlib.contextmanager
def running_page(path, **settings):
    """A page whose users are on the whitelist, in a store in this directory."""
    page = Page(redaction=Redaction([TOKEN, SECRET]))
    store = SQLiteStore(path / "store.sqlite3")
    store.create_tables()
    with LocalSlack(routes={"/": page.answer}, own_events=False) as slack, ScriptedApp() as app:
        install_app(slack, app.url)

        def open_controls(inspector):
            controls = DeveloperControls(
                conditions=Conditions(slack=slack),
                slack=slack,
                inspector=inspector,
                store=store,
                settings=SlackSettings(**settings),
            )
            controls.seed_whitelist()
            return controls

        page.bind(slack, open_controls, AgentDescription(kind="offline"))
        yield RunningPage(slack, store, app)
    store.close()


def next_event(response):
    """The next event of a stream as (its id, its name, its data), heartbeats left out."""
    fields: dict[str, str] = {}
    while line := response.readline().decode():
        if line == "\n" and "data" in fields:
            return fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"])
        name, _, value = line.rstrip("\n").partition(": ")
        fields[name] = value
    return None
