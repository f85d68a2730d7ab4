"""The `rate_limit` table in DynamoDB.

Every write sets its own mark. When the answer is lost and botocore tries again, the row already has this
mark, and nothing is counted twice.
"""

from uuid import uuid4

from slackapp.stores.dynamodb.calls import ConditionFailed, Row, Tables, Values
from slackapp.stores.row_format import expiry, rate_step

UNMARKED = "(attribute_not_exists(#mark) OR #mark <> :mark)"
ROOM = "(attribute_not_exists(#used) OR #used < :limit)"
SET_MARK = "#mark = :mark, #expires_at = :expires_at"


class UsageCountersTable(Tables):
    """Implements `UsageCounters`."""

    def take_rate_slot(
        self, name: str, *, now: float, interval: float, burst: int, expires_after: float
    ) -> float:
        """The first write is for an empty counter, which is the usual case. If it fails, the row that it
        found says whether the second write is worth trying."""
        step, mark = rate_step(now=now, interval=interval, burst=burst), uuid4().hex
        marked: Values = {"mark": mark, "expires_at": expiry(now + expires_after)}
        found = self._update_counter(
            name,
            f"SET #empty_at = :empty_at, {SET_MARK}",
            when="attribute_not_exists(#empty_at) OR #empty_at <= :now",
            values={**marked, "empty_at": step.now + step.interval, "now": step.now},
        )
        if found and found.get("mark") != mark and found["empty_at"] <= step.latest:
            # The row cannot vanish in between: it expires long after its counter is empty.
            found = self._update_counter(
                name,
                f"SET #empty_at = #empty_at + :interval, {SET_MARK}",
                when=f"#empty_at <= :latest AND {UNMARKED}",
                values={**marked, "interval": step.interval, "latest": step.latest},
            )
        if not found or found.get("mark") == mark:
            return 0.0
        return step.wait(found["empty_at"])

    def add_usage(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        if limit is not None and limit <= 0:
            return False
        mark = uuid4().hex
        values: Values = {"amount": amount, "mark": mark, "expires_at": expiry(expires_at)}
        found = self._update_counter(
            name,
            f"ADD #used :amount SET {SET_MARK}",
            when=UNMARKED if limit is None else f"{UNMARKED} AND {ROOM}",
            values=values if limit is None else {**values, "limit": limit},
        )
        return found is None or found.get("mark") == mark

    def _update_counter(self, name: str, change: str, *, when: str, values: Values) -> Row | None:
        """Change a counter; return None, or the present row if the condition does not hold."""
        try:
            self._calls.update(self._counters, {"meter": name}, change, when=when, values=values)
        except ConditionFailed as failed:
            return failed.row
        return None
