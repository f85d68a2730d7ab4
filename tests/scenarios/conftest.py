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
def dynamodb_tables(dynamodb_endpoint: str) -> Mapping[str, Any]:
    """Tables for whoever leaves no claim in them."""
    named = {"dynamodb_endpoint_url": dynamodb_endpoint, "dynamodb_table_prefix": PREFIX}
    store = _store(named)
    store.create()
    store.close()
    return named


@pytest.fixture
def dynamodb_settings(dynamodb_tables: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The same tables, made empty afterwards."""
    yield dynamodb_tables
    client = _store(dynamodb_tables)._calls._client
    for table, schema in SCHEMAS.items():
        keys = [schema.partition, *([schema.sort] if schema.sort else [])]
        for item in client.scan(TableName=PREFIX + table)["Items"]:
            client.delete_item(TableName=PREFIX + table, Key={key: item[key] for key in keys})
    client.close()


def _store(named: Mapping[str, Any]) -> DynamoDBStore:
    settings = SlackSettings.model_validate(named)
    return DynamoDBStore(connect(settings), settings.table_name)


@pytest.fixture(params=["sqlite", "dynamodb"])
def store_settings(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """The settings of an empty store of each kind."""
    described: Mapping[str, Any] = request.getfixturevalue(f"{request.param}_settings")
    return described


@pytest.fixture(scope="session")
def shared_tables(dynamodb_endpoint: str) -> Iterator[tuple[Mapping[str, Any], Any]]:
    """Tables made once, for stories that leave nothing under way; with a client to empty them."""
    named = {"dynamodb_endpoint_url": dynamodb_endpoint, "dynamodb_table_prefix": "stories-"}
    settings = SlackSettings.model_validate(named)
    client = connect(settings)
    DynamoDBStore(client, settings.table_name).create()
    yield named, client
    client.close()


@pytest.fixture
def emptied_dynamodb(shared_tables: tuple[Mapping[str, Any], Any]) -> Iterator[Mapping[str, Any]]:
    named, client = shared_tables
    yield named
    for table, schema in SCHEMAS.items():
        keys = [schema.partition, *([schema.sort] if schema.sort else [])]
        name = named["dynamodb_table_prefix"] + table
        for item in client.scan(TableName=name)["Items"]:
            client.delete_item(TableName=name, Key={key: item[key] for key in keys})


@pytest.fixture(params=["sqlite", "dynamodb"])
def store(request: pytest.FixtureRequest) -> Mapping[str, Any]:
    """The settings of an empty store of each kind, sooner had than `store_settings`."""
    fixture = "sqlite_settings" if request.param == "sqlite" else "emptied_dynamodb"
    described: Mapping[str, Any] = request.getfixturevalue(fixture)
    return described


@pytest.fixture(scope="session")
def sample_port() -> Iterator[int]:
    """Where the sample web is served."""
    with SampleSite() as site:
        yield site.port
