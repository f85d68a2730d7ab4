"""What one question costs, measured, and which limit is met first at which size, simulated.

`python -m bench.scaling` prints the tables of docs/scaling.md. A day is made of questions that come by
chance; its busiest hour is played second by second. The costs of a question are counted with the local Slack
and DynamoDB Local; what cannot be measured here (a model's seconds and tokens, how often teams ask) is
assumed, and says so.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from math import log
from typing import Any

HOUR = 3600
SIZES = (10, 1_000, 100_000)

# Assumed: these cannot be measured without customers and a model.
QUESTIONS_A_TEAM_A_DAY = 50
BUSIEST_HOURS_SHARE = 0.2
MEDIAN_SECONDS, SPREAD = 9.0, 0.7
"""Of an answer: log-normal, so that one in a hundred takes about 46 seconds."""
INPUT_TOKENS, OUTPUT_TOKENS = 14_000, 700
PROGRESS_UPDATES = 6
"""Of the placeholder, at most one a second; the measurement's offline reader is done before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What one question takes."""

    slack: Counter[str]
    write_units: float
    read_units: float
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The busiest moments of the busiest hour."""

    questions_a_second: int
    questions_in_ten: int
    """In the busiest ten seconds."""
    questions_a_minute: int
    at_once: int
    team_questions_a_minute: int
    """Of the team that asks most in one minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit that a service or a contract sets, and how much of it a load uses."""

    name: str
    most: float
    change: str
    used: dict[int, float] = field(default_factory=dict)


def report() -> str:
    """Three Markdown tables: a question, the loads, the limits."""
    from tests.fakes.dynamodb import NotInstalled

    try:
        costs = measured()
    except NotInstalled as reason:
        return f"{reason}: nothing was measured."
    loads = {teams: simulated(teams) for teams in SIZES}
    lines = [
        f"| {teams:,} | {load.questions_a_second:,} | {load.at_once:,} | {load.team_questions_a_minute} |"
        for teams, load in loads.items()
    ]
    head = "| Teams | questions in the busiest second | answered at once | of one team in one minute |"
    table = "\n".join([head, "|--:|--:|--:|--:|", *lines])
    return "\n\n".join([_costs(costs), table, _limits(limits(costs, loads))])


def simulated(teams: int, seed: int = 20261116) -> Load:
    """The busiest hour of so many teams."""
    chance = random.Random(seed)
    arrivals = round(teams * QUESTIONS_A_TEAM_A_DAY * BUSIEST_HOURS_SHARE)
    arrived: dict[int, Counter[int]] = {1: Counter(), 10: Counter(), 60: Counter()}
    minutes, steps = Counter[tuple[int, int]](), Counter[int]()
    for _ in range(arrivals):
        at = chance.random() * HOUR
        for span, counted in arrived.items():
            counted[int(at / span)] += 1
        minutes[chance.randrange(teams), int(at / 60)] += 1
        steps[int(at)] += 1
        steps[int(at + chance.lognormvariate(log(MEDIAN_SECONDS), SPREAD)) + 1] -= 1
    return Load(
        questions_a_second=max(arrived[1].values()),
        questions_in_ten=max(arrived[10].values()),
        questions_a_minute=max(arrived[60].values()),
        at_once=max(accumulate(steps[second] for second in sorted(steps))),
        team_questions_a_minute=max(minutes.values()),
    )


def limits(costs: Costs, loads: dict[int, Load]) -> list[Limit]:
    """The limits of a shared AWS account, of a team's own Slack app, and of the model's contract."""
    updates = costs.slack["chat.update"] + PROGRESS_UPDATES
    rows: list[tuple[Limit, Callable[[Load], float]]] = [
        (
            Limit(
                name="Slack: 50 `chat.update` a minute, for each workspace and app",
                most=50,
                change="fewer progress updates for users who ask that often (`RATE_LIMIT_PER_MINUTE`)",
            ),
            lambda load: load.team_questions_a_minute * updates,
        ),
        (
            Limit(
                name="Slack: one message a second and channel",
                most=60,
                change="nothing: 429 is waited for, the answer comes a little later",
            ),
            lambda load: load.team_questions_a_minute * costs.slack["chat.postMessage"],
        ),
        (
            Limit(
                name="Lambda: 1,000 invocations at once in an account and region",
                most=1_000,
                change="ask AWS for more; then several accounts",
            ),
            lambda load: load.at_once + load.questions_a_second,
        ),
        (
            Limit(
                name="Lambda: 1,000 answers at once from one queue (`concurrency`)",
                most=1_000,
                change="more queues, or AWS's provisioned readers",
            ),
            lambda load: load.at_once,
        ),
        (
            Limit(
                name="Lambda: 1,000 more at once every 10 seconds",
                most=1_000,
                change="provisioned concurrency in working hours",
            ),
            lambda load: load.questions_in_ten * 2,
        ),
        (
            Limit(
                name="DynamoDB: 1,000 write units a second and partition (the sweeper's index, 4 shards)",
                most=4_000,
                change="more shards (`SHARDS` in stores/dynamodb/schema.py)",
            ),
            lambda load: load.questions_a_second * 3,
        ),
        (
            Limit(
                name="DynamoDB: 40,000 write units a second and table on demand",
                most=40_000,
                change="ask AWS for more",
            ),
            lambda load: load.questions_a_second * costs.write_units,
        ),
        (
            Limit(
                name="The model: 2,000,000 input tokens a minute (an example; your contract says)",
                most=2_000_000,
                change="a larger contract, Bedrock beside it, a smaller model for short questions",
            ),
            lambda load: load.questions_a_minute * INPUT_TOKENS,
        ),
    ]
    for limit, used in rows:
        limit.used.update({teams: used(load) / limit.most for teams, load in loads.items()})
    return [limit for limit, _ in rows]


def measured() -> Costs:
    """One mention with a table as a file, everything remembered from a question before."""
    from fetcher.sample import SampleSite
    from slackapp.playground.server import LocalSlack
    from tests.fakes.dynamodb import CREDENTIALS, running_dynamodb
    from tests.slackapp.stage import Stage, sample_agent

    os.environ.update(CREDENTIALS)
    with running_dynamodb() as endpoint, SampleSite() as site, LocalSlack(own_events=False) as slack:
        store = {"dynamodb_endpoint_url": endpoint, "dynamodb_table_prefix": "scaling-"}
        with Stage(store, slack=slack, agent=sample_agent(site.port), sweep_seconds=HOUR) as stage:
            stage.store.create_tables()
            stage.mention("http://shop.sample/price の料金表をCSVにして")
            stage.settled(60)
            units = _Units(stage.store)
            before = len(slack.calls)
            stage.mention("http://shop.sample/price の料金表をCSVにして")
            stage.settled(60)
            calls = Counter(call.method for call in slack.calls[before:])
            return Costs(
                slack=calls, write_units=units.written, read_units=units.read, requests=units.requests
            )


class _Units:
    """Counts the units that DynamoDB would charge."""

    def __init__(self, store: Any) -> None:
        self.written = self.read = 0.0
        self.requests = 0
        events = store._tables._calls._client.meta.events
        events.register("provide-client-params.dynamodb", self._request_units)
        events.register("after-call.dynamodb", self._add_units)

    def _request_units(self, params: dict[str, Any], **_: Any) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"

    def _add_units(self, model: Any, parsed: dict[str, Any], **_: Any) -> None:
        self.requests += 1
        spent = parsed.get("ConsumedCapacity") or []
        units = sum(row["CapacityUnits"] for row in (spent if isinstance(spent, list) else [spent]))
        if model.name in {"GetItem", "BatchGetItem", "Query", "Scan"}:
            self.read += units
        else:
            self.written += units


def _costs(costs: Costs) -> str:
    calls = ", ".join(f"{count} `{name}`" for name, count in costs.slack.most_common())
    rows = [
        ("Slack calls", f"{costs.slack.total()}: {calls}", "counted"),
        ("DynamoDB requests", str(costs.requests), "counted"),
        ("DynamoDB write units", f"{costs.write_units:g}", "as DynamoDB Local charges them"),
        ("DynamoDB read units", f"{costs.read_units:g}", "as DynamoDB Local charges them"),
        (
            "Lambda seconds",
            f"{MEDIAN_SECONDS:g} of answering (median) and 0.1 of acknowledging",
            "assumed: a model's time",
        ),
        ("Progress", f"{PROGRESS_UPDATES} more `chat.update`", "assumed: one every second and a half"),
        ("Claude tokens", f"{INPUT_TOKENS:,} in, {OUTPUT_TOKENS:,} out", "assumed: three calls, two pages"),
    ]
    lines = [f"| {what} | {much} | {how} |" for what, much, how in rows]
    return "\n".join(["| One question | | |", "|---|---|---|", *lines])


def _limits(rows: list[Limit]) -> str:
    head = ["| Limit | " + " | ".join(f"{teams:,} teams" for teams in SIZES) + " | then |"]
    lines = [
        f"| {row.name} | {' | '.join(f'{row.used[teams]:.1%}' for teams in SIZES)} | {row.change} |"
        for row in rows
    ]
    first = [
        f"{teams:,} teams: {max((row.used[teams], row.name) for row in rows)[1].split(':')[0]}"
        for teams in SIZES
    ]
    return "\n".join(
        [*head, "|---|" + "--:|" * len(SIZES) + "---|", *lines, "", "First met, " + "; ".join(first) + "."]
    )


if __name__ == "__main__":
    print(report())
