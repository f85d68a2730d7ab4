"""Streams: the SDK's own `chat_stream`, and what ends a stream."""

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.models.messages.chunk import MarkdownTextChunk, TaskUpdateChunk

from tests.slackapp.playground.apps import error_of

MARK = {"event_type": "web_reader_reply", "event_payload": {"key": "k"}}
FOOT = {"type": "context", "elements": [{"type": "mrkdwn", "text": "出典"}]}


@pytest.fixture
def conversation(slack):
    """A direct conversation with a question in it."""
    channel = slack.direct("U0SATO")
    return channel, slack.say("U0SATO", channel, "質問", deliver=False)


@pytest.fixture
def stream(client, conversation):
    """An open stream."""
    channel, question = conversation
    return client.chat_startStream(channel=channel, thread_ts=question, markdown_text="一")["ts"]


def test_a_stream_grows_and_ends_with_its_blocks(slack, client, conversation):
    """The SDK's own helper writes in pieces; the end brings blocks, metadata and a session status."""
    channel, question = conversation
    streamer = client.chat_stream(channel=channel, thread_ts=question, buffer_size=3)
    streamer.append(markdown_text="こんに")
    during = slack.thread(channel, question)[1]
    streamer.append(markdown_text="ちは。")
    streamer.stop(markdown_text="おわり", blocks=[FOOT], metadata=MARK, session_status="active")
    after = slack.thread(channel, question)[1]
    assert (during["text"], during["streaming_state"]) == ("こんに", "in_progress")
    assert (after["text"], after["streaming_state"]) == ("こんにちは。おわり", "completed")
    assert after["blocks"] == [{"type": "markdown", "text": "こんにちは。おわり"}, FOOT]
    assert after["metadata"] == MARK
    assert slack.workspace.sessions[channel, question]["status"] == "active"


def test_tasks_are_replaced_and_their_details_grow(slack, client, conversation, stream):
    """A task keeps its id through its life."""
    channel, question = conversation
    for status, details in (("in_progress", "a"), ("complete", "b")):
        chunk = TaskUpdateChunk(id="t1", title="読む", status=status, details=details)
        client.chat_appendStream(channel=channel, ts=stream, chunks=[chunk, MarkdownTextChunk(text="。")])
    task = slack.thread(channel, question)[1]["blocks"][0]
    assert (task["type"], task["task_id"], task["status"], task["details"]) == (
        "task_card",
        "t1",
        "complete",
        "ab",
    )
    assert slack.thread(channel, question)[1]["text"] == "一。。"


def test_a_stream_ends_by_itself_after_five_minutes(slack, client, clock, conversation, stream):
    """However busy it was; then an update works."""
    channel, question = conversation
    clock.advance(299)
    client.chat_appendStream(channel=channel, ts=stream, markdown_text="二")
    clock.advance(1)
    for call in (client.chat_appendStream, client.chat_stopStream):
        assert (
            error_of(call, channel=channel, ts=stream, markdown_text="三") == "message_not_in_streaming_state"
        )
    assert slack.thread(channel, question)[1]["streaming_state"] == "completed"
    assert client.chat_update(channel=channel, ts=stream, text="四")["ok"]


def test_an_open_stream_can_be_neither_updated_nor_deleted(client, conversation, stream):
    channel, _ = conversation
    assert error_of(client.chat_update, channel=channel, ts=stream, text="x") == "streaming_state_conflict"
    assert error_of(client.chat_delete, channel=channel, ts=stream) == "cant_delete_message"


def test_a_stopped_stream_stays_stopped(client, conversation, stream):
    """A second stop and a late append are refused."""
    channel, _ = conversation
    client.chat_stopStream(channel=channel, ts=stream)
    assert error_of(client.chat_stopStream, channel=channel, ts=stream) == "message_not_in_streaming_state"


def test_the_stop_button_ends_a_stream(slack, client, conversation, stream):
    """The app learns why when it goes on."""
    channel, question = conversation
    slack.stop_session("U0SATO", channel, question)
    error = error_of(client.chat_appendStream, channel=channel, ts=stream, markdown_text="x")
    assert error == "stopped_by_user"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({}, "no_text"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"chunks": [{"type": "dance"}]}, "invalid_chunks"),
        ({"chunks": "x"}, "invalid_chunks"),
        ({"chunks": [{"type": "task_update", "title": "a", "status": "pending"}]}, "invalid_chunks"),
        ({"chunks": [{"type": "task_update", "id": "a", "title": "a", "status": "odd"}]}, "invalid_chunks"),
        ({"chunks": [{"type": "plan_update", "title": "x" * 257}]}, "invalid_chunks"),
        ({"chunks": [{"type": "blocks", "blocks": [{"type": "odd"}]}]}, "invalid_blocks"),
    ],
)
def test_a_piece_that_slack_refuses_changes_nothing(slack, client, conversation, stream, arguments, error):
    channel, question = conversation
    with pytest.raises(SlackApiError) as caught:
        client.api_call("chat.appendStream", json={"channel": channel, "ts": stream, **arguments})
    assert caught.value.response["error"] == error
    assert slack.thread(channel, question)[1]["text"] == "一"


@pytest.mark.parametrize("missing", ["recipient_team_id", "recipient_user_id"])
def test_a_stream_in_a_channel_names_its_reader(client, root, missing):
    named = {"recipient_team_id": "T0LOCAL", "recipient_user_id": "U0SATO"}
    del named[missing]
    assert (
        error_of(client.chat_startStream, channel="C0GENERAL", thread_ts=root, **named)
        == f"missing_{missing}"
    )


def test_only_own_streams_can_be_written_to(slack, client, conversation):
    channel, question = conversation
    error = error_of(client.chat_appendStream, channel=channel, ts=question, markdown_text="x")
    assert error == "message_not_owned_by_app"


def test_a_status_is_shown_until_the_answer_or_two_minutes(slack, client, clock, conversation):
    """A message of the app takes it away, and so does time."""
    channel, question = conversation
    client.assistant_threads_setStatus(
        channel_id=channel, thread_ts=question, status="読んでいます", loading_messages=["開いています"]
    )
    assert slack.workspace.statuses[channel, question].text == "読んでいます"
    client.chat_postMessage(channel=channel, thread_ts=question, text="はい")
    assert slack.workspace.statuses == {}
    client.assistant_threads_setStatus(channel_id=channel, thread_ts=question, status="まだ")
    clock.advance(120)
    slack.tick()
    assert slack.workspace.statuses == {}


def test_a_session_has_four_statuses(slack, client, conversation):
    """Anything else is refused; too many loading messages are, too."""
    channel, question = conversation
    named = {"channel_id": channel, "thread_ts": question}
    stranger = {**named, "status": "processing", "initiator_user_id": "U0NOBODY"}
    assert error_of(client.agents_sessions_setStatus, **stranger) == "invalid_arguments"
    answer = client.agents_sessions_setStatus(**named, status="processing", title="料金表")
    assert (answer["agent_status"], answer["title"]) == ("processing", "料金表")
    assert error_of(client.agents_sessions_setStatus, **named, status="busy") == "invalid_arguments"
    many = ["x"] * 11
    error = error_of(client.assistant_threads_setStatus, **named, status="x", loading_messages=many)
    assert error == "invalid_arguments"
