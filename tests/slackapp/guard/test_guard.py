"""The guard runs its checks in their order, and refuses a request that cannot be checked."""

from types import SimpleNamespace
from typing import Any

import pytest

from slackapp.codes import RefusalCode
from slackapp.guard import Guard, Refusal
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreUnavailable
from tests.slackapp.requests import request

OPEN: dict[str, Any] = {"access_mode": "open"}


class Directory:
    """A Slack that knows everybody, or is down."""

    def __init__(self):
        self.user = {"team_id": "T0LOCAL"}
        self.channel = {}
        self.down = False

    def team_info(self):
        if self.down:
            raise ConnectionResetError
        return {"team": {"id": "T0LOCAL"}}

    def users_info(self, *, user, include_locale):
        return {"user": self.user}

    def conversations_info(self, *, channel):
        return {"channel": self.channel}


@pytest.fixture
def directory():
    return Directory()


@pytest.fixture
def guard(store, directory, clock):
    return lambda **settings: Guard(store, SlackSettings(**settings), directory, clock)


def test_a_known_user_with_quota_is_let_in(guard):
    assert guard(**OPEN).check(request()) is None


def test_the_checks_come_in_their_order(guard, directory, clock):
    """Everything speaks against the request; what is mended first shows what is asked next."""
    spent = {"rate_limit_burst": 1, "daily_questions_total": 1}
    guard(**OPEN, **spent).check(request())
    directory.user = {"team_id": "T0LOCAL", "deleted": True}
    directory.channel = {"is_ext_shared": True}
    clock.advance(300)
    assert guard(**spent).check(request()).code is RefusalCode.USER_DEACTIVATED
    directory.user = {"team_id": "T0LOCAL"}
    clock.advance(30)
    assert guard(**spent).check(request()).code is RefusalCode.EXTERNAL_CHANNEL
    directory.channel = {}
    clock.advance(300)
    assert guard(**spent).check(request()).code is RefusalCode.TEAM_NOT_ALLOWED
    guard(**OPEN, rate_limit_burst=1).check(request())
    assert guard(**OPEN, **spent).check(request()) == Refusal(code=RefusalCode.RATE_LIMITED, wait_seconds=6)
    clock.advance(6)
    assert guard(**OPEN, **spent).check(request()) == Refusal(code=RefusalCode.DAILY_QUESTIONS)


def test_who_is_refused_by_the_whitelist_spends_no_quota(guard):
    for _ in range(3):
        guard(rate_limit_burst=1).check(request())
    assert guard(**OPEN, rate_limit_burst=1).check(request()) is None


def test_a_run_that_goes_on_costs_nothing_but_is_checked_again(guard, directory, clock):
    """A user who was deactivated in the meantime is not answered."""
    limits = {**OPEN, "rate_limit_burst": 1, "daily_questions_total": 1}
    assert guard(**limits).check(request()) is None
    for _ in range(3):
        assert guard(**limits).check(request(), charged=True) is None
    directory.user = {"team_id": "T0LOCAL", "deleted": True}
    clock.advance(300)
    refused = guard(**limits).check(request(), charged=True)
    assert refused == Refusal(code=RefusalCode.USER_DEACTIVATED)


def test_a_slack_that_is_down_opens_no_door(guard, directory):
    directory.down = True
    assert guard(**OPEN).check(request()) == Refusal(code=RefusalCode.SLACK_UNAVAILABLE)


@pytest.mark.parametrize(
    "method", ["cached_values", "cache_values", "whitelist_status", "take_rate_slot", "add_usage"]
)
def test_a_store_that_is_down_opens_no_door(guard, store, monkeypatch, caplog, method):
    """S3: whichever of its tables fails; and the log says whose request it was."""

    def down(*_, **__):
        raise StoreUnavailable("gone")

    monkeypatch.setattr(store, method, down)
    limits = {"whitelist_team_ids": ("T0LOCAL",), "daily_questions_total": 5}
    assert guard(**limits).check(request()) == Refusal(code=RefusalCode.STORE_UNAVAILABLE)
    (record,) = (record for record in caplog.records if record.message == "store_unavailable")
    assert record.fields == {"key": "T0LOCAL:C0GENERAL:1.1", "error": "gone"}


def test_what_an_answer_cost_counts_against_the_next(guard):
    limited = guard(**OPEN, daily_tokens_total=10)
    assert limited.check(request()) is None
    limited.count_tokens(request(), 10)
    assert limited.check(request()) == Refusal(code=RefusalCode.DAILY_TOKENS)


def test_an_answer_stands_though_its_cost_cannot_be_written_down(guard, store, monkeypatch, caplog):
    """The log says how much was not counted."""

    def down(*_, **__):
        raise StoreUnavailable("gone")

    monkeypatch.setattr(store, "add_usage", down)
    guard(**OPEN, daily_tokens_total=10).count_tokens(request(), 7)
    (record,) = (record for record in caplog.records if "tokens_not_counted" in record.message)
    assert record.fields == {"key": "T0LOCAL:C0GENERAL:1.1", "tokens": 7, "error": "gone"}


def test_an_open_guard_asks_the_whitelist_nothing(store, directory, clock, monkeypatch):
    """Requests to the store cost time and money."""
    monkeypatch.setattr(store, "whitelist_status", SimpleNamespace())
    assert Guard(store, SlackSettings(**OPEN), directory, clock).check(request()) is None
