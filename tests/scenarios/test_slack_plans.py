"""Workspaces without the parts of Slack that are made for agents: a free plan, or an app that is no agent."""

import pytest

from slackapp.slack.poster import MEANING
from tests.slackapp.stage import CHANNEL, USER, Stage

ANSWERED = "コーヒー豆は1,200円です。"


@pytest.fixture
def stage(sqlite_settings):
    with Stage(sqlite_settings) as running:
        running.slack.workspace.has_agents = False
        yield running


def test_everything_works_without_sessions_and_streams(stage, caplog):
    """The log says once what it means, and Slack is not asked again."""
    where = stage.slack.direct(USER)
    for place in (where, where, CHANNEL):
        mention = f"<@{stage.app.bot_user}> " if place == CHANNEL else ""
        ts = stage.slack.say(USER, place, f"{mention}https://a.example/ は？")
        [reply] = stage.settled().replies(ts, place)
        assert reply["text"] == ANSWERED
    [line] = [record for record in caplog.records if record.getMessage() == "agent_features_refused"]
    assert line.fields == {"meaning": MEANING}
    gated = ("agents.sessions.setStatus", "chat.startStream", "chat.stopStream")
    assert sum(len(stage.slack.calls_of(method)) for method in gated) == 1


def test_a_command_and_a_stop_work_too(stage):
    stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？")
    [root] = stage.settled().slack.timeline(CHANNEL)
    assert stage.replies(root["ts"])[1]["text"] == ANSWERED
