"""The Slack function, which says besides what it has imported of that which acknowledging does without."""

import sys
from typing import Any

from slackapp import lambda_handler

HEAVY = frozenset({"anthropic", "pydantic", "selectolax", "fetcher.agent", "fetcher.web.browser"})


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    answer = lambda_handler.handler(event, context)
    return answer | {
        "headers": answer["headers"] | {"x-imported": ",".join(sorted(HEAVY & sys.modules.keys()))}
    }
