"""Messages that an app posts, changes and deletes, and what Slack refuses."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.slackapp.playground.apps import error_of

MARK = {"event_type": "web_reader_reply", "event_payload": {"key": "k", "part": "0"}}
SECTION = {"type": "section", "text": {"type": "mrkdwn", "text": "はい"}}


def test_a_reply_joins_its_thread(slack, client, root):
    """A posted reply is in the thread with the app as its author, and the first message counts it."""
    answer = client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="はい", metadata=MARK)
    first, reply = slack.thread("general", root)
    assert (first["reply_count"], first["latest_reply"], first["reply_users"]) == (
        1,
        answer["ts"],
        ["U0READER"],
    )
    assert (reply["text"], reply["bot_id"], reply["thread_ts"]) == ("はい", "B0READER", root)
    assert reply["metadata"] == MARK


def test_timestamps_rise_while_the_clock_does_not_move(slack, client):
    """No two messages share a timestamp, and the later is the greater."""
    stamps = [client.chat_postMessage(channel="C0GENERAL", text=str(n))["ts"] for n in range(5)]
    assert stamps == sorted(set(stamps))


def test_a_new_message_is_cut_and_not_refused(client):
    posted = client.chat_postMessage(channel="C0GENERAL", text="x" * 40_001)
    assert len(posted["message"]["text"]) == 40_000


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0NONE", "text": "x"}, "channel_not_found"),
        ({"channel": "outside", "text": "x"}, "not_in_channel"),
        ({"channel": "secret", "text": "x"}, "channel_not_found"),
        ({"channel": "old", "text": "x"}, "is_archived"),
        ({"channel": "general"}, "no_text"),
        ({"channel": "general", "text": ""}, "no_text"),
        ({"channel": "general", "text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        ({"channel": "general", "text": "x", "blocks": "[{"}, "invalid_blocks_format"),
        ({"channel": "general", "text": "x", "blocks": [{"type": "shout"}]}, "invalid_blocks"),
        ({"channel": "general", "text": "x", "markdown_text": "y"}, "markdown_text_conflict"),
        ({"channel": "general", "markdown_text": "y" * 12_001}, "msg_too_long"),
        ({"channel": "general", "text": "x", "metadata": {"event_type": "a"}}, "invalid_metadata_format"),
        ({"text": "x"}, "invalid_arguments"),
    ],
)
def test_a_message_that_slack_refuses(slack, client, arguments, error):
    """Each refusal has Slack's name, and nothing is posted."""
    slack.workspace.add_channel("outside", is_member=False)
    slack.workspace.add_channel("secret", is_member=False, private=True)
    slack.workspace.add_channel("old", is_archived=True)
    with pytest.raises(SlackApiError) as caught:
        client.api_call("chat.postMessage", json=arguments)
    assert caught.value.response["error"] == error
    assert len(slack.workspace.messages) == 0


@pytest.mark.parametrize("length", [40_000])
def test_the_longest_message_passes(client, length):
    assert client.chat_postMessage(channel="C0GENERAL", text="あ" * length)["ok"]


def test_a_reply_to_a_reply_is_refused(slack, client, root):
    """A thread belongs to its first message."""
    reply = client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="x")["ts"]
    error = error_of(client.chat_postMessage, channel="C0GENERAL", thread_ts=reply, text="y")
    assert error == "cannot_reply_to_message"


def test_a_person_can_be_written_to_by_id(slack, client):
    """A user's id means the direct conversation with them."""
    answer = client.chat_postMessage(channel="U0SATO", text="x")
    assert answer["channel"] == slack.direct("U0SATO")


def test_an_update_replaces_text_and_blocks(slack, client, root):
    """A new text alone removes the blocks; blocks alone leave the text."""
    ts = client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="一", blocks=[SECTION])["ts"]
    client.chat_update(channel="C0GENERAL", ts=ts, text="二")
    assert "blocks" not in slack.thread("general", root)[1]
    client.api_call(
        "chat.update", json={"channel": "C0GENERAL", "ts": ts, "blocks": [SECTION], "metadata": MARK}
    )
    shown = slack.thread("general", root)[1]
    assert (shown["text"], shown["blocks"], shown["metadata"]) == ("二", [SECTION], MARK)
    assert shown["edited"]["user"] == "U0READER"


@pytest.mark.parametrize(
    ("whose", "arguments", "error"),
    [
        ("own", {"text": "x" * 4_001}, "msg_too_long"),
        ("own", {}, "no_text"),
        ("own", {"blocks": [{"type": "nothing"}]}, "invalid_blocks"),
        ("theirs", {"text": "x"}, "cant_update_message"),
        ("none", {"text": "x"}, "message_not_found"),
    ],
)
def test_an_update_that_slack_refuses(slack, client, root, whose, arguments, error):
    """Nothing changes."""
    own = client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="元")["ts"]
    ts = {"own": own, "theirs": root, "none": "1.000001"}[whose]
    with pytest.raises(SlackApiError) as caught:
        client.api_call("chat.update", json={"channel": "C0GENERAL", "ts": ts, **arguments})
    assert caught.value.response["error"] == error
    assert [message["text"] for message in slack.thread("general", root)] == ["こんにちは", "元"]


def test_an_update_may_be_as_long_as_slack_allows(slack, client):
    ts = client.chat_postMessage(channel="C0GENERAL", text="元")["ts"]
    assert client.chat_update(channel="C0GENERAL", ts=ts, text="あ" * 4_000)["ok"]


def test_only_own_messages_can_be_deleted(slack, client, root):
    """A deleted reply is gone; others' messages stay."""
    ts = client.chat_postMessage(channel="C0GENERAL", thread_ts=root, text="x")["ts"]
    client.chat_delete(channel="C0GENERAL", ts=ts)
    assert len(slack.thread("general", root)) == 1
    assert error_of(client.chat_delete, channel="C0GENERAL", ts=root) == "cant_delete_message"
    assert error_of(client.chat_delete, channel="C0GENERAL", ts=ts) == "message_not_found"


def test_an_ephemeral_message_reaches_one_person(slack, client):
    """The channel does not have it, and only members can get one."""
    client.chat_postEphemeral(channel="C0GENERAL", user="U0SATO", text="内緒")
    assert [message["text"] for message in slack.ephemerals("U0SATO")] == ["内緒"]
    assert slack.ephemerals("U0TANAKA") == []
    assert slack.timeline("general") == []
    error = error_of(client.chat_postEphemeral, channel=slack.direct("U0SATO"), user="U0TANAKA", text="x")
    assert error == "user_not_in_channel"


def test_a_permalink_names_the_message(client, root):
    """With the workspace's address, which `auth.test` says; in a thread with the thread."""
    link = client.chat_getPermalink(channel="C0GENERAL", message_ts=root)["permalink"]
    assert link == f"{client.auth_test()['url']}archives/C0GENERAL/p{root.replace('.', '')}"
    reply = client.chat_postMessage(channel="C0GENERAL", text="a", thread_ts=root)["ts"]
    link = client.chat_getPermalink(channel="C0GENERAL", message_ts=reply)["permalink"]
    assert link.endswith(f"/p{reply.replace('.', '')}?thread_ts={root}&cid=C0GENERAL")


def test_reactions_are_counted_once_each(slack, client, root):
    """A second one by the same user is refused, and so is removing a missing one."""
    client.reactions_add(channel="C0GENERAL", timestamp=root, name="eyes")
    slack.react("U0SATO", "general", root, "eyes")
    (entry,) = client.reactions_get(channel="C0GENERAL", timestamp=root)["message"]["reactions"]
    assert (entry["name"], entry["count"], entry["users"]) == ("eyes", 2, ["U0READER", "U0SATO"])
    again = {"channel": "C0GENERAL", "timestamp": root, "name": "eyes"}
    assert error_of(client.reactions_add, **again) == "already_reacted"
    client.reactions_remove(**again)
    assert error_of(client.reactions_remove, **again) == "no_reaction"
    assert error_of(client.reactions_add, **again | {"name": "a b"}) == "invalid_name"
    assert error_of(client.reactions_add, **again | {"timestamp": "1.0"}) == "message_not_found"


def test_a_home_is_published_for_a_user(slack, client):
    view = {"type": "home", "blocks": [SECTION]}
    client.views_publish(user_id="U0SATO", view=view)
    published = slack.workspace.homes["A0READER", "U0SATO"]
    assert (published["type"], published["blocks"], published["id"][0]) == ("home", [SECTION], "V")
    assert error_of(client.views_publish, user_id="U0SATO", view={"type": "modal"}) == "invalid_arguments"
