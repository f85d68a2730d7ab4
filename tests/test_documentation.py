"""What the product can be told and can say is documented."""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from fetcher import VERSION
from fetcher.a2a.settings import A2ASettings
from fetcher.agent import RemoteSettings
from fetcher.codes import AgentCode, DocumentCode, ErrorCode, Note, TruncationReason
from fetcher.configuration import ALL_TOOLS, FILE
from fetcher.invoke.settings import InvokeSettings
from fetcher.mcp.settings import McpSettings
from fetcher.settings import AgentSettings, WebFetchSettings
from fetcher.startup import secret_files
from fetcher.startup.environment import settable
from fetcher.startup.parameters import VARIABLE
from slackapp.run.hand_over import QUEUES
from slackapp.settings import SlackSettings
from tests.fetcher.samples import SAMPLES

ROOT = Path(__file__).parent.parent


def _rows(name):
    """The tables of a document: first cell, without its backticks, to the whole row."""
    lines = (ROOT / "docs" / name).read_text("utf-8").splitlines()
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|"))
    return {row[0].strip("`"): row for row in cells}


def _settings(model: type[BaseModel], prefix="WEBFETCH_"):
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _settings(inner, f"{prefix}{name.upper()}__")
        else:
            yield f"{prefix}{name.upper()}"


AGENT = [name.upper() for name in settable(AgentSettings)]
MCP = [name.upper() for name in settable(McpSettings)]
A2A = [name.upper() for model in (A2ASettings, RemoteSettings) for name in settable(model)]
INVOKE = [name.upper() for name in settable(InvokeSettings) if name not in AgentSettings.model_fields]
SLACK = [name.upper() for name in settable(SlackSettings)]
KNOWN = {
    *_settings(WebFetchSettings),
    FILE,
    *ALL_TOOLS,
    *AGENT,
    *A2A,
    *INVOKE,
    *MCP,
    *SLACK,
    VARIABLE,
    *QUEUES,
    secret_files.VARIABLE,
}


def test_the_settings_that_are_documented_are_those_that_exist():
    assert {row for row in _rows("settings.md") if row.isupper()} == KNOWN


def test_every_error_code_is_documented_with_its_details():
    rows = _rows("errors.md")
    documented = {code: set(re.findall(r"`(\w+)`", rows[code][3])) for code in ErrorCode}
    assert {code for code in ErrorCode if not set(SAMPLES[code].details) <= documented[code]} == set()
    assert set(DocumentCode) <= set(rows)


def test_every_note_reason_and_code_of_the_agent_is_documented():
    assert {*Note, *TruncationReason, *AgentCode} - set(_rows("errors.md")) == set()


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page):
    """Above all docs/srd.md, which maps the SRD's clauses to code and tests."""
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    text = page.read_text("utf-8")
    assert [name for name in re.findall(r"`(test_\w+)`", text) if f"def {name}" not in tests] == []
    files = re.findall(r"`(test_\w+\.py)`", text)
    assert [name for name in files if not any((ROOT / "tests").rglob(name))] == []
    named = re.findall(r"`(\w+/[\w/.]+\.py)`", text)
    assert [name for name in named if not any((ROOT / room / name).exists() for room in ROOMS)] == []


ROOMS = (".", "fetcher", "slackapp")


@pytest.mark.parametrize("package", ["fetcher", "fetcher/web", "fetcher/agent", "slackapp"])
def test_the_plan_of_the_house_has_every_room(package):
    """A module or package that docs/architecture.md does not name is one that nobody finds."""
    plan = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = set(re.findall(r"`(?:\w+/)*(\w+)(?:\.py|/)`", plan))
    rooms = {path.stem for path in (ROOT / package).iterdir() if not path.name.startswith("_")}
    assert rooms - named - {"web", "agent"} == set()


def test_what_a_package_says_to_read_first_is_there():
    """The docstring of a package names the module to begin with, beside it or above it."""
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for package in ("fetcher", "slackapp")
        for path in (ROOT / package).rglob("__init__.py")
        for name in re.findall(r"Read `(\w+)(?:\.py)?`", path.read_text("utf-8"))
        if not any((folder / f"{name}.py").exists() for folder in (path.parent, path.parent.parent))
    ]
    assert missing == []


SRD = ROOT.parent / "shared" / "spec" / "web-fetch-srd.md"


@pytest.mark.skipif(not SRD.exists(), reason="the specification is not here")
def test_every_requirement_has_its_row():
    """Whatever the SRD requires is in the table, built or not."""
    required = set(re.findall(r"\*\*(FR-[A-Za-z0-9-]+)", SRD.read_text("utf-8")))
    text = (ROOT / "docs" / "srd.md").read_text("utf-8")
    assert required - set(re.findall(r"N?FR-[A-Za-z0-9-]+", text)) == set()


def _commands(package):
    """What can stand after `python -m …`, as its own help says."""
    done = subprocess.run(
        [sys.executable, "-m", package, "--help"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return re.findall(r"^    (\w+) ", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("package", ["fetcher", "slackapp"])
def test_every_command_is_documented(package):
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    commands = _commands(package)
    assert len(commands) >= 4
    assert [name for name in commands if f"python -m {package} {name}" not in text] == []


def test_every_target_of_make_is_documented():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    assert targets
    assert [name for name in targets[1].split() if f"make {name}" not in text] == []


DECISION = re.compile(r"(?<![\w%^&/.-])[EAS][1-9]\d?(?![\w^(-])")
"""The id of a decision, such as `E11`; not a part of an address, a number or a formula."""


def _prose_of_python(source):
    """Comments and the strings that stand alone: docstrings, and those below a constant."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.value.value


def _prose_of_markdown(text):
    """The text of a page without its code."""
    yield re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def _cited(path):
    prose = _prose_of_python if path.suffix == ".py" else _prose_of_markdown
    text = path.read_text("utf-8")
    if not re.search(r"[EAS][1-9]", text):  # most files: to take their prose out takes long
        return set()
    return set(DECISION.findall("\n".join(prose(text))))


def _decisions():
    """The ids of docs/decisions.md."""
    return re.findall(
        r"^\| ([EAS]\d+) \|", (ROOT / "docs" / "decisions.md").read_text("utf-8"), flags=re.MULTILINE
    )


def test_every_decision_that_is_cited_is_written_down():
    written = set(_decisions())
    assert len(written) == len(_decisions())
    folders = ("fetcher", "slackapp", "tests", "bench", "deploy")
    paths = [*PAGES, *(path for folder in folders for path in (ROOT / folder).rglob("*.py"))]
    cited = {path.relative_to(ROOT).as_posix(): _cited(path) for path in paths}
    assert {name: ids - written for name, ids in cited.items() if ids - written} == {}
    assert "E1" in cited["fetcher/web/fetch_url.py"]  # the search does find citations


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("as decision E17 says (S2), A5: the rest; E1, E18.", {"E17", "S2", "A5", "E1", "E18"}),
        ("/%E6%97%A5 <!subteam^S1|x> A0 S100 xapp-1-A2", set()),
    ],
)
def test_citations_are_told_from_addresses(text, ids):
    assert set(DECISION.findall(text)) == ids


READMES = ["README.md", "README.ja.md"]


def test_the_version_is_the_same_everywhere():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    dated = [section for section in sections if section != "Unreleased"]
    found = re.fullmatch(r"([\d.]+) \((\d{4}-\d\d-\d\d)\)", dated[0])
    assert found
    assert found[1] == version == VERSION
    assert [name for name in READMES if not re.search(rf"{version}.{{1,2}}{found[2]}", _page(name))] == []


def _page(name):
    return (ROOT / name).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_of_a_page_are_there(page):
    """Files, and the headings that a link names; a picture also says in words what it shows."""
    text = page.read_text("utf-8")
    assert "![](" not in text
    missing = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)):
        name, _, heading = target.partition("#")
        path = (page.parent / name) if name else page
        if "://" in target or target.startswith("mailto:"):
            continue
        if not path.exists() or (heading and heading not in _anchors(path)):
            missing.append(target)
    assert missing == []


def _anchors(path):
    """The headings of a page as GitHub names them in links."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", ["asking.png", "asking.ja.png"])
def test_the_moving_pictures_move_and_are_small(name):
    """`docs/make_playground_picture.py` writes them."""
    picture = (ROOT / "docs" / "images" / name).read_bytes()
    assert len(picture) < 1_500_000
    assert 6 <= picture.count(b"fcTL") <= 10
