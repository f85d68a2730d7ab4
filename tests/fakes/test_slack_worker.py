"""A worker serves in a process of its own, and is gone when it is killed."""

import urllib.error
import urllib.request

import pytest

from fetcher.agent import Answer
from tests.fakes.slack_worker import Death, Plan, SlackWorker


@pytest.fixture
def plan(tmp_path):
    settings = {
        "slack_bot_token": "xoxb-1",
        "slack_signing_secret": "s",
        "slack_api_url": "http://127.0.0.1:9/",
        "sqlite_path": str(tmp_path / "store.sqlite3"),
        "sweep_seconds": 0.01,
    }
    return Plan(settings=settings, answer=Answer(text="x"))


def test_a_worker_serves_until_it_is_killed(plan):
    """Whoever asks without a signature is turned away; whoever asks a dead one finds nobody."""
    with SlackWorker(plan) as worker:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(worker.url, b"{}", timeout=5)
        refused.value.close()
        assert refused.value.code == 401
        worker.kill()
        assert worker.died()
        with pytest.raises(urllib.error.URLError):
            urllib.request.urlopen(worker.url, b"{}", timeout=5)


@pytest.mark.parametrize("death", [Death("expired_claims"), Death("expired_claims", after=True)], ids=str)
def test_a_worker_dies_at_its_moment(plan, death):
    """By SIGKILL, here with the first look of its sweeper."""
    with SlackWorker(Plan(settings=plan.settings, answer=plan.answer, death=death)) as worker:
        assert worker.died()


def test_a_worker_that_is_left_does_not_stay(plan):
    with SlackWorker(plan) as worker:
        pass
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(worker.url, b"{}", timeout=5)
