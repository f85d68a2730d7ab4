"""Payloads become requests, or are ignored with a reason."""

from typing import Any

import pytest

from slackapp.codes import IgnoreReason
from slackapp.listeners import payloads
from slackapp.listeners.incoming import Feedback, FeedbackReason, Ignored, Incoming, Kind
from slackapp.listeners.payloads import MAX_TEXT_CHARS, from_feedback, from_reason
from tests.slackapp.payloads import (
    BOT,
    CHANNEL,
    OTHER,
    TEAM,
    USER,
    command,
    direct,
    event,
    mention,
    message,
    shortcut,
)

parse: Any = payloads
"""What comes back is looked at, not trusted to be of a type."""


def test_a_mention_is_a_question_for_its_thread():
    heard = parse.from_event(mention(), BOT)
    assert isinstance(heard, Incoming)
    assert (heard.kind, heard.question) == (Kind.MENTION, "https://shop.example/ いくら？")
    assert (heard.key, heard.thread_ts, heard.starts_thread) == (f"{TEAM}:{CHANNEL}:100.1", "100.1", True)


def test_both_events_of_one_mention_have_the_same_key():
    """S2: their event ids differ, the post is one."""
    text = f"<@{BOT}> hello"
    first, second = parse.from_event(mention(text), BOT), parse.from_event(message(text), BOT)
    assert first.key == second.key
    assert (first.kind, second.kind) == (Kind.MENTION, Kind.MENTION)
    assert (first.echo, second.echo) == (False, True)


def test_a_mention_with_a_label_is_ours_too():
    assert parse.from_event(mention(f"<@{BOT}|reader> hello"), BOT).question == "hello"


def test_a_reply_in_a_thread_is_a_follow_up():
    heard = parse.from_event(message("では年額は？", thread_ts="90.1"), BOT)
    assert (heard.kind, heard.thread_ts, heard.starts_thread) == (Kind.FOLLOW_UP, "90.1", False)


def test_a_date_or_a_channel_in_a_reply_calls_no_one():
    text = "<!date^1792800000^{date}|11月18日> は <#C0SALES|sales> でもいい？"
    assert parse.from_event(message(text, thread_ts="90.1"), BOT).kind is Kind.FOLLOW_UP


def test_a_direct_message_needs_no_mention():
    assert parse.from_event(direct("https://shop.example/"), BOT).kind is Kind.DIRECT


@pytest.mark.parametrize("subtype", ["file_share", "me_message", "thread_broadcast"])
def test_messages_that_a_person_wrote_count_whatever_their_subtype(subtype):
    heard = parse.from_event(mention(subtype=subtype, files=[{"name": "料金.csv"}, {}]), BOT)
    assert heard.files == ("料金.csv",)


IGNORED = {
    "channel talk": (message("おはよう"), IgnoreReason.NOT_ADDRESSED),
    "thread root without mention": (message("a", thread_ts="100.1"), IgnoreReason.NOT_ADDRESSED),
    "reply to another": (message(f"<@{OTHER}> どう？", thread_ts="90.1"), IgnoreReason.MENTIONS_ANOTHER),
    "reply to a group": (
        message("<!subteam^S1|@sales> どう？", thread_ts="90.1"),
        IgnoreReason.MENTIONS_ANOTHER,
    ),
    "reply to all": (message("<!here> どうですか？", thread_ts="90.1"), IgnoreReason.MENTIONS_ANOTHER),
    "empty follow-up": (message(" ", thread_ts="90.1"), IgnoreReason.EMPTY),
    "our own": (message("a", user=BOT, thread_ts="90.1"), IgnoreReason.OWN_MESSAGE),
    "another bot": (mention(bot_id="B1"), IgnoreReason.OTHER_BOT),
    "another bot by profile": (mention(bot_profile={"id": "B1"}), IgnoreReason.OTHER_BOT),
    "Slackbot": (direct("You have been removed from #general", user="USLACKBOT"), IgnoreReason.OTHER_BOT),
    "edited days later": (mention(edited={"user": USER, "ts": "90000.0"}), IgnoreReason.EDITED),
    "edited direct message": (direct("a", edited={"user": USER, "ts": "101.0"}), IgnoreReason.EDITED),
    "changed": (message("a", subtype="message_changed"), IgnoreReason.SUBTYPE),
    "joined": (message("a", subtype="channel_join"), IgnoreReason.SUBTYPE),
    "nobody": (mention(user=None), IgnoreReason.NO_USER),
    "no event": ({"team_id": TEAM}, IgnoreReason.MALFORMED),
    "event is text": ({"team_id": TEAM, "event": "a"}, IgnoreReason.MALFORMED),
    "no channel": (event(type="app_mention", user=USER, ts="1.1", text="a"), IgnoreReason.MALFORMED),
}


@pytest.mark.parametrize(("body", "reason"), IGNORED.values(), ids=IGNORED)
def test_what_asks_us_nothing_is_ignored_with_its_reason(body, reason):
    assert parse.from_event(body, BOT) == Ignored(reason=reason)


def test_a_text_that_no_person_typed_is_not_kept():
    heard = parse.from_event(mention("あ" * (MAX_TEXT_CHARS + 1)), BOT)
    assert (heard.too_long, heard.text) == (True, "")
    assert not parse.from_event(mention("あ" * MAX_TEXT_CHARS), BOT).too_long


def test_slack_connect_shows():
    """S6 needs to know both."""
    heard = parse.from_event(mention(user_team="T0OTHER") | {"is_ext_shared_channel": True}, BOT)
    assert (heard.user_team, heard.shared) == ("T0OTHER", True)


def test_a_command_is_claimed_by_its_trigger():
    heard = parse.from_command(command("https://shop.example/ いくら？"), BOT)
    assert (heard.kind, heard.key, heard.thread_ts) == (Kind.COMMAND, f"{TEAM}:trigger:1.2.abc", "")
    assert heard.response_url == "http://127.0.0.1/response"


def test_a_shortcut_reads_the_message_in_its_thread():
    heard = parse.from_shortcut(shortcut("<https://shop.example/>"), BOT)
    assert (heard.kind, heard.user, heard.thread_ts) == (Kind.SHORTCUT, USER, "90.1")
    assert (heard.user_team, heard.response_url) == (TEAM, "http://127.0.0.1/response")


@pytest.mark.parametrize(
    "heard",
    [
        parse.from_event(mention(), BOT),
        parse.from_command(command("a"), ""),
        parse.from_shortcut(shortcut("a"), ""),
    ],
)
def test_a_request_survives_the_store(heard):
    assert Incoming.from_json(heard.to_json()) == heard


def test_a_deleted_request_stops_its_run():
    stop = parse.from_deletion(message("", subtype="message_deleted", deleted_ts="100.1"))
    assert (stop.key, stop.user) == (f"{TEAM}:{CHANNEL}:100.1", "")


def test_a_deleted_request_with_replies_leaves_a_tombstone():
    gone = {"subtype": "tombstone", "ts": "100.1"}
    stop = parse.from_deletion(message("", ts="100.2", subtype="message_changed", message=gone))
    assert stop.key == f"{TEAM}:{CHANNEL}:100.1"


def test_an_edited_message_stops_nothing():
    edited = {"text": "a", "ts": "100.1"}
    heard = parse.from_deletion(message("", ts="100.2", subtype="message_changed", message=edited))
    assert heard == Ignored(reason=IgnoreReason.SUBTYPE)


def test_a_direct_message_that_mentions_us_is_no_echo():
    """Its post comes as no other event."""
    assert not parse.from_event(direct(f"<@{BOT}> hello"), BOT).echo


@pytest.mark.parametrize("name", ["x", "heavy_multiplication_x", "negative_squared_cross_mark"])
def test_a_cross_stops_the_run_of_the_request_or_the_reply_under_it(name):
    stop = parse.from_reaction(
        event(type="reaction_added", reaction=name, user=USER, item={"channel": CHANNEL, "ts": "100.1"})
    )
    assert (stop.key, stop.names) == (f"{TEAM}:{CHANNEL}:100.1", (f"reply:{TEAM}:{CHANNEL}:100.1",))


def test_other_reactions_stop_nothing():
    body = event(type="reaction_added", reaction="eyes", user=USER, item={"channel": CHANNEL, "ts": "1.1"})
    assert parse.from_reaction(body) == Ignored(reason=IgnoreReason.NOT_ADDRESSED)


def test_slacks_stop_button_names_the_thread_and_its_streams():
    stop = parse.from_session_stopped(
        event(
            type="agent_session_stopped",
            channel=CHANNEL,
            thread_ts="90.1",
            user=USER,
            streaming_message_ts=["95.1"],
        )
    )
    assert stop.names == (f"reply:{TEAM}:{CHANNEL}:95.1", f"thread:{TEAM}:{CHANNEL}:90.1")


def test_feedback_belongs_to_a_message_and_a_user():
    body = {
        "team": {"id": TEAM},
        "user": {"id": USER},
        "container": {"channel_id": CHANNEL, "message_ts": "95.1"},
        "actions": [{"action_id": "feedback", "value": "good"}],
    }
    feedback = from_feedback(body)
    assert isinstance(feedback, Feedback)
    assert (feedback.name, feedback.value) == (f"feedback:{TEAM}:{CHANNEL}:95.1:{USER}", "good")


def submitted(value, name=f"feedback:{TEAM}:{CHANNEL}:95.1:{USER}", user=USER):
    state = {"values": {"reason": {"reason": {"type": "plain_text_input", "value": value}}}}
    return {
        "type": "view_submission",
        "user": {"id": user},
        "view": {"private_metadata": name, "state": state},
    }


def test_a_reason_is_one_line_of_the_user_who_gave_the_rating():
    reason = from_reason(submitted(" 価格が\n古い\ud800" + "。" * 400))
    assert isinstance(reason, FeedbackReason)
    assert reason.name == f"feedback:{TEAM}:{CHANNEL}:95.1:{USER}"
    assert reason.text.startswith("価格が 古い")
    assert len(reason.text) == 300


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (submitted(None), IgnoreReason.EMPTY),
        (submitted(" \n "), IgnoreReason.EMPTY),
        (submitted("古い", user="U0OTHER"), IgnoreReason.MALFORMED),
        (submitted("古い", name=f"T1:C1:{USER}"), IgnoreReason.MALFORMED),
        ({}, IgnoreReason.MALFORMED),
        ({"view": {"state": []}, "user": {"id": USER}}, IgnoreReason.MALFORMED),
    ],
)
def test_a_reason_of_another_shape_is_ignored(body, why):
    assert from_reason(body) == Ignored(reason=why)


@pytest.mark.parametrize("body", [{}, {"event": None, "team_id": TEAM}, {"team": "a", "actions": []}])
def test_feedback_without_its_parts_is_malformed(body):
    assert from_feedback(body) == Ignored(reason=IgnoreReason.MALFORMED)


@pytest.mark.parametrize("name", ["from_deletion", "from_reaction", "from_session_stopped"])
@pytest.mark.parametrize("body", [{}, {"event": None, "team_id": TEAM}, {"team": "a", "actions": []}])
def test_payloads_without_their_parts_are_malformed(name, body):
    assert getattr(parse, name)(body) == Ignored(reason=IgnoreReason.MALFORMED)


WRONG = {
    "channel is a list": (parse.from_event, mention(channel=["C1"])),
    "ts is a number": (parse.from_event, mention(ts=100.1)),
    "user is an object": (parse.from_event, mention(user={"id": USER})),
    "thread is a number": (parse.from_event, message("a", thread_ts=90.1)),
    "half a surrogate pair in an id": (parse.from_event, mention(channel="C\ud800")),
    "command's channel is a number": (parse.from_command, command("a", channel_id=5)),
    "shortcut's user is a number": (parse.from_shortcut, shortcut("a", user={"id": 5})),
}


@pytest.mark.parametrize(("parse", "body"), WRONG.values(), ids=WRONG)
def test_ids_that_are_no_text_are_malformed(parse, body):
    """No store and no method of Slack's would take them later."""
    assert parse(body, BOT) == Ignored(reason=IgnoreReason.MALFORMED)


def test_half_a_surrogate_pair_does_not_stop_a_question():
    """JSON can escape it, UTF-8 cannot say it: stores, logs and models speak UTF-8."""
    heard = parse.from_event(mention("絵\ud83d文字", files=[{"name": "\udc00.csv"}]), BOT)
    assert isinstance(heard, Incoming)
    assert (heard.text, heard.files) == ("絵?文字", ("?.csv",))
    assert Incoming.from_json(heard.to_json().encode().decode()) == heard


def edit_of(before=f"<@{BOT}> 前", *, channel_type="channel", edited=USER, **fields):
    after = {"user": USER, "ts": "100.1", "text": "後", "edited": {"user": edited, "ts": "101.0"}} | fields
    parts = {"message": after, "previous_message": after | {"text": before}, "channel_type": channel_type}
    return message("", subtype="message_changed", **parts)


EDITS = {
    "of a mention": (edit_of(), None),
    "in a thread": (edit_of("前", thread_ts="90.1"), None),
    "of a direct message": (edit_of("前", channel_type="im"), None),
    "of other talk": (edit_of("前"), IgnoreReason.NOT_ADDRESSED),
    "of a bot's message": (edit_of(thread_ts="90.1", bot_id="B1"), IgnoreReason.OTHER_BOT),
    "without another text": (edit_of("後", thread_ts="90.1"), IgnoreReason.SUBTYPE),
    "by another user": (edit_of(edited=OTHER), IgnoreReason.SUBTYPE),
    "malformed": (event(type="message", subtype="message_changed"), IgnoreReason.MALFORMED),
}


@pytest.mark.parametrize(("body", "reason"), EDITS.values(), ids=EDITS)
def test_only_edits_of_what_may_be_a_question_count(body, reason):
    """On Lambda each of the others would cost an invocation, also every update of our own messages."""
    parsed = payloads.from_edit(body, BOT)
    assert getattr(parsed, "reason", None) == reason


@pytest.mark.parametrize("team", ["T0LOCAL", "all", "trigger", "", "T0:C1"])
def test_only_a_workspace_can_leave(team):
    body = {"team_id": team, "event": {"type": "app_uninstalled"}}
    assert isinstance(payloads.from_departure(body), Ignored) == (team != "T0LOCAL")
