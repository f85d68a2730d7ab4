"""What one user does in Slack holds no other user up: told by the order of events and by counted work."""

import threading

import pytest

from fetcher.agent import open_agent
from fetcher.agent.model.thread_messages import MOST_WRITTEN
from fetcher.agent.safety import links, provenance
from fetcher.settings import AgentSettings, Settings
from fetcher.web.net.canonical import canonicalise
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
