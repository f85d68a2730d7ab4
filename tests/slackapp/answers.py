"""Answers and requests for tests."""

from fetcher.agent import Answer, GeneratedFile, Source
from slackapp.listeners.incoming import Incoming, Kind, message_key, trigger_key

TEAM, CHANNEL, USER, BOT = "T0LOCAL", "C0GENERAL", "U0TANAKA", "U0READER"
SOURCE = Source(number=1, title="料金表", url="https://a.example/price")


def answer(text="月額は**1,000円**です。 [1]", **fields):
    return Answer(text=text, **{"sources": (SOURCE,)} | fields)


def csv(name="料金.csv", content=b"a,b\r\n"):
    return GeneratedFile(file_name=name, mime_type="text/csv", content=content)


def request(ts="", kind=Kind.MENTION, **fields):
    """A request, by a message where there is one."""
    defaults = {
        "team": TEAM,
        "channel": CHANNEL,
        "user": USER,
        "ts": ts,
        "thread_ts": ts,
        "text": f"<@{BOT}> <https://a.example/price> いくら？",
        "bot_user": BOT,
        "key": message_key(TEAM, CHANNEL, ts) if ts else trigger_key(TEAM, "1.1"),
    }
    return Incoming(kind=kind, **defaults | fields)
