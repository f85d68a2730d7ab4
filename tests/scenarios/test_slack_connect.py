"""Channels that are shared with another organisation: one post is one claim and one decision."""

import pytest

from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import message_key
from slackapp.stores.contract import Entity, WhitelistEntry
from tests.slackapp.stage import TEAM, USER, Stage

THEIRS, GUEST = "T0THEIRS", "U0GUEST"
SQLITE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@pytest.fixture
def shared(store):
    """Opens a stage with a channel that is shared and whitelisted; either side may be on Enterprise Grid."""

    def opened(ours="", theirs="", **settings):
        stage = Stage(store, **settings)
        workspace = stage.slack.workspace
        workspace.teams[TEAM].enterprise_id = ours
        workspace.add_team(THEIRS, "取引先株式会社", enterprise_id=theirs)
        workspace.add_user("guest", user_id=GUEST, team_id=THEIRS)
        workspace.add_channel("partners", channel_id="C0PARTNERS", shared_with=THEIRS)
        return stage

    return opened


def whitelist_channel(stage):
    stage.store.add_to_whitelist(WhitelistEntry(entity=Entity.CHANNEL, id="C0PARTNERS"))


def ask(stage, user):
    """Mention the app there; return the message's timestamp once all is over."""
    ts = stage.slack.say(user, "C0PARTNERS", f"<@{stage.app.bot_user}> https://a.example/price いくら？")
    stage.settled()
    bodies = [delivery.body for delivery in stage.slack.deliveries if delivery.type in TYPES]
    outer = {body["team_id"] for body in bodies if body["event"].get("ts") == ts}
    assert outer == {TEAM, THEIRS}  # the two envelopes of the post disagree
    return ts


TYPES = ("app_mention", "message")
GRIDS = [("", ""), ("", "E0THEIRS"), ("E0OURS", ""), ("E0OURS", "E0THEIRS")]


@pytest.mark.parametrize("settings", [{"access_mode": "whitelist"}, {"access_mode": "open"}], ids=str)
def test_an_external_user_is_refused_once(shared, settings):
    with shared(**settings) as stage:
        whitelist_channel(stage)
        ask(stage, GUEST)
        assert stage.agent.asked == []
        [told] = stage.slack.ephemerals()
        assert (told["to"], told["text"]) == (GUEST, wording.refusal(RefusalCode.EXTERNAL_USER))


def test_our_own_member_is_answered_once_and_told_nothing_else(shared):
    with shared(access_mode="whitelist") as stage:
        whitelist_channel(stage)
        ts = ask(stage, USER)
        assert (len(stage.replies(ts, "C0PARTNERS")), len(stage.agent.asked)) == (1, 1)
        assert stage.slack.ephemerals() == []
        thread = f"thread:{TEAM}:C0PARTNERS:{ts}"
        claimed = stage.store.linked_claim_key(thread, now=stage._now())
        assert claimed == message_key(TEAM, "C0PARTNERS", ts)


@SQLITE
@pytest.mark.parametrize(("ours", "theirs"), GRIDS)
def test_enterprise_grid_changes_neither(shared, ours, theirs):
    with shared(ours, theirs) as stage:
        whitelist_channel(stage)
        ask(stage, GUEST)
        assert stage.agent.asked == []
    with shared(ours, theirs) as stage:
        whitelist_channel(stage)
        ts = ask(stage, USER)
        assert len(stage.replies(ts, "C0PARTNERS")) == 1
