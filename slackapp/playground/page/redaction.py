"""Takes secrets out of what a developer is shown."""

import re
from collections.abc import Iterable
from typing import Any

HIDDEN = "••••"
KEYS = frozenset({"token", "response_url", "signing_secret", "authorization", "app_token", "bot_token"})
"""Fields whose values are secrets, whatever they look like."""
SHAPES = re.compile(r"xox[a-z]-[\w-]+|xapp-[\w-]+|sk-ant-[\w-]+|(?<=/response/)[\w-]+")
"""Secrets that are known by their looks: Slack's tokens, Claude's keys, the end of a response URL."""
SHORTEST = 6
"""Of a known secret: what is shorter would be found in the middle of words."""


class Redaction:
    """A copy of any JSON without secrets; `known` are secrets of this process."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        long = {re.escape(secret) for secret in known if len(secret) >= SHORTEST}
        values = sorted(long, key=len, reverse=True)
        self._pattern = re.compile("|".join([*values, SHAPES.pattern]))

    def clean(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._field(str(key), item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.clean(item) for item in value]
        return self._pattern.sub(HIDDEN, value) if isinstance(value, str) else value

    def _field(self, key: str, value: Any) -> Any:
        return HIDDEN if key.lower() in KEYS and value else self.clean(value)
