"""The app's two tabs: its home, with a modal for a link and a question, and its messages with prompts."""

from functools import partial
from typing import Any

from slack_bolt import Ack, App

from fetcher.wording.language import Language, speaking
from slackapp import wording
from slackapp.codes import IgnoreReason
from slackapp.listeners.common import acknowledge, is_request, listen
from slackapp.listeners.incoming import HomeOpened, Ignored, Incoming, ModalWanted
from slackapp.listeners.payloads import Body
from slackapp.listeners.reading_payloads import (
    BUTTON,
    MODAL_CALLBACK,
    URL,
    from_button,
    from_home_opened,
    from_modal,
)
from slackapp.listeners.request_handler import Acceptance, GetRequestHandler


def register(app: App, get_handler: GetRequestHandler, acceptance: Acceptance | None) -> None:
    def show_tab(body: dict[str, Any]) -> None:
        opened = from_home_opened(body)
        if isinstance(opened, HomeOpened) and opened.tab == "home":
            get_handler().show_home(opened)
        elif isinstance(opened, HomeOpened):
            get_handler().suggest_prompts(opened)

    def open_modal(body: dict[str, Any]) -> None:
        wanted = from_button(body)
        if isinstance(wanted, ModalWanted):
            get_handler().open_reading_modal(wanted)

    def acknowledge_modal(ack: Ack, body: Body) -> None:
        """Close the modal, or say in it that the link cannot be used."""
        if isinstance(parse_question(body, ""), Ignored):
            _, _, language = str(body["view"].get("private_metadata")).partition(":")
            with speaking(Language.of_locale(language)):
                ack(response_action="errors", errors={URL: wording.modal_url_invalid()})
        else:
            ack()

    def parse_question(body: Body, our_user: str) -> Incoming | Ignored:
        asked = from_modal(body, our_user)
        has_link = isinstance(asked, Incoming) and bool(asked.text)
        return asked if has_link else Ignored(reason=IgnoreReason.EMPTY)

    is_opened = is_request(lambda body, _: from_home_opened(body))
    app.event("app_home_opened", matchers=[is_opened])(ack=acknowledge, lazy=[show_tab])
    app.action(BUTTON, matchers=[is_request(lambda body, _: from_button(body))])(
        ack=acknowledge, lazy=[open_modal]
    )
    listen(
        partial(app.view, MODAL_CALLBACK, matchers=[is_request(from_modal)]),
        parse_question,
        lambda incoming: get_handler().answer(incoming),
        acceptance.accept if acceptance else None,
        ack=acknowledge_modal,
        is_repeated=False,
    )
