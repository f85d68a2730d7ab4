"""The `dedupe` table: which worker answers which message, and the data of an answer.

A claim that is not done has `lease_until`, which puts it into the sweeper's index; a claim that is done does
not, so the index has only claims that may have to be run again. The answer to a write may be lost and the
write made again: if the row has our owner already, the first try has worked.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from fetcher.text import well_formed
from slackapp.stores.contract import Claim, Rating, Renewal, ReplyRecord, StoreUnavailable
from slackapp.stores.tables import CLAIMS, FREE, NAMELESS, OnTables, Row, Value, Values, expiry

WORKING, DONE, STOPPED = "working", "done", "stopped"
ENDED = {"incoming": None, "delivery": None, "lease_until": None}
TRIES = 5
"""How often a row is read and written again because another worker was faster."""
MOST_URLS = 50
"""URLs that are stored for one thread."""
MOST_URL_CHARS = 100_000
"""Their bytes in all; a row of DynamoDB has at most 400 KB."""
CLAIMABLE = (
    f"{FREE} OR (#state = :stopped AND NOT contains(#stopped_by, :deleted)"
    " AND NOT contains(#stopped_by, :asker))"
)
OWNED = "#owner = :owner AND #state = :working"
NOT_DONE = "#state = :working AND #expires_at > :now"


class Claims(OnTables):
    """Claims of messages, the names by which they are found, and the URLs of threads."""

    def claim(
        self,
        key: str,
        incoming: str,
        *,
        owner: str,
        now: float,
        lease_until: float,
        expires_at: float,
        asker: str = "",
        link: str = "",
    ) -> Claim | None:
        """Claim a message, and link the claim to a name in the same write.

        None if another owner has claimed it before, also if that claim failed; or if a tombstone says that it
        was deleted, or that `asker` has stopped it.
        """
        row: Values = {
            "dedupe_key": key,
            "owner": owner,
            "state": WORKING,
            "attempt": 1,
            "incoming": incoming,
            "delivery": json.dumps(asdict(ReplyRecord())),
            "lease_until": lease_until,
            "expires_at": expiry(expires_at),
        }
        values: Values = {"now": now, "stopped": STOPPED, "deleted": NAMELESS, "asker": asker or NAMELESS}
        other = _link(link, key, expires_at) if link else None
        made, found = self._tables.put(CLAIMS, row, when=CLAIMABLE, values=values, also=other)
        if made:
            return _claim_from(row)
        is_ours = found.get("owner") == owner and found.get("state") == WORKING
        return _claim_from(found) if is_ours else None

    def renew(self, key: str, *, owner: str, lease_until: float) -> Renewal:
        """Extend the lease (the heartbeat)."""
        held, row = self._tables.update(
            CLAIMS, key, {"lease_until": lease_until}, when=OWNED, values=_owned_by(owner)
        )
        if not held:
            return Renewal.LOST
        return Renewal.STOPPED if row.get("stopped") else Renewal.HELD

    def release(self, key: str, *, owner: str, now: float) -> None:
        """End the owner's lease and do not count its attempt: it was cut off, and did not fail."""
        self._tables.update(
            CLAIMS, key, {"lease_until": now}, add={"attempt": -1}, when=OWNED, values=_owned_by(owner)
        )

    def record_reply(self, key: str, *, owner: str, reply_record: ReplyRecord) -> bool:
        """Store what was posted; False when the owner has lost the claim.

        An earlier revision that arrives late changes nothing.
        """
        return self._tables.update(
            CLAIMS,
            key,
            {"delivery": json.dumps(asdict(reply_record))},
            when=OWNED,
            values=_owned_by(owner),
            revision=reply_record.revision,
        ).done

    def finish(self, key: str, *, owner: str, expires_at: float | None = None) -> bool:
        """Mark the claim as done and delete the request; False when the owner has lost it.

        From `expires_at` on, if it is given, the message can be claimed again.
        """
        until = {} if expires_at is None else {"expires_at": expiry(expires_at)}
        changes = {"state": DONE, **ENDED, **until}
        done, found = self._tables.update(CLAIMS, key, changes, when=OWNED, values=_owned_by(owner))
        return done or (found.get("owner") == owner and found.get("state") == DONE)

    def expired_claims(self, *, now: float, limit: int) -> tuple[Claim, ...]:
        """Claims that are not done and whose lease has expired, the oldest first."""
        return tuple(_claim_from(row) for row in self._tables.due(CLAIMS, now=now, limit=limit))

    def take_over(self, claim: Claim, *, owner: str, now: float, lease_until: float) -> Claim | None:
        """Give an expired claim to a new owner and count the attempt; None if it is not expired any more."""
        taken, row = self._tables.update(
            CLAIMS,
            claim.key,
            {"owner": owner, "lease_until": lease_until},
            add={"attempt": 1},
            when=f"#owner = :before AND #lease_until <= :now AND {NOT_DONE}",
            values={"before": claim.owner, "working": WORKING, "now": now},
        )
        return _claim_from(row) if taken or row.get("owner") == owner else None

    def request_stop(self, key: str, *, now: float) -> bool:
        """Ask the worker of a claim, now or after a take-over, to stop; False when the claim is done."""
        values: Values = {"working": WORKING, "now": now}
        return self._tables.update(CLAIMS, key, {"stopped": True}, when=NOT_DONE, values=values).done

    def write_tombstone(self, key: str, *, user: str, now: float, expires_at: float) -> bool:
        """Stop a message that has no claim yet; False if it has one, done or not.

        An empty user stands for a deleted message.
        """
        return self._tables.update(
            CLAIMS,
            key,
            {"state": STOPPED, "expires_at": expiry(expires_at), "owner": None, **ENDED},
            add={"stopped_by": frozenset({user or NAMELESS})},
            when=f"{FREE} OR #state = :stopped",
            values={"stopped": STOPPED, "now": now},
        ).done

    def unfinished_claim(self, key: str, *, now: float) -> Claim | None:
        """The claim, unless it is done; its lease may have expired."""
        row = self._live(CLAIMS, key, now)
        return _claim_from(row) if row.get("state") == WORKING else None

    def link_claim(self, name: str, key: str, *, expires_at: float) -> None:
        """Make a claim findable by another name: its thread, or a message of its reply."""
        self._tables.put(CLAIMS, _link(name, key, expires_at))

    def linked_claim_key(self, name: str, *, now: float) -> str | None:
        """The key of the claim last linked to this name."""
        return self._live(CLAIMS, name, now).get("linked")

    def is_thread_ours(self, thread: str, *, asked: str, root: str, now: float) -> bool:
        """Whether the app takes part in a thread, in as few requests as possible.

        It does if a claim is linked to `thread`, or if a claim is not done: that of the first message
        (`root`), or the one that is linked to `asked`.
        """
        found = self._tables.get(CLAIMS, (thread, asked, root))
        rows = {key: row for key, row in found.items() if row["expires_at"] > now}
        if "linked" in rows.get(thread, {}) or rows.get(root, {}).get("state") == WORKING:
            return True
        key = rows.get(asked, {}).get("linked")
        if key is None:
            return False
        # A claim that has ended since then has linked its thread before.
        is_unfinished = self.unfinished_claim(key, now=now) is not None
        return is_unfinished or self.linked_claim_key(thread, now=now) is not None

    def add_known_urls(self, name: str, urls: Sequence[str], *, now: float, expires_at: float) -> None:
        """Put URLs before those that are stored under a name, such as a thread's, as many as fit.

        Two writers of one name at the same moment both add theirs.
        """
        for _ in range(TRIES):
            row = self._tables.get(CLAIMS, [name]).get(name, {})
            present = _urls(row) if row and row["expires_at"] > now else ()
            after: Values = {"urls": _fitting_json((*urls, *present)), "expires_at": expiry(expires_at)}
            if self._replace(name, row, "urls", after):
                return
        raise StoreUnavailable("the URLs of a thread are written by too many workers at once")

    def known_urls(self, name: str, *, now: float) -> tuple[str, ...]:
        """The URLs that are stored under a name."""
        return _urls(self._live(CLAIMS, name, now))

    def toggle_feedback(self, name: str, value: str, *, press: str, now: float, expires_at: float) -> Rating:
        """Store a press of a feedback button: another value replaces the rating, the same one withdraws it.

        `press` identifies the press; one that is delivered again changes nothing. A change removes the
        reason.
        """
        for _ in range(TRIES):
            row = self._tables.get(CLAIMS, [name]).get(name, {})
            rating = _rating_after(row if row and row["expires_at"] > now else {}, value, press)
            expires = expiry(expires_at)
            after: Values = {"feedback": rating.value, "press": press, "given_at": now, "expires_at": expires}
            if rating.is_repeated or self._replace(name, row, "press", after):
                return rating
        raise StoreUnavailable("an answer is rated by too many presses at once")

    def add_feedback_reason(self, name: str, reason: str, *, now: float) -> bool:
        """Store why an answer got its rating; False if it has none any more."""
        rated = "#feedback > :nothing AND #expires_at > :now"
        values: Values = {"nothing": "", "now": now}
        return self._tables.update(CLAIMS, name, {"reason": reason}, when=rated, values=values).done

    def mark_once(self, name: str, mark: str, *, now: float, expires_at: float) -> bool:
        """Write a mark; False if the name has another one. The same mark again is True, as after a retry."""
        row, values = _link(name, mark, expires_at), dict[str, Value](now=now, mark=mark)
        return self._tables.put(CLAIMS, row, when=f"{FREE} OR #linked = :mark", values=values).done

    def _replace(self, name: str, before: Row, attribute: str, after: Values) -> bool:
        """Replace exactly the row that was read, by one of its attributes; False if it has changed since."""
        is_same = f"#{attribute} = :before" if attribute in before else f"attribute_not_exists(#{attribute})"
        values: Values = {"before": before[attribute]} if attribute in before else {}
        return self._tables.put(CLAIMS, {"dedupe_key": name, **after}, when=is_same, values=values).done


def _owned_by(owner: str) -> Values:
    return {"owner": owner, "working": WORKING}


def _link(name: str, key: str, expires_at: float) -> Values:
    return {"dedupe_key": name, "linked": key, "expires_at": expiry(expires_at)}


def _claim_from(row: Row) -> Claim:
    return Claim(
        key=row["dedupe_key"],
        owner=row["owner"],
        incoming=row.get("incoming", ""),
        lease_until=float(row["lease_until"]),
        attempt=row.get("attempt", 1),
        reply_record=_reply_record_from(row.get("delivery", "")),
        stopped=bool(row.get("stopped")),
    )


def _reply_record_from(text: str) -> ReplyRecord:
    """The record, as this or another version of the app has written it.

    Unknown fields, and those with a value of another type, are left out: one row that cannot be read must
    not keep a sweeper from the others. The messages of the reply are then found by their marks.
    """
    try:
        written = json.loads(text)
    except ValueError:
        written = {}
    readable: dict[str, Any] = {}
    for field in fields(ReplyRecord):
        value = written.get(field.name) if isinstance(written, dict) else None
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            value = tuple(value)
        if type(value) is type(field.default):
            readable[field.name] = value
    return ReplyRecord(**readable)


def _fitting_json(urls: Sequence[str]) -> str:
    """The first URLs, each once, within the limits."""
    fitting: list[str] = []
    room = MOST_URL_CHARS
    for url in dict.fromkeys(well_formed(url, "?") for url in urls):
        room -= len(url.encode())
        if room < 0 or len(fitting) == MOST_URLS:
            break
        fitting.append(url)
    return json.dumps(fitting, ensure_ascii=False)


def _urls(row: Row) -> tuple[str, ...]:
    return tuple(json.loads(row.get("urls", "[]")))


def _rating_after(row: Row, value: str, press: str) -> Rating:
    """The rating after a press. Slack does not say that a press deselects: the same value again does."""
    before, is_repeated = str(row.get("feedback", "")), bool(row) and row.get("press") == press
    after = before if is_repeated else "" if before == value else value
    return Rating(value=after, is_first=not row, is_repeated=is_repeated)
