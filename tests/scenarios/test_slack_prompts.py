"""Suggested prompts in the app's Messages tab."""

from dataclasses import replace

import pytest

from slackapp import wording
from slackapp.playground.webapi.faults import Fault
from tests.slackapp.stage import USER, Stage

pytestmark = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@pytest.fixture
def stage(store):
    with Stage(store) as running:
        yield running


def shown(stage):
    return stage.slack.workspace.prompts.get(stage.slack.direct(USER))


def test_opening_the_messages_tab_shows_prompts(stage):
    stage.slack.open_home(USER, tab="messages")
    stage.settled()
    prompts = [(each["title"], each["message"]) for each in shown(stage)["prompts"]]
    assert (shown(stage)["title"], prompts) == (
        wording.prompts_title(),
        [*wording.suggested_prompts()],
    )
    assert stage.slack.calls_of("views.publish") == ()


def test_opening_the_home_tab_shows_none(stage):
    stage.slack.open_home(USER)
    stage.settled()
    assert (shown(stage), len(stage.slack.calls_of("views.publish"))) == (None, 1)


def test_a_prompt_is_an_ordinary_question(stage):
    """Its link is read like any other."""
    _, question = wording.suggested_prompts()[1]
    stage.slack.say(USER, stage.slack.direct(USER), question, typed=True)
    [asked] = stage.settled().agent.asked
    assert asked.question.startswith(wording._HOLIDAYS)


def test_an_app_without_the_surface_or_the_scope_does_without(stage):
    stage.slack.faults.next("assistant.threads.setSuggestedPrompts", Fault(error="not_authorized"))
    stage.slack.open_home(USER, tab="messages")
    stage.settled().slack.install(replace(stage.app, scopes=frozenset({"chat:write"})))
    stage.slack.open_home(USER, tab="messages")
    stage.settled()
    assert shown(stage) is None
    assert len(stage.slack.calls_of("assistant.threads.setSuggestedPrompts")) == 2
