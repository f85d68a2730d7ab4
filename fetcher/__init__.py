"""Reads the web for people and agents, safely."""

import sys

VERSION = "0.2.0"
"""Of the whole project, as in pyproject.toml."""

if sys.version_info < (3, 11, 5):
    # Possessive patterns match wrongly there (CPython gh-106052): links are not found, or for ever.
    raise ImportError(f"Python 3.11.5 or newer is needed, this is {sys.version.split()[0]}")
