"""AWS's Parameter Store on loopback: `GetParameters`, as botocore's service model has it (JSON 1.1).

`ThrottlingException` with status 400 is what AWS answers above 40 requests a second
(https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html).
"""

import json
from typing import Any

from tests.fakes.lambda_worker import Api, Server

JSON = {"Content-Type": "application/x-amz-json-1.1"}
MOST_NAMES = 10
"""`ParameterNameList` of the service model; boto3 does not check it."""


class ParameterStore:
    """What AWS keeps, and what it was asked."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.asked: list[tuple[str, list[str], bool]] = []
        self.failing = 0
        """How many of the next requests are throttled."""
        store = self

        class Handler(Api):
            def do_POST(self) -> None:  # noqa: N802 - its name in the base class
                status, answer = store.answer(self.headers["X-Amz-Target"], json.loads(self.body()))
                self.answer(status, json.dumps(answer).encode(), JSON)

        self._server = Server(Handler)

    @property
    def url(self) -> str:
        """For `AWS_ENDPOINT_URL_SSM`."""
        return f"http://{self._server.address}"

    def close(self) -> None:
        self._server.close()

    def answer(self, target: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.asked.append((target, request["Names"], request["WithDecryption"]))
        if self.failing:
            self.failing -= 1
            return 400, {"__type": "ThrottlingException", "message": "slow down"}
        if not 1 <= len(request["Names"]) <= MOST_NAMES:
            return 400, {"__type": "ValidationException", "message": "names: from 1 to 10"}
        found = [{"Name": name, "Value": self.kept[name]} for name in request["Names"] if name in self.kept]
        missing = [name for name in request["Names"] if name not in self.kept]
        return 200, {"Parameters": found, "InvalidParameters": missing}
