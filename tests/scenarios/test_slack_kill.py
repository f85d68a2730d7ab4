"""A worker killed with SIGKILL at any moment: another one ends what it began, and there is one reply."""

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import uuid4

import pytest

from fetcher.agent import Answer, GeneratedFile
from slackapp import wording
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from slackapp.reply import answer_messages
from slackapp.settings import SlackSettings
from slackapp.stores.opening import open_store
from tests.fakes.dynamodb import own_credentials
from tests.fakes.slack_worker import Death, Plan, SlackWorker
from tests.slackapp.stage import CHANNEL, OPEN, SECRET, TOKEN, USER, install, said

NEVER, OFTEN = 24 * 3600, 0.05
AHEAD = 600
"""Seconds, far beyond any lease."""
PARAGRAPH = "コーヒー豆は1,200円です。" * 40
ANSWER = Answer(
    text="\n\n".join(f"{number}. {PARAGRAPH}" for number in range(30)),
    files=(
        GeneratedFile(file_name="料金.csv", mime_type="text/csv", content=b"a,b\r\n"),
        GeneratedFile(file_name="要約.md", mime_type="text/markdown", content=b"# a\n"),
    ),
)
"""Two messages and two files."""
FILES = [file.file_name for file in ANSWER.files]
SHORT = Answer(
    text="千二百円です。",
    files=(GeneratedFile(file_name="一覧.csv", mime_type="text/csv", content=b"a\r\n"),),
)


@dataclass(frozen=True)
class Call:
    """A call of Slack's, during which the worker is killed from outside."""

    method: str
    after: bool = False
    """Slack has done its work, and nobody has heard of it."""
    says: str = ""
    """A word that the call's arguments have."""

    def __str__(self):
        return " ".join(filter(None, ("after" if self.after else "before", self.method, self.says)))

    def fault(self, hold):
        return Fault(hold=hold, after=self.after, drop=not self.after)

    def fits(self, arguments):
        return self.says in json.dumps(arguments, ensure_ascii=False).replace("\\", "")


PLACEHOLDER, SECOND, FINAL = '"part": "0"', '"part": "1"', '"sort": "answer"'

CASES = {
    "mention": (
        Death("claim", after=True),
        Call("users.info"),
        Call("chat.postMessage", says=PLACEHOLDER),
        Call("chat.postMessage", after=True, says=PLACEHOLDER),
        Death("record_reply", after=True),
        Death("ask"),
        Call("chat.update", says=FINAL),
        Call("chat.update", after=True, says=FINAL),
        Call("chat.postMessage", says=SECOND),
        Call("chat.postMessage", after=True, says=SECOND),
        Call("files.getUploadURLExternal", after=True),
        Call("upload", after=True),
        Call("files.completeUploadExternal"),
        Call("files.completeUploadExternal", after=True),
        Call("files.getUploadURLExternal", says="要約.md"),
        Death("finish"),
        Death("finish", after=True),
    ),
    "direct": (
        Call("chat.startStream", after=True),
        Death("ask"),
        Call("chat.stopStream", after=True),
        Call("chat.update", after=True, says=FINAL),
    ),
    "command": (
        Call("chat.postMessage", after=True, says='"root"'),
        Call("chat.postMessage", after=True, says=PLACEHOLDER),
    ),
}
"""How people ask, and when the worker is killed."""


@dataclass(frozen=True)
class Scene:
    """A Slack, and what a worker needs to answer there."""

    slack: LocalSlack
    plan: Plan

    def ask(self, way="mention"):
        """Somebody asks; where the reply will be."""
        return WAYS[way](self.slack)

    def kill(self, moment, *, ask):
        """Starts a worker that does not live longer than until the moment; what `ask` returned."""
        if isinstance(moment, Death):
            with self.worker(replace(self.plan, death=moment)) as worker:
                asked = ask()
                assert worker.died()
                return asked
        self.slack.faults.next(moment.method, moment.fault(threading.Event()), when=moment.fits)
        with self.worker(self.plan) as worker:
            asked = ask()
            assert self.slack.wait_until(lambda: self.slack.faults.held, timeout=60)
            worker.kill()
            self.slack.faults.clear()
            assert self.slack.wait_until(lambda: not self.slack.faults.held, timeout=60)
            return asked

    def later(self, **fields):
        """The same when the leases of those who were killed have run out; whoever works then sweeps."""
        settings = {**self.plan.settings, "sweep_seconds": OFTEN}
        plan = replace(self.plan, **{"settings": settings, "ahead": self.plan.ahead + AHEAD, **fields})
        return replace(self, plan=plan)

    def end(self):
        """Has a worker sweep until no claim is left."""
        with self.worker(self.plan):
            assert _no_claims(SlackSettings.model_validate(self.plan.settings))

    @contextmanager
    def worker(self, plan):
        with SlackWorker(plan) as worker:
            install(self.slack, worker.url)
            yield worker


@contextmanager
def open_scene(store, **fields):
    """A worker of this scene never sweeps."""
    with LocalSlack() as slack:
        slack.install(App(bot_token=TOKEN))
        known = {"slack_bot_token": TOKEN, "slack_signing_secret": SECRET, "slack_api_url": slack.api_url}
        settings = {**known, **OPEN, **store, "sweep_seconds": NEVER, **fields}
        yield Scene(slack, Plan(settings=settings, answer=ANSWER, environ=own_credentials()))


def _mention(slack):
    return CHANNEL, slack.say(USER, CHANNEL, f"<@{slack.app.bot_user}> https://a.example/price いくら？")


def _direct(slack):
    channel = slack.direct(USER)
    return channel, slack.say(USER, channel, "https://a.example/price いくら？")


def _command(slack):
    """The thread of a command hangs on a message of ours, which quotes it."""
    question = f"https://a.example/price いくら？ {uuid4().hex}"
    assert slack.command(USER, CHANNEL, "/fetch", question).ok
    return CHANNEL, question


WAYS = {"mention": _mention, "direct": _direct, "command": _command}


def _no_claims(settings, within=60):
    """Whether every claim comes to its end; each that is left has expired by tomorrow."""
    store, until = open_store(settings, {}), time.monotonic() + within
    try:
        while left := store.expired_claims(now=time.time() + 12 * 3600, limit=10):
            if time.monotonic() > until:
                break
            time.sleep(0.02)
        return not left
    finally:
        store.close()


def words(answer):
    """How an answer reads in Slack."""
    return [
        ("answer", str(part), message.text) for part, message in enumerate(answer_messages.messages(answer))
    ]


def at_rest(slack, ts):
    """Whether a thread is shown as one that nobody works on."""
    calls = [call.arguments for call in slack.calls_of("agents.sessions.setStatus")]
    statuses = [arguments["status"] for arguments in calls if arguments["thread_ts"] == ts]
    return statuses[-1] == "active" and not slack.workspace.streams


def assert_one_reply(slack, channel, ts):
    """The answer stands in the thread once, its parts in order, and then its files."""
    assert said(slack, channel, ts) == (words(ANSWER), FILES)
    assert at_rest(slack, ts)


def assert_one_thread(slack, channel, question):
    """A command has one first message, and one reply below it."""
    [ts] = [each["ts"] for each in slack.timeline(channel) if question[-32:] in each["text"]]
    (root, *parts), files = said(slack, channel, ts)
    assert root[:2] == ("root", "root")
    assert (parts, files) == (words(ANSWER), FILES)
    assert at_rest(slack, ts)


@pytest.fixture(scope="module", params=["sqlite", "dynamodb"])
def aftermath(request, tmp_path_factory):
    """A worker killed in every case, one after another, and then one that ends what they all began."""
    if request.param == "sqlite":
        store = {"sqlite_path": str(tmp_path_factory.mktemp("store") / "store.sqlite3")}
    else:
        store = request.getfixturevalue("shared_dynamodb")
    with open_scene(store) as scene:
        places = {
            (way, moment): scene.kill(moment, ask=lambda way=way: scene.ask(way))
            for way, moments in CASES.items()
            for moment in moments
        }
        scene.later().end()
        yield scene.slack, places


def _cases(way):
    return pytest.mark.parametrize("moment", CASES[way], ids=str)


@_cases("mention")
def test_a_mention_gets_one_reply(aftermath, moment):
    """Its parts once each and in order, then its files once each, whenever the worker was killed."""
    slack, places = aftermath
    assert_one_reply(slack, *places["mention", moment])


@_cases("direct")
def test_a_direct_message_gets_one_reply(aftermath, moment):
    """Whether the worker was streaming, or had streamed."""
    slack, places = aftermath
    assert_one_reply(slack, *places["direct", moment])


@_cases("command")
def test_a_command_gets_one_thread_with_one_reply(aftermath, moment):
    slack, places = aftermath
    assert_one_thread(slack, *places["command", moment])


def test_nobody_is_told_anything_besides(aftermath):
    """No message of ours stands outside the threads, and no one was whispered to."""
    slack, places = aftermath
    roots = [each for each in slack.timeline(CHANNEL) if each.get("user") == slack.app.bot_user]
    assert len(roots) == len(CASES["command"])
    assert len(places) == sum(map(len, CASES.values()))
    assert slack.ephemerals() == []


@pytest.fixture
def scene(sqlite_settings):
    with open_scene(sqlite_settings) as scene:
        yield scene


@pytest.mark.parametrize(
    "moment",
    [
        Call("chat.postMessage", after=True, says=SECOND),
        Call("files.completeUploadExternal", after=True),
        Death("finish"),
    ],
    ids=str,
)
def test_an_answer_that_reads_otherwise_the_second_time_stands_alone(scene, moment):
    """A model seldom says the same twice: nothing of the first answer is left."""
    place = scene.kill(moment, ask=scene.ask)
    scene.later(answer=SHORT).end()
    assert said(scene.slack, *place) == (words(SHORT), ["一覧.csv"])


def test_workers_that_die_one_after_another_end_in_one_reply(scene):
    """The third one lives."""
    place = scene.kill(Call("chat.postMessage", after=True, says=PLACEHOLDER), ask=scene.ask)
    scene = scene.later()
    scene.kill(Call("chat.postMessage", after=True, says=SECOND), ask=lambda: None)
    scene.later().end()
    assert said(scene.slack, *place) == (words(ANSWER), FILES)


def test_an_answer_that_stands_is_not_given_up(scene):
    """Three workers are killed at the upload: the text stays, and a sentence below says what happened."""
    moment = Call("files.completeUploadExternal")
    place = scene.kill(moment, ask=scene.ask)
    for _ in range(2):
        scene = scene.later()
        scene.kill(moment, ask=lambda: None)
    scene.later().end()
    notice = ("notice", "notice", wording.gave_up())
    assert said(scene.slack, *place) == ([*words(ANSWER), notice], [])


def test_a_question_that_kills_every_worker_is_given_up_in_one_reply(scene):
    """Three attempts, then a sentence that says so."""
    place = scene.kill(Death("ask"), ask=scene.ask)
    for _ in range(2):
        scene = scene.later()
        scene.kill(Death("ask"), ask=lambda: None)
    scene.later().end()
    assert said(scene.slack, *place) == ([("notice", "0", wording.gave_up())], [])
