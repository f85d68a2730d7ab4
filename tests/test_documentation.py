"""What the product can be told and can say is documented."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from fetcher.a2a.settings import A2ASettings
from fetcher.agent import RemoteSettings
from fetcher.codes import AgentCode, ErrorCode, Note, TruncationReason
from fetcher.configuration import ALL_TOOLS, FILE
from fetcher.invoke.settings import InvokeSettings
from fetcher.parameters import VARIABLE
from fetcher.settings import AgentSettings, WebFetchSettings
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


AGENT = [name.upper() for name in AgentSettings.model_fields]
A2A = [name.upper() for model in (A2ASettings, RemoteSettings) for name in model.model_fields]
INVOKE = [name.upper() for name in InvokeSettings.model_fields if name not in AgentSettings.model_fields]
SLACK = [name.upper() for name in SlackSettings.model_fields]
KNOWN = {*_settings(WebFetchSettings), FILE, *ALL_TOOLS, *AGENT, *A2A, *INVOKE, *SLACK, VARIABLE}


def test_the_settings_that_are_documented_are_those_that_exist():
    assert {row for row in _rows("settings.md") if row.isupper()} == KNOWN


def test_every_error_code_is_documented_with_its_details():
    rows = _rows("errors.md")
    documented = {code: set(re.findall(r"`(\w+)`", rows[code][3])) for code in ErrorCode}
    assert {code for code in ErrorCode if not set(SAMPLES[code].details) <= documented[code]} == set()


def test_every_note_reason_and_code_of_the_agent_is_documented():
    assert {*Note, *TruncationReason, *AgentCode} - set(_rows("errors.md")) == set()


PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_exists(page):
    """Above all docs/srd.md, which maps the SRD's clauses to code and tests."""
    tests = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    text = page.read_text("utf-8")
    assert [name for name in re.findall(r"`(test_\w+)`", text) if f"def {name}" not in tests] == []
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
