"""The doctor on the whitelist and on channels."""

import pytest

from slackapp.__main__ import main
from slackapp.doctor.access import check_channel, check_whitelist
from slackapp.doctor.tokens import check_token
from slackapp.playground.webapi.faults import Fault


def test_the_policy_in_force_is_shown(findings):
    assert findings(check_whitelist) == [("✓", "access: whitelist (1 team)", "")]
    assert findings(check_whitelist, ACCESS_MODE="open") == [("✓", "access: open", "")]


def test_an_empty_whitelist_is_told_with_the_command_that_opens_it(findings, environ, monkeypatch):
    """The command is run here as it is printed."""
    (_, (sign, said, advice)) = findings(check_token, check_whitelist, WHITELIST_TEAM_IDS="")
    assert (sign, "empty" in said) == ("✗", True)
    words = advice.partition(" -m slackapp ")[2]
    assert words == "whitelist add team T0LOCAL"
    for name in ("SQLITE_PATH", "SLACK_BOT_TOKEN"):
        monkeypatch.setenv(name, environ[name])
    assert main(words.split()) == 0
    assert findings(check_whitelist, WHITELIST_TEAM_IDS="")[0][0] == "✓"


def test_a_list_of_others_is_told(findings):
    (_, (sign, said, advice)) = findings(check_token, check_whitelist, WHITELIST_TEAM_IDS="T0OTHER")
    assert (sign, said) == ("✗", "the whitelist lets in T0OTHER, and not this workspace (T0LOCAL)")
    assert advice.endswith("whitelist add team T0LOCAL")


def test_ids_of_another_kind_are_told(findings):
    found = findings(check_whitelist, WHITELIST_TEAM_IDS="T0LOCAL,C0GENERAL")
    assert found[0][:2] == ("✗", "the whitelist has ids of another kind: C0GENERAL")


def test_a_store_that_cannot_be_read_is_left_to_its_own_check(findings, tmp_path):
    (tmp_path / "file").touch()
    assert findings(check_whitelist, SQLITE_PATH=str(tmp_path / "file" / "s"))[0][0] == "–"


def test_a_channel_of_the_bot_is_good(findings):
    assert findings(check_channel, channel="C0GENERAL") == [
        ("✓", "the bot is a member of C0GENERAL (#general)", "")
    ]
    assert findings(check_channel)[0][0] == "–"


@pytest.mark.parametrize("name", ["general", "#general", "U0SATO"])
def test_a_name_is_no_id(findings, name):
    [(sign, said, advice)] = findings(check_channel, channel=name)
    assert (sign, said) == ("✗", f"{name} is not the id of a channel")
    assert "docs/deploy.md" in advice


def test_a_channel_without_the_bot_says_how_to_invite_it(slack, findings):
    with slack.workspace.lock:
        slack.workspace.channel("general").members.discard(slack.app.bot_user)
    found = findings(check_channel, channel="C0GENERAL")
    with slack.workspace.lock:
        slack.workspace.channel("general").members.add(slack.app.bot_user)
    assert found == [
        ("✗", "the bot is not a member of C0GENERAL (#general)", "Type /invite @webreader in the channel.")
    ]
    [(sign, said, advice)] = findings(check_channel, channel="C0NOWHERE")
    assert (sign, said) == ("✗", "Slack refuses: channel_not_found")
    assert "/invite" in advice


def test_a_missing_scope_is_told(slack, findings):
    slack.faults.next("conversations.info", Fault(error="missing_scope"))
    [(sign, said, advice)] = findings(check_channel, channel="C0GENERAL")
    assert (sign, said) == ("✗", "Slack refuses: missing_scope")
    assert "manifest" in advice


def test_a_channel_that_the_whitelist_leaves_out_is_told(findings):
    *_, (sign, said, advice) = findings(
        check_token, check_whitelist, check_channel, channel="C0GENERAL", WHITELIST_CHANNEL_IDS="C0OTHER"
    )
    assert (sign, "names other channels" in said) == ("✗", True)
    assert advice.endswith("whitelist add channel C0GENERAL")
