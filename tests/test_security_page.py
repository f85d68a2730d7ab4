"""SECURITY.md names a test for every threat, and every test that it names exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
ATTACKERS = (
    "Somebody in Slack",
    "A page",
    "A forged request",
    "A neighbour on the network or on the machine",
    "The model",
    "Somebody with the repository, the logs or a function",
)


def _section(heading):
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _rows(heading):
    lines = [line for line in _section(heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_test_that_is_named_exists():
    """A proof that was renamed or removed proves nothing."""
    trees = {path: ast.parse((ROOT / path).read_text("utf-8")) for path, _ in NAMED}
    there = {
        (path, node.name)
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    assert set(NAMED) - there == set()


@pytest.mark.parametrize("heading", ATTACKERS)
def test_every_threat_has_a_defence_and_a_proof(heading):
    """A row is a threat, what stands against it, and at least one test."""
    assert _rows(heading)
    for threat, defence, proof in _rows(heading):
        assert threat
        assert defence
        assert re.fullmatch(r"`tests/[\w/]+\.py::\w+`(?:, `tests/[\w/]+\.py::\w+`)*", proof), threat


@pytest.mark.parametrize("heading", ["Reporting", "What remains"])
def test_it_says_how_to_report_and_what_remains(heading):
    assert _section(heading).strip()


def test_every_link_of_the_page_leads_to_a_file():
    links = re.findall(r"\]\(([\w/.]+)\)", PAGE)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
