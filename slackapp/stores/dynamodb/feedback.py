"""Ratings of answers in the `dedupe` table of DynamoDB."""

from slackapp.stores.contract import Rating, StoreUnavailable
from slackapp.stores.dynamodb.calls import ConditionFailed, Tables, Values
from slackapp.stores.row_format import expiry, rating_after

TRIES = 5
RATED = "attribute_exists(#feedback) AND #feedback <> :nothing AND #expires_at > :now"


class FeedbackTable(Tables):
    """Implements `FeedbackRows`."""

    def toggle_feedback(self, name: str, value: str, *, press: str, now: float, expires_at: float) -> Rating:
        """Each write replaces exactly the row that was read; if another press was faster, read again."""
        for _ in range(TRIES):
            row = self._calls.get(self._claims, {"dedupe_key": name})
            rating = rating_after(row if row.get("expires_at", 0) > now else {}, value, press)
            if rating.is_repeated:
                return rating
            after: Values = {
                "dedupe_key": name,
                "feedback": rating.value,
                "press": press,
                "given_at": now,
                "expires_at": expiry(expires_at),
            }
            before: Values = {"before": row["press"]} if "press" in row else {}
            try:
                when = "#press = :before" if before else "attribute_not_exists(#press)"
                self._calls.put(self._claims, after, when=when, values=before)
                return rating
            except ConditionFailed:
                continue
        raise StoreUnavailable("DynamoDB: an answer is rated by too many presses at once")

    def add_feedback_reason(self, name: str, reason: str, *, now: float) -> bool:
        values: Values = {"reason": reason, "nothing": "", "now": now}
        try:
            key: Values = {"dedupe_key": name}
            self._calls.update(self._claims, key, "SET #reason = :reason", when=RATED, values=values)
        except ConditionFailed:
            return False
        return True
