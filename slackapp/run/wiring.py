"""Connects store, guard, poster, agent and sweeper to one Bolt app."""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

from slack_bolt import App

from fetcher.clock import Clock, SystemClock, zone_named
from slackapp.app import Credentials, build_app
from slackapp.work.held_leases import HeldLeases

if TYPE_CHECKING:
    from fetcher.agent import Answerer
    from slackapp.run.health import HealthCheck
    from slackapp.settings import SlackSettings
    from slackapp.stores.store import Store
    from slackapp.work.handler import QuestionHandler

THREADS_A_WORKER = 3
"""Questions that wait for a slot show so in a thread of their own; more of them wait in the queue."""

SWITCH_SECONDS = 0.001
"""How long a thread may keep Python's lock from others. With the usual five milliseconds, threads that answer
delay those that claim, and acknowledgements take several times as long (`bench/acknowledging.py`)."""
DECIDE_SECONDS = 1.0
"""For look-up and claim together, before the acknowledgement: Slack waits three seconds."""


class LazyHandler:
    """Builds the question handler on first use, so that acknowledging a request on Lambda never loads the
    store, the agent or the Slack client."""

    def __init__(
        self,
        settings: "SlackSettings",
        *,
        environ: Mapping[str, str] = os.environ,
        open_agent: "Callable[[], Answerer] | None" = None,
        clock: Clock | None = None,
        renew_token: Callable[[], str] | None = None,
    ) -> None:
        self.settings = settings
        self._renew_token = renew_token
        self._environ = environ
        self._open_agent = open_agent or (lambda: open_agent_from(environ))
        self._clock = clock or SystemClock()
        self.held = HeldLeases(settings.heartbeat_seconds)
        self._lock = threading.Lock()
        self._handler: QuestionHandler | None = None
        self._store: Store | None = None
        self.interrupt: Callable[[], None] = lambda: None
        """Cancels the agent's work, if there is any; another process continues it."""

    def get(self) -> "QuestionHandler":
        """The handler; the first caller waits until it is built."""
        with self._lock:
            if self._handler is None:
                self._handler = self._build()
            return self._handler

    @property
    def store(self) -> "Store":
        """The store of the handler."""
        self.get()
        assert self._store is not None  # opened with the handler
        return self._store

    @cached_property
    def health(self) -> "HealthCheck":
        """What this process knows about itself."""
        from slackapp.run.health import HealthCheck

        return HealthCheck(self.settings, self._environ, clock=self._clock)

    def close(self) -> None:
        """Close the store, when no thread uses it any more."""
        self.held.close()
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._handler = self._store = self.health.store = None

    def _build(self) -> "QuestionHandler":
        from fetcher import configuration
        from fetcher.agent import limits_of
        from slackapp.guard import Guard
        from slackapp.slack.client import BotIdentity, make_client
        from slackapp.slack.poster import Poster
        from slackapp.slack.shared_files import SharedFiles
        from slackapp.stores.opening import open_store
        from slackapp.thread.history import History
        from slackapp.thread.linked_messages import LinkedMessages
        from slackapp.thread.locales import Locales
        from slackapp.thread.thread_record import ThreadRecord
        from slackapp.work.agent_runs import Bridge, Runs
        from slackapp.work.dependencies import Dependencies
        from slackapp.work.follow_ups import FollowUps
        from slackapp.work.handler import QuestionHandler
        from slackapp.work.lease import ClaimKeeper

        require_unattended(self._environ)
        settings, clock = self.settings, self._clock
        limits = limits_of(configuration.load_agent(self._environ))  # wrong settings open no store
        store = self._store = self.health.store = open_store(settings, self._environ)
        client = make_client(settings, self._renew_token)
        identity = BotIdentity(client)
        history = History(
            client,
            store,
            clock=clock,
            messages=settings.history_messages,
            cache_seconds=settings.existence_cache_seconds,
            identity=identity,
        )
        bridge = Bridge(self._open_agent)
        self.interrupt = bridge.close
        return QuestionHandler(
            Dependencies(
                settings=settings,
                store=store,
                guard=Guard(store, settings, client, clock),
                keeper=ClaimKeeper(store, settings, clock, held=self.held),
                poster=Poster(client, identity=identity),
                history=history,
                locales=Locales(client, store, clock=clock, cache_seconds=settings.existence_cache_seconds),
                follow_ups=FollowUps(store, settings, clock),
                thread_record=ThreadRecord(store, clock, days=settings.thread_days),
                runs=Runs(bridge, threading.BoundedSemaphore(settings.slack_workers), limits),
                shared_files=SharedFiles(client),
                linked_messages=LinkedMessages(
                    client, identity, history.names, zone_named(settings.timezone)
                ),
                directory=client,
                identity=identity,
                clock=clock,
                health=self.health.now,
            )
        )


class RunningApp:
    """The Bolt app with its handler and its sweeper, outside Lambda."""

    def __init__(
        self,
        lazy_handler: LazyHandler,
        *,
        executor: Executor | None = None,
        decide_seconds: float = DECIDE_SECONDS,
    ) -> None:
        from slackapp.work.acceptance import ClaimFirst
        from slackapp.work.sweep import Sweeper

        settings = lazy_handler.settings
        threads = THREADS_A_WORKER * settings.slack_workers
        self._executor = executor or ThreadPoolExecutor(threads, thread_name_prefix="slack")
        self._sweeper = Sweeper(
            lazy_handler.get,
            self._executor,
            every=settings.sweep_seconds,
            on_round=lazy_handler.health.note_sweep,
        )
        self._acceptance = ClaimFirst(
            lazy_handler.get,
            self._executor,
            decide_seconds=decide_seconds,
            pursue_seconds=settings.heartbeat_seconds,
        )
        lazy_handler.held.on_beat = self._acceptance.queue.release_aged
        self.lazy_handler = lazy_handler
        credentials = Credentials(
            bot_token=settings.slack_bot_token.get_secret_value(),
            signing_secret=settings.slack_signing_secret.get_secret_value(),
            read_reaction=settings.read_reaction,
        )
        self.bolt: App = build_app(
            credentials, lazy_handler.get, acceptance=self._acceptance, executor=self._executor
        )

    def __enter__(self) -> "RunningApp":
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_SECONDS)
        self.lazy_handler.health.errors.attach()
        self.lazy_handler.health.note_start_of_sweeps()
        self._sweeper.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Questions that still wait are released; another process answers them."""
        self._sweeper.stop()
        self._acceptance.close()
        self.lazy_handler.interrupt()
        self._executor.shutdown()
        self.lazy_handler.close()
        self.lazy_handler.health.errors.detach()
        sys.setswitchinterval(self._switch_seconds)


def open_agent_from(environ: Mapping[str, str]) -> "Answerer":
    """The agent that the settings name: in this process, or a remote one."""
    from fetcher import configuration
    from fetcher.agent import load_remote, open_answerer

    settings = configuration.load_agent(environ)
    web = configuration.load_unattended(environ).with_web_defaults(cache_forget_withdrawn=True)  # E30
    return open_answerer(settings, web, load_remote(environ))


def require_unattended(environ: Mapping[str, str]) -> None:
    """Raise ConfigurationError if this process reads pages, but only after a person approves each."""
    from fetcher import configuration
    from fetcher.agent import load_remote

    if not load_remote(environ).agent_remote:
        web = configuration.load_unattended(environ)
        web.webfetch.security.log_overrides()
        web.require_unattended()
