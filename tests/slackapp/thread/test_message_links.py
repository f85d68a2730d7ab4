"""Where the links of a message stand, and which of them are its author's own."""

from typing import Any

import pytest

from slackapp.reply.blocks.markdown_nodes import parse
from slackapp.reply.blocks.slack_blocks import block
from slackapp.slack.message import EVENT_TYPE
from slackapp.thread.message_links import MOST_LINKS, forwarded_links, not_from, own_links

A, B, C = "https://a.example/?x=1&y=2", "https://b.example/", "https://c.example/"
WRAPPED = "<https://a.example/?x=1&amp;y=2|記事>"


def mrkdwn(text):
    return {"type": "mrkdwn", "text": text}


SHOWN = {
    "section": {"blocks": [{"type": "section", "text": mrkdwn(f"新着：{WRAPPED}")}]},
    "fields of a section": {"blocks": [{"type": "section", "fields": [mrkdwn("x"), mrkdwn(WRAPPED)]}]},
    "context": {"blocks": [{"type": "context", "elements": [mrkdwn(WRAPPED)]}]},
    "button": {"blocks": [{"type": "actions", "elements": [{"type": "button", "url": A}]}]},
    "accessory": {
        "blocks": [{"type": "section", "text": mrkdwn("x"), "accessory": {"type": "button", "url": A}}]
    },
    "menu": {"blocks": [{"type": "section", "accessory": {"type": "overflow", "options": [{"url": A}]}}]},
    "markdown": {"blocks": [{"type": "markdown", "text": f"読む：[記事]({A})"}]},
    "bare in markdown": {"blocks": [{"type": "markdown", "text": f"読む：{A} です"}]},
    "title": {"attachments": [{"title": "記事", "title_link": A, "fallback": "記事"}]},
    "text of an attachment": {"attachments": [{"text": f"本文 {WRAPPED}"}]},
    "pretext": {"attachments": [{"pretext": WRAPPED}]},
    "field of an attachment": {"attachments": [{"fields": [{"title": "リンク", "value": WRAPPED}]}]},
    "button of an attachment": {"attachments": [{"actions": [{"type": "button", "text": "開く", "url": A}]}]},
    "blocks of an attachment": {"attachments": [{"blocks": [{"type": "section", "text": mrkdwn(WRAPPED)}]}]},
    "preview": {"attachments": [{"from_url": A, "original_url": A, "title": "題", "text": "本文"}]},
    "preview by an app": {"attachments": [{"is_app_unfurl": True, "app_unfurl_url": A, "blocks": []}]},
}


@pytest.mark.parametrize("message", SHOWN.values(), ids=SHOWN)
def test_a_link_is_found_where_an_app_puts_it(message):
    assert own_links(message) == (A,)


def test_links_of_lists_and_quotes_are_found_once():
    blocks = [block(node) for node in parse(f"- [a]({B})\n\n> <{C}>\n\n<{B}>")]
    mail = {"type": "rich_text", "elements": [{"type": "link", "url": "mailto:a@a.example"}]}
    assert own_links({"text": "x", "blocks": [*blocks, mail]}) == (B, C)


def test_links_of_the_text_are_left_to_the_text():
    assert own_links({"text": WRAPPED, "attachments": [{"from_url": A, "title_link": A}]}) == ()


def test_the_text_of_a_page_is_not_its_sharers():
    """A page chooses its title, its text and its canonical address; the sharer chose only the link."""
    preview = {"from_url": A, "title_link": B, "text": f"<{C}>", "blocks": [{"text": mrkdwn(f"<{C}>")}]}
    assert own_links({"attachments": [preview]}) == (A,)


def shared(author="U0SATO", **fields):
    return {"is_share": True, "author_id": author, "from_url": "https://x.slack.com/archives/C1/p1", **fields}


SHARES = {
    "text": shared(text=WRAPPED),
    "blocks": shared(
        message_blocks=[{"message": {"blocks": [{"type": "section", "text": mrkdwn(WRAPPED)}]}}]
    ),
    "attachments": shared(message_blocks=[{"message": {"attachments": [{"title_link": A}]}}]),
    "link to a message": shared(text=WRAPPED) | {"is_share": False, "is_msg_unfurl": True},
    "forwarded twice": shared(text="", attachments=[shared(text=WRAPPED)]),
}


@pytest.mark.parametrize("share", SHARES.values(), ids=SHARES)
def test_what_a_message_forwards_comes_with_its_author(share):
    """The address of the message itself is no page to read."""
    message = {"text": "これ読んで", "attachments": [share]}
    assert own_links(message) == ()
    assert forwarded_links(message) == (f"U0SATO {A}",)


def test_forwarded_links_of_the_app_are_left_out():
    message = {"attachments": [shared("U0READER", text=f"<{B}>"), shared(text=f"<{C}>")]}
    assert not_from("U0READER", forwarded_links(message)) == (C,)
    assert not_from("", forwarded_links(message)) == ()


def test_a_message_of_the_app_stays_its_own_when_it_is_forwarded_twice():
    inner = shared("U0READER", text=f"<{B}>")
    message = {"attachments": [shared(text="見て", attachments=[inner])]}
    assert not_from("U0READER", forwarded_links(message)) == ()


@pytest.mark.parametrize(
    "share",
    [
        shared("", text=WRAPPED),
        shared(text=WRAPPED, metadata={"event_type": EVENT_TYPE}),
        shared(message_blocks=[{"message": {"text": WRAPPED, "metadata": {"event_type": EVENT_TYPE}}}]),
    ],
    ids=["author unknown", "marked", "marked within"],
)
def test_what_may_be_an_answer_gives_no_links(share):
    """Slack may not say that this app, here or in another installation, has written it."""
    assert forwarded_links({"attachments": [share]}) == ()


def test_deep_and_many_parts_cost_little():
    deep: dict[str, Any] = {"text": mrkdwn(WRAPPED)}
    for _ in range(3_000):
        deep = {"elements": [deep]}
    many = [{"text": f"<https://a.example/{number}>"} for number in range(1_000)]
    assert own_links({"blocks": [deep]}) == ()
    assert len(own_links({"attachments": many})) == MOST_LINKS


def test_text_that_slack_shows_as_it_is_has_no_links():
    """Angle brackets are markup in `mrkdwn` only, not in the texts of rich text, buttons and tables."""
    said = {"type": "text", "text": WRAPPED, "style": {"code": True}}
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [said]}]}
    button = {"type": "button", "text": {"type": "plain_text", "text": WRAPPED}}
    cells = {"type": "table", "rows": [[{"type": "raw_text", "text": WRAPPED}]]}
    assert own_links({"blocks": [rich, {"type": "actions", "elements": [button]}, cells]}) == ()
    assert own_links({"blocks": [{"type": "section", "text": mrkdwn(WRAPPED)}]}) != ()
