"""The display names of users, and their key in the cache that the guard and the history share."""

from collections.abc import Mapping
from typing import Any

from slackapp.thread.slack_text import encodable


def name_key(team: str, user: str) -> str:
    """The cache key of a user's display name."""
    return f"name:{team}:{user}"


def display_name(user: Mapping[str, Any]) -> str:
    """The name that others see, from `users.info`; empty if Slack does not say."""
    profile = user.get("profile") or {}
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    return next((encodable(str(name)) for name in names if name), "")
