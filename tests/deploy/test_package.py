"""What is put into the archive for Lambda."""

import importlib.util
import json
import re
import sys
import zipfile
from importlib.metadata import distribution
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


def test_the_runtime_is_one_setting(monkeypatch):
    """The stack and the archive read the same variable; the default stands in serverless.yml alone."""
    monkeypatch.delenv("LAMBDA_PYTHON", raising=False)
    assert package.runtime() == "3.13"
    monkeypatch.setenv("LAMBDA_PYTHON", "3.14")
    assert package.runtime() == "3.14"
    monkeypatch.setenv("LAMBDA_PYTHON", "3.11")
    with pytest.raises(SystemExit, match=r"LAMBDA_PYTHON is 3\.11"):
        package.runtime()


@pytest.mark.parametrize("version", package.RUNTIMES)
def test_cloudformation_knows_every_runtime(version):
    """cfn-lint carries AWS's list, with the dates of what is deprecated."""
    folder = Path(str(distribution("cfn-lint").locate_file("cfnlint"))) / "data" / "AdditionalSpecs"
    known = json.loads((folder / "LmbdRuntimeLifecycle.json").read_text("utf-8"))
    assert f"python{version}" in known


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


def _program(path, prints):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{prints}\n")
    path.chmod(0o755)
    return str(path)


def test_a_python_of_the_runtimes_version_is_found_wherever_it_is(monkeypatch, tmp_path):
    """Version managers put commands on the path for versions that are not active, and keep the real ones."""
    _program(tmp_path / "bin" / "python9.9", "exit 127")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert package.python_of("9.9") is None
    with pytest.raises(SystemExit, match=r"only a Python 9\.9 makes its bytecode"):
        package.required_python("9.9")
    _program(tmp_path / "pyenv" / "versions" / "9.9.0rc1" / "bin" / "python", "echo 9.9 candidate")
    assert package.python_of("9.9") is None  # its bytecode may be another
    of_uv = _program(tmp_path / "uv" / "python", "echo 9.9 final")
    _program(tmp_path / "bin" / "uv", f"echo {of_uv}")
    assert package.python_of("9.9") == of_uv
    of_pyenv = _program(tmp_path / "pyenv" / "versions" / "9.9.1" / "bin" / "python", "echo 9.9 final")
    assert package.required_python("9.9") == of_pyenv
    assert package.python_of("{}.{}".format(*sys.version_info)) == sys.executable


def test_every_module_has_bytecode_that_no_clock_and_no_folder_invalidates(folder, monkeypatch):
    """Of the version that compiled it, never compared with its source, and named as on Lambda."""
    version = "{}.{}".format(*sys.version_info)
    monkeypatch.setattr(package, "BUILT", folder)
    _add(folder, "fetcher/deep/c.py", "def f(): return 1")
    assert package.uncompiled(folder, version) >= {"fetcher/a.py", "fetcher/deep/c.py", "boto3/__init__.py"}
    package.compile_with(sys.executable)
    assert package.uncompiled(folder, version) == set()
    assert "fetcher/a.py" in package.uncompiled(folder, "3.99")
    [compiled] = (folder / "fetcher" / "deep" / "__pycache__").iterdir()
    content = compiled.read_bytes()
    assert content[:8] == importlib.util.MAGIC_NUMBER + b"\x01\0\0\0"  # PEP 552: by hash, unchecked
    assert b"/var/task/fetcher/deep/c.py" in content
