"""The clock that stands still."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from tests.fakes.clock import NOON, FakeClock


def test_time_stands_still(clock):
    """Two looks at the clock show the same moment, by default a noon in UTC."""
    assert clock.now() == clock.now() == NOON == datetime(2026, 1, 10, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("by", [timedelta(minutes=1, seconds=30), 90, 90.0])
def test_time_passes_on_request(clock, by):
    """The clock moves on by a duration or by seconds."""
    clock.advance(by)
    assert clock.now() == NOON + timedelta(seconds=90)


def test_a_clock_may_be_put_back(clock):
    """Moving by less than nothing puts the clock back."""
    clock.advance(-1)
    assert clock.now() < NOON


def test_a_moment_is_told_in_utc():
    """A moment of another time zone is shown in UTC."""
    tokyo = timezone(timedelta(hours=9))
    clock = FakeClock(datetime(2026, 1, 10, 21, 0, tzinfo=tokyo))
    assert clock.now() == NOON
    assert clock.now().tzinfo is UTC


def test_a_moment_needs_a_time_zone(clock):
    """A naive moment is refused, for it could mean any hour."""
    with pytest.raises(ValueError, match="time zone"):
        clock.set(datetime(2026, 1, 10, 12, 0))  # noqa: DTZ001 - the mistake under test
