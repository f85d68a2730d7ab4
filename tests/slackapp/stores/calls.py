"""One call of every method that a store has."""

from collections.abc import Callable
from typing import Any

from slackapp.stores.contract import Claim, Entity, ReplyRecord, Store, WhitelistEntry
from tests.fakes.dynamodb import FUTURE

CLAIM = Claim(key="k", owner="o", incoming="{}", lease_until=FUTURE)
LATER = FUTURE + 60

CALLS: dict[str, Callable[[Store], Any]] = {
    "claim": lambda s: s.claim("k", "{}", owner="o", now=FUTURE, lease_until=LATER, expires_at=LATER),
    "renew": lambda s: s.renew("k", owner="o", lease_until=LATER),
    "release": lambda s: s.release("k", owner="o", now=FUTURE),
    "record": lambda s: s.record("k", owner="o", delivery=ReplyRecord()),
    "finish": lambda s: s.finish("k", owner="o"),
    "expired": lambda s: s.expired(now=FUTURE, limit=10),
    "take_over": lambda s: s.take_over(CLAIM, owner="p", now=FUTURE, lease_until=LATER),
    "stop": lambda s: s.stop("k", now=FUTURE),
    "working": lambda s: s.working("k", now=FUTURE),
    "link": lambda s: s.link("n", "k", expires_at=LATER),
    "linked": lambda s: s.linked("n", now=FUTURE),
    "learn": lambda s: s.learn("t", ["https://a.example/"], now=FUTURE, expires_at=LATER),
    "learned": lambda s: s.learned("t", now=FUTURE),
    "keep_feedback": lambda s: s.keep_feedback("f", "good", now=FUTURE, expires_at=LATER),
    "standing": lambda s: s.standing({Entity.TEAM: "T1"}),
    "listings": lambda s: s.listings(),
    "enlist": lambda s: s.enlist(WhitelistEntry(entity=Entity.TEAM, id="T1")),
    "delist": lambda s: s.delist(Entity.TEAM, "T1"),
    "take": lambda s: s.take("m", now=FUTURE, interval=6, burst=3, expires_after=60),
    "spend": lambda s: s.spend("m", 1, limit=5, expires_at=LATER),
    "recall": lambda s: s.recall("x", now=FUTURE),
    "remember": lambda s: s.remember("x", "y", expires_at=LATER),
    "recall_all": lambda s: s.recall_all(("x",), now=FUTURE),
    "remember_all": lambda s: s.remember_all({"x": "y"}, expires_at=LATER),
    "create": lambda s: s.create(),
}
