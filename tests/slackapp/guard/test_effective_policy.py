"""The access policy in force, as people see it."""

import pytest

from slackapp.codes import RefusalCode
from slackapp.guard.effective_policy import Origin, effective_policy
from slackapp.guard.whitelist import Access
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, WhitelistEntry
from tests.slackapp.requests import request

TEAM, CHANNEL, USER = Entity
ENVIRONMENT, TABLE = Origin


def policy(store, **settings):
    return effective_policy(store, SlackSettings(**settings))


def test_ids_of_both_origins_are_one_list(store):
    """An id that stands in both has both origins, and the label of the table."""
    store.add_to_whitelist(WhitelistEntry(entity=TEAM, id="T0LOCAL", label="本社"))
    store.add_to_whitelist(WhitelistEntry(entity=CHANNEL, id="C0GENERAL"))
    found = policy(store, whitelist_team_ids=("T0LOCAL", "T0AAA"), whitelist_user_ids=("U0SATO",))
    assert [(each.entity, each.id, each.origins, each.label) for each in found.listed] == [
        (TEAM, "T0AAA", (ENVIRONMENT,), ""),
        (TEAM, "T0LOCAL", (ENVIRONMENT, TABLE), "本社"),
        (CHANNEL, "C0GENERAL", (TABLE,), ""),
        (USER, "U0SATO", (ENVIRONMENT,), ""),
    ]
    assert found.summary == "whitelist (2 teams, 1 channel, 1 user)"
    assert not found.refuses_everyone


def test_an_empty_list_refuses_everyone_and_open_mode_nobody(store):
    empty = policy(store)
    assert empty.refuses_everyone
    assert empty.summary == "whitelist (nothing is listed)"
    assert empty.refusal(team="T0LOCAL") is RefusalCode.TEAM_NOT_ALLOWED
    opened = policy(store, access_mode="open")
    assert (opened.refuses_everyone, opened.summary) == (False, "open")
    assert opened.refusal(team="T0LOCAL", channel="C0GENERAL", user="U0SATO") is None


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"access_mode": "open"},
        {"whitelist_team_ids": ("T0LOCAL",)},
        {"whitelist_team_ids": ("T0OTHER",)},
        {"whitelist_channel_ids": ("C0GENERAL",), "whitelist_user_ids": ("U0OTHER",)},
        {"whitelist_team_ids": ("T0LOCAL",), "whitelist_channel_ids": ("C0OTHER",)},
    ],
)
@pytest.mark.parametrize("channel", ["C0GENERAL", "D0SATO"])
def test_the_policy_says_what_the_guard_decides(store, settings, channel):
    store.add_to_whitelist(WhitelistEntry(entity=USER, id="U0SATO"))
    incoming = request(channel=channel)
    expected = Access(store, SlackSettings(**settings)).refusal(incoming, external=False)
    found = policy(store, **settings).refusal(
        team=incoming.team, channel=incoming.channel, user=incoming.user
    )
    assert found is expected


def test_only_what_is_given_is_judged(store):
    """The doctor knows the workspace and perhaps a channel, but not who will ask."""
    found = policy(store, whitelist_team_ids=("T0LOCAL",), whitelist_user_ids=("U0SATO",))
    assert found.refusal(team="T0LOCAL") is None
    assert found.refusal(team="T0OTHER") is RefusalCode.TEAM_NOT_ALLOWED
