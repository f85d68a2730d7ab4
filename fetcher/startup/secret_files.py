"""Secrets in files: systemd's credentials, and the secrets that container engines mount.

`CREDENTIALS_DIRECTORY` names a directory; systemd sets it. A file in it that has the name of a variable sets
the variable, so that no secret stands in an environment that other processes or a unit's status show.
"""

import re
from collections.abc import MutableMapping
from pathlib import Path

from fetcher.settings import ConfigurationError

VARIABLE = "CREDENTIALS_DIRECTORY"
LARGEST = 64 * 1024
"""Bytes; a secret is a line."""


def load(environ: MutableMapping[str, str]) -> None:
    """Set the variables that files set; one that is set itself wins. Raises ConfigurationError."""
    directory = environ.get(VARIABLE, "").strip()
    if not directory or not Path(directory).exists():  # an image may name one that is seldom mounted
        return
    try:
        files = [path for path in Path(directory).iterdir() if re.fullmatch("[A-Z][A-Z0-9_]*", path.name)]
        for path in files:
            if not environ.get(path.name, "").strip() and path.is_file() and path.stat().st_size <= LARGEST:
                environ[path.name] = path.read_text("utf-8").strip()
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, whose text would quote the bytes
        name = type(error).__name__ if isinstance(error, ValueError) else str(error)
        raise ConfigurationError(f"Configuration error: {VARIABLE} cannot be read: {name}") from None
