"""Stores for whole stories: one of each kind, empty for every test."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fetcher.sample import SampleSite
from slackapp.settings import SlackSettings
from slackapp.slack.poster import Poster
from slackapp.stores.contract import Entity, ReplyRecord
from slackapp.stores.dynamodb import SCHEMAS, DynamoDBStore, connect
from tests.fakes.dynamodb import FUTURE

PREFIX = "stories-"
TIMES = {"now": 0.0, "lease_until": 1.0, "expires_at": FUTURE}


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
    """The settings of tables that are made once, and used once: the first use takes Java some seconds on a
    busy machine, and Slack waits three for an acknowledgement."""
    store = DynamoDBStore(dynamodb_client, lambda table: PREFIX + table)
    store.create_tables()
    for key in ("warm-1", "warm-2"):
        store.claim(key, "{}", owner="o", asker="U", link=f"{key}-link", **TIMES)
        store.record_reply(key, owner="o", reply_record=ReplyRecord())
        store.is_thread_ours(f"{key}-link", asked="a", root="r", now=0)
        store.finish(key, owner="o")
        store.take_rate_slot(key, now=0, interval=1, burst=1, expires_after=1)
        store.whitelist_status({Entity.TEAM: "T"})
        store.cached_values([key], now=0)
    return {"dynamodb_endpoint_url": dynamodb_endpoint, "dynamodb_table_prefix": PREFIX}


@pytest.fixture
def dynamodb_settings(
    dynamodb_tables: Mapping[str, Any], dynamodb_client: Any
) -> Iterator[Mapping[str, Any]]:
    """The same tables, made empty afterwards."""
    yield dynamodb_tables
    _empty(dynamodb_client)


@pytest.fixture(scope="module")
def shared_dynamodb(dynamodb_tables: Mapping[str, Any], dynamodb_client: Any) -> Iterator[Mapping[str, Any]]:
    """The same tables for all stories of a module: empty before the first one, and made so after the last."""
    _empty(dynamodb_client)
    yield dynamodb_tables
    _empty(dynamodb_client)


def _empty(client: Any) -> None:
    for table, schema in SCHEMAS.items():
        for item in client.scan(TableName=PREFIX + table)["Items"]:
            client.delete_item(TableName=PREFIX + table, Key={key: item[key] for key in schema.keys})


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


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """No client waits between two tries; how long each would have waited is kept."""
    taken: list[float] = []
    for module in (
        "slack_sdk.http_retry.builtin_handlers",
        "slack_sdk.http_retry.handler",
        "botocore.endpoint",
    ):
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(sleep=taken.append))
    monkeypatch.setitem(Poster.__init__.__kwdefaults__ or {}, "sleep", taken.append)
    return taken
