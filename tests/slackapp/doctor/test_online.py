"""`--online`: what Slack says to our blocks, and a test thread."""

import ast
import time
from pathlib import Path

import pytest

import slackapp
from slackapp.doctor import blocks, shapes
from slackapp.doctor.blocks import check_blocks
from slackapp.doctor.tokens import check_token
from slackapp.doctor.trial import check_thread
from slackapp.playground.webapi.faults import Fault

SENT_ELSEWHERE = {"markdown_text", "task_update", "url", "message"}
"""Chunks of streams, which the test thread sends; and the type of events."""


def types_in(value):
    if isinstance(value, dict):
        yield from ([value["type"]] if isinstance(value.get("type"), str) else [])
        for inner in value.values():
            yield from types_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from types_in(inner)


def types_written():
    """Every `"type"` of a literal in the code that makes messages and views."""
    root = Path(slackapp.__file__).parent
    for folder in ("reply", "slack", "work", "listeners"):
        for path in (root / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Dict):
                    for key, value in zip(node.keys, node.values, strict=True):
                        if isinstance(key, ast.Constant) and key.value == "type":
                            yield from [value.value] if isinstance(value, ast.Constant) else []


def test_every_kind_of_block_and_element_that_the_code_makes_is_among_the_samples():
    sampled = set(types_in([shape.payload for shape in shapes.shapes()]))
    assert set(types_written()) - SENT_ELSEWHERE - sampled == set()


def test_slack_takes_every_shape(slack, findings):
    before = len(slack.calls_of("blocks.validate"))
    [(sign, said, _)] = findings(check_blocks)
    count = len(list(shapes.shapes()))
    assert (sign, said) == ("✓", f"blocks.validate accepts {count} shapes of blocks")
    assert len(slack.calls_of("blocks.validate")) - before == count


def test_a_shape_that_slack_refuses_is_told_with_its_place(findings, monkeypatch):
    wrong = {"text": "x", "blocks": [{"type": "divider"}, {"type": "header", "text": {"type": "mrkdwn"}}]}
    monkeypatch.setattr(
        blocks, "shapes", lambda: iter([shapes.Shape(name="wrong", kind="message", payload=wrong)])
    )
    [(sign, said, _)] = findings(check_blocks)
    assert sign == "✗"
    assert said.startswith("Slack refuses the blocks of: wrong (/blocks/1 ")


@pytest.mark.parametrize("code", ["unknown_method", "access_denied"])
def test_a_slack_without_the_method_is_no_failure(slack, findings, code):
    slack.faults.next("blocks.validate", Fault(error=code))
    [(sign, said, _)] = findings(check_blocks)
    assert (sign, code in said) == ("–", True)


def test_a_rate_limit_is_waited_for_once(slack, findings, monkeypatch):
    waited = list[float]()
    monkeypatch.setattr(time, "sleep", waited.append)
    slack.faults.next("blocks.validate", Fault(status=429, retry_after=3))
    assert findings(check_blocks)[0][0] == "✓"
    assert waited == [3.0]


def test_the_test_thread_leaves_nothing_behind(slack, findings):
    before = slack.timeline("general")
    found = findings(check_token, check_thread, channel="C0GENERAL")
    assert found[1:] == [("✓", "test thread in C0GENERAL: post, update, stream, upload, delete", "")]
    assert slack.timeline("general") == before
    assert slack.calls_of("files.delete")[-1].response["ok"]


@pytest.mark.parametrize(
    ("method", "code", "sign", "said"),
    [
        ("chat.postMessage", "not_in_channel", "✗", "test thread: post failed (not_in_channel)"),
        ("chat.update", "cant_update_message", "✗", "test thread: update failed (cant_update_message)"),
        ("chat.startStream", "not_authorized", "!", "test thread: stream is refused (not_authorized)"),
        ("files.getUploadURLExternal", "missing_scope", "✗", "test thread: upload failed (missing_scope)"),
    ],
)
def test_each_step_that_fails_is_told_and_the_rest_is_deleted(slack, findings, method, code, sign, said):
    before = slack.timeline("general")
    slack.faults.next(method, Fault(error=code))
    _, (found, told, advice), *_ = findings(check_token, check_thread, channel="C0GENERAL")
    assert (found, told.startswith(said), bool(advice)) == (sign, True, True)
    assert slack.timeline("general") == before


def test_a_file_that_cannot_be_deleted_is_named(slack, findings):
    slack.faults.next("files.delete", Fault(error="cant_delete_file"))
    _, (sign, said, _), (_, done, _) = findings(check_token, check_thread, channel="C0GENERAL")
    assert (sign, said.startswith("test thread: these could not be deleted: file F")) == ("✗", True)
    assert done.endswith("upload")
