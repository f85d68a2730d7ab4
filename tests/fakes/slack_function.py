"""The Slack functions, a little changed for tests."""

import sys
from typing import Any

from fetcher.startup import parameters
from slackapp import lambda_handler

HEAVY = frozenset({"anthropic", "pydantic", "selectolax", "fetcher.agent", "fetcher.web.browser"})


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Says besides what it has imported of that which acknowledging does without."""
    answer = lambda_handler.handler(event, context)
    return answer | {
        "headers": answer["headers"] | {"x-imported": ",".join(sorted(HEAVY & sys.modules.keys()))}
    }


def quick_handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Reads a refused secret again, however short ago it was read."""
    parameters.AGAIN_SECONDS = 0
    return lambda_handler.handler(event, context)


def quick_answer(event: dict[str, Any], context: Any) -> None:
    """The same where questions are answered."""
    parameters.AGAIN_SECONDS = 0
    lambda_handler.answer(event, context)
