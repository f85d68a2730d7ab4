"""How long a service of AWS is asked again, on a clock that only the service and the pauses move."""

from unittest.mock import Mock

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError  # type: ignore[import-untyped]
from botocore.retries.standard import (  # type: ignore[import-untyped]
    ThrottledRetryableChecker,
    TransientRetryableChecker,
)

from fetcher import aws
from fetcher.aws import PASSING, AwsFailed, call_until, failure_of

THROTTLED = ClientError({"Error": {"Code": "ThrottlingException"}}, "GetParameters")
SILENT = ReadTimeoutError(endpoint_url="https://ssm.example/")


@pytest.fixture
def clock(monkeypatch):
    """Its time stands in a list."""
    now = [100.0]

    def sleep(seconds):
        now[0] += seconds

    monkeypatch.setattr(aws, "time", Mock(monotonic=lambda: now[0], sleep=sleep))
    return now


@pytest.mark.parametrize(
    ("error", "lasting", "fewest"),
    [(THROTTLED, 0.02, 3), (THROTTLED, 0.4, 2), (SILENT, 0.5, 2), (SILENT, 1.0, 1), (SILENT, 1.5, 1)],
)
def test_a_service_that_fails_is_left_within_the_time(clock, error, lasting, fewest):
    """What says no at once is asked often; what is silent is not waited for beyond the time."""
    began = []

    def call():
        began.append(clock[0])
        clock[0] += lasting
        raise error

    with pytest.raises(AwsFailed):
        call_until(101.5, call)
    assert clock[0] <= 101.5
    assert len(began) >= fewest


OF_OTHER_SERVICES = {
    "BandwidthLimitExceeded",
    "EC2ThrottledException",
    "LimitExceededException",
    "PriorRequestNotComplete",
    "ProvisionedThroughputExceededException",
    "TransactionInProgressException",
}
"""DynamoDB has a client of its own, which repeats by itself."""


def test_what_botocore_itself_would_repeat_is_repeated():
    """Its lists are the authority; our clients try once, so that callers decide for how long."""
    known = {
        *ThrottledRetryableChecker._THROTTLED_ERROR_CODES,
        *TransientRetryableChecker._TRANSIENT_ERROR_CODES,
    }
    assert known > OF_OTHER_SERVICES
    for code in known - OF_OTHER_SERVICES:
        refused = ClientError({"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": 400}}, "Any")
        assert failure_of(refused).fault in PASSING, code


def test_sessions_share_what_reads_the_descriptions_of_services(monkeypatch):
    """A second client need not read megabytes of JSON again; another folder of descriptions has its own."""
    readers = [aws.botocore_session().get_component("data_loader") for _ in range(2)]
    assert readers[0] is readers[1]
    monkeypatch.setenv("AWS_DATA_PATH", "/elsewhere")
    elsewhere = aws.botocore_session().get_component("data_loader")
    assert elsewhere is not readers[0]
    assert "/elsewhere" in elsewhere.search_paths
