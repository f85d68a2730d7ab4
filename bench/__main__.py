"""`make bench`: every measurement, as Markdown on standard output; `docs/benchmarks.md` is made from it."""

import os
import platform
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bench import (
    a2a,
    agent,
    asking,
    browser,
    caching,
    chunking,
    documents,
    fetching,
    holding,
    mcp,
    reading,
    sandbox,
    slack,
    stalling,
    starting,
)

PARTS: dict[str, Callable[[], str]] = {
    "Reading": reading.report,
    "Documents": documents.report,
    "Chunking": chunking.report,
    "Cache": caching.report,
    "Fetching": fetching.report,
    "Sandbox": sandbox.report,
    "Stalling": stalling.report,
    "Holding": holding.report,
    "Browser": browser.report,
    "Starting": starting.report,
    "Agent": agent.report,
    "Asking": asking.report,
    "A2A": a2a.report,
    "MCP": mcp.report,
    "Slack": slack.report,
}
INTRODUCTION = """# What was measured

`make bench > docs/benchmarks.md` writes this page. Most figures are ratios to other programs in the same
run, because the speed of a machine changes. The module in `bench/` with the name of a section says more.

Reading is judged on 420 pages of seven kinds whose content people have marked (WCXB, development split;
`extraction-dev`) and 880 more in their natural mix (`-more`), by words; on 476 articles of trafilatura's own
evaluation, most of them German (`-snippets`), by passages that belong to the content or do not; and on 15
Japanese pages (`-ja`), by pairs of characters. Our rules were tuned on all four, so expect less on other
pages. `FUNDUS=<a checkout of flairNLP/fundus>` adds newspapers of 41 countries; no rule was tuned on every
fourth of their pages. Versions of all packages are in `requirements/bench.lock`.
"""


def main(names: list[str]) -> None:
    """Run the named parts, or all of them."""
    known = {name.lower(): name for name in PARTS}
    if unknown := set(names) - known.keys():
        sys.exit(f"Unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}.")
    chosen = {name: PARTS[name] for name in (known[name] for name in names or known)}
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text("utf-8").splitlines() if cpuinfo.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = models[0] if models else platform.machine()
    machine = f"{processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    made = f"{datetime.now(UTC):%Y-%m-%d}, {machine}, Python {platform.python_version()}."
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as report:
        os.dup2(2, 1)  # what peers and their programs print goes to standard error
        print(f"{INTRODUCTION}\n{made}\n", file=report)
        for name, part in chosen.items():
            print(f"## {name}\n\n{part()}\n", file=report, flush=True)


if __name__ == "__main__":
    main([name.lower() for name in sys.argv[1:]])
