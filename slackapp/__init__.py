"""The Slack app: mentions, `/fetch` and thread follow-ups, answered by `fetcher`."""

import os
from pathlib import Path

PACKAGES = ("fetcher", "slackapp")
"""The packages whose logs are written."""

try:
    Path.home()
except RuntimeError:
    # A user without a home, such as a container's. Slack's packages ask for it while they are imported, for
    # defaults that the app does not use. The variable is not kept: `~` must not lead to a wrong place later.
    os.environ["HOME"] = "/nonexistent"
    import slack_bolt  # noqa: F401

    del os.environ["HOME"]
