"""A question as the guard and the worker get it."""

from slackapp.listeners.incoming import Incoming, Kind


def request(**fields) -> Incoming:
    """A mention in a channel of the sample workspace."""
    usual = {
        "kind": Kind.MENTION,
        "key": "T0LOCAL:C0GENERAL:1.1",
        "team": "T0LOCAL",
        "channel": "C0GENERAL",
        "user": "U0SATO",
        "ts": "1.1",
        "thread_ts": "1.1",
        "text": "<@U0READER> https://shop.example/",
        "bot_user": "U0READER",
    }
    return Incoming(**usual | fields)
