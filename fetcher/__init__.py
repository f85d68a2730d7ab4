"""Reads the web for people and agents, safely."""

import sys

VERSION = "0.2.0"
"""Of the whole project, as in pyproject.toml."""

if sys.version_info < (3, 11):  # noqa: UP036 - a checkout can meet any Python
    raise ImportError(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
