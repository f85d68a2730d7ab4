"""The methods for an agent's session, and its status in a thread.

Authorities: docs.slack.dev, method `agents.sessions.setStatus` and "Agent sessions". The page says that the
initiator must be a member of the channel; the code for another one rests on memory.
"""

from slackapp.playground.errors import bad_arguments
from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.records import STATUS_LIFE, Status

STATUSES = frozenset({"active", "closed", "processing", "suspended"})
MAX_LOADING_MESSAGES = 10
MAX_PROMPTS = 4
MAX_TITLE = 200
UNSUBSCRIBED_WARNING = "missing_agent_session_stopped_event_subscription"


def check_status(status: str) -> None:
    if status not in STATUSES:
        raise bad_arguments(f"must be one of {', '.join(sorted(STATUSES))}: status")


def put_session(context: Context, channel: str, thread_ts: str, status: str, title: str = "") -> Json:
    """Creates or changes the session of a thread; a title counts only when it is created."""
    session = context.workspace.sessions.setdefault(
        (channel, thread_ts), {"app_id": context.app.app_id, "title": title, "status": status}
    )
    session["status"] = status
    context.workspace.activity.record("session", channel=channel, thread_ts=thread_ts, **session)
    return session


def set_session_status(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel_id"))
    status = arguments.required("status")
    check_status(status)
    thread_ts = context.checked_thread(channel, arguments.required("thread_ts"))
    title = arguments.text("title")
    if len(title) > MAX_TITLE:
        raise bad_arguments(f"must be less than {MAX_TITLE + 1} characters: title")
    initiator = arguments.text("initiator_user_id")
    is_new = (channel.id, thread_ts) not in context.workspace.sessions
    if is_new and initiator and initiator not in channel.members:
        raise bad_arguments("must be a member of the channel: initiator_user_id")
    session = put_session(context, channel.id, thread_ts, status, title)
    answer = {"status": session["status"], "agent_status": session["status"], "title": session["title"]}
    if "agent_session_stopped" not in context.app.subscriptions:
        answer["warning"] = UNSUBSCRIBED_WARNING
    return answer


def set_thread_status(context: Context, arguments: Arguments) -> Json:
    channel = context.writable_channel(arguments.required("channel_id"))
    thread_ts = context.checked_thread(channel, arguments.required("thread_ts"))
    loading = arguments.structure("loading_messages", "invalid_arguments") or []
    if not isinstance(loading, list) or len(loading) > MAX_LOADING_MESSAGES:
        raise bad_arguments(f"no more than {MAX_LOADING_MESSAGES} items allowed: loading_messages")
    if "status" not in arguments.values:
        raise bad_arguments("missing required field: status")
    text = arguments.text("status")
    statuses = context.workspace.statuses
    if text:
        until = context.workspace.clock.now() + STATUS_LIFE
        statuses[channel.id, thread_ts] = Status(text=text, until=until)
    else:
        statuses.pop((channel.id, thread_ts), None)
    context.workspace.activity.record("status", channel=channel.id, thread_ts=thread_ts, status=text)
    return {}


def set_suggested_prompts(context: Context, arguments: Arguments) -> Json:
    """Shows prompts at the top of the Messages tab; with a thread, an agent's call has no effect."""
    channel = context.writable_channel(arguments.required("channel_id"))
    prompts = arguments.structure("prompts", "invalid_arguments")
    if not isinstance(prompts, list) or not 0 < len(prompts) <= MAX_PROMPTS:
        raise bad_arguments(f"from 1 to {MAX_PROMPTS} items allowed: prompts")
    for prompt in prompts:
        if not isinstance(prompt, dict) or not prompt.get("title") or not prompt.get("message"):
            raise bad_arguments("missing required field: title, message")
    if "thread_ts" not in arguments:
        shown = {"title": arguments.text("title"), "prompts": prompts}
        context.workspace.prompts[channel.id] = shown
        context.workspace.activity.record("prompts", channel=channel.id, **shown)
    return {}
