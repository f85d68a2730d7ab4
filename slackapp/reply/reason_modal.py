"""The modal that asks in one line why an answer was not useful."""

from typing import Any

from slackapp import wording
from slackapp.listeners.incoming import LONGEST_REASON, REASON, REASON_CALLBACK


def reason_modal(name: str) -> dict[str, Any]:
    """The view for `views.open`; `name` says which rating the reason belongs to."""

    def plain(text: str) -> dict[str, Any]:
        return {"type": "plain_text", "text": text, "emoji": False}

    line = {
        "type": "plain_text_input",
        "action_id": REASON,
        "max_length": LONGEST_REASON,
        "placeholder": plain(wording.reason_example()),
    }
    return {
        "type": "modal",
        "callback_id": REASON_CALLBACK,
        "private_metadata": name,
        "title": plain(wording.reason_title()),
        "submit": plain(wording.reason_submit()),
        "close": plain(wording.reason_close()),
        "blocks": [
            {"type": "input", "block_id": REASON, "label": plain(wording.reason_label()), "element": line}
        ],
    }
