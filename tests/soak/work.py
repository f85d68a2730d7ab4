"""A worker from inside: the real app, over Socket Mode or HTTP, until a signal ends it."""

import logging
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection

import anthropic

from fetcher import logs
from fetcher.agent import Answerer, open_agent
from fetcher.settings import AgentSettings, Settings
from fetcher.web.pipeline import Pipeline
from slackapp import PACKAGES
from slackapp.run.http_server import SlackRequestServer
from slackapp.run.socket_mode import open_client
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import SlackSettings
from slackapp.slack import poster
from slackapp.stores import opening
from slackapp.stores.dynamodb import DynamoDBStore, connect
from slackapp.stores.sqlite import SQLiteStore
from slackapp.stores.store import Store
from slackapp.thread import history
from slackapp.work import handler as handle
from tests.soak.web import SoakNetwork
from tests.soak.worker import Plan

READY = (anthropic, handle, history, poster, SQLiteStore)
"""Imported before the fork, so that no worker has to."""
CLOCK_SECONDS = 15.0
"""How long a clock keeps its difference."""
PATIENCE = 20.0
"""Seconds for an answer of DynamoDB's: a busy machine is no reason to suppose that it is gone."""


def work(plan: Plan, name: str, told: Connection) -> None:
    """The life of a worker."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _settle_in(plan, name)
    opening.open_store = _open_patiently
    settings = SlackSettings.model_validate(plan.settings)
    clock = MovingClock(settings.clock_skew_seconds, name)
    lazy_handler = LazyHandler(
        settings,
        environ={},
        open_agent=lambda: _agent(plan),
        clock=clock,
        renew_token=plan.token_file.read_text,
    )
    with ExitStack() as stack:
        running = stack.enter_context(RunningApp(lazy_handler))
        if plan.over_sockets:
            stack.callback(open_client(settings, running.bolt).close)
            told.send("")
        else:
            secret = settings.slack_signing_secret.get_secret_value()
            told.send(stack.enter_context(SlackRequestServer(running.bolt, secret)).url)
        over.wait()


class MovingClock:
    """A clock that is put forward or back now and then; two of them differ by the allowed skew at most."""

    def __init__(self, skew: float, name: str) -> None:
        self._skew = skew
        self._name = name

    def now(self) -> datetime:
        chance = random.Random(f"{self._name}/{int(time.monotonic() / CLOCK_SECONDS)}")
        return datetime.now(UTC) + timedelta(seconds=chance.uniform(-self._skew / 2, self._skew / 2))


def _settle_in(plan: Plan, name: str) -> None:
    os.environ.update(plan.environ)
    tempfile.tempdir = str(plan.home / "tmp")
    log = os.open(plan.home / "logs" / f"{name}.log", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(log, stream.fileno())
    logs.to_stream(logging.INFO, sys.stderr, packages=PACKAGES)


def _open_patiently(settings: SlackSettings, environ: Mapping[str, str] = os.environ) -> Store:
    """The store that the settings name, made for machines with other things to do."""
    if settings.store_kind == "sqlite":
        store: Store = SQLiteStore(settings.sqlite_file, busy_seconds=PATIENCE)
        store.create_tables()
        return store
    return DynamoDBStore(connect(settings, read_seconds=PATIENCE), settings.table_name)


def _agent(plan: Plan) -> Answerer:
    web = Settings.model_validate({"webfetch": {"cache_dir": str(plan.home / "cache"), "enabled": True}})
    network = SoakNetwork(plan.web_port)
    model = {"anthropic_api_key": "sk-soak", "anthropic_base_url": plan.claude_url}
    settings = AgentSettings.model_validate({**model, "model_timeout_seconds": 10})
    return open_agent(settings, web, pipeline=Pipeline(web, resolver=network, dialer=network))
