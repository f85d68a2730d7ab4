"""A local Slack, and our app in it with a store and an agent, for whole stories over real sockets."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Self

from fetcher.agent import Answer, Answerer, AskRequest, Progress, Step, open_agent
from fetcher.clock import Clock, SystemClock
from fetcher.sample import SampleNetwork
from fetcher.settings import AgentSettings, Settings
from fetcher.web.pipeline import Pipeline
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App, Json
from slackapp.run.http_server import SlackRequestServer
from slackapp.run.wiring import LazyHandler, RunningApp
from slackapp.settings import SlackSettings
from slackapp.slack.message import mark_of, mark_payload
from slackapp.stores.store import Store
from slackapp.work.sweep import AT_ONCE, sweep
from tests.fakes.claude import FakeClaude
from tests.slackapp.traffic import Traffic

TOKEN, SECRET = "xoxb-stage", "stage-secret"
USER, CHANNEL, TEAM = "U0TANAKA", "C0GENERAL", "T0LOCAL"
QUICK = {"settle_seconds": 0.01, "patience_seconds": 0.01, "late_file_seconds": 0.01}
"""Slack is not waited for."""
OPEN = {"access_mode": "open", "rate_limit_per_minute": 6000, "rate_limit_burst": 6000, **QUICK}
"""Anybody may ask, as often as they like."""
PATIENCE = 20.0
"""Seconds for a decision: the machine may be busy, and few tests are about that."""
ANSWER = Answer(text="コーヒー豆は**1,200円**です。")


def settings_for(slack: LocalSlack, store: Mapping[str, Any], **fields: Any) -> SlackSettings:
    """The settings of an app whose Slack is this one, and whose store is so described."""
    return SlackSettings.model_validate(
        {
            "slack_bot_token": TOKEN,
            "slack_signing_secret": SECRET,
            "slack_api_url": slack.api_url,
            **OPEN,
            **store,
            **fields,
        }
    )


def install(slack: LocalSlack, request_url: str) -> App:
    """Has Slack send events there."""
    return slack.install(
        App(bot_token=TOKEN, signing_secret=SECRET, app_token="xapp-stage", request_url=request_url)
    )


class ScriptedAgent:
    """Answers what it was told to answer, as often as it is asked; `hold` keeps it busy until it is set."""

    def __init__(self, answer: Answer = ANSWER, *, hold: threading.Event | None = None) -> None:
        self.answer = answer
        self.asked: list[AskRequest] = []
        self.begun = threading.Semaphore(0)
        """Released with every question."""
        self._hold = hold

    async def ask(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        self.asked.append(request)
        on_progress(Progress(step=Step.FETCHING, url="https://a.example/price"))
        self.begun.release()
        if self._hold:
            await asyncio.to_thread(self._hold.wait)
        return self.answer

    async def aclose(self) -> None:
        """Has nothing to hang up."""


def sample_agent(port: int, **settings: Any) -> Answerer:
    """The agent on the sample web that is served there; without a model's key it is the offline reader."""
    web = Settings.model_validate({"webfetch": {"cache_dir": ""}}).for_unattended()
    network = SampleNetwork(port)
    pipeline = Pipeline(web, resolver=network, dialer=network)
    return open_agent(AgentSettings.model_validate(settings), web, pipeline=pipeline)


def claude_agent(port: int, claude: FakeClaude) -> Answerer:
    """The agent on the sample web, with a model whose words are scripted."""
    model = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url}
    return sample_agent(port, **model, model_max_retries=0, model_timeout_seconds=5)


class Stage:
    """Slack and the running app; a context manager.

    `store` describes the store in the words of the settings, `fields` are further settings. Time is the
    system's unless a clock is given, which Slack and the app then share.
    """

    def __init__(
        self,
        store: Mapping[str, Any],
        *,
        agent: Answerer | None = None,
        clock: Clock | None = None,
        environ: Mapping[str, str] | None = None,
        slack: LocalSlack | None = None,
        executor: Executor | None = None,
        decide_seconds: float = PATIENCE,
        **fields: Any,
    ) -> None:
        self._decide_seconds = decide_seconds
        self.slack = slack or LocalSlack(clock=clock)
        self.agent = agent or ScriptedAgent()
        self._store, self._fields = store, fields
        self._clock, self._environ = clock, environ or {}
        self._stack = ExitStack()
        self._traffic = Traffic()
        self._executor = executor or self._traffic.pool(80)
        self.slack._dispatcher._pool = self._traffic.pool(8)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self.slack)
            self.settings = settings_for(self.slack, self._store, **self._fields)
            self._process = stack.enter_context(ExitStack())
            self._start()
            self._stack = stack.pop_all()
        return self

    def _start(self) -> None:
        lazy_handler = LazyHandler(
            self.settings, environ=self._environ, open_agent=lambda: self.agent, clock=self._clock
        )
        lazy_handler.get()  # as the app does before it connects; else the first request waits for it
        running = RunningApp(lazy_handler, executor=self._executor, decide_seconds=self._decide_seconds)
        self.running = self._process.enter_context(running)
        self.http = self._process.enter_context(SlackRequestServer(self.running.bolt, SECRET))
        self.app = install(self.slack, self.http.url)

    def restart(self, agent: Answerer) -> None:
        """The app ends, and begins anew with what the store and Slack have, as another process would."""
        self.settled()
        self._process.close()
        self.agent, self._executor = agent, self._traffic.pool(80)
        self._start()

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def mention(self, text: str = "https://a.example/price いくら？", **fields: Any) -> str:
        """Mention the app in a channel; return the message's timestamp."""
        return self.slack.say(USER, CHANNEL, f"<@{self.app.bot_user}> {text}", **fields)

    @property
    def store(self) -> Store:
        return self.running.lazy_handler.store

    def settled(self, timeout: float = 60) -> Self:
        """Once every delivery is acknowledged and every question has come to its end."""
        assert self._traffic.ended(timeout), "something is still under way"
        return self

    def unfinished(self) -> list[str]:
        """The keys of claims that are not done: a sweeper would take them up."""
        later = self._now() + 3600
        return [claim.key for claim in self.store.expired_claims(now=later, limit=100)]

    def swept(self) -> Self:
        """One round of a sweeper, to its end."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for future in sweep(self.running.lazy_handler.get(), pool):
                future.result()
        return self

    def _now(self) -> float:
        return (self._clock or SystemClock()).now().timestamp()

    def replies(self, ts: str, channel: str = CHANNEL) -> list[Json]:
        """What we said in a thread."""
        return ours(self.slack, channel, ts)

    def answered(self, channel: str, ts: str, timeout: float = 60) -> list[Json]:
        """Our messages in a thread, once an answer is among them."""
        self.slack.wait_until(lambda: is_answered(self.slack, channel, ts), timeout)
        return ours(self.slack, channel, ts)


def ours(slack: LocalSlack, channel: str, ts: str) -> list[Json]:
    """What we said in a thread; of a command, its first message too."""
    return [message for message in slack.thread(channel, ts) if message.get("user") == slack.app.bot_user]


def said(slack: LocalSlack, channel: str, ts: str) -> tuple[list[tuple[str, str, str]], list[str]]:
    """All that we said in a thread: sorts, parts and texts in order, then the names of files."""
    messages = ours(slack, channel, ts)
    marked = [
        (mark_payload(each)["sort"], mark_payload(each)["part"], each["text"])
        for each in messages
        if mark_of(each)
    ]
    files = [file["name"] for each in messages for file in each.get("files", ())]
    assert len(marked) + len(files) == len(messages)
    return marked, files


def is_answered(slack: LocalSlack, channel: str, ts: str) -> bool:
    """Whether an answer stands in a thread."""
    return any(mark_payload(message).get("sort") == "answer" for message in ours(slack, channel, ts))


def part_of(message: Json) -> str:
    """Which part of a reply a message is; empty when it is none, as a file's is."""
    mark = mark_of(message)
    return mark.part if mark else ""
