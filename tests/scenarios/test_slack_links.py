"""Links that are not in a message's text: what apps post, what people forward, what Slack previews."""

import pytest

from slackapp import wording
from slackapp.codes import RefusalCode
from tests.slackapp.stage import CHANNEL, USER, Stage

LINK = "https://news.example/2026/11/17?id=1&lang=ja"
WRAPPED = "<https://news.example/2026/11/17?id=1&amp;lang=ja|今日の記事>"
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": f"*新着* {WRAPPED}"}}
BUTTON = {"type": "actions", "elements": [{"type": "button", "action_id": "open", "url": LINK}]}
POSTS = {
    "section": {"blocks": [SECTION]},
    "context": {"blocks": [{"type": "context", "elements": [SECTION["text"]]}]},
    "button": {"blocks": [BUTTON]},
    "attachment": {"attachments": [{"title": "今日の記事", "title_link": LINK, "text": "本文"}]},
    "attachment's text": {"attachments": [{"text": WRAPPED, "fallback": "記事"}]},
    "preview": {"attachments": [{"from_url": LINK, "original_url": LINK, "title": "今日の記事"}]},
}
ALL = pytest.mark.parametrize("content", POSTS.values(), ids=POSTS)
pytestmark = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@pytest.fixture
def stage(store):
    with Stage(store) as running:
        running.slack.workspace.add_user("feed", user_id="U0FEED", is_bot=True)
        yield running
        assert running.settled().unfinished() == []


def posted(stage, content, **fields):
    return stage.slack.say("U0FEED", CHANNEL, "", **content, **fields)


@ALL
def test_the_shortcut_reads_what_an_app_posted(stage, content):
    stage.slack.shortcut(USER, CHANNEL, posted(stage, content), "read_link")
    [asked] = stage.settled().agent.asked
    assert LINK in asked.question


def test_the_shortcut_reads_the_message_of_its_payload(stage):
    """Another message of the thread with the same text is not asked about."""
    ts = posted(stage, POSTS["section"])
    other = [{"type": "section", "text": {"type": "mrkdwn", "text": "<https://other.example/>"}}]
    reply = stage.slack.say("U0FEED", CHANNEL, "", ts, blocks=other)
    stage.slack.shortcut(USER, CHANNEL, reply, "read_link")
    [asked] = stage.settled().agent.asked
    assert "https://other.example/" in asked.question
    assert LINK not in asked.question


@ALL
def test_a_mention_in_an_apps_thread_knows_its_links(stage, content):
    stage.mention("要点は？", thread_ts=posted(stage, content))
    [asked] = stage.settled().agent.asked
    assert LINK in asked.history[0].text


@ALL
def test_a_question_about_a_forwarded_message_knows_its_links(stage, content):
    """The forward comes with the mention itself; no thread is read for it."""
    ts = posted(stage, content)
    stage.slack.forward(USER, CHANNEL, ts, "C0RANDOM", f"<@{stage.app.bot_user}> 要点は？")
    [asked] = stage.settled().agent.asked
    assert asked.links == (LINK,)


@ALL
def test_a_message_that_is_forwarded_to_the_app_without_a_word_is_read(stage, content):
    """As recorded in MercuryTechnologies/slack-web, share_without_message.json: its text is empty."""
    direct = stage.slack.direct(USER)
    stage.slack.forward(USER, CHANNEL, posted(stage, content), direct, "")
    [asked] = stage.settled().agent.asked
    assert (asked.links, asked.question) == ((LINK,), wording.shortcut_question())


@pytest.mark.parametrize("by_app", [False, True], ids=["without a link", "of the app"])
def test_a_forward_without_a_word_in_which_nothing_can_be_read_gets_the_hint(stage, by_app):
    """Links in messages of the app are not a user's: with them there is nothing to ask either."""
    if by_app:
        ts = stage.slack.say(stage.app.bot_user, CHANNEL, WRAPPED, deliver=False)
    else:
        ts = stage.slack.say(USER, CHANNEL, "おはよう", deliver=False)
    direct = stage.slack.direct(USER)
    forward = stage.slack.forward(USER, CHANNEL, ts, direct, "")
    [told] = stage.settled().replies(forward, direct)
    assert stage.agent.asked == []
    assert told["text"] == wording.refusal(RefusalCode.EMPTY)


def test_a_forward_in_a_thread_is_read_with_the_thread(stage):
    root = stage.slack.forward(USER, CHANNEL, posted(stage, POSTS["section"]), CHANNEL, "共有します")
    stage.mention("要点は？", thread_ts=root)
    [asked] = stage.settled().agent.asked
    assert LINK in asked.history[0].text


def test_an_answer_that_is_forwarded_gives_no_links(stage):
    """What the app wrote is not what a person asks for."""
    ts = stage.slack.say(stage.app.bot_user, CHANNEL, f"続きは {WRAPPED}", deliver=False)
    stage.slack.forward(USER, CHANNEL, ts, CHANNEL, f"<@{stage.app.bot_user}> 読んで")
    [asked] = stage.settled().agent.asked
    assert asked.links == ()
