"""Slack is asked who it is, seldom, through the real SDK and a local Slack."""

import pytest
from slack_sdk import WebClient

from slackapp.codes import RefusalCode
from slackapp.guard.existence import Existence, SlackUnavailable, Verdict
from slackapp.listeners.incoming import Kind
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import App
from slackapp.playground.webapi.faults import Fault
from slackapp.settings import SlackSettings
from tests.slackapp.requests import request


@pytest.fixture(scope="module")
def running_slack():
    with LocalSlack() as slack:
        slack.install(App(bot_token="xoxb-1"))
        slack.workspace.add_team("T0GUEST", "取引先")
        slack.workspace.add_user("gone", user_id="U0GONE", deleted=True)
        slack.workspace.add_user("robot", user_id="U0ROBOT", is_bot=True)
        slack.workspace.add_user("guest", user_id="U0GUEST", team_id="T0GUEST")
        slack.workspace.add_channel("old", channel_id="C0OLD", is_archived=True)
        slack.workspace.add_channel("shared", channel_id="C0SHARED", is_ext_shared=True)
        slack.workspace.add_channel("secret", channel_id="C0SECRET", private=True, is_member=False)
        yield slack


@pytest.fixture
def slack(running_slack):
    """The local Slack; `asked` tells what it was asked since."""
    running_slack.faults.clear()
    return running_slack


@pytest.fixture
def existence(slack, store, clock):
    client = WebClient(token="xoxb-1", base_url=slack.api_url, retry_handlers=[])
    return Existence(store, client, SlackSettings(), clock)


@pytest.fixture
def asked(slack):
    before = len(slack.calls)
    return lambda: [call.method for call in slack.calls[before:]]


ALL = ["team.info", "users.info", "conversations.info"]


@pytest.mark.parametrize(
    ("fields", "refusal"),
    [
        ({}, None),
        ({"channel": "D0SATO", "kind": Kind.DIRECT}, None),
        ({"team": "T0NOWHERE"}, RefusalCode.TEAM_UNKNOWN),
        ({"user": "U0NOBODY"}, RefusalCode.USER_UNKNOWN),
        ({"user": "U0NOBODY", "user_team": "T0GUEST"}, RefusalCode.EXTERNAL_USER),
        ({"user": "U0GONE"}, RefusalCode.USER_DEACTIVATED),
        ({"user": "U0ROBOT"}, RefusalCode.USER_UNKNOWN),
        ({"user": "U0GUEST"}, RefusalCode.EXTERNAL_USER),
        ({"user": "U0GUEST", "channel": "D0GUEST"}, RefusalCode.EXTERNAL_USER),
        ({"channel": "C0OLD"}, RefusalCode.CHANNEL_ARCHIVED),
        ({"channel": "C0NOWHERE"}, RefusalCode.CHANNEL_UNKNOWN),
        ({"channel": "C0SECRET"}, RefusalCode.CHANNEL_UNKNOWN),
        ({"channel": "C0SECRET", "kind": Kind.COMMAND}, None),
        ({"channel": "C0SECRET", "kind": Kind.SHORTCUT}, None),
        ({"channel": "C0OLD", "kind": Kind.COMMAND}, RefusalCode.CHANNEL_ARCHIVED),
    ],
)
def test_who_is_not_what_they_should_be_is_refused(existence, fields, refusal):
    """And just as well from memory."""
    for _ in range(2):
        assert existence.judge(request(**fields)).refusal is refusal


@pytest.mark.parametrize(
    ("fields", "external"),
    [
        ({}, False),
        ({"channel": "C0SHARED"}, True),
        ({"channel": "C0SHARED", "kind": Kind.COMMAND}, True),
        ({"shared": True}, True),
        ({"channel": "D0SATO"}, False),
    ],
)
def test_a_channel_that_others_share_is_known_as_such(existence, fields, external):
    """By what Slack knows of it, or by what the event says."""
    for _ in range(2):
        assert existence.judge(request(**fields)) == Verdict(external=external)


@pytest.mark.parametrize("kind", [Kind.COMMAND, Kind.SHORTCUT])
@pytest.mark.parametrize("channel", ["C0SECRET", "C0NOWHERE", "D0NOWHERE"])
def test_a_place_that_slack_does_not_show_us_may_be_external(existence, asked, kind, channel):
    """It is asked about each time: who was told so invites us."""
    for _ in range(2):
        assert existence.judge(request(channel=channel, kind=kind)) == Verdict(external=True, unseen=True)
    assert len(asked()) == 4


def test_slack_is_asked_once_in_five_minutes(existence, clock, asked):
    for _ in range(2):
        existence.judge(request())
        clock.advance(299)
        existence.judge(request())
        clock.advance(1)
    assert asked() == ALL * 2


def test_a_direct_message_has_no_channel_to_ask_about(existence, asked):
    existence.judge(request(channel="D0SATO"))
    assert asked() == ALL[:2]


def test_a_refusal_is_remembered_for_half_a_minute(existence, clock, asked):
    """A user who is allowed again should not wait long; nothing after the refusal is looked up."""
    for _ in range(2):
        existence.judge(request(user="U0GONE"))
        clock.advance(29)
        existence.judge(request(user="U0GONE"))
        clock.advance(1)
    assert asked() == ["team.info", "users.info", "users.info"]


def test_the_users_name_is_kept_for_whoever_names_authors(existence, store, clock):
    existence.judge(request())
    assert store.cached_values(["name:T0LOCAL:U0SATO"], now=clock.now().timestamp()) == {
        "name:T0LOCAL:U0SATO": "佐藤 健"
    }


@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=500),
        Fault(status=429, retry_after=1),
        Fault(drop=True),
        Fault(error="invalid_auth"),
        Fault(error="internal_error"),
    ],
)
@pytest.mark.parametrize("method", ALL)
def test_a_slack_that_does_not_answer_is_no_verdict(existence, slack, asked, fault, method):
    """Nothing is remembered of it, and what was asked before it is not asked again."""
    slack.faults.next(method, fault)
    with pytest.raises(SlackUnavailable):
        existence.judge(request())
    assert existence.judge(request()) == Verdict()
    assert sorted(asked()) == sorted([*ALL, method])


@pytest.mark.parametrize(
    ("method", "error", "refusal"),
    [
        ("team.info", "team_not_found", RefusalCode.TEAM_UNKNOWN),
        ("team.info", "team_access_not_granted", RefusalCode.TEAM_UNKNOWN),
        ("users.info", "user_not_found", RefusalCode.USER_UNKNOWN),
        ("users.info", "user_not_visible", RefusalCode.USER_UNKNOWN),
        ("users.info", "users_not_found", RefusalCode.USER_UNKNOWN),
        ("conversations.info", "channel_not_found", RefusalCode.CHANNEL_UNKNOWN),
        ("conversations.info", "not_in_channel", RefusalCode.CHANNEL_UNKNOWN),
        ("conversations.info", "channel_is_limited_access", RefusalCode.CHANNEL_UNKNOWN),
        ("conversations.info", "missing_scope", RefusalCode.CHANNEL_UNKNOWN),
        ("conversations.info", "method_not_supported_for_channel_type", RefusalCode.CHANNEL_UNKNOWN),
    ],
)
def test_what_slack_does_not_know_is_refused(existence, slack, method, error, refusal):
    """S1: in Slack's own words, as its pages of these methods list them."""
    slack.faults.next(method, Fault(error=error))
    assert existence.judge(request()).refusal is refusal


def test_what_another_version_remembered_is_looked_up_again(existence, store, clock, asked):
    for text in ("not json", "[]", '{"refusal": "of another kind"}'):
        store.cache_values({"team:T0LOCAL": text}, expires_at=clock.now().timestamp() + 60)
        assert existence.judge(request()) == Verdict()
    assert asked().count("team.info") == 3


class Directory:
    """Slack's answers as they would come from a Grid or a Connect workspace."""

    def __init__(self, user):
        self._user = user

    def team_info(self):
        return {"team": {"id": "T0LOCAL"}}

    def users_info(self, *, user, include_locale):
        return {"user": self._user}

    def conversations_info(self, *, channel):
        return {"channel": {}}

    def conversations_history(self, *, channel, limit):
        return {"messages": []}


@pytest.mark.parametrize(
    ("user", "refusal"),
    [
        ({"team_id": "T0LOCAL"}, None),
        ({"team_id": "T0LOCAL", "is_stranger": True}, RefusalCode.EXTERNAL_USER),
        ({"team_id": "T0LOCAL", "is_restricted": True}, None),
        ({"team_id": "E0GRID", "enterprise_user": {"teams": ["T0LOCAL", "T0OTHER"]}}, None),
        ({"team_id": "E0GRID", "enterprise_user": {"teams": ["T0OTHER"]}}, RefusalCode.EXTERNAL_USER),
        ({"team_id": "T0OTHER", "deleted": True}, RefusalCode.EXTERNAL_USER),
        ({}, RefusalCode.EXTERNAL_USER),
    ],
)
def test_members_come_by_themselves_or_through_their_organisation(store, clock, user, refusal):
    """Guests are members; strangers of a shared channel are not, nor is a user without any workspace."""
    existence = Existence(store, Directory(user), SlackSettings(), clock)
    assert existence.judge(request()).refusal is refusal


def test_slackbot_is_nobody(store, clock):
    existence = Existence(store, Directory({"team_id": "T0LOCAL"}), SlackSettings(), clock)
    assert existence.judge(request(user="USLACKBOT")).refusal is RefusalCode.USER_UNKNOWN


@pytest.mark.parametrize(
    ("user", "user_team", "refusal"),
    [
        ({}, "E0OURS", None),
        ({}, "E0THEIRS", RefusalCode.EXTERNAL_USER),
        ({"enterprise_user": {"teams": ["T0OTHER"]}}, "E0OURS", RefusalCode.EXTERNAL_USER),
        ({"team_id": "T0OTHER"}, "T0LOCAL", RefusalCode.EXTERNAL_USER),
    ],
)
def test_an_organisation_counts_only_if_it_is_ours(store, clock, user, user_team, refusal):
    """In shared channels, a mention by a user on Enterprise Grid names the organisation and no workspace."""
    existence = Existence(store, Directory(user), SlackSettings(), clock)
    asked = request(user_team=user_team, enterprise="E0OURS")
    assert existence.judge(asked).refusal is refusal


def test_a_workspace_that_only_shares_a_channel_is_not_ours(existence, slack):
    """Slack's `team.info` also knows the other side of a shared channel."""
    slack.workspace.add_team("T0THEIRS", "取引先")
    theirs = request(team="T0THEIRS", user_team="T0THEIRS")
    assert existence.judge(theirs).refusal is RefusalCode.TEAM_UNKNOWN
