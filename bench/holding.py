"""How long a second user waits for a small page, and how much memory this takes, while one user attacks.

Each attack runs against the whole app, with the local Slack and without a model, in a process of its own; the
pages come from another process. The second user asks about a small page again and again: alone, then from the
moment of the attack on. The memory is the most that the app's process had, with the local Slack in it; reader
processes have limits of their own.
"""

from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bench.fetching import ADDRESS, Loopback, in_a_process
from fetcher.agent import open_agent
from fetcher.settings import AgentSettings, Settings, WebFetchSettings
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import IPAddress
from slackapp.playground.webapi.faults import Fault
from tests.fakes.web import FakeWeb
from tests.fetcher.web.reading.documents.office_files import docx, paragraph
from tests.slackapp.stage import CHANNEL, Stage

SMALL = "http://small.example/"
LINES = b"x\n" * 250_000
ASKED = 5
"""How often the second user asks, alone and beside the attack."""
PATIENCE = 240.0
MOST_TIMES, MOST_MEMORY = 1.5, 400


def report() -> str:
    """A Markdown table."""
    rows = []
    with in_a_process(_serve) as port:
        for name in ATTACKS:
            with in_a_process(_attack, port, name) as (alone, beside, memory):
                times = f"{median(beside):.2f} | {max(beside):.2f} | {median(beside) / median(alone):.1f}"
                rows.append(f"| {name} | {median(alone):.2f} | {times} | {memory} |")
    head = "| one user's attack | a second user's page alone, s | beside it | at worst | times | MB |"
    return "\n".join(
        [head, "|---|--:|--:|--:|--:|--:|", *rows, f"| wanted | | | | {MOST_TIMES} | {MOST_MEMORY} |"]
    )


def _serve(pipe: Connection) -> None:
    with FakeWeb() as web:
        web.page(SMALL, "<title>店</title><main><h1>料金</h1><p>豆は1,200円です。</p></main>")
        for host in range(8):  # only two requests at a time go to one host
            for page in range(8):
                web.page(f"http://h{host}.example/{page}", LINES, headers={"Content-Type": "text/plain"})
        pipe.send(web.port)
        pipe.recv()


class AnyHost(Loopback):
    """Every name leads to the server."""

    async def resolve(self, host: str) -> list[IPAddress]:
        return [ADDRESS]


def _attack(pipe: Connection, port: int, name: str) -> None:
    network, web = AnyHost(port), Settings(webfetch=WebFetchSettings(enabled=True, cache_dir=""))
    pipeline = Pipeline(web, resolver=network, dialer=network)
    agent = open_agent(AgentSettings(), web, pipeline=pipeline)
    with TemporaryDirectory() as folder, Stage({"sqlite_path": f"{folder}/s.sqlite3"}, agent=agent) as stage:
        _ask(stage)  # the readers start
        alone = [_ask(stage) for _ in range(ASKED)]
        ATTACKS[name](stage)
        beside = [_ask(stage) for _ in range(ASKED)]
        stage.settled(PATIENCE)
        status = Path("/proc/self/status").read_text("utf-8")
        pipe.send((alone, beside, int(status.partition("VmHWM:")[2].split()[0]) // 1024))
        pipe.recv()


def _ask(stage: Stage) -> float:
    """Seconds until the second user's answer stands in the channel."""
    started = perf_counter()
    ts = stage.slack.say("U0SATO", CHANNEL, f"<@{stage.app.bot_user}> {SMALL} 豆はいくら？")
    stage.answered(CHANNEL, ts, PATIENCE)
    return perf_counter() - started


def _lines(messages: int, links: int) -> Callable[[Stage], None]:
    def post(stage: Stage) -> None:
        for host in range(messages):
            urls = " ".join(f"http://h{host}.example/{page}" for page in range(links))
            stage.mention(f"{urls} 水車について教えて")

    return post


def _documents(stage: Stage) -> None:
    body = docx("".join(paragraph("x " * 5_000) for _ in range(1_050)))
    stage.mention("水車について教えて", files=[(f"{number}.docx", body) for number in range(10)])


def _thread(stage: Stage) -> None:
    root = stage.slack.say("U0TANAKA", CHANNEL, "リンク集です", deliver=False)
    for message in range(50):
        links = " ".join(f"http://h{message}.example/{number}" for number in range(120))
        stage.slack.say("U0TANAKA", CHANNEL, links, root, deliver=False)
    for _ in range(4):
        stage.slack.say("U0TANAKA", CHANNEL, f"<@{stage.app.bot_user}> 水車について教えて", root)


def _permalinks(stage: Stage) -> None:
    """Slack answers 429 to whoever asks about the messages of another channel."""
    stage.slack.workspace.add_channel("other", channel_id="C0OTHER")
    times = [stage.slack.say("U0TANAKA", "C0OTHER", f"話{number}", deliver=False) for number in range(5)]
    fault = Fault(status=429, retry_after=20)
    for method in ("conversations.history", "conversations.replies"):
        stage.slack.faults.next(method, fault, 100, when=lambda given: given.get("channel") == "C0OTHER")
    links = " ".join(f"<{stage.slack.workspace.permalink('C0OTHER', ts)}>" for ts in times)
    for _ in range(2):
        stage.mention(f"{links} 要約して")


ATTACKS: dict[str, Callable[[Stage], None]] = {
    "8 messages with 8 links to 500 KB of lines": _lines(8, 8),
    "a message with three such links": _lines(1, 3),
    "ten Word files of 10.5 MB of text each": _documents,
    "four questions in a thread of fifty messages of links": _thread,
    "two questions with five links to messages, and Slack says 429": _permalinks,
}


if __name__ == "__main__":
    print(report())
