"""Time zones."""

from datetime import UTC, datetime, timedelta

import pytest

from fetcher.clock import zone_named
from fetcher.settings import AgentSettings
from slackapp.settings import SlackSettings


@pytest.mark.parametrize(
    ("name", "hour"), [("Asia/Tokyo", 21), ("UTC", 12), ("America/New_York", 7), ("Asia/Kolkata", 17)]
)
def test_a_zone_has_its_hours(name, hour):
    assert datetime(2026, 1, 10, 12, tzinfo=UTC).astimezone(zone_named(name)).hour == hour


@pytest.mark.parametrize("name", ["Asia/Edo", "", "../etc/passwd", "Asia", "tokyo\0"])
@pytest.mark.parametrize("settings", [AgentSettings, SlackSettings])
def test_a_zone_that_is_not_there_stops_the_start(settings, name):
    with pytest.raises(ValueError, match="no such time zone"):
        settings(timezone=name)


def test_japan_needs_no_data(monkeypatch):
    """A system without a database of time zones still knows the default."""
    monkeypatch.setattr("fetcher.clock.ZoneInfo", None)
    assert zone_named("Asia/Tokyo").utcoffset(None) == timedelta(hours=9)
