"""The Slack app: mentions, `/fetch` and thread follow-ups, answered by `fetcher`."""

PACKAGES = ("fetcher", "slackapp")
"""Whose logs are ours."""
