"""The one door to DynamoDB: opens the client, writes rows in its notation and translates its errors.

A call is tried three times, with jitter between (botocore's `standard` mode does so for throttling, for
5xx and for lost connections), and each try gives up soon: a store that is slow or gone is known to be so
after a few seconds. A write that did its work but whose answer was lost is tried again as well, so
conditional writes must recognise what they have written themselves.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

from fetcher.aws import botocore_session
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.row_format import clean

TRIES = 3
CONNECT_SECONDS = 1
READ_SECONDS = 2
CONNECTIONS = 50

FOREIGN = (BotoCoreError, ClientError, ResponseParserError, RuntimeError)
"""All that botocore raises; the last: credentials that were renewed and have expired already."""

ADVICE = {"ResourceNotFoundException": "; `python -m slackapp tables create` makes the tables"}

Value = str | int | float | bool
Values = Mapping[str, Value]
NOTHING: Values = {}
Row = Mapping[str, Any]


class ConditionFailed(Exception):
    """The row is not as the write wants it; nothing was written."""

    def __init__(self, row: Row) -> None:
        super().__init__("the condition does not hold")
        self.row = row
        """As it stands; empty when there is none."""


def connect(settings: SlackSettings, *, read_seconds: float = READ_SECONDS) -> Any:
    """A client of DynamoDB; raises StoreUnavailable."""
    import boto3  # type: ignore[import-untyped]
    from botocore.config import Config  # type: ignore[import-untyped]

    config = Config(
        retries={"mode": "standard", "total_max_attempts": TRIES},
        connect_timeout=CONNECT_SECONDS,
        read_timeout=read_seconds,
        max_pool_connections=CONNECTIONS,
        tcp_keepalive=True,
    )
    try:
        return boto3.Session(botocore_session=botocore_session()).client(
            "dynamodb",
            region_name=settings.aws_region_name,
            endpoint_url=settings.dynamodb_endpoint_url or None,
            config=config,
        )
    except (*FOREIGN, ValueError) as error:  # the last: an endpoint that is no URL
        raise StoreUnavailable(f"DynamoDB's client cannot be opened: {error}") from error


class Calls:
    """DynamoDB's operations, with rows as plain values and errors as ours."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def close(self) -> None:
        self._client.close()

    def get(self, table: str, key: Values) -> Row:
        """A row as it is this moment; empty when there is none."""
        answer = self.ask("get_item", TableName=table, Key=written(key), ConsistentRead=True)
        return read(answer.get("Item", {}))

    def put(self, table: str, row: Values, *, when: str = "", values: Values = NOTHING) -> None:
        """Writes a whole row, if the condition holds."""
        self.ask("put_item", TableName=table, Item=written(row), **_expressions(values, Condition=when))

    def update(
        self,
        table: str,
        key: Values,
        change: str,
        *,
        values: Values,
        when: str = "",
        returned: str = "NONE",
    ) -> Row:
        """Changes a row, if the condition holds; `#name` is an attribute, `:name` a value."""
        expressions = _expressions(values, Update=change, Condition=when)
        answer = self.ask(
            "update_item", TableName=table, Key=written(key), ReturnValues=returned, **expressions
        )
        return read(answer.get("Attributes", {}))

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Any operation of the client.

        Botocore takes any 200 for a success, even a proxy's page; DynamoDB's own answers have an id.
        """
        answer = self.translated(operation, arguments, lambda: getattr(self._client, operation)(**arguments))
        if not answer["ResponseMetadata"].get("RequestId"):
            raise StoreUnavailable(f"DynamoDB: {operation}: the answer came from somebody else")
        return answer

    def wait_until_active(self, table: str) -> None:
        """Returns when a table that is being made can be used."""
        waiter = self._client.get_waiter("table_exists")
        arguments = {"TableName": table, "WaiterConfig": {"Delay": 1, "MaxAttempts": 120}}
        self.translated("wait", arguments, lambda: waiter.wait(**arguments))

    def translated(self, operation: str, arguments: Mapping[str, Any], act: Callable[[], Any]) -> Any:
        """Raises ConditionFailed or StoreUnavailable; the latter names no value, only what was done where."""
        try:
            return act()
        except FOREIGN as error:
            code = code_of(error)
            if code == "ConditionalCheckFailedException":
                raise ConditionFailed(read(getattr(error, "response", {}).get("Item", {}))) from error
            table = arguments.get("TableName", "")
            what = " ".join(filter(None, (operation, table, code)))
            raise StoreUnavailable(f"DynamoDB: {what}{ADVICE.get(code, '')}") from error


class Tables:
    """What the four tables' parts of the store share."""

    def __init__(self, calls: Calls, names: Mapping[str, str]) -> None:
        self._calls = calls
        self._names = names


def code_of(error: BaseException | None) -> str:
    """DynamoDB's name for an error, else Python's."""
    return (
        str(error.response.get("Error", {}).get("Code", ""))
        if isinstance(error, ClientError)
        else type(error).__name__
    )


def _expressions(values: Values, **expressions: str) -> dict[str, Any]:
    """Expressions, with the names and values that they mention."""
    arguments: dict[str, Any] = {f"{kind}Expression": text for kind, text in expressions.items() if text}
    if names := named(*expressions.values()):
        arguments["ExpressionAttributeNames"] = names
    if values:
        arguments["ExpressionAttributeValues"] = valued(values)
    if expressions.get("Condition"):
        arguments["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return arguments


def named(*expressions: str) -> dict[str, str]:
    """Every attribute goes by a placeholder: half of the good names are reserved words."""
    return {f"#{name}": name for text in expressions for name in re.findall(r"#(\w+)", text)}


def valued(values: Values) -> dict[str, Any]:
    return {f":{name}": _written(value) for name, value in values.items()}


def written(row: Values) -> dict[str, Any]:
    """A row in DynamoDB's notation."""
    return {name: _written(value) for name, value in row.items()}


def _written(value: Value) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"BOOL": value}
    return {"S": clean(value)} if isinstance(value, str) else {"N": repr(value)}


def read(row: Mapping[str, Any]) -> Row:
    """A row in plain values; kinds that we never write are left out."""
    return {
        name: READERS[kind](value)
        for name, typed in row.items()
        for kind, value in typed.items()
        if kind in READERS
    }


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


READERS: dict[str, Callable[[Any], Any]] = {"S": str, "BOOL": bool, "N": _number}
