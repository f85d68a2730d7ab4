"""Rates are exact at any moment, and daily counters never run away."""

import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.dynamodb import FUTURE

NOW = FUTURE
NAMES = (f"rate:T1:U{number}" for number in count())


def take_slot(store, name, now, *, interval=6.0, burst=3):
    return store.take_rate_slot(name, now=now, interval=interval, burst=burst, expires_after=3600)


def test_a_burst_is_let_through_and_then_the_steady_rate(store):
    """Three at once, then one every six seconds; the refusals in between cost nothing."""
    asked = [(0, 0.0), (0, 0.0), (0, 0.0), (0, 6.0), (5, 1.0), (6, 0.0), (6, 6.0), (18, 0.0), (18, 0.0)]
    assert [take_slot(store, "u", NOW + at) for at, _ in asked] == [wait for _, wait in asked]


@pytest.mark.parametrize(
    ("after", "wait"),
    [(0.0, 6.0), (5.999999, 0.000001), (6.0, 0.0), (6.000001, 0.0)],
)
def test_the_edge_is_exact_to_the_microsecond(store, after, wait):
    for _ in range(3):
        assert take_slot(store, "u", NOW) == 0.0
    assert take_slot(store, "u", NOW + after) == wait


def test_a_clock_that_goes_back_gives_nothing_away(store):
    for _ in range(3):
        take_slot(store, "u", NOW)
    assert take_slot(store, "u", NOW - 10) == 16.0


def test_a_wrong_clock_locks_nobody_out(store):
    """A worker whose clock was a day ahead has filled the meter: the others count anew."""
    for _ in range(3):
        take_slot(store, "u", NOW + 86_400)
    assert [take_slot(store, "u", NOW) for _ in range(4)] == [0.0, 0.0, 0.0, 6.0]


class Reference:
    """GCRA as its definition has it, in exact numbers."""

    def __init__(self, interval, burst):
        self.interval, self.burst = Fraction(round(interval * 10**6), 10**6), burst
        self.arrival = Fraction(0)

    def take_slot(self, now):
        moment = Fraction(round(now * 10**6), 10**6)
        start = max(self.arrival, moment)
        early = start - moment - (self.burst - 1) * self.interval
        if early > 0:
            return float(early)
        self.arrival = start + self.interval
        return 0.0


REQUESTS = st.lists(st.floats(0, 20).map(lambda gap: round(gap, 6)), min_size=1, max_size=25)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(gaps=REQUESTS, rate=st.integers(1, 600), burst=st.integers(1, 12))
def test_every_request_is_judged_as_the_definition_has_it(store, gaps, rate, burst):
    """For any rate, burst and gaps between requests: waiting as told is enough, less is not."""
    name, reference, now = next(NAMES), Reference(60 / rate, burst), NOW
    for gap in gaps:
        now = round(now + gap, 6)
        wait = take_slot(store, name, now, interval=60 / rate, burst=burst)
        assert math.isclose(wait, reference.take_slot(now), abs_tol=5e-7)
        if wait > 0.000_002:
            assert take_slot(store, name, now + wait - 0.000_002, interval=60 / rate, burst=burst) > 0


def test_fifty_requests_at_once_take_what_there_is(store):
    """Never one more than the burst; who is refused is told a wait."""
    with ThreadPoolExecutor(50) as pool:
        waits = list(pool.map(lambda _: take_slot(store, "u", NOW, burst=10), range(50)))
    assert waits.count(0.0) == 10
    assert set(waits) == {0.0, 6.0}


def add(store, amount, limit, name="questions:2026-01-10:T1"):
    return store.add_usage(name, amount, limit=limit, expires_at=NOW + 86_400)


def test_a_counter_stops_at_its_limit(store):
    assert [add(store, 1, 2) for _ in range(4)] == [True, True, False, False]
    assert add(store, 1, 3)
    assert not add(store, 1, 3)


def test_the_last_amount_may_pass_the_limit(store):
    """What a question costs is known only afterwards."""
    assert add(store, 9, 10)
    assert add(store, 500, 10)
    assert not add(store, 1, 10)


def test_without_a_limit_everything_is_added(store):
    assert add(store, 1000, None)
    assert add(store, 1000, None)
    assert not add(store, 0, 2000)
    assert add(store, 0, 2001)


def test_what_was_given_back_can_be_spent_again(store):
    assert add(store, 1, 1)
    assert add(store, -1, None)
    assert add(store, 1, 1)


def test_fifty_at_once_pass_the_limit_by_less_than_one_amount(store):
    with ThreadPoolExecutor(50) as pool:
        spent = list(pool.map(lambda _: add(store, 7, 20), range(50)))
    assert sum(spent) == 3
    assert not add(store, 0, 21)
    assert add(store, 0, 22)


def test_what_a_counter_has_counted_can_be_read_until_it_expires(store):
    assert store.used("day", now=NOW) == 0
    store.add_usage("day", 3, limit=None, expires_at=NOW + 60)
    store.add_usage("day", -1, limit=None, expires_at=NOW + 60)
    assert [store.used("day", now=NOW + at) for at in (0, 59, 60)] == [2, 2, 0]


def test_a_tally_adds_up_under_its_own_name_and_expires(store):
    """Names that begin the same are others; many writers at once lose nothing."""
    with ThreadPoolExecutor(10) as pool:
        amounts = {"C1_questions": 1, "C1_tokens": 30}
        list(pool.map(lambda _: store.add_tally("usage:1:T1", amounts, expires_at=NOW + 60), range(10)))
    store.add_tally("usage:1:T1", {"C2_questions": 1}, expires_at=NOW + 60)
    store.add_tally("usage:1:T12", {"C1_questions": 5}, expires_at=NOW + 60)
    assert store.tally("usage:1:T1", now=NOW) == {"C1_questions": 10, "C1_tokens": 300, "C2_questions": 1}
    assert [store.tally(name, now=NOW) for name in ("usage:1", "usage:1:T")] == [{}, {}]
    assert store.tally("usage:1:T1", now=NOW + 60) == {}
