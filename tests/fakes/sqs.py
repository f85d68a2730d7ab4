"""SQS on loopback, and Lambda's readers of its queues.

The wire is that of botocore's service model (JSON 1.0, `X-Amz-Target: AmazonSQS.…`), the record that of
https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html. The function gets one message at once, and so many
messages at a time as the queue allows. One that fails comes back, without the pause, until it was received as
often as the queue allows; then it is kept in `failed`, as a dead-letter queue would keep it. What a record of
Lambda has besides is left out.
"""

import hashlib
import json
import threading
import uuid
from typing import Any

from tests.fakes.lambda_runtime import PATIENCE, REGION, LambdaRuntime
from tests.fakes.lambda_worker import Api, Server

ACCOUNT = "123456789012"
LARGEST = 1024 * 1024
TOO_LARGE = (400, "InvalidParameterValue")
"""What SQS answers, as reported by https://github.com/artilleryio/artillery/issues/3683."""
JSON = {"Content-Type": "application/x-amz-json-1.0"}
QUERY_ERROR = "x-amzn-query-error"
"""Botocore takes an error's code from this header, because the model says `awsQueryCompatible`."""


class Queues:
    """The queues of one reader."""

    def __init__(self, *, most_receipts: int = 1, at_once: dict[str, int] | None = None) -> None:
        self.reader: LambdaRuntime | None = None
        self.refusals: list[tuple[int, str]] = []
        """What the next requests are refused with: a status and an error code."""
        self.sent: list[tuple[str, str]] = []
        """Queues and messages."""
        self.failed: list[str] = []
        self.delays: list[int] = []
        """Seconds after which a failed message should have come back."""
        self._most_receipts = most_receipts
        self._room = {name: threading.Semaphore(count) for name, count in (at_once or {}).items()}
        self._waiting = 0
        self._changed = threading.Condition()
        self._server = Server(_api_of(self))

    @property
    def environ(self) -> dict[str, str]:
        """For functions that send to the queues, or read them."""
        url = f"http://{self._server.address}"
        return {
            "AWS_ENDPOINT_URL_SQS": url,
            "QUESTION_QUEUE": f"{url}/{ACCOUNT}/questions",
            "REQUEST_QUEUE": f"{url}/{ACCOUNT}/requests",
        }

    def settle(self, within: float = PATIENCE, *, left: int = 0) -> bool:
        """Whether every message, but for some, is handled or failed within some seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._waiting <= left, within)

    def close(self) -> None:
        self._server.close()

    def take(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Carry a request out."""
        if operation == "ChangeMessageVisibility":
            self.delays.append(int(request["VisibilityTimeout"]))
            return {}
        assert operation == "SendMessage"
        text, name = str(request["MessageBody"]), request["QueueUrl"].rsplit("/", 1)[1]
        if self.reader is not None:
            with self._changed:
                self._waiting += 1
            threading.Thread(target=self._deliver, args=(name, text), name="queue", daemon=True).start()
        self.sent.append((name, text))  # who sees it can wait for it
        return {"MessageId": str(uuid.uuid4()), "MD5OfMessageBody": hashlib.md5(text.encode()).hexdigest()}

    def _deliver(self, name: str, text: str) -> None:
        assert self.reader is not None
        room = self._room.get(name, threading.Semaphore(1))
        with room:
            for receipts in range(1, self._most_receipts + 1):
                payload = json.dumps(event_of(text, receipts, name)).encode()
                if self.reader.closing or not self.reader.run(payload).error:
                    break
            else:
                self.failed.append(text)
        with self._changed:
            self._waiting -= 1
            self._changed.notify_all()


def event_of(text: str, receipts: int = 1, name: str = "questions") -> dict[str, Any]:
    """The event of one message, as far as functions look."""
    return {
        "Records": [
            {
                "messageId": str(uuid.uuid4()),
                "receiptHandle": f"handle-{receipts}",
                "body": text,
                "attributes": {"ApproximateReceiveCount": str(receipts)},
                "eventSource": "aws:sqs",
                "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}",
            }
        ]
    }


def _api_of(queues: Queues) -> type[Api]:
    class SqsApi(Api):
        def do_POST(self) -> None:  # noqa: N802 - its name in the base class
            request = json.loads(self.body())
            refusals = (
                [TOO_LARGE] if len(request.get("MessageBody", "").encode()) > LARGEST else queues.refusals
            )
            if refusals:
                status, code = refusals.pop(0)
                body = json.dumps({"__type": f"com.amazonaws.sqs#{code}", "message": code}).encode()
                fault = "Sender" if status < 500 else "Receiver"
                self.answer(status, body, JSON | {QUERY_ERROR: f"{code};{fault}"})
                return
            answer = queues.take(self.headers["X-Amz-Target"].removeprefix("AmazonSQS."), request)
            self.answer(200, json.dumps(answer).encode(), JSON)

    return SqsApi
