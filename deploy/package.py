"""`python -m deploy.package`: build/lambda.zip, with our code and every package of requirements/lambda.lock.

Neither Docker nor a compiler is needed: pip takes the wheels of Lambda's own platform, on any machine. The
same sources give the same file, byte for byte. Python's bytecode is in it: without it each cold start would
compile every module again, since /var/task is read-only. Only a Python of Lambda's version can make it, so
one must be installed beside the Python that runs this; `LAMBDA_PYTHON` chooses the version for all.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements" / "lambda.lock"
BUILT = ROOT / "build" / "package"
ZIP = ROOT / "build" / "lambda.zip"

PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in range(17, 35)]
"""Every C library up to that of Amazon Linux 2023, glibc 2.34."""
PACKAGES = ("fetcher", "slackapp")
ELSEWHERE = ("fetcher/a2a", "fetcher/mcp", "fetcher/serving", "slackapp/playground")
"""Packages of the project that never run on Lambda."""
SERVICES = frozenset(
    {"bedrock-agent-runtime", "bedrock-agentcore", "bedrock-runtime", "dynamodb", "sqs", "ssm", "sts"}
)
"""The services of AWS that are called; botocore describes 400 others."""
NEEDLESS = ("**/__pycache__", "**/tests", "**/*.pyi", "**/*.pyx", "**/*.pxd", "bin")
RUNTIMES = ("3.13", "3.14")
"""Lambda's Pythons for which every locked package has a wheel, and which the tests know."""
LARGEST = 250 * 1024 * 1024
"""Lambda's limit for what a function unpacks to."""
MOMENT = (2020, 1, 1, 0, 0, 0)
"""The time of every file in the archive."""


def main() -> int:
    version = runtime()
    ZIP.unlink(missing_ok=True)  # no archive is better than an old one
    shutil.rmtree(BUILT, ignore_errors=True)
    install(version)
    copy_packages()
    trim(BUILT)
    if missing := sorted(missing_imports(BUILT)):
        sys.exit(f"Not in requirements/lambda.lock, but imported: {', '.join(missing)}")
    compile_with(required_python(version))
    if stale := sorted(uncompiled(BUILT, version)):
        sys.exit(f"Without bytecode for Python {version}: {', '.join(stale[:5])}")
    size = unpacked_size(BUILT)
    if size > LARGEST:
        sys.exit(f"{_mb(size)} unpacked is more than Lambda takes ({_mb(LARGEST)})")
    pack(BUILT, ZIP)
    sys.stdout.write(report(size, version))
    return 0


def runtime() -> str:
    """Lambda's Python, such as `3.13`: `LAMBDA_PYTHON`, else the default that serverless.yml has for it."""
    found = re.search(
        r"^  runtime: python\$\{env:LAMBDA_PYTHON, '(3\.\d+)'\}$",
        (ROOT / "serverless.yml").read_text("utf-8"),
        re.MULTILINE,
    )
    if not found:
        sys.exit("serverless.yml names no Python runtime")
    version = os.environ.get("LAMBDA_PYTHON") or found[1]
    if version not in RUNTIMES:
        sys.exit(f"LAMBDA_PYTHON is {version}; it may be {' or '.join(RUNTIMES)}")
    return version


def install(version: str) -> None:
    """Install every locked package as a wheel for Lambda, its hash checked."""
    platforms = [part for platform in PLATFORMS for part in ("--platform", platform)]
    target = ["--implementation", "cp", "--python-version", version, "--target", str(BUILT)]
    locked = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--no-compile", "-r", str(LOCK)]
    _run([sys.executable, "-m", "pip", "install", "--quiet", *locked, *target, *platforms])


def copy_packages() -> None:
    left_out = {ROOT / name for name in ELSEWHERE}

    def ignored(folder: str, names: list[str]) -> set[str]:
        return {name for name in names if name == "__pycache__" or Path(folder, name) in left_out}

    for package in PACKAGES:
        shutil.copytree(ROOT / package, BUILT / package, ignore=ignored)


def trim(folder: Path) -> None:
    """Delete files that no import needs."""
    needless = [path for pattern in NEEDLESS for path in folder.glob(pattern)]
    described = (path for path in (folder / "botocore" / "data").glob("*") if path.is_dir())
    for path in [*needless, *(path for path in described if path.name not in SERVICES)]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def missing_imports(folder: Path) -> set[str]:
    """Names that our code imports and the archive lacks."""
    have = set(sys.stdlib_module_names) | {path.name.split(".")[0] for path in folder.iterdir()}
    sources = [path for package in PACKAGES for path in (folder / package).rglob("*.py")]
    imported: set[str] = set()
    for node in (node for path in sources for node in ast.walk(ast.parse(path.read_text("utf-8")))):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported.add(node.module.split(".")[0])
    return imported - have


def compile_with(python: str) -> None:
    """Add bytecode that is never checked against its source."""
    paths = ["-s", str(BUILT), "-p", "/var/task"]
    _run([python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *paths, str(BUILT)])


def uncompiled(folder: Path, version: str) -> set[str]:
    """Sources that have no bytecode of that version; those that no Python could compile count too."""
    tag = f"cpython-{version.replace('.', '')}"
    sources = (path for path in folder.rglob("*.py"))
    return {
        path.relative_to(folder).as_posix()
        for path in sources
        if not (path.parent / "__pycache__" / f"{path.stem}.{tag}.pyc").is_file()
    }


def required_python(version: str) -> str:
    """A Python of that version; ends the program with advice if there is none."""
    return python_of(version) or sys.exit(
        f"Lambda runs Python {version}, and only a Python {version} makes its bytecode, without which a cold "
        f"start takes twice as long. Install one beside yours: `uv python install {version}`, "
        f"`pyenv install {version}`, or your system's package."
    )


def python_of(version: str) -> str | None:
    """A released Python of that version that really runs: this one, one on PATH, pyenv's or uv's.

    Version managers leave commands on PATH that only print an error.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser() / "versions"
    candidates = [sys.executable, shutil.which(f"python{version}")]
    candidates += [str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"))]
    if uv := shutil.which("uv"):
        found = subprocess.run([uv, "python", "find", version], check=False, capture_output=True, text=True)  # noqa: S603
        candidates.append(found.stdout.strip())
    tell = "import sys; print('%d.%d' % sys.version_info[:2], sys.version_info[3])"
    for python in filter(None, candidates):
        told = subprocess.run([python, "-c", tell], check=False, capture_output=True, text=True)  # noqa: S603
        if told.stdout == f"{version} final\n":
            return python
    return None


def unpacked_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def pack(folder: Path, archive: Path) -> None:
    """Write the archive. The same files give the same bytes: sorted, of one time and one set of rights."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), MOMENT)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, path.read_bytes())


def report(size: int, version: str) -> str:
    lines = [f"build/lambda.zip: {_mb(ZIP.stat().st_size)}, {_mb(size)} unpacked, Python {version} on arm64"]
    folders = sorted(
        ((unpacked_size(path), path.name) for path in BUILT.iterdir() if path.is_dir()), reverse=True
    )
    lines += [f"  {_mb(part):>9}  {name}" for part, name in folders[:8]]
    return "\n".join([*lines, ""])


def _mb(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MB"


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False)  # noqa: S603 - this module writes every word of it
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    sys.exit(main())
