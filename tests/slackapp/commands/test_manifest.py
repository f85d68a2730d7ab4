"""The manifest: what Slack is told of the app, and that it asks for no more than the app needs."""

import argparse
import json
import re
from pathlib import Path

import jsonschema
import pytest
import yaml

from fetcher.settings import ConfigurationError
from slackapp import wording
from slackapp.commands import manifest
from slackapp.listeners.registration import COMMAND, SHORTCUT
from slackapp.playground.values import HANDLE, SUBSCRIPTIONS

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT.parent / "shared" / "data" / "slack-manifest.schema.json"
API = "https://abc123.execute-api.ap-northeast-1.amazonaws.com"

METHODS = {
    "agents.sessions.setStatus": {"chat:write"},
    "apps.connections.open": set(),  # `connections:write` of the app-level token, which no manifest asks for
    "assistant.threads.setSuggestedPrompts": {"assistant:write"},
    "auth.test": set(),
    "chat.appendStream": {"chat:write"},
    "chat.delete": {"chat:write"},
    "chat.postEphemeral": {"chat:write"},
    "chat.postMessage": {"chat:write"},
    "chat.startStream": {"chat:write"},
    "chat.stopStream": {"chat:write"},
    "chat.update": {"chat:write"},
    "conversations.history": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "conversations.info": {"channels:read", "groups:read", "mpim:read"},  # no direct message is asked for
    "conversations.replies": {"channels:history", "groups:history", "im:history", "mpim:history"},
    "files.completeUploadExternal": {"files:write"},
    "files.delete": {"files:write"},
    "files.getUploadURLExternal": {"files:write"},
    "files.info": {"files:read"},
    "reactions.add": {"reactions:write"},
    "team.info": {"team:read"},
    "users.info": {"users:read"},
    "views.open": set(),
    "views.publish": set(),
}
"""What the app calls, and what a bot's token needs for it."""

EVENTS = {
    "agent_session_stopped": {"assistant:write"},
    "app_home_opened": set(),
    "app_mention": {"app_mentions:read"},
    "app_uninstalled": set(),
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "reaction_added": {"reactions:read"},
    "tokens_revoked": set(),
}

FEATURES = {
    "agent_view": {"assistant:write"},  # an app that is declared as an agent carries it
    "slash_commands": {"commands"},
    "shortcuts": {"commands"},
}


def _printed(capsys, *arguments):
    """What the command prints, as Slack reads it."""
    parser = argparse.ArgumentParser()
    manifest.add_to(parser.add_subparsers())
    options = parser.parse_args(["manifest", *arguments])
    assert options.run(options) == 0
    return yaml.safe_load(capsys.readouterr().out)


@pytest.fixture
def app():
    return yaml.safe_load((ROOT / "manifest.yml").read_text("utf-8"))


@pytest.mark.skipif(not SCHEMA.exists(), reason="the manifest's schema is not here")
@pytest.mark.parametrize("arguments", [("--socket",), ("--url", API)])
def test_both_forms_are_what_slacks_schema_asks_for(arguments, capsys):
    """An unknown key or a text that is too long would be refused when the app is created."""
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.validate(_printed(capsys, *arguments), schema, jsonschema.Draft7Validator)


def test_the_scopes_are_exactly_those_that_something_needs(app):
    """Least rights: no scope is missing and none is left over."""
    needed = set().union(*METHODS.values(), *EVENTS.values(), *FEATURES.values())
    asked = app["oauth_config"]["scopes"]
    assert asked == {"bot": sorted(needed)}


def test_the_events_are_exactly_those_of_the_table(app):
    """An event without a listener costs an invocation each time."""
    assert app["settings"]["event_subscriptions"]["bot_events"] == sorted(EVENTS)


def test_the_local_slack_sends_what_the_manifest_subscribes_to(app):
    """The playground's app is the one of the manifest: `slackapp/playground/values.py` lists the same."""
    assert frozenset(EVENTS) == SUBSCRIPTIONS
    assert app["features"]["bot_user"]["display_name"] == HANDLE


@pytest.mark.parametrize("page", ["docs/deploy.md", "docs/ja/deploy.md"])
def test_operators_are_told_what_each_scope_is_for(page, app):
    """In the table of scopes; a new one needs a row, or a place in one."""
    rows = [line for line in (ROOT / page).read_text("utf-8").splitlines() if line.startswith("| `")]
    named = {scope for row in rows for scope in re.findall(r"`(\w+:\w+|commands)`", row.split(" | ")[0])}
    assert set(app["oauth_config"]["scopes"]["bot"]) - named == set()


def test_every_feature_that_needs_a_scope_is_in_the_table(app):
    """Home tab and bot user need none."""
    assert set(app["features"]) - {"app_home", "bot_user"} == set(FEATURES)


def test_no_method_is_called_that_the_table_does_not_know():
    """A new method of Slack needs an entry here with its scope."""
    families = "|".join(
        sorted({name.split(".")[0] for name in METHODS} | {"assistant", "reactions", "usergroups"})
    )
    calls = re.compile(rf"(?<!wording)\.((?:{families})_[a-z]\w*)\(")
    names = re.compile(rf'"((?:{families})\.[a-zA-Z.]+)"')
    sources = [path for path in (ROOT / "slackapp").rglob("*.py") if "playground" not in path.parts]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    called = {name.replace("_", ".") for name in calls.findall(text)} | set(names.findall(text))
    assert called - set(METHODS) == set()


def test_command_and_shortcut_are_the_ones_that_are_listened_to(app):
    """Slack sends what the manifest names; a listener that waits for another name hears nothing."""
    (command,) = app["features"]["slash_commands"]
    (shortcut,) = app["features"]["shortcuts"]
    assert (command["command"], shortcut["callback_id"], shortcut["type"]) == (COMMAND, SHORTCUT, "message")
    assert app["settings"]["interactivity"]["is_enabled"]


LIMITS = {
    ("display_information", "name"): 35,
    ("display_information", "description"): 140,
    ("features", "agent_view", "agent_description"): 300,
    ("features", "bot_user", "display_name"): 80,
    ("features", "shortcuts", 0, "name"): 24,
    ("features", "shortcuts", 0, "description"): 150,
}


@pytest.mark.parametrize("path", LIMITS, ids=str)
def test_texts_fit_slacks_limits(path, app):
    text = app
    for step in path:
        text = text[step]
    assert 0 < len(text) <= LIMITS[path]


def test_the_long_description_is_long_enough(app):
    """Slack wants 175 to 4,000 characters, or none."""
    assert 175 <= len(app["display_information"]["long_description"]) <= 4000


def test_for_socket_mode_no_address_is_left(capsys):
    """Socket Mode and request URLs exclude each other (S14)."""
    printed = _printed(capsys, "--socket")
    assert printed["settings"]["socket_mode_enabled"] is True
    assert set(printed["settings"]["event_subscriptions"]) == {"bot_events"}
    assert printed["settings"]["interactivity"] == {"is_enabled": True}
    assert "url" not in printed["features"]["slash_commands"][0]
    assert "slack-web-reader.example" not in json.dumps(printed)


def test_what_is_pasted_says_nothing_about_the_file(capsys):
    """The file has the form for request URLs, and says so in its first lines."""
    assert manifest.run(argparse.Namespace(socket=True, plain=False)) == 0
    assert capsys.readouterr().out.startswith("display_information:\n")


@pytest.mark.parametrize(
    ("given", "used"),
    [
        (API, f"{API}/slack/events"),
        (f"{API}/", f"{API}/slack/events"),
        (f"{API}/slack/events", f"{API}/slack/events"),
        ("https://bot.example.co.jp:8443/hook?stage=a", "https://bot.example.co.jp:8443/hook?stage=a"),
    ],
)
def test_for_an_address_everything_is_sent_there(given, used, capsys):
    """One address takes events, commands and clicks; where only a host is given the usual path is added."""
    printed = _printed(capsys, "--url", given)
    settings = printed["settings"]
    assert settings["event_subscriptions"]["request_url"] == used
    assert settings["interactivity"]["request_url"] == used
    assert printed["features"]["slash_commands"][0]["url"] == used
    assert settings["socket_mode_enabled"] is False


@pytest.mark.parametrize(
    "url",
    [
        "",
        "abc123.execute-api.ap-northeast-1.amazonaws.com",
        "http://bot.example/slack/events",
        "https:///slack/events",
        "https://bot.example/a b",
        "https://bot.example/\n    evil: true",
        "https://bot.example/ #comment",
        "https://bot.example:99999/",
        "https://[::1/",
        "https://ボット.example/",
    ],
)
def test_what_slack_could_not_call_is_refused(url, capsys):
    """A mistyped address is noticed here, and none can smuggle another key into the manifest."""
    with pytest.raises(ConfigurationError, match="https address"):
        _printed(capsys, "--url", url)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("arguments", [(), ("--socket", "--url", API)])
def test_exactly_one_transport_has_to_be_named(arguments, capsys):
    with pytest.raises(SystemExit):
        _printed(capsys, *arguments)


def test_outside_a_checkout_the_command_says_what_is_missing(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(manifest, "FILE", tmp_path / "manifest.yml")
    with pytest.raises(ConfigurationError, match=r"manifest\.yml is not beside the package"):
        _printed(capsys, "--socket")


def test_a_plain_manifest_declares_no_agent(capsys, app):
    """Guests cannot use apps with the agent feature; all else stays."""
    plain = _printed(capsys, "--url", API, "--plain")
    assert "agent_view" not in plain["features"]
    assert app["features"].keys() - plain["features"].keys() == {"agent_view"}
    scopes = set(app["oauth_config"]["scopes"]["bot"]) - set(plain["oauth_config"]["scopes"]["bot"])
    assert scopes == {"assistant:write"}
    events = [each["settings"]["event_subscriptions"]["bot_events"] for each in (app, plain)]
    assert set(events[0]) - set(events[1]) == {"agent_session_stopped"}


def test_the_prompts_are_those_of_the_messages_tab_and_lead_somewhere(app):
    """Reserved names such as example.com have no table to export."""
    prompts = app["features"]["agent_view"]["suggested_prompts"]
    assert [(each["title"], each["message"]) for each in prompts] == [*wording.suggested_prompts()]
    said = [
        wording.help_text(),
        wording.app_home(),
        *(text for pair in wording._REFUSALS.values() for text in pair),
    ]
    said += [text for pair in wording.suggested_prompts() for text in pair]
    said += [command["usage_hint"] for command in app["features"]["slash_commands"]]
    assert [text for text in said if re.search(r"\bexample\b|\.sample\b", text)] == []
