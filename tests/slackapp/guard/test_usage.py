"""How often, and how much in a day."""

from datetime import UTC, datetime

import pytest
from freezegun import freeze_time

from fetcher.clock import SystemClock
from slackapp.codes import RefusalCode
from slackapp.guard.usage import Budget, RateLimit
from slackapp.settings import SlackSettings
from tests.slackapp.requests import request


def test_a_user_is_told_whole_seconds_to_wait(store, clock):
    """Rounded up: after that time it works."""
    rate = RateLimit(store, SlackSettings(rate_limit_per_minute=7, rate_limit_burst=2), clock)
    assert [rate.count_request(request()) for _ in range(3)] == [0, 0, 9]
    clock.advance(8)
    assert rate.count_request(request()) == 1
    clock.advance(1)
    assert rate.count_request(request()) == 0


def test_each_user_of_each_workspace_has_a_meter(store, clock):
    rate = RateLimit(store, SlackSettings(rate_limit_burst=1), clock)
    asked = [request(), request(user="U0TANAKA"), request(team="T0OTHER"), request()]
    assert [rate.count_request(incoming) for incoming in asked] == [0, 0, 0, 6]


def test_the_usual_limit_is_ten_at_once_and_ten_a_minute(store, clock):
    rate = RateLimit(store, SlackSettings(), clock)
    assert [rate.count_request(request()) for _ in range(11)] == [0] * 10 + [6]
    clock.advance(60)
    assert [rate.count_request(request()) for _ in range(11)] == [0] * 10 + [6]


def test_what_is_left_of_a_burst_is_remembered_until_all_is_earned_back(store, clock):
    """A meter that was purged too soon would give a whole burst again."""
    rate = RateLimit(store, SlackSettings(rate_limit_per_minute=1, rate_limit_burst=100), clock)
    assert [rate.count_request(request()) for _ in range(100)] == [0] * 100
    clock.advance(61 * 60)
    store._tables.database.purge(clock.now().timestamp())
    assert [rate.count_request(request()) for _ in range(62)] == [0] * 61 + [60]


def budget(store, clock, **limits):
    return Budget(store, SlackSettings(**limits), clock)


def test_a_workspace_has_so_many_questions_a_day(store, clock):
    day = budget(store, clock, daily_questions_per_team=2)
    asked = [day.count_question(request()) for _ in range(3)]
    assert asked == [None, None, RefusalCode.DAILY_QUESTIONS]
    assert day.count_question(request(team="T0OTHER")) is None


def test_all_workspaces_share_the_total_and_a_refusal_costs_nobody_anything(store, clock):
    """The team's own counter is given back what the total refused."""
    day = budget(store, clock, daily_questions_per_team=2, daily_questions_total=1)
    assert day.count_question(request()) is None
    for _ in range(5):
        assert day.count_question(request(team="T0OTHER")) is RefusalCode.DAILY_QUESTIONS
    more = budget(store, clock, daily_questions_per_team=2, daily_questions_total=9)
    assert [more.count_question(request(team="T0OTHER")) for _ in range(3)] == [
        None,
        None,
        RefusalCode.DAILY_QUESTIONS,
    ]


@pytest.mark.parametrize("limits", [{"daily_tokens_per_team": 1000}, {"daily_tokens_total": 1000}])
def test_tokens_are_checked_before_and_counted_after(store, clock, limits):
    """The answer that goes over the limit is still given; the next is not."""
    day = budget(store, clock, **limits)
    for _ in range(2):
        assert day.count_question(request()) is None
        day.add_tokens(request(), 700)
    assert day.count_question(request()) is RefusalCode.DAILY_TOKENS


def test_asking_whether_there_are_tokens_left_spends_none(store, clock):
    day = budget(store, clock, daily_tokens_total=2)
    assert [day.count_question(request()) for _ in range(3)] == [None] * 3
    day.add_tokens(request(), 1)
    assert day.count_question(request()) is None
    day.add_tokens(request(), 1)
    assert day.count_question(request()) is RefusalCode.DAILY_TOKENS


def test_what_was_spent_is_remembered_until_the_day_is_over(store, clock):
    day = budget(store, clock, daily_tokens_total=1)
    clock.set(datetime(2026, 1, 9, 15, 0, 0, tzinfo=UTC))
    day.add_tokens(request(), 1)
    clock.set(datetime(2026, 1, 10, 14, 59, 59, tzinfo=UTC))
    store._tables.database.purge(clock.now().timestamp())
    assert day.count_question(request()) is RefusalCode.DAILY_TOKENS


def test_one_workspaces_tokens_are_not_anothers(store, clock):
    day = budget(store, clock, daily_tokens_per_team=10)
    day.add_tokens(request(), 10)
    assert day.count_question(request(team="T0OTHER")) is None


def test_a_question_that_has_no_tokens_left_is_not_counted(store, clock):
    day = budget(store, clock, daily_tokens_total=10, daily_questions_total=1)
    day.add_tokens(request(), 10)
    assert day.count_question(request()) is RefusalCode.DAILY_TOKENS
    assert budget(store, clock, daily_questions_total=1).count_question(request()) is None


def test_the_day_changes_at_midnight_in_japan(store, clock):
    day = budget(store, clock, daily_questions_total=1)
    clock.set(datetime(2026, 1, 10, 14, 59, 59, tzinfo=UTC))
    assert day.count_question(request()) is None
    assert day.count_question(request()) is RefusalCode.DAILY_QUESTIONS
    clock.set(datetime(2026, 1, 10, 15, 0, 0, tzinfo=UTC))
    assert day.count_question(request()) is None


def test_the_day_changes_at_midnight_in_the_zone_that_is_set(store, clock):
    day = budget(store, clock, daily_questions_per_team=1, timezone="America/New_York")
    clock.set(datetime(2026, 1, 11, 4, 59, tzinfo=UTC))
    assert [day.count_question(request()) for _ in range(2)] == [None, RefusalCode.DAILY_QUESTIONS]
    clock.set(datetime(2026, 1, 11, 5, 0, tzinfo=UTC))
    assert day.count_question(request()) is None


def test_the_system_s_clock_changes_the_day_at_midnight_in_japan(store):
    day = budget(store, SystemClock(), daily_questions_total=1)
    with freeze_time("2026-01-10 14:59:59") as moment:
        assert day.count_question(request()) is None
        assert day.count_question(request()) is RefusalCode.DAILY_QUESTIONS
        moment.tick()
        assert day.count_question(request()) is None


def test_without_limits_nothing_is_counted(clock):
    """The store is not even asked."""
    day = budget(None, clock)
    assert day.count_question(request()) is None
    day.add_tokens(request(), 1_000_000)
