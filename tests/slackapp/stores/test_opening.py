"""The settings choose the store."""

import pytest

from fetcher.settings import ConfigurationError
from slackapp.settings import SlackSettings
from slackapp.stores.dynamodb import DynamoDBStore
from slackapp.stores.opening import open_store
from slackapp.stores.sqlite import SQLiteStore


def test_without_dynamodb_the_store_is_a_file_that_is_ready(tmp_path):
    store = open_store(SlackSettings(sqlite_path=str(tmp_path / "s.sqlite3")), {})
    assert isinstance(store, SQLiteStore)
    assert store.whitelist_entries() == ()
    store.close()


@pytest.mark.parametrize(
    "named", [{"store": "dynamodb"}, {"dynamodb_table_prefix": "x-"}, {"dedupe_table": "d"}]
)
def test_naming_anything_of_dynamodb_chooses_it(named):
    store = open_store(SlackSettings(**named), {"AWS_LAMBDA_FUNCTION_NAME": "slack"})
    assert isinstance(store, DynamoDBStore)
    store.close()


def test_sqlite_is_refused_on_lambda(tmp_path):
    """Every instance would have a file of its own, and nothing would be answered once."""
    path = tmp_path / "s.sqlite3"
    with pytest.raises(ConfigurationError, match="Lambda"):
        open_store(SlackSettings(sqlite_path=str(path)), {"AWS_LAMBDA_FUNCTION_NAME": "slack"})
    assert not path.exists()
