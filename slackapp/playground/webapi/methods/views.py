"""The methods for views: an app's home tab, and modals.

Authorities: docs.slack.dev, methods `views.publish` and `views.open` (errors of triggers), "Modals" (triggers
are good once, for three seconds), and the reference of views (lengths).
"""

from typing import Any

from slackapp.playground.errors import ApiRefused, bad_arguments
from slackapp.playground.values import Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context

MAX_TITLE = 24
MAX_METADATA = 3_000


def publish_home(context: Context, arguments: Arguments) -> Json:
    user = context.workspace.user(arguments.required("user_id"))
    view = check_view(arguments.structure("view", "invalid_arguments"), "home")
    published = _shown(context, view)
    context.workspace.homes[context.app.app_id, user.id] = published
    context.workspace.activity.record("home", user=user.id, view=published)
    return {"view": published}


def open_modal(context: Context, arguments: Arguments) -> Json:
    user = context.workspace.take_trigger(arguments.required("trigger_id"))
    opened = _shown(context, check_view(arguments.structure("view", "invalid_arguments"), "modal"))
    context.workspace.show_modal(user, opened)
    return {"view": opened}


def _shown(context: Context, view: Json) -> Json:
    """A view as Slack returns it, and sends it with what people do in it."""
    return {
        "id": context.workspace.new_id("V"),
        "team_id": context.app.team_id,
        "app_id": context.app.app_id,
        "bot_id": context.app.bot_id,
        "callback_id": "",
        "private_metadata": "",
        **view,
        "state": {"values": {}},
    }


def check_view(view: Any, *kinds: str) -> Json:
    """Returns the view if it is one of these kinds, or raises Slack's refusal as ApiRefused."""
    if not isinstance(view, dict) or view.get("type") not in (kinds or ("home", "modal")):
        raise bad_arguments(f"must be a {' or '.join(kinds or ('home', 'modal'))} view: view")
    is_modal = view["type"] == "modal"
    for name in ("title", "submit", "close") if is_modal else ():
        text = view.get(name)
        if text is None and name != "title":
            continue
        if not isinstance(text, dict) or not 0 < len(str(text.get("text") or "")) <= MAX_TITLE:
            raise bad_arguments(f"must be a plain text of up to {MAX_TITLE} characters: {name}")
    if len(str(view.get("private_metadata") or "")) > MAX_METADATA:
        raise ApiRefused("view_too_large")
    block_rules.check(view.get("blocks"), most=block_rules.MAX_IN_VIEW)
    if is_modal and any(block["type"] == "input" for block in view["blocks"]) and not view.get("submit"):
        raise bad_arguments("missing required field: submit")
    return view
