"""`--online`: Slack's own opinion of every shape of blocks, by `blocks.validate`.

Authority: docs.slack.dev, "blocks.validate method" (no scope; exactly one of `blocks`, `message` and `view`;
a payload that does not pass is `invalid_blocks`, `invalid_message` or `invalid_view`, with a list `errors` of
pointers and messages), and `slack_sdk.WebClient.blocks_validate`.
"""

import time
from collections.abc import Iterator
from typing import Any

from slack_sdk.errors import SlackApiError

from slackapp.doctor.findings import Examination, Finding, bad, good, skipped
from slackapp.doctor.shapes import Shape, shapes
from slackapp.doctor.slack_failures import explain
from slackapp.slack.errors import SLACK_FAILURES, RateLimited, post_error_from

INVALID = frozenset({"invalid_blocks", "invalid_message", "invalid_view"})
UNKNOWN = frozenset({"unknown_method", "method_deprecated", "not_allowed_token_type", "access_denied"})
LONGEST_WAIT = 30.0
MOST_ERRORS = 5


def check_blocks(examination: Examination) -> Iterator[Finding]:
    """Send every shape; one that Slack would refuse is a defect of the app."""
    passed = 0
    for shape in shapes():
        try:
            _validate(examination, shape)
            passed += 1
        except SLACK_FAILURES as error:
            code = post_error_from(error).code
            if code in UNKNOWN:
                yield skipped(f"blocks: this Slack has no blocks.validate for the app ({code})")
                return
            if code not in INVALID:
                yield explain(error, examination)
                return
            response = error.response if isinstance(error, SlackApiError) else {}
            errors = [each for each in response.get("errors") or () if isinstance(each, dict)]
            told = [f"{each.get('pointer', '')} {each.get('message', '')}".strip() for each in errors]
            words = "; ".join(told[:MOST_ERRORS]) or str(response.get("error", ""))
            yield bad(f"Slack refuses the blocks of: {shape.name} ({words})", "Report it with this line.")
    if passed:
        yield good(f"blocks.validate accepts {passed} shapes of blocks")


def _validate(examination: Examination, shape: Shape) -> None:
    """Raises what the SDK raises. A rate limit is waited for once; the page of the method names no number."""
    arguments: dict[str, Any] = {shape.kind: shape.payload}
    try:
        examination.client().blocks_validate(**arguments)
    except SLACK_FAILURES as error:
        failure = post_error_from(error)
        if not isinstance(failure, RateLimited) or failure.retry_after > LONGEST_WAIT:
            raise
        time.sleep(failure.retry_after)
        examination.client().blocks_validate(**arguments)
