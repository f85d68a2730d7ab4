"""How long the sweeper takes for questions that dead workers left behind; docs/scaling.md has the figure."""

import asyncio
import os
import time
from typing import Any

ABANDONED = 60
ANSWER_SECONDS = 9.0
"""Assumed, as in `bench/scaling.py`: a model's time."""


def report() -> str:
    """One round of the scheduled function, on DynamoDB Local and the local Slack."""
    from tests.fakes.dynamodb import NotInstalled

    try:
        seconds = swept()
    except NotInstalled as reason:
        return f"{reason}: nothing was measured."
    return f"{ABANDONED} abandoned questions, {ANSWER_SECONDS:.0f} s an answer: one round of {seconds:.0f} s."


def swept() -> float:
    """Seconds until every claim is done, with the settings that Lambda has."""
    from fetcher.agent import Answer, AskRequest
    from slackapp.listeners.incoming import Incoming
    from slackapp.listeners.payloads import from_event
    from slackapp.playground.server import LocalSlack
    from slackapp.work.sweep import sweep_while
    from tests.fakes.dynamodb import CREDENTIALS, running_dynamodb
    from tests.slackapp.stage import CHANNEL, ScriptedAgent, Stage

    class Slow(ScriptedAgent):
        async def ask(self, request: AskRequest, on_progress: object) -> Answer:
            await asyncio.sleep(ANSWER_SECONDS)
            return self.answer

    os.environ.update(CREDENTIALS)
    with running_dynamodb() as endpoint, LocalSlack(own_events=False) as slack:
        store = {"dynamodb_endpoint_url": endpoint, "dynamodb_table_prefix": "sweeping-"}
        limits: dict[str, Any] = {
            "rate_limit_per_minute": 6000,
            "rate_limit_burst": 6000,
            "sweep_seconds": 3600,
        }
        with Stage(store, slack=slack, agent=Slow(), settle_seconds=10, slack_workers=20, **limits) as stage:
            stage.store.create_tables()
            now = time.time()
            for _ in range(ABANDONED):
                body = slack.bodies(CHANNEL, stage.mention(deliver=False))[0]
                asked = from_event(body, stage.app.bot_user)
                assert isinstance(asked, Incoming)
                stage.store.claim(
                    asked.key,
                    asked.to_json(),
                    owner="gone",
                    now=now - 60,
                    lease_until=now - 30,
                    expires_at=now + 86400,
                )
            began = time.monotonic()
            sweep_while(stage.running.lazy_handler.get(), lambda: True)
            assert stage.unfinished() == []
            return time.monotonic() - began


if __name__ == "__main__":
    print(report())
