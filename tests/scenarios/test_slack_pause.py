"""A worker that stands still (SIGSTOP) at any moment, and goes on when another one has ended its question."""

import signal
import threading
from contextlib import ExitStack
from dataclasses import replace

import pytest

from tests.fakes.slack_worker import Death
from tests.scenarios.test_slack_kill import CASES, assert_one_reply, assert_one_thread, open_scene
from tests.slackapp.stage import CHANNEL

LEASE = {"lease_seconds": 1.5, "heartbeat_seconds": 0.3, "clock_skew_seconds": 0.2}
"""Real time passes: a fence is nothing if only one worker's clock is moved."""
MOMENTS = {
    way: tuple(
        replace(moment, by=signal.SIGSTOP) if isinstance(moment, Death) else moment for moment in moments
    )
    for way, moments in CASES.items()
}
FINISHED = Death("finish", after=True, by=signal.SIGSTOP)
"""Then there is nothing left for others."""


def paused(stack, scene, way, moment):
    """A worker that stands still at this moment, and the place of its reply."""
    if isinstance(moment, Death):
        worker = stack.enter_context(scene.worker(replace(scene.plan, death=moment)))
        place = scene.ask(way)
        assert worker.is_paused()
        return worker, place
    slack = scene.slack
    slack.faults.next(moment.method, moment.fault(threading.Event()), when=moment.fits)
    worker = stack.enter_context(scene.worker(scene.plan))
    place = scene.ask(way)
    assert slack.wait_until(lambda: slack.faults.held, timeout=60)
    worker.pause()
    slack.faults.clear()
    assert slack.wait_until(lambda: not slack.faults.held, timeout=60)
    return worker, place


@pytest.fixture(scope="module", params=["sqlite", "dynamodb"])
def aftermath(request, tmp_path_factory):
    """A worker paused in every case; then one that ends what they all began; then they all go on."""
    if request.param == "sqlite":
        store = {"sqlite_path": str(tmp_path_factory.mktemp("store") / "store.sqlite3")}
    else:
        store = request.getfixturevalue("shared_dynamodb")
    with open_scene(store, **LEASE) as scene, ExitStack() as stack:
        places, workers = {}, {}
        for way, moments in MOMENTS.items():
            for moment in moments:
                workers[way, moment], places[way, moment] = paused(stack, scene, way, moment)
        scene.later(ahead=0.0).end()
        for worker in workers.values():
            worker.go_on()
        for (_, moment), worker in workers.items():
            assert moment == FINISHED or worker.left_to_others(), moment
        yield scene.slack, places


def _cases(way):
    return pytest.mark.parametrize("moment", MOMENTS[way], ids=str)


@_cases("mention")
def test_a_mention_has_one_reply_when_its_first_worker_goes_on(aftermath, moment):
    """Its parts once each and in order, then its files once each."""
    slack, places = aftermath
    assert_one_reply(slack, *places["mention", moment])


@_cases("direct")
def test_a_direct_message_has_one_reply_when_its_first_worker_goes_on(aftermath, moment):
    slack, places = aftermath
    assert_one_reply(slack, *places["direct", moment])


@_cases("command")
def test_a_command_has_one_thread_when_its_first_worker_goes_on(aftermath, moment):
    slack, places = aftermath
    assert_one_thread(slack, *places["command", moment])


def test_nothing_stands_outside_the_threads(aftermath):
    slack, _ = aftermath
    roots = [each for each in slack.timeline(CHANNEL) if each.get("user") == slack.app.bot_user]
    assert len(roots) == len(MOMENTS["command"])
    assert slack.ephemerals() == []
