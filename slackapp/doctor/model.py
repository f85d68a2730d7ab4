"""The model: its key, its name, and one cheap call."""

import asyncio
from collections.abc import Iterator

from fetcher import configuration
from fetcher.agent import load_remote
from fetcher.agent.errors import ModelFailed, ModelRejected
from fetcher.agent.model.claude import open_model
from fetcher.agent.model.contract import ModelCall
from slackapp.doctor.findings import Examination, Finding, bad, good, hint, skipped
from slackapp.run.health import model_of

LONGEST_SECONDS = 20.0
CALL = ModelCall(system=(), tools=(), messages=({"role": "user", "content": "ping"},), max_tokens=256)
"""A word, and few tokens for the answer: a fraction of a yen."""
ADVICE = {
    "401": "The key is wrong: copy it again from console.anthropic.com into ANTHROPIC_API_KEY.",
    "402": "The account has no credit: look at Billing at console.anthropic.com.",
    "403": "The key or the AWS identity may not use this model.",
    "404": "No model has this name: check ANTHROPIC_MODEL or BEDROCK_MODEL_ID.",
    "429": "The account's limit is reached: wait, or raise it.",
}


def check_model(examination: Examination) -> Iterator[Finding]:
    """One call with the settings of every other call; it is not tried again."""
    environ = examination.environ
    if load_remote(environ).agent_remote:
        yield skipped("model: the agent on AgentCore answers; ask it a question to see whether it works")
        return
    settings = configuration.load_agent(environ)
    seconds = min(settings.model_timeout_seconds, LONGEST_SECONDS)
    quick = settings.model_copy(update={"model_timeout_seconds": seconds, "model_max_retries": 0})
    model = open_model(quick)
    if model is None:
        yield hint(
            "no model is set: the offline reader answers",
            "Set ANTHROPIC_API_KEY (or BEDROCK_MODEL_ID) to let Claude answer.",
        )
        return

    async def call() -> None:
        try:
            async with asyncio.timeout(2 * seconds):
                await model.turn(CALL, lambda _: None)
        finally:
            await model.aclose()

    name = model_of(environ)
    try:
        asyncio.run(call())
    except ModelRejected as error:
        advice = ADVICE.get(error.message[:3], "Check the key, the model's name, and AGENT_EFFORT.")
        if not error.message[:3].isdigit():  # the app refuses itself, and says why
            advice = "Correct it in .env or the environment; docs/settings.md lists every setting."
        yield bad(f"{name} refuses: {error.message}", advice)
    except (ModelFailed, TimeoutError) as error:
        reason = getattr(error, "message", "no answer")
        advice = ADVICE.get(reason[:3], "Check the network, HTTPS_PROXY and status.claude.com.")
        yield bad(f"{name} does not answer: {reason}", advice)
    else:
        yield good(f"{name} answers")
