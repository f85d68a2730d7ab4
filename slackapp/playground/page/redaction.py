"""Hides secrets in payloads that the developer panel shows."""

import re
from collections.abc import Iterable
from typing import Any

HIDDEN = "••••"
KEYS = frozenset({"token", "response_url", "signing_secret", "authorization", "app_token", "bot_token"})
"""Fields whose values are always secrets."""
SHAPES = re.compile(r"xox[a-z]-[\w-]+|xapp-[\w-]+|sk-ant-[\w-]+|(?<=/response/)[\w-]+")
"""Secrets with a known form: Slack's tokens, Claude's keys, the end of a response URL."""
SHORTEST = 6
"""Characters of a known secret; a shorter one would also match parts of words."""


class Redaction:
    """Hides secrets by field name, by form, and by value: `known` are secrets of this process."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        long = {re.escape(secret) for secret in known if len(secret) >= SHORTEST}
        values = sorted(long, key=len, reverse=True)
        self._pattern = re.compile("|".join([*values, SHAPES.pattern]))

    def redacted(self, value: Any) -> Any:
        """A copy of any JSON without secrets."""
        if isinstance(value, dict):
            return {
                key: HIDDEN if str(key).lower() in KEYS and item else self.redacted(item)
                for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.redacted(item) for item in value]
        return self._pattern.sub(HIDDEN, value) if isinstance(value, str) else value
