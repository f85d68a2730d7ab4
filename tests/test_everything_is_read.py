"""A setting that is accepted is read somewhere, and a message that is written is said."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from fetcher.codes import AgentCode, ErrorCode
from slackapp.codes import RefusalCode

ROOT = Path(__file__).parent.parent
SOURCES = [path for package in ("fetcher", "slackapp") for path in (ROOT / package).rglob("*.py")]
SETTINGS = [path for path in SOURCES if path.name == "settings.py"]
CATALOGUES = ("fetcher/wording/messages.py", "slackapp/wording.py", "fetcher/wording/fixed_ja.py")
FRONTS = re.compile(r"^(?:engine_wording|wording|messages|fixed_ja)\.")
BY_NAME = re.compile(r"block_\w+|\w+_table|type")
"""Fields that are read by a name that is put together: toggles, tables, and what pydantic chooses by."""


@cache
def _tree(path):
    return ast.parse(path.read_text("utf-8"))


@cache
def _used():
    """Every attribute that the packages use, with what it is an attribute of."""
    nodes = (node for path in SOURCES for node in ast.walk(_tree(path)) if isinstance(node, ast.Attribute))
    return {f"{ast.unparse(node.value)}.{node.attr}" for node in nodes}


def test_every_setting_is_read():
    models = [node for path in SETTINGS for node in _tree(path).body if isinstance(node, ast.ClassDef)]
    rows = [row for model in models for row in model.body if isinstance(row, ast.AnnAssign)]
    fields = {row.target.id for row in rows if isinstance(row.target, ast.Name)}
    assert len(fields) > 100
    read = {name.rpartition(".")[2] for name in _used()}
    assert {name for name in fields - read if not BY_NAME.fullmatch(name)} == set()


def _messages(catalogue):
    """The functions and texts of a catalogue, and the methods of its classes."""
    for node in catalogue.body:
        if isinstance(node, ast.FunctionDef):
            yield f"wording.{node.name}"
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield f"wording.{node.targets[0].id}"
        elif isinstance(node, ast.ClassDef):
            yield from (f"phrases.{row.name}" for row in node.body if isinstance(row, ast.FunctionDef))


@pytest.mark.parametrize("path", CATALOGUES)
def test_every_message_is_said(path):
    catalogue = _tree(ROOT / path)
    used = {name.removeprefix("self.").removeprefix("exporter.") for name in _used()}
    used = {FRONTS.sub("wording.", name) for name in used}
    calls = (node.func for node in ast.walk(catalogue) if isinstance(node, ast.Call))
    used |= {f"wording.{function.id}" for function in calls if isinstance(function, ast.Name)}
    public = {name for name in _messages(catalogue) if not name.partition(".")[2].startswith("_")}
    assert public - used == set()


@pytest.mark.parametrize("codes", [AgentCode, ErrorCode, RefusalCode], ids=lambda codes: codes.__name__)
def test_every_code_with_a_sentence_is_given_somewhere(codes):
    elsewhere = [path for path in SOURCES if path.relative_to(ROOT).as_posix() not in CATALOGUES]
    text = "\n".join(path.read_text("utf-8") for path in elsewhere)
    given = set(re.findall(rf"\b{codes.__name__}\.(\w+)", text))
    assert {code.name for code in codes} - given == set()
