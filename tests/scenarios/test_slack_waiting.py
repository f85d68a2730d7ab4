"""What one user does in Slack holds no other user up: told by the order of events and by counted work."""

import json
import threading
from types import SimpleNamespace

import pytest
from slack_sdk.http_retry import builtin_handlers

from fetcher import wording
from fetcher.agent import open_agent
from fetcher.agent.model.thread_messages import MOST_WRITTEN
from fetcher.agent.safety import links, provenance
from fetcher.codes import AgentCode
from fetcher.settings import AgentSettings, Settings
from fetcher.web.net.canonical import canonicalise
from slackapp.playground.webapi.faults import Fault
from tests.engine import engine
from tests.slackapp.stage import CHANNEL, Stage

PAGE, WORDS = "http://shop.example/price", "コーヒー豆は千二百円です。"
PATIENCE = 60.0
pytestmark = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@pytest.fixture
def stage(store, internet):
    internet.page(PAGE, f"<title>料金</title><main><p>{WORDS}</p></main>")
    agent = open_agent(AgentSettings(), Settings(), pipeline=engine(internet))
    with Stage(store, agent=agent) as running:
        yield running
        assert running.settled().unfinished() == []


def answered_beside(stage):
    """A second user asks for a small page; what they are told once it is answered."""
    ts = stage.slack.say("U0SATO", CHANNEL, f"<@{stage.app.bot_user}> <{PAGE}> いくら？")
    return "".join(message["text"] for message in stage.answered(CHANNEL, ts, PATIENCE))


def test_a_thread_full_of_links_holds_nobody_up(stage, monkeypatch):
    """Its links are looked for outside of the event loop, and so many are made canonical, each once."""
    root = stage.slack.say("U0SATO", CHANNEL, "リンク集です", deliver=False)
    for number in range(50):
        many = " ".join(f"<https://h{number}.example/{link}>" for link in range(1_000))
        stage.slack.say("U0SATO", CHANNEL, many, root, deliver=False)
    begun, go_on, made = threading.Event(), threading.Event(), []
    find = links.find_readings

    def held(text, **options):
        if "https://h49.example/" in text:
            begun.set()
            assert go_on.wait(PATIENCE)
        return find(text, **options)

    def counted(url):
        made.append(url)
        return canonicalise(url)

    for name in ("safety.links", "model.thread_messages"):
        monkeypatch.setattr(f"fetcher.agent.{name}.find_readings", held)
    monkeypatch.setattr(provenance, "canonicalise", counted)
    stage.mention("まとめて", thread_ts=root)
    assert begun.wait(PATIENCE)
    assert WORDS in answered_beside(stage)
    beside = len(made)
    go_on.set()
    stage.settled(PATIENCE)
    assert made[beside : beside + MOST_WRITTEN] == [
        f"https://h49.example/{each}" for each in range(MOST_WRITTEN)
    ]
    assert len([url for url in made if ".example/" in url]) < 3 * MOST_WRITTEN


def asked_with_permalinks(stage, number=1):
    """A question with links to messages of another channel."""
    if "C0PUBLIC" not in stage.slack.workspace.channels:
        stage.slack.workspace.add_channel("public", channel_id="C0PUBLIC")
    said = [stage.slack.say("U0SATO", "C0PUBLIC", f"{each}円です", deliver=False) for each in range(number)]
    links_to = [f"<{stage.slack.workspace.permalink('C0PUBLIC', ts)}>" for ts in said]
    return stage.mention(f"{' '.join(links_to)} いくら？")


def elsewhere(arguments):
    return arguments.get("channel") == "C0PUBLIC"


def test_a_slack_that_lets_messages_wait_holds_no_page_up(stage):
    """Ten messages are waited for, and a second user's page and file are read meanwhile."""
    free = threading.Event()
    stage.slack.faults.next("conversations.info", Fault(hold=free), times=100, when=elsewhere)
    for _ in range(2):
        asked_with_permalinks(stage, 5)
    stage.slack.wait_until(lambda: stage.slack.faults.held >= 6, PATIENCE)
    assert WORDS in answered_beside(stage)
    mention = f"<@{stage.app.bot_user}> 茶はいくら？"
    ts = stage.slack.say("U0SATO", CHANNEL, mention, files=[("茶.txt", "茶は八百円です。".encode())])
    assert "八百円" in stage.answered(CHANNEL, ts, PATIENCE)[-1]["text"]
    assert stage.slack.faults.held >= 6
    free.set()
    stage.settled(PATIENCE)


def test_slack_is_waited_for_once_and_the_answer_says_what_it_lacks(stage, monkeypatch):
    """However long it refuses: the second user's page is not the only thing that is answered."""
    waits: list[float] = []
    monkeypatch.setattr(builtin_handlers, "time", SimpleNamespace(sleep=waits.append))
    refusal = Fault(status=429, retry_after=20)
    stage.slack.faults.next("conversations.replies", refusal, times=100, when=elsewhere)
    ts = asked_with_permalinks(stage)
    told = json.dumps(stage.settled(PATIENCE).replies(ts), ensure_ascii=False)
    assert wording.note(AgentCode.SLACK_MESSAGE_FAILED) in told
    assert [int(seconds) for seconds in waits] == [20]
    assert WORDS in answered_beside(stage)
