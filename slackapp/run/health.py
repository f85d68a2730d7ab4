"""What a process knows about itself, collected and served: `/healthz` (ready), `/healthz/live` (alive)."""

import json
import logging
import re
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from fetcher.clock import Clock, SystemClock
from fetcher.loopback import LocalHandler, LocalServer
from fetcher.settings import ConfigurationError
from slackapp import PACKAGES
from slackapp.health import Health
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.store import Store

PROBE = "health"
"""A name that is looked up in the store; it never exists."""
FRESH = timedelta(seconds=2)
"""For so long an answer of the store counts: callers of the address must not become a load for it."""
MOST_CONNECTIONS = 50
"""The address may be reachable by others: they must not take the threads of the process."""
GRACE = timedelta(minutes=5)
"""How much later than planned a round of the sweeper may end."""


class HealthCheck:
    """What one process knows about itself; one instance per process. Threads may share it."""

    def __init__(
        self, settings: SlackSettings, environ: Mapping[str, str], *, clock: Clock | None = None
    ) -> None:
        self._settings, self._environ, self._clock = settings, environ, clock or SystemClock()
        self.store: Store | None = None
        """None until it is open."""
        self.is_connected: Callable[[], bool] | None = None
        """Whether the socket to Slack is open; None if there is none."""
        self._store_answers = False
        self._store_asked_at: datetime | None = None
        self._lock = threading.Lock()
        self._sweeping_since: datetime | None = None
        self._round_at: datetime | None = None
        self._swept_at: datetime | None = None
        self._answerer: tuple[str, str] | None = None
        """The model and the browser, once they are looked up."""
        self.errors = _LastError()

    def note_start_of_sweeps(self) -> None:
        """From now on rounds are expected."""
        self._sweeping_since = self._clock.now()

    def note_sweep(self, succeeded: bool) -> None:
        """A round has ended."""
        self._round_at = self._clock.now()
        if succeeded:
            self._swept_at = self._round_at

    def now(self, *, ask_store: bool = True) -> Health:
        """The health at this moment; without asking the store it says what the store did last.

        Raises ConfigurationError if the settings are wrong.
        """
        now, since = self._clock.now(), self._sweeping_since
        latest = timedelta(seconds=self._settings.sweep_seconds) + GRACE
        self._answerer = self._answerer or (model_of(self._environ), browser_of(self._environ))
        model, browser = self._answerer
        return Health(
            at=now,
            store=self._settings.store_kind,
            store_answers=self._ask_store(now) if ask_store else self._store_answers,
            socket_connected=self.is_connected() if self.is_connected else None,
            swept_at=self._swept_at,
            sweep_overdue=since is not None and now - (self._swept_at or since) > latest,
            sweeper_stuck=since is not None and now - (self._round_at or since) > latest,
            last_error=self.errors.event,
            last_error_at=self.errors.at,
            model=model,
            browser=browser,
        )

    def _ask_store(self, now: datetime) -> bool:
        with self._lock:
            if self.store is None:
                return False
            if self._store_asked_at is None or not timedelta(0) <= now - self._store_asked_at < FRESH:
                try:
                    self.store.cached_values({PROBE}, now=now.timestamp())
                    self._store_answers = True
                except StoreUnavailable:
                    self._store_answers = False
                self._store_asked_at = now
            return self._store_answers


def model_of(environ: Mapping[str, str]) -> str:
    """Who answers questions, as the settings say; raises ConfigurationError."""
    from fetcher import configuration
    from fetcher.agent import load_remote
    from fetcher.agent.model.claude import BEDROCK_MODEL

    if load_remote(environ).agent_remote:
        return "agentcore"
    settings = configuration.load_agent(environ)
    models = {"anthropic": settings.anthropic_model, "bedrock": settings.bedrock_model_id or BEDROCK_MODEL}
    model = models.get(settings.provider, "")
    return f"{settings.provider}:{model}" if model else settings.provider


def browser_of(environ: Mapping[str, str]) -> str:
    """The path of the Chromium that pages are shown with; empty if there is none."""
    from fetcher import configuration
    from fetcher.web.browser import command_line
    from fetcher.web.errors import BrowserUnavailable

    settings = configuration.load(environ).webfetch.browser
    try:
        return command_line.find(settings.chromium_path) if settings.enabled else ""
    except BrowserUnavailable:
        return ""


class _LastError(logging.Handler):
    """Remembers the last line of level error of our packages, from `attach` to `detach`."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.event = ""
        self.at: datetime | None = None

    def emit(self, record: logging.LogRecord) -> None:
        # Other programs log sentences, which may quote anything; ours log the names of events.
        message = record.getMessage()
        self.event = message if re.fullmatch("[a-z_]{1,60}", message) else record.name
        self.at = datetime.fromtimestamp(record.created).astimezone()

    def attach(self) -> None:
        for package in PACKAGES:
            logging.getLogger(package).addHandler(self)

    def detach(self) -> None:
        for package in PACKAGES:
            logging.getLogger(package).removeHandler(self)


class HealthServer(LocalServer):
    """Serves the health at an address such as `127.0.0.1:8080`; raises ConfigurationError if it is taken."""

    def __init__(self, address: str, check: HealthCheck) -> None:
        class Handler(LocalHandler):
            longest = 5.0  # a caller that sends nothing, or a byte a second, must not keep a thread

            def do_GET(self) -> None:  # noqa: N802  # the name of the base class
                path = self.path.partition("?")[0]
                if path not in ("/healthz", "/healthz/live"):
                    return self.reply(404, {}, b"")
                # Whether a process is alive must not wait for a store that hangs.
                is_about_life = path == "/healthz/live"
                health = check.now(ask_store=not is_about_life)
                works = health.is_live if is_about_life else health.is_ready
                headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
                return self.reply(200 if works else 503, headers, json.dumps(health.as_json()).encode())

            do_HEAD = do_GET  # noqa: N815  # the name of the base class

        host, _, port = address.rpartition(":")
        super().__init__(Handler, name="health", host=host, port=int(port), most_connections=MOST_CONNECTIONS)
        self._address = address

    def __enter__(self) -> "HealthServer":
        try:
            return self.start()
        except (OSError, OverflowError) as error:  # OverflowError: no such port
            raise ConfigurationError(f"HEALTH_ADDRESS: {self._address} cannot be used ({error}).") from error
