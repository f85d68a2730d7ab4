"""Foreign failures as errors of ours."""

from http.client import IncompleteRead, RemoteDisconnected
from urllib.error import URLError

import pytest
from slack_sdk import errors
from slack_sdk.errors import (
    BotUserAccessError,
    SlackApiError,
    SlackClientConfigurationError,
    SlackClientNotConnectedError,
    SlackObjectFormationError,
    SlackRequestError,
)

from slackapp.slack.errors import (
    ERRORS_BY_CODE,
    SLACK_FAILURES,
    PostError,
    RateLimited,
    SlackDown,
    post_error_from,
)


class Response(dict[str, str]):
    """What the SDK hands on of an answer."""

    def __init__(self, error, status=200, **headers):
        super().__init__(error=error)
        self.status_code = status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


@pytest.mark.parametrize(
    "error",
    [
        URLError("x"),
        RemoteDisconnected("x"),
        IncompleteRead(b""),
        TimeoutError(),
        ConnectionResetError(),
        BotUserAccessError(),
        SlackRequestError("x"),
        SlackObjectFormationError(),
        SlackClientConfigurationError(),
        SlackClientNotConnectedError(),
        SlackApiError("x", Response("fatal_error")),
    ],
)
def test_no_failure_of_a_call_is_left_out(error):
    """Everything that the SDK raises when Slack cannot be reached is caught and is retryable."""
    assert isinstance(error, SLACK_FAILURES)
    assert isinstance(post_error_from(error), SlackDown)


def test_every_error_of_the_sdk_is_one_of_those():
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert len(kinds) > 5
    assert [kind for kind in kinds if not issubclass(kind, SLACK_FAILURES)] == []


def test_slacks_codes_keep_their_names():
    for code, kind in ERRORS_BY_CODE.items():
        error = post_error_from(SlackApiError("x", Response(code)))
        assert (type(error), error.code) == (kind, code)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (Response("<html>oops</html>", 502), "http_502"),
        (Response("Received a response in a non-JSON format: <b>", 404), "http_404"),
        (Response("Received a response in a non-JSON format: <b>"), "http_200"),
        (Response("brand_new"), "brand_new"),
    ],
)
def test_what_slack_says_in_html_is_no_code(response, code):
    """Nothing of a body reaches the log as a code."""
    error = post_error_from(SlackApiError("x", response))
    assert isinstance(error, PostError)
    assert error.code == code


@pytest.mark.parametrize("error", ["Received a response in a non-JSON format: <b>", "", None, ["x"]])
def test_what_is_not_slacks_answer_refuses_nothing(error):
    """The call may have been carried out: a proxy may have replaced the answer."""
    assert isinstance(post_error_from(SlackApiError("x", Response(error))), SlackDown)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("30", 30.0), (["5"], 5.0), ("soon", 1.0), ("0", 1.0), ("100000", 3600.0), ("9" * 400, 3600.0)],
)
def test_a_rate_limit_says_how_long_within_bounds(header, seconds):
    """Nothing is asked without a pause, and no claim is put off for longer than it lives."""
    error = post_error_from(SlackApiError("x", Response("ratelimited", 429, Retry_After=header)))
    assert isinstance(error, RateLimited)
    assert error.retry_after == seconds
