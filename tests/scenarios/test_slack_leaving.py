"""A workspace removes the app: its runs end and its rows are deleted."""

import threading
from dataclasses import replace

import pytest

from slackapp.listeners.incoming import Name, message_key
from tests.slackapp.stage import CHANNEL, TEAM, ScriptedAgent, Stage


@pytest.fixture
def hold():
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def busy(store, hold):
    with Stage(store, agent=ScriptedAgent(hold=hold), lease_seconds=3, heartbeat_seconds=0.2) as stage:
        yield stage


@pytest.mark.parametrize("event", ["app_uninstalled", "tokens_revoked"])
def test_a_run_ends_and_the_rows_are_gone(busy, hold, event):
    ts = busy.mention()
    assert busy.agent.begun.acquire(timeout=60)
    [placeholder] = busy.replies(ts)
    busy.slack.uninstall(events=(event,))
    busy.settled()
    assert [reply["text"] for reply in busy.replies(ts)] == [placeholder["text"]]
    now = busy._now()
    assert busy.store.unfinished_claim(message_key(TEAM, CHANNEL, ts), now=now) is None
    assert busy.store.linked_claim_key(Name.THREAD.of(TEAM, CHANNEL, ts), now=now) is None
    assert busy.store.cached_values([f"team:{TEAM}"], now=now) == {}
    assert busy.unfinished() == []


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_run_of_another_process_ends_with_its_heartbeat(busy, hold):
    ts = busy.mention()
    assert busy.agent.begun.acquire(timeout=60)
    busy.store.delete_workspace(TEAM)
    texts = [reply["text"] for reply in busy.settled().replies(ts)]
    assert len(texts) == 1
    assert busy.unfinished() == []


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_a_token_of_a_single_user_changes_nothing(busy, hold):
    ts = busy.mention()
    assert busy.agent.begun.acquire(timeout=60)
    [body, _] = busy.slack.bodies(CHANNEL, ts)
    revoked = {"type": "tokens_revoked", "tokens": {"oauth": ["U0TANAKA"], "bot": []}}
    busy.slack.deliver(body | {"event": revoked})[0].result()
    hold.set()
    busy.settled()
    assert busy.store.linked_claim_key(Name.THREAD.of(TEAM, CHANNEL, ts), now=busy._now())


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_an_app_that_is_installed_again_begins_anew(busy, hold):
    hold.set()
    busy.mention()
    busy.settled().slack.uninstall()
    busy.settled().slack.install(replace(busy.app))
    ts = busy.mention()
    assert len(busy.settled().replies(ts)) == 1
