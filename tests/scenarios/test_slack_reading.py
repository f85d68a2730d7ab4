"""Links that are read without a message to the app: by a reaction, and by the modal of the Home tab."""

import json
import threading
from dataclasses import replace
from typing import Any

import pytest

from fetcher.agent.values import Offer
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.listeners.payloads import BUTTON, LONGEST_URL, QUESTION_INPUT, URL_INPUT
from slackapp.playground.webapi.faults import Fault
from slackapp.work.question_runner import REPEATED_SECONDS
from slackapp.work.stopping import LATE_SECONDS
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import ANSWER, CHANNEL, USER, ScriptedAgent, Stage

SATO, SUZUKI, FEED = "U0SATO", "U0SUZUKI", "U0FEED"
LINK = "https://news.example/2026/11/17"
NEWS = "newspaper"


@pytest.fixture(scope="module")
def clock():
    return FakeClock(LATER)


@pytest.fixture(scope="module")
def running(tmp_path_factory, clock):
    store = {"sqlite_path": str(tmp_path_factory.mktemp("reading") / "store.sqlite3")}
    with Stage(store, clock=clock, read_reaction=f":{NEWS}:") as stage:
        stage.slack.workspace.add_user("feed", user_id=FEED, is_bot=True)
        yield stage


@pytest.fixture
def stage(running):
    """The shared app; each story has messages of its own."""
    running.agent.asked.clear()
    yield running
    assert running.settled().unfinished() == []


def told(stage, user):
    return [each["text"] for each in stage.slack.ephemerals(user)]


def test_a_reaction_reads_the_links_of_a_message_once_in_its_thread(stage):
    """Two people react, and Slack delivers every event again: one answer, asked by the first."""
    ts = stage.slack.say(FEED, CHANNEL, f"新着 <{LINK}|記事>")
    stage.slack.react(SATO, CHANNEL, ts, NEWS)
    stage.settled().slack.react(USER, CHANNEL, ts, f"{NEWS}::skin-tone-2")
    for delivery in stage.settled().slack.deliveries:
        if delivery.type == "reaction_added":
            stage.slack.deliver(delivery.body, retry_num=1, times=2)
    [asked] = stage.settled().agent.asked
    assert asked.question.startswith(wording.shortcut_question())
    assert LINK in asked.question
    [reply] = stage.replies(ts)
    assert (reply["thread_ts"], "1,200円" in reply["text"]) == (ts, True)


def test_a_reaction_in_a_thread_is_answered_in_that_thread(stage):
    root = stage.slack.say(USER, CHANNEL, "今日の話題")
    ts = stage.slack.say(SATO, CHANNEL, f"これです <{LINK}>", root)
    stage.slack.react(USER, CHANNEL, ts, NEWS)
    [asked] = stage.settled().agent.asked
    assert (len(stage.replies(root)), LINK in asked.question) == (1, True)


def test_people_may_go_on_talking_below_a_message_that_was_read(stage):
    """Its author did not ask the app: only a question right after the answer is one, and a mention."""
    ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    stage.slack.react(SATO, CHANNEL, ts, NEWS)
    stage.settled().slack.say(SUZUKI, CHANNEL, "そうなんですね", ts)
    stage.settled().slack.say(USER, CHANNEL, "来週話しましょう", ts)
    assert len(stage.settled().agent.asked) == 1
    stage.mention("いくらですか？", thread_ts=ts)
    assert len(stage.settled().agent.asked) == 2


def test_other_reactions_and_messages_without_a_link_ask_nothing(stage):
    """The app's own answer is never read; who reacted to a message without a link is told."""
    plain = stage.slack.say(USER, CHANNEL, "リンクはありません")
    linked = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    own = stage.mention()
    [reply] = stage.settled().replies(own)
    stage.agent.asked.clear()
    before = len(told(stage, SATO))
    for ts, name in ((plain, NEWS), (linked, "eyes"), (reply["ts"], NEWS), (own, NEWS)):
        stage.slack.react(SATO, CHANNEL, ts, name)
    assert stage.settled().agent.asked == []
    assert told(stage, SATO)[before:] == [wording.refusal(RefusalCode.NO_LINK)]
    assert len(stage.replies(own)) == 1


def test_who_may_not_ask_is_refused_and_only_they_see_it(stage):
    """The guard judges the person who reacts, and not the author of the message."""
    slack = stage.slack
    slack.workspace.add_team("T0OTHER", "他社")
    slack.workspace.add_user("guest", user_id="U0OUT", team_id="T0OTHER")
    slack.workspace.channel(CHANNEL).members.add("U0OUT")
    ts = slack.say(USER, CHANNEL, f"<{LINK}>")
    slack.react("U0OUT", CHANNEL, ts, NEWS)
    assert stage.settled().agent.asked == []
    assert told(stage, "U0OUT") == [wording.refusal(RefusalCode.EXTERNAL_USER)]
    assert stage.replies(ts) == []


def test_a_refused_reaction_leaves_the_message_to_others(stage, clock):
    """A bot may not ask; delivered again, its reaction tells nothing more, and a member has the link read."""
    ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    stage.slack.react(FEED, CHANNEL, ts, NEWS)
    reaction = stage.settled().slack.deliveries[-1]
    stage.slack.deliver(reaction.body, retry_num=1)
    stage.settled()
    assert told(stage, FEED) == [wording.refusal(RefusalCode.USER_UNKNOWN)]
    clock.advance(REPEATED_SECONDS + 1)
    stage.slack.react(SATO, CHANNEL, ts, NEWS)
    assert (len(stage.settled().agent.asked), len(stage.replies(ts))) == (1, 1)


def test_a_cross_of_the_same_person_stops_the_answer(stage, monkeypatch):
    hold = threading.Event()
    monkeypatch.setattr(stage.agent, "_hold", hold)
    ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    stage.slack.react(SATO, CHANNEL, ts, NEWS)
    assert stage.agent.begun.acquire(timeout=60)
    stage.slack.react(SATO, CHANNEL, ts, "x")
    stage.slack.wait_until(lambda: wording.stopped() in json.dumps(stage.replies(ts), ensure_ascii=False))
    hold.set()
    assert "1,200円" not in json.dumps(stage.settled().replies(ts), ensure_ascii=False)


def test_while_slack_does_not_show_the_message_the_reaction_waits(stage, clock):
    """The claim is left to the next round, and no text of the message is in the store meanwhile."""
    ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    stage.slack.faults.next("conversations.replies", Fault(error="internal_error"), 9)
    stage.slack.react(SATO, CHANNEL, ts, NEWS)
    [key] = stage.settled().unfinished()
    assert LINK not in stage.store.unfinished_claim(key, now=0).incoming
    stage.slack.faults.clear()
    clock.advance(60)
    assert len(stage.swept().replies(ts)) == 1


def test_a_message_that_cannot_be_read_ends_the_reaction(stage):
    """Its claim is finished, and not renewed for as long as the process runs."""
    ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    odd = Fault(page='{"ok": true, "messages": [null]}', content_type="application/json")
    stage.slack.faults.next("conversations.replies", odd)
    stage.slack.react(SATO, CHANNEL, ts, NEWS)
    assert stage.settled().unfinished() == []


def test_the_modal_asks_in_the_direct_conversation(stage, monkeypatch):
    """The button of the Home tab opens it; a link that is none is said in the modal itself."""
    monkeypatch.setattr(stage.agent, "answer", replace(ANSWER, offers=(Offer(kind="excel", url=LINK),)))
    slack, direct = stage.slack, stage.slack.direct(SUZUKI)
    slack.open_home(SUZUKI)
    stage.settled()
    assert slack.click_home(SUZUKI, BUTTON).ok
    view = stage.settled().slack.workspace.modals[SUZUKI]
    assert (view["title"]["text"], view["private_metadata"]) == (wording.read_link(), f"{direct}:ja")
    for wrong in (
        "news.example",
        "ftp://news.example/",
        "https://a b",
        "https://a|b>c",
        f"{LINK}/{'x' * LONGEST_URL}",
    ):
        refused = slack.submit_modal(SUZUKI, {URL_INPUT: wrong, QUESTION_INPUT: "要点は？"})
        assert refused.body == {
            "response_action": "errors",
            "errors": {URL_INPUT: wording.modal_url_invalid()},
        }
    assert stage.settled().agent.asked == []
    assert slack.submit_modal(SUZUKI, {URL_INPUT: f"{LINK}?a=1&b=2", QUESTION_INPUT: "<@U0SATO> 要点は？"}).ok
    [asked] = stage.settled().agent.asked
    assert asked.question == f"{LINK}?a=1&b=2 <@U0SATO> 要点は？"
    assert SUZUKI not in slack.workspace.modals
    root, answer = slack.thread(direct, slack.timeline(direct)[-1]["ts"])
    assert root["text"].startswith(f"<@{SUZUKI}>")
    assert "1,200円" in answer["text"]
    [prompt] = slack.workspace.prompts[direct]["prompts"]
    assert (prompt["title"], prompt["message"]) == wording.next_prompt("excel", LINK)


def test_a_modal_that_is_submitted_again_is_answered_once(stage):
    """A second submission of one view, as after a lost acknowledgement, is the same question."""
    slack, direct = stage.slack, stage.slack.direct(SATO)
    slack.open_home(SATO)
    assert stage.settled().slack.click_home(SATO, BUTTON).ok
    view = stage.settled().slack.workspace.modals[SATO]
    for _ in range(2):
        slack.workspace.show_modal(SATO, view)
        assert slack.submit_modal(SATO, {URL_INPUT: LINK, QUESTION_INPUT: ""}).ok
    assert len(stage.settled().agent.asked) == 1
    assert len(slack.timeline(direct)) == 1


def test_reactions_are_counted_and_a_message_is_read_once_for_as_long_as_threads_are_followed(store):
    """On both stores: under the same rate limit as questions, and once also when the claim is gone."""
    clock, agent = FakeClock(LATER), ScriptedAgent()
    limits: dict[str, Any] = {"rate_limit_per_minute": 1, "rate_limit_burst": 1}
    with Stage(store, agent=agent, clock=clock, read_reaction=NEWS, **limits) as stage:
        first, second = (stage.slack.say(USER, CHANNEL, f"<{LINK}/{number}>") for number in (1, 2))
        stage.slack.react(SATO, CHANNEL, first, NEWS)
        stage.settled().slack.react(SATO, CHANNEL, second, NEWS)
        stage.settled()
        assert len(agent.asked) == 1
        assert told(stage, SATO) == [wording.refusal(RefusalCode.RATE_LIMITED, wait_seconds=60)]
        clock.advance(60)
        stage.slack.react(SUZUKI, CHANNEL, second, NEWS)  # as the sentence says: once more, later
        stage.settled()
        assert len(agent.asked) == 2
        clock.advance(3 * 24 * 3600)
        stage.slack.react(SUZUKI, CHANNEL, first, NEWS)
        stage.settled()
        assert len(agent.asked) == 2
        clock.advance(40 * 24 * 3600)
        stage.slack.react(USER, CHANNEL, first, NEWS)
        stage.settled()
        assert len(agent.asked) == 3


def test_a_cross_does_not_keep_its_user_from_having_the_message_read_later(stage, clock):
    """A cross may come before the question that it stops, but not by a quarter of an hour."""
    ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
    stage.slack.react(SATO, CHANNEL, ts, "x")
    stage.settled().slack.react(SATO, CHANNEL, ts, NEWS)
    assert stage.settled().agent.asked == []
    clock.advance(LATE_SECONDS + 1)
    stage.slack.react(SATO, CHANNEL, ts, f"{NEWS}::skin-tone-2")
    assert len(stage.settled().agent.asked) == 1


def test_without_the_setting_no_reaction_is_a_question(sqlite_settings):
    agent = ScriptedAgent()
    with Stage(sqlite_settings, agent=agent) as stage:
        ts = stage.slack.say(USER, CHANNEL, f"<{LINK}>")
        stage.slack.react(SATO, CHANNEL, ts, NEWS)
        stage.settled()
        assert agent.asked == []
