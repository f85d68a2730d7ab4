"""Payloads of the tests of bolt-python, slack_sdk and slack-web go through the parsers, and none is misread.

`data/slack_payloads.json` has them as facts: who sent what, where, and in which envelope. Texts are only
their mentions, and names are plain ids. `from` is the file that has the payload, `reads` is what it means to
this app. Bolt's own functions are a second opinion about workspaces.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.request.internals import (
    extract_actor_enterprise_id,
    extract_actor_team_id,
    extract_enterprise_id,
    extract_team_id,
)

from slackapp.listeners import payloads
from slackapp.listeners.incoming import Ignored, Incoming

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "slack_payloads.json").read_text("utf-8"))
EVENTS: dict[str, list[Any]] = {
    "app_mention": [payloads.from_event],
    "message": [payloads.from_event],
    "reaction_added": [lambda body, _: payloads.from_reaction(body)],
    "agent_session_stopped": [lambda body, _: payloads.from_session_stopped(body)],
    "app_uninstalled": [lambda body, _: payloads.from_departure(body)],
    "tokens_revoked": [lambda body, _: payloads.from_departure(body)],
}
CHANGES: dict[str, list[Any]] = {
    "message_deleted": [lambda body, _: payloads.from_deletion(body)],
    "message_changed": [
        lambda body, _: payloads.from_deletion(body),
        payloads.from_edit,
    ],
}
INTERACTIONS: dict[str, list[Any]] = {
    "message_action": [payloads.from_shortcut],
    "block_actions": [lambda body, _: payloads.from_feedback(body)],
}


def parsers(body):
    """The parsers that the listeners use for a payload, in their order."""
    event = body.get("event") or {}
    if "command" in body:
        return [payloads.from_command]
    if event:
        return EVENTS.get(str(event.get("type")), []) + CHANGES.get(str(event.get("subtype")), [])
    return INTERACTIONS.get(body.get("type"), [])


def bot_of(body):
    first: dict[str, Any] = next(iter(body.get("authorizations") or ()), {})
    return first.get("user_id", "") if first.get("is_bot") else ""


def meaning(parsed):
    if isinstance(parsed, Ignored):
        return parsed.reason.value
    kind = parsed.kind.value if isinstance(parsed, Incoming) else type(parsed).__name__.lower()
    return f"{kind} in {parsed.team}"


def test_no_payload_is_misread():
    for recorded in RECORDED:
        body = recorded["body"]
        read = [parse(body, bot_of(body)) for parse in parsers(body)]
        assert [meaning(parsed) for parsed in read] == recorded["reads"], recorded["from"]
        teams = {parsed.team for parsed in read if not isinstance(parsed, Ignored)}
        assert teams <= {extract_team_id(body) or body.get("team_id")}, recorded["from"]


def test_there_are_many():
    sources = Counter(recorded["from"].partition(":")[0] for recorded in RECORDED)
    assert len(RECORDED) == sum(sources.values()) == COUNT
    assert sources.keys() == {"bolt-python", "slack_sdk", "slack-web"}


COUNT = 138
SHARED = [
    recorded["body"]
    for recorded in RECORDED
    if recorded["body"].get("is_ext_shared_channel")
    and recorded["body"]["event"]["type"] in ("app_mention", "message")
    and not recorded["body"]["event"].get("bot_id")
    and recorded["body"]["event"].get("subtype") in (None, "file_share")
]


@pytest.mark.parametrize("body", SHARED, ids=str)
def test_who_is_foreign_in_a_shared_channel_is_what_bolt_says(body):
    """Some recordings leave out the time and the text; both are filled in here."""
    event = {"ts": "1.1", **body["event"], "text": f"<@{bot_of(body)}> a"}
    read = payloads.from_event(body | {"event": event}, bot_of(body))
    assert isinstance(read, Incoming)
    assert read.team == body["authorizations"][0]["team_id"]
    actor = extract_actor_team_id(body) or extract_actor_enterprise_id(body)
    ours = (extract_team_id(body), extract_enterprise_id(body))
    assert (read.user_team not in (read.team, read.enterprise)) == (actor not in ours)


def test_shared_channels_are_among_them():
    assert len(SHARED) == 10
