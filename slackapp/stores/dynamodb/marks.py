"""Marks in the `dedupe` table of DynamoDB."""

from slackapp.stores.dynamodb.calls import ConditionFailed, Tables, Values
from slackapp.stores.row_format import expiry

FREE_OR_SAME = "attribute_not_exists(#dedupe_key) OR #expires_at <= :now OR #linked = :mark"


class MarksTable(Tables):
    """Implements `Marks`."""

    def mark_once(self, name: str, mark: str, *, now: float, expires_at: float) -> bool:
        row: Values = {"dedupe_key": name, "linked": mark, "expires_at": expiry(expires_at)}
        try:
            self._calls.put(self._claims, row, when=FREE_OR_SAME, values={"now": now, "mark": mark})
        except ConditionFailed:
            return False
        return True
