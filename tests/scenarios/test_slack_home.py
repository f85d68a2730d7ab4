"""The Home tab: how to ask, whether one may, what is left, one's threads; and more for admins."""

import json
from dataclasses import replace
from typing import Any

import pytest

from fetcher.agent import Usage
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.guard.usage import Used
from slackapp.playground.webapi.faults import Fault
from slackapp.stores.contract import Entity, WhitelistEntry
from slackapp.work.views import MOST_LINES, MOST_PLACES
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import ANSWER, CHANNEL, TEAM, USER, ScriptedAgent, Stage

SATO, ADMIN = "U0SATO", "U0SUZUKI"
SECRET = "秘密の計画"
LISTED = {
    "access_mode": "whitelist",
    "whitelist_user_ids": [USER, ADMIN],
    "whitelist_channel_ids": [CHANNEL],
    "admin_contact": ADMIN,
}


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture
def stage(store, clock):
    agent = ScriptedAgent(replace(ANSWER, usage=Usage(calls=1, input_tokens=900, output_tokens=100)))
    limits: dict[str, Any] = {
        **LISTED,
        "daily_questions_per_team": 5,
        "daily_tokens_total": 10_000,
        "read_reaction": "newspaper",
    }
    with Stage(store, agent=agent, clock=clock, **limits) as running:
        yield running


def home(stage, user):
    """What the tab says, in one text; the buttons are left out."""
    stage.slack.open_home(user)
    view = stage.settled().slack.workspace.homes[stage.app.app_id, user]
    return "\n".join(block["text"]["text"] for block in view["blocks"] if "text" in block)


def test_everybody_sees_how_to_ask_what_is_left_and_their_own_threads(stage, clock):
    """On both stores; links to threads are stored, and no word of a question."""
    first = home(stage, USER)
    assert wording.app_home("newspaper") in first
    assert wording.home_allowed(5, 10_000) in first
    assert wording.home_threads() not in first
    ts = stage.mention(f"https://a.example/ {SECRET}")
    direct = stage.slack.direct(USER)
    asked = stage.settled().slack.say(USER, direct, f"<https://a.example/> {SECRET}")
    shown = home(stage.settled(), USER)
    assert wording.home_allowed(3, 8_000) in shown
    for channel, thread in ((direct, asked), (CHANNEL, ts)):
        link = stage.slack.workspace.permalink(channel, thread)
        assert wording.home_thread(link, channel, int(float(thread))) in shown
    assert shown.index(direct) < shown.index(f"archives/{CHANNEL}")
    assert wording.home_threads() not in home(stage, SATO)
    assert wording.home_admin_heading() not in shown
    assert SECRET not in json.dumps(
        stage.store.known_urls(f"threads:{TEAM}:{USER}", now=0), ensure_ascii=False
    )
    for number in range(3):
        stage.mention(f"https://a.example/{number} いくら？")
        stage.settled()
    spent = home(stage, USER)
    assert wording.home_refused(wording.refusal(RefusalCode.DAILY_QUESTIONS), ADMIN) in spent
    assert ":white_check_mark:" not in spent
    clock.advance(24 * 3600)
    assert wording.home_allowed(5, 10_000) in home(stage, USER)


def test_who_may_not_ask_is_told_why_where_it_works_and_whom_to_ask(stage):
    """Looking is no question: nothing is counted, and nothing is refused for it."""
    shown = home(stage, SATO)
    assert wording.home_refused(wording.refusal(RefusalCode.USER_NOT_ALLOWED), ADMIN) in shown
    assert wording.home_places((CHANNEL,)) in shown
    assert f"<@{ADMIN}>" in shown
    assert stage.slack.ephemerals(SATO) == []
    assert wording.home_allowed(5, 10_000) in home(stage, USER)


def test_admins_see_usage_whitelist_and_health(stage, clock):
    """Slack says who is one. Direct messages are counted together: no person shows in the usage."""
    stage.mention()
    stage.settled().slack.say(USER, stage.slack.direct(USER), "<https://a.example/> いくら？")
    stage.settled()
    clock.advance(3 * 24 * 3600)
    stage.mention()
    shown = home(stage.settled(), ADMIN)
    assert wording.home_usage(CHANNEL, 2, 2_000) in shown
    assert wording.home_usage("", 1, 1_000) in shown
    assert stage.slack.direct(USER) not in shown
    assert wording.home_policy_heading("whitelist") in shown
    assert wording.home_listed(Entity.USER, USER, "", True) in shown
    assert "応答あり" in shown
    assert wording.home_last_error("", 0).split("：")[0] in shown
    for number in range(MOST_LINES):
        stage.store.add_to_whitelist(
            WhitelistEntry(entity=Entity.USER, id=f"U{number:03d}", label="<!channel>")
        )
    crowded = home(stage, ADMIN)
    assert wording.more_sources(3) in crowded
    assert "<!channel>" not in crowded
    clock.advance(5 * 24 * 3600)
    assert wording.home_usage(CHANNEL, 1, 1_000) in home(stage, ADMIN)
    assert stage.running.lazy_handler.get()._dependencies.guard.usage.week(TEAM) == {CHANNEL: Used(1, 1_000)}


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_long_lists_end_with_how_many_more_there_are(stage):
    """Within Slack's limits: whole lines, whatever a label holds, and no list that seems complete."""
    for number in range(100):
        for entity, letter in ((Entity.CHANNEL, "C"), (Entity.USER, "U")):
            listed = WhitelistEntry(entity=entity, id=f"{letter}{number:03d}", label="<&>\n• 注" * 999)
            stage.store.add_to_whitelist(listed)
    asked = home(stage, SATO)
    assert wording.home_places(("C000", "C001")).split("：")[0] in asked
    assert wording.more_sources(101 - MOST_PLACES) in asked
    stage.slack.open_home(ADMIN)
    view = stage.settled().slack.workspace.homes[stage.app.app_id, ADMIN]
    texts = [block["text"]["text"] for block in view["blocks"] if block["type"] == "section"]
    [policy] = [text for text in texts if text.startswith(wording.home_policy_heading("whitelist"))]
    *lines, rest = policy.removeprefix(wording.home_policy_heading("whitelist")).strip().split("\n")
    assert max(map(len, texts)) <= 3000
    assert all(line.startswith("• チャンネル：<#C") and line.endswith("）") for line in lines)
    assert rest == wording.more_sources(203 - len(lines))


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_only_an_admin_of_this_workspace_sees_the_admins_part(stage):
    """Not an admin of another one, not a former one, and not while Slack does not answer."""
    workspace = stage.slack.workspace
    workspace.add_team("T0OTHER", "他社")
    workspace.add_user("other", user_id="U0OTHER", team_id="T0OTHER", is_admin=True)
    for user in (USER, SATO, "U0OTHER"):
        assert wording.home_admin_heading() not in home(stage, user)
    assert CHANNEL not in home(stage, "U0OTHER")
    assert wording.home_admin_heading() in home(stage, ADMIN)
    stage.slack.faults.next("users.info", Fault(error="internal_error"), 9)
    assert wording.home_admin_heading() not in home(stage, ADMIN)
    stage.slack.faults.clear()
    workspace.users[ADMIN].deleted = True
    assert wording.home_admin_heading() not in home(stage, ADMIN)


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_without_its_store_the_tab_still_says_how_to_ask(stage, monkeypatch, caplog):
    store = stage.store
    monkeypatch.setattr(store._tables.database, "_busy_seconds", 0.01)
    with store._tables.database._lock:
        shown = home(stage, ADMIN)
    assert wording.app_home("newspaper") in shown
    assert wording.refusal(RefusalCode.STORE_UNAVAILABLE) in shown
    assert "home_not_complete" in caplog.text
