"""Payloads as Slack sends them."""

TEAM, BOT, USER, OTHER, CHANNEL = "T0LOCAL", "U0BOT", "U0SATO", "U0SUZUKI", "C0GENERAL"


def event(**fields):
    """An event in its envelope."""
    return {
        "type": "event_callback",
        "team_id": TEAM,
        "event_id": "Ev1",
        "authorizations": [{"team_id": TEAM, "user_id": BOT, "is_bot": True}],
        "event": fields,
    }


def mention(text=f"<@{BOT}> https://shop.example/ いくら？", **fields):
    body = {"type": "app_mention", "user": USER, "channel": CHANNEL, "ts": "100.1", "text": text}
    return event(**body | fields)


def message(text, **fields):
    body = {
        "type": "message",
        "channel_type": "channel",
        "user": USER,
        "channel": CHANNEL,
        "ts": "100.1",
        "text": text,
    }
    return event(**body | fields)


def direct(text, **fields):
    return message(text, channel="D0SATO", channel_type="im", **fields)


def command(text, **fields):
    body = {
        "command": "/fetch",
        "team_id": TEAM,
        "channel_id": CHANNEL,
        "user_id": USER,
        "text": text,
        "trigger_id": "1.2.abc",
        "response_url": "http://127.0.0.1/response",
    }
    return body | fields


def shortcut(text, **fields):
    body = {
        "type": "message_action",
        "callback_id": "read_link",
        "trigger_id": "1.2.def",
        "team": {"id": TEAM},
        "user": {"id": USER, "team_id": TEAM},
        "channel": {"id": CHANNEL},
        "message": {"type": "message", "user": OTHER, "ts": "90.1", "text": text},
        "response_url": "http://127.0.0.1/response",
    }
    return body | fields


def reaction(name, **fields):
    """As docs.slack.dev, event `reaction_added`, has it."""
    item = {"type": "message", "channel": CHANNEL, "ts": "90.1"}
    body = {"type": "reaction_added", "user": USER, "reaction": name, "item_user": OTHER, "item": item}
    return event(**body | fields)


def modal(url, question="要点は？", **fields):
    """The modal of the Home tab: docs.slack.dev, "view_submission payload"."""
    values = {
        "url": {"url": {"type": "url_text_input", "value": url}},
        "question": {"question": {"type": "plain_text_input", "value": question}},
    }
    view = {
        "id": "V1",
        "type": "modal",
        "callback_id": "read_link_modal",
        "private_metadata": "D0SATO",
        "state": {"values": values},
    }
    return {
        "type": "view_submission",
        "team": {"id": TEAM},
        "user": {"id": USER, "team_id": TEAM},
        "view": view | fields,
    }
