"""The whole product on this machine: a local Slack with a page, the real app, and a sample site.

The app gets signed requests over HTTP, as from Slack, or over Socket Mode if the page says so. Its agent
reaches the sample site through a resolver and a dialer of its own, with the address guard on; all other
addresses lead to the real web.
"""

import logging
import secrets
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from fetcher import configuration
from fetcher.sample import SampleNetwork, SampleSite
from slackapp import settings as slack_settings
from slackapp.playground.errors import PortTaken
from slackapp.playground.page.conditions import Conditions
from slackapp.playground.page.developer_controls import DeveloperControls
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.page.page import AgentDescription, Page
from slackapp.playground.page.redaction import Redaction
from slackapp.playground.page.watched_agent import WatchedAgent
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.run.http_server import SlackRequestServer
from slackapp.run.socket_mode import make_socket
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import TABLES, SlackSettings
from slackapp.stores.opening import open_store

if TYPE_CHECKING:
    from fetcher.agent import Answerer

log = logging.getLogger(__name__)

FIRST_PORT = 3000
PORTS = (*range(FIRST_PORT, FIRST_PORT + 10), 0)
"""Ports to try in turn when none is named; 0 is any free port."""
REPLACED = ("SLACK_", "WHITELIST_", "ACCESS_MODE", "STORE", "SQLITE_PATH")
"""Beginnings of settings that belong to a real workspace and are not used here."""
SECRETS = ("ANTHROPIC_API_KEY", "SEARCH_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
READ_REACTION = "newspaper"
TABLE_PREFIX = "playground-"
"""Separates the DynamoDB tables from real ones: a real whitelist must not get the sample company."""


class Playground:
    """A context manager that opens all parts; nothing they store remains, except in DynamoDB."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        port: int | None = None,
        store: str = "",
        wrap_agent: "Callable[[Answerer], Answerer] | None" = None,
    ) -> None:
        """Without `port` it takes 3000 or the next free one; `wrap_agent` may change the agent."""
        self._environ = environ
        self._ports = PORTS if port is None else (port,)
        self._store_kind = store or "sqlite"
        self._wrap_agent = wrap_agent or (lambda agent: agent)
        self._exits = ExitStack()

    def __enter__(self) -> "Playground":
        with ExitStack() as exits:
            self._open(exits)
            self._exits = exits.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._exits.close()

    @property
    def url(self) -> str:
        return self.slack.base_url

    def _open(self, exits: ExitStack) -> None:
        home = Path(exits.enter_context(tempfile.TemporaryDirectory(prefix="playground-")))
        token, secret = f"xoxb-{secrets.token_hex(16)}", secrets.token_hex(16)
        known = [token, secret, *(self._environ.get(name, "") for name in SECRETS)]
        page = Page(redaction=Redaction(known))
        self.agent = agent_description(self._environ)
        self.slack = start_slack(page, self._ports)
        exits.callback(self.slack.stop)
        settings = local_settings(
            self._environ,
            api_url=self.slack.api_url,
            token=token,
            secret=secret,
            home=home,
            store=self._store_kind,
        )
        store = open_store(settings, {})  # besides the store that the app opens for itself
        exits.callback(store.close)
        store.create_tables()
        site = exits.enter_context(SampleSite())

        def open_agent() -> "Answerer":
            agent = open_sample_agent(self._environ, site.port, home / "cache")
            return WatchedAgent(self._wrap_agent(agent), self.slack.activity.record)

        handler = LazyHandler(settings, environ=self._environ, open_agent=open_agent)
        running = exits.enter_context(RunningApp(handler))
        server = exits.enter_context(SlackRequestServer(running.bolt, secret))
        app_token = settings.slack_app_token.get_secret_value()
        self.slack.install(
            App(bot_token=token, signing_secret=secret, app_token=app_token, request_url=server.url)
        )
        conditions = Conditions(slack=self.slack, open_socket=lambda: make_socket(settings, running.bolt))
        exits.callback(conditions.close)

        def open_controls(inspector: Inspector) -> DeveloperControls:
            controls = DeveloperControls(self.slack, inspector, store, settings, conditions)
            controls.seed_whitelist()
            return controls

        page.bind(self.slack, open_controls, self.agent)
        # The first question would otherwise wait until the handler is open.
        warm_up = threading.Thread(target=handler.get, name="warm-up", daemon=True)
        warm_up.start()
        exits.callback(warm_up.join)


def agent_description(environ: Mapping[str, str]) -> AgentDescription:
    """The agent that the settings choose. Raises ConfigurationError."""
    configuration.load_unattended(environ).require_unattended()
    settings = configuration.load_agent(environ)
    models = {"anthropic": settings.anthropic_model, "bedrock": settings.bedrock_model_id or "Bedrock"}
    return AgentDescription(kind=settings.provider, model=models.get(settings.provider, ""))


def open_sample_agent(environ: Mapping[str, str], port: int, cache: Path) -> "Answerer":
    """Opens the real agent on a network that also has the sample site, and a search over that site."""
    from fetcher.agent import open_agent
    from fetcher.sample.search import SampleSearch
    from fetcher.web.net.network import SystemDialer, SystemResolver
    from fetcher.web.pipeline import Pipeline

    web = configuration.load_unattended({**environ, "WEBFETCH_CACHE_DIR": str(cache)})
    web = web.with_web_defaults(cache_forget_withdrawn=True)
    network = SampleNetwork(port, resolver=SystemResolver(), dialer=SystemDialer())
    pipeline = Pipeline(web, resolver=network, dialer=network)
    settings = configuration.load_agent(environ)
    search = None if settings.search_provider else SampleSearch()
    return open_agent(settings, web, pipeline=pipeline, search=search)


def local_settings(
    environ: Mapping[str, str], *, api_url: str, token: str, secret: str, home: Path, store: str
) -> SlackSettings:
    """The app's settings with the local Slack in place of the real one. Raises ConfigurationError."""
    table_names = {f"{table.upper()}_TABLE" for table in TABLES}
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(REPLACED) and name not in table_names
    }
    local = {
        "READ_REACTION": environ.get("READ_REACTION") or READ_REACTION,
        "SLACK_BOT_TOKEN": token,
        "SLACK_SIGNING_SECRET": secret,
        "SLACK_APP_TOKEN": f"xapp-{secret}",
        "SLACK_API_URL": api_url,
        "STORE": store,
        "SQLITE_PATH": str(home / "store.sqlite3"),
        "DYNAMODB_TABLE_PREFIX": environ.get("DYNAMODB_TABLE_PREFIX", "") + TABLE_PREFIX,
    }
    return slack_settings.load(kept | local)


def start_slack(page: Page, ports: tuple[int, ...]) -> LocalSlack:
    """Starts a local Slack on the first free port. Raises PortTaken."""
    for port in ports:
        slack = LocalSlack(port=port, routes={"/": page.answer})
        try:
            return slack.start()
        except OSError as error:
            slack.stop()
            log.info("port_taken", extra={"fields": {"port": port, "error": str(error)}})
    raise PortTaken(ports[0])
