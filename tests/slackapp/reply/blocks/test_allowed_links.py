"""The last step before Slack: only allowed links remain, however the blocks were made."""

import pytest

from fetcher.agent import AllowedLinks
from slackapp.reply.blocks.allowed_links import with_links_only_to
from slackapp.slack.message import Message, MessageKind

READ = "https://read.example/?a=1&region=jp&section=2"
EVIL = "https://evil.example/c/736563"
ALLOWED = AllowedLinks([READ, "https://read.example/"])


def shown(text="", *blocks):
    return with_links_only_to(ALLOWED, Message(text=text, blocks=blocks, kind=MessageKind.ANSWER))


def section(*elements):
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


@pytest.mark.parametrize(
    ("element", "result"),
    [
        ({"type": "link", "url": READ, "text": "料金"}, {"type": "link", "url": READ, "text": "料金"}),
        ({"type": "link", "url": READ, "text": READ}, {"type": "link", "url": READ, "text": READ}),
        (
            {"type": "link", "url": READ, "text": "https://read.example/ https://bank.example/"},
            {"type": "link", "url": READ, "text": "https: //read.example/ https: //bank.example/"},
        ),
        (
            {"type": "link", "url": READ, "text": "ログイン https://[bank"},
            {"type": "link", "url": READ, "text": "ログイン https: //[bank"},
        ),
        ({"type": "link", "url": EVIL, "text": "料金"}, {"type": "text", "text": "料金"}),
        ({"type": "link", "url": EVIL}, {"type": "text", "text": EVIL, "style": {"code": True}}),
        (
            {"type": "link", "url": f"{READ}x", "text": f"{READ}x", "style": {"bold": True}},
            {"type": "text", "text": f"{READ}x", "style": {"bold": True, "code": True}},
        ),
        ({"type": "link", "url": "https://read.example/)?q=x", "text": "a"}, {"type": "text", "text": "a"}),
        ({"type": "link", "url": "https://read.example/#x", "text": "a"}, {"type": "text", "text": "a"}),
        ({"type": "link", "url": "https://READ.example/", "text": "a"}, {"type": "text", "text": "a"}),
        ({"type": "link", "url": "javascript:alert(1)", "text": "a"}, {"type": "text", "text": "a"}),
        (
            {"type": "text", "text": EVIL, "style": {"code": True}},
            {"type": "text", "text": EVIL, "style": {"code": True}},
        ),
    ],
)
def test_every_link_that_is_not_allowed_goes(element, result):
    """Its words stay, a URL as code; how a URL is spelled counts. No label is the URL of another site."""
    assert shown("", section(element)).blocks == (section(result),)
    table = {"type": "table", "rows": [[section(element)]]}
    assert shown("", table).blocks == ({"type": "table", "rows": [[section(result)]]},)


def test_other_elements_lead_nowhere_either():
    """Buttons, pictures and texts with Slack's marks, should there ever be any."""
    blocks = shown(
        "",
        {"type": "image", "image_url": EVIL, "alt_text": "a"},
        {"type": "actions", "elements": [{"type": "button", "url": EVIL, "value": "v"}]},
        {"type": "section", "text": {"type": "mrkdwn", "text": f"<{EVIL}|a> {EVIL}"}},
        {"type": "markdown", "text": f"[a]({EVIL})"},
        {"type": "context", "elements": [{"type": "plain_text", "text": EVIL}]},
    ).blocks
    assert blocks == (
        {"type": "image", "alt_text": "a"},
        {"type": "actions", "elements": [{"type": "button", "value": "v"}]},
        {"type": "section", "text": {"type": "mrkdwn", "text": "a https: //evil.example/c/736563"}},
        {"type": "markdown", "text": "[a](https: //evil.example/c/736563)"},
        {"type": "context", "elements": [{"type": "plain_text", "text": EVIL}]},
    )


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("<https://read.example/?a=1&amp;region=jp&amp;section=2|料金>です", None),
        ("<https://read.example/>", None),
        (f"<{EVIL}|料金>です", "料金です"),
        (f"<{EVIL}>", "https: //evil.example/c/736563"),
        (f"{EVIL} と `{EVIL}`", "https: //evil.example/c/736563 と `https: //evil.example/c/736563`"),
        (f"<https://read.example/|{EVIL}>", "<https://read.example/|https: //evil.example/c/736563>"),
        ("https://read.example/", "https: //read.example/"),
        ("<mailto:a@evil.example|a>", "a"),
        ("www.evil.example mailto:a@evil.example", "www. evil.example mailto: a@evil.example"),
        ("1 &lt; 2 &amp; 3 &gt; 2", None),
    ],
)
def test_in_text_only_slacks_own_marks_link(text, result):
    """Slack makes links of bare URLs, and decides itself what is code there."""
    assert shown(text).text == (text if result is None else result)
