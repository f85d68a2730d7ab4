"""How soon Slack is acknowledged: by our app, which claims first, and by a Bolt app that does only this."""

import http.client
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from slack_sdk.signature import SignatureVerifier

from bench.figures import quantile, spread
from slackapp.listeners.registration import UNDECIDED
from tests.fakes.dynamodb import CREDENTIALS, NotInstalled, running_dynamodb

SECRET, TOKEN, BOT = "bench-secret", "xoxb-bench", "U0READER"
RATE, SECONDS, ROUNDS = 50, 3, 3
QUESTIONS = 10, 1
"""One of so many events asks the app something; the others are talk that the app ignores."""
WORDS = {10: "one in ten asks us", 1: "every one asks us"}
REST, WARM_UP = 3.0, 5.0
READING_SECONDS = 8
"""For which acknowledgements are taken while hostile pages are read."""
MOST_MILLISECONDS = 300
"""For 99 of 100 acknowledgements, also where every event asks: one process answers all of them besides."""


def report() -> str:
    """Markdown tables: with the store in a file, and with DynamoDB Local."""
    with ExitStack() as stack:
        stores = {"SQLite": ""}
        try:
            stores["DynamoDB Local"] = stack.enter_context(running_dynamodb())
        except NotInstalled as error:
            print(error, file=sys.stderr)
        return "\n\n".join(_table(name, endpoint) for name, endpoint in stores.items())


def _table(store: str, endpoint: str) -> str:
    rounds: dict[int, list[tuple[list[float], list[float]]]] = {}
    with _process("slack") as told, _process("bare") as bare:
        slack = json.loads(told)
        with _process("ours", slack["url"], endpoint) as ours:
            events = _Events(slack)
            for url in (ours, bare):
                _send_evenly(url, events.next(RATE, 2))  # loads what is loaded late
            time.sleep(WARM_UP)
            for one_in in QUESTIONS:
                rounds[one_in] = []
                for _ in range(ROUNDS):
                    bodies = events.next(RATE * SECONDS, one_in)
                    times = _send_evenly(ours, bodies)
                    time.sleep(REST)  # until what was asked has been answered
                    rounds[one_in].append((times, _send_evenly(bare, bodies)))
    columns = "ours | bare | ours / bare | spread | undecided"
    head = f"| {store}: {RATE} events a second for {ROUNDS} times {SECONDS} s | {columns} |"
    lines = [head, "|---|--:|--:|--:|---|--:|"]
    for one_in in QUESTIONS:
        # Over all rounds together; the spread is that of single rounds.
        pairs = rounds[one_in]
        sides = [[seconds for pair in pairs for seconds in pair[side]] for side in (0, 1)]
        own, other = (quantile(times, 0.99) * 1000 for times in sides)
        ratios = [quantile(pair[0], 0.99) / quantile(pair[1], 0.99) for pair in pairs]
        figures = (
            f"{own:.1f} (at most {MOST_MILLISECONDS}) | {other:.1f} | {own / other:.2f} | {spread(ratios)}"
        )
        figures += f" | {sides[0].count(math.inf)}"
        lines.append(f"| {WORDS[one_in]}, p99, ms | {figures} |")
    return "\n".join(lines)


def while_reading(port: int, number: int) -> list[float]:
    """Seconds to each acknowledgement while the app reads hostile pages, served there, for one question."""
    with _process("slack") as told:
        slack = json.loads(told)
        with _process("ours", slack["url"], "", str(port), str(number)) as ours:
            events = _Events(slack)
            _send_evenly(ours, events.next(1, 1))  # the question; all others are talk
            return _send_evenly(ours, events.next(RATE * READING_SECONDS, 10**6)[1:])


class _Events:
    """Messages of people, as the local Slack tells them to apps; each body once."""

    def __init__(self, slack: dict[str, Any]) -> None:
        self._asks, self._talk = iter(slack["asks"]), iter(slack["talk"])

    def next(self, count: int, one_in: int) -> list[bytes]:
        bodies = [next(self._talk if number % one_in else self._asks) for number in range(count)]
        return [json.dumps(body, ensure_ascii=False).encode() for body in bodies]


def _send_evenly(url: str, bodies: list[bytes]) -> list[float]:
    """Send events at an even pace, even if those before are not yet acknowledged; the seconds of each."""
    start = time.perf_counter()
    with ThreadPoolExecutor(50) as senders:
        sent = []
        for number, body in enumerate(bodies):
            time.sleep(max(0.0, start + number / RATE - time.perf_counter()))
            sent.append(senders.submit(_send, url, body))
        return [each.result() for each in sent]


def _send(url: str, body: bytes) -> float:
    """Send a signed request; the seconds until its acknowledgement. An undecided event has none."""
    parts, now = urlsplit(url), str(int(time.time()))
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=now, body=body) or ""
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": now,
        "X-Slack-Signature": signature,
    }
    started = time.perf_counter()
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=30)
    connection.request("POST", parts.path, body, headers)
    status = connection.getresponse().status
    connection.close()
    assert status in (200, UNDECIDED), status
    return time.perf_counter() - started if status == 200 else math.inf


@contextmanager
def _process(*role: str) -> Iterator[str]:
    """The address of what another process serves."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.acknowledging", *role],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()  # which ends it
        process.wait(20)
        process.stdout.close()


def _serve_slack() -> None:
    from slackapp.playground.server import LocalSlack
    from slackapp.playground.values import App

    with LocalSlack(own_events=False) as slack:
        app = slack.install(App(bot_token=TOKEN, bot_user=BOT))

        def bodies(text: str, count: int) -> list[Any]:
            said = [slack.say("U0TANAKA", "C0GENERAL", text, deliver=False) for _ in range(count)]
            return [slack.bodies("C0GENERAL", ts)[0] for ts in said]

        asks = bodies(f"<@{app.bot_user}> https://a.example/price", 1_000)
        _print_and_wait(json.dumps({"url": slack.api_url, "asks": asks, "talk": bodies("x", 1_000)}))


def _serve_ours(api_url: str, endpoint: str = "", port: str = "", number: str = "") -> None:
    """The app as it runs outside Lambda, with a store on disk or there; its agent answers at once."""
    from bench.stalling import pipeline_at, read_hostile
    from fetcher.agent import Answer, AskRequest
    from slackapp.run.http_server import SlackRequestServer
    from slackapp.run.wiring import LazyHandler, RunningApp
    from slackapp.settings import SlackSettings
    from tests.slackapp.stage import ScriptedAgent

    with TemporaryDirectory() as folder:
        settings = SlackSettings.model_validate(
            {
                "slack_bot_token": TOKEN,
                "slack_signing_secret": SECRET,
                "slack_api_url": api_url,
                "sqlite_path": f"{folder}/store.sqlite3",
                "dynamodb_endpoint_url": endpoint,
                "access_mode": "open",
                "rate_limit_per_minute": 6000,
                "rate_limit_burst": 6000,
            }
        )

        class Reading(ScriptedAgent):
            """Reads every hostile page before it answers."""

            async def ask(self, request: AskRequest, on_progress: Callable[[Any], None]) -> Answer:
                await read_hostile(pipeline_at(int(port)), int(number))
                return await super().ask(request, on_progress)

        os.environ.update(CREDENTIALS)
        handler = LazyHandler(settings, environ={}, open_agent=Reading if port else ScriptedAgent)
        handler.store.create_tables()
        with RunningApp(handler) as running, SlackRequestServer(running.bolt, SECRET) as server:
            _print_and_wait(server.url)


def _serve_bare() -> None:
    """Serve as Bolt's first page shows it, and answer nothing."""
    from slack_bolt import Ack, App
    from slack_bolt.authorization import AuthorizeResult

    from slackapp.run.http_server import SlackRequestServer

    def authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=enterprise_id, team_id=team_id, bot_token=TOKEN, bot_user_id=BOT)

    app = App(signing_secret=SECRET, authorize=authorize)

    def acknowledge(ack: Ack) -> None:
        ack()

    for event in ("app_mention", "message"):
        app.event(event)(acknowledge)
    with SlackRequestServer(app, SECRET) as server:
        _print_and_wait(server.url)


def _print_and_wait(first: str) -> None:
    print(first, flush=True)
    sys.stdin.read()


ROLES: dict[str, Callable[..., None]] = {"slack": _serve_slack, "ours": _serve_ours, "bare": _serve_bare}

if __name__ == "__main__":
    ROLES[sys.argv[1]](*sys.argv[2:]) if len(sys.argv) > 1 else print(report())
