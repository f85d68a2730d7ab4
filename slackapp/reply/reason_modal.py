"""The modal that asks in one line why an answer was not useful."""

from typing import Any

from slackapp import messages_ja

CALLBACK = "feedback_reason"
BLOCK, ACTION = "reason", "reason"
LONGEST_REASON = 300


def reason_modal(name: str) -> dict[str, Any]:
    """The view for `views.open`; `name` says which rating the reason belongs to."""

    def plain(text: str) -> dict[str, Any]:
        return {"type": "plain_text", "text": text, "emoji": False}

    line = {
        "type": "plain_text_input",
        "action_id": ACTION,
        "max_length": LONGEST_REASON,
        "placeholder": plain(messages_ja.reason_example()),
    }
    return {
        "type": "modal",
        "callback_id": CALLBACK,
        "private_metadata": name,
        "title": plain(messages_ja.reason_title()),
        "submit": plain(messages_ja.reason_submit()),
        "close": plain(messages_ja.reason_close()),
        "blocks": [
            {"type": "input", "block_id": BLOCK, "label": plain(messages_ja.reason_label()), "element": line}
        ],
    }
