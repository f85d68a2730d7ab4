"""What the app writes into its log: names that an operator can search and alarm for."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "operations.md").read_text("utf-8").partition("## Metrics")[0]
TROUBLE = frozenset({"warning", "error", "exception"})


def lines():
    """Where something is logged under a name, at which level, and with which arguments."""
    for path in sorted((ROOT / "slackapp").rglob("*.py")):
        if "playground" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="log"), attr=level),
                    args=[ast.Constant(value=str(event)), *further],
                ):
                    yield pytest.param(event, level, further, id=f"{path.stem}:{node.lineno}")


LINES = list(lines())


@pytest.mark.parametrize(("event", "level", "further"), LINES)
def test_an_event_is_a_name_alone(event, level, further):
    """All details are in fields: a filter on `event` finds every line."""
    assert re.fullmatch("[a-z_]+", event)
    assert further == []


@pytest.mark.parametrize(("event", "level", "further"), LINES)
def test_trouble_is_explained_to_operators(event, level, further):
    assert level not in TROUBLE or f"`{event}`" in TABLE
