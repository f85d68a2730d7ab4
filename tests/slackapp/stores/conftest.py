"""Both stores, empty, behind one fixture."""

from collections.abc import Iterator

import pytest

from slackapp.settings import SlackSettings
from slackapp.stores.dynamodb import DynamoDBStore, connect
from slackapp.stores.dynamodb.schema import SCHEMAS
from slackapp.stores.sqlite import SQLiteStore
from slackapp.stores.store import Store
from tests.fakes.dynamodb import own_credentials

PREFIX = "shared-"
PATIENCE = 30
"""Seconds to wait for an answer: the machine may be busy, and no test here is about that."""


@pytest.fixture(scope="session", autouse=True)
def _credentials() -> Iterator[None]:
    """Also for tests that speak to no DynamoDB: botocore looks for credentials first."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in own_credentials().items():
            environment.setenv(name, value)
        yield


@pytest.fixture(scope="session")
def dynamodb_store(dynamodb_endpoint: str) -> Iterator[DynamoDBStore]:
    """Tables made once; tests take `dynamodb`, which leaves them empty."""
    settings = SlackSettings(dynamodb_endpoint_url=dynamodb_endpoint, dynamodb_table_prefix=PREFIX)
    store = DynamoDBStore(connect(settings, read_seconds=PATIENCE), settings.table_name)
    store.create_tables()
    yield store
    store.close()


@pytest.fixture
def dynamodb(dynamodb_store: DynamoDBStore) -> Iterator[DynamoDBStore]:
    yield dynamodb_store
    client = dynamodb_store._tables._calls._client  # type: ignore[attr-defined]
    for table, schema in SCHEMAS.items():
        for item in client.scan(TableName=PREFIX + table)["Items"]:
            client.delete_item(TableName=PREFIX + table, Key={key: item[key] for key in schema.keys})


@pytest.fixture
def sqlite(tmp_path) -> Iterator[SQLiteStore]:
    store = SQLiteStore(tmp_path / "private" / "store.sqlite3")
    store.create_tables()
    yield store
    store.close()


@pytest.fixture(params=["sqlite", "dynamodb"])
def store(request: pytest.FixtureRequest) -> Store:
    """An empty store of each kind."""
    chosen: Store = request.getfixturevalue(request.param)
    return chosen
