"""Parses the payloads of the feedback buttons, and of the modal that asks for a reason."""

from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import LONGEST_REASON, REASON, Feedback, FeedbackReason, Ignored
from slackapp.listeners.payloads import UNREADABLE, Body, installed_team
from slackapp.thread.slack_text import encodable


def from_feedback(body: Body, _bot_user: str = "") -> Feedback | Ignored:
    """A click on a feedback button under an answer."""
    try:
        return Feedback(
            team=installed_team(body),
            channel=body["container"]["channel_id"],
            user=body["user"]["id"],
            ts=body["container"]["message_ts"],
            value=str(body["actions"][0]["value"]),
            thread_ts=str(body["container"].get("thread_ts") or ""),
            press=str(body["actions"][0].get("action_ts") or ""),
            trigger=str(body.get("trigger_id") or ""),
        )
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)


def from_reason(body: Body, _bot_user: str = "") -> FeedbackReason | Ignored:
    """The modal after "not useful". The name of the rating ends with the user who gave it."""
    try:
        view, user = body["view"], body["user"]["id"]
        name, text = str(view["private_metadata"]), view["state"]["values"][REASON][REASON]["value"]
        words = " ".join(encodable(str(text or "")).split())[:LONGEST_REASON]
        if not words:
            return Ignored(reason=IgnoreReason.EMPTY)
        if not name.startswith("feedback:") or name.rpartition(":")[2] != user:
            return Ignored(reason=IgnoreReason.MALFORMED)
        return FeedbackReason(name=name, text=words)
    except UNREADABLE:
        return Ignored(reason=IgnoreReason.MALFORMED)
