"""The methods that describe channels and list their messages, page by page."""

import base64

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import HISTORY, READ, Context
from slackapp.playground.workspace.records import Channel

MAX_PAGE = 1000


def info(context: Context, arguments: Arguments) -> Json:
    channel = context.visible_channel(arguments.required("channel"), READ)
    view: Json = {
        "id": channel.id,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_im": channel.is_im,
        "is_mpim": channel.is_mpim,
        "is_private": channel.private or channel.is_im,
        "is_archived": channel.is_archived,
        "is_ext_shared": channel.is_ext_shared,
        "is_shared": channel.is_ext_shared,
        "is_org_shared": False,
        "shared_team_ids": [channel.team_id, *filter(None, [channel.shared_with])],
        "context_team_id": channel.team_id,
        "created": 1_700_000_000,
    }
    if channel.is_im:
        view["user"] = channel.user
    else:
        view |= {
            "name": channel.name,
            "name_normalized": channel.name,
            "is_general": channel.id == "C0GENERAL",
            "is_member": context.app.bot_user in channel.members,
            "topic": {"value": channel.topic, "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
        }
    if arguments.flag("include_num_members"):
        view["num_members"] = len(channel.members)
    return {"channel": view}


def open_direct(context: Context, arguments: Arguments) -> Json:
    if "channel" in arguments:
        channel = context.visible_channel(arguments.text("channel"))
        return {"no_op": True, "already_open": True, "channel": {"id": channel.id}}
    users = [user for user in arguments.text("users").split(",") if user]
    if len(users) != 1:
        raise ApiRefused("not_enough_users" if not users else "method_not_supported_for_channel_type")
    known = set(context.workspace.channels)
    channel = context.workspace.open_direct(context.workspace.user(users[0]).id, context.app.bot_user)
    answer: Json = {"channel": {"id": channel.id}}
    return answer if channel.id not in known else {"no_op": True, "already_open": True, **answer}


def replies(context: Context, arguments: Arguments) -> Json:
    channel = context.joined_channel(arguments.required("channel"), HISTORY)
    ts, messages = arguments.required("ts"), context.workspace.messages
    message = messages.get(channel.id, ts, "thread_not_found")
    if message.get("thread_ts", ts) != ts:  # of a reply, Slack returns it alone (slackapi/bolt-python#783)
        return _page(context, channel, arguments, [message], default=MAX_PAGE)
    root, *answers = messages.thread(channel.id, ts)
    chosen = [message for message in answers if _in_range(message["ts"], arguments)]
    return _page(context, channel, arguments, [root, *chosen], default=MAX_PAGE)


def history(context: Context, arguments: Arguments) -> Json:
    channel = context.joined_channel(arguments.required("channel"), HISTORY)
    found = reversed(context.workspace.messages.timeline(channel.id))
    chosen = [message for message in found if _in_range(message["ts"], arguments)]
    return _page(context, channel, arguments, chosen, default=100)


def _in_range(ts: str, arguments: Arguments) -> bool:
    oldest, latest = arguments.text("oldest", "0") or "0", arguments.text("latest")
    try:
        after = float(ts) > float(oldest)
        before = not latest or float(ts) < float(latest)
    except ValueError as error:
        raise ApiRefused("invalid_ts_oldest") from error
    return (after and before) or (arguments.flag("inclusive") and ts in (oldest, latest))


def _page(context: Context, channel: Channel, arguments: Arguments, found: list[Json], default: int) -> Json:
    limit = arguments.number("limit", default)
    if not 0 < limit <= MAX_PAGE:
        raise ApiRefused("invalid_limit")
    begin = 0
    if cursor := arguments.text("cursor"):
        matches = [index for index, message in enumerate(found) if _cursor(message["ts"]) == cursor]
        if not matches:
            raise ApiRefused("invalid_cursor")
        begin = matches[0]
    end = begin + limit
    hidden = arguments.flag("include_all_metadata")
    messages = context.workspace.messages
    page: Json = {
        "messages": [messages.shown(channel.id, message, hidden=hidden) for message in found[begin:end]],
        "has_more": end < len(found),
    }
    if page["has_more"]:
        page["response_metadata"] = {"next_cursor": _cursor(found[end]["ts"])}
    return page


def _cursor(ts: str) -> str:
    """Names the first message of the next page, so that new messages shift nothing."""
    return base64.b64encode(f"next_ts:{ts}".encode()).decode()
