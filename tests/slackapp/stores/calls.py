"""One call of every method that a store has."""

from collections.abc import Callable
from typing import Any

from slackapp.stores.contract import Claim, Entity, ReplyRecord, WhitelistEntry
from slackapp.stores.store import Store
from tests.fakes.dynamodb import FUTURE

CLAIM = Claim(key="k", owner="o", incoming="{}", lease_until=FUTURE)
LATER = FUTURE + 60

CALLS: dict[str, Callable[[Store], Any]] = {
    "claim": lambda s: s.claim("k", "{}", owner="o", now=FUTURE, lease_until=LATER, expires_at=LATER),
    "renew": lambda s: s.renew("k", owner="o", lease_until=LATER),
    "release": lambda s: s.release("k", owner="o", now=FUTURE),
    "record_reply": lambda s: s.record_reply("k", owner="o", reply_record=ReplyRecord()),
    "finish": lambda s: s.finish("k", owner="o"),
    "expired_claims": lambda s: s.expired_claims(now=FUTURE, limit=10),
    "take_over": lambda s: s.take_over(CLAIM, owner="p", now=FUTURE, lease_until=LATER),
    "request_stop": lambda s: s.request_stop("k", now=FUTURE),
    "write_tombstone": lambda s: s.write_tombstone("k", user="U1", now=FUTURE, expires_at=LATER),
    "is_thread_ours": lambda s: s.is_thread_ours("t", asked="a", root="r", now=FUTURE),
    "unfinished_claim": lambda s: s.unfinished_claim("k", now=FUTURE),
    "link_claim": lambda s: s.link_claim("n", "k", expires_at=LATER),
    "linked_claim_key": lambda s: s.linked_claim_key("n", now=FUTURE),
    "add_known_urls": lambda s: s.add_known_urls("t", ["https://a.example/"], now=FUTURE, expires_at=LATER),
    "known_urls": lambda s: s.known_urls("t", now=FUTURE),
    "toggle_feedback": lambda s: s.toggle_feedback("f", "good", press="1", now=FUTURE, expires_at=LATER),
    "add_feedback_reason": lambda s: s.add_feedback_reason("f", "古い", now=FUTURE),
    "mark_once": lambda s: s.mark_once("n", "m", now=FUTURE, expires_at=LATER),
    "delete_workspace": lambda s: s.delete_workspace("T1"),
    "whitelist_status": lambda s: s.whitelist_status({Entity.TEAM: "T1"}),
    "whitelist_entries": lambda s: s.whitelist_entries(),
    "add_to_whitelist": lambda s: s.add_to_whitelist(WhitelistEntry(entity=Entity.TEAM, id="T1")),
    "remove_from_whitelist": lambda s: s.remove_from_whitelist(Entity.TEAM, "T1"),
    "take_rate_slot": lambda s: s.take_rate_slot("m", now=FUTURE, interval=6, burst=3, expires_after=60),
    "add_usage": lambda s: s.add_usage("m", 1, limit=5, expires_at=LATER),
    "used": lambda s: s.used("m", now=FUTURE),
    "add_tally": lambda s: s.add_tally("t", {"C1_questions": 1}, expires_at=LATER),
    "tally": lambda s: s.tally("t", now=FUTURE),
    "cached_values": lambda s: s.cached_values(("x",), now=FUTURE),
    "cache_values": lambda s: s.cache_values({"x": "y"}, expires_at=LATER),
    "create_tables": lambda s: s.create_tables(),
}
