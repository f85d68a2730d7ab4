"""The Slack app: mentions, `/fetch` and thread follow-ups, answered by `fetcher`."""

PACKAGES = ("fetcher", "slackapp")
"""The packages whose logs are written."""
