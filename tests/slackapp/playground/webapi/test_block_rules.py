"""Slack's rules for blocks, each with a row just outside."""

import pytest

from slackapp.playground.errors import ApiRefused
from slackapp.playground.webapi import block_rules


def _section(length):
    return {"type": "section", "text": {"type": "mrkdwn", "text": "あ" * length}}


def _header(length):
    return {"type": "header", "text": {"type": "plain_text", "text": "あ" * length}}


def _table(rows, columns):
    return {"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * columns] * rows}


def _markdown(length):
    return {"type": "markdown", "text": "x" * length}


def _button(**fields):
    text = {"type": "plain_text", "text": "はい"}
    return {"type": "actions", "elements": [{"type": "button", "action_id": "a", "text": text, **fields}]}


def _feedback(value):
    side = {"text": {"type": "plain_text", "text": "良い"}, "value": value}
    element = {"type": "feedback_buttons", "action_id": "f", "positive_button": side, "negative_button": side}
    return {"type": "context_actions", "elements": [element]}


def _rich(element, **fields):
    pieces = [{"type": "text", "text": "x"}]
    return {"type": "rich_text", "elements": [{"type": element, "elements": pieces} | fields]}


def _list(**fields):
    points = [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}]
    return _rich("rich_text_list", **{"style": "ordered", "elements": points} | fields)


FINE = [
    [_list(indent=8, offset=4, border=1)],
    [_rich("rich_text_section")],
    [_rich("rich_text_quote", border=1), _rich("rich_text_preformatted", border=0)],
    [_section(3000)],
    [{"type": "divider"}] * 50,
    [_header(150)],
    [_markdown(12_000)],
    [_markdown(6_000), _markdown(6_000)],
    [_table(100, 20)],
    [_button(value="x" * 2000)],
    [_feedback("good")],
    [{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 10}],
    [{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 10}],
    [{"type": "image", "image_url": "http://x.example/a.png", "alt_text": "絵"}],
]
REFUSED = [
    ([_list(indent=9)], "invalid_blocks"),
    ([_list(indent=-1)], "invalid_blocks"),
    ([_list(offset=-1)], "invalid_blocks"),
    ([_list(border=2)], "invalid_blocks"),
    ([_list(style="roman")], "invalid_blocks"),
    ([_list(elements=[])], "invalid_blocks"),
    ([_list(elements=[{"type": "rich_text_quote", "elements": []}])], "invalid_blocks"),
    ([_rich("rich_text_quote", border=2)], "invalid_blocks"),
    ([_rich("rich_text_quote", elements=[])], "invalid_blocks"),
    ([_rich("rich_text_section", elements=[{"type": "text", "text": ""}])], "invalid_blocks"),
    ([_rich("rich_text_section", elements=[{"type": "link", "url": "x" * 3001}])], "invalid_blocks"),
    ([_rich("paragraph")], "invalid_blocks"),
    ([{"type": "table", "rows": [[_rich("paragraph")]]}], "invalid_blocks"),
    ([_section(3001)], "invalid_blocks"),
    ([_section(0)], "invalid_blocks"),
    ([{"type": "section"}], "invalid_blocks"),
    ([{"type": "divider"}] * 51, "invalid_blocks"),
    ([_header(151)], "invalid_blocks"),
    ([{"type": "markdown", "text": ""}], "invalid_blocks"),
    ([_markdown(12_001)], "msg_blocks_too_long"),
    ([_markdown(6_000), _markdown(6_001)], "msg_blocks_too_long"),
    ([_section(3000)] * 5, "msg_blocks_too_long"),
    ([_section(2836)] * 4, "msg_blocks_too_long"),
    ([_markdown(12_000), _section(1_201)], "msg_blocks_too_long"),
    ([_table(101, 1)], "invalid_blocks"),
    ([_table(1, 21)], "invalid_blocks"),
    ([_table(1, 1), _table(1, 1)], "invalid_blocks"),
    ([{"type": "table", "rows": [[{"type": "raw_text", "text": ""}]]}], "invalid_blocks"),
    ([_button(value="x" * 2001)], "invalid_blocks"),
    ([_button(text={"type": "plain_text", "text": "x" * 76})], "invalid_blocks"),
    ([_feedback("")], "invalid_blocks"),
    ([{"type": "context_actions", "elements": [{"type": "button"}]}], "invalid_blocks"),
    ([{"type": "section", "fields": [{"type": "mrkdwn", "text": "x"}] * 11}], "invalid_blocks"),
    ([{"type": "section", "fields": 5}], "invalid_blocks"),
    ([{"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}] * 11}], "invalid_blocks"),
    ([{"type": "divider", "block_id": "a"}] * 2, "invalid_blocks"),
    ([{"type": "divider", "block_id": "x" * 256}], "invalid_blocks"),
    ([{"type": "divider", "block_id": ["a"]}], "invalid_blocks"),
    ([{"type": "image", "image_url": "http://x.example/a.png"}], "invalid_blocks"),
    ([{"type": "unknown"}], "invalid_blocks"),
    ("text", "invalid_blocks_format"),
    (["text"], "invalid_blocks_format"),
]


@pytest.mark.parametrize("given", FINE, ids=lambda given: given[0]["type"])
def test_blocks_within_the_rules_pass(given):
    """They come back as they are."""
    assert block_rules.check(given) is given


@pytest.mark.parametrize(("given", "error"), REFUSED)
def test_blocks_outside_the_rules_are_refused(given, error):
    """By Slack's name of the mistake."""
    with pytest.raises(ApiRefused) as caught:
        block_rules.check(given)
    assert caught.value.error == error


def test_a_refusal_says_where_the_mistake_is():
    """The message points into the blocks."""
    with pytest.raises(ApiRefused) as caught:
        block_rules.check([{"type": "divider"}, _section(3001)])
    assert caught.value.details["errors"] == [
        "must be less than 3001 characters: text [json-pointer:/blocks/1]"
    ]


TASK = {"type": "task_card", "task_id": "1", "title": "読む", "status": "complete"}
SOURCE = {"type": "url", "url": "https://a.example/", "text": "a"}


@pytest.mark.parametrize(
    "fields", [{}, {"sources": [SOURCE]}, {"output": _rich("rich_text_section")}], ids=str
)
def test_task_cards_alone_and_in_a_plan_are_taken(fields):
    task = TASK | fields
    assert block_rules.check([task, {"type": "plan", "title": "調べる", "tasks": [task]}])


@pytest.mark.parametrize(
    "fields",
    [
        {"title": ""},
        {"task_id": None},
        {"status": "done"},
        {"sources": [SOURCE | {"type": "link"}]},
        {"details": {"type": "rich_text", "elements": []}},
    ],
    ids=str,
)
def test_task_cards_of_another_shape_are_refused(fields):
    for block in (TASK | fields, {"type": "plan", "title": "調べる", "tasks": [TASK | fields]}):
        with pytest.raises(ApiRefused, match="invalid_blocks"):
            block_rules.check([block])


@pytest.mark.parametrize("plan", [{}, {"title": ""}, {"title": "a", "tasks": [{"type": "section"}]}], ids=str)
def test_plans_of_another_shape_are_refused(plan):
    with pytest.raises(ApiRefused, match="invalid_blocks"):
        block_rules.check([{"type": "plan", **plan}])


def rich(*pieces, kind="rich_text_section"):
    return {"type": "rich_text", "elements": [{"type": kind, "elements": list(pieces)}]}


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        ({"type": "mention"}, "rich_text_section"),
        ({"type": "user"}, "rich_text_section"),
        ({"type": "link", "url": ""}, "rich_text_section"),
        ({"type": "text", "text": "a", "style": {"blink": True}}, "rich_text_section"),
        ({"type": "text", "text": "a", "style": "bold"}, "rich_text_quote"),
        ({"type": "emoji", "name": "tada"}, "rich_text_preformatted"),
    ],
)
def test_rich_text_of_unknown_pieces_is_refused(piece, kind):
    with pytest.raises(ApiRefused, match="invalid_blocks"):
        block_rules.check([rich(piece, kind=kind)])


def test_rich_text_of_known_pieces_is_accepted():
    pieces = [
        {"type": "text", "text": "a", "style": {"bold": True, "code": True}},
        {"type": "link", "url": "https://a.example/", "text": "a"},
        {"type": "user", "user_id": "U1"},
        {"type": "emoji", "name": "tada"},
        {"type": "broadcast", "range": "here"},
    ]
    assert block_rules.check([rich(*pieces)])
    assert block_rules.check([rich(*pieces[:2], kind="rich_text_preformatted")])


@pytest.mark.parametrize(("length", "is_accepted"), [(5_000, True), (5_001, False)])
def test_a_table_has_ten_thousand_characters_over_all_cells(length, is_accepted):
    cells = [{"type": "raw_text", "text": "a" * length}, rich({"type": "text", "text": "b" * 5_000})]
    table = {"type": "table", "rows": [cells]}
    if is_accepted:
        assert block_rules.check([table])
        return
    with pytest.raises(ApiRefused, match="invalid_blocks"):
        block_rules.check([table])


TEXT = {"type": "plain_text", "text": "読み取りの手順"}
CHILD = {"type": "section", "text": TEXT}
CONTAINER = {"type": "container", "title": TEXT, "child_blocks": [CHILD]}


def test_a_container_is_taken():
    folded = {"is_collapsible": True, "default_collapsed": True}
    assert block_rules.check([CONTAINER | folded])


@pytest.mark.parametrize(
    "fields",
    [
        {"title": None},
        {"title": TEXT | {"text": "あ" * 151}},
        {"child_blocks": []},
        {"child_blocks": [CHILD] * 11},
        {"child_blocks": [{"type": "rich_text", "elements": []}]},
        {"child_blocks": [CONTAINER]},
        {"child_blocks": [{"type": "section", "text": TEXT | {"text": "あ" * 3001}}]},
    ],
    ids=str,
)
def test_containers_of_another_shape_are_refused(fields):
    with pytest.raises(ApiRefused):
        block_rules.check([CONTAINER | fields])
