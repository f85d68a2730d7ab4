"""Stores for whole stories: one of each kind, empty for every test."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from fetcher.sample import SampleSite
from slackapp.settings import SlackSettings
from slackapp.stores.dynamodb import SCHEMAS, DynamoDBStore, connect

PREFIX = "stories-"


@pytest.fixture
def sqlite_settings(tmp_path: Path) -> Mapping[str, Any]:
    return {"sqlite_path": str(tmp_path / "store.sqlite3")}


@pytest.fixture(scope="session")
def dynamodb_client(dynamodb_endpoint: str) -> Iterator[Any]:
    client = connect(SlackSettings(dynamodb_endpoint_url=dynamodb_endpoint))
    yield client
    client.close()


@pytest.fixture(scope="session")
def dynamodb_tables(dynamodb_endpoint: str, dynamodb_client: Any) -> Mapping[str, Any]:
    """The settings of tables that are made once."""
    DynamoDBStore(dynamodb_client, lambda table: PREFIX + table).create_tables()
    return {"dynamodb_endpoint_url": dynamodb_endpoint, "dynamodb_table_prefix": PREFIX}


@pytest.fixture
def dynamodb_settings(
    dynamodb_tables: Mapping[str, Any], dynamodb_client: Any
) -> Iterator[Mapping[str, Any]]:
    """The same tables, made empty afterwards."""
    yield dynamodb_tables
    for table, schema in SCHEMAS.items():
        keys = [schema.partition, *([schema.sort] if schema.sort else [])]
        for item in dynamodb_client.scan(TableName=PREFIX + table)["Items"]:
            dynamodb_client.delete_item(TableName=PREFIX + table, Key={key: item[key] for key in keys})


@pytest.fixture(params=["sqlite", "dynamodb"])
def store(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """The settings of an empty store of each kind."""
    described: Mapping[str, Any] = request.getfixturevalue(f"{request.param}_settings")
    return described


@pytest.fixture(scope="session")
def sample_port() -> Iterator[int]:
    """Where the sample web is served."""
    with SampleSite() as site:
        yield site.port
