"""Reads the web for people and agents, safely."""

VERSION = "0.2.0"
"""Of the whole project, as in pyproject.toml."""
