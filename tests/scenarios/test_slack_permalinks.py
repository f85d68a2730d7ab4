"""Links to messages of Slack: read like pages, and only what the people who ask may see themselves.

The bot sees more than its askers: every story here tries to use it as a confused deputy.
"""

import json
from typing import Any

import pytest

from fetcher import wording as engine_messages
from fetcher.agent.tools import prefetching
from fetcher.codes import AgentCode
from slackapp.playground.webapi.faults import Fault
from tests.slackapp.stage import CHANNEL, USER, Stage, sample_agent

SATO, GUEST, FEED, OUTSIDER = "U0SATO", "U0GUEST", "U0FEED", "U0OUT"
SECRET = "新製品の価格は98,000円です。発売日は来月の12日です。"
REFUSED = engine_messages.note(AgentCode.SLACK_MESSAGE_REFUSED)
NEWS = "newspaper"


@pytest.fixture(scope="module")
def running(tmp_path_factory, sample_port):
    """One workspace for all: a public, a private and a shared channel, one without the bot, a guest."""
    store = {"sqlite_path": str(tmp_path_factory.mktemp("permalinks") / "store.sqlite3")}
    agent = sample_agent(sample_port)
    fields: dict[str, Any] = {"read_reaction": NEWS, "whitelist_channel_ids": ["C0SHARED", CHANNEL]}
    with Stage(store, agent=agent, **fields) as stage:
        workspace = stage.slack.workspace
        workspace.add_user("feed", user_id=FEED, is_bot=True)
        workspace.add_user("guest", user_id=GUEST, is_restricted=True)
        workspace.add_team("T0OTHER", "他社", "other")
        workspace.add_user("outsider", user_id=OUTSIDER, team_id="T0OTHER")
        workspace.add_channel("public", channel_id="C0PUBLIC")
        workspace.add_channel("private", channel_id="C0PRIVATE", private=True)
        workspace.add_channel("no-bot", channel_id="C0NOBOT", is_member=False)
        workspace.add_channel("shared", channel_id="C0SHARED", shared_with="T0OTHER")
        workspace.add_channel("foreign", channel_id="C0FOREIGN", team_id="T0OTHER")
        workspace.channels[CHANNEL].members.add(GUEST)
        yield stage


@pytest.fixture
def stage(running, monkeypatch):
    monkeypatch.setattr(prefetching, "SECONDS", 20.0)
    yield running
    assert running.settled(60).unfinished() == []


def link_to(stage, channel, text=SECRET, **fields):
    """A link to a new message there, as Slack writes it."""
    ts = stage.slack.say(USER, channel, text, deliver=False, **fields)
    return stage.slack.workspace.permalink(channel, ts)


def asked(stage, link, *, user=USER, channel=CHANNEL, question="価格はいくらですか？"):
    """What the app says to a question with the link."""
    bot = f"<@{stage.app.bot_user}> " if channel[0] != "D" else ""
    ts = stage.slack.say(user, channel, f"{bot}<{link.replace('&', '&amp;')}> {question}")
    return said(stage, channel, ts)


def said(stage, channel, ts):
    return json.dumps(stage.settled(60).replies(ts, channel), ensure_ascii=False)


@pytest.mark.parametrize("channel", [CHANNEL, "C0PUBLIC"])
def test_a_message_that_the_asker_sees_is_read_with_its_thread(stage, channel):
    """Of the same channel, or of a public one; it is cited like a page, with its author."""
    root = stage.slack.say(SATO, channel, "新製品の件です。", deliver=False)
    reply = stage.slack.say(USER, channel, SECRET, root, deliver=False)
    for ts in (root, reply):
        link = stage.slack.workspace.permalink(channel, ts)
        answer = asked(stage, link)
        assert "98,000円" in answer
        assert "Slackのメッセージ（" in answer
        assert link.partition("?")[0] in answer
        assert "田中 花子（" in answer


def test_in_the_direct_conversation_and_by_a_reaction_the_same_rules_hold(stage):
    direct = stage.slack.direct(USER)
    assert "98,000円" in asked(stage, link_to(stage, "C0PUBLIC"), channel=direct)
    assert REFUSED in asked(stage, link_to(stage, "C0PRIVATE"), channel=direct)
    ts = stage.slack.say(SATO, CHANNEL, f"<{link_to(stage, 'C0PUBLIC')}>")
    stage.slack.react(USER, CHANNEL, ts, NEWS)
    assert "98,000円" in said(stage, CHANNEL, ts)


@pytest.mark.parametrize("place", ["C0PRIVATE", "direct", "group"])
def test_another_private_conversation_is_never_read(stage, place):
    """Also if the asker and the bot are both in it: others see the answer."""
    slack = stage.slack
    places = {
        "direct": slack.direct(USER),
        "group": slack.workspace.open_group(USER, SATO, stage.app.bot_user).id,
    }
    answer = asked(stage, link_to(stage, places.get(place, place)))
    assert "98,000" not in answer
    assert REFUSED in answer


def test_a_channel_without_the_bot_and_a_message_that_is_gone_are_refused(stage):
    gone = link_to(stage, "C0PUBLIC")
    stage.slack.delete("C0PUBLIC", stage.slack.timeline("C0PUBLIC")[-1]["ts"])
    for link in (link_to(stage, "C0NOBOT"), gone):
        answer = asked(stage, link)
        assert "98,000" not in answer
        assert REFUSED in answer


def test_another_workspace_is_never_read(stage):
    """By its host, whatever else the link says: the bot would find the same ids in its own workspace."""
    link = link_to(stage, "C0PUBLIC")
    hosts = ("other.slack.com", "sample.slack.com.evil.example", "sample.enterprise.slack.com")
    for host in hosts:
        answer = asked(stage, link.replace("sample.slack.com", host))
        assert "98,000" not in answer
        assert "Slackのメッセージ（" not in answer
    foreign = link_to(stage, "C0FOREIGN").replace("other.slack.com", "sample.slack.com")
    assert REFUSED in asked(stage, foreign)
    assert engine_messages.note(AgentCode.SLACK_PERMALINK) in asked(stage, link.replace("sample.", "other."))


def test_a_guest_has_only_the_same_channel_read(stage):
    """Also in the thread of a member who has asked about the link before."""
    here = link_to(stage, CHANNEL)
    assert "98,000円" in asked(stage, here, user=GUEST)
    for channel in (CHANNEL, stage.slack.workspace.open_direct(GUEST, stage.app.bot_user).id):
        answer = asked(stage, link_to(stage, "C0PUBLIC"), user=GUEST, channel=channel)
        assert "98,000" not in answer
        assert REFUSED in answer
    asked(stage, link_to(stage, "C0PUBLIC", "発売日は未定です。"))
    root = stage.slack.timeline(CHANNEL)[-1]["ts"]
    before = len(stage.replies(root))
    stage.slack.say(GUEST, CHANNEL, f"<@{stage.app.bot_user}> 発売日はいつですか？", root)
    answers = stage.settled(60).replies(root)
    assert REFUSED in json.dumps(answers[before:], ensure_ascii=False)


@pytest.mark.parametrize("author", [GUEST, FEED])
def test_a_member_is_no_deputy_for_the_link_of_a_guest(stage, author):
    """They write the link, a member asks about it or reacts to it: who wrote the link must see it too."""
    link = link_to(stage, "C0PUBLIC")
    ts = stage.slack.say(author, CHANNEL, f"<{link}>")
    stage.mention("このリンクの価格はいくらですか？", thread_ts=ts)
    assert "98,000" not in said(stage, CHANNEL, ts)
    other = stage.slack.say(author, CHANNEL, f"<{link}> です")
    stage.slack.react(USER, CHANNEL, other, NEWS)
    stage.slack.shortcut(USER, CHANNEL, other, "read_link")
    answer = said(stage, CHANNEL, other)
    assert "98,000" not in answer
    assert REFUSED in answer


def test_a_guest_who_forwards_the_link_of_a_member_has_nothing_read(stage):
    """The member wrote the link, another member reacts: but the guest has put it before them."""
    link = link_to(stage, "C0PUBLIC")
    forwarded = {"is_share": True, "author_id": SATO, "text": f"<{link}>"}
    for forwarder, is_read in ((GUEST, False), (SATO, True)):
        ts = stage.slack.say(forwarder, CHANNEL, "ご覧ください", attachments=[forwarded])
        stage.slack.react(USER, CHANNEL, ts, NEWS)
        answer = said(stage, CHANNEL, ts)
        assert ("98,000" in answer, REFUSED in answer) == (is_read, not is_read)


def test_where_another_organisation_sees_the_answer_only_that_channel_is_read(stage):
    """A public channel of ours is closed there, and so is the shared channel from elsewhere.

    A group DM with people of another organisation is no different.
    """
    group = stage.slack.workspace.open_group(USER, OUTSIDER, stage.app.bot_user).id
    assert "98,000" not in asked(stage, link_to(stage, "C0PUBLIC"), channel=group)
    inside = stage.slack.workspace.open_group(USER, SATO, stage.app.bot_user).id
    assert "98,000円" in asked(stage, link_to(stage, "C0PUBLIC"), channel=inside)
    assert "98,000円" in asked(stage, link_to(stage, "C0SHARED"), channel="C0SHARED")
    for link, channel in ((link_to(stage, "C0PUBLIC"), "C0SHARED"), (link_to(stage, "C0SHARED"), CHANNEL)):
        answer = asked(stage, link, channel=channel)
        assert "98,000" not in answer
        assert REFUSED in answer


def test_what_slack_does_not_say_counts_against_reading(stage):
    """An unknown author, and a Slack that does not answer, have nothing read; the second is told as such."""
    link = link_to(stage, "C0PUBLIC")
    stage.slack.faults.next(
        "users.info", Fault(error="user_not_found"), when=lambda given: given["user"] == USER
    )
    stage.slack.faults.next("conversations.info", Fault(error="channel_not_found"))
    assert "98,000" not in asked(stage, link)
    stage.slack.faults.clear()
    failing = {"when": lambda given: given["channel"] == "C0PUBLIC"}
    stage.slack.faults.next("conversations.info", Fault(error="internal_error"), 9, **failing)
    answer = asked(stage, link)
    stage.slack.faults.clear()
    assert "98,000" not in answer
    assert engine_messages.note(AgentCode.SLACK_MESSAGE_FAILED) in answer
