"""The `rate_limit` table in DynamoDB.

Every write sets its own mark. When the answer is lost and botocore tries again, the row already has this
mark, and nothing is counted twice. The row has the marks of the last writes, because others may write
between the two tries.
"""

from collections.abc import Mapping
from itertools import pairwise
from uuid import uuid4

from slackapp.stores.dynamodb.calls import ConditionFailed, Row, Tables, Values
from slackapp.stores.row_format import expiry, rate_step

MARKS = ("mark", *(f"mark{number}" for number in range(2, 17)))
"""The marks of the last writes, newest first."""
UNMARKED = " AND ".join(f"(attribute_not_exists(#{mark}) OR #{mark} <> :mark)" for mark in MARKS)
ROOM = "(attribute_not_exists(#used) OR #used < :limit)"
SHIFTED = [f"#{older} = if_not_exists(#{newer}, :none)" for newer, older in pairwise(MARKS)]
SET_MARK = ", ".join(["#mark = :mark", *SHIFTED, "#expires_at = :expires_at"])

MARK_LENGTH = 16


class UsageCountersTable(Tables):
    """Implements `UsageCounters`."""

    def take_rate_slot(
        self, name: str, *, now: float, interval: float, burst: int, expires_after: float
    ) -> float:
        """The first write is for an empty counter, which is the usual case. If it fails, the row that it
        found says whether the second write is worth trying."""
        step, mark = rate_step(now=now, interval=interval, burst=burst), uuid4().hex[:MARK_LENGTH]
        marked: Values = {"mark": mark, "none": "", "expires_at": expiry(now + expires_after)}
        found = self._update_counter(
            name,
            f"SET #empty_at = :empty_at, {SET_MARK}",
            when="attribute_not_exists(#empty_at) OR #empty_at <= :now OR #empty_at > :impossible",
            values={
                **marked,
                "empty_at": step.now + step.interval,
                "now": step.now,
                "impossible": step.impossible,
            },
        )
        if found and not _has(found, mark) and found["empty_at"] <= step.latest:
            # The row cannot vanish in between: it expires long after its counter is empty.
            found = self._update_counter(
                name,
                f"SET #empty_at = #empty_at + :interval, {SET_MARK}",
                when=f"#empty_at <= :latest AND {UNMARKED}",
                values={**marked, "interval": step.interval, "latest": step.latest},
            )
        if not found or _has(found, mark):
            return 0.0
        return step.wait(found["empty_at"])

    def add_usage(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        if limit is not None and limit <= 0:
            return False
        mark = uuid4().hex[:MARK_LENGTH]
        values: Values = {"amount": amount, "mark": mark, "none": "", "expires_at": expiry(expires_at)}
        found = self._update_counter(
            name,
            f"ADD #used :amount SET {SET_MARK}",
            when=UNMARKED if limit is None else f"{UNMARKED} AND {ROOM}",
            values=values if limit is None else {**values, "limit": limit},
        )
        return found is None or _has(found, mark)

    def used(self, name: str, *, now: float) -> int:
        row = self._calls.get(self._counters, {"meter": name})
        return int(row.get("used", 0)) if row.get("expires_at", 0) > now else 0

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: float) -> None:
        added = ", ".join(f"#{item} :{item}" for item in amounts)
        values: Values = {**amounts, "expires_at": expiry(expires_at)}
        change = f"ADD {added} SET #expires_at = :expires_at"
        self._calls.update(self._counters, {"meter": name}, change, values=values)

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        row = self._calls.get(self._counters, {"meter": name})
        others = ("meter", "expires_at")
        if row.get("expires_at", 0) <= now:
            return {}
        return {item: amount for item, amount in row.items() if item not in others}

    def _update_counter(self, name: str, change: str, *, when: str, values: Values) -> Row | None:
        """Change a counter; return None, or the present row if the condition does not hold."""
        try:
            self._calls.update(self._counters, {"meter": name}, change, when=when, values=values)
        except ConditionFailed as failed:
            return failed.row
        return None


def _has(row: Row, mark: str) -> bool:
    return any(row.get(name) == mark for name in MARKS)
