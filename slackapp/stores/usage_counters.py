"""The `rate_limit` table: how much users and workspaces have used."""

from collections.abc import Mapping

from slackapp.stores.tables import COUNTERS, OnTables, Values, expiry

MICROS = 1_000_000
MOST_SKEW = 60 * MICROS
"""How much the clocks of two workers may differ before their counters are not compared any more."""


class UsageCounters(OnTables):
    """Rates, daily counters and statistics."""

    def take_rate_slot(
        self, name: str, *, now: float, interval: float, burst: int, expires_after: float
    ) -> float:
        """Count one request (GCRA). 0.0 if it is allowed, else the seconds to wait; then it is not counted.

        One request per `interval` seconds is allowed, and `burst` of them at once. A counter stores one
        number, the time at which it will be empty again: a request adds `interval` to it, or to the present
        time if the counter is empty. At most two conditional writes and no read: the first one is for an
        empty counter, which is the usual case. If it fails, the row that it found says whether the second
        one is worth trying.
        """
        # In whole microseconds: sums of them are exact, in a database and in Python.
        moment, step = round(now * MICROS), round(interval * MICROS)
        latest = moment + (burst - 1) * step  # a counter that is empty by then has room for one more
        impossible = latest + step + MOST_SKEW  # one that is not by then was filled by a wrong clock
        expires = {"expires_at": expiry(now + expires_after)}
        taken, found = self._tables.update(
            COUNTERS,
            name,
            {"empty_at": moment + step, **expires},
            when="attribute_not_exists(#empty_at) OR #empty_at <= :now OR #empty_at > :impossible",
            values={"now": moment, "impossible": impossible},
            once=True,
        )
        if not taken and found["empty_at"] <= latest:
            # The row cannot vanish in between: it expires long after its counter is empty.
            taken, found = self._tables.update(
                COUNTERS,
                name,
                expires,
                add={"empty_at": step},
                when="#empty_at <= :latest",
                values={"latest": latest},
                once=True,
            )
        return 0.0 if taken else float(found["empty_at"] - latest) / MICROS

    def add_usage(self, name: str, amount: int, *, limit: int | None, expires_at: float) -> bool:
        """Add to a counter unless it has reached the limit already (None: no limit).

        The last addition may pass the limit, by its amount less one. An amount of 0 asks whether the limit
        is reached; a negative amount gives back.
        """
        if limit is not None and limit <= 0:
            return False
        room: Values = {} if limit is None else {"limit": limit}
        return self._tables.update(
            COUNTERS,
            name,
            {"expires_at": expiry(expires_at)},
            add={"used": amount},
            when="attribute_not_exists(#used) OR #used < :limit" if room else "",
            values=room,
            once=True,
        ).done

    def used(self, name: str, *, now: float) -> int:
        """How much was added to a counter."""
        return int(self._live(COUNTERS, name, now).get("used", 0))

    def add_tally(self, name: str, amounts: Mapping[str, int], *, expires_at: float) -> None:
        """Add to the amounts that are stored under a name; their own names are letters, digits and `_`.

        For statistics: an addition whose answer is lost may count twice.
        """
        self._tables.add_tally(name, amounts, expires_at=expiry(expires_at))

    def tally(self, name: str, *, now: float) -> Mapping[str, int]:
        """The amounts that are stored under a name."""
        return self._tables.tally(name, now=now)
