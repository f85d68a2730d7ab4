"""A setting that is accepted does something, and a message that is written is said.

Who reads a setting is found by the type checker: it checks the packages against copies of the settings'
modules in which every member has another name, and complains wherever one of the old names is used. Names
alone would not do, since many things have a `mode`.
"""

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from fetcher.codes import AgentCode, ErrorCode, Toggle
from slackapp.codes import RefusalCode
from slackapp.settings import TABLES

ROOT = Path(__file__).parent.parent
PACKAGES = ("fetcher", "slackapp")
SETTINGS = (
    "fetcher/settings.py",
    "fetcher/a2a/settings.py",
    "fetcher/agent/remote/settings.py",
    "fetcher/invoke/settings.py",
    "fetcher/mcp/settings.py",
    "slackapp/settings.py",
)
CATALOGUES = ("fetcher/wording/messages_ja.py", "slackapp/messages_ja.py", "fetcher/wording/fixed_ja.py")
"""Those in English have the same messages."""
FRONTS = re.compile(r"^(?:engine_wording|messages_ja|fixed_ja)\.")
COMPLAINT = re.compile(
    r'^(?P<path>[^:]+):(?P<line>\d+): error: .*"(?P<owner>\w+)" has no attribute "(?P<name>\w+)"'
)
NEW = "renamed_"
LIBRARIES = """
[mypy]
follow_imports = skip
[mypy-pydantic.*]
follow_imports = silent
"""
"""Of the libraries only the one that models are made of is checked: to read the others takes longer than to
check the packages. A reader whom this hides would be missed, and the test would fail."""

CHOSEN_BY = "type"
"""The field by which pydantic chooses among models."""
BY_NAME: dict[tuple[str, str], tuple[str, str]] = {
    **{("SecuritySettings", toggle): ("SecuritySettings", "opened") for toggle in Toggle},
    **{("SlackSettings", f"{table}_table"): ("SlackSettings", "table_name") for table in TABLES},
}
"""Fields that a member of their own model reads by a name that it puts together."""


def _tree(path):
    return ast.parse((ROOT / path).read_text("utf-8"))


def _models(tree):
    """The models of a settings module: classes whose members are annotated."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and any(isinstance(row, ast.AnnAssign) for row in node.body):
            yield node


MODELS = {model.name for path in SETTINGS for model in _models(_tree(path))}


def _members(model):
    """Members that others may use. Groups of settings keep their names: those inside them are looked for."""
    for row in model.body:
        if isinstance(row, ast.AnnAssign) and isinstance(row.target, ast.Name):
            of_models = MODELS.intersection(re.findall(r"\w+", ast.unparse(row.annotation)))
            if not of_models and row.target.id != CHOSEN_BY:
                yield row.target.id, row
        elif isinstance(row, ast.FunctionDef) and not row.name.startswith("_"):
            yield row.name, row


def _renamed(path):
    """A settings module with other names for all members of its models."""
    lines = (ROOT / path).read_text("utf-8").splitlines()
    for model in _models(_tree(path)):
        for name, row in _members(model):
            at = row.lineno - 1
            lines[at] = re.sub(rf"\b{name}\b", NEW + name, lines[at], count=1)
    return "\n".join(lines)


def _scope(tree, line):
    """The member of a model, or the function, in which a line stands."""
    for model in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for row in model.body:
            if row.lineno <= line <= (row.end_lineno or row.lineno):
                return model.name, getattr(row, "name", "")
    return "", ""


@pytest.fixture(scope="module")
def unread(tmp_path_factory):
    """Settings that nothing reads, as pairs of model and field."""
    room = tmp_path_factory.mktemp("renamed")
    shadows = []
    for number, path in enumerate(SETTINGS):
        copy = room / f"{number}.py"
        copy.write_text(_renamed(path), "utf-8")
        shadows += ["--shadow-file", path, str(copy)]
    (room / "mypy.ini").write_text(LIBRARIES, "utf-8")
    options = ["--config-file", str(room / "mypy.ini"), "--cache-dir", str(room / "cache")]
    options += ["--no-error-summary", "--hide-error-context"]
    packages = [option for package in PACKAGES for option in ("-p", package)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *shadows, *packages],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    return _unread([found for line in done.stdout.splitlines() if (found := COMPLAINT.match(line))])


def _unread(complaints):
    readers = set(BY_NAME.items())
    live = set()
    for found in complaints:
        member = found["owner"], found["name"]
        owner, function = (
            _scope(_tree(found["path"]), int(found["line"])) if found["path"] in SETTINGS else ("", "")
        )
        if not owner or function.startswith("_"):  # outside the models, or where pydantic calls it
            live.add(member)
        else:
            readers.add((member, (owner, function)))
    while grown := {member for member, by in readers if by in live} - live:
        live |= grown
    trees = [_tree(path) for path in SETTINGS]
    models = [model for tree in trees for model in _models(tree)]
    return {(model.name, name) for model in models for name, _ in _members(model)} - live


def test_every_setting_is_read(unread):
    assert unread == set()


def test_the_search_finds_what_nothing_reads():
    """A complaint in a model counts only where something reads the member that it stands in."""
    assert ("WebFetchSettings", "timeout_seconds") in _unread([])


@cache
def _used_outside():
    """Every attribute and name that the packages use, the catalogues apart."""
    used = set()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if not path.match("messages_*.py") and path != ROOT / CATALOGUES[-1]:
                for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                    if isinstance(node, ast.Attribute):
                        used.add(f"{ast.unparse(node.value)}.{node.attr}")
    return used


def _messages(catalogue):
    """The functions and texts of a catalogue, and the methods of its classes."""
    for node in _tree(catalogue).body:
        if isinstance(node, ast.FunctionDef):
            yield f"wording.{node.name}"
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            yield f"wording.{ast.unparse(target)}"
        elif isinstance(node, ast.ClassDef):
            yield from (f"phrases.{row.name}" for row in node.body if isinstance(row, ast.FunctionDef))


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_every_message_is_said(catalogue):
    used = {name.removeprefix("self.").removeprefix("exporter.") for name in _used_outside()}
    used = {FRONTS.sub("wording.", name) for name in used}
    used |= {
        f"wording.{node.func.id}"
        for node in ast.walk(_tree(catalogue))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    public = {name for name in _messages(catalogue) if not name.partition(".")[2].startswith("_")}
    assert public - used == set()


@pytest.mark.parametrize("codes", [AgentCode, ErrorCode, RefusalCode], ids=lambda codes: codes.__name__)
def test_every_code_with_a_sentence_is_given_somewhere(codes):
    outside = _used_outside()
    assert {f"{codes.__name__}.{code.name}" for code in codes} - outside == set()
