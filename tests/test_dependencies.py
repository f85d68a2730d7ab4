"""docs/dependencies.md justifies what pyproject.toml names, and nothing else."""

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def _declared():
    """The packages of each section: those of the product, then of each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"The product": project["dependencies"], **project["optional-dependencies"]}
    return {
        group: {re.split(r"[^\w.-]", requirement)[0] for requirement in requirements}
        for group, requirements in groups.items()
    }


def _sections():
    """The rows of each section of the page, by the package in their first cell."""
    text = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    sections = {}
    for part in text.split("\n## ")[1:]:
        title = part.partition("\n")[0]
        rows = re.findall(r"^\| `([\w.-]+)` \|(.*)\|$", part, re.MULTILINE)
        name = title.split("`")[1] if title.startswith("Extra `") else title
        sections[name] = {name: [cell.strip() for cell in row.split("|")] for name, row in rows}
    return sections


def test_the_page_and_the_project_name_the_same_packages():
    """Packages of both servers stand with the first of them."""
    declared, sections = _declared(), _sections()
    repeated = declared["mcp"] & declared["a2a"]
    expected = {name: packages for name, packages in declared.items() if packages}
    expected["mcp"] = declared["mcp"] - repeated
    assert {name: set(rows) for name, rows in sections.items()} == expected
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8").partition("## Extra `mcp`")[2]
    assert all(f"`{name}`" in page for name in repeated)


def test_every_package_has_all_its_facts():
    """A size, a licence, a date and, where users wait for the import, its time."""
    for section, rows in _sections().items():
        for name, cells in rows.items():
            assert all(cells), name
            assert float(cells[1]) > 0, name
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", cells[4 if _timed(section) else 3]), name
            assert not _timed(section) or cells[2].isdigit(), name


def _timed(section):
    return section not in ("dev", "bench")


def test_make_audit_asks_for_known_faults_of_all_pinned_packages():
    """Of Python's and of npm's. `bench.lock` has the packages of every other lock but the fuzzer's."""
    command = subprocess.run(["make", "-n", "audit"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "pip-audit --strict" in command.stdout
    assert "npm audit --package-lock-only --prefix deploy/osls" in command.stdout
    named = {name for name in _locks() if f"requirements/{name}.lock" in command.stdout}
    assert set().union(*_locks().values()) == set().union(*(_locks()[name] for name in named))


def _locks():
    """The pinned versions of each lock."""
    paths = (ROOT / "requirements").glob("*.lock")
    return {
        path.stem: set(re.findall(r"^[\w.-]+==[\w.+!-]+", path.read_text("utf-8"), re.M)) for path in paths
    }
