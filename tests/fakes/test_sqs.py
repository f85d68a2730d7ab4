"""SQS on loopback, with the real boto3: what is sent is read, and what fails comes back."""

import json

import boto3  # type: ignore[import-untyped]
import pytest
from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from tests.fakes.lambda_runtime import LambdaRuntime
from tests.fakes.lambda_worker import Outcome
from tests.fakes.sqs import LARGEST, Queues


class Reader(LambdaRuntime):
    """A function that fails some times."""

    def __init__(self, failures):
        super().__init__("none")
        self.events = []
        self._failures = failures

    def run(self, payload):
        self.events.append(json.loads(payload))
        return Outcome(error="Unhandled" if len(self.events) <= self._failures else "")


@pytest.mark.parametrize(("failures", "receipts", "failed"), [(0, 1, 0), (2, 3, 0), (3, 3, 1)])
def test_a_message_is_delivered_until_it_is_handled_or_too_often(failures, receipts, failed):
    queues = Queues(most_receipts=3)
    queues.reader = reader = Reader(failures)
    url = queues.environ["QUESTION_QUEUE"]
    client = boto3.client(
        "sqs",
        endpoint_url=queues.environ["AWS_ENDPOINT_URL_SQS"],
        region_name="ap-northeast-1",
        aws_access_key_id="AKIDTEST",
        aws_secret_access_key="s",
    )
    assert client.send_message(QueueUrl=url, MessageBody='{"a": 1}')["MessageId"]
    assert queues.settle()
    records = [record for event in reader.events for record in event["Records"]]
    assert [record["attributes"]["ApproximateReceiveCount"] for record in records] == [
        str(number + 1) for number in range(receipts)
    ]
    assert queues.failed == ['{"a": 1}'] * failed
    with pytest.raises(ClientError, match="InvalidParameterValue"):
        client.send_message(QueueUrl=url, MessageBody="x" * (LARGEST + 1))
    queues.refusals = [(403, "AccessDenied")]
    with pytest.raises(ClientError, match="AccessDenied"):
        client.change_message_visibility(QueueUrl=url, ReceiptHandle="h", VisibilityTimeout=60)
    client.change_message_visibility(QueueUrl=url, ReceiptHandle="h", VisibilityTimeout=60)
    assert queues.delays == [60]
    queues.close()
