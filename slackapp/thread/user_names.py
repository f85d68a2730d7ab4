"""What people are called, and under which name the store remembers it: the guard and the history share it."""

from collections.abc import Mapping
from typing import Any

from slackapp.thread.slack_text import sayable


def name_key(team: str, user: str) -> str:
    """Under which a user's plain name is remembered."""
    return f"name:{team}:{user}"


def display_name(user: Mapping[str, Any]) -> str:
    """A user of `users.info` as others see them; empty where Slack does not say."""
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    return next((sayable(str(name)) for name in names if name), "")
