"""Who may use the app."""

import pytest

from slackapp.codes import RefusalCode
from slackapp.guard.whitelist import Access, first_refusal
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, WhitelistEntry, WhitelistStatus
from tests.slackapp.requests import request

TEAM, CHANNEL, USER = Entity
YES, NO, NONE = WhitelistStatus.LISTED, WhitelistStatus.UNLISTED, WhitelistStatus.NO_ROWS
NOT_TEAM, NOT_CHANNEL, NOT_USER = (
    RefusalCode.TEAM_NOT_ALLOWED,
    RefusalCode.CHANNEL_NOT_ALLOWED,
    RefusalCode.USER_NOT_ALLOWED,
)


@pytest.mark.parametrize(
    ("team", "channel", "user", "in_channel", "in_direct"),
    [
        (NONE, NONE, NONE, NOT_TEAM, NOT_TEAM),
        (YES, NONE, NONE, None, None),
        (NONE, YES, NONE, None, None),
        (NONE, NONE, YES, None, None),
        (YES, YES, YES, None, None),
        (NO, NONE, NONE, NOT_TEAM, NOT_TEAM),
        (NONE, NO, NONE, NOT_CHANNEL, NOT_CHANNEL),
        (NONE, NONE, NO, NOT_USER, NOT_USER),
        (YES, NO, NONE, NOT_CHANNEL, None),
        (YES, NO, YES, NOT_CHANNEL, None),
        (NONE, NO, YES, NOT_CHANNEL, None),
        (YES, NO, NO, NOT_CHANNEL, NOT_USER),
        (YES, YES, NO, NOT_USER, NOT_USER),
        (NO, YES, YES, NOT_TEAM, NOT_TEAM),
        (NO, NO, NO, NOT_TEAM, NOT_TEAM),
    ],
)
def test_every_type_that_has_rows_must_name_the_request(team, channel, user, in_channel, in_direct):
    """In a direct message channels count only where nothing else is listed."""
    status = {TEAM: team, CHANNEL: channel, USER: user}
    assert first_refusal(status, direct=False) is in_channel
    assert first_refusal(status, direct=True) is in_direct


def refusal(store, incoming=None, *, external=False, **settings):
    return Access(store, SlackSettings(**settings)).refusal(incoming or request(), external=external)


def test_an_empty_list_lets_nobody_in_and_open_is_said_in_so_many_words(store):
    assert refusal(store) is NOT_TEAM
    assert refusal(store, access_mode="open") is None


def test_ids_of_the_settings_count_as_rows(store):
    assert refusal(store, whitelist_team_ids=("T0LOCAL",)) is None
    assert refusal(store, whitelist_team_ids=("T0LOCAL",), whitelist_user_ids=("U0OTHER",)) is NOT_USER


def test_rows_and_settings_add_up(store):
    """A type is one list, wherever its entries stand."""
    store.add_to_whitelist(WhitelistEntry(entity=USER, id="U0OTHER"))
    assert refusal(store, whitelist_team_ids=("T0LOCAL",)) is NOT_USER
    assert refusal(store, whitelist_team_ids=("T0LOCAL",), whitelist_user_ids=("U0SATO",)) is None
    store.add_to_whitelist(WhitelistEntry(entity=USER, id="U0SATO"))
    assert refusal(store, whitelist_user_ids=("U0THIRD",)) is None


@pytest.mark.parametrize("mode", ["open", "whitelist"])
def test_an_external_channel_must_be_listed_itself(store, mode):
    usual = {"access_mode": mode, "whitelist_team_ids": ("T0LOCAL",)}
    assert refusal(store, external=True, **usual) is RefusalCode.EXTERNAL_CHANNEL
    assert refusal(store, external=True, whitelist_channel_ids=("C0GENERAL",), **usual) is None
    store.add_to_whitelist(WhitelistEntry(entity=CHANNEL, id="C0GENERAL"))
    assert refusal(store, external=True, **usual) is None


def test_a_direct_message_is_the_users_own(store):
    direct = request(channel="D0SATO")
    lists = {"whitelist_team_ids": ("T0LOCAL",), "whitelist_channel_ids": ("C0GENERAL",)}
    assert refusal(store, direct, **lists) is None
    assert refusal(store, direct, whitelist_channel_ids=("C0GENERAL",)) is NOT_CHANNEL
