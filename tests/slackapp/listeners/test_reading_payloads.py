"""What asks to read a link: a reaction, the Home tab, its button and its modal."""

from typing import Any

import pytest

from slackapp.codes import IgnoreReason
from slackapp.listeners import payloads
from slackapp.listeners.incoming import Ignored, Kind
from slackapp.listeners.payloads import LONGEST_QUESTION
from tests.slackapp.payloads import BOT, CHANNEL, OTHER, TEAM, USER, event, modal
from tests.slackapp.payloads import reaction as reacted

parse: Any = payloads
"""What comes back is looked at, not trusted to be of a type."""


def reaction(name="newspaper", **fields):
    return reacted(name, **fields)


def heard(body, name="newspaper"):
    return parse.from_reading_reaction(body, BOT, name)


def test_a_reaction_asks_about_its_message():
    """The claim is that of the message, so that all reactions on it share one answer."""
    asked = heard(reaction())
    assert (asked.kind, asked.key, asked.user) == (Kind.REACTION, f"{TEAM}:{CHANNEL}:90.1", USER)
    assert (asked.text, asked.ts) == ("", "90.1")
    assert heard(reaction(user=OTHER)).key == asked.key


def test_the_message_of_a_webhook_has_no_author():
    body = reaction()
    del body["event"]["item_user"]
    assert heard(body).kind is Kind.REACTION


IGNORED = {
    "another reaction": (reaction("eyes"), IgnoreReason.NOT_ADDRESSED),
    "on our message": (reaction(item_user=BOT), IgnoreReason.OWN_MESSAGE),
    "our own": (reaction(user=BOT), IgnoreReason.OWN_MESSAGE),
    "on a file": (reaction(item={"type": "file", "file": "F1"}), IgnoreReason.MALFORMED),
    "no item": (reaction(item=None), IgnoreReason.MALFORMED),
    "no user": (reaction(user=None), IgnoreReason.MALFORMED),
    "no name": (reaction(None), IgnoreReason.MALFORMED),
    "no event": ({"team_id": TEAM}, IgnoreReason.MALFORMED),
}


@pytest.mark.parametrize(("body", "reason"), IGNORED.values(), ids=IGNORED)
def test_other_reactions_are_ignored_with_a_reason(body, reason):
    assert heard(body) == Ignored(reason=reason)


def test_without_a_name_no_reaction_asks():
    assert heard(reaction(""), "") == Ignored(reason=IgnoreReason.NOT_ADDRESSED)


URL = "https://a.example/?a=1&b=2"


def test_a_modal_asks_in_the_form_of_a_message():
    asked = parse.from_modal(modal(URL), "")
    assert (asked.kind, asked.channel, asked.key) == (Kind.MODAL, "D0SATO", f"{TEAM}:trigger:V1")
    assert asked.text == "<https://a.example/?a=1&amp;b=2> 要点は？"
    assert (asked.is_private, asked.needs_first_message) == (True, True)
    assert parse.from_modal(modal(URL, question=None), "").text == "<https://a.example/?a=1&amp;b=2>"


def test_what_a_person_writes_there_is_no_markup():
    asked = parse.from_modal(modal(URL, question="<!channel> & <https://b.example/>"), "")
    assert asked.text.endswith("> &lt;!channel&gt; &amp; &lt;https://b.example/&gt;")
    assert len(parse.from_modal(modal(URL, question="あ" * 5000), "").question) <= LONGEST_QUESTION + 100


@pytest.mark.parametrize(
    "url",
    [
        None,
        "",
        "a.example",
        "javascript:alert(1)",
        "https://a|b",
        "https://a>b",
        "https://a b",
        "https://" + "a" * 2000,
    ],
)
def test_what_is_no_link_has_no_text(url):
    assert parse.from_modal(modal(url), "").text == ""


@pytest.mark.parametrize(
    "body",
    [
        {},
        modal(URL, private_metadata="C0GENERAL"),
        modal(URL, private_metadata=None),
        modal(URL, state={}),
        modal(URL, id=None),
    ],
)
def test_a_malformed_modal_is_ignored(body):
    """The direct conversation is one that this app has put there."""
    assert parse.from_modal(body, "") == Ignored(reason=IgnoreReason.MALFORMED)


def test_tabs_and_buttons_are_parsed():
    opened = parse.from_home_opened(event(type="app_home_opened", user=USER, channel="D1", tab="home"))
    assert (opened.team, opened.user, opened.channel, opened.tab) == (TEAM, USER, "D1", "home")
    who = {"team": {"id": TEAM}, "user": {"id": USER}}
    wanted = parse.from_button({"trigger_id": "1.2", "actions": [{"value": "D1"}], **who})
    assert (wanted.trigger, wanted.channel, wanted.team, wanted.user) == ("1.2", "D1", TEAM, USER)
    assert parse.from_home_opened(event(tab="about")) == Ignored(reason=IgnoreReason.NOT_ADDRESSED)
    for ignored in (parse.from_home_opened(event(tab="home")), parse.from_button({"actions": []})):
        assert ignored == Ignored(reason=IgnoreReason.MALFORMED)
