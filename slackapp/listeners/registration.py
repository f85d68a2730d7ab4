"""Registers all listeners: each parses the payload, and passes it to the handler or to the acceptance.

A listener's matcher parses the payload too, so that an event that is not a request starts no work: on Lambda
a lazy function is another invocation. Events that no listener takes are acknowledged and dropped here.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from slack_bolt import Ack, App

from fetcher.wording.language import Language, speaking
from slackapp import wording
from slackapp.codes import IgnoreReason
from slackapp.listeners.change_payloads import from_departure, from_edit
from slackapp.listeners.common import Parse, acknowledge, listen
from slackapp.listeners.feedback_payloads import from_feedback, from_reason
from slackapp.listeners.incoming import FEEDBACK_ACTION, REASON_CALLBACK, HomeOpened, Ignored, Incoming, Stop
from slackapp.listeners.payloads import (
    Body,
    from_command,
    from_deletion,
    from_event,
    from_reaction,
    from_session_stopped,
    from_shortcut,
)
from slackapp.listeners.reading_payloads import (
    BUTTON,
    MODAL_CALLBACK,
    URL,
    from_button,
    from_home_opened,
    from_modal,
    from_reading_reaction,
)
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

COMMAND = "/fetch"
"""The command alone is answered with help, in the user's language."""
SHORTCUT = "read_link"
STOPS: tuple[tuple[str | dict[str, Any], Parse[Stop]], ...] = (
    ("agent_session_stopped", from_session_stopped),
    ("reaction_added", from_reaction),
    ({"type": "message", "subtype": "message_deleted"}, from_deletion),
    ({"type": "message", "subtype": "message_changed"}, from_deletion),
)
"""What stops a run: Slack's own button, a cross as reaction, a deleted question."""
ANYTHING = re.compile(r".*", re.DOTALL)


def register(
    app: App,
    get_handler: GetRequestHandler,
    acceptance: Acceptance | None = None,
    *,
    read_reaction: str = "",
) -> None:
    """Register all listeners, the catch-all last. Without an acceptance, requests are acknowledged first."""

    def ask(register: Callable[..., Any], parse: Parse[Incoming], **how: Any) -> None:
        accept = acceptance.accept if acceptance else None
        listen(register, parse, lambda incoming: get_handler().answer(incoming), accept, **how)

    ask(partial(app.event, "app_mention"), from_event)
    ask(partial(app.event, "message"), from_event)
    for event, parse in STOPS:
        stop = acceptance.stop if acceptance else None
        listen(
            partial(app.event, event), parse, lambda s: get_handler().stop_run(s), stop, name="handle_later"
        )
    ask(partial(app.command, COMMAND), from_command, is_repeated=False)
    modal = {"ack": _acknowledge_modal, "matches": from_modal}
    ask(partial(app.view, MODAL_CALLBACK), _from_modal_with_link, **modal, is_repeated=False)
    ask(partial(app.message_shortcut, SHORTCUT), from_shortcut, is_repeated=False)
    if read_reaction:
        ask(partial(app.event, "reaction_added"), partial(from_reading_reaction, name=read_reaction))
    _register_others(app, get_handler)
    for anything in (app.event, app.action, app.shortcut, app.command, app.view):
        anything(ANYTHING)(acknowledge)


def _register_others(app: App, get_handler: GetRequestHandler) -> None:
    """Requests that are not questions: they are acknowledged first, wherever the app runs."""

    def show_tab(opened: HomeOpened) -> None:
        handler = get_handler()
        (handler.show_home if opened.tab == "home" else handler.suggest_prompts)(opened)

    changed: dict[str, Any] = {"type": "message", "subtype": "message_changed"}
    listen(partial(app.event, "app_home_opened"), from_home_opened, show_tab, name="show_tab")
    listen(
        partial(app.action, BUTTON),
        from_button,
        lambda wanted: get_handler().open_reading_modal(wanted),
        name="open_modal",
    )
    listen(
        partial(app.event, changed), from_edit, lambda edit: get_handler().note_edit(edit), name="note_edit"
    )
    listen(
        partial(app.action, FEEDBACK_ACTION),
        from_feedback,
        lambda feedback: get_handler().save_feedback(feedback),
        name="keep_feedback",
    )
    listen(
        partial(app.view, REASON_CALLBACK),
        from_reason,
        lambda reason: get_handler().save_reason(reason),
        name="keep_reason",
    )
    for event in ("app_uninstalled", "tokens_revoked"):
        listen(
            partial(app.event, event),
            from_departure,
            lambda departure: get_handler().forget_workspace(departure),
            name="forget_workspace",
        )


def _from_modal_with_link(body: Body, bot_user: str) -> Incoming | Ignored:
    asked = from_modal(body, bot_user)
    has_link = isinstance(asked, Incoming) and bool(asked.text)
    return asked if has_link else Ignored(reason=IgnoreReason.EMPTY)


def _acknowledge_modal(ack: Ack, body: Body) -> None:
    """Close the modal, or say in it that the link cannot be used."""
    if isinstance(_from_modal_with_link(body, ""), Ignored):
        _, _, language = str(body["view"].get("private_metadata")).partition(":")
        with speaking(Language.of_locale(language)):
            ack(response_action="errors", errors={URL: wording.modal_url_invalid()})
    else:
        ack()
