"""The app's settings, from the variables of their names."""

import pytest

from fetcher.settings import ConfigurationError
from slackapp.settings import ON_LAMBDA, TABLES, SlackSettings, load


@pytest.mark.parametrize(
    ("environ", "kind"),
    [
        ({}, "sqlite"),
        ({"DYNAMODB_TABLE_PREFIX": "bot-"}, "dynamodb"),
        ({"DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:8000"}, "dynamodb"),
        ({"DEDUPE_TABLE": "mine"}, "dynamodb"),
        ({"EXISTENCE_CHECK_CACHE_TABLE": "mine"}, "dynamodb"),
        ({"STORE": "sqlite", "DEDUPE_TABLE": "mine"}, "sqlite"),
        ({"STORE": "dynamodb"}, "dynamodb"),
    ],
)
def test_the_store_is_dynamodb_where_anything_of_it_is_set(environ, kind):
    """S11: unless one is named."""
    assert load(environ).store_kind == kind


def test_a_misspelt_list_of_channels_without_searches_stops_the_start():
    """It would leave searches on."""
    assert load({"SEARCH_OFF_CHANNEL_IDS": "C0A, D0B"}).search_off_channel_ids == ("C0A", "D0B")
    with pytest.raises(ConfigurationError, match="SEARCH_OFF_CHANNELS"):
        load({"SEARCH_OFF_CHANNELS": "C0A"})


def test_a_table_has_its_own_name_or_the_prefix_and_its_usual_one():
    settings = load({"DYNAMODB_TABLE_PREFIX": "bot-", "WHITELIST_TABLE": "who"})
    names = [settings.table_name(table) for table in TABLES]
    assert names == ["bot-dedupe", "who", "bot-rate_limit", "bot-existence_check_cache"]


@pytest.mark.parametrize(
    "environ",
    [
        {"STORE": "redis"},
        {"ACCESS_MODE": "everybody"},
        {"RATE_LIMIT_PER_MINUTE": "0"},
        {"WHITELIST_USER_IDS": "u0tanaka"},
        {"SLACK_WORKERS": "0"},
        {"SLACK_API_URL": "slack.com/api"},
        {"DAILY_TOKENS_TOTAL": "-1"},
        {"READ_REACTION": "x"},
        {"READ_REACTION": ":heavy_multiplication_x:"},
        {"READ_REACTION": "news paper"},
        {"READ_REACTION": "a:b"},
        {"ADMIN_CONTACT": "tanaka"},
    ],
)
def test_a_wrong_value_is_named_and_stops_the_app(environ):
    with pytest.raises(ConfigurationError) as raised:
        load(environ)
    assert any(name.lower() in str(raised.value).lower() for name in environ)


def test_a_setting_that_became_fixed_is_ignored_with_a_warning(caplog):
    """An installation of an earlier version starts and goes on."""
    assert load({"LEASE_SECONDS": "7", "RATE_LIMIT_BURST": "many"}) == SlackSettings()
    told = [(record.message, record.fields["setting"]) for record in caplog.records]
    assert told == [("setting_ignored", "LEASE_SECONDS"), ("setting_ignored", "RATE_LIMIT_BURST")]


@pytest.mark.parametrize("timing", [{}, ON_LAMBDA])
def test_a_heart_beats_three_times_within_a_lease(timing):
    settings = load({}, timing)
    assert settings.heartbeat_seconds * 3 <= settings.lease_seconds


@pytest.mark.parametrize("text", ["newspaper", ":newspaper:", " :newspaper: ", "newspaper::skin-tone-2"])
def test_a_reaction_is_named_with_or_without_colons(text):
    assert load({"READ_REACTION": text}).read_reaction == "newspaper"


def test_ids_come_as_a_list():
    assert load({"WHITELIST_TEAM_IDS": "T1,T2"}).whitelist_team_ids == ("T1", "T2")


def test_tokens_lose_the_line_break_that_came_with_them_and_are_not_shown():
    settings = load({"SLACK_BOT_TOKEN": " xoxb-1\n"})
    assert settings.slack_bot_token.get_secret_value() == "xoxb-1"
    assert "xoxb-1" not in repr(settings)


@pytest.mark.parametrize("name", ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"])
@pytest.mark.parametrize(
    "token", ["xoxb-…", "“xoxb-secret”", "xoxb-\nsecret", "xoxb- secret", "xoxb-\u200bsecret"]
)
def test_a_token_that_no_header_can_carry_is_refused_and_not_quoted(name, token):
    """Python would quote the whole header in its error."""
    with pytest.raises(ConfigurationError, match=f"{name}: .*copy it again") as raised:
        load({name: token})
    assert "secret" not in str(raised.value)


def test_a_wrong_id_is_told_with_an_example():
    with pytest.raises(ConfigurationError, match=r"WHITELIST_TEAM_IDS\.0: .*T0123ABCD, with commas"):
        load({"WHITELIST_TEAM_IDS": "T0LOCAL、T0OTHER"})


def test_nobody_is_let_in_unless_said():
    """S5."""
    assert SlackSettings().access_mode == "whitelist"


def test_the_stores_path_may_name_variables_that_are_set(monkeypatch):
    monkeypatch.setenv("STORE_HOME", "/var/store")
    assert str(load({"SQLITE_PATH": "${STORE_HOME}/a.sqlite3"}).sqlite_file) == "/var/store/a.sqlite3"
    with pytest.raises(ConfigurationError, match=r"SQLITE_PATH: .*NO_SUCH_VARIABLE is not set"):
        load({"SQLITE_PATH": "${NO_SUCH_VARIABLE}/a.sqlite3"})
    with pytest.raises(ConfigurationError, match=r"SQLITE_PATH: .*~nobody-of-this-name is not known"):
        load({"SQLITE_PATH": "~nobody-of-this-name/a.sqlite3"})
    monkeypatch.setenv("HOME", "/home/taro")
    assert str(SlackSettings().sqlite_file) == "/home/taro/.slack-web-reader/store.sqlite3"
