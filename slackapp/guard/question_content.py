"""What the content of a question alone decides, without a look at the store or at Slack."""

from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.thread.question_words import only_thanks
from slackapp.thread.slack_text import links_in


def unreadable_question(incoming: Incoming) -> RefusalCode | None:
    """Why a question cannot be answered by its content alone."""
    links = (links_in(incoming.text), incoming.links, incoming.forwarded, incoming.files)
    is_reaction = incoming.kind is Kind.REACTION
    rules = (
        (incoming.too_long, RefusalCode.MESSAGE_TOO_LONG),
        (is_reaction and (incoming.marked or not any(links)), RefusalCode.NO_LINK),
        (not incoming.question and not incoming.files and incoming.starts_thread, RefusalCode.EMPTY),
    )
    return next((code for applies, code in rules if applies), None)


def is_thanks(incoming: Incoming) -> bool:
    """Whether a message only thanks the app, or acknowledges an answer."""
    content = (incoming.files, incoming.links, incoming.forwarded)
    return bool(incoming.ts) and not any(content) and only_thanks(incoming.question)
