"""The `rate_limit` table in DynamoDB.

A write carries a mark of its own: when its answer is lost and botocore tries it again, the row shows that
it has been done, and nothing is taken twice.
"""

from uuid import uuid4

from slackapp.stores.dynamodb.calls import ConditionFailed, Row, Tables, Values
from slackapp.stores.row_format import RateStep, expiry, turn

UNMARKED = "(attribute_not_exists(#mark) OR #mark <> :mark)"
ROOM = "(attribute_not_exists(#used) OR #used < :limit)"


class MetersTable(Tables):
    """Keeps the contract `Meters`."""

    @property
    def _meters(self) -> str:
        return self._names["rate_limit"]

    def take(self, name: str, *, now: float, interval: float, burst: int, expires_after: float) -> float:
        """The first write is for a meter that is empty, as most are; what it finds instead tells whether the
        second is worth trying."""
        request, mark = turn(now=now, interval=interval, burst=burst), uuid4().hex
        expires_at = expiry(now + expires_after)
        found = self._started(name, request, mark, expires_at)
        if found and found.get("mark") != mark and found["empty_at"] <= request.latest:
            found = self._added(name, request, mark, expires_at)
        if not found or found.get("mark") == mark:
            return 0.0
        return request.wait(found["empty_at"])

    def _started(self, name: str, request: RateStep, mark: str, expires_at: int) -> Row:
        """Empty when the meter was; else the row as it stands."""
        try:
            self._calls.update(
                self._meters,
                {"meter": name},
                "SET #empty_at = :empty_at, #mark = :mark, #expires_at = :expires_at",
                when="attribute_not_exists(#empty_at) OR #empty_at <= :now",
                values={
                    "empty_at": request.now + request.interval,
                    "mark": mark,
                    "expires_at": expires_at,
                    "now": request.now,
                },
            )
        except ConditionFailed as failed:
            return failed.row
        return {}

    def _added(self, name: str, request: RateStep, mark: str, expires_at: int) -> Row:
        """Empty when there was room; else the row as it stands.

        A row cannot vanish in between: it expires long after its meter is empty.
        """
        try:
            self._calls.update(
                self._meters,
                {"meter": name},
                "SET #empty_at = #empty_at + :interval, #mark = :mark, #expires_at = :expires_at",
                when=f"#empty_at <= :latest AND {UNMARKED}",
                values={
                    "interval": request.interval,
                    "latest": request.latest,
                    "mark": mark,
                    "expires_at": expires_at,
                },
            )
        except ConditionFailed as failed:
            return failed.row
        return {}

    def spend(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        if limit is not None and limit <= 0:
            return False
        mark = uuid4().hex
        values: Values = {"amount": amount, "mark": mark, "expires_at": expiry(expires_at)}
        if limit is not None:
            values = {**values, "limit": limit}
        try:
            self._calls.update(
                self._meters,
                {"meter": name},
                "ADD #used :amount SET #mark = :mark, #expires_at = :expires_at",
                when=UNMARKED if limit is None else f"{UNMARKED} AND {ROOM}",
                values=values,
            )
        except ConditionFailed as failed:
            return failed.row.get("mark") == mark
        return True
