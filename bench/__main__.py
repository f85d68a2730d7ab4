"""`make bench`: every measurement, as Markdown on standard output."""

import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime

from bench import a2a, agent, browser, caching, chunking, fetching, reading, slack, starting

PARTS: dict[str, Callable[[], str]] = {
    "Reading": reading.report,
    "Chunking": chunking.report,
    "Cache": caching.report,
    "A hit beside a read": fetching.report,
    "Browser": browser.report,
    "Starting": starting.report,
    "Agent": agent.report,
    "A2A": a2a.report,
    "Slack": slack.report,
}


def main(names: list[str]) -> None:
    """Runs the named parts, or all of them."""
    chosen = {name: part for name, part in PARTS.items() if not names or name.lower() in names}
    print(f"{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {platform.machine()}\n")
    for name, part in chosen.items():
        print(f"## {name}\n\n{part()}\n", flush=True)


if __name__ == "__main__":
    main([name.lower() for name in sys.argv[1:]])
