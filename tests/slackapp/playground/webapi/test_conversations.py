"""Channels as they are described, and their messages page by page."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.slackapp.playground.apps import error_of

MARK = {"event_type": "web_reader_reply", "event_payload": {"key": "k"}}


@pytest.fixture
def stamps(slack, root):
    """Seven replies in the thread."""
    return [slack.say("U0SATO", "general", str(n), root, deliver=False) for n in range(7)]


def _texts(page):
    return [message["text"] for message in page["messages"]]


def test_a_thread_comes_page_by_page_from_its_first_message(client, root, stamps):
    """The cursor leads on until nothing is left."""
    pages = client.conversations_replies(channel="C0GENERAL", ts=root, limit=3)
    assert [(_texts(page), page["has_more"]) for page in pages] == [
        (["こんにちは", "0", "1"], True),
        (["2", "3", "4"], True),
        (["5", "6"], False),
    ]


def test_a_cursor_stays_valid_while_messages_are_added(slack, client, root, stamps):
    """A new reply shifts nothing."""
    first = client.conversations_replies(channel="C0GENERAL", ts=root, limit=3)
    slack.say("U0SATO", "general", "7", root, deliver=False)
    cursor = first["response_metadata"]["next_cursor"]
    rest = client.conversations_replies(channel="C0GENERAL", ts=root, limit=10, cursor=cursor)
    assert _texts(rest) == ["2", "3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({"oldest": 2}, ["3", "4", "5", "6"]),
        ({"oldest": 2, "inclusive": True}, ["2", "3", "4", "5", "6"]),
        ({"latest": 2}, ["0", "1"]),
        ({"oldest": 1, "latest": 4}, ["2", "3"]),
    ],
)
def test_a_window_chooses_replies(client, root, stamps, window, expected):
    """The first message of the thread is always there."""
    bounds = {name: stamps[value] if name != "inclusive" else value for name, value in window.items()}
    page = client.conversations_replies(channel="C0GENERAL", ts=root, **bounds)
    assert _texts(page) == ["こんにちは", *expected]


def test_metadata_is_shown_on_request(client, root):
    """Only `include_all_metadata` brings it along."""
    client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="x", metadata=MARK)
    plain = client.conversations_replies(channel="C0GENERAL", ts=root)["messages"][1]
    full = client.conversations_replies(channel="C0GENERAL", ts=root, include_all_metadata=True)["messages"][
        1
    ]
    assert ("metadata" in plain, full["metadata"]) == (False, MARK)


def test_history_has_the_newest_first_and_no_replies(slack, client, root, stamps):
    """A broadcast reply is in the channel, too."""
    slack.say("U0SATO", "general", "後", deliver=False)
    slack.say("U0SATO", "general", "皆へ", root, broadcast=True, deliver=False)
    page = client.conversations_history(channel="C0GENERAL")
    assert _texts(page) == ["皆へ", "後", "こんにちは"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"ts": "1.000001"}, "thread_not_found"),
        ({"cursor": "nonsense"}, "invalid_cursor"),
        ({"limit": 0}, "invalid_limit"),
        ({"limit": 1001}, "invalid_limit"),
        ({"limit": "many"}, "invalid_arguments"),
        ({"oldest": "x"}, "invalid_ts_oldest"),
        ({"channel": "C0NONE"}, "channel_not_found"),
    ],
)
def test_a_page_that_slack_refuses(client, root, stamps, arguments, error):
    named = {"channel": "C0GENERAL", "ts": root} | arguments
    with pytest.raises(SlackApiError) as caught:
        client.api_call("conversations.replies", params=named)
    assert caught.value.response["error"] == error


def test_a_channel_is_described(slack, client):
    """Shared, archived, private and foreign channels say so; an unseen private one is not there."""
    shared = slack.workspace.add_channel("partner", is_ext_shared=True)
    old = slack.workspace.add_channel("old", is_archived=True)
    outside = slack.workspace.add_channel("outside", is_member=False)
    hidden = slack.workspace.add_channel("hidden", private=True, is_member=False)
    described = {
        channel.name: client.conversations_info(channel=channel.id)["channel"]
        for channel in (shared, old, outside)
    }
    assert described["partner"]["is_ext_shared"] is True
    assert described["old"]["is_archived"] is True
    assert described["outside"]["is_member"] is False
    assert error_of(client.conversations_info, channel=hidden.id) == "channel_not_found"
    assert error_of(client.conversations_replies, channel=outside.id, ts="1.0") == "not_in_channel"
    direct = client.conversations_info(channel=slack.direct("U0SATO"))["channel"]
    assert (direct["is_im"], direct["user"]) == (True, "U0SATO")


def test_a_direct_conversation_is_opened_once(slack, client):
    """A second opening says that it was open."""
    new = slack.workspace.add_user("new")
    first = client.conversations_open(users=new.id)
    again = client.conversations_open(users=new.id)
    assert first["channel"]["id"] == again["channel"]["id"]
    assert ("already_open" in first.data, again["already_open"]) == (False, True)
    assert error_of(client.conversations_open, users="") == "not_enough_users"


def test_a_deleted_first_message_leaves_a_tombstone(slack, client, root, stamps):
    """The thread goes on; without replies the message is simply gone."""
    slack.delete("general", root)
    first = client.conversations_replies(channel="C0GENERAL", ts=root, limit=1)["messages"][0]
    assert (first["subtype"], first["reply_count"]) == ("tombstone", 7)
    alone = slack.say("U0SATO", "general", "一人", deliver=False)
    slack.delete("general", alone)
    assert error_of(client.conversations_replies, channel="C0GENERAL", ts=alone) == "thread_not_found"
