"""What people see around an answer: its language, a title, the steps, what to ask next, and a stop."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from fetcher.agent import Answer, Progress, Source, Step
from fetcher.agent.values import Offer
from fetcher.wording.language import Language, speaking
from slackapp import wording
from slackapp.listeners.payloads import BUTTON, QUESTION_INPUT, URL_INPUT
from slackapp.playground.webapi.faults import Fault
from slackapp.run.wiring import LazyHandler
from slackapp.work.sweep import sweep
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, USER, Stage

EMMA = "U0SMITH"
PAGE, PRIVATE = "https://shop.example/price", "https://10.0.0.5/"
ASKED = f"{PAGE} いくらですか"
WRITTEN = "深煎りの豆は1,200円です。\n次に送料は"
LANGUAGES = [(USER, Language.JAPANESE), (EMMA, Language.ENGLISH)]


class InLanguage:
    """The app's catalogue in one language."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def __getattr__(self, name: str) -> Any:
        def say(*arguments: Any) -> Any:
            with speaking(self._language):
                return getattr(wording, name)(*arguments)

        return say


ENGLISH = InLanguage(Language.ENGLISH)

pytestmark = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


class WritingAgent:
    """Opens two pages, reads one, writes a beginning, and waits until it may end."""

    def __init__(self):
        self.asked = []
        self.written = threading.Semaphore(0)
        self.hold = threading.Event()

    async def ask(self, request, on_progress):
        self.asked.append(request)
        on_progress(Progress(step=Step.FETCHING, url=PAGE))
        on_progress(Progress(step=Step.FETCHING, url=PRIVATE))
        on_progress(Progress(step=Step.READING, url=PAGE, title="Prices"))
        on_progress(Progress(step=Step.WRITING, text=WRITTEN))
        self.written.release()
        await asyncio.to_thread(self.hold.wait)
        offers = (Offer(kind="excel", url=PAGE), Offer(kind="english", url=PAGE))
        source = Source(number=1, title="Prices", url=PAGE)
        return Answer(text="1,200 [1]", sources=(source,), read_urls=(PAGE,), offers=offers)

    async def aclose(self):
        """Has nothing to hang up."""


@pytest.fixture
def agent():
    agent = WritingAgent()
    yield agent
    agent.hold.set()


@pytest.fixture
def stage(store, agent):
    with Stage(store, agent=agent, lease_seconds=3, heartbeat_seconds=0.2) as running:
        yield running
        agent.hold.set()
        assert running.settled().unfinished() == []


def blocks_of(message, kind):
    return [block for block in message["blocks"] if block["type"] == kind]


@pytest.mark.parametrize(("user", "language"), LANGUAGES, ids=["Japanese", "English"])
def test_a_direct_message_from_its_title_to_its_prompts(stage, agent, user, language):
    """All of it in the language of the asker's Slack, which is looked up once."""
    words = InLanguage(language)
    channel = stage.slack.direct(user)
    ts = stage.slack.say(user, channel, ASKED)
    assert agent.written.acquire(timeout=60)
    begun = stage.slack.wait_until(lambda: stage.replies(ts, channel))
    assert words.accepted() in str(begun)
    agent.hold.set()
    [reply] = stage.settled().replies(ts, channel)
    assert agent.asked[0].language is language
    # The session has the question as its title, with the host in place of the link.
    assert stage.slack.workspace.sessions[channel, ts]["title"] == "shop.example いくらですか"
    # The steps stay, collapsed, under the answer and its sources, in a block that Slack lets users open.
    [steps] = blocks_of(reply, "container")
    assert (steps["is_collapsible"], steps["default_collapsed"]) == (True, True)
    assert steps["title"]["text"] == words.steps_title(2)
    [shown] = [child["text"]["text"].split("\n") for child in steps["child_blocks"]]
    assert shown == [f"• {words.read('Prices')}", f"• {words.not_read('10.0.0.5')}"]
    assert words.sources_heading() in reply["text"]
    [buttons] = blocks_of(reply, "context_actions")
    assert words.feedback_good() in str(buttons)
    # Prompts that fit the answer take the place of the general ones; each names its page.
    prompts = stage.slack.workspace.prompts[channel]
    assert prompts["title"] == words.next_prompts_title()
    assert [(each["title"], each["message"]) for each in prompts["prompts"]] == [
        words.next_prompt("excel", PAGE),
        words.next_prompt("english", PAGE),
    ]
    looked_up = [call.arguments for call in stage.slack.calls_of("users.info")]
    assert [each["user"] for each in looked_up] == [user]
    # Feedback is thanked for in the language of the user who gives it.
    stage.slack.click(user, channel, reply["ts"], "feedback", "good")
    assert [each["text"] for each in stage.settled().slack.ephemerals(user)] == [words.feedback_thanks()]


@pytest.mark.parametrize("where", ["channel", "direct"])
def test_a_stopped_answer_keeps_what_was_written(stage, agent, where):
    """With a mark, without feedback buttons; a later question knows it as an answer."""
    channel = CHANNEL if where == "channel" else stage.slack.direct(USER)
    ts = stage.mention(ASKED) if where == "channel" else stage.slack.say(USER, channel, ASKED)
    assert agent.written.acquire(timeout=60)
    stage.slack.react(USER, channel, ts, "x")
    [reply] = stage.settled().replies(ts, channel)
    assert "深煎りの豆は1,200円です。" in reply["text"]
    assert "次に送料は" in reply["text"]
    assert reply["text"].endswith(wording.remark(wording.stopped()))
    assert (len(blocks_of(reply, "container")), blocks_of(reply, "context_actions")) == (1, [])
    assert stage.slack.workspace.sessions[channel, ts]["status"] == "active"
    assert stage.slack.workspace.prompts == {}


def test_refusals_and_notices_are_in_the_readers_language(stage, agent):
    """An English speaker asks for nothing, then is kept from stopping another user's answer."""
    stage.slack.command(EMMA, CHANNEL, "/fetch", "")
    ts = stage.mention()
    assert agent.written.acquire(timeout=60)
    stage.slack.react(EMMA, CHANNEL, ts, "x")
    assert stage.slack.wait_until(lambda: len(stage.slack.ephemerals(EMMA)) == 2)
    stage.slack.edit(USER, CHANNEL, ts, "別の質問")
    assert stage.slack.wait_until(lambda: stage.slack.ephemerals(USER))
    agent.hold.set()
    stage.settled().slack.open_home(EMMA, tab="messages")
    stage.settled().slack.open_home(EMMA)
    stage.settled()
    told = {each["text"] for each in stage.slack.ephemerals(EMMA)}
    assert told == {ENGLISH.help_text(), ENGLISH.only_the_asker_stops()}
    assert [each["text"] for each in stage.slack.ephemerals(USER)] == [wording.first_text_counts()]
    assert stage.slack.workspace.prompts[stage.slack.direct(EMMA)]["title"] == ENGLISH.prompts_title()
    assert stage.slack.click_home(EMMA, BUTTON).ok
    modal = stage.settled().slack.workspace.modals[EMMA]
    assert modal["title"]["text"] == ENGLISH.read_link()
    refused = stage.slack.submit_modal(EMMA, {URL_INPUT: "no link", QUESTION_INPUT: ""})
    assert refused.body["errors"] == {URL_INPUT: ENGLISH.modal_url_invalid()}
    [home] = stage.slack.calls_of("views.publish")
    sections = [block["text"]["text"] for block in home.arguments["view"]["blocks"] if "text" in block]
    assert any(ENGLISH.app_home() in text for text in sections)


def test_a_locale_that_slack_does_not_give_means_japanese(stage, agent):
    agent.hold.set()
    stage.slack.faults.next("users.info", Fault(error="internal_error"), times=9)
    channel = stage.slack.direct(EMMA)
    ts = stage.slack.say(EMMA, channel, ASKED)
    [reply] = stage.settled().replies(ts, channel)
    assert "Slackの情報を確認できなかった" in reply["text"]


def test_another_worker_speaks_the_same_language(store, agent):
    """The language is recorded with the run: a later worker does not have to ask Slack for it."""
    clock = FakeClock(LATER)
    with Stage(store, agent=agent, clock=clock) as stage:
        channel = stage.slack.direct(EMMA)
        ts = stage.slack.say(EMMA, channel, ASKED)
        assert agent.written.acquire(timeout=60)
        stage.running.lazy_handler.interrupt()
        agent.hold.set()
        stage.settled()
        clock.advance(3600)  # what was cached of the user is forgotten
        stage.slack.workspace.users[EMMA].locale = "ja-JP"
        others = LazyHandler(stage.settings, environ={}, open_agent=lambda: agent, clock=clock)
        with ThreadPoolExecutor(1) as pool:
            for resumed in sweep(others.get(), pool):
                resumed.result()
        [reply] = stage.replies(ts, channel)
        assert ENGLISH.steps_title(2) in str(reply["blocks"])
        assert [each.language for each in agent.asked] == [Language.ENGLISH] * 2
        others.interrupt()
        others.close()
