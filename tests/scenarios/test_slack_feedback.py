"""Feedback is a toggle: the last state is kept, thanks come once, and "not useful" may be explained."""

import logging

import pytest

from slackapp import wording
from slackapp.playground.errors import ApiRefused
from slackapp.playground.webapi.faults import Fault
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, TEAM, Stage

SATO = "U0SATO"


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture
def stage(store, clock, caplog):
    caplog.set_level(logging.INFO)
    with Stage(store, clock=clock) as running:
        yield running


@pytest.fixture
def reply(stage):
    ts = stage.mention()
    [reply] = stage.settled().replies(ts)
    return reply


def row(stage, reply):
    """The stored rating and its reason."""
    name = f"feedback:{TEAM}:{CHANNEL}:{reply['ts']}:{SATO}"
    found = stage.store._tables.get("dedupe", [name])[name]
    return found["feedback"], found.get("reason")


def press(stage, reply, value):
    assert stage.slack.click(SATO, CHANNEL, reply["ts"], "feedback", value).ok
    return stage.settled()


def counted(caplog, metric):
    """The lines that count something, as CloudWatch finds them."""
    lines = [getattr(record, "fields", {}) for record in caplog.records]
    return [
        line
        for line in lines
        for definition in line.get("_aws", {}).get("CloudWatchMetrics", ())
        if {"Name": metric, "Unit": "Count"} in definition["Metrics"]
    ]


def test_a_second_press_withdraws_and_thanks_come_once(stage, reply, caplog):
    states = [row(press(stage, reply, value), reply)[0] for value in ("good", "good", "bad", "good", "good")]
    assert states == ["good", "", "bad", "good", ""]
    assert [each["text"] for each in stage.slack.ephemerals(SATO)] == [wording.feedback_thanks()]
    values = [line["value"] for line in counted(caplog, "feedback")]
    assert values == ["good", "withdrawn", "bad", "good", "withdrawn"]


def test_after_not_useful_a_modal_asks_why_in_one_line(stage, reply, caplog):
    press(stage, reply, "bad")
    view = stage.slack.workspace.modals[SATO]
    assert view["title"]["text"] == wording.reason_title()
    assert stage.slack.submit_modal(SATO, {"reason": " 価格が\n古い "}).ok
    stage.settled()
    assert SATO not in stage.slack.workspace.modals
    assert row(stage, reply) == ("bad", "価格が 古い")
    assert len(counted(caplog, "feedback_reasons")) == 1
    assert "古い" not in caplog.text
    press(stage, reply, "bad")
    assert row(stage, reply) == ("", None)


@pytest.mark.parametrize("value", ["good", "bad"])
def test_only_a_rating_that_stands_as_not_useful_opens_the_modal(stage, reply, value):
    """Neither praise nor a withdrawal asks for a reason."""
    press(stage, reply, value)
    stage.slack.workspace.modals.clear()
    press(stage, reply, value)
    assert stage.slack.workspace.modals == {}


def test_a_modal_that_cannot_be_opened_loses_no_feedback(stage, reply, caplog):
    stage.slack.faults.next("views.open", Fault(error="expired_trigger_id"))
    press(stage, reply, "bad")
    assert row(stage, reply)[0] == "bad"
    assert [each["text"] for each in stage.slack.ephemerals(SATO)] == [wording.feedback_thanks()]
    assert "reason_not_asked" in caplog.text


def test_slack_takes_a_trigger_once_and_for_three_seconds(stage, clock):
    workspace = stage.slack.workspace
    workspace.add_trigger("1.a", SATO)
    assert workspace.take_trigger("1.a") == SATO
    workspace.add_trigger("2.a", SATO)
    clock.advance(4)
    codes = []
    for trigger in ("1.a", "2.a", "3.a"):
        with pytest.raises(ApiRefused) as refused:
            workspace.take_trigger(trigger)
        codes.append(refused.value.error)
    assert codes == ["exchanged_trigger_id", "expired_trigger_id", "invalid_trigger_id"]
