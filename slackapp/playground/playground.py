"""The whole product on this machine: a local Slack with a page, the real app beside it, a sample site.

The app gets signed requests over HTTP, exactly as from Slack. Its agent reaches the sample site through a
resolver and a dialer of its own, with the address guard fully on; everything else goes to the real web.
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
from slackapp.playground.page.developer_controls import DeveloperControls
from slackapp.playground.page.inspector import Inspector
from slackapp.playground.page.page import AgentDescription, Page
from slackapp.playground.page.redaction import Redaction
from slackapp.playground.page.watched_agent import WatchedAgent
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.run.http_server import SlackRequestServer
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import TABLES, SlackSettings
from slackapp.stores.contract import Store
from slackapp.stores.opening import open_store

if TYPE_CHECKING:
    from fetcher.agent import Answerer

log = logging.getLogger(__name__)

FIRST_PORT = 3000
PORTS = (*range(FIRST_PORT, FIRST_PORT + 10), 0)
"""What is tried in turn when no port is named; the last is whichever is free."""
REPLACED = ("SLACK_", "WHITELIST_", "ACCESS_MODE", "STORE", "SQLITE_PATH")
"""Settings of a real workspace, which have no business here."""
SECRETS = ("ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
KEPT_APART = "playground-"
"""Stands before the names of DynamoDB's tables: a real whitelist must not learn of the sample company."""


class Playground:
    """Everything, while it is entered; what it keeps is gone afterwards, except in DynamoDB."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        port: int | None = None,
        store: str = "",
        dressed: "Callable[[Answerer], Answerer] | None" = None,
    ) -> None:
        """`port` None takes 3000 or the next that is free; `dressed` puts something around the agent."""
        self._environ = environ
        self._ports = PORTS if port is None else (port,)
        self._store_kind = store or "sqlite"
        self._dressed = dressed or (lambda inner: inner)
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
        self.answerer = introduced(self._environ)
        self.slack = listening(page, self._ports)
        exits.callback(self.slack.stop)
        settings = local_settings(
            self._environ,
            api_url=self.slack.api_url,
            token=token,
            secret=secret,
            home=home,
            store=self._store_kind,
        )
        store = _opened(settings, exits)
        site = exits.enter_context(SampleSite())
        lazy_handler = LazyHandler(
            settings, environ=self._environ, open_agent=lambda: self._watched(site.port, home / "cache")
        )
        running = exits.enter_context(RunningApp(lazy_handler))
        server = exits.enter_context(SlackRequestServer(running.bolt, secret))
        self.slack.install(App(bot_token=token, signing_secret=secret, request_url=server.url))

        page.bind(self.slack, lambda inspector: self._controls(inspector, store, settings), self.answerer)
        _warm(lazy_handler, exits)

    def _controls(self, inspector: Inspector, store: Store, settings: SlackSettings) -> DeveloperControls:
        controls = DeveloperControls(slack=self.slack, inspector=inspector, store=store, settings=settings)
        controls.seed()
        return controls

    def _watched(self, port: int, cache: Path) -> "Answerer":
        inner = self._dressed(agent(self._environ, port, cache))
        return WatchedAgent(inner, self.slack.journal.note)


def introduced(environ: Mapping[str, str]) -> AgentDescription:
    """Who answers, as the settings have it. Raises ConfigurationError."""
    configuration.load(environ).require_unattended()
    settings = configuration.load_agent(environ)
    models = {"anthropic": settings.anthropic_model, "bedrock": settings.bedrock_model_id or "Bedrock"}
    return AgentDescription(kind=settings.provider, model=models.get(settings.provider, ""))


def agent(environ: Mapping[str, str], port: int, cache: Path) -> "Answerer":
    """The real agent, for which the sample site is a part of the web."""
    from fetcher.agent import open_agent
    from fetcher.web.network import SystemDialer, SystemResolver
    from fetcher.web.pipeline import Pipeline

    web = configuration.load({**environ, "WEBFETCH_CACHE_DIR": str(cache)})
    network = SampleNetwork(port, resolver=SystemResolver(), dialer=SystemDialer())
    pipeline = Pipeline(web, resolver=network, dialer=network)
    return open_agent(configuration.load_agent(environ), web, pipeline=pipeline)


def local_settings(
    environ: Mapping[str, str], *, api_url: str, token: str, secret: str, home: Path, store: str
) -> SlackSettings:
    """The app's settings with the local Slack in place of the real one. Raises ConfigurationError."""
    kept = {name: value for name, value in environ.items() if not name.startswith(REPLACED)}
    own_tables = {f"{table.upper()}_TABLE" for table in TABLES}
    kept = {name: value for name, value in kept.items() if name not in own_tables}
    local = {
        "SLACK_BOT_TOKEN": token,
        "SLACK_SIGNING_SECRET": secret,
        "SLACK_API_URL": api_url,
        "STORE": store,
        "SQLITE_PATH": str(home / "store.sqlite3"),
        "DYNAMODB_TABLE_PREFIX": environ.get("DYNAMODB_TABLE_PREFIX", "") + KEPT_APART,
    }
    return slack_settings.load(kept | local)


def _opened(settings: SlackSettings, exits: ExitStack) -> Store:
    """A hand of our own on the app's store. Raises StoreError."""
    store = open_store(settings, {})
    exits.callback(store.close)
    store.create_tables()
    return store


def listening(page: Page, ports: tuple[int, ...]) -> LocalSlack:
    """A local Slack on the first of these ports that is free."""
    for port in ports:
        slack = LocalSlack(port=port, routes=page.routes())
        try:
            return slack.start()
        except OSError as error:
            slack.stop()
            log.info("port_taken", extra={"fields": {"port": port, "error": str(error)}})
    raise PortTaken(ports[0])


def _warm(lazy_handler: LazyHandler, exits: ExitStack) -> None:
    """Builds the app's handler ahead of the first question, which would wait for it."""
    thread = threading.Thread(target=lazy_handler.get, name="warm-up", daemon=True)
    thread.start()
    exits.callback(thread.join)
