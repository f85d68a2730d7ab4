"""All calls to DynamoDB: the client, rows in DynamoDB's notation and the translation of its errors.

A call is tried three times, with jitter between (botocore's `standard` mode does so for throttling, for
5xx and for lost connections), and each try gives up soon: a store that is slow or gone is known to be so
after a few seconds. A write that succeeded but whose answer was lost is tried again as well, so a
conditional write must recognise its own earlier try.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]
from botocore.parsers import ResponseParserError  # type: ignore[import-untyped]

from fetcher import aws
from fetcher.text import well_formed
from slackapp.settings import SlackSettings
from slackapp.stores.contract import StoreRefused, StoreUnavailable
from slackapp.stores.tables import Changes, Row, Value, Values

TRIES = 3
CONNECT_SECONDS = 1
READ_SECONDS = 2
CONNECTIONS = 50

FOREIGN = (BotoCoreError, ClientError, ResponseParserError, RuntimeError)
"""All that botocore raises. RuntimeError: renewed credentials that have expired already."""

ADVICE = {
    **aws.ADVICE,
    "ResourceNotFoundException": "`python -m slackapp tables create` makes the tables",
}


class ConditionFailed(Exception):
    """The condition of a write does not hold; nothing was written."""

    def __init__(self, row: Row) -> None:
        super().__init__("the condition does not hold")
        self.row = row
        """The present row; empty if there is none."""


def connect(settings: SlackSettings, *, read_seconds: float = READ_SECONDS) -> Any:
    """Open a client of DynamoDB; raises StoreUnavailable."""
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
        return boto3.Session(botocore_session=aws.botocore_session()).client(
            "dynamodb",
            region_name=aws.region_of(settings.aws_region_name),
            endpoint_url=settings.dynamodb_endpoint_url or None,
            config=config,
        )
    except (*FOREIGN, ValueError) as error:  # ValueError: the endpoint is not a URL
        reason = ADVICE.get(type(error).__name__) or error
        raise StoreUnavailable(f"DynamoDB's client cannot be opened: {reason}") from error


class Calls:
    """DynamoDB's operations, their errors translated."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def close(self) -> None:
        self._client.close()

    def send(self, operation: str, **arguments: Any) -> Any:
        """Call any operation of the client.

        Botocore treats any 200 as success, even a proxy's page; DynamoDB's own answers have an id.
        """
        with _translated_errors(operation, arguments.get("TableName", "")):
            answer = getattr(self._client, operation)(**arguments)
        if not answer["ResponseMetadata"].get("RequestId"):
            raise StoreUnavailable(f"DynamoDB: {operation}: the answer came from another server")
        return answer

    def wait_until_active(self, table: str) -> None:
        """Wait until a new table can be used."""
        waiter = self._client.get_waiter("table_exists")
        with _translated_errors("wait", table):
            waiter.wait(TableName=table, WaiterConfig={"Delay": 1, "MaxAttempts": 120})


@contextmanager
def _translated_errors(operation: str, table: str) -> Iterator[None]:
    """Raise ConditionFailed or StoreUnavailable; its text has the operation and the table, but no value."""
    try:
        yield
    except FOREIGN as error:
        code = code_of(error)
        if code == "ConditionalCheckFailedException":
            raise ConditionFailed(from_item(getattr(error, "response", {}).get("Item", {}))) from error
        what = " ".join(filter(None, (operation, table, code)))
        about = error.response.get("ResponseMetadata", {}) if isinstance(error, ClientError) else {}
        # A refusal is DynamoDB's own answer to the only try. The outcome of a try before it is not known.
        refused = 400 <= about.get("HTTPStatusCode", 0) < 500 and about.get("RetryAttempts") == 0
        kind = StoreRefused if refused else StoreUnavailable
        raise kind("; ".join(filter(None, (f"DynamoDB: {what}", ADVICE.get(code))))) from error


def code_of(error: BaseException | None) -> str:
    """DynamoDB's name for an error, else Python's."""
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", ""))
    return type(error).__name__


def expressions(values: Values, **texts: str) -> dict[str, Any]:
    """Expressions, with the names and values that they mention.

    Every attribute has a placeholder: many good names are reserved words of DynamoDB.
    """
    arguments: dict[str, Any] = {f"{kind}Expression": text for kind, text in texts.items() if text}
    if names := {f"#{name}": name for text in texts.values() for name in re.findall(r"#(\w+)", text)}:
        arguments["ExpressionAttributeNames"] = names
    if values:
        arguments["ExpressionAttributeValues"] = {f":{name}": _typed(value) for name, value in values.items()}
    if texts.get("Condition"):
        arguments["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return arguments


def to_item(row: Changes) -> dict[str, Any]:
    """A row in DynamoDB's notation."""
    return {name: _typed(value) for name, value in row.items() if value is not None}


def _typed(value: Value) -> dict[str, Any]:
    """No store accepts half a surrogate pair, which JSON may contain."""
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, frozenset):
        return {"SS": sorted(value)}
    return {"S": well_formed(value, "?")} if isinstance(value, str) else {"N": repr(value)}


def from_item(row: Mapping[str, Any]) -> Row:
    """A row in plain values; types that the app never writes are left out."""
    return {
        name: READERS[kind](value)
        for name, typed in row.items()
        for kind, value in typed.items()
        if kind in READERS
    }


READERS: dict[str, Callable[[Any], Any]] = {
    "S": str,
    "BOOL": bool,
    "N": lambda text: int(text) if re.fullmatch(r"-?\d+", text) else float(text),
}
