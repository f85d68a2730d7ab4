"""Registers all listeners: each parses the payload, and passes it to the handler or to the acceptance.

A listener's matcher parses the payload, so that an event that is not a request starts no work: on Lambda a
lazy function is another invocation. Events that no listener takes are acknowledged and dropped here.
"""

import logging
import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from slack_bolt import Ack, App, BoltContext, BoltRequest, BoltResponse

from fetcher.wording.language import Language, speaking
from slackapp import wording
from slackapp.codes import IgnoreReason
from slackapp.listeners.incoming import FEEDBACK_ACTION, REASON_CALLBACK, HomeOpened, Ignored, Incoming, Stop
from slackapp.listeners.payloads import (
    BUTTON,
    MODAL_CALLBACK,
    URL_INPUT,
    Body,
    from_button,
    from_command,
    from_deletion,
    from_departure,
    from_edit,
    from_event,
    from_feedback,
    from_home_opened,
    from_modal,
    from_reaction,
    from_reading_reaction,
    from_reason,
    from_session_stopped,
    from_shortcut,
)
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler

log = logging.getLogger(__name__)

V = TypeVar("V")
Parse = Callable[[Body, str], V | Ignored]
Decide = Callable[[V, bool], bool]
"""Whether it is decided what becomes of a request; the second argument says that Slack repeats it no more."""

LAST_RETRY = 3
"""Slack delivers an event again three times, if it is not acknowledged."""
UNDECIDED = 503
QUESTION = "answer_later"
"""The name of the lazy function that answers a question; other requests have other names."""
PARSED = "parsed"
"""Where a context has the request that the matcher has parsed."""
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
    modal = {"ack": _acknowledge_modal, "is_handled": _has_link}
    ask(partial(app.view, MODAL_CALLBACK), from_modal, **modal, is_repeated=False)
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


def _acknowledge_modal(ack: Ack, body: Body, context: BoltContext) -> None:
    """Close the modal, or say in it that the link cannot be used."""
    if _has_link(context[PARSED]):
        ack()
    else:
        _, _, language = str(body["view"].get("private_metadata")).partition(":")
        with speaking(Language.of_locale(language)):
            ack(response_action="errors", errors={URL_INPUT: wording.modal_url_invalid()})


def _has_link(asked: Incoming) -> bool:
    return bool(asked.text)


def acknowledge(ack: Ack) -> None:
    """Slack waits three seconds for this, and for nothing else."""
    ack()


def listen(
    register: Callable[..., Any],
    parse: Parse[V],
    handle: Callable[[V], None],
    decide: Decide[V] | None = None,
    *,
    is_handled: Callable[[V], bool] = lambda _: True,
    ack: Callable[..., None] = acknowledge,
    is_repeated: bool = True,
    name: str = QUESTION,
) -> None:
    """Listen with `register`, a method of Bolt's app and its constraint, for what `parse` takes.

    A request that is not `is_handled` is only acknowledged.

    With `decide`, a request is acknowledged only once it is decided what becomes of it; what Slack does not
    repeat is acknowledged in any case. Bolt acknowledges an event before any listener function runs, and
    does not wait for `ack`. A response of listener middleware ends the request instead: if it is not 200,
    the event is not acknowledged, also over Socket Mode, and Slack delivers it again.

    Without `decide`, a lazy function of this name handles the request after it is acknowledged; on Lambda
    that is another invocation.
    """

    def matches(body: dict[str, Any], context: BoltContext) -> bool:
        """Whether the payload is a request to this app. Others are logged, without their text."""
        parsed = parse(body, context.bot_user_id or "")
        if isinstance(parsed, Ignored):
            level = logging.WARNING if parsed.reason is IgnoreReason.MALFORMED else logging.DEBUG
            fields = {"reason": parsed.reason, "event_id": body.get("event_id", "")}
            log.log(level, "ignored", extra={"fields": fields})
            return False
        context[PARSED] = parsed
        return True

    def handle_later(context: BoltContext) -> None:
        if is_handled(context[PARSED]):
            handle(context[PARSED])

    def decide_first(
        context: BoltContext, request: BoltRequest, next_: Callable[[], None]
    ) -> BoltResponse | None:
        parsed = context[PARSED]
        # The first delivery has no number; over Socket Mode it has 0.
        [number, *_] = request.headers.get("x-slack-retry-num") or [""]
        last = not is_repeated or (number.isdecimal() and int(number) >= LAST_RETRY)
        if decide and is_handled(parsed) and not decide(parsed, last) and not last:
            return BoltResponse(status=UNDECIDED, body="")
        next_()
        return None

    if decide is None:
        handle_later.__name__ = name
        register(matchers=[matches])(ack=ack, lazy=[handle_later])
    else:
        register(matchers=[matches], middleware=[decide_first])(ack)
