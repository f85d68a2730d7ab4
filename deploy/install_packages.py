"""`python -m deploy.install_packages LOCK`: installs the packages of a lock file, and shows how far it is.

It runs in a new virtual environment, so it uses the standard library alone. pip's own lines are shown only
if it fails for another reason than the network.
"""

import re
import subprocess
import sys
from pathlib import Path

COMMAND = (
    *("-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"),
    *("--retries", "2", "--require-hashes", "--no-deps", "-r"),
)
DECIDED = re.compile(r"(?:Collecting|Requirement already satisfied:|Ignoring) ([\w.-]+)")
"""The line with which pip turns to the next package."""
UNREACHABLE = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|MaxRetryError"
    r"|Connection(?:Reset|Refused)?Error|Network is unreachable|getaddrinfo|name resolution"
)
LAST_LINES = 20


def main(lock: str) -> int:
    """Install; return pip's exit status."""
    packages = len(re.findall(r"^[\w.-]+==", Path(lock).read_text("utf-8"), re.MULTILINE))
    _write(f"Downloading and installing {packages} packages ({lock}). This takes a minute or two.\n")
    lines: list[str] = []
    done = 0
    with subprocess.Popen(  # noqa: S603  # our own Python, and a file of ours
        [sys.executable, *COMMAND, lock], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            lines.append(line)
            if found := DECIDED.match(line):
                done += 1
                _show(f"{done} of {packages}: {found[1]}", is_step=done % 10 == 0)
            elif line.startswith("Installing collected"):
                _show("All are here. Installing them …", is_step=True)
    if sys.stderr.isatty():
        _write("\r\033[K")
    if pip.returncode == 0:
        _write("The packages are installed.\n")
    elif UNREACHABLE.search("".join(lines)):
        _write(
            "The packages cannot be downloaded: the package index cannot be reached. Connect this machine to "
            "the network, or set HTTPS_PROXY or PIP_INDEX_URL if it needs them, and run the command again.\n"
        )
    else:
        _write("".join(["The packages cannot be installed. pip says:\n", *lines[-LAST_LINES:]]))
    return pip.returncode


def _show(text: str, *, is_step: bool) -> None:
    """One line that changes on a terminal; elsewhere a line now and then."""
    if sys.stderr.isatty():
        _write(f"\r\033[K{text}")
    elif is_step:
        _write(f"{text}\n")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
