"""The Slack app: time to acknowledge, warm and cold, imports, requests to DynamoDB for a question, size."""

import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from bench import acknowledging, cold_start
from bench.figures import spread

IMPORTS_ALLOWED = 1.3
IMPORTS = 7
IMPORT = """
import json, sys, time
started = time.process_time()
import {}
seconds = time.process_time() - started
print(json.dumps([seconds, sorted(set({}) & sys.modules.keys())]))
"""
NEVER = 24 * 3600
HEAVY = ("anthropic", "selectolax", "fetcher.web.browser")
ZIP = Path(__file__).parent.parent / "build" / "lambda.zip"


def report() -> str:
    """Markdown tables."""
    return "\n\n".join((acknowledging.report(), cold_start.report(), _imports(), _store_requests(), _size()))


def _imports() -> str:
    """In turns, each in a new process; the best of each, since other work on the machine only adds."""
    runs = [
        (_time_import("slackapp.lambda_handler"), _time_import("slack_bolt, boto3")) for _ in range(IMPORTS)
    ]
    assert not any(heavy for run in runs for _, heavy in run), "something heavy is imported"
    ours, bare = (min(run[side][0] for run in runs) for side in (0, 1))
    names = ", ".join(f"`{name}`" for name in HEAVY)
    ratios = [run[0][0] / run[1][0] for run in runs]
    told = f"{ours / bare:.2f} (at most {IMPORTS_ALLOWED}) | {spread(ratios)}"
    return "\n".join(
        [
            f"| import, without {names} | s of processor | ours / bare | spread |",
            "|---|--:|--:|---|",
            f"| `slackapp.lambda_handler` | {ours:.2f} | {told} |",
            f"| `slack_bolt`, `boto3` | {bare:.2f} | 1.00 | |",
        ]
    )


def _time_import(modules: str) -> tuple[float, list[str]]:
    """The seconds that an import takes, and which heavy modules came with it."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT.format(modules, HEAVY)], capture_output=True, text=True, check=True
    )
    seconds, heavy = json.loads(done.stdout)
    return seconds, heavy


def _store_requests() -> str:
    from tests.fakes.dynamodb import NotInstalled, running_dynamodb

    try:
        with running_dynamodb() as endpoint:
            counts = _count_requests(endpoint)
    except NotInstalled as reason:
        return f"DynamoDB requests for a question: not counted. {reason}."
    first, later, retry = (count.total() for count in counts)
    return f"DynamoDB requests: {first} for a first mention, {later} for a later one, {retry} for a retry."


def _count_requests(endpoint: str) -> list[Counter[str]]:
    """The requests of a first mention with both its events, of the next one, and of a retry of Slack's."""
    from slackapp.playground.server import LocalSlack
    from slackapp.stores.contract import Entity, WhitelistEntry
    from tests.fakes.dynamodb import CREDENTIALS
    from tests.slackapp.stage import CHANNEL, TEAM, Stage

    os.environ.update(CREDENTIALS)
    store = {"dynamodb_endpoint_url": endpoint, "dynamodb_table_prefix": "bench-"}
    slack = LocalSlack(own_events=False)
    with Stage(store, slack=slack, access_mode="whitelist", sweep_seconds=NEVER) as stage:
        stage.store.create_tables()
        stage.store.add_to_whitelist(WhitelistEntry(entity=Entity.TEAM, id=TEAM))
        counts: list[Counter[str]] = []
        client: Any = stage.store._tables._calls._client  # type: ignore[attr-defined]

        def count(event_name: str, **_: Any) -> None:
            counts[-1][event_name.rpartition(".")[2]] += 1

        client.meta.events.register("before-send.dynamodb", count)
        for _ in range(2):
            counts.append(Counter())
            ts = stage.mention()
            stage.settled()
        counts.append(Counter())
        slack.deliver(slack.bodies(CHANNEL, ts)[0], retry_num=1)
        stage.settled()
    return counts


def _size() -> str:
    """The package for Lambda, which takes 250 MB unpacked."""
    if not ZIP.is_file():
        return "The packaged Lambda: not there; `make package` makes it."
    with zipfile.ZipFile(ZIP) as package:
        unpacked = sum(entry.file_size for entry in package.infolist())
    packed = ZIP.stat().st_size
    return f"`build/lambda.zip`: {packed / 1e6:.1f} MB; unpacked {unpacked / 1e6:.1f} of at most 250."


if __name__ == "__main__":
    print(report())
