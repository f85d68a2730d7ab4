"""`blocks.validate`: whether Slack would take blocks, a message or a view.

Authority: docs.slack.dev, "blocks.validate method": exactly one of the three arguments, no scope, and for
each error a pointer, a code and a message. The rules are those of the local Slack (`block_rules.py`), so the
messages are not Slack's, and the only code here is `failed_constraint`.
"""

import re

from slackapp.playground.errors import ApiRefused, bad_arguments
from slackapp.playground.values import Json
from slackapp.playground.webapi import block_rules
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.webapi.methods.views import check_view

KINDS = ("blocks", "message", "view")


def validate(_: Context, arguments: Arguments) -> Json:
    given = [kind for kind in KINDS if kind in arguments]
    if len(given) != 1:
        raise bad_arguments(f"provide exactly one of {', '.join(KINDS)}")
    [kind] = given
    error = f"invalid_{kind}"
    payload = arguments.structure(kind, error)
    try:
        if kind == "view":
            check_view(payload)
        else:
            block_rules.check(payload.get("blocks") if isinstance(payload, dict) else payload)
    except ApiRefused as refusal:
        messages = (refusal.details.get("response_metadata") or {}).get("messages") or [refusal.error]
        errors: list[Json] = []
        for message in messages:  # here the pointer stands apart from the words
            found = re.fullmatch(r"(?:\[ERROR\] )?(.*?)(?: \[json-pointer:([^\]]*)\])?", message)
            words, pointer = (found[1], found[2]) if found else (message, None)
            errors.append({"pointer": pointer or "", "code": "failed_constraint", "message": words})
        raise ApiRefused(error, errors=errors) from refusal
    return {}
