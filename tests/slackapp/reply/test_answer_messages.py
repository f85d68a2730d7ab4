"""Answers as messages for Slack."""

import json

import pytest

from slackapp import wording
from slackapp.listeners.incoming import FEEDBACK_ACTION
from slackapp.playground.webapi import block_rules as slacks_rules
from slackapp.reply.answer_messages import EPHEMERAL_LIMITS, LIMITS, messages, root_message
from slackapp.slack.message import MessageKind
from slackapp.thread.block_text import text_of
from slackapp.thread.message_links import links_of
from tests.slackapp.answers import SOURCE, answer

RICH, SMALLER, PLAIN, LAST = LIMITS


def kinds(message):
    return [block["type"] for block in message.blocks]


def test_an_answer_is_one_message_with_sources_and_buttons():
    """The text, the sources as links, and under them the buttons for feedback."""
    (message,) = messages(answer())
    assert text_of(message.blocks) == (
        "月額は1,000円です。 [1]\n\n出典\n\n1. [料金表](https://a.example/price) (a.example)"
    )
    assert kinds(message)[-1] == "context_actions"
    assert message.kind is MessageKind.ANSWER
    assert message.text == (
        "月額は1,000円です。 <https://a.example/price|[1]>\n\n出典\n\n"
        "1. <https://a.example/price|料金表> (a.example)"
    )


def test_feedback_is_what_the_listener_listens_to():
    (message,) = messages(answer())
    element = message.blocks[-1]["elements"][0]
    assert element["action_id"] == FEEDBACK_ACTION
    assert [element[side]["value"] for side in ("positive_button", "negative_button")] == ["good", "bad"]


def test_what_is_no_answer_asks_for_no_feedback():
    (message,) = messages(answer("お答えできません。", sources=(), answered=False))
    assert kinds(message) == ["rich_text"]


def test_what_was_left_undone_is_told():
    """Each note has its own line; a URL in it is not a link."""
    (message,) = messages(answer(undone=("https://b.example/：時間内に読み終わりませんでした。",)))
    assert "※ https: //b.example/：時間内" in message.text
    assert links_of(message.blocks) == (SOURCE.url,)


@pytest.mark.parametrize("call", ["<!channel>", "<@U123>", "<!here|x>", "<#C1>", "<!subteam^S1>"])
@pytest.mark.parametrize("shape", LIMITS)
def test_no_answer_calls_anybody(call, shape):
    """Slack shows any text of a page or of the model as plain words."""
    table = f"| {call} |\n|---|\n| {call} |"
    said = f"{call} **{call}** `{call}` \n\n# {call}\n\n- {call}\n\n```\n{call}\n```\n\n{table}"
    (message,) = messages(answer(said, sources=(SOURCE,), undone=(call,)), shape)
    assert call not in message.text
    words = [block for block in message.blocks if block["type"] not in ("rich_text", "header", "table")]
    assert call not in json.dumps(words, ensure_ascii=False)
    assert '"mrkdwn"' not in json.dumps(message.blocks)
    mentions = {"user", "usergroup", "broadcast", "channel", "emoji"}
    assert mentions.isdisjoint(_types(message.blocks))


def _types(value):
    if isinstance(value, dict):
        yield value.get("type")
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _types(inner)


def test_links_lead_to_what_was_read_only():
    """No label of a page makes a link; a title cannot break out of its own."""
    evil = "x> <https://evil.example/|click"
    (message,) = messages(answer("本文", sources=(SOURCE.__class__(number=1, title=evil, url=SOURCE.url),)))
    assert links_of(message.blocks) == (SOURCE.url,)
    assert "<https://evil" not in message.text


def test_a_title_of_several_lines_is_one_link():
    """Slack knows no link that spans lines, and would show its brackets."""
    titled = SOURCE.__class__(number=1, title=" 料金\n\n表 ", url=SOURCE.url)
    (message,) = messages(answer("本文", sources=(titled,)))
    assert f"<{SOURCE.url}|料金 表>" in message.text


@pytest.mark.parametrize("shape", [*LIMITS, EPHEMERAL_LIMITS])
@pytest.mark.parametrize(
    "text",
    [
        "文です。" * 8_000,
        "\n\n".join(f"段落{number}です。" for number in range(300)),
        "```\n" + "\n".join(f"line {number}" for number in range(5_000)) + "\n```",
        "x" * 30_000,
        "&<>" * 5_000,
        "\n".join(f"- 点{number}" for number in range(2_000)),
        "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | 値 |" for n in range(400)),
        "\n\n".join(["| a | b |\n|---|---|\n| 1 | 2 |"] * 4),
    ],
    ids=["sentences", "paragraphs", "code", "one line", "escapes", "points", "long table", "tables"],
)
def test_long_answers_are_split_and_never_cut(text, shape):
    """Every part is one that Slack takes, and together they have everything."""
    parts = messages(answer(text, sources=()), shape)
    for part in parts:
        slacks_rules.check(list(part.blocks))
        assert len(part.text) <= 4_000 or (not shape.rich and shape != LAST)
    said = "".join(text_of(part.blocks) if shape.rich else part.text for part in parts)
    assert _characters(said, text) >= _characters(text, text)


def _characters(said, text):
    """How often the characters that carry meaning occur."""
    return sum(said.count(each) for each in set("文段点値x0123456789") if each in text)


def test_parts_are_numbered_and_only_the_last_has_buttons():
    first, *middle, last = messages(answer("文です。" * 8_000))
    total = 2 + len(middle)
    assert "context" not in kinds(first)
    assert last.blocks[0]["elements"][0]["text"] == wording.continued(total, total)
    assert [kinds(part).count("context_actions") for part in (first, *middle, last)] == [0] * (total - 1) + [
        1
    ]
    assert links_of(last.blocks)[-1] == SOURCE.url


def test_a_message_has_one_table():
    """Slack refuses two; without tables all stand in one message, as lists."""
    tables = "\n\n".join(["| a | b |\n|---|---|\n| 1 | 2 |"] * 3)
    assert [kinds(part).count("table") for part in messages(answer(tables))] == [1, 1, 1]
    (whispered,) = messages(answer(tables), EPHEMERAL_LIMITS)
    assert "table" not in kinds(whispered)


def test_many_short_paragraphs_are_still_one_message():
    """Slack takes 50 blocks; paragraphs need not have one each."""
    (message,) = messages(answer("\n\n".join(f"段落{number}。" for number in range(200))))
    assert len(message.blocks) <= 50
    assert all(f"段落{number}。" in text_of(message.blocks) for number in range(200))


def test_a_heading_is_not_left_behind():
    """A part does not end with the title of what comes next."""
    parts = messages(answer("文です。" * 2_490 + "\n\n## 題\n\n" + "文です。" * 100, sources=()))
    assert all(kinds(part)[-1] != "header" for part in parts)
    assert "header" in [kind for part in parts for kind in kinds(part)]


def test_an_empty_answer_is_still_a_message():
    """One that says so: Slack takes none without words."""
    (message,) = messages(answer(" \n", sources=()))
    assert message.text == wording.failed()


@pytest.mark.parametrize("text", [">", "> >\n>", "-", "#", "```\n```", "<br>", "| |\n|-|", "![](x)"])
@pytest.mark.parametrize("shape", [RICH, PLAIN])
def test_markdown_without_words_is_still_a_message(text, shape):
    (message,) = messages(answer(text, sources=()), shape)
    slacks_rules.check(list(message.blocks))
    assert message.text.strip()


def test_text_that_json_cannot_carry_is_mended():
    """A lone surrogate or a control character would lose the whole message."""
    (message,) = messages(answer("a\ud800b\x00c\x1bd", sources=()))
    assert text_of(message.blocks) == "a?bcd"


def test_many_sources_are_counted():
    many = tuple(
        SOURCE.__class__(number=n, title=f"t{n}", url=f"https://a.example/{n}") for n in range(1, 41)
    )
    assert "ほか10件" in messages(answer("本文", sources=many))[-1].text


def test_a_source_without_a_title_has_one():
    (message,) = messages(answer("本文", sources=(SOURCE.__class__(number=1, title=" ", url=SOURCE.url),)))
    assert wording.source_without_title() in message.text


def test_a_commands_root_quotes_the_question_harmlessly():
    """Every line is quoted, nothing is a mention, and a long question is only begun."""
    text = root_message("U1", "一行目\n<!channel> " + "長" * 3_000).text
    assert text.startswith("<@U1> ")
    assert "\n>一行目\n>&lt;!channel&gt; " in text
    assert len(text) < 700
