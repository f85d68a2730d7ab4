"""Group DMs: mentions are answered there, under the same guard; talk is not."""

from dataclasses import replace

import pytest

from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.stores.contract import Entity, WhitelistEntry
from tests.slackapp.stage import TEAM, USER, Stage

OTHER = "U0SATO"


@pytest.fixture
def opened(store):
    def stage(**settings):
        return Stage(store, **settings)

    return stage


def group(stage, *others):
    return stage.slack.workspace.open_group(USER, OTHER, *others).id


def ask(stage, where):
    ts = stage.slack.say(USER, where, f"<@{stage.app.bot_user}> https://a.example/price いくら？")
    stage.settled()
    return ts


def test_a_mention_is_answered_in_its_thread(opened):
    with opened() as stage:
        where = group(stage, stage.app.bot_user)
        ts = ask(stage, where)
        assert [delivery.type for delivery in stage.slack.deliveries][:1] == ["message"]
        assert (len(stage.replies(ts, where)), len(stage.agent.asked)) == (1, 1)
        stage.slack.say(OTHER, where, "では15時に会議室で")
        assert len(stage.settled().agent.asked) == 1
        stage.slack.say(OTHER, where, "年額は？", ts)
        assert len(stage.settled().agent.asked) == 2


ONE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@ONE
def test_the_guard_is_the_same(opened):
    with opened(access_mode="whitelist") as stage:
        where = group(stage, stage.app.bot_user)
        for entity, listed in ((Entity.TEAM, TEAM), (Entity.CHANNEL, "C0GENERAL")):
            stage.store.add_to_whitelist(WhitelistEntry(entity=entity, id=listed))
        ask(stage, where)
        [told] = stage.slack.ephemerals()
        assert told["text"] == wording.refusal(RefusalCode.CHANNEL_NOT_ALLOWED)


@ONE
def test_without_its_store_the_app_says_so_once(opened):
    """The mention comes as one event only, which is no echo of another."""
    with opened() as stage:
        where = group(stage, stage.app.bot_user)
        stage.store.close()
        ts = stage.slack.say(USER, where, f"<@{stage.app.bot_user}> https://a.example/ は？", deliver=False)
        [body] = stage.slack.bodies(where, ts)
        assert stage.slack.deliver(body, retry_num=3)[0].result().status == 200
        [told] = stage.settled().slack.ephemerals()
        assert told["text"] == wording.refusal(RefusalCode.STORE_UNAVAILABLE)


OLD_SCOPES = frozenset({"chat:write", "team:read", "users:read", "channels:read", "channels:history"})


@ONE
def test_with_the_old_scopes_a_command_there_asks_for_an_invitation(opened):
    with opened() as stage:
        stage.slack.install(replace(stage.app, scopes=OLD_SCOPES))
        where = group(stage)
        stage.slack.command(USER, where, "/fetch", "https://a.example/ は？")
        [told] = stage.settled().slack.ephemerals()
        assert told["text"] == wording.refusal(RefusalCode.CHANNEL_UNKNOWN)
