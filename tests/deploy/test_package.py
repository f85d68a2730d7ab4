"""What is put into the archive for Lambda."""

import re
import zipfile
from pathlib import Path

import pytest

from deploy import package

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def folder(tmp_path):
    """A package folder with our code in it."""
    for path in ("fetcher/a.py", "slackapp/b.py", "boto3/__init__.py", "brotli.py", "_core.abi3.so"):
        (tmp_path / "package" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "package" / path).write_text("")
    return tmp_path / "package"


def _add(folder, path, text="x"):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def test_the_runtime_is_the_one_of_the_stack():
    assert package.runtime() == "3.13"


def test_the_same_files_give_the_same_bytes(folder, tmp_path):
    """Whoever made them, whenever: an archive that changes without a change is deployed for nothing."""
    package.pack(folder, tmp_path / "one.zip")
    (folder / "fetcher" / "a.py").chmod(0o600)
    (folder / "brotli.py").touch()
    package.pack(folder, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_every_file_is_readable_by_lambda(folder, tmp_path):
    """Lambda's user is not the one who packed."""
    (folder / "fetcher" / "a.py").chmod(0o600)
    package.pack(folder, tmp_path / "one.zip")
    entries = zipfile.ZipFile(tmp_path / "one.zip").infolist()
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}
    assert [entry.filename for entry in entries] == sorted(
        ["_core.abi3.so", "boto3/__init__.py", "brotli.py", "fetcher/a.py", "slackapp/b.py"]
    )


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("import boto3, json\nfrom brotli import x", set()),
        ("def f():\n    import websockets.sync", {"websockets"}),
        ("from a2a.types import Task", {"a2a"}),
        ("from . import c\nfrom fetcher import a\nimport _core", set()),
    ],
)
def test_an_import_that_the_archive_lacks_is_found(source, missing, folder):
    """It would otherwise fail on Lambda, at the first request."""
    _add(folder, "slackapp/c.py", source)
    assert package.missing_imports(folder) == missing


def test_what_no_import_asks_for_is_left_out(folder):
    kept = ["botocore/data/dynamodb/service-2.json", "botocore/data/endpoints.json", "pydantic/main.py"]
    gone = [
        "botocore/data/ec2/service-2.json",
        "boto3/__pycache__/x.pyc",
        "six/tests/a.py",
        "a/b.pyi",
        "bin/x",
    ]
    for path in [*kept, *gone]:
        _add(folder, path)
    package.trim(folder)
    assert [path for path in kept if not (folder / path).exists()] == []
    assert [path for path in gone if (folder / path).exists()] == []


def test_every_service_that_is_called_keeps_its_description():
    """botocore cannot open a client of a service whose description was left out."""
    sources = [path for name in package.PACKAGES for path in (ROOT / name).rglob("*.py")]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    opened = set(re.findall(r'(?:client\(\s*|^SERVICE = )"([a-z0-9-]+)"', text, re.MULTILINE))
    assert {"dynamodb", "ssm", "bedrock-agent-runtime"} <= opened
    assert opened <= package.SERVICES


def test_parts_that_are_left_out_are_parts_that_exist():
    assert [name for name in package.ELSEWHERE if not (ROOT / name).is_dir()] == []


def test_a_python_that_only_complains_is_not_used(monkeypatch, tmp_path):
    """Version managers put commands on the path for versions that are not active."""
    shim = tmp_path / "python9.9"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert package.python_of("9.9") is None
